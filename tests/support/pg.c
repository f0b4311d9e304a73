/* Projected gradient, in the metric eta of the blocks:
 *
 *   g <- P(g - t eta (N g + r))
 *
 * It converges for t below 2 over the largest eigenvalue of N in that metric, which is at least 1
 * and grows with the number of contacts of a body. The limit minimises 1/2 g'N g + r'g over the
 * sets: the relaxed model. */
#include "solve/solver.h"

static const scree_option_def pg_options[] = {
    {"step", SCREE_OPTION_REAL, 0.2, 1e-6, 2.0, NULL, "", "length of a step, in units of eta"},
};

static scree_status run_pg(solve_run *run) {
  ccp_operator *op = run->op;
  double *u = run->vector[1]; /* vector[0] belongs to the monitor */
  const double t = run_option(run, "step");
  op_local_velocity(op, run->g, u);
  for (long iteration = 1;; iteration++) {
    op_project_step(op, run->g, t, u, run->g);
    op_local_velocity(op, run->g, u);
    run->products++;
    if (solve_due(run, iteration) && solve_check(run, iteration, run->g, u)) return SCREE_OK;
  }
}

const solver_class solver_pg = {
    .name = "pg",
    .summary = "projected gradient with a fixed step; relaxed friction",
    .options = pg_options,
    .option_count = sizeof pg_options / sizeof pg_options[0],
    .projects = true,
    .vector_count = 2,
    .run = run_pg,
};
