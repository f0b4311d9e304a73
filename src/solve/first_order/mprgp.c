/* Modified proportioning with reduced gradient projections (Dostál and Schöberl) for
 * bounds, in the scaled variables of bounds.c: A = S N S, gradient a = A z + S r.
 *
 *   free part     phi_i  = a_i where l < z < h, else 0
 *   chopped part  beta_i = the part of a_i that a bound does not hold back, where z is at a bound
 *   reduced       rho_i  = phi_i cut so that z - step rho stays within the bounds
 *   proportional: |beta|^2 <= Gamma^2 rho'phi
 *     conjugate gradient step z -= alpha p on the face; when it would cross a bound go to the
 * bound, then z = clamp(z - step phi), a afresh, p = phi else z -= alpha beta with alpha =
 * a'beta/beta'A beta, cut at the first bound
 *
 * step = 1.9/|A|, |A| by power iterations and 5% more (any step below 2/|A| descends). A direction
 * with no curvature and no bound ahead has no minimum on it: the problem has no solution. */
#include <math.h>

#include "solve/existence/bounds.h"

static const scree_option_def mprgp_options[] = {
    {"gamma", SCREE_OPTION_REAL, 1.0, 0.01, 100.0, NULL, "",
     "how far the chopped gradient may exceed the free one on a face"},
    {"step", SCREE_OPTION_REAL, 1.9, 0.1, 2.0, NULL, "", "expansion step in units of 1/|N|"},
};

typedef struct mprgp {
  bounds b;
  double *z, *a, *p, *ap;
  double step, gamma2;
} mprgp;

static double free_part(const mprgp *s, size_t i) {
  return bounds_is_free(&s->b, i, s->z[i]) ? s->a[i] : 0.0;
}

static double chopped_part(const mprgp *s, size_t i) {
  return bounds_is_free(&s->b, i, s->z[i]) ? 0.0 : bounds_projected(&s->b, i, s->z[i], s->a[i]);
}

static bool proportional(const mprgp *s) {
  double chopped = 0.0, reduced = 0.0;
  for (size_t i = 0; i < s->b.n; i++) {
    const double phi = free_part(s, i), beta = chopped_part(s, i);
    const double rho = (s->z[i] - bounds_clamp(&s->b, i, s->z[i] - s->step * phi)) / s->step;
    chopped += beta * beta;
    reduced += rho * phi;
  }
  return chopped <= s->gamma2 * reduced;
}

/* How far z - alpha p may go before a bound. */
static double reach(const mprgp *s) {
  double most = INFINITY;
  for (size_t i = 0; i < s->b.n; i++) {
    if (s->p[i] > 0.0)
      most = fmin(most, (s->z[i] - s->b.lo[i]) / s->p[i]);
    else if (s->p[i] < 0.0)
      most = fmin(most, (s->z[i] - s->b.hi[i]) / s->p[i]);
  }
  return most;
}

static void move(mprgp *s, double alpha) {
  for (size_t i = 0; i < s->b.n; i++) {
    s->z[i] = bounds_clamp(&s->b, i, s->z[i] - alpha * s->p[i]);
    s->a[i] -= alpha * s->ap[i];
  }
}

static void restart_directions(mprgp *s) {
  for (size_t i = 0; i < s->b.n; i++) s->p[i] = free_part(s, i);
}

/* False: unbounded. */
static bool face_step(mprgp *s) {
  ccp_operator *op = s->b.run->op;
  bounds_apply(&s->b, s->p, s->ap);
  const double along = op_dot(op, s->a, s->p), curvature = op_dot(op, s->p, s->ap);
  const double size = op_dot(op, s->p, s->p);
  if (!(size > 0.0)) return true;
  const double most = reach(s);
  const bool flat = curvature <= 1e-15 * size;
  if (flat && isinf(most)) return false;
  const double alpha = flat ? INFINITY : along / curvature;
  if (alpha <= most) {
    move(s, alpha);
    double mixed = 0.0;
    for (size_t i = 0; i < s->b.n; i++) mixed += free_part(s, i) * s->ap[i];
    const double gamma = mixed / curvature;
    for (size_t i = 0; i < s->b.n; i++) s->p[i] = free_part(s, i) - gamma * s->p[i];
    return true;
  }
  move(s, most);
  for (size_t i = 0; i < s->b.n; i++)
    s->z[i] = bounds_clamp(&s->b, i, s->z[i] - s->step * free_part(s, i));
  bounds_gradient(&s->b, s->z, s->a);
  restart_directions(s);
  return true;
}

static bool proportioning_step(mprgp *s) {
  ccp_operator *op = s->b.run->op;
  for (size_t i = 0; i < s->b.n; i++) s->p[i] = chopped_part(s, i);
  bounds_apply(&s->b, s->p, s->ap);
  const double along = op_dot(op, s->a, s->p), curvature = op_dot(op, s->p, s->ap);
  const double most = reach(s);
  const bool flat = curvature <= 1e-15 * op_dot(op, s->p, s->p);
  if (flat && isinf(most)) return false;
  move(s, flat ? most : fmin(along / curvature, most));
  restart_directions(s);
  return true;
}

static scree_status run_mprgp(solve_run *run) {
  enum { REFRESH = 100 };
  mprgp s = {
      .z = run->vector[BOUNDS_VECTORS],
      .a = run->vector[BOUNDS_VECTORS + 1],
      .p = run->vector[BOUNDS_VECTORS + 2],
      .ap = run->vector[BOUNDS_VECTORS + 3],
      .gamma2 = pow(run_option(run, "gamma"), 2.0),
  };
  bounds_begin(run, &s.b, s.z);
  s.step = run_option(run, "step") / (1.05 * bounds_largest(&s.b, s.p, s.ap));
  bounds_gradient(&s.b, s.z, s.a);
  restart_directions(&s);
  for (long iteration = 1;; iteration++) {
    if (iteration % REFRESH == 0) bounds_gradient(&s.b, s.z, s.a);
    const bool bounded = proportional(&s) ? face_step(&s) : proportioning_step(&s);
    if ((solve_due(run, iteration) || !bounded) && bounds_check(&s.b, iteration, s.z)) break;
    if (bounded) continue;
    for (size_t i = 0; i < s.b.n; i++) s.b.x[i] = -s.b.scale[i] * s.p[i];
    if (solve_prove_infeasible(run, s.b.x)) break;
    solve_finish(run, SCREE_OUTCOME_STALLED,
                 "impulses may grow without end along a direction that pushes nothing: probably no "
                 "solution");
    break;
  }
  return SCREE_OK;
}

const solver_class solver_mprgp = {
    .name = "mprgp",
    .summary = "proportioned conjugate gradients with projections, for problems without friction",
    .options = mprgp_options,
    .option_count = sizeof mprgp_options / sizeof mprgp_options[0],
    .coulomb = true,
    .vector_count = BOUNDS_VECTORS + 4,
    .refuse = bounds_refuse,
    .run = run_mprgp,
};
