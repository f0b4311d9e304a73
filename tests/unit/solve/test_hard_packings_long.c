/* The large packing with friction 0.8 that other methods leave unsolved: 10,955 contacts, exact
 * Coulomb to R = 1e-6 by auto, judged by Coulomb's law itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/coulomb.h"
#include "tests/support/packing.h"

static void test_large(void **state) {
  (void)state;
  scree_context_def context_def = scree_context_def_default();
  scree_context *context = scree_context_create(&context_def);
  packing_def def = packing_def_default();
  scree_ccp *problem = NULL;
  scree_solver *solver = NULL;
  scree_solve_info info;
  def.nx = def.ny = 13; /* as `scree generate packing --spheres 2000` has it */
  def.nz = 12;
  def.mu = 0.8;
  assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_COULOMB;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = 1e-6;
  settings.time_limit = 0.0;
  assert_int_equal(scree_solver_create(context, "auto", &solver), SCREE_OK);
  assert_int_equal(scree_solver_solve(solver, problem, &settings, g, &info), SCREE_OK);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  assert_true(coulomb_violation(context, problem, g, 500.0) < 1e-5 * 0.0981);
  free(g);
  scree_solver_destroy(solver);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_large)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
