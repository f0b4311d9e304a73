/* Chains of impacts within one step: a body that is hit moves on and hits others that it was too
 * far from to have a contact with when the step began. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

enum { MOST = 64 };

typedef struct row {
  scree_context *context;
  scree_world *world;
  scree_stepper *stepper;
  scree_body_id body[MOST];
  size_t count;
  double worst; /* percent of a diameter */
  int looks;
} row;

static void ok(const row *r, scree_status status) {
  if (status) fail_msg("%s", scree_context_message(r->context));
}

static row make(int threads, const double gravity[3]) {
  row r = {0};
  scree_context_def c = scree_context_def_default();
  scree_world_def w = scree_world_def_default();
  scree_stepper_def s = scree_stepper_def_default();
  c.threads = threads;
  memcpy(w.gravity, gravity, sizeof w.gravity);
  s.iteration_limit = 10000;
  s.tolerance_residual = 1e-6;
  r.context = scree_context_create(&c);
  ok(&r, scree_world_create(r.context, &w, &r.world));
  ok(&r, scree_stepper_create(r.world, &s, &r.stepper));
  return r;
}

static void drop(row *r) {
  scree_stepper_destroy(r->stepper);
  scree_world_destroy(r->world);
  assert_int_equal(scree_context_bytes(r->context), 0);
  scree_context_destroy(r->context);
}

static void add(row *r, scree_shape *shape, double x, double y, double z, double vx) {
  scree_body_def d = scree_body_def_default();
  d.shape = shape;
  d.mass = 1.0;
  d.position[0] = x;
  d.position[1] = y;
  d.position[2] = z;
  d.velocity[0] = vx;
  ok(r, scree_world_add_body(r->world, &d, &r->body[r->count++]));
}

static void steps(row *r, double h, int count) {
  scree_step_info info;
  for (int i = 0; i < count; i++) {
    ok(r, scree_stepper_step(r->stepper, h, &info));
    assert_true(info.converged);
    if (info.penetration_percent > r->worst) r->worst = info.penetration_percent;
    r->looks += info.looks;
  }
}

static scree_body_state state_of(const row *r, size_t k) {
  scree_body_state s;
  ok(r, scree_body_get_state(r->world, r->body[k], &s));
  return s;
}

static double place(const row *r, size_t k) {
  return state_of(r, k).position[0];
}

static double speed(const row *r, size_t k) {
  return state_of(r, k).velocity[0];
}

static const double no_gravity[3] = {0, 0, 0};

/* Balls of diameter 0.1 m, 0.03 m apart (a rest margin sees 0.01 m); the first comes at 10 m/s. */
static row cradle(int threads, size_t count) {
  row r = make(threads, no_gravity);
  scree_shape *ball;
  ok(&r, scree_shape_create_sphere(r.context, 0.05, &ball));
  for (size_t i = 0; i < count; i++) add(&r, ball, 0.13 * (double)i, 0, 0, i == 0 ? 10.0 : 0.0);
  scree_shape_destroy(ball);
  return r;
}

static void a_chain_of_balls_does_not_overlap(void **state) {
  (void)state;
  const double h[] = {0.005, 0.01, 0.02, 0.05};
  for (size_t k = 0; k < sizeof h / sizeof h[0]; k++) {
    row r = cradle(1, 10);
    steps(&r, h[k], (int)(0.6 / h[k]));
    assert_true(r.worst < 0.6);
    assert_true(r.looks > 0);
    double momentum = 0.0;
    for (size_t i = 0; i < r.count; i++) {
      momentum += speed(&r, i);
      assert_true(speed(&r, i) > -1e-6);
      if (i) assert_true(place(&r, i) - place(&r, i - 1) > 0.0994);
    }
    assert_true(fabs(momentum - 10.0) < 1e-6);
    drop(&r);
  }
}

/* Nothing is searched again, and no time spent, where nothing is hit: balls that fly as one. */
static void what_flies_together_is_left_alone(void **state) {
  (void)state;
  row r = make(1, no_gravity);
  scree_shape *ball;
  ok(&r, scree_shape_create_sphere(r.context, 0.05, &ball));
  for (size_t i = 0; i < 10; i++) add(&r, ball, 0.13 * (double)i, 0, 0, 10.0);
  scree_shape_destroy(ball);
  steps(&r, 0.01, 20);
  assert_int_equal(r.looks, 0);
  for (size_t i = 0; i < r.count; i++) assert_true(fabs(speed(&r, i) - 10.0) < 1e-12);
  drop(&r);
}

/* A ball at 60 m/s, 0.3 m a step, through rows of slabs 4 cm thick: the first lies in its way, the
 * others are hit by those before. It must pass through none. */
static void a_bullet_pushes_every_slab(void **state) {
  (void)state;
  row r = make(1, no_gravity);
  scree_shape *ball, *slab;
  const double half[3] = {0.02, 0.2, 0.2};
  ok(&r, scree_shape_create_sphere(r.context, 0.05, &ball));
  ok(&r, scree_shape_create_box(r.context, half, &slab));
  add(&r, ball, -0.2, 0, 0, 60.0);
  for (size_t i = 0; i < 5; i++) add(&r, slab, 0.1 * (double)i, 0, 0, 0.0);
  scree_shape_destroy(ball);
  scree_shape_destroy(slab);
  steps(&r, 0.005, 40);
  assert_true(r.looks > 0);
  assert_true(r.worst < 2.0);
  assert_true(place(&r, 1) - place(&r, 0) > 0.069);
  for (size_t i = 2; i < r.count; i++) assert_true(place(&r, i) - place(&r, i - 1) > 0.0395);
  drop(&r);
}

/* Heavy ball into a lattice of light ones: the same bits on any number of threads, and after a
 * checkpoint in the middle of it. */
static row lattice(int threads) {
  const double gravity[3] = {0, 0, -9.81};
  row r = make(threads, gravity);
  scree_shape *ball;
  ok(&r, scree_shape_create_sphere(r.context, 0.05, &ball));
  add(&r, ball, -0.3, 0.13, 0.13, 30.0);
  for (size_t i = 0; i < 48; i++)
    add(&r, ball, 0.13 * (double)(i / 9), 0.13 * (double)(i / 3 % 3) + 0.01 * (double)(i % 5),
        0.13 * (double)(i % 3), 0.0);
  scree_shape_destroy(ball);
  return r;
}

static void the_bits_are_the_same(void **state) {
  (void)state;
  uint64_t hash[2];
  for (int k = 0; k < 2; k++) {
    row r = lattice(1 + 2 * k);
    steps(&r, 0.005, 12);
    assert_true(r.looks > 0);
    assert_true(r.worst < 2.0);
    hash[k] = scree_world_hash(r.world);
    drop(&r);
  }
  assert_true(hash[0] == hash[1]);

  row first = lattice(1), second = lattice(2);
  steps(&first, 0.005, 4);
  const size_t size = scree_stepper_save_size(first.stepper);
  char *blob = malloc(size);
  ok(&first, scree_stepper_save(first.stepper, blob, size));
  ok(&second, scree_stepper_restore(second.stepper, blob, size));
  free(blob);
  steps(&second, 0.005, 8);
  assert_true(scree_world_hash(second.world) == hash[0]);
  drop(&first);
  drop(&second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_of_balls_does_not_overlap),
      cmocka_unit_test(what_flies_together_is_left_alone),
      cmocka_unit_test(a_bullet_pushes_every_slab),
      cmocka_unit_test(the_bits_are_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
