/* Sliding, rolling and spinning resistance: |t| <= mu n, |m_T| <= rho n, |m_n| <= sigma n.
 *   4 rows: n t1 t2 mn     5 rows: n t1 t2 mt1 mt2     6 rows: n t1 t2 mt1 mt2 mn
 *
 * Exact projection: with groups of norm a_j, coefficient k_j and weight w_j (1 for force, w for
 * moment) the squared distance at a given normal s = n + c is
 *   (s - s0)^2 + sum_j w_j max(0, a_j - k_j s)^2,
 * whose derivative is increasing and piecewise linear with kinks at a_j/k_j. Groups are taken in
 * descending order of their kink until the root s = (s0 + sum w k a)/(1 + sum w k^2) lies above the
 * next; then s is clamped to [0, cap + c] (set.h) and each group shrunk to k_j s. */
#include "ccp/sets/local.h"
#include "ccp/sets/set.h"

typedef struct group {
  int first, count; /* rows */
  double k, w, a;
  double kink; /* a/k */
} group;

static const char *fault(const scree_set *set) {
  if (set->dim < 4 || set->dim > 6) return "a rolling cone has 4, 5 or 6 rows";
  if (!set_is_coefficient(set->mu)) return "mu must be finite and not negative";
  if (rows_roll(set->dim) && !set_is_coefficient(set->rolling))
    return "rolling must be finite and not negative";
  if (rows_spin(set->dim) && !set_is_coefficient(set->spinning))
    return "spinning must be finite and not negative";
  return NULL;
}

static void outline(const scree_set *set, set_outline *out) {
  set_add_disc(out, 1, 2, set->mu);
  if (rows_roll(set->dim)) set_add_disc(out, ROWS_ROLLING, 2, set->rolling);
  if (rows_spin(set->dim)) set_add_disc(out, rows_spinning(set->dim), 1, set->spinning);
}

static group group_make(int first, int count, double k, double w, const double *x) {
  const double a = count == 1 ? fabs(x[first]) : set_norm2(x[first], x[first + 1]);
  return (group){first, count, k, w, a, k > 0.0 ? a / k : INFINITY};
}

/* The discs of the outline without its other members: projections spend their time here. */
static int groups_of(const scree_set *set, double w, const double *x, group *g) {
  const int dim = set->dim;
  int n = 0;
  g[n++] = group_make(1, 2, set->mu, 1.0, x);
  if (rows_roll(dim)) g[n++] = group_make(ROWS_ROLLING, 2, set->rolling, w, x);
  if (rows_spin(dim)) g[n++] = group_make(rows_spinning(dim), 1, set->spinning, w, x);
  return n;
}

static void sort_by_kink(int count, group *g) {
  for (int i = 1; i < count; i++)
    for (int j = i; j > 0 && g[j].kink > g[j - 1].kink; j--) {
      const group swap = g[j];
      g[j] = g[j - 1];
      g[j - 1] = swap;
    }
}

static void project(const scree_set *set, double moment_weight, double *x) {
  if (!set_finite(set->dim, x)) {
    set_fill_nan(set->dim, x);
    return;
  }
  group g[SET_MAX_DISCS];
  const int count = groups_of(set, moment_weight, x, g);
  sort_by_kink(count, g);
  const double c = set->cohesion;
  double s = x[0] + c;
  double numerator = s, denominator = 1.0;
  for (int j = 0; j < count && g[j].kink > s; j++) {
    numerator += g[j].w * g[j].k * g[j].a;
    denominator += g[j].w * g[j].k * g[j].k;
    s = numerator / denominator;
    x[0] = s - c;
  }
  s = set_clamp_normal(set, s, x);
  for (int j = 0; j < count; j++) {
    if (!(g[j].a > g[j].k * s)) continue;
    const double scale = g[j].k * s / g[j].a;
    for (int i = 0; i < g[j].count; i++) x[g[j].first + i] *= scale;
  }
}

static double shift(const scree_set *set, const double *u) {
  group g[SET_MAX_DISCS];
  const int count = groups_of(set, 1.0, u, g);
  double sum = 0.0;
  for (int j = 0; j < count; j++) sum += g[j].k * g[j].a;
  return sum;
}

static double dual_violation(const scree_set *set, const double *u) {
  return set_positive(shift(set, u) - u[0]);
}

static void scale(scree_set *set, const double *root) {
  set->mu *= root[0] / root[1];
  if (rows_roll(set->dim)) set->rolling *= root[0] / root[ROWS_ROLLING];
  if (rows_spin(set->dim)) set->spinning *= root[0] / root[rows_spinning(set->dim)];
}

const set_ops set_rolling_ops = {.name = "rolling",
                                 .role = SET_CONE,
                                 .outline = outline,
                                 .scale = scale,
                                 .fault = fault,
                                 .project = project,
                                 .dual_violation = dual_violation,
                                 .shift = shift,
                                 .solve = set_local_rolling,
                                 .modifiable = true};
