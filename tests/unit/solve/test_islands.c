/* Islands: found as the parts that were put side by side, solved apart to the same answer, the same
 * bits with any number of threads, and with a certificate of the whole when one has no solution. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ccp/operator.h"
#include "solve/islands.h"
#include "tests/support/joined.h"
#include "tests/support/packing.h"
#include "tests/support/scenes.h"

enum { PARTS = 5 };

/* Packings of several sizes, frictions and mass ratios, and a chain with joints. */
static scree_ccp *archipelago(scree_context *context, bool condensed) {
  scree_ccp *part[PARTS], *joined = NULL, *local = NULL;
  for (int k = 0; k < PARTS - 1; k++) {
    packing_def def = packing_def_default();
    def.nx = def.ny = def.nz = 2 + (k + 1) % 2;
    def.mu = 0.1 + 0.2 * k;
    def.seed = (uint64_t)(k + 1);
    assert_int_equal(packing_create(context, &def, &part[k]), SCREE_OK);
  }
  assert_int_equal(scene_redundant_joints(context, 3, &part[PARTS - 1]), SCREE_OK);
  assert_int_equal(joined_create(context, part, PARTS, &joined), SCREE_OK);
  for (int k = 0; k < PARTS; k++) scree_ccp_destroy(part[k]);
  if (!condensed) return joined;
  assert_int_equal(joined_condense(context, joined, &local), SCREE_OK);
  scree_ccp_destroy(joined);
  return local;
}

static double *solve(scree_context *context, const scree_ccp *problem, const char *name,
                     const char *how, scree_model model, double error, double residual,
                     scree_solve_info *info) {
  scree_solver *solver = NULL;
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  assert_int_equal(scree_solver_create(context, name, &solver), SCREE_OK);
  assert_int_equal(scree_solver_set(solver, "islands", how), SCREE_OK);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = model;
  settings.tolerance_error = error;
  settings.tolerance_residual = residual;
  assert_int_equal(scree_solver_solve(solver, problem, &settings, g, info), SCREE_OK);
  scree_solver_destroy(solver);
  return g;
}

static void test_found(void **state) {
  (void)state;
  for (int condensed = 0; condensed < 2; condensed++) {
    scree_context *context = scree_context_create(NULL);
    scree_ccp *problem = archipelago(context, condensed);
    ccp_operator *op = NULL;
    islands w = {0};
    assert_int_equal(op_create(context, problem, &op), SCREE_OK);
    assert_int_equal(islands_find(op, &w), SCREE_OK);
    /* The walls of a packing may leave balls that touch nothing but them. */
    assert_true(w.parts.count >= PARTS && w.parts.largest < op->block_count / 2);
    assert_true(islands_apart(op, &w));
    assert_int_equal(w.parts.start[w.parts.count], op->block_count);
    for (size_t c = 0; c < w.parts.count; c++) {
      assert_true(w.parts.start[c] < w.parts.start[c + 1]);
      for (size_t k = w.parts.start[c] + 1; k < w.parts.start[c + 1]; k++)
        assert_true(w.parts.block[k - 1] < w.parts.block[k]);
      if (c > 0) assert_true(w.parts.block[w.parts.start[c - 1]] < w.parts.block[w.parts.start[c]]);
    }
    islands_clear(context, &w);
    op_destroy(op);
    scree_ccp_destroy(problem);
    assert_int_equal(scree_context_bytes(context), 0);
    scree_context_destroy(context);
  }
}

static void test_same_answer(void **state) {
  (void)state;
  static const char *const names[] = {"ipm", "auto"};
  scree_context *context = scree_context_create(NULL);
  for (int condensed = 0; condensed < 2; condensed++) {
    scree_ccp *problem = archipelago(context, condensed);
    const size_t rows = scree_ccp_row_count(problem);
    double *ua = calloc(rows, sizeof *ua), *ut = calloc(rows, sizeof *ut);
    for (int s = 0; s < 2; s++)
      for (int model = 0; model < 2; model++)
        for (int error = 0; error < 2; error++) {
          scree_solve_info info;
          double *a = solve(context, problem, names[s], "apart", (scree_model)model,
                            error ? 1e-9 : 0.0, error ? 0.0 : 1e-9, &info);
          assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
          assert_true(error ? info.residual.error <= 1e-9 : info.residual.scaled <= 1e-9);
          double *t =
              solve(context, problem, names[s], "together", (scree_model)model, 0.0, 1e-9, &info);
          assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
          assert_int_equal(scree_ccp_velocities(context, problem, a, ua, NULL), SCREE_OK);
          assert_int_equal(scree_ccp_velocities(context, problem, t, ut, NULL), SCREE_OK);
          for (size_t i = 0; model == SCREE_MODEL_RELAXED && i < rows; i++)
            assert_true(fabs(ua[i] - ut[i]) < 1e-5);
          free(a);
          free(t);
        }
    free(ua);
    free(ut);
    scree_ccp_destroy(problem);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void test_threads(void **state) {
  (void)state;
  static const char *const names[] = {"ipm", "auto"};
  for (int s = 0; s < 2; s++) {
    double *first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
      scree_context *context = scree_context_create(NULL);
      scree_context_set_threads(context, threads);
      scree_ccp *problem = archipelago(context, false);
      scree_solve_info info;
      double *g = solve(context, problem, names[s], "apart", SCREE_MODEL_COULOMB, 0.0, 1e-8, &info);
      if (first) assert_memory_equal(g, first, scree_ccp_row_count(problem) * sizeof *g);
      free(first);
      first = g;
      scree_ccp_destroy(problem);
      scree_context_destroy(context);
    }
    free(first);
  }
}

/* One ball in a vice among packings: the whole has no solution, and says why. */
static void test_infeasible(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *part[3], *joined = NULL;
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 2;
  assert_int_equal(packing_create(context, &def, &part[0]), SCREE_OK);
  assert_int_equal(packing_create(context, &def, &part[2]), SCREE_OK);
  for (size_t k = 0; k < scene_count; k++)
    if (strcmp(scenes[k].name, "squeezed") == 0)
      assert_int_equal(scenes[k].create(context, 1, &part[1]), SCREE_OK);
  assert_int_equal(joined_create(context, part, 3, &joined), SCREE_OK);
  for (int k = 0; k < 3; k++) scree_ccp_destroy(part[k]);
  scree_solver *solver = NULL;
  scree_solve_info info;
  scree_certificate proof;
  double *g = calloc(scree_ccp_row_count(joined), sizeof *g);
  assert_int_equal(scree_solver_create(context, "ipm", &solver), SCREE_OK);
  const scree_solve_settings settings = scree_solve_settings_default();
  assert_int_equal(scree_solver_solve(solver, joined, &settings, g, &info), SCREE_OK);
  assert_int_equal(info.outcome, SCREE_OUTCOME_INFEASIBLE);
  assert_non_null(scree_solver_certificate(solver));
  assert_int_equal(scree_ccp_check_certificate(context, joined, SCREE_MODEL_COULOMB,
                                               scree_solver_certificate(solver), &proof),
                   SCREE_OK);
  assert_true(proof.holds);
  free(g);
  scree_solver_destroy(solver);
  scree_ccp_destroy(joined);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_found),
      cmocka_unit_test(test_same_answer),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_infeasible),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
