/* Every registered solver over every problem it can take: the generated ones always, the files of
 * the shared directory when they are there. The common residual is recomputed from the impulses,
 * velocities must agree, and an infeasible problem must never be called solved. Solvers of
 * polyhedral cones say so where they cannot meet the round ones, and are let off. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/timer.h"
#include "tests/support/scenes.h"

static const double asked = 1e-5;

/* Velocities where the form has them, else u; `size` entries. */
static double *velocities(scree_context *context, const scree_ccp *problem, const double *g,
                          size_t *size) {
  const size_t nv = scree_ccp_velocity_count(problem), rows = scree_ccp_row_count(problem);
  *size = nv ? nv : rows;
  double *v = calloc(*size, sizeof *v);
  assert_non_null(v);
  assert_int_equal(scree_ccp_velocities(context, problem, g, nv ? NULL : v, nv ? v : NULL),
                   SCREE_OK);
  return v;
}

static scree_solve_info solve(scree_context *context, size_t solver, const scree_ccp *problem,
                              double *g, double seconds) {
  scree_solver *s = NULL;
  assert_int_equal(scree_solver_create(context, scree_solver_name(solver), &s), SCREE_OK);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = asked;
  settings.time_limit = seconds;
  scree_solve_info info;
  assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
  scree_solver_destroy(s);
  return info;
}

static bool polyhedral_only(const scree_solve_info *info) {
  return info->outcome == SCREE_OUTCOME_STALLED && strncmp(info->detail, "polyhedral", 10) == 0;
}

static void check_infeasible(const scene *one, const char *name, const scree_solve_info *info) {
  if (info->outcome != SCREE_OUTCOME_INFEASIBLE && info->outcome != SCREE_OUTCOME_STALLED)
    fail_msg("%s ends as %s on %s", name, scree_outcome_text(info->outcome), one->name);
  assert_true(info->residual.scaled > 1e-2);
  assert_true(info->detail[0] != 0);
}

static void run_scene(scree_context *context, const scene *one) {
  scree_ccp *problem = NULL;
  assert_int_equal(one->create(context, one->size, &problem), SCREE_OK);
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g), *reference = NULL;
  for (size_t i = 0; i < scree_solver_count(); i++) {
    const char *name = scree_solver_name(i);
    if (scree_solver_refusal(i, problem, SCREE_MODEL_RELAXED)) continue;
    const scree_solve_info info = solve(context, i, problem, g, 60.0);
    if (!one->feasible) {
      check_infeasible(one, name, &info);
      continue;
    }
    if (polyhedral_only(&info)) continue;
    if (info.outcome != SCREE_OUTCOME_SOLVED)
      fail_msg("%s on %s: %s after %ld iterations, R %.1e (%s)", name, one->name,
               scree_outcome_text(info.outcome), info.iterations, info.residual.scaled,
               info.detail);
    scree_residual again;
    assert_int_equal(scree_ccp_residual(context, problem, info.model, g, &again), SCREE_OK);
    assert_true(again.scaled <= asked * (1.0 + 1e-6));
    if (info.model != SCREE_MODEL_RELAXED || !one->unique) continue;
    size_t n;
    double *v = velocities(context, problem, g, &n);
    for (size_t k = 0; reference && k < n; k++)
      if (!(fabs(v[k] - reference[k]) <= 100.0 * asked * again.reference_speed))
        fail_msg("%s on %s: velocity %zu is %.3e off", name, one->name, k,
                 fabs(v[k] - reference[k]));
    if (reference)
      free(v);
    else
      reference = v;
  }
  free(reference);
  free(g);
  scree_ccp_destroy(problem);
}

static void test_scenes(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (size_t k = 0; k < scene_count; k++) run_scene(context, &scenes[k]);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* Each solver that takes it on a packing with friction and on one without; g is the solver's to
 * use. */
static void with_every_solver(void (*check)(scree_context *context, size_t solver,
                                            const scree_ccp *problem, double *g)) {
  scree_context *context = scree_context_create(NULL);
  for (int kind = 0; kind < 2; kind++) {
    scree_ccp *problem = NULL;
    assert_int_equal(scenes[kind ? 3 : 0].create(context, 3, &problem), SCREE_OK);
    double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
    for (size_t i = 0; i < scree_solver_count(); i++)
      if (!scree_solver_refusal(i, problem, SCREE_MODEL_RELAXED)) check(context, i, problem, g);
    free(g);
    scree_ccp_destroy(problem);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* Once a solver has met a problem, a long solve allocates no more than a short one: nothing is
 * allocated in the loop. */
static void check_allocations(scree_context *context, size_t i, const scree_ccp *problem,
                              double *g) {
  scree_solver *s = NULL;
  assert_int_equal(scree_solver_create(context, scree_solver_name(i), &s), SCREE_OK);
  size_t used[3];
  for (int round = 0; round < 3; round++) {
    scree_solve_settings settings = scree_solve_settings_default();
    settings.model = SCREE_MODEL_RELAXED;
    settings.tolerance_error = 1e-14;
    settings.iteration_limit = round == 1 ? 100 : 200;
    scree_solve_info info;
    const size_t before = scree_context_allocations(context);
    assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
    used[round] = scree_context_allocations(context) - before;
  }
  if (used[2] > used[1])
    fail_msg("%s: %zu allocations in 100 iterations, %zu in 200", scree_solver_name(i), used[1],
             used[2]);
  scree_solver_destroy(s);
}

static void test_no_allocation_in_the_loop(void **state) {
  (void)state;
  with_every_solver(check_allocations);
}

/* From its own solution every solver is done at once; a limit returns the best iterate so far. */
static void check_warm_start(scree_context *context, size_t i, const scree_ccp *problem,
                             double *g) {
  const scree_solve_info first = solve(context, i, problem, g, 60.0);
  if (polyhedral_only(&first)) return;
  assert_int_equal(first.outcome, SCREE_OUTCOME_SOLVED);
  scree_solver *s = NULL;
  assert_int_equal(scree_solver_create(context, scree_solver_name(i), &s), SCREE_OK);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = first.model;
  settings.tolerance_error = 0.0;
  /* auto goes on to a hundredth of a loose tolerance where that is cheap. */
  const bool strives = strcmp(scree_solver_name(i), "auto") == 0;
  settings.tolerance_residual = asked * (strives ? 101.0 : 1.01);
  settings.warm_start = true;
  scree_solve_info info;
  assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  assert_int_equal(info.iterations, 0);
  settings.warm_start = false;
  settings.tolerance_residual = 1e-13;
  settings.iteration_limit = 4;
  assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
  if (info.outcome == SCREE_OUTCOME_ITERATION_LIMIT) {
    assert_true(info.iterations >= 4 && info.iterations <= 8);
    scree_residual again;
    assert_int_equal(scree_ccp_residual(context, problem, info.model, g, &again), SCREE_OK);
    assert_true(fabs(again.scaled - info.residual.scaled) <= 1e-9 * info.residual.scaled + 1e-12);
  }
  scree_solver_destroy(s);
}

static void test_warm_start_and_limits(void **state) {
  (void)state;
  with_every_solver(check_warm_start);
}

int main(void) {
  timer_use(TIMER_CPU); /* limits of time are the same on a busy machine */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scenes),
      cmocka_unit_test(test_no_allocation_in_the_loop),
      cmocka_unit_test(test_warm_start_and_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
