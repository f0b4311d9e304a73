/* Kinematics of every kind of joint: rows are the derivative of what they hold and of their
 * coordinates, against finite differences along random twists from random places, on and off the
 * places where the joint holds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/holds.h"
#include "scree/scree.h"

static uint64_t seed = 7;

static double uniform(double low, double high) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static v3 vector(double size) {
  return v3_make(uniform(-size, size), uniform(-size, size), uniform(-size, size));
}

typedef struct fixture {
  scree_context *context;
  scree_world *world;
  scree_body_id body[3];
} fixture;

static fixture begin(void) {
  fixture f = {.context = scree_context_create(NULL)};
  scree_shape *box;
  const double half[3] = {0.3, 0.2, 0.1};
  assert_int_equal(scree_world_create(f.context, NULL, &f.world), SCREE_OK);
  assert_int_equal(scree_shape_create_box(f.context, half, &box), SCREE_OK);
  for (int k = 0; k < 3; k++) {
    scree_body_def d = scree_body_def_default();
    d.shape = box;
    v3_store(d.position, vector(1.0));
    const quat q = quat_exp(vector(1.0));
    d.rotation[0] = q.w;
    d.rotation[1] = q.x;
    d.rotation[2] = q.y;
    d.rotation[3] = q.z;
    assert_int_equal(scree_world_add_body(f.world, &d, &f.body[k]), SCREE_OK);
  }
  scree_shape_destroy(box);
  return f;
}

static void end(fixture *f) {
  scree_world_destroy(f->world);
  scree_context_destroy(f->context);
}

static scree_curve_id curve_of(fixture *f, int dimension) {
  double path[21], lift[10];
  scree_curve_id id;
  for (int k = 0; k < 7; k++) v3_store(path + 3 * k, v3_make(k, sin(1.3 * k), 0.3 * k * k - k));
  for (int k = 0; k < 5; k++) {
    lift[2 * k] = 0.5 * 3.14159265358979323846 * k;
    lift[2 * k + 1] = k == 4 ? 0.0 : 0.1 * sin(2.0 * k);
  }
  const scree_curve_def def = {dimension == 3 ? path : lift, dimension == 3 ? 7 : 5, dimension,
                               dimension == 2};
  assert_int_equal(scree_world_add_curve(f->world, &def, &id), SCREE_OK);
  return id;
}

static scree_joint_def def_of(fixture *f, scree_joint_kind kind) {
  scree_joint_def d = scree_joint_def_default();
  const unsigned uses = joint_classes[kind]->uses;
  const v3 axis = v3_normalize(vector(1.0));
  d.kind = kind;
  d.body_a = f->body[0];
  d.body_b = f->body[1];
  if (uses & JOINT_USES_C) d.body_c = f->body[2];
  v3_store(d.anchor, vector(1.0));
  v3_store(d.axis, axis);
  if (uses & JOINT_USES_AXIS_B)
    v3_store(d.axis_b, kind == SCREE_JOINT_UNIVERSAL ? v3_across(axis) : vector(1.0));
  if (uses & JOINT_USES_ANCHOR_B) v3_store(d.anchor_b, vector(1.0));
  v3_store(d.sheave, vector(1.0));
  v3_store(d.sheave_b, vector(1.0));
  d.ratio = kind == SCREE_JOINT_PULLEY ? 2.5 : -1.7;
  d.pitch = 0.4;
  if (uses & JOINT_USES_PATH) {
    d.curve = curve_of(f, 3);
    v3_store(d.anchor_b, v3_make(2.0, sin(2.6), 0.3 * 4.0 - 2.0)); /* a point of it */
  }
  if (uses & JOINT_USES_LIFT) d.curve = curve_of(f, 2);
  return d;
}

static void move(fixture *f, const v3 *linear, const v3 *angular, double h) {
  world_bodies *b = &f->world->bodies;
  for (int k = 0; k < 3; k++) {
    b->position[k] = v3_add_scaled(b->position[k], h, linear[k]);
    b->rotation[k] = quat_normalize(quat_mul(quat_exp(v3_scale(h, angular[k])), b->rotation[k]));
  }
}

