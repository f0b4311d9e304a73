/* Sets of the user's own (scree/ccp.h): known by their projection alone. */
#include <string.h>

#include "ccp/sets/set.h"

enum { MOST_STEPS = 2000 };

static const char *fault(const scree_set *set) {
  if (set->dim < 1 || set->dim > SCREE_MAX_DIM) return "a user's set has 1 to 6 rows";
  if (!set->user) return "a user's set needs its functions";
  if (!set->user->project || !set->user->dual_violation)
    return "a user's set needs project and dual_violation";
  return NULL;
}

static void project(const scree_set *set, double moment_weight, double *x) {
  (void)moment_weight; /* all rows weigh the same */
  if (set_finite(set->dim, x))
    set->user->project(set->user, set->dim, x);
  else
    set_fill_nan(set->dim, x);
}

static double dual_violation(const scree_set *set, const double *u) {
  return set->user->dual_violation(set->user, set->dim, u);
}

static double shift(const scree_set *set, const double *u) {
  return set->user->shift ? set->user->shift(set->user, set->dim, u) : 0.0;
}

/* An upper bound of the largest eigenvalue: of a symmetric matrix the largest sum of a row. */
static double bound_of(int d, const double *n) {
  double most = 0.0;
  for (int i = 0; i < d; i++) {
    double sum = 0.0;
    for (int j = 0; j < d; j++) sum += fabs(n[i * d + j]);
    most = set_larger(most, sum);
  }
  return most;
}

static void velocity(const scree_set *set, bool exact, const double *n, const double *q,
                     const double *g, double *u) {
  const int d = set->dim;
  for (int i = 0; i < d; i++) {
    u[i] = q[i];
    for (int j = 0; j < d; j++) u[i] += n[i * d + j] * g[j];
  }
  if (exact) u[0] += shift(set, u);
}

/* Gradient steps with Nesterov's extrapolation, begun anew where they go uphill; with a shift
 * nothing is minimised, and plain steps are made. */
static bool solve(const scree_set *set, scree_model model, const double *nii, const double *q,
                  double *g) {
  const bool exact = model == SCREE_MODEL_COULOMB && set->user->shift;
  const int d = set->dim;
  if (set->user->solve) return set->user->solve(set->user, d, exact, nii, q, g);
  const double bound = bound_of(d, nii), step = bound > 0.0 ? 1.0 / bound : 1.0;
  double y[SCREE_MAX_DIM], u[SCREE_MAX_DIM], next[SCREE_MAX_DIM], t = 1.0;
  project(set, 1.0, g);
  memcpy(y, g, (size_t)d * sizeof *y);
  for (int k = 0; k < MOST_STEPS; k++) {
    double change = 0.0, size = 0.0, uphill = 0.0;
    velocity(set, exact, nii, q, y, u);
    for (int i = 0; i < d; i++) next[i] = y[i] - step * u[i];
    project(set, 1.0, next);
    const double grown = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t));
    for (int i = 0; i < d; i++) {
      change = set_larger(change, fabs(next[i] - y[i]));
      size = set_larger(size, fabs(next[i]));
      uphill += u[i] * (next[i] - g[i]);
    }
    const double beta = exact || uphill > 0.0 ? 0.0 : (t - 1.0) / grown;
    for (int i = 0; i < d; i++) {
      y[i] = next[i] + beta * (next[i] - g[i]);
      g[i] = next[i];
    }
    t = uphill > 0.0 ? 1.0 : grown;
    if (!(change > 1e-15 * size)) return set_finite(d, g);
  }
  return false;
}

const set_ops set_user_ops = {.name = "user",
                              .role = SET_OPAQUE,
                              .fault = fault,
                              .project = project,
                              .dual_violation = dual_violation,
                              .shift = shift,
                              .solve = solve};
