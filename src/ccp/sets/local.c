/* The one-block problem: dispatch, bilateral rows, scalars, and the scaling of Coulomb and elliptic
 * blocks to the standard cone (sets/cone.h). Cohesion moves the apex to 0 by q - c N e_n. */
#include "ccp/sets/local.h"
#include "ccp/sets/cone.h"
#include "ccp/sets/set.h"
#include <float.h>

static bool unsymmetric(int d, const double *n) {
  for (int i = 1; i < d; i++)
    for (int j = 0; j < i; j++)
      if (fabs(n[i * d + j] - n[j * d + i]) > 1e-14 * (n[i * d + i] + n[j * d + j])) return true;
  return false;
}

/* N = S + A: S is solved with, A acts on the given g. */
static bool solve_unsymmetric(const scree_set *set, scree_model model, const double *nii,
                              const double *q, double *g) {
  const int d = set->dim;
  double s[SCREE_MAX_DIM * SCREE_MAX_DIM], r[SCREE_MAX_DIM];
  for (int i = 0; i < d; i++) {
    r[i] = q[i];
    for (int j = 0; j < d; j++) {
      s[i * d + j] = 0.5 * (nii[i * d + j] + nii[j * d + i]);
      r[i] += 0.5 * (nii[i * d + j] - nii[j * d + i]) * g[j];
    }
  }
  return set_solve_kind(set, model, s, r, g);
}

bool set_solve_block(const scree_set *set, scree_model model, const double *nii, const double *q,
                     double *g) {
  if (!set_finite(set->dim, q)) {
    set_fill_nan(set->dim, g);
    return false;
  }
  if (unsymmetric(set->dim, nii)) return solve_unsymmetric(set, model, nii, q, g);
  return set_solve_kind(set, model, nii, q, g);
}

/* A correction of the given g by a Cholesky factorisation that leaves out redundant rows. */
bool set_local_free(const scree_set *set, scree_model model, const double *nii, const double *q,
                    double *g) {
  (void)model;
  const int d = set->dim;
  double l[SCREE_MAX_DIM][SCREE_MAX_DIM], r[SCREE_MAX_DIM], size = 0.0, left = 0.0;
  bool used[SCREE_MAX_DIM];
  for (int i = 0; i < d; i++) {
    r[i] = -q[i];
    size = set_larger(size, fabs(q[i]));
    for (int j = 0; j < d; j++) {
      r[i] -= nii[i * d + j] * g[j];
      size = set_larger(size, fabs(nii[i * d + j] * g[j]));
    }
  }
  for (int i = 0; i < d; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = nii[i * d + j];
      for (int k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
      if (i != j)
        l[i][j] = used[j] ? sum / l[j][j] : 0.0;
      else {
        used[i] = sum > 64.0 * DBL_EPSILON * nii[i * d + i];
        l[i][i] = used[i] ? sqrt(sum) : 0.0;
      }
    }
    for (int k = 0; k < i; k++) r[i] -= l[i][k] * r[k];
    r[i] = used[i] ? r[i] / l[i][i] : 0.0;
  }
  for (int i = d - 1; i >= 0; i--) {
    for (int k = i + 1; k < d; k++) r[i] -= l[k][i] * r[k];
    r[i] = used[i] ? r[i] / l[i][i] : 0.0;
    g[i] += r[i];
  }
  for (int i = 0; i < d; i++) {
    double u = q[i];
    for (int j = 0; j < d; j++) {
      u += nii[i * d + j] * g[j];
      size = set_larger(size, fabs(nii[i * d + j] * g[j]));
    }
    left = set_larger(left, fabs(u));
  }
  return left <= 1e-9 * size;
}

bool set_local_clamp(double lo, double hi, double n, double q, double *g) {
  const double free = n > 0.0 ? -q / n : q > 0.0 ? -INFINITY : q < 0.0 ? INFINITY : g[0];
  const double bounded = free < lo ? lo : free > hi ? hi : free;
  if (isfinite(bounded)) {
    g[0] = bounded;
    return true;
  }
  if (!isfinite(g[0])) g[0] = 0.0;
  if (g[0] < lo) g[0] = lo;
  if (g[0] > hi) g[0] = hi;
  return false;
}

/* Rows without friction or with no mass behind them keep a positive pivot of their own. */
static set_cone scaled_block(double c, double a1, double a2, int d, const double *nii,
                             const double *q) {
  const double nn = nii[0];
  set_cone b = {.nn = nn, .t11 = nn, .t22 = nn, .q = {q[0] - c * nn, 0.0, 0.0}};
  if (a1 > 0.0) {
    b.n1 = a1 * nii[1];
    b.t11 = a1 * a1 * nii[d + 1];
    b.q[1] = a1 * (q[1] - c * nii[1]);
    if (!(b.t11 > 0.0)) b.t11 = DBL_EPSILON * nn;
  }
  if (a2 > 0.0) {
    b.n2 = a2 * nii[2];
    b.t22 = a2 * a2 * nii[2 * d + 2];
    b.q[2] = a2 * (q[2] - c * nii[2]);
    if (!(b.t22 > 0.0)) b.t22 = DBL_EPSILON * nn;
    if (a1 > 0.0) b.t12 = a1 * a2 * nii[d + 2];
  }
  return b;
}

/* Bodies that cannot move: g = apex is a solution if u = q allows it, else there is none. */
static bool immovable(const scree_set *set, scree_model model, const double *q, double *g) {
  g[0] = -set->cohesion;
  for (int i = 1; i < set->dim; i++) g[i] = 0.0;
  return q[0] >= set_least_parting(set, model, q);
}

static set_cone_flow cone_flow(const scree_set *set) {
  set_flow_parts parts;
  set_flow_split(set, &parts);
  return (set_cone_flow){parts.lift[1], {parts.along[1], set->dim == 3 ? parts.along[2] : 1.0}};
}

bool set_local_cone(const scree_set *set, double a1, double a2, scree_model model,
                    const double *nii, const double *q, double *g) {
  if (!(nii[0] > 0.0)) return immovable(set, model, q, g);
  const double c = set->cohesion;
  const set_cone block = scaled_block(c, a1, a2, set->dim, nii, q);
  const double i1 = a1 > 0.0 ? 1.0 / a1 : 0.0, i2 = a2 == a1 ? i1 : a2 > 0.0 ? 1.0 / a2 : 0.0;
  double y[3] = {g[0] + c, g[1] * i1, a2 > 0.0 ? g[2] * i2 : 0.0};
  const bool flows = model == SCREE_MODEL_COULOMB && set_has_flow(set);
  const set_cone_flow flow = flows ? cone_flow(set) : SET_CONE_COULOMB;
  const double top = set->cap + c;
  const bool solved = flows ? set_cone_search(&block, &flow, top, y)
                            : set_cone_below(&block, model == SCREE_MODEL_COULOMB, top, y);
  g[0] = y[0] >= top ? set->cap : y[0] - c;
  g[1] = a1 * y[1];
  if (set->dim == 3) g[2] = a2 * y[2];
  return solved;
}
