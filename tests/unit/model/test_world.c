/* The world: ids, masses reduced to principal axes, materials mixed, motions that arrive, forces
 * and the checkpoint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/world.h"

static const double pi = 3.141592653589793;

static void assert_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

typedef struct fixture {
  scree_context *context;
  scree_world *world;
  scree_shape *ball, *box;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  const double half[3] = {0.1, 0.2, 0.3};
  f->context = scree_context_create(NULL);
  assert_int_equal(scree_world_create(f->context, NULL, &f->world), SCREE_OK);
  assert_int_equal(scree_shape_create_sphere(f->context, 0.5, &f->ball), SCREE_OK);
  assert_int_equal(scree_shape_create_box(f->context, half, &f->box), SCREE_OK);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  scree_world_destroy(f->world);
  scree_shape_destroy(f->ball);
  scree_shape_destroy(f->box);
  assert_int_equal(scree_context_bytes(f->context), 0);
  scree_context_destroy(f->context);
  free(f);
  return 0;
}

static scree_body_id add(fixture *f, scree_shape *shape, double x) {
  scree_body_def d = scree_body_def_default();
  scree_body_id id;
  d.shape = shape;
  d.position[0] = x;
  assert_int_equal(scree_world_add_body(f->world, &d, &id), SCREE_OK);
  return id;
}

static void ids_stay_unique(void **state) {
  fixture *f = *state;
  const scree_body_id a = add(f, f->ball, 0), b = add(f, f->ball, 2);
  assert_int_equal(scree_world_remove_body(f->world, a), SCREE_OK);
  assert_false(scree_body_is_valid(f->world, a));
  assert_true(scree_body_is_valid(f->world, b));
  const scree_body_id c = add(f, f->ball, 4);
  assert_int_equal(c.index, a.index);
  assert_int_not_equal(c.generation, a.generation);
  assert_int_equal(scree_world_remove_body(f->world, a), SCREE_ERROR_ARGUMENT);
  assert_int_equal(scree_world_body_count(f->world), 2);
  assert_false(scree_body_is_valid(f->world, (scree_body_id){0, 0}));
}

/* A given tensor, turned: the world inertia rebuilt from axes and values must be the same. */
static void inertia_is_reduced(void **state) {
  fixture *f = *state;
  const quat turn = quat_normalize((quat){0.3, -0.5, 0.7, 0.2});
  const m33 r = quat_to_m33(turn);
  scree_body_def d = scree_body_def_default();
  scree_body_id id;
  d.mass = 2.0;
  m33_rotate_diagonal(&r, v3_make(1.0, 2.0, 2.5), d.inertia);
  d.center[1] = 0.25;
  d.rotation[0] = 0.6;
  d.rotation[3] = 0.8;
  d.position[0] = 3.0;
  assert_int_equal(scree_world_add_body(f->world, &d, &id), SCREE_OK);
  const quat body = {0.6, 0, 0, 0.8};
  const m33 q = quat_to_m33(f->world->bodies.rotation[id.index]);
  double got[6], want[6];
  m33_rotate_diagonal(&q, f->world->bodies.inertia[id.index], got);
  const m33 both = quat_to_m33(quat_mul(body, turn));
  m33_rotate_diagonal(&both, v3_make(1.0, 2.0, 2.5), want);
  for (int k = 0; k < 6; k++) assert_near(got[k], want[k], 1e-13);
  scree_body_state s;
  scree_body_info info;
  assert_int_equal(scree_body_get_state(f->world, id, &s), SCREE_OK);
  assert_int_equal(scree_body_get_info(f->world, id, &info), SCREE_OK);
  assert_near(s.position[0], 3.0, 1e-14);
  assert_near(fabs(s.rotation[3]), 0.8, 1e-14);
  const v3 center = v3_add(v3_make(3, 0, 0), quat_rotate(body, v3_make(0, 0.25, 0)));
  assert_near(info.center[0], center.x, 1e-14);
  assert_near(info.center[1], center.y, 1e-14);
  s.position[2] = -1.0;
  assert_int_equal(scree_body_set_state(f->world, id, &s), SCREE_OK);
  assert_near(f->world->bodies.position[id.index].z, -1.0, 1e-14);
}