static joint_row row_of(const fixture *f, int r) {
  const joint *j = &f->world->joint[0];
  const joint_view view = joint_view_of(f->world, j);
  joint_row rows[JOINT_ROWS];
  const int held = joint_held_rows(&view, rows);
  return r < held ? rows[r] : joint_coordinate_row(&view, r - held);
}

static void check_kind(scree_joint_kind kind, double apart) {
  fixture f = begin();
  const scree_joint_def d = def_of(&f, kind);
  assert_string_equal(scree_joint_kind_name(kind), joint_classes[kind]->name);
  if (scree_world_add_joint(f.world, &d, NULL)) fail_msg("%s", scree_context_message(f.context));
  const int count = joint_classes[kind]->held + joint_classes[kind]->coordinates;
  const v3 away[3] = {vector(apart), vector(apart), vector(apart)};
  const v3 turned[3] = {vector(apart), vector(apart), vector(apart)};
  for (int r = 0; r < joint_classes[kind]->held; r++)
    if (!(fabs(row_of(&f, r).value) < 1e-12))
      fail_msg("%s, row %d: %g at the start", joint_classes[kind]->name, r, row_of(&f, r).value);
  move(&f, away, turned, 1.0);
  for (int r = 0; r < count; r++) {
    const v3 linear[3] = {vector(1.0), vector(1.0), vector(1.0)};
    const v3 angular[3] = {vector(1.0), vector(1.0), vector(1.0)};
    const double h = 1e-5;
    const joint_row row = row_of(&f, r);
    const double speed = joint_row_speed(&f.world->joint[0], &row, linear, angular);
    const world_bodies *b = &f.world->bodies;
    const pose at[3] = {world_pose(f.world, 0), world_pose(f.world, 1), world_pose(f.world, 2)};
    move(&f, linear, angular, h);
    const double after = row_of(&f, r).value;
    for (int k = 0; k < 3; k++) b->position[k] = at[k].position, b->rotation[k] = at[k].rotation;
    move(&f, linear, angular, -h);
    const double before = row_of(&f, r).value;
    for (int k = 0; k < 3; k++) b->position[k] = at[k].position, b->rotation[k] = at[k].rotation;
    const double expected = (after - before) / (2.0 * h);
    if (!(fabs(speed - expected) < 1e-7 * (1.0 + fabs(expected))))
      fail_msg("%s, row %d: %.12g is not %.12g", joint_classes[kind]->name, r, speed, expected);
  }
  end(&f);
}

/* A swing has no direction where it is 0, and across a path only where the point is on it. */
static void test_rows(void **state) {
  (void)state;
  for (int kind = 0; kind < SCREE_JOINT_KIND_COUNT; kind++)
    for (int round = 0; round < 40; round++) {
      if (kind != SCREE_JOINT_BALL) check_kind((scree_joint_kind)kind, 0.0);
      if (kind != SCREE_JOINT_POINT_ON_CURVE) check_kind((scree_joint_kind)kind, 0.3);
    }
}

/* Momentum: what a row gives one side it takes from the others, force and moment about any point.
 */
static void test_balance(void **state) {
  (void)state;
  for (int kind = 0; kind < SCREE_JOINT_KIND_COUNT; kind++) {
    fixture f = begin();
    const scree_joint_def d = def_of(&f, (scree_joint_kind)kind);
    assert_int_equal(scree_world_add_joint(f.world, &d, NULL), SCREE_OK);
    const v3 away[3] = {vector(0.2), vector(0.2), vector(0.2)};
    move(&f, away, away, 1.0);
    const int count = joint_classes[kind]->held + joint_classes[kind]->coordinates;
    for (int r = 0; r < count; r++) {
      const joint_row row = row_of(&f, r);
      v3 force = {0, 0, 0}, moment = {0, 0, 0};
      for (int s = 0; s < 3; s++) {
        force = v3_add(force, row.linear[s]);
        moment = v3_add(
            moment, v3_add(row.angular[s], v3_cross(f.world->bodies.position[s], row.linear[s])));
      }
      if (v3_norm(force) > 1e-12 || v3_norm(moment) > 1e-12)
        fail_msg("%s, row %d is not balanced", joint_classes[kind]->name, r);
    }
    end(&f);
  }
}

