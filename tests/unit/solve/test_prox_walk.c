/* The path that Newton steps follow from the relaxed problem to Coulomb's law: its linearisation
 * against finite differences, and where it ends. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ccp/forms/matrices.h"
#include "scree/scree.h"
#include "solve/newton/prox_dilate.h"
#include "solve/newton/prox_walk.h"
#include "tests/support/coulomb.h"
#include "tests/support/solve_packing.h"

enum { VECTORS = 15 };

static double at_random(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static scree_ccp *packing(scree_context *context, double mu) {
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 3;
  def.mu = mu;
  return packing_make(context, &def);
}

/* A walk at a random point, with blocks of all states. */
static void fill_walk(prox_walk *w, double **row, double *block, uint64_t seed) {
  const size_t rows = w->op->row_count, blocks = w->op->block_count;
  double **const vector[] = {&w->z,    &w->u,       &w->velocity, &w->centre,    &w->push,
                             &w->left, &w->applied, &w->change,   &w->correction};
  for (size_t k = 0; k < sizeof vector / sizeof vector[0]; k++) *vector[k] = row[k];
  w->weight = block;
  for (size_t k = 0; k < rows; k++) {
    const double scale = w->op->eta_force[k / 3] * w->op->reference_speed;
    w->z[k] = scale * at_random(&seed);
    w->centre[k] = scale * at_random(&seed);
    w->push[k] = w->op->reference_speed * at_random(&seed);
  }
  for (size_t i = 0; i < blocks; i++) w->weight[i] = 0.1;
}

/* A step that the linearised equations give for a push takes that push from what they miss. */
static void test_linearisation(void **state) {
  scree_context *context = *state;
  scree_ccp *problem = packing(context, 0.7);
  ccp_operator *op = NULL;
  formed_matrix formed = {0};
  active_set *set = NULL;
  assert_int_equal(op_create(context, problem, &op), SCREE_OK);
  assert_int_equal(form_delassus(op, &formed), SCREE_OK);
  assert_int_equal(active_set_create(context, &set), SCREE_OK);
  assert_int_equal(active_set_prepare(set, op, &formed.blocks), SCREE_OK);
  double *row[VECTORS], *block = calloc(op->block_count, sizeof *block);
  for (size_t k = 0; k < VECTORS; k++) row[k] = calloc(op->row_count, sizeof(double));
  long iteration = 0;
  solve_run run = {.context = context, .op = op, .model = SCREE_MODEL_COULOMB, .g = row[9]};
  const double dilatancies[] = {0.0, 0.4, 1.0, -0.1};
  for (size_t d = 0; d < 4; d++) {
    prox_walk w = {.run = &run,
                   .op = op,
                   .set = set,
                   .n = &formed.blocks,
                   .iteration = &iteration,
                   .dilatancy = dilatancies[d]};
    fill_walk(&w, row, block, 7 + d);
    double *before = row[10], *dz = row[11];
    walk_split(&w);
    walk_residual(&w);
    memcpy(before, w.left, op->row_count * sizeof *before);
    assert_int_equal(walk_linearise(&w), SCREE_OK);
    walk_change(&w, w.push, dz);
    const double length = 1e-7;
    for (size_t k = 0; k < op->row_count; k++) w.z[k] += length * dz[k];
    walk_split(&w);
    walk_residual(&w);
    for (size_t k = 0; k < op->row_count; k++)
      assert_true(fabs((w.left[k] - before[k]) / length + w.push[k]) < 1e-4 * op->reference_speed);
  }
  for (size_t k = 0; k < VECTORS; k++) free(row[k]);
  free(block);
  active_set_destroy(set);
  formed_matrix_clear(context, &formed);
  op_destroy(op);
  scree_ccp_destroy(problem);
}

/* Newton steps from where the path ends solve the problem, without any other start. */
static void test_solves(void **state) {
  static const solver_option options[] = {{"warmup", "0"}, {"failures", "4"}, {"starts", "0"},
                                          {"local", "0"},  {"path", "0"},     {"dilate", "300"}};
  scree_context *context = *state;
  scree_ccp *problem = packing(context, 0.5);
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = 1e-8;
  settings.time_limit = 0.0;
  const scree_solve_info info = packing_solve(context, problem, "prox", options, 6, &settings, g);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  assert_true(coulomb_violation(context, problem, g, 500.0) < 1e-7 * 0.0981);
  free(g);
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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_linearisation),
      cmocka_unit_test(test_solves),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
