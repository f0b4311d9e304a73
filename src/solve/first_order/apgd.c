/* Accelerated projected gradient descent for min 1/2 g'Ng + r'g over the sets, in the
 * diagonal metric of operator_metric.h: a step is t e with t = 1/L near 1 whatever the units and
 * masses.
 *
 *   next = P(y - (1/L) e (N y + r))            one product: N next
 *   L *= grow until d'Nd <= L |d|^2/e, d = next - y        exact majorant of a quadratic
 *   y = next + beta (next - g)
 *   restart (beta = 0) when (y - next)'(next - g)/e > 0: the extrapolation runs against the
 * gradient step; with function_restart also when the objective has grown L *= shrink; it starts
 * from the same number in every solve, as one that depended on those before it would not go on with
 * the same bits from a checkpoint
 *
 * beta, `extrapolation`:
 *   nesterov   theta+ = (-theta^2 + theta sqrt(theta^2 + 4))/2, beta = theta (1 - theta)/(theta^2 +
 *              theta+); 1/k^2 for the objective is proved
 *   greedy     beta = 1 and the restart alone to hold it (Liang, Luo and Schönlieb's greedy FISTA):
 *              half the iterations on box stacks and rock piles, a tenth to a fifth less on beds
 * and packings, a quarter more at mass ratios of 1e4. No rate is proved, hence the guard
 *
 * The step itself is one verb of the operator (operator_gradient.h): N next is computed afresh each
 * time, so rounding does not gather.
 *
 * N that is not quite symmetric: the steps use N as given, so a fixed point solves the variational
 * inequality of the file, not of (N + N')/2. Its field is monotone but has a turning part, which
 * extrapolation can amplify where the symmetric part is flat.
 *
 * Guard, for both: when the merit has risen to 100 times the best, go back to the best iterate,
 * take Nesterov's beta from then on, and at each further rise cap it at 0.999, 0.99, 0.9 and 0: the
 * last is the plain projected step with L from the majorant test. */
#include <math.h>

#include "ccp/operator_gradient.h"
#include "solve/solver.h"

static const scree_option_def apgd_options[] = {
    {"restart", SCREE_OPTION_BOOL, 1, 0, 1, NULL, "",
     "drop the extrapolation when it points uphill"},
    {"function_restart", SCREE_OPTION_BOOL, 0, 0, 1, NULL, "",
     "drop the extrapolation also when the objective has grown"},
    {"extrapolation", SCREE_OPTION_CHOICE, 1, 0, 1, "nesterov|greedy", "", "how beta is chosen"},
    {"grow", SCREE_OPTION_REAL, 1.5, 1.01, 10.0, NULL, "", "factor on L when a step is too long"},
    {"shrink", SCREE_OPTION_REAL, 0.995, 0.1, 1.0, NULL, "", "factor on L after each iteration"},
    {"patience", SCREE_OPTION_INT, 0, 0, 1e9, NULL, "",
     "iterations after which it hands back to the solver that called it; 0: never"},
};

/* In this metric a block alone has L near 1; its neighbours in a packing add to it. */
static const double first_l = 4.0;

typedef struct apgd {
  solve_run *run;
  double theta, beta, l, grow, shrink, beta_most, objective;
  bool restart, function_restart, greedy;
} apgd;

static scree_status begin_at(apgd *s, const double *start) {
  s->run->products++;
  s->theta = 1.0;
  s->beta = 0.0;
  s->objective = INFINITY;
  return op_gradient_begin(s->run->op, start);
}

/* Returns how far the step went: in the metric of 1/e times L it is the natural residual at y. */
static double iterate(apgd *s) {
  ccp_operator *op = s->run->op;
  op_gradient_sums sums;
  for (int tries = 0;; tries++) {
    sums = op_gradient_step(op, s->beta, 1.0 / s->l);
    s->run->products++;
    if (!(sums.curvature > s->l * sums.distance2 * (1.0 + 1e-12)) || tries > 60) break;
    s->l *= s->grow;
  }
  op_gradient_accept(op);
  const double theta2 = s->theta * s->theta;
  const double theta_next = 0.5 * (-theta2 + s->theta * sqrt(theta2 + 4.0));
  double beta = s->theta * (1.0 - s->theta) / (theta2 + theta_next);
  s->theta = theta_next;
  if (s->greedy) beta = 1.0;
  const bool grown =
      s->function_restart && sums.objective > s->objective + 1e-14 * fabs(s->objective);
  if (s->restart && (sums.uphill > 0.0 || grown)) {
    beta = 0.0;
    s->theta = 1.0;
  }
  s->objective = sums.objective;
  s->beta = fmin(beta, s->beta_most);
  const double moved = s->l * sqrt(fmax(sums.distance2, 0.0));
  s->l *= s->shrink;
  return moved;
}

/* See the comment at the head of this file. */
static scree_status guard(apgd *s) {
  const solve_run *run = s->run;
  if (!(run->merit > 100.0 * run->best_merit)) return SCREE_OK;
  if (!s->greedy)
    s->beta_most = s->beta_most >= 1.0 ? 0.999 : fmax(0.0, 1.0 - 10.0 * (1.0 - s->beta_most));
  s->greedy = false;
  return begin_at(s, run->best);
}

static bool check(apgd *s, long iteration) {
  solve_run *run = s->run;
  double *g = run->vector[1], *u = run->vector[2];
  scree_residual residual;
  op_gradient_residual(run->op, run->model, g, u, &residual);
  return solve_check_judged(run, iteration, g, &residual);
}

static scree_status run_apgd(solve_run *run) {
  apgd s = {
      .run = run,
      .l = first_l,
      .grow = run_option(run, "grow"),
      .shrink = run_option(run, "shrink"),
      .restart = run_option(run, "restart") > 0.5,
      .function_restart = run_option(run, "function_restart") > 0.5,
      .beta_most = 1.0,
  };
  s.greedy = s.restart && run_option(run, "extrapolation") > 0.5;
  const long patience = (long)run_option(run, "patience");
  scree_status status = begin_at(&s, run->g);
  if (!status && solve_is_new(run) && check(&s, 0)) return status;
  for (long iteration = 1; !status && !(patience > 0 && iteration > patience); iteration++) {
    const double moved = iterate(&s);
    if (!solve_due_hint(run, iteration, moved)) continue;
    if (check(&s, iteration)) break;
    status = guard(&s);
  }
  return status;
}

const solver_class solver_apgd = {
    .name = "apgd",
    .summary = "accelerated projected gradient descent with adaptive step and restart",
    .options = apgd_options,
    .option_count = sizeof apgd_options / sizeof apgd_options[0],
    .coulomb = false,
    .projects = true,
    .spreads = true,
    .judges_start = true,
    .vector_count = 3,
    .run = run_apgd,
};