static void load_of(const fixture *f, const double *lambda, double *load) {
  hold_row rows[HOLD_ROWS];
  const int count = hold_rows(f->world, &f->world->joint[0], rows);
  memset(load, 0, HOLD_DIM * sizeof *load);
  for (int r = 0; r < count; r++)
    for (int i = 0; i < HOLD_DIM; i++) load[i] += rows[r].c[i / 6][i % 6] * lambda[r];
}

/* Twist in one coordinate of one body. */
static void nudge(fixture *f, int column, double h) {
  v3 linear[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, angular[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  const v3 unit = v3_make(column % 3 == 0, column % 3 == 1, column % 3 == 2);
  *(column % 6 < 3 ? &linear[column / 6] : &angular[column / 6]) = unit;
  move(f, linear, angular, h);
}

/* k = -d(D lambda)/dq by central differences, with a spring and a motor too. */
static void check_stiffness(scree_joint_kind kind, bool spring) {
  fixture f = begin();
  scree_joint_def d = def_of(&f, kind);
  if (spring) {
    d.coordinate[0].stiffness = 3.0;
    d.coordinate[0].motor = SCREE_MOTOR_SPEED;
  }
  for (int k = 0; k < 6 && kind == SCREE_JOINT_BUSHING; k++) d.stiffness[k] = k == 2 ? 0.0 : 1.0;
  if (scree_world_add_joint(f.world, &d, NULL)) fail_msg("%s", scree_context_message(f.context));
  const v3 away[3] = {vector(0.3), vector(0.3), vector(0.3)};
  move(&f, away, away, 1.0);
  double lambda[HOLD_ROWS], k[HOLD_DIM * HOLD_DIM], more[HOLD_DIM], less[HOLD_DIM];
  const world_bodies *b = &f.world->bodies;
  const pose at[3] = {world_pose(f.world, 0), world_pose(f.world, 1), world_pose(f.world, 2)};
  hold_row rows[HOLD_ROWS];
  assert_int_equal(hold_row_count(&f.world->joint[0]),
                   hold_rows(f.world, &f.world->joint[0], rows));
  for (int r = 0; r < HOLD_ROWS; r++) lambda[r] = uniform(-1.0, 1.0);
  hold_stiffness(f.world, &f.world->joint[0], lambda, k);
  const int columns = joint_classes[kind]->uses & JOINT_USES_C ? 18 : 12;
  for (int c = 0; c < columns; c++) {
    const double h = 1e-5;
    nudge(&f, c, h);
    load_of(&f, lambda, more);
    for (int i = 0; i < 3; i++) b->position[i] = at[i].position, b->rotation[i] = at[i].rotation;
    nudge(&f, c, -h);
    load_of(&f, lambda, less);
    for (int i = 0; i < 3; i++) b->position[i] = at[i].position, b->rotation[i] = at[i].rotation;
    for (int i = 0; i < columns; i++) {
      const double expected = (less[i] - more[i]) / (2.0 * h);
      if (!(fabs(k[HOLD_DIM * i + c] - expected) < 1e-5 * (1.0 + fabs(expected))))
        fail_msg("%s: entry %d, %d: %.12g is not %.12g", joint_classes[kind]->name, i, c,
                 k[HOLD_DIM * i + c], expected);
    }
  }
  end(&f);
}

static void test_stiffness(void **state) {
  (void)state;
  for (int kind = 0; kind < SCREE_JOINT_KIND_COUNT; kind++)
    for (int round = 0; round < 10; round++) {
      const joint_class *class = joint_classes[kind];
      const bool springs = class->coordinates > 0 && !class->limits_only && !class->pulls;
      check_stiffness((scree_joint_kind)kind, false);
      if (springs) check_stiffness((scree_joint_kind)kind, true);
    }
}

/* Angles over many turns, either way. */
static void test_turns(void **state) {
  (void)state;
  fixture f = begin();
  scree_joint_def d = def_of(&f, SCREE_JOINT_HINGE);
  d.body_a = (scree_body_id){0};
  d.coordinate[0].start = 1.0;
  scree_joint_id id;
  scree_joint_state s;
  assert_int_equal(scree_world_add_joint(f.world, &d, &id), SCREE_OK);
  const v3 axis = v3_normalize(v3_load(d.axis)), anchor = v3_load(d.anchor);
  const pose at = world_pose(f.world, 1);
  for (int k = -40; k <= 40; k++) {
    const quat turn = quat_exp(v3_scale(0.7 * abs(k), axis));
    f.world->bodies.rotation[1] = quat_mul(turn, at.rotation);
    f.world->bodies.position[1] = v3_add(anchor, quat_rotate(turn, v3_sub(at.position, anchor)));
    f.world->joint[0].angle[0] = 0.7 * abs(k) + uniform(-3.0, 3.0); /* estimated, roughly */
    assert_int_equal(scree_joint_get_state(f.world, id, &s), SCREE_OK);
    assert_true(fabs(s.position - 1.0 - 0.7 * abs(k)) < 1e-9);
    assert_true(s.error < 1e-12 && s.angle_error < 1e-12);
  }
  end(&f);
}

/* A closed spline through points of a circle is a circle to fourth order; an open one keeps a line;
 * values at knots are those given. */
static void test_curve(void **state) {
  (void)state;
  fixture f = begin();
  double points[3 * 32], value[3], slope[3], bend[3];
  for (int k = 0; k < 32; k++) {
    const double a = 2.0 * 3.14159265358979323846 * k / 32.0;
    v3_store(points + 3 * k, v3_make(cos(a), sin(a), 0.0));
  }
  const scree_curve_def circle = {points, 32, 3, true};
  scree_curve_id id;
  assert_int_equal(scree_world_add_curve(f.world, &circle, &id), SCREE_OK);
  const world_curve *c = &f.world->curve[0];
  const double length = c->knot[c->count - 1];
  for (int k = 0; k < 200; k++) {
    const double s = uniform(-2.0 * length, 3.0 * length);
    world_curve_at(c, s, value, slope, bend);
    assert_true(fabs(hypot(value[0], value[1]) - 1.0) < 2e-5);
    assert_true(fabs(value[0] * slope[0] + value[1] * slope[1]) < 1e-3);
    const double near =
        world_curve_nearest(c, v3_make(1.2 * value[0], 1.2 * value[1], 0.1), s + 0.1);
    assert_true(fabs(near - s) < 1e-3);
  }
  for (size_t k = 0; k < 32; k++) {
    world_curve_at(c, c->knot[k], value, slope, bend);
    assert_true(v3_norm(v3_sub(v3_load(value), v3_load(points + 3 * k))) < 1e-14);
  }
  const double line[] = {0, 0, 0, 1, 2, 3, 2, 4, 6, 5, 10, 15};
  const scree_curve_def straight = {line, 4, 3, false};
  assert_int_equal(scree_world_add_curve(f.world, &straight, &id), SCREE_OK);
  world_curve_at(&f.world->curve[1], 40.0, value, slope, bend);
  assert_true(fabs(value[1] - 2.0 * value[0]) < 1e-12 && fabs(value[2] - 3.0 * value[0]) < 1e-12);
  const double twice[] = {0, 0, 0, 0, 0, 0};
  const scree_curve_def none = {twice, 2, 3, false};
  assert_int_equal(scree_world_add_curve(f.world, &none, &id), SCREE_ERROR_INPUT);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_balance),
                                     cmocka_unit_test(test_stiffness), cmocka_unit_test(test_turns),
                                     cmocka_unit_test(test_curve)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
