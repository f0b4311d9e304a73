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
 * The step itself is one verb of the operator (operator_momentum.h): N next is computed afresh each
 * time, so rounding does not gather.
 *
 * N that is not quite symmetric: the steps use N as given, so a fixed point solves the variational
 * inequality of the file, not of (N + N')/2. Its field is monotone but has a turning part, which
 * momentum can amplify where the symmetric part is flat. Hence a guard, for such problems only:
 * when the merit has risen to 100 times the best, go back to the best iterate and cap beta at
 * 0.999, then 0.99, 0.9 and 0: with beta = 0 and L from the majorant test it is the plain projected
 * step. */
#include <math.h>

#include "base/memory.h"
#include "ccp/operator_momentum.h"
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
  double theta, beta, l, grow, shrink, beta_most, objective;
  bool restart;
} apgd;

static scree_status begin_at(apgd *s, const double *start) {
  s->run->products++;
  s->theta = 1.0;
  s->beta = 0.0;
  s->objective = INFINITY;
  return op_momentum_begin(s->run->op, start);
}

static void iterate(apgd *s) {
  ccp_operator *op = s->run->op;
  op_momentum_sums sums;
  for (int tries = 0;; tries++) {
    sums = op_momentum_step(op, s->beta, 1.0 / s->l);
    s->run->products++;
    if (!(sums.curvature > s->l * sums.distance2 * (1.0 + 1e-12)) || tries > 60) break;
    s->l *= s->grow;
  }
  op_momentum_accept(op);
  const double theta2 = s->theta * s->theta;
  const double theta_next = 0.5 * (-theta2 + s->theta * sqrt(theta2 + 4.0));
  double beta = s->theta * (1.0 - s->theta) / (theta2 + theta_next);
  s->theta = theta_next;
  const bool grown = sums.objective > s->objective + 1e-14 * fabs(s->objective);
  if (s->restart && (sums.uphill > 0.0 || grown)) {
    beta = 0.0;
    s->theta = 1.0;
  }
  s->objective = sums.objective;
  s->beta = fmin(beta, s->beta_most);
  s->l *= s->shrink;
}

/* For N that is not symmetric; see the head. */
static scree_status guard(apgd *s) {
  const solve_run *run = s->run;
  if (run->op->asymmetry <= 1e-12 || !(run->merit > 100.0 * run->best_merit)) return SCREE_OK;
  s->beta_most = s->beta_most >= 1.0 ? 0.999 : fmax(0.0, 1.0 - 10.0 * (1.0 - s->beta_most));
  return begin_at(s, run->best);
}

static scree_status run_apgd(solve_run *run) {
  apgd_state *kept = *run->state;
  if (!kept) {
    kept = *run->state = memory_new(run->context, 1, sizeof *kept);
    if (!kept) return SCREE_ERROR_MEMORY;
    kept->l = 1.0;
  }
  apgd s = {
      .run = run,
      .l = kept->l,
      .grow = run_option(run, "grow"),
      .shrink = run_option(run, "shrink"),
      .restart = run_option(run, "restart") > 0.5,
      .beta_most = 1.0,
  };
  double *g = run->vector[1], *u = run->vector[2];
  scree_status status = begin_at(&s, run->g);
  for (long iteration = 1; !status; iteration++) {
    iterate(&s);
    if (!solve_due(run, iteration)) continue;
    op_momentum_get(run->op, g, u);
    if (solve_check(run, iteration, g, u)) break;
    status = guard(&s);
  }
  if (isfinite(s.l) && s.l > 1e-6 && s.l < 1e6) kept->l = s.l;
  return status;
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
    .vector_count = 3,
    .run = run_apgd,
    .release = release,
};
