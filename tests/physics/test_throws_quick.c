/* Nothing passes through a thin thing, whatever its shape and however it spins: an off-centre hit
 * makes a grain of rice turn by radians in a step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/throws.h"

/* Runs, and fails the test when something got through, or overlaps deeper. With SCREE_SHOW_THROWS
 * in the environment it prints a line instead. */
static void throw_check(const throw_def *def, double most_percent) {
  const throw_result r = throw_run(def);
  const char *on = def->target == THROW_AT_EACH_OTHER ? throw_shape_name(def->partner)
                                                      : throw_target_name(def->target);
  const bool good = r.through == 0 && r.penetration_percent <= most_percent && !r.unresolved;
  if (!good || getenv("SCREE_SHOW_THROWS"))
    print_message("%s at %s, seed %u: %d of %d through, overlap %.2f%%, fastest %.2f, %ld of %ld "
                  "steps not converged, %ld parts, %ld unresolved\n",
                  throw_shape_name(def->shape), on, def->seed, r.through, def->count,
                  r.penetration_percent, r.fastest, r.nonconverged, r.steps, r.parts, r.unresolved);
  if (!getenv("SCREE_SHOW_THROWS")) assert_true(good);
}

/* Meshes run deeper, where a step with many points does not converge. */
static double most_percent(const throw_def *def) {
  const bool met = def->target == THROW_AT_EACH_OTHER && def->partner == THROW_MESH;
  if (def->shape != THROW_MESH && !met) return 10.0;
  return 20.0;
}

static void at_five_metres_a_second(void **state) {
  (void)state;
  for (int shape = 0; shape < THROW_SHAPES; shape++)
    for (int target = 0; target < THROW_AT_EACH_OTHER; target++) {
      const throw_def def = {.shape = shape,
                             .target = target,
                             .count = 16,
                             .least_speed = 5.0,
                             .most_speed = 5.0,
                             .friction = 0.5,
                             .h = 0.005,
                             .seconds = 0.03};
      throw_check(&def, most_percent(&def));
    }
}

static void at_any_speed(void **state) {
  (void)state;
  for (int shape = 0; shape < THROW_SHAPES; shape++)
    for (int target = 0; target < THROW_AT_EACH_OTHER; target++) {
      const throw_def def = {.shape = shape,
                             .target = target,
                             .count = 6,
                             .least_speed = 1.0,
                             .most_speed = 500.0,
                             .most_spin = 1000.0,
                             .friction = 0.5,
                             .h = 0.005,
                             .seconds = 0.03};
      throw_check(&def, most_percent(&def));
    }
}

static void at_each_other(void **state) {
  (void)state;
  for (int shape = 0; shape < THROW_SHAPES; shape++)
    for (int partner = 0; partner < THROW_SHAPES; partner++) {
      const throw_def def = {.shape = shape,
                             .partner = partner,
                             .target = THROW_AT_EACH_OTHER,
                             .count = 2,
                             .least_speed = 1.0,
                             .most_speed = 500.0,
                             .most_spin = 1000.0,
                             .friction = 0.5,
                             .h = 0.005,
                             .seconds = 0.015};
      throw_check(&def, most_percent(&def));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(at_five_metres_a_second),
                                     cmocka_unit_test(at_any_speed),
                                     cmocka_unit_test(at_each_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