static void bad_bodies_are_refused(void **state) {
  fixture *f = *state;
  scree_body_def d = scree_body_def_default();
  assert_int_equal(scree_world_add_body(f->world, &d, NULL), SCREE_ERROR_INPUT);
  d.shape = f->ball;
  d.position[1] = NAN;
  assert_int_equal(scree_world_add_body(f->world, &d, NULL), SCREE_ERROR_INPUT);
  d = scree_body_def_default();
  d.shape = f->ball;
  d.mass = -1.0;
  assert_int_equal(scree_world_add_body(f->world, &d, NULL), SCREE_ERROR_INPUT);
  d.mass = 1.0;
  d.inertia[0] = 1.0;
  d.inertia[3] = 1.0;
  d.inertia[5] = 3.0;
  assert_int_equal(scree_world_add_body(f->world, &d, NULL), SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(f->context), "triangle"));
  assert_int_equal(scree_world_body_count(f->world), 0);
}

static void materials_mix_and_pairs_win(void **state) {
  fixture *f = *state;
  scree_material_def m = scree_material_def_default(), law;
  scree_material_id a, b;
  m.friction = 0.2;
  m.compliance = 1e-6;
  m.cohesion = 3.0;
  assert_int_equal(scree_world_add_material(f->world, &m, &a), SCREE_OK);
  m.friction = 0.8;
  m.cohesion = 2.0;
  assert_int_equal(scree_world_add_material(f->world, &m, &b), SCREE_OK);
  assert_int_equal(scree_world_get_pair(f->world, a, b, &law), SCREE_OK);
  assert_near(law.friction, 0.4, 1e-15);
  assert_near(law.compliance, 2e-6, 1e-20);
  assert_near(law.cohesion, 2.0, 0.0);
  law.friction = 0.1;
  assert_int_equal(scree_world_set_pair(f->world, b, a, &law), SCREE_OK);
  scree_material_id c;
  assert_int_equal(scree_world_add_material(f->world, &m, &c), SCREE_OK);
  assert_int_equal(scree_world_get_pair(f->world, a, b, &law), SCREE_OK);
  assert_near(law.friction, 0.1, 0.0);
  m.restitution = 1.5;
  assert_int_equal(scree_world_add_material(f->world, &m, &c), SCREE_ERROR_INPUT);
}

/* What gives way does so beside a law that is named rigid, too. */
static void soft_materials_stay_soft(void **state) {
  fixture *f = *state;
  const scree_material_def none = scree_material_def_default();
  scree_material_def hard[2] = {none, none}, soft[3] = {none, none, none}, pair;
  hard[0].law = SCREE_LAW_RIGID;
  hard[1].law = SCREE_LAW_RIGID_COHESIVE;
  hard[1].cohesion = 2.0;
  soft[0].compliance = soft[1].compliance = 1e-6;
  soft[0].cohesion = 3.0;
  soft[1].law = SCREE_LAW_COMPLIANT;
  soft[2].law = SCREE_LAW_POWER;
  soft[2].stiffness = 1e8;
  const scree_law wanted[2][3] = {
      {SCREE_LAW_COMPLIANT, SCREE_LAW_COMPLIANT, SCREE_LAW_POWER},
      {SCREE_LAW_COMPLIANT_COHESIVE, SCREE_LAW_COMPLIANT_COHESIVE, SCREE_LAW_POWER}};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) {
      scree_material_id a, b;
      assert_int_equal(scree_world_add_material(f->world, &hard[i], &a), SCREE_OK);
      assert_int_equal(scree_world_add_material(f->world, &soft[k], &b), SCREE_OK);
      assert_int_equal(scree_world_get_pair(f->world, a, b, &pair), SCREE_OK);
      assert_int_equal(pair.law, wanted[i][k]);
      assert_near(pair.cohesion, i == 1 && k == 0 ? 2.0 : 0.0, 0.0);
    }
}

static void driven_velocity_arrives(void **state) {
  fixture *f = *state;
  scree_motion_def m = scree_motion_def_default();
  scree_motion_id motion;
  m.kind = SCREE_MOTION_SINE;
  m.amplitude[2] = 0.1;
  m.swing[0] = 0.5;
  m.frequency = 2.0;
  m.phase = 0.3;
  m.angular[2] = 1.0;
  assert_int_equal(scree_world_add_motion(f->world, &m, &motion), SCREE_OK);
  scree_body_def d = scree_body_def_default();
  scree_body_id id;
  d.kind = SCREE_BODY_PRESCRIBED;
  d.shape = f->box;
  d.position[0] = 1.0;
  d.motion = motion;
  assert_int_equal(scree_world_add_body(f->world, &d, &id), SCREE_OK);
  v3 linear[1], angular[1];
  assert_int_equal(world_free_velocities(f->world, 0.01, linear, angular), SCREE_OK);
  const double rise = 0.1 * (sin(2 * pi * 2.0 * 0.01 + 0.3) - sin(0.3));
  assert_near(linear[0].z, rise / 0.01, 1e-12);
  const pose end = world_driven_pose(f->world, 0, 0.01);
  const quat moved = quat_mul(quat_exp(v3_scale(0.01, angular[0])), f->world->bodies.rotation[0]);
  assert_near(fabs(end.rotation.w * moved.w + end.rotation.x * moved.x + end.rotation.y * moved.y +
                   end.rotation.z * moved.z),
              1.0, 1e-14);
}

