/* Projected fixed point of De Saxcé (Uzawa) with an adaptive step, in the metric eta of the blocks:
 *
 *   g+ = P(g - t eta û(g)),   û = u, with the shift mu |u_T| on the normal for exact Coulomb
 *   ratio = t |û(g) - û(g+)|_eta / |g - g+|_1/eta:  above 0.9 the step is retried shorter, below
 * 0.3 the next is longer (the rule of the self-adaptive projection methods for variational
 * inequalities). With `extragradient` the step from g uses û(g+): slower per iteration, safer on
 * hard problems. */
#include <math.h>

#include "solve/solver.h"

static const scree_option_def fpp_options[] = {
    {"step", SCREE_OPTION_REAL, 1.0, 1e-6, 1e6, NULL, "", "first step, in units of eta"},
    {"extragradient", SCREE_OPTION_BOOL, 0, 0, 1, NULL, "", "correct each step at its end point"},
};

/* û from u, in place. */
static void shift(const solve_run *run, double *u) {
  if (run->model == SCREE_MODEL_RELAXED) return;
  const ccp_operator *op = run->op;
  for (size_t i = 0; i < op->block_count; i++) {
    double *ui = u + op->row_start[i];
    scree_set_flow(ccp_set(op->problem, i), ui, ui);
  }
}

/* |û - û+| sqrt(eta) over |g - g+| / sqrt(eta). */
static double change_ratio(const ccp_operator *op, const double *u, const double *u_next,
                           const double *g, const double *g_next) {
  double du = 0.0, dg = 0.0;
  for (size_t i = 0; i < op->block_count; i++) {
    const int forces = op_force_rows(op, i);
    for (int k = 0; k < ccp_dim(op->problem, i); k++) {
      const size_t at = op->row_start[i] + (size_t)k;
      const double eta = k < forces ? op->eta_force[i] : op->eta_moment[i];
      if (!(eta > 0.0)) continue;
      du += eta * (u[at] - u_next[at]) * (u[at] - u_next[at]);
      dg += (g[at] - g_next[at]) * (g[at] - g_next[at]) / eta;
    }
  }
  return dg > 0.0 ? sqrt(du / dg) : 0.0;
}

static scree_status run_fpp(solve_run *run) {
  ccp_operator *op = run->op;
  double *u = run->vector[1], *next = run->vector[2], *u_next = run->vector[3],
         *plain = run->vector[4];
  const bool extra = run_option(run, "extragradient") > 0.5;
  double t = run_option(run, "step");
  op_local_velocity(op, run->g, u);
  shift(run, u);
  for (long iteration = 1;; iteration++) {
    double ratio;
    for (int tries = 0;; tries++) {
      op_project_step(op, run->g, t, u, next);
      op_local_velocity(op, next, plain);
      run->products++;
      op_copy(op, plain, u_next);
      shift(run, u_next);
      ratio = t * change_ratio(op, u, u_next, run->g, next);
      if (ratio <= 0.9 || tries > 50) break;
      t *= (2.0 / 3.0) * fmin(1.0, 1.0 / ratio);
    }
    if (extra) {
      op_project_step(op, run->g, t, u_next, next);
      op_local_velocity(op, next, plain);
      run->products++;
      op_copy(op, plain, u_next);
      shift(run, u_next);
    }
    op_copy(op, next, run->g);
    op_copy(op, u_next, u);
    if (ratio < 0.3) t *= 1.5;
    if (solve_due(run, iteration) && solve_check(run, iteration, run->g, plain)) return SCREE_OK;
  }
}

const solver_class solver_fpp = {
    .name = "fpp",
    .summary =
        "projected fixed point of De Saxce with adaptive step; exact Coulomb, loose tolerances",
    .options = fpp_options,
    .option_count = sizeof fpp_options / sizeof fpp_options[0],
    .coulomb = true,
    .projects = true,
    .flows = true,
    .vector_count = 5,
    .run = run_fpp,
};
