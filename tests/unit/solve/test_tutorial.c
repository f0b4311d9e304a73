/* The solver of docs/tutorials/writing-a-solver.md, which prints it: it finds the relaxed
 * solution of a pile of discs, with the velocities of the interior point method. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solve/solver.h"
#include "tests/support/scenes.h"

extern const solver_class solver_pg; /* tests/support/pg.c */

static void test_pg(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = NULL;
  assert_int_equal(scene_planar(context, 4, &problem), SCREE_OK);
  const size_t rows = scree_ccp_row_count(problem);
  double *room[5], *asked = calloc(rows, sizeof *asked), *u = calloc(rows, sizeof *u);
  for (int k = 0; k < 5; k++) room[k] = calloc(rows, sizeof **room);
  ccp_operator *op = NULL;
  assert_int_equal(op_create(context, problem, &op), SCREE_OK);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = 1e-9;
  settings.iteration_limit = 100000;
  infeasible_work work = {0};
  double *vector[] = {room[0], room[1]}, step = solver_pg.options[0].fallback;
  void *kept = NULL;
  solve_run run = {.context = context,
                   .op = op,
                   .class = &solver_pg,
                   .settings = &settings,
                   .model = SCREE_MODEL_RELAXED,
                   .option = &step,
                   .g = room[2],
                   .vector = vector,
                   .state = &kept,
                   .best = room[3],
                   .best_merit = INFINITY,
                   .mark_iteration = 1000,
                   .mark_merit = INFINITY,
                   .iteration_work = 1.0,
                   .infeasible = &work,
                   .suspect_iteration = 100000};
  settings.time_limit = 0.0;
  assert_int_equal(solver_pg.run(&run), SCREE_OK);
  assert_int_equal(run.outcome, SCREE_OUTCOME_SOLVED);
  assert_true(run.iterations > 10);

  scree_solver *ipm = NULL;
  scree_solve_info info;
  settings.tolerance_error = 1e-10;
  assert_int_equal(scree_solver_create(context, "ipm", &ipm), SCREE_OK);
  assert_int_equal(scree_solver_solve(ipm, problem, &settings, asked, &info), SCREE_OK);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  op_local_velocity(op, asked, u);
  op_local_velocity(op, run.best, room[4]);
  for (size_t k = 0; k < rows; k++) assert_true(fabs(u[k] - room[4][k]) < 1e-6);

  scree_solver_destroy(ipm);
  infeasible_clear(context, &work);
  op_destroy(op);
  for (int k = 0; k < 5; k++) free(room[k]);
  free(asked);
  free(u);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pg)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
