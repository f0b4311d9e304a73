/* Coulomb friction in 2-D and 3-D: |t| <= mu n, with modifiers -c <= n <= cap, |t| <= mu (n + c).
 *
 * With s = n + c and a = |t| the squared distance at a given s is (s - s0)^2 + max(0, a - mu s)^2;
 * its free minimum is (s0 + mu a)/(1 + mu^2) if s0 is outside, clamped to [0, cap + c] (set.h). */
#include "ccp/sets/local.h"
#include "ccp/sets/set.h"

static const char *fault(const scree_set *set) {
  if (set->dim != 2 && set->dim != 3) return "a Coulomb cone has 2 or 3 rows";
  if (!set_is_coefficient(set->mu)) return "mu must be finite and not negative";
  return NULL;
}

static double tangent_norm(const scree_set *set, const double *x) {
  return set->dim == 2 ? fabs(x[1]) : set_norm2(x[1], x[2]);
}

/* (s + mu a)/(1 + mu^2), also where mu^2 would overflow. */
static double boundary_normal(double mu, double s, double a) {
  return mu <= 1.0 ? (s + mu * a) / (1.0 + mu * mu) : (s / mu + a) / (1.0 / mu + mu);
}

static void project(const scree_set *set, double moment_weight, double *x) {
  (void)moment_weight;
  if (!set_finite(set->dim, x)) {
    set_fill_nan(set->dim, x);
    return;
  }
  const double mu = set->mu, c = set->cohesion;
  const double a = tangent_norm(set, x);
  double s = x[0] + c;
  if (a > mu * s) {
    s = boundary_normal(mu, s, a);
    x[0] = s - c;
  }
  s = set_clamp_normal(set, s, x);
  if (a > mu * s) {
    const double scale = mu * s / a;
    for (int i = 1; i < set->dim; i++) x[i] *= scale;
  }
}

static double shift(const scree_set *set, const double *u) {
  return set->mu * tangent_norm(set, u);
}

static double dual_violation(const scree_set *set, const double *u) {
  return set_positive(shift(set, u) - u[0]);
}

static bool solve(const scree_set *set, scree_model model, const double *nii, const double *q,
                  double *g) {
  return set_local_cone(set, set->mu, set->dim == 3 ? set->mu : 0.0, model, nii, q, g);
}

static void outline(const scree_set *set, set_outline *out) {
  set_add_disc(out, 1, set->dim - 1, set->mu);
}

static void scale(scree_set *set, const double *root) {
  set->mu *= root[0] / root[1];
}

const set_ops set_coulomb_ops = {.name = "coulomb",
                                 .role = SET_CONE,
                                 .outline = outline,
                                 .scale = scale,
                                 .fault = fault,
                                 .project = project,
                                 .dual_violation = dual_violation,
                                 .shift = shift,
                                 .solve = solve,
                                 .modifiable = true};
