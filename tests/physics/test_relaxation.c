/* The relaxed scheme tends to the exact one with the step, at order 1, while velocities are
 * continuous; at a launch it does not, and the height it leaps to has a closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/relaxation.h"

static void schemes_meet_as_the_step_shrinks(void **state) {
  (void)state;
  enum { HALVINGS = 8 };
  const double frictions[2] = {0.3, 0.75};
  scree_context *context = scree_context_create(NULL);
  for (int m = 0; m < 2; m++) {
    double error[HALVINGS];
    for (int k = 0; k < HALVINGS; k++) {
      size_t unsolved;
      assert_int_equal(relaxation_error(context, frictions[m], k, &error[k], &unsolved), SCREE_OK);
      assert_int_equal(unsolved, 0);
      if (k > 0) assert_true(error[k] < error[k - 1] / 1.5);
    }
    const double order = log2(error[HALVINGS - 3] / error[HALVINGS - 1]) / 2.0;
    if (!(fabs(order - 1.0) < 0.05)) fail_msg("mu %g: order %g", frictions[m], order);
    assert_true(error[HALVINGS - 1] < 0.004);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* One impulse p against mass 1: p along n and mu p against the slip u0, which the ball's inertia
 * makes 7/2 times as effective. p = u_n = mu (u0 - 7/2 mu p), so p = mu u0 / (1 + 7/2 mu^2). */
static void relaxed_launch_leaps_at_any_step(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  const double mu = 0.3, u0 = 3.0, leap = mu * u0 / (1.0 + 3.5 * mu * mu);
  const double height = leap * leap / (2.0 * 9.81);
  for (int k = 0; k < 4; k++) {
    const double h = ldexp(0.002, -k);
    double lift;
    assert_int_equal(relaxation_launch(context, mu, u0, h, &lift), SCREE_OK);
    assert_true(fabs(lift - height) < 2.0 * h * leap);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(schemes_meet_as_the_step_shrinks),
      cmocka_unit_test(relaxed_launch_leaps_at_any_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
