/* The stepper as a machine: the same bits for any number of threads and after a checkpoint, no
 * allocation in a steady step, and what it does when a solve does not converge. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/sanitized.h"

typedef struct pile {
  scree_context *context;
  scree_world *world;
  scree_stepper *stepper;
  scree_body_id first;
} pile;

static void ok(const pile *p, scree_status status) {
  if (status) fail_msg("%s", scree_context_message(p->context));
}

/* A few layers of balls, boxes and capsules dropped into a shaken box. */
static pile make(size_t count, int threads, const scree_stepper_def *def) {
  pile p = {0};
  scree_context_def c = scree_context_def_default();
  scree_shape *shape[3], *box;
  const double half[3] = {0.04, 0.05, 0.06}, wall[3] = {0.6, 0.6, 2.0};
  c.threads = threads;
  p.context = scree_context_create(&c);
  ok(&p, scree_world_create(p.context, NULL, &p.world));
  ok(&p, scree_shape_create_sphere(p.context, 0.05, &shape[0]));
  ok(&p, scree_shape_create_box(p.context, half, &shape[1]));
  ok(&p, scree_shape_create_capsule(p.context, 0.035, 0.03, &shape[2]));
  ok(&p, scree_shape_create_box_container(p.context, wall, SCREE_OPEN_TOP, &box));
  scree_motion_def m = scree_motion_def_default();
  scree_motion_id motion;
  m.kind = SCREE_MOTION_SINE;
  m.amplitude[0] = 0.01;
  m.frequency = 4.0;
  ok(&p, scree_world_add_motion(p.world, &m, &motion));
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_PRESCRIBED;
  d.shape = box;
  d.position[2] = 2.0;
  d.motion = motion;
  ok(&p, scree_world_add_body(p.world, &d, NULL));
  for (size_t i = 0; i < count; i++) {
    d = scree_body_def_default();
    d.shape = shape[i % 7 == 3 ? 1 : i % 7 == 5 ? 2 : 0];
    d.position[0] = -0.5 + 0.13 * (double)(i % 8) + 0.003 * (double)(i % 5);
    d.position[1] = -0.5 + 0.13 * (double)(i / 8 % 8) + 0.003 * (double)(i % 3);
    d.position[2] = 0.08 + 0.14 * (double)(i / 64);
    ok(&p, scree_world_add_body(p.world, &d, i == 0 ? &p.first : NULL));
  }
  for (int k = 0; k < 3; k++) scree_shape_destroy(shape[k]);
  scree_shape_destroy(box);
  ok(&p, scree_stepper_create(p.world, def, &p.stepper));
  return p;
}

static void drop(pile *p) {
  scree_stepper_destroy(p->stepper);
  scree_world_destroy(p->world);
  assert_int_equal(scree_context_bytes(p->context), 0);
  scree_context_destroy(p->context);
}

static void steps(pile *p, int count) {
  for (int i = 0; i < count; i++) ok(p, scree_stepper_step(p->stepper, 0.004, NULL));
}

static void threads_do_not_change_the_bits(void **state) {
  (void)state;
  uint64_t hash[3];
  scree_stepper_def def = scree_stepper_def_default();
  def.iteration_limit = 20;
  for (int k = 0; k < 3; k++) {
    pile p = make(2400, 1 << k, &def);
    steps(&p, SANITIZED ? 12 : 40);
    hash[k] = scree_world_hash(p.world);
    drop(&p);
  }
  assert_true(hash[0] == hash[1]);
  assert_true(hash[0] == hash[2]);
}

/* Where the rows of a contact begin is written with the contact before it, in a pass of many
 * threads over the contacts: none may ask there for what another one writes. Where friction comes
 * back all rows begin elsewhere than in the step before. */
static void threads_know_where_rows_begin(void **state) {
  (void)state;
  uint64_t hash[3];
  const scree_material_id all = {0};
  scree_stepper_def def = scree_stepper_def_default();
  def.iteration_limit = 20;
  for (int k = 0; k < 3; k++) {
    pile p = make(2400, 1 << k, &def);
    scree_material_def m = scree_material_def_default();
    const double mu = m.friction;
    steps(&p, 60);
    for (int times = 0; times < 4; times++) {
      m.friction = times % 2 ? mu : 0.0;
      ok(&p, scree_world_set_material(p.world, all, &m));
      steps(&p, 2);
    }
    hash[k] = scree_world_hash(p.world);
    drop(&p);
  }
  assert_true(hash[0] == hash[1]);
  assert_true(hash[0] == hash[2]);
}

static void *save(const pile *p, size_t *size) {
  *size = scree_stepper_save_size(p->stepper);
  void *blob = malloc(*size);
  ok(p, scree_stepper_save(p->stepper, blob, *size));
  return blob;
}

