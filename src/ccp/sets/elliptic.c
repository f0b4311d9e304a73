/* Anisotropic Coulomb friction: sqrt((t1/a1)^2 + (t2/a2)^2) <= n, a = (mu, mu2).
 *
 * Exact Euclidean projection, not a scaling of axes. Stationarity of the distance on the boundary,
 * with the multiplier eliminated by the normal row, leaves a secular equation in the new normal s:
 *
 *   h(s) = sum_i (a_i t_i / d_i)^2 = 1,   t_i' = t_i a_i^2 s / d_i,   d_i = (1 + a_i^2) s - s0.
 *
 * With s = max(s0, 0) + p, d_i = e_i p + f_i where e_i = 1 + a_i^2 and f_i = a_i^2 s0 or -s0: sums
 * of terms that are not negative, so nothing cancels at any ratio of a1 to a2. 1/sqrt(h) is
 * increasing and concave in p, thus Newton on 1/sqrt(h) = 1 climbs monotonically from any p left of
 * the root; the larger root of the two terms alone is such a start, and has h between 1 and 2.
 *
 * A cap m on s: project (t1, t2) on the ellipse of half axes m a_i, which is the same equation with
 * e_i = 1, f_i = a_i^2 m and t_i' = t_i f_i / (p + f_i). */
#include "ccp/sets/local.h"
#include "ccp/sets/set.h"

enum { ELLIPTIC_MAX_STEPS = 60 };

typedef struct secular {
  double c[2]; /* a_i |t_i| */
  double e[2], f[2];
} secular;

static const char *fault(const scree_set *set) {
  if (set->dim != 3) return "an elliptic cone has 3 rows";
  if (!set_is_coefficient(set->mu) || !set_is_coefficient(set->mu2))
    return "mu and mu2 must be finite and not negative";
  return NULL;
}

/* The root p >= 0 of sum (c/(e p + f))^2 = 1; 0 where the sum is below 1 already at p = 0. */
static double secular_root(const secular *q) {
  double p = 0.0;
  for (int i = 0; i < 2; i++) p = set_larger(p, (q->c[i] - q->f[i]) / q->e[i]);
  for (int step = 0; step < ELLIPTIC_MAX_STEPS; step++) {
    double h = 0.0, slope = 0.0;
    for (int i = 0; i < 2; i++) {
      if (q->c[i] == 0.0) continue;
      const double d = q->e[i] * p + q->f[i], r = q->c[i] / d;
      h += r * r;
      slope += r * r * (q->e[i] / d);
    }
    if (!(h > 1.0)) break;
    const double next = p + h * (sqrt(h) - 1.0) / slope;
    if (!(next > p)) break;
    p = next;
  }
  return p;
}

static double scaled_norm(const double *a, const double *t) {
  return set_norm2(a[0] * t[0], a[1] * t[1]);
}

static bool in_ellipse(const double *a, const double *t, double s) {
  const double x = t[0] == 0.0 ? 0.0 : t[0] / a[0], y = t[1] == 0.0 ? 0.0 : t[1] / a[1];
  return set_norm2(x, y) <= s;
}

/* The nearest point of the uncapped cone with apex 0; returns its normal, t in place. */
static double project_cone(const double *a, double s0, double *t) {
  if (in_ellipse(a, t, s0)) return s0;
  if (scaled_norm(a, t) <= -s0) {
    t[0] = t[1] = 0.0;
    return 0.0;
  }
  secular q;
  for (int i = 0; i < 2; i++) {
    q.c[i] = a[i] * fabs(t[i]);
    q.e[i] = 1.0 + a[i] * a[i];
    q.f[i] = s0 > 0.0 ? a[i] * a[i] * s0 : -s0;
  }
  const double p = secular_root(&q), s = set_larger(s0, 0.0) + p;
  for (int i = 0; i < 2; i++)
    t[i] = q.c[i] == 0.0 ? 0.0 : t[i] * (a[i] * a[i] * s / (q.e[i] * p + q.f[i]));
  return s;
}

/* The nearest point of the ellipse with half axes m a. */
static void project_ellipse(const double *a, double m, double *t) {
  if (in_ellipse(a, t, m)) return;
  secular q;
  for (int i = 0; i < 2; i++) {
    q.c[i] = a[i] * fabs(t[i]);
    q.e[i] = 1.0;
    q.f[i] = a[i] * a[i] * m;
  }
  const double p = secular_root(&q);
  for (int i = 0; i < 2; i++) t[i] = q.c[i] == 0.0 ? 0.0 : t[i] * (q.f[i] / (p + q.f[i]));
}

static void project(const scree_set *set, double moment_weight, double *x) {
  (void)moment_weight;
  if (!set_finite(3, x)) {
    set_fill_nan(3, x);
    return;
  }
  const double a[2] = {set->mu, set->mu2}, c = set->cohesion;
  const double s0 = x[0] + c;
  double t[2] = {x[1], x[2]};
  const double s = project_cone(a, s0, t);
  if (s != s0) x[0] = s == 0.0 ? -c : s - c;
  if (x[0] > set->cap) {
    x[0] = set->cap;
    t[0] = x[1];
    t[1] = x[2];
    project_ellipse(a, set->cap + c, t);
  }
  x[1] = t[0];
  x[2] = t[1];
}

static double shift(const scree_set *set, const double *u) {
  const double a[2] = {set->mu, set->mu2};
  return scaled_norm(a, u + 1);
}

static double dual_violation(const scree_set *set, const double *u) {
  return set_positive(shift(set, u) - u[0]);
}

static bool solve(const scree_set *set, scree_model model, const double *nii, const double *q,
                  double *g) {
  return set_local_cone(set, set->mu, set->mu2, model, nii, q, g);
}

static void outline(const scree_set *set, set_outline *out) {
  out->disc[out->disc_count++] = (set_disc){1, 2, {set->mu, set->mu2}, false};
}

static void scale(scree_set *set, const double *root) {
  set->mu *= root[0] / root[1];
  set->mu2 *= root[0] / root[2];
}

const set_ops set_elliptic_ops = {.name = "elliptic",
                                  .role = SET_CONE,
                                  .outline = outline,
                                  .scale = scale,
                                  .fault = fault,
                                  .project = project,
                                  .dual_violation = dual_violation,
                                  .shift = shift,
                                  .solve = solve,
                                  .modifiable = true};
