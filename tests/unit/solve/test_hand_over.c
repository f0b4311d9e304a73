/* A first-order method that stalls hands over: a column of light balls under a heavy one, where
 * sweeps gain a part of 10^-6 each. Forces are known: each contact bears what is above it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

enum { BALLS = 6 };
static const double heavy = 1e6, radius = 0.1, speed = 0.01; /* speed: g h */

static scree_ccp *column(scree_context *context) {
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  uint32_t below = SCREE_CCP_WORLD;
  for (int i = 0; i < BALLS; i++) {
    const double mass = i == BALLS - 1 ? heavy : 1.0, spin = 1.0 / (0.4 * mass * radius * radius);
    const scree_ccp_body_def body = {.inverse_mass = 1.0 / mass,
                                     .inverse_inertia = {spin, 0, 0, spin, 0, spin},
                                     .v_free = {0, 0, -speed, 0, 0, 0}};
    uint32_t index;
    assert_int_equal(scree_ccp_add_body(problem, &body, &index), SCREE_OK);
    scree_ccp_contact_def c = scree_ccp_contact_def_default();
    c.body_a = below;
    c.body_b = index;
    c.normal[2] = 1.0;
    c.arm_a[2] = radius;
    c.arm_b[2] = -radius;
    c.set = scree_set_coulomb(3, 0.3);
    assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
    below = index;
  }
  return problem;
}

static scree_solve_info solve(scree_context *context, const char *name, bool alone, long limit,
                              const scree_ccp *problem, double *g) {
  scree_solver *solver;
  scree_solve_info info;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.tolerance_error = 1e-12;
  settings.tolerance_residual = 1e-9;
  settings.time_limit = 0.0;
  settings.iteration_limit = limit;
  settings.alone = alone;
  assert_int_equal(scree_solver_create(context, name, &solver), SCREE_OK);
  for (int again = 0; again < 2; again++) /* what is kept from the first solve changes nothing */
    assert_int_equal(scree_solver_solve(solver, problem, &settings, g, &info), SCREE_OK);
  scree_solver_destroy(solver);
  return info;
}

static void test_goes_on(void **state) {
  (void)state;
  static const char *const names[] = {"jacobi", "gs", "sor", "nsgs", "fpp"};
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = column(context);
  double g[3 * BALLS];
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    scree_solve_info info = solve(context, names[k], true, 0, problem, g);
    if (info.outcome != SCREE_OUTCOME_STALLED)
      fail_msg("%s: %s, %ld iterations, %s", names[k], scree_outcome_text(info.outcome),
               info.iterations, info.detail);
    assert_string_equal(info.method, names[k]);
    assert_non_null(strstr(info.detail, "take auto"));
    const double worst = info.residual.scaled;
    info = solve(context, names[k], false, 0, problem, g);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    assert_string_not_equal(info.method, names[k]); /* it says who has found it */
    assert_non_null(strstr(info.detail, names[k]));
    assert_non_null(strstr(info.detail, "auto went on"));
    assert_true(info.residual.scaled < worst);
    for (int i = 0; i < BALLS; i++)
      if (!(fabs(g[3 * i] / (speed * (heavy + BALLS - 1 - i)) - 1.0) < 1e-8))
        fail_msg("%s: contact %d bears %.17g", names[k], i, g[3 * i]);
    /* The caller's limit counts: nobody goes on beyond it. */
    info = solve(context, names[k], false, 1500, problem, g);
    assert_int_equal(info.outcome, SCREE_OUTCOME_ITERATION_LIMIT);
    assert_string_equal(info.method, names[k]);
    assert_int_equal(info.iterations, 1500);
  }
  scree_ccp_destroy(problem);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_goes_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