static void checkpoint_goes_on_with_the_same_bits(void **state) {
  (void)state;
  pile p = make(300, 1, NULL), q = make(300, 1, NULL);
  size_t size;
  steps(&p, 70);
  void *blob = save(&p, &size);
  steps(&p, 80);
  /* Into a world that never stepped; into one that has gone another way. */
  for (int k = 0; k < 2; k++) {
    ok(&q, scree_stepper_restore(q.stepper, blob, size));
    assert_int_equal(scree_stepper_step_count(q.stepper), 70);
    steps(&q, 80);
    assert_true(scree_world_hash(p.world) == scree_world_hash(q.world));
    ok(&q, scree_world_remove_body(q.world, q.first));
    steps(&q, 3);
  }
  free(blob);
  drop(&p);
  drop(&q);
}

/* Bodies that came and went between start and checkpoint are part of it. */
static void checkpoint_knows_later_bodies(void **state) {
  (void)state;
  pile p = make(64, 1, NULL), q = make(64, 1, NULL);
  size_t size;
  scree_body_info info;
  scree_body_def d = scree_body_def_default();
  steps(&p, 20);
  ok(&p, scree_world_remove_body(p.world, p.first));
  ok(&p, scree_body_get_info(p.world, scree_world_body_at(p.world, 5), &info));
  d.shape = info.shape;
  d.position[2] = 1.0;
  for (int k = 0; k < 3; k++) {
    d.position[0] = 0.2 * k;
    ok(&p, scree_world_add_body(p.world, &d, NULL));
  }
  steps(&p, 20);
  void *blob = save(&p, &size);
  steps(&p, 40);
  ok(&q, scree_stepper_restore(q.stepper, blob, size));
  assert_int_equal(scree_world_body_count(q.world), scree_world_body_count(p.world));
  steps(&q, 40);
  assert_true(scree_world_hash(p.world) == scree_world_hash(q.world));
  free(blob);
  drop(&p);
  drop(&q);
}

static void damaged_checkpoints_are_refused(void **state) {
  (void)state;
  pile p = make(30, 1, NULL);
  size_t size;
  steps(&p, 30);
  char *blob = save(&p, &size);
  const uint64_t hash = scree_world_hash(p.world);
  for (size_t k = 0; k < 200; k++) {
    const size_t at = k * 7919 % size;
    blob[at] ^= 0x20;
    assert_int_equal(scree_stepper_restore(p.stepper, blob, size), SCREE_ERROR_INPUT);
    blob[at] ^= 0x20;
    assert_int_equal(scree_stepper_restore(p.stepper, blob, at), SCREE_ERROR_INPUT);
  }
  assert_true(scree_world_hash(p.world) == hash);
  ok(&p, scree_stepper_restore(p.stepper, blob, size));
  free(blob);
  drop(&p);
}

static void steady_steps_allocate_nothing(void **state) {
  (void)state;
  const char *solvers[2] = {"gs", "apgd"};
  for (int k = 0; k < 2; k++) {
    scree_stepper_def def = scree_stepper_def_default();
    def.solver = solvers[k];
    pile p = make(100, 1, &def);
    const scree_body_id box = scree_world_body_at(p.world, 0);
    ok(&p, scree_body_set_motion(p.world, box, (scree_motion_id){0}));
    steps(&p, 400);
    const size_t before = scree_context_allocations(p.context);
    steps(&p, 20);
    assert_int_equal(scree_context_allocations(p.context), before);
    drop(&p);
  }
}

static void stop_leaves_the_world_alone(void **state) {
  (void)state;
  scree_stepper_def def = scree_stepper_def_default();
  scree_step_info info;
  def.iteration_limit = 1;
  def.tolerance_residual = 1e-9;
  def.on_nonconverged = SCREE_ON_NONCONVERGED_STOP;
  pile p = make(200, 1, &def);
  uint64_t hash;
  do {
    hash = scree_world_hash(p.world);
    ok(&p, scree_stepper_step(p.stepper, 0.004, &info));
  } while (info.advanced);
  assert_false(info.converged);
  assert_int_equal(info.outcome, SCREE_OUTCOME_ITERATION_LIMIT);
  assert_true(scree_world_hash(p.world) == hash);
  drop(&p);
}

