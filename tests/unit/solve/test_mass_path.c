/* Exact friction under a layer a million times as heavy: what masses the way is taken for, and a
 * packing that auto solves by it and by nothing else. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/timer.h"
#include "ccp/operator.h"
#include "solve/newton/mass_path.h"
#include "tests/support/packing.h"

static scree_ccp *top_heavy(scree_context *context, int nx, int nz, double ratio, uint64_t seed) {
  packing_def def = packing_def_default();
  scree_ccp *problem = NULL;
  def.nx = def.ny = nx;
  def.nz = nz;
  def.mu = 0.8;
  def.masses = PACKING_TOP_HEAVY;
  def.mass_ratio = ratio;
  def.seed = seed;
  assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
  return problem;
}

static void test_takes(void **state) {
  (void)state;
  static const double ratio[] = {1.0, 10.0, 100.0, 1e6};
  scree_context *context = scree_context_create(NULL);
  for (size_t k = 0; k < sizeof ratio / sizeof ratio[0]; k++) {
    scree_ccp *problem = top_heavy(context, 2, 2, ratio[k], 1);
    ccp_operator *op = NULL;
    assert_int_equal(op_create(context, problem, &op), SCREE_OK);
    assert_int_equal(mass_path_takes(op, SCREE_MODEL_COULOMB, 30.0), ratio[k] > 30.0);
    assert_false(mass_path_takes(op, SCREE_MODEL_RELAXED, 30.0));
    op_destroy(op);
    scree_ccp_destroy(problem);
  }
  scree_context_destroy(context);
}

static void test_solved(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_context_set_threads(context, 1);
  scree_ccp *problem = top_heavy(context, 6, 7, 1e6, 3);
  scree_solver *solver = NULL;
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  scree_solve_settings settings = scree_solve_settings_default();
  scree_solve_info info;
  scree_residual residual;
  settings.model = SCREE_MODEL_COULOMB;
  settings.tolerance_error = 1e-8;
  settings.tolerance_residual = 1e-6;
  settings.time_limit = 300.0;
  assert_int_equal(scree_solver_create(context, "auto", &solver), SCREE_OK);
  assert_int_equal(scree_solver_solve(solver, problem, &settings, g, &info), SCREE_OK);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  assert_non_null(strstr(info.detail, "masses grew apart"));
  /* Judged anew, with the masses of the problem itself. */
  assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_COULOMB, g, &residual),
                   SCREE_OK);
  assert_true(residual.error <= 1e-8 && residual.scaled <= 1e-6);
  free(g);
  scree_solver_destroy(solver);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

/* A limit of iterations holds for all problems of the way together. */
static void test_limit(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_context_set_threads(context, 1);
  scree_ccp *problem = top_heavy(context, 6, 7, 1e6, 3);
  scree_solver *solver = NULL;
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  scree_solve_settings settings = scree_solve_settings_default();
  scree_solve_info info;
  settings.model = SCREE_MODEL_COULOMB;
  settings.tolerance_error = 1e-8;
  settings.tolerance_residual = 1e-6;
  settings.iteration_limit = 12000;
  assert_int_equal(scree_solver_create(context, "auto", &solver), SCREE_OK);
  assert_int_equal(scree_solver_solve(solver, problem, &settings, g, &info), SCREE_OK);
  assert_int_equal(info.outcome, SCREE_OUTCOME_ITERATION_LIMIT);
  assert_true(info.iterations <= 12100);
  free(g);
  scree_solver_destroy(solver);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

int main(void) {
  timer_use(TIMER_CPU); /* limits of time are the same on a busy machine */
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_takes), cmocka_unit_test(test_solved),
                                     cmocka_unit_test(test_limit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
