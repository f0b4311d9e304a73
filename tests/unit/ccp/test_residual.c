/* The common residual where floating point could make it lie. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scree/scree.h"

/* Two walls close in at 1 m/s each on a body between them: u = (g0 - g1 - 1, g1 - g0 - 1) whatever
 * the impulses, and no impulse solves it. */
static void huge_impulses_do_not_hide_an_approach(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  const scree_set sets[2] = {scree_set_ray(), scree_set_ray()};
  const size_t start[3] = {0, 2, 4};
  const uint32_t index[4] = {0, 1, 0, 1};
  const double value[4] = {1, -1, -1, 1}, q[2] = {-1, -1};
  const scree_csc w = {.rows = 2, .columns = 2, .start = start, .index = index, .value = value};
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_local(context, 2, sets, &w, q, NULL, &problem), SCREE_OK);
  for (double size = 1.0; size < 1e40; size *= 10.0) {
    const double g[2] = {size, size};
    scree_residual r;
    assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_RELAXED, g, &r), SCREE_OK);
    assert_true(r.scaled >= 0.99);
    assert_true(r.penetration_speed >= 0.99);
  }
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

/* A contact that closes and slips by no more than rounding: with friction beyond all measure the
 * shift mu |u_T| makes up for the approach, and no impulse looks right to the natural map. */
static void huge_friction_does_not_hide_an_approach(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  const size_t start[4] = {0, 1, 2, 3};
  const uint32_t index[3] = {0, 1, 2};
  const double value[3] = {1, 1, 1}, g[3] = {0, 0, 0};
  const scree_csc w = {.rows = 3, .columns = 3, .start = start, .index = index, .value = value};
  for (double mu = 10.0; mu < 1e30; mu *= 10.0) {
    const scree_set set = scree_set_coulomb(3, mu);
    const double q[3] = {-0.098, 0.2 / mu, 0.0};
    scree_ccp *problem = NULL;
    scree_residual r;
    assert_int_equal(scree_ccp_create_local(context, 1, &set, &w, q, NULL, &problem), SCREE_OK);
    assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_COULOMB, g, &r), SCREE_OK);
    assert_true(r.scaled >= 0.099 * 0.098 / r.reference_speed);
    assert_true(r.penetration_speed == 0.098);
    scree_ccp_destroy(problem);
  }
  scree_context_destroy(context);
}

/* Rows of one element, with compliances apart by 1e9, and the impulses that answer them: what eta
 * of the softest row and the impulse of the stiffest make of rounding is not a residual. */
static void free_rows_are_judged_by_their_velocity(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  const scree_set set = scree_set_free(2);
  const size_t start[3] = {0, 1, 2};
  const uint32_t index[2] = {0, 1};
  const double value[2] = {256.0, 1e11}, q[2] = {0.05, 1e-5};
  const scree_csc w = {.rows = 2, .columns = 2, .start = start, .index = index, .value = value};
  scree_ccp *problem = NULL;
  scree_residual r;
  assert_int_equal(scree_ccp_create_local(context, 1, &set, &w, q, NULL, &problem), SCREE_OK);
  double g[2] = {-q[0] / value[0], -q[1] / value[1]};
  assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_COULOMB, g, &r), SCREE_OK);
  assert_true(r.scaled < 1e-14);
  g[0] += 1e-8; /* u = (2.56e-6, 0) */
  assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_COULOMB, g, &r), SCREE_OK);
  assert_true(fabs(r.scaled * r.reference_speed - 2.56e-6) < 1e-12);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(huge_impulses_do_not_hide_an_approach),
      cmocka_unit_test(huge_friction_does_not_hide_an_approach),
      cmocka_unit_test(free_rows_are_judged_by_their_velocity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