static void retry_makes_it_converge(void **state) {
  (void)state;
  scree_stepper_def def = scree_stepper_def_default();
  scree_step_info info;
  def.solver = "apgd"; /* slow enough to need both */
  def.iteration_limit = 2;
  def.check_interval = 1;
  def.retry_solver = "apgd";
  def.retry_iteration_limit = 6;
  def.retry_halvings = 3;
  def.tolerance_residual = 1e-3;
  def.on_nonconverged = SCREE_ON_NONCONVERGED_RETRY;
  pile p = make(64, 1, &def);
  int again = 0, halves = 0;
  for (int i = 0; i < 120; i++) {
    ok(&p, scree_stepper_step(p.stepper, 0.004, &info));
    assert_true(info.advanced);
    if (info.converged) assert_true(info.residual <= 1e-3);
    assert_int_equal(info.retries > 0, info.solves > 1 + info.looks);
    again += info.solves > 1;
    halves += info.solves > 2;
  }
  assert_true(again > 0 && halves > 0);
  assert_true(fabs(scree_world_time(p.world) - 0.48) < 1e-12);
  drop(&p);
}

static int retries_with(double share) {
  scree_stepper_def def = scree_stepper_def_default();
  scree_step_info info;
  def.solver = def.retry_solver = "gs";
  def.iteration_limit = 3;
  def.retry_iteration_limit = 30;
  def.tolerance_residual = 1e-9;
  def.retry_share = share;
  pile p = make(64, 1, &def);
  int retries = 0;
  for (int i = 0; i < 150; i++) {
    ok(&p, scree_stepper_step(p.stepper, 0.004, &info));
    retries += info.retries;
  }
  drop(&p);
  return retries;
}

/* What retries in vain may take: 20 limits, and a part of what the first solves took. */
static void retries_take_their_share(void **state) {
  (void)state;
  const int none = retries_with(0.0), usual = retries_with(0.5), all = retries_with(1e9);
  assert_in_range(none, 1, 10);
  assert_true(usual > none);
  assert_true(all > 2 * usual);
  scree_stepper_def def = scree_stepper_def_default();
  def.retry_share = -1.0;
  pile p = make(1, 1, NULL);
  scree_stepper *stepper = NULL;
  assert_int_equal(scree_stepper_create(p.world, &def, &stepper), SCREE_ERROR_INPUT);
  drop(&p);
}

/* While the pile falls R may reach a fifth of its rms speed over g h; once it rests, no more than
 * the tolerance. Each step must have met what was asked of it, and the loose one must have been
 * used. */
static void moving_bodies_may_be_solved_less_well(void **state) {
  (void)state;
  const double h = 2e-3, rest = 1e-3, moving = 0.3;
  scree_stepper_def def = scree_stepper_def_default();
  def.solver = "gs";
  def.iteration_limit = 5000;
  def.tolerance_residual = rest;
  def.tolerance_moving = moving;
  pile p = make(130, 1, &def);
  double loosest = 0.0, mass = 0.0;
  for (uint32_t i = 0; i < 130; i++) {
    scree_body_info body;
    const scree_body_id id = {p.first.index + i, p.first.generation};
    ok(&p, scree_body_get_info(p.world, id, &body));
    mass += body.mass;
  }
  for (int k = 0; k < 150; k++) {
    scree_step_info info;
    const scree_energy before = scree_world_get_energy(p.world);
    ok(&p, scree_stepper_step(p.stepper, h, &info));
    const double speed = sqrt(2.0 * before.linear / mass);
    const double asked = fmin(fmax(rest, 0.2 * speed / (9.81 * h)), moving);
    assert_true(info.converged);
    assert_true(info.residual <= asked * (1.0 + 1e-9));
    loosest = fmax(loosest, info.residual);
  }
  assert_true(loosest > 10.0 * rest);
  drop(&p);
}

static void bad_steps_are_refused(void **state) {
  (void)state;
  pile p = make(5, 1, NULL);
  scree_stepper_def def = scree_stepper_def_default();
  scree_stepper *other;
  assert_int_equal(scree_stepper_step(p.stepper, 0.0, NULL), SCREE_ERROR_ARGUMENT);
  assert_int_equal(scree_stepper_step(p.stepper, NAN, NULL), SCREE_ERROR_ARGUMENT);
  def.stepper = "nonsmoth";
  assert_int_equal(scree_stepper_create(p.world, &def, &other), SCREE_ERROR_ARGUMENT);
  assert_non_null(strstr(scree_context_message(p.context), "did you mean 'nonsmooth'?"));
  def = scree_stepper_def_default();
  def.solver = "none";
  assert_int_equal(scree_stepper_create(p.world, &def, &other), SCREE_ERROR_ARGUMENT);
  def = scree_stepper_def_default();
  def.stabilisation = 0.0;
  assert_int_equal(scree_stepper_create(p.world, &def, &other), SCREE_ERROR_INPUT);
  /* A force without bound is found, and the world stays. */
  const double force[3] = {1e300, 0, 0}, none[3] = {0, 0, 0};
  ok(&p, scree_body_set_force(p.world, p.first, force, none));
  const uint64_t hash = scree_world_hash(p.world);
  assert_int_equal(scree_stepper_step(p.stepper, 0.004, NULL), SCREE_ERROR_NUMERIC);
  assert_true(scree_world_hash(p.world) == hash);
  drop(&p);
}