static void table_motion_interpolates(void **state) {
  fixture *f = *state;
  const double times[3] = {0, 1, 3}, moves[9] = {0, 0, 0, 1, 0, 0, 1, 2, 0};
  const double turns[12] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
  scree_motion_def m = scree_motion_def_default();
  m.kind = SCREE_MOTION_TABLE;
  m.count = 3;
  m.times = times;
  m.displacements = moves;
  m.rotations = turns;
  scree_motion_id motion;
  assert_int_equal(scree_world_add_motion(f->world, &m, &motion), SCREE_OK);
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_PRESCRIBED;
  d.motion = motion;
  assert_int_equal(scree_world_add_body(f->world, &d, NULL), SCREE_OK);
  pose p = world_driven_pose(f->world, 0, 0.25);
  assert_near(p.position.x, 0.25, 1e-15);
  p = world_driven_pose(f->world, 0, 2.0);
  assert_near(p.position.y, 1.0, 1e-15);
  assert_near(v3_norm(world_rotation_vector(p.rotation)), pi / 2, 1e-12);
  p = world_driven_pose(f->world, 0, 9.0);
  assert_near(p.position.y, 2.0, 1e-15);
  m.count = 1;
  assert_int_equal(scree_world_add_motion(f->world, &m, &motion), SCREE_ERROR_INPUT);
}

static void count_calls(void *user, scree_world *world, double time, double h) {
  const double push[3] = {0, 0, 5}, at[3] = {1, 0, 0};
  (void)time;
  (void)h;
  scree_body_add_force(world, scree_world_body_at(world, 0), push, at, NULL);
  ++*(int *)user;
}

static void forces_make_free_velocities(void **state) {
  fixture *f = *state;
  int calls = 0;
  const scree_body_id a = add(f, f->ball, 0);
  add(f, f->ball, 10);
  const double none[3] = {0, 0, 0}, push[3] = {3, 0, 0};
  scree_world_set_gravity(f->world, none);
  f->world->def.gravitational_constant = 1e-3;
  scree_body_set_force(f->world, a, push, none);
  scree_world_set_force_function(f->world, count_calls, &calls);
  v3 linear[2], angular[2];
  /* A step of 0.1 s after one of 0.1 s; new bodies are kicked for half of one. */
  f->world->step = 0.1;
  assert_near(world_kick(f->world, 0, 0.1), 0.05, 1e-17);
  f->world->bodies.fresh[0] = f->world->bodies.fresh[1] = 0;
  world_call_forces(f->world, 0.1);
  assert_int_equal(world_free_velocities(f->world, 0.1, linear, angular), SCREE_OK);
  const double mass = f->world->bodies.mass[0], inertia = f->world->bodies.inertia[0].x;
  assert_int_equal(calls, 1);
  assert_near(linear[0].x, 0.1 * (3.0 / mass + 1e-3 * mass / 100.0), 1e-12);
  assert_near(linear[1].x, -0.1 * 1e-3 * mass / 100.0, 1e-12);
  assert_near(linear[0].z, 0.1 * 5.0 / mass, 1e-14);
  assert_near(angular[0].y, -0.1 * 5.0 / inertia, 1e-14);
  world_clear_step_loads(f->world);
  assert_near(f->world->bodies.step_load[0].force.z, 0.0, 0.0);
}

static void joint_state_reads_back(void **state) {
  fixture *f = *state;
  const scree_body_id a = add(f, f->box, 0), b = add(f, f->box, 1);
  scree_joint_def d = scree_joint_def_default();
  scree_joint_id id;
  scree_joint_state s;
  d.kind = SCREE_JOINT_HINGE;
  d.body_a = a;
  d.body_b = b;
  d.anchor[0] = 0.5;
  d.axis[1] = 1.0;
  d.axis[2] = 0.0;
  assert_int_equal(scree_world_add_joint(f->world, &d, &id), SCREE_OK);
  assert_int_equal(f->world->excluded_count, 1);
  scree_body_state pose_b;
  scree_body_get_state(f->world, b, &pose_b);
  const quat turn = quat_exp(v3_make(0, 0.3, 0));
  const v3 place = v3_add(v3_make(0.5, 0, 0), quat_rotate(turn, v3_make(0.5, 0, 0)));
  v3_store(pose_b.position, place);
  pose_b.rotation[0] = turn.w;
  pose_b.rotation[2] = turn.y;
  pose_b.angular[1] = 2.0;
  scree_body_set_state(f->world, b, &pose_b);
  assert_int_equal(scree_joint_get_state(f->world, id, &s), SCREE_OK);
  assert_near(s.position, 0.3, 1e-14);
  assert_near(s.speed, 2.0, 1e-14);
  assert_near(s.error, 0.0, 1e-14);
  assert_near(s.angle_error, 0.0, 1e-14);
  assert_int_equal(scree_world_remove_body(f->world, a), SCREE_OK);
  assert_false(scree_joint_is_valid(f->world, id));
  assert_int_equal(f->world->excluded_count, 0);
}

