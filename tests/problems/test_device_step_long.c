/* One step of 100,000 spheres on the device of the tests (OpenCL on the processor) beside the host:
 * a tilted bed of ten layers that touch, each sphere with a push of its own, from no impulses. By
 * sweeps, which go in another order on the device, both converge by their own judgement, and all
 * velocities agree to the tolerance, which errors of ten layers add up to. Gradient steps have no
 * order: after the same number velocities agree to rounding. Skipped where there is no device. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/sanitized.h"

enum { ACROSS = SANITIZED ? 20 : 100, LAYERS = 10, SPHERES = ACROSS * ACROSS * LAYERS };
static const double radius = 0.05, h = 0.005, earth = 9.81, tilt = 0.3, asked = 1e-3;

typedef struct bed {
  scree_context *context;
  scree_world *world;
  scree_body_id *ball;
} bed;

static void ok(const bed *b, scree_status status) {
  if (status) fail_msg("%s", scree_context_message(b->context));
}

static bool is_there(scree_context *context) {
  size_t count = 0;
  scree_device_info info;
  return !scree_device_list(context, 1, &info, &count) && count;
}

/* Spheres of two masses in turns, each with a push of its own: no two parts of the bed are alike.
 */
static void fill(bed *b) {
  scree_shape *ball, *floor;
  uint64_t seed = 5;
  ok(b, scree_shape_create_sphere(b->context, radius, &ball));
  ok(b, scree_shape_create_half_space(b->context, &floor));
  scree_body_def ground = scree_body_def_default();
  ground.kind = SCREE_BODY_FIXED;
  ground.shape = floor;
  ok(b, scree_world_add_body(b->world, &ground, NULL));
  for (size_t i = 0; i < SPHERES; i++) {
    scree_body_def d = scree_body_def_default();
    d.shape = ball;
    d.mass = i % 3 ? 1.0 : 2.0;
    d.position[0] = 2.0 * radius * (double)(i % ACROSS);
    d.position[1] = 2.0 * radius * (double)(i / ACROSS % ACROSS);
    d.position[2] = radius * (2.0 * (double)(i / (ACROSS * ACROSS)) + 1.0);
    for (int k = 0; k < 3; k++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      d.velocity[k] = 0.02 * ((double)(seed >> 11) / 9007199254740992.0 - 0.5);
    }
    ok(b, scree_world_add_body(b->world, &d, &b->ball[i]));
  }
  scree_shape_destroy(ball);
  scree_shape_destroy(floor);
}

/* `steps`: of the solver, at most. */
static scree_step_info make_step(bed *b, const char *solver, int steps) {
  scree_world_def def = scree_world_def_default();
  scree_stepper_def how = scree_stepper_def_default();
  scree_stepper *stepper;
  scree_step_info info;
  b->ball = malloc(SPHERES * sizeof *b->ball);
  def.gravity[0] = earth * sin(tilt);
  def.gravity[1] = 0.0;
  def.gravity[2] = -earth * cos(tilt);
  ok(b, scree_world_create(b->context, &def, &b->world));
  fill(b);
  how.solver = solver;
  how.tolerance_residual = asked;
  how.model = SCREE_MODEL_RELAXED;
  how.iteration_limit = steps;
  how.on_nonconverged = SCREE_ON_NONCONVERGED_CONTINUE;
  ok(b, scree_stepper_create(b->world, &how, &stepper));
  ok(b, scree_stepper_step(stepper, h, &info));
  scree_stepper_destroy(stepper);
  return info;
}

static void drop(bed *b) {
  scree_world_destroy(b->world);
  free(b->ball);
  ok(b, scree_context_set_device(b->context, NULL, 0));
  assert_int_equal(scree_context_bytes(b->context), 0);
  scree_context_destroy(b->context);
}

/* The largest difference of two velocities, m/s. */
static double apart(const bed *here, const bed *there, bool *same) {
  double worst = 0.0;
  *same = true;
  for (size_t i = 0; i < SPHERES; i++) {
    scree_body_state a, b;
    ok(here, scree_body_get_state(here->world, here->ball[i], &a));
    ok(there, scree_body_get_state(there->world, there->ball[i], &b));
    for (int k = 0; k < 3; k++) {
      worst = fmax(worst, fabs(a.velocity[k] - b.velocity[k]));
      worst = fmax(worst, radius * fabs(a.angular[k] - b.angular[k]));
    }
    *same = *same && memcmp(a.velocity, b.velocity, sizeof a.velocity) == 0;
  }
  return worst;
}

static void compare(const char *solver, int steps, bool solved, double most) {
  bed here = {.context = scree_context_create(NULL)},
      there = {.context = scree_context_create(NULL)};
  if (!is_there(there.context)) {
    scree_context_destroy(here.context);
    scree_context_destroy(there.context);
    skip();
  }
  ok(&there, scree_context_set_device(there.context, "any", 1000));
  const scree_step_info host = make_step(&here, solver, steps);
  const scree_step_info device = make_step(&there, solver, steps);
  bool same;
  const double worst = apart(&here, &there, &same);
  print_message("%ld and %ld steps of the solver, R %.2g and %.2g, at most %.2g m/s apart\n",
                (long)host.iterations, (long)device.iterations, host.residual, device.residual,
                worst);
  assert_true(host.contacts > 2 * SPHERES && device.contacts == host.contacts);
  assert_true(host.converged == solved && device.converged == solved);
  assert_true(worst < most);
  assert_false(same); /* it was the device that worked: its sums go in another order */
  drop(&here);
  drop(&there);
}

static void test_sweeps(void **state) {
  (void)state;
  compare("ags", 3000, true, LAYERS * asked * earth * h);
}

static void test_gradient_steps(void **state) {
  (void)state;
  compare("apgd", 60, false, 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sweeps),
                                     cmocka_unit_test(test_gradient_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
