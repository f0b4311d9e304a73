/* One body that spins by radians a step and meets a rough floor in 4 to 12 points: few contacts,
 * stiffly coupled, with exact friction up to mu 3. Normals lean by 0.15 rad at most, so that
 * lifting the body straight up lies inside all dual cones: every problem has a solution, and `auto`
 * finds it within the iterations of a step that is made again. (Newton steps and sweeps alone leave
 * 20 of the 3,000, all with mu 3.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/one_context.h"

enum { MOST_CONTACTS = 12, PROBLEMS = 1000, ITERATIONS = 3000 };
static const double size = 0.004, two_pi = 6.283185307179586; /* m */

static double even(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

static scree_ccp_body_def any_body(uint64_t *r) {
  scree_ccp_body_def b = {.inverse_mass = 1e4};
  const double inertia = b.inverse_mass / (0.25 * size * size * (0.4 + even(r)));
  b.inverse_inertia[0] = inertia;
  b.inverse_inertia[3] = inertia * (1.0 + 5.0 * even(r));
  b.inverse_inertia[5] = inertia * (1.0 + even(r));
  for (int k = 0; k < 3; k++) {
    b.v_free[k] = 10.0 * (even(r) - 0.5);
    b.v_free[3 + k] = 2000.0 * (even(r) - 0.5);
  }
  b.v_free[2] = -5.0 * fabs(b.v_free[2]);
  return b;
}

static scree_ccp_contact_def any_contact(uint64_t *r, uint32_t body, double mu) {
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  c.body_a = SCREE_CCP_WORLD;
  c.body_b = body;
  c.set = scree_set_coulomb(3, mu);
  const double lean = even(r) < 0.5 ? 0.0 : 0.3 * (even(r) - 0.5);
  const double side = two_pi * even(r), angle = two_pi * even(r);
  const double away = size * even(r);
  c.normal[0] = sin(lean) * cos(side);
  c.normal[1] = sin(lean) * sin(side);
  c.normal[2] = cos(lean);
  c.arm_b[0] = away * cos(angle);
  c.arm_b[1] = away * sin(angle);
  c.arm_b[2] = size * (even(r) - 0.5);
  c.offset[0] = even(r) < 0.3 ? 0.0 : 4.0 * even(r);
  c.offset[1] = 5.0 * (even(r) - 0.5);
  c.offset[2] = 5.0 * (even(r) - 0.5);
  return c;
}

static bool solves(double mu, uint64_t seed) {
  uint64_t r = 0x9e3779b97f4a7c15u * (seed + 1u);
  scree_ccp *problem = NULL;
  scree_solver *solver = NULL;
  uint32_t body;
  const scree_ccp_body_def b = any_body(&r);
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  assert_int_equal(scree_ccp_add_body(problem, &b, &body), SCREE_OK);
  const int count = 4 + (int)((MOST_CONTACTS - 3) * even(&r));
  for (int k = 0; k < count; k++) {
    const scree_ccp_contact_def c = any_contact(&r, body, mu);
    assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
  }
  scree_ccp_set_reference_speed(problem, 0.05);
  assert_int_equal(scree_solver_create(context, "auto", &solver), SCREE_OK);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_COULOMB;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = 1e-3;
  settings.warm_start = true;
  settings.iteration_limit = ITERATIONS;
  double g[3 * MOST_CONTACTS] = {0.0};
  scree_solve_info info;
  assert_int_equal(scree_solver_solve(solver, problem, &settings, g, &info), SCREE_OK);
  scree_solver_destroy(solver);
  scree_ccp_destroy(problem);
  if (info.outcome != SCREE_OUTCOME_SOLVED)
    print_message("mu %g, seed %u: R %.1e\n", mu, (unsigned)seed, info.residual.scaled);
  return info.outcome == SCREE_OUTCOME_SOLVED;
}

static void test_all_are_solved(void **state) {
  (void)state;
  static const double mu[] = {0.5, 1.2, 3.0};
  int missed = 0;
  for (int m = 0; m < 3; m++)
    for (uint64_t seed = 1; seed <= PROBLEMS; seed++) missed += !solves(mu[m], seed);
  assert_int_equal(missed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_are_solved)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