static void blob_brings_back_the_world(void **state) {
  fixture *f = *state;
  const scree_body_id a = add(f, f->ball, 0), b = add(f, f->box, 3);
  scree_world_remove_body(f->world, a);
  const uint64_t hash = scree_world_hash(f->world);
  const size_t size = world_save(f->world, NULL);
  char *blob = malloc(size);
  assert_int_equal(world_save(f->world, blob), size);
  add(f, f->ball, 7);
  add(f, f->ball, 9);
  assert_int_not_equal(scree_world_hash(f->world), hash);
  assert_int_equal(world_restore(f->world, blob, size - 1), SCREE_ERROR_INPUT);
  assert_int_equal(scree_world_body_count(f->world), 3);
  assert_int_equal(world_restore(f->world, blob, size), SCREE_OK);
  assert_int_equal(scree_world_hash(f->world), hash);
  assert_int_equal(scree_world_body_count(f->world), 1);
  assert_true(scree_body_is_valid(f->world, b));
  const scree_body_id c = add(f, f->ball, 7);
  assert_int_equal(c.index, a.index);
  blob[0] ^= 1;
  assert_int_equal(world_restore(f->world, blob, size), SCREE_ERROR_INPUT);
  free(blob);
}

/* Past the sizes at which arrays grow in another way, some of them before others. */
static void many_bodies_fit(void **state) {
  fixture *f = *state;
  for (size_t i = 0; i < 70000; i++) add(f, f->ball, (double)i);
  for (size_t i = 0; i < 70000; i += 7) {
    scree_body_state s;
    assert_int_equal(scree_body_get_state(f->world, scree_world_body_at(f->world, i), &s),
                     SCREE_OK);
    assert_true(s.position[0] == (double)i && s.rotation[0] == 1.0);
  }
}

/* A body's way, seen at many times, ends where the step does, and has no corners: a box that turns
 * by 3 rad between any two of its moments of inertia, and a ball. */
static void a_way_ends_where_the_step_does(void **state) {
  fixture *f = *state;
  const size_t body[2] = {add(f, f->box, 0).index, add(f, f->ball, 9).index};
  const v3 linear = {1.0, -2.0, 0.5}, angular = {20.0, 1.0, -12.0};
  const double h = 0.12;
  enum { TIMES = 400 };
  for (int k = 0; k < 2; k++) {
    world_way way = world_way_begin(f->world, body[k], h, linear, angular);
    pose last = world_way_at(f->world, &way, 0.0);
    for (int m = 1; m <= TIMES; m++) {
      const pose p = world_way_at(f->world, &way, m * h / TIMES);
      const v3 turn = world_rotation_vector(quat_mul(p.rotation, quat_conj(last.rotation)));
      assert_near(v3_norm(v3_sub(p.position, last.position)), h / TIMES * v3_norm(linear), 1e-12);
      assert_true(v3_norm(turn) < 2.0 * h / TIMES * v3_norm(angular));
      last = p;
    }
    v3 after = angular;
    const pose end = world_pose_after(f->world, body[k], h, linear, &after);
    const v3 off = world_rotation_vector(quat_mul(end.rotation, quat_conj(last.rotation)));
    assert_near(v3_norm(off), 0.0, 1e-9);
    assert_near(v3_norm(v3_sub(end.position, last.position)), 0.0, 1e-12);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(ids_stay_unique),           TEST(inertia_is_reduced),
      TEST(bad_bodies_are_refused),    TEST(materials_mix_and_pairs_win),
      TEST(soft_materials_stay_soft),  TEST(driven_velocity_arrives),
      TEST(table_motion_interpolates), TEST(forces_make_free_velocities),
      TEST(joint_state_reads_back),    TEST(blob_brings_back_the_world),
      TEST(many_bodies_fit),           TEST(a_way_ends_where_the_step_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
