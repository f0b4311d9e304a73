/* Preconditioned spectral projected gradient with fallback, for
 * min f = 1/2 g'Ng + r'g over the sets; u = N g + r is the gradient.
 *
 *   d = P(g - alpha e u) - g                   in the metric of operator_metric.h, so d'u < 0
 *   g += lambda d, u += lambda N d             one product, N d, per iteration
 *   f(g + lambda d) = f + lambda u'd + 1/2 lambda^2 d'Nd      exact: trials cost no product
 *   lambda = 1, accepted when f(g + lambda d) <= max of the last `memory` f + 1e-4 lambda u'd,
 *            else the minimiser of that parabola within [0.1, 0.9] of the last lambda
 *   alpha = (d'd/e)/(d'Nd) and (d'Nd)/(Nd'Nd e) in turn: Barzilai and Borwein's two lengths for
 *            the preconditioner 1/e
 *
 * u is computed afresh every 50 iterations. Where N is not quite symmetric u is still the field
 * whose zero is sought, and f only steers the search. The monitor returns the best iterate, since
 * neither f nor the residual falls from step to step. */
#include <math.h>

#include "ccp/operator_metric.h"
#include "solve/solver.h"

enum { MEMORY_MOST = 50, REFRESH = 50, TRIALS = 60 };

static const scree_option_def spg_options[] = {
    {"memory", SCREE_OPTION_INT, 10, 1, MEMORY_MOST, NULL, "",
     "past objectives that a step may climb to"},
    {"alternate", SCREE_OPTION_BOOL, 1, 0, 1, NULL, "",
     "take the two spectral step lengths in turn, not the long one only"},
};

typedef struct spg {
  double *g, *u, *d, *nd;
  double past[MEMORY_MOST];
  int memory, filled, at;
  double f; /* since the start: summed from the steps, so that small falls are not lost in f */
  double alpha;
  bool alternate;
} spg;

static double worst_past(const spg *s) {
  double worst = -INFINITY;
  for (int k = 0; k < s->filled; k++) worst = fmax(worst, s->past[k]);
  return worst;
}

static void remember(spg *s) {
  s->past[s->at] = s->f;
  s->at = (s->at + 1) % s->memory;
  if (s->filled < s->memory) s->filled++;
}

static void refresh(solve_run *run, spg *s) {
  op_local_velocity(run->op, s->g, s->u);
  run->products++;
}

static double search(const spg *s, double slope, double curvature) {
  const double worst = worst_past(s);
  double lambda = 1.0;
  for (int trial = 0; trial < TRIALS; trial++) {
    const double change = lambda * slope + 0.5 * lambda * lambda * curvature;
    if (s->f + change <= worst + 1e-4 * lambda * slope) break;
    const double least = curvature > 0.0 ? -slope / curvature : 0.5 * lambda;
    lambda = fmin(fmax(least, 0.1 * lambda), 0.9 * lambda);
  }
  return lambda;
}

/* False: the step is lost in rounding. */
static bool step(solve_run *run, spg *s, long iteration) {
  ccp_operator *op = run->op;
  op_metric_step(op, s->g, s->alpha, s->u, s->d);
  op_combine(op, 1.0, s->d, -1.0, s->g, s->d);
  const double size = op_metric_dot(op, s->d, s->d);
  /* d leads to a projection, so that u'd <= -|d|^2 / alpha: where the sum, of terms that cancel, is
   * lost in rounding, that holds still. */
  const double slope = fmin(op_dot(op, s->u, s->d), -size / s->alpha);
  if (!(size > 0.0) || !(slope < 0.0)) return false;
  op_apply(op, s->d, s->nd);
  run->products++;
  const double curvature = op_dot(op, s->d, s->nd);
  const double lambda = search(s, slope, curvature);
  op_combine(op, 1.0, s->g, lambda, s->d, s->g);
  op_combine(op, 1.0, s->u, lambda, s->nd, s->u);
  s->f += lambda * slope + 0.5 * lambda * lambda * curvature;
  remember(s);
  const double length = op_metric_dual_dot(op, s->nd, s->nd);
  const bool second = s->alternate && iteration % 2 == 0;
  const double alpha = second ? curvature / length : size / curvature;
  s->alpha = curvature > 0.0 && isfinite(alpha) ? fmin(fmax(alpha, 1e-10), 1e10) : 1e10;
  return true;
}

static scree_status run_spg(solve_run *run) {
  spg s = {
      .g = run->vector[1],
      .u = run->vector[2],
      .d = run->vector[3],
      .nd = run->vector[4],
      .memory = (int)run_option(run, "memory"),
      .alternate = run_option(run, "alternate") > 0.5,
      .alpha = 1.0,
  };
  const scree_status status = op_metric_prepare(run->op, NULL, 0);
  if (status) return status;
  op_copy(run->op, run->g, s.g);
  refresh(run, &s);
  remember(&s);
  int lost = 0;
  for (long iteration = 1;; iteration++) {
    if (iteration % REFRESH == 0) refresh(run, &s);
    const bool moved = step(run, &s, iteration);
    lost = moved ? 0 : lost + 1;
    if (!moved) {
      s.alpha = 1.0;
      refresh(run, &s);
    }
    if ((solve_due(run, iteration) || lost) && solve_check(run, iteration, s.g, s.u)) break;
    if (lost > 2) {
      solve_finish(run, SCREE_OUTCOME_STALLED, "steps are lost in rounding at iteration %ld",
                   iteration);
      break;
    }
  }
  return SCREE_OK;
}

const solver_class solver_spg = {
    .name = "spg",
    .summary = "spectral projected gradient (Barzilai-Borwein) with a non-monotone search",
    .options = spg_options,
    .option_count = sizeof spg_options / sizeof spg_options[0],
    .coulomb = false,
    .projects = true,
    .vector_count = 5,
    .run = run_spg,
};
