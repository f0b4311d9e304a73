/* Accelerated projected gradient descent for min 1/2 g'Ng + r'g over the sets (METHODS 1), in the
 * variables scaled by eta (each block's cone is invariant): steps are t eta_i, t about 1.
 *
 *   g+ = P(y - t eta (N y + r)),  y = g+ + beta (g+ - g),  N y by linearity: one product an
 * iteration the majorant test d'Nd <= L d'd/eta is exact for a quadratic; restart when (y - g+)'(g+
 * - g) > 0. */
#include <math.h>

#include "solve/solver.h"

static const scree_option_def apgd_options[] = {
    {"restart", SCREE_OPTION_BOOL, 1, 0, 1, NULL, "", "drop the momentum when it points uphill"},
    {"grow", SCREE_OPTION_REAL, 2.0, 1.01, 10.0, NULL, "", "factor on L when a step is too long"},
    {"shrink", SCREE_OPTION_REAL, 0.9, 0.1, 1.0, NULL, "", "factor on L after each iteration"},
};

/* x'x weighted by 1/eta. */
static double scaled_square(const ccp_operator *op, const double *x) {
  double sum = 0.0;
  for (size_t i = 0; i < op->block_count; i++) {
    const int forces = op_force_rows(op, i);
    const double *xi = x + op->row_start[i];
    for (int k = 0; k < ccp_dim(op->problem, i); k++) {
      const double eta = k < forces ? op->eta_force[i] : op->eta_moment[i];
      if (eta > 0.0) sum += xi[k] * xi[k] / eta;
    }
  }
  return sum;
}

static scree_status run_apgd(solve_run *run) {
  ccp_operator *op = run->op;
  double *u = run->vector[1], *y = run->vector[2], *ny = run->vector[3], *next = run->vector[4],
         *n_next = run->vector[5], *d = run->vector[6], *nd = run->vector[7], *ng = run->vector[8];
  double *g = run->g;
  const bool restart = run_option(run, "restart") > 0.5;
  const double grow = run_option(run, "grow"), shrink = run_option(run, "shrink");
  double theta = 1.0, l = 1.0;
  op_copy(op, g, y);
  op_apply(op, g, ng);
  op_copy(op, ng, ny);
  for (long iteration = 1;; iteration++) {
    op_combine(op, 1.0, ny, 1.0, op->r, u);
    for (int tries = 0;; tries++) {
      op_project_step(op, y, 1.0 / l, u, next);
      op_apply(op, next, n_next);
      run->products++;
      op_combine(op, 1.0, next, -1.0, y, d);
      op_combine(op, 1.0, n_next, -1.0, ny, nd);
      const double curvature = op_dot(op, d, nd), size = scaled_square(op, d);
      if (curvature <= l * size * (1.0 + 1e-12) || size <= 0.0 || tries > 60) break;
      l *= grow;
    }
    const double theta2 = theta * theta;
    const double theta_next = 0.5 * (-theta2 + theta * sqrt(theta2 + 4.0));
    double beta = theta * (1.0 - theta) / (theta2 + theta_next);
    theta = theta_next;
    op_combine(op, 1.0, next, -1.0, g, d);
    if (restart && op_dot(op, u, d) > 0.0) {
      beta = 0.0;
      theta = 1.0;
    }
    op_combine(op, 1.0 + beta, next, -beta, g, y);
    op_combine(op, 1.0 + beta, n_next, -beta, ng, ny);
    op_copy(op, next, g);
    op_copy(op, n_next, ng);
    l *= shrink;
    if (solve_due(run, iteration)) {
      op_combine(op, 1.0, ng, 1.0, op->r, u);
      if (solve_check(run, iteration, g, u)) return SCREE_OK;
    }
  }
}

const solver_class solver_apgd = {
    .name = "apgd",
    .summary = "accelerated projected gradient descent with adaptive step and restart",
    .options = apgd_options,
    .option_count = sizeof apgd_options / sizeof apgd_options[0],
    .coulomb = false,
    .vector_count = 9,
    .run = run_apgd,
};