/* What the contacts say adds up: momentum given to a body is that of its contacts and gravity. */
static void contacts_carry_the_momentum(void **state) {
  (void)state;
  pile p = make(200, 1, NULL);
  steps(&p, 150);
  const scree_body_id body = scree_world_body_at(p.world, 70);
  scree_body_state at[3];
  scree_body_info info;
  double force[3], torque[3];
  for (int k = 0; k < 3; k++) {
    if (k) steps(&p, 1);
    ok(&p, scree_body_get_state(p.world, body, &at[k]));
  }
  ok(&p, scree_body_get_info(p.world, body, &info));
  ok(&p, scree_stepper_get_contact_force(p.stepper, body, force, torque));
  const double gravity[3] = {0, 0, -9.81};
  for (int k = 0; k < 3; k++) {
    /* Velocities of half steps are what positions say. */
    const double after = (at[2].position[k] - at[1].position[k]) / 0.004;
    const double before = (at[1].position[k] - at[0].position[k]) / 0.004;
    const double change = info.mass * (after - before) / 0.004;
    assert_true(fabs(change - force[k] - info.mass * gravity[k]) < 1e-6);
  }
  scree_contact *c = malloc(10000 * sizeof *c);
  const size_t n = scree_stepper_get_contacts(p.stepper, 10000, c);
  assert_true(n > 200 && n < 10000);
  double sum[3] = {0, 0, 0};
  for (size_t k = 0; k < n; k++)
    for (int j = 0; j < 3; j++) {
      if (c[k].body_b == body.index) sum[j] += c[k].impulse[j] / 0.004;
      if (c[k].body_a == body.index) sum[j] -= c[k].impulse[j] / 0.004;
    }
  for (int j = 0; j < 3; j++) assert_true(fabs(sum[j] - force[j]) < 1e-9);
  free(c);
  drop(&p);
}

/* A ball of 100 m/s into a block of others: each look finds pairs that the hits before made meet. A
 * step whose solves need many retries makes its looks all the same. */
static void retries_cost_no_looks(void **state) {
  (void)state;
  pile p = {0};
  p.context = scree_context_create(NULL);
  scree_world_def w = scree_world_def_default();
  memset(w.gravity, 0, sizeof w.gravity);
  ok(&p, scree_world_create(p.context, &w, &p.world));
  scree_shape *large, *small;
  ok(&p, scree_shape_create_sphere(p.context, 0.02, &large));
  ok(&p, scree_shape_create_sphere(p.context, 0.01, &small));
  scree_body_def d = scree_body_def_default();
  d.shape = large;
  d.position[0] = -0.2;
  d.velocity[0] = 100.0;
  ok(&p, scree_world_add_body(p.world, &d, NULL));
  for (int i = 0; i < 125; i++) {
    d = scree_body_def_default();
    d.shape = small;
    d.position[0] = 0.025 * (i / 25) + 1e-4 * (i * 7 % 11);
    d.position[1] = 0.025 * (i / 5 % 5 - 2) + 1e-4 * (i * 5 % 13);
    d.position[2] = 0.025 * (i % 5 - 2);
    ok(&p, scree_world_add_body(p.world, &d, NULL));
  }
  scree_shape_destroy(large);
  scree_shape_destroy(small);
  scree_stepper_def def = scree_stepper_def_default();
  def.tolerance_residual = 1e-9;
  def.iteration_limit = 2;
  def.retry_iteration_limit = 20000;
  def.retry_share = 1e9;
  ok(&p, scree_stepper_create(p.world, &def, &p.stepper));
  for (int k = 0; k < 3; k++) {
    scree_step_info info;
    ok(&p, scree_stepper_step(p.stepper, 0.005, &info));
    assert_true(info.converged);
    assert_int_equal(info.unresolved, 0);
    assert_true(info.penetration_percent < 1.0);
  }
  drop(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_do_not_change_the_bits),
      cmocka_unit_test(threads_know_where_rows_begin),
      cmocka_unit_test(checkpoint_goes_on_with_the_same_bits),
      cmocka_unit_test(checkpoint_knows_later_bodies),
      cmocka_unit_test(damaged_checkpoints_are_refused),
      cmocka_unit_test(steady_steps_allocate_nothing),
      cmocka_unit_test(stop_leaves_the_world_alone),
      cmocka_unit_test(retry_makes_it_converge),
      cmocka_unit_test(retries_take_their_share),
      cmocka_unit_test(retries_cost_no_looks),
      cmocka_unit_test(moving_bodies_may_be_solved_less_well),
      cmocka_unit_test(bad_steps_are_refused),
      cmocka_unit_test(contacts_carry_the_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
