/* Hyperstatic packings with friction 0.8, exact Coulomb: where sweeps may run in cycles and the
 * active set of Newton steps churns. Judged by Coulomb's law itself, and relaxed by the interior
 * point method. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/timer.h"
#include "scree/scree.h"
#include "tests/support/coulomb.h"
#include "tests/support/sanitized.h"
#include "tests/support/solve_packing.h"

static const double tolerance = 1e-8, reference = 0.0981; /* m/s: gravity times the step */
static const double mass_scale = 500.0;                   /* kg: about a sphere's mass */

static scree_ccp *packing(scree_context *context, int edge, double mu, uint64_t seed) {
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = edge;
  def.mu = mu;
  def.seed = seed;
  return packing_make(context, &def);
}

static scree_solve_settings exactly(scree_model model) {
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = model;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = tolerance;
  settings.time_limit = 0.0;
  return settings;
}

static scree_solve_info solve(scree_context *context, const scree_ccp *problem, const char *name,
                              scree_model model, bool local, double *g) {
  static const solver_option options[] = {{"failures", "0"}, {"starts", "0"}};
  const scree_solve_settings settings = exactly(model);
  return packing_solve(context, problem, name, options, local ? 2 : 0, &settings, g);
}

static void test_exact(void **state) {
  scree_context *context = *state;
  for (uint64_t seed = 1; seed <= (SANITIZED ? 1 : 2); seed++) {
    scree_ccp *problem = packing(context, 6, 0.8, seed);
    double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
    for (int local = 0; local < 2; local++) {
      const scree_solve_info info =
          solve(context, problem, local ? "prox" : "auto", SCREE_MODEL_COULOMB, local, g);
      assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
      assert_true(coulomb_violation(context, problem, g, mass_scale) <
                  10.0 * tolerance * reference);
    }
    free(g);
    scree_ccp_destroy(problem);
  }
}

/* From where sweeps run in circles, by following the path of falling weights alone. */
static void test_path(void **state) {
  static const char *const warmup = SANITIZED ? "200" : "4000";
  const solver_option options[2][5] = {
      {{"warmup", warmup}, {"failures", "0"}, {"starts", "0"}, {"local", "0"}, {"path", "0"}},
      {{"warmup", warmup}, {"failures", "0"}, {"starts", "0"}, {"local", "0"}, {"path", "150"}}};
  const scree_solve_settings settings = exactly(scree_solve_settings_default().model);
  scree_context *context = *state;
  int solved[2] = {0, 0};
  for (uint64_t seed = 1; seed <= (SANITIZED ? 1 : 3); seed++) {
    scree_ccp *problem = packing(context, SANITIZED ? 5 : 8, 0.8, seed);
    double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
    for (int path = 0; path < 2; path++) {
      const scree_solve_info info =
          packing_solve(context, problem, "prox", options[path], 5, &settings, g);
      solved[path] += info.outcome == SCREE_OUTCOME_SOLVED;
      if (info.outcome == SCREE_OUTCOME_SOLVED)
        assert_true(coulomb_violation(context, problem, g, mass_scale) <
                    10.0 * tolerance * reference);
    }
    free(g);
    scree_ccp_destroy(problem);
  }
  if (!SANITIZED) assert_true(solved[1] > solved[0]);
}

/* Where there is no path to follow (relaxed, or not asked for), the steps with weights of each
 * block's own go on, and end, below the residual from which it would be tried. */
static void test_no_path(void **state) {
  static const solver_option options[] = {
      {"warmup", "300"}, {"failures", "0"}, {"starts", "0"}, {"local", "60"}, {"path", "0"}};
  scree_context *context = *state;
  scree_ccp *problem = packing(context, 6, 0.8, 1);
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  for (int relaxed = 0; relaxed < 2; relaxed++) {
    scree_solve_settings settings = exactly(relaxed ? SCREE_MODEL_RELAXED : SCREE_MODEL_COULOMB);
    settings.tolerance_residual = 1e-14;
    settings.time_limit = 300.0;
    const scree_solve_info info =
        packing_solve(context, problem, "prox", options, relaxed ? 4 : 5, &settings, g);
    assert_true(info.iterations > 300);
    assert_true(info.residual.scaled < 0.05);
  }
  free(g);
  scree_ccp_destroy(problem);
}

static bool count_asked(void *user) {
  ++*(long *)user;
  return false;
}

/* A caller who may stop a solve is asked in every Newton step, those that only prepare another
 * start counted in: they are hundreds, of seconds each in large problems. */
static void test_always_asked(void **state) {
  static const solver_option options[] = {
      {"warmup", "2"}, {"failures", "0"}, {"starts", "2"}, {"local", "0"}, {"path", "0"}};
  long asked = 0;
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  def.stop = count_asked;
  def.stop_user = &asked;
  scree_context *context = scree_context_create(&def);
  scree_ccp *problem = packing(context, 5, 10.0, 1);
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  const scree_solve_settings settings = exactly(SCREE_MODEL_COULOMB);
  const scree_solve_info info = packing_solve(context, problem, "prox", options, 5, &settings, g);
  assert_true(info.outcome != SCREE_OUTCOME_SOLVED);
  assert_true(asked > info.iterations - 110); /* not in each of the 100 iterations of admm */
  free(g);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
  (void)state;
}

/* Velocities of the relaxed problem are unique. */
static void test_relaxed_agrees(void **state) {
  scree_context *context = *state;
  scree_ccp *problem = packing(context, 5, 0.8, 4);
  const size_t rows = scree_ccp_row_count(problem);
  double *g = calloc(rows, sizeof *g), *u = calloc(rows, sizeof *u), *v = calloc(rows, sizeof *v);
  assert_int_equal(solve(context, problem, "ipm", SCREE_MODEL_RELAXED, false, g).outcome,
                   SCREE_OUTCOME_SOLVED);
  assert_int_equal(scree_ccp_velocities(context, problem, g, u, NULL), SCREE_OK);
  assert_int_equal(solve(context, problem, "prox", SCREE_MODEL_RELAXED, true, g).outcome,
                   SCREE_OUTCOME_SOLVED);
  assert_int_equal(scree_ccp_velocities(context, problem, g, v, NULL), SCREE_OK);
  for (size_t k = 0; k < rows; k++) assert_true(fabs(u[k] - v[k]) < 1e-4 * reference);
  free(g);
  free(u);
  free(v);
  scree_ccp_destroy(problem);
}

static int setup(void **state) {
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  *state = scree_context_create(&def);
  return *state ? 0 : -1;
}

static int teardown(void **state) {
  scree_context_destroy(*state);
  return 0;
}

int main(void) {
  timer_use(TIMER_CPU); /* limits of time are the same on a busy machine */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),          cmocka_unit_test(test_always_asked),
      cmocka_unit_test(test_path),           cmocka_unit_test(test_no_path),
      cmocka_unit_test(test_relaxed_agrees),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
