/* What `auto` chooses, by its own account, where a choice once cost a factor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/solve_packing.h"

static scree_solve_info solve(scree_context *context, const packing_def *def,
                              const scree_solve_settings *settings) {
  scree_ccp *problem = packing_make(context, def);
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  const scree_solve_info info = packing_solve(context, problem, "auto", NULL, 0, settings, g);
  free(g);
  scree_ccp_destroy(problem);
  return info;
}

/* A step of some grains, loose: sweeps with extrapolation, a tenth of what Newton steps take. */
static void test_some_grains(void **state) {
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 3;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = 1e-3;
  settings.warm_start = true;
  const scree_solve_info info = solve(*state, &def, &settings);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  assert_non_null(strstr(info.detail, "ags"));
}

/* Hundreds of contacts of spheres with moments, relaxed: they are packed, and sweeps with
 * extrapolation end them before the interior point method would. */
static void test_moments(void **state) {
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 5;
  def.mu = 0.8;
  def.rolling = 0.01;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = 1e-8;
  const scree_solve_info info = solve(*state, &def, &settings);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  assert_non_null(strstr(info.detail, "ags"));
  assert_true(info.iterations < 6000);
}

/* A top layer 1e6 times as heavy, relaxed, loose: sweeps with extrapolation alone did not end. */
static void test_heavy_top(void **state) {
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 5;
  def.mu = 0.5;
  def.masses = PACKING_TOP_HEAVY;
  def.mass_ratio = 1e6;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = 1e-4;
  settings.iteration_limit = 30000;
  const scree_solve_info info = solve(*state, &def, &settings);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
}

/* An easy packing with exact friction: sweeps with extrapolation end it. */
static void test_easy_exact(void **state) {
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 6;
  def.mu = 0.3;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.tolerance_error = 1e-8;
  const scree_solve_info info = solve(*state, &def, &settings);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  assert_non_null(strstr(info.detail, "ags"));
}

static int setup(void **state) {
  *state = scree_context_create(NULL);
  return *state ? 0 : -1;
}

static int teardown(void **state) {
  scree_context_destroy(*state);
  return 0;
}

/* Newton steps of many contacts cost as much as hundreds of sweeps each, and are counted as such: a
 * hard step ends at its limit of work, not at one of iterations that it never reaches. */
static void test_work_limit(void **state) {
  packing_def def = packing_def_default();
  def.nx = def.ny = 6;
  def.nz = 7;
  def.mu = 2.0;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = 2e-5; /* loose, as a step's */
  settings.warm_start = true;
  settings.work_limit = 8000.0;
  const scree_solve_info exact = solve(*state, &def, &settings);
  assert_int_equal(exact.outcome, SCREE_OUTCOME_ITERATION_LIMIT);
  assert_string_equal(exact.method, "prox");
  assert_true(exact.iterations < 4000); /* sweeps, then Newton steps */
  assert_true(exact.work >= 8000.0 && exact.work < 8300.0);
  settings.model = SCREE_MODEL_RELAXED;
  settings.work_limit = 0.0;
  def.mu = 0.3;
  const scree_solve_info relaxed = solve(*state, &def, &settings);
  assert_int_equal(relaxed.outcome, SCREE_OUTCOME_SOLVED);
  assert_true(relaxed.work == (double)relaxed.iterations);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_some_grains), cmocka_unit_test(test_moments),
      cmocka_unit_test(test_heavy_top),   cmocka_unit_test(test_easy_exact),
      cmocka_unit_test(test_work_limit),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
