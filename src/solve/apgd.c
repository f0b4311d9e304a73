/* Accelerated projected gradient descent for min 1/2 g'Ng + r'g over the sets (METHODS 1), in
 * variables scaled by eta: z_i = g_i / sqrt(eta_i) leaves each block's cone as it is, so a step is
 * t eta_i with t = 1/L near 1 whatever the units and masses.
 *
 *   next = P(y - (1/L) eta (N y + r))          one product: N next
 *   L *= grow until d'Nd <= L |d|^2/eta, d = next - y      exact majorant of a quadratic
 *   theta+ = (-theta^2 + theta sqrt(theta^2 + 4))/2,  beta = theta (1 - theta)/(theta^2 + theta+)
 *   y = next + beta (next - g),  N y by the same combination of N next and N g
 *   restart (beta = 0, theta = 1) when (y - next)'(next - g)/eta > 0: the momentum runs against the
 *   gradient step; or when the objective has grown
 *   L *= shrink, and L is kept for the next solve
 *
 * Rounding gathers in N g by that linearity only through one combination, since N next is computed
 * afresh each time.
 *
 * N that is not quite symmetric: the steps use N as given, so a fixed point solves the variational
 * inequality of the file, not of (N + N')/2. Its field is monotone but has a turning part, which
 * momentum can amplify where the symmetric part is flat. Hence a guard, for such problems only:
 * when the merit has risen to 100 times the best, go back to the best iterate and cap beta at
 * 0.999, then 0.99, 0.9 and 0: with beta = 0 and L from the majorant test it is the plain projected
 * step. */
#include <math.h>

#include "base/memory.h"
#include "ccp/operator_fused.h"
#include "solve/solver.h"

static const scree_option_def apgd_options[] = {
    {"restart", SCREE_OPTION_BOOL, 1, 0, 1, NULL, "", "drop the momentum when it points uphill"},
    {"grow", SCREE_OPTION_REAL, 1.5, 1.01, 10.0, NULL, "", "factor on L when a step is too long"},
    {"shrink", SCREE_OPTION_REAL, 0.98, 0.1, 1.0, NULL, "", "factor on L after each iteration"},
};

typedef struct apgd_state {
  double l; /* the last L: the next problem of a run is much like this one */
} apgd_state;

typedef struct apgd {
  solve_run *run;
  double *y, *ny, *g, *ng, *next, *n_next, *u;
  double theta, l, grow, shrink, beta_most, objective;
  bool restart;
} apgd;

static void swap(double **a, double **b) {
  double *t = *a;
  *a = *b;
  *b = t;
}

static void begin_at(apgd *s, const double *start) {
  ccp_operator *op = s->run->op;
  op_copy(op, start, s->g);
  op_apply(op, s->g, s->ng);
  s->run->products++;
  op_copy(op, s->g, s->y);
  op_copy(op, s->ng, s->ny);
  s->theta = 1.0;
  s->objective = INFINITY;
}

static void iterate(apgd *s) {
  ccp_operator *op = s->run->op;
  op_step_sums sums;
  op_step_quality quality;
  for (int tries = 0;; tries++) {
    sums = op_step(op, s->y, 1.0 / s->l, s->ny, s->g, s->next);
    op_apply(op, s->next, s->n_next);
    s->run->products++;
    quality = op_judge_step(op, s->next, s->n_next, s->y, s->ny);
    if (!(quality.curvature > s->l * sums.distance2 * (1.0 + 1e-12)) || tries > 60) break;
    s->l *= s->grow;
  }
  const double theta2 = s->theta * s->theta;
  const double theta_next = 0.5 * (-theta2 + s->theta * sqrt(theta2 + 4.0));
  double beta = s->theta * (1.0 - s->theta) / (theta2 + theta_next);
  s->theta = theta_next;
  const bool grown = quality.objective > s->objective + 1e-14 * fabs(s->objective);
  if (s->restart && (sums.uphill > 0.0 || grown)) {
    beta = 0.0;
    s->theta = 1.0;
  }
  s->objective = quality.objective;
  op_extrapolate(op, fmin(beta, s->beta_most), s->next, s->n_next, s->g, s->ng, s->y, s->ny);
  swap(&s->g, &s->next);
  swap(&s->ng, &s->n_next);
  s->l *= s->shrink;
}

/* For N that is not symmetric; see the head. */
static void guard(apgd *s) {
  const solve_run *run = s->run;
  if (run->op->asymmetry <= 1e-12 || !(run->merit > 100.0 * run->best_merit)) return;
  s->beta_most = s->beta_most >= 1.0 ? 0.999 : fmax(0.0, 1.0 - 10.0 * (1.0 - s->beta_most));
  begin_at(s, run->best);
}

static scree_status run_apgd(solve_run *run) {
  ccp_operator *op = run->op;
  apgd_state *kept = *run->state;
  if (!kept) {
    kept = *run->state = memory_new(run->context, 1, sizeof *kept);
    if (!kept) return SCREE_ERROR_MEMORY;
    kept->l = 1.0;
  }
  apgd s = {
      .run = run,
      .y = run->vector[1],
      .ny = run->vector[2],
      .g = run->vector[3],
      .ng = run->vector[4],
      .next = run->vector[5],
      .n_next = run->vector[6],
      .u = run->vector[7],
      .l = kept->l,
      .grow = run_option(run, "grow"),
      .shrink = run_option(run, "shrink"),
      .restart = run_option(run, "restart") > 0.5,
      .beta_most = 1.0,
  };
  begin_at(&s, run->g);
  for (long iteration = 1;; iteration++) {
    iterate(&s);
    if (!solve_due(run, iteration)) continue;
    op_combine(op, 1.0, s.ng, 1.0, op->r, s.u);
    if (solve_check(run, iteration, s.g, s.u)) break;
    guard(&s);
  }
  if (isfinite(s.l) && s.l > 1e-6 && s.l < 1e6) kept->l = s.l;
  return SCREE_OK;
}

static void release(scree_context *context, void *state) {
  memory_free(context, state);
}

const solver_class solver_apgd = {
    .name = "apgd",
    .summary = "accelerated projected gradient descent with adaptive step and restart",
    .options = apgd_options,
    .option_count = sizeof apgd_options / sizeof apgd_options[0],
    .coulomb = false,
    .vector_count = 8,
    .run = run_apgd,
    .release = release,
};
