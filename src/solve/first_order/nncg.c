/* Nonlinear conjugate gradients over projected Gauss–Seidel sweeps (Silcowitz, Niebe and Erleben's
 * idea, with guards).
 *
 *   x = sweep(g)                     the change x - g plays the role of the negative gradient
 *   beta = |x - g|^2 / |previous x - g|^2          Fletcher–Reeves, in the metric of 1/eta
 *   beta > 1:  p = 0, g = x                        restart
 *   else:      g = x + beta p
 *   p = beta p + (x - g_old)
 *
 * g may leave the sets; the next sweep projects each block. Only x, which is in the sets, is
 * judged. The exact local solve of `metric` is that of gs. When the merit has risen to ten times
 * the best, go back to the best iterate with p = 0. Where rounding or a cycle keeps p from helping
 * the method is Gauss–Seidel. */
#include <math.h>

#include "ccp/operator_fused.h"
#include "solve/solver.h"

static const scree_option_def nncg_options[] = {
    {"metric", SCREE_OPTION_CHOICE, 1, 0, 1, "isotropic|exact", "",
     "block step of a sweep: scaled by eta, or the block solved exactly"},
    {"beta_most", SCREE_OPTION_REAL, 1.0, 0.0, 1.0, NULL, "",
     "extrapolation larger than this restarts the directions"},
};

static scree_status run_nncg(solve_run *run) {
  ccp_operator *op = run->op;
  double *g = run->vector[1], *x = run->vector[2], *p = run->vector[3];
  const op_sweep_params params = {
      .metric = run_option(run, "metric") > 0.5 ? OP_METRIC_EXACT : OP_METRIC_ISOTROPIC,
      .model = run->model,
      .omega = 1.0,
      .lambda = 1.0,
  };
  const double beta_most = run_option(run, "beta_most");
  double last = 0.0;
  op_copy(op, run->g, g);
  op_combine(op, 0.0, g, 0.0, g, p);
  op_sweep_begin(op, g);
  for (long iteration = 1;; iteration++) {
    op_copy(op, g, x);
    op_sweep(op, &params, x);
    run->products++;
    if (solve_due(run, iteration)) {
      scree_residual residual;
      op_sweep_residual(op, run->model, x, run->vector[0], &residual);
      run->products++;
      if (solve_check_judged(run, iteration, x, &residual)) break;
      if (run->merit > 10.0 * run->best_merit) {
        op_copy(op, run->best, g);
        op_sweep_begin(op, g);
        last = 0.0;
        continue;
      }
    }
    op_combine(op, 1.0, x, -1.0, g, g); /* now the change */
    const double size = op_dot_over_eta(op, g, g);
    const double beta = last > 0.0 ? size / last : 2.0;
    last = size;
    if (beta > beta_most) {
      op_copy(op, g, p);
      op_copy(op, x, g);
      continue;
    }
    op_combine(op, beta, p, 1.0, g, p); /* beta p + change */
    op_combine(op, 1.0, p, -1.0, g, g); /* beta p */
    op_combine(op, 1.0, x, 1.0, g, g);
    op_sweep_begin(op, g);
  }
  return SCREE_OK;
}

const solver_class solver_nncg = {
    .name = "nncg",
    .summary = "nonlinear conjugate gradients over projected Gauss-Seidel sweeps",
    .options = nncg_options,
    .option_count = sizeof nncg_options / sizeof nncg_options[0],
    .coulomb = true,
    .vector_count = 4,
    .run = run_nncg,
};
