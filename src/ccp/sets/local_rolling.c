/* One block with rolling and spinning resistance, scaled so that every group obeys |tau_j| <= s.
 *
 * Newton on the Alart–Curnier map, which for groups that only share the normal is equivalent to the
 * complementarity problem:
 *
 *   s = P_[0,m](s - r v),   tau_j = P_disc(s)(z_j),   z_j = tau_j - r_j u_j,
 *   v = u_n (exact) or u_n - sum |u_j| (relaxed; |u_j| = -e_j'u_j, e_j = z_j/|z_j|, in slip);
 *   with a flow of the set's own u_n - sum lift_j |w_j|, w_j = D_j u_j in place of u_j: rows of N
 *   and q are multiplied by D.
 *
 * Written for a number of rows that the compiler knows, four to six: sweeps spend their time here.
 * It has no guarantee: when it does not settle, it works on proximal points, between projected
 * steps with the scaled set. */
#include "ccp/sets/local.h"
#include "ccp/sets/set.h"

static const double settled = 1e-14; /* of the map, relative to the impulses */
enum { ROLLING_GROUPS = 3, ROLLING_NEWTON_STEPS = 15, ROLLING_TRIALS = 40 };

typedef struct roll {
  int dim, groups;
  int first[ROLLING_GROUPS], count[ROLLING_GROUPS];
  double r[ROLLING_GROUPS], r_n;
  double n[SCREE_MAX_DIM][SCREE_MAX_DIM], q[SCREE_MAX_DIM], scale[SCREE_MAX_DIM];
  double top;                  /* bound of s */
  bool lifts;                  /* any of */
  double lift[ROLLING_GROUPS]; /* 0: exact, 1: relaxed */
  scree_set set;               /* the scaled set; its flow is that of w, along the normals */
} roll;

static void add_group(roll *p, const set_disc *d) {
  for (int i = d->first; i < d->first + d->count; i++) p->scale[i] = d->size[0];
  if (d->size[0] == 0.0) return;
  p->first[p->groups] = d->first;
  p->count[p->groups] = d->count;
  p->groups++;
}

static roll roll_of(const scree_set *set, scree_model model, const double *nii, const double *q) {
  roll p = {.dim = set->dim, .top = set->cap + set->cohesion, .set = *set};
  set_flow_parts parts = {.along = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}};
  const bool flows = model == SCREE_MODEL_COULOMB && set_has_flow(set);
  if (flows) set_flow_split(set, &parts);
  p.scale[0] = 1.0;
  const set_outline o = set_outline_of(set);
  for (int j = 0; j < o.disc_count; j++) add_group(&p, &o.disc[j]);
  p.set.mu = set->mu > 0.0;
  p.set.rolling = set->rolling > 0.0;
  p.set.spinning = set->spinning > 0.0;
  p.set.cohesion = 0.0;
  p.set.cap = p.top;
  for (int i = 0; i < p.dim; i++) {
    p.q[i] = p.scale[i] * (q[i] - set->cohesion * nii[i * p.dim]);
    for (int j = 0; j < p.dim; j++) p.n[i][j] = p.scale[i] * p.scale[j] * nii[i * p.dim + j];
    if (!(p.n[i][i] > 0.0)) p.n[i][i] = p.scale[i] == 0.0 ? nii[0] : 1e-15 * nii[0];
    for (int j = 0; flows && j < p.dim; j++) p.n[i][j] *= parts.along[i];
    p.q[i] *= parts.along[i];
  }
  p.r_n = 1.0 / p.n[0][0];
  for (int k = 0; k < p.groups; k++) {
    double trace = 0.0;
    for (int i = 0; i < p.count[k]; i++) trace += p.n[p.first[k] + i][p.first[k] + i];
    p.r[k] = p.count[k] / trace;
    p.lift[k] = model == SCREE_MODEL_RELAXED ? 1.0 : parts.lift[p.first[k]];
    p.lifts = p.lifts || p.lift[k] > 0.0;
  }
  return p;
}

#define SIZED static inline __attribute__((always_inline))

SIZED void velocity(const roll *p, int d, const double *y, double *u) {
  for (int i = 0; i < d; i++) {
    u[i] = p->q[i];
    for (int j = 0; j < d; j++) u[i] += p->n[i][j] * y[j];
  }
}

/* False: singular. The right-hand side is column dim. Rows come scaled so that the diagonal mostly
 * serves: they are exchanged where it is small, which a processor can estimate. */
SIZED bool solve_dense(int d, double m[][SCREE_MAX_DIM + 1]) {
  for (int k = 0; k < d; k++) {
    double largest = 0.0;
    for (int i = k + 1; i < d; i++) largest = set_larger(largest, fabs(m[i][k]));
    if (!(fabs(m[k][k]) > 0.1 * largest)) {
      int pivot = k;
      for (int i = k + 1; i < d; i++)
        if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
      if (!(fabs(m[pivot][k]) > 0.0)) return false;
      for (int j = k; j <= d; j++) {
        const double swap = m[k][j];
        m[k][j] = m[pivot][j];
        m[pivot][j] = swap;
      }
    }
    const double inverse = 1.0 / m[k][k];
    for (int i = k + 1; i < d; i++) {
      const double f = m[i][k] * inverse;
      for (int j = k + 1; j <= d; j++) m[i][j] -= f * m[k][j];
    }
  }
  for (int i = d - 1; i >= 0; i--) {
    for (int j = i + 1; j < d; j++) m[i][d] -= m[i][j] * m[j][d];
    m[i][d] /= m[i][i];
  }
  return true;
}

/* A group's rows of the Newton system; where it lifts also its part of row 0. Returns its
 * share of the map's residual. */
SIZED double group_rows(const roll *p, int d, int k, const double *y, const double *u, double *v,
                        double m[][SCREE_MAX_DIM + 1]) {
  const int first = p->first[k], count = p->count[k];
  const double lift = p->lift[k];
  double z[2] = {0.0, 0.0}, worst = 0.0;
  for (int i = 0; i < count; i++) z[i] = y[first + i] - p->r[k] * u[first + i];
  const double norm = set_norm2(z[0], z[1]);
  if (norm <= y[0]) {
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < d; j++) m[first + i][j] = p->r[k] * p->n[first + i][j];
      m[first + i][d] = -p->r[k] * u[first + i];
      worst = set_larger(worst, fabs(z[i] - y[first + i]));
    }
    return worst;
  }
  const double e[2] = {z[0] / norm, z[1] / norm};
  for (int i = 0; i < count; i++) {
    double *row = m[first + i];
    row[first + i] = 1.0;
    row[0] = -e[i];
    row[d] = y[0] * e[i] - y[first + i];
    worst = set_larger(worst, fabs(row[d]));
    if (lift > 0.0) {
      *v += lift * (e[i] * u[first + i]);
      for (int j = 0; j < d; j++) m[0][j] += lift * (e[i] * p->n[first + i][j]);
    }
    for (int a = 0; a < count; a++) {
      const double turn = ((i == a ? 1.0 : 0.0) - e[i] * e[a]) / norm;
      for (int j = 0; j < d; j++) {
        const double dz = (j == first + a ? 1.0 : 0.0) - p->r[k] * p->n[first + a][j];
        row[j] -= y[0] * turn * dz;
        if (lift > 0.0) m[0][j] += lift * (u[first + i] * turn * dz);
      }
    }
  }
  return worst;
}

/* One Newton step from y; returns the residual at the given y relative to its size. */
SIZED double newton_step(const roll *p, int d, double *y) {
  double u[SCREE_MAX_DIM], m[SCREE_MAX_DIM][SCREE_MAX_DIM + 1] = {{0.0}}, size = 0.0;
  velocity(p, d, y, u);
  for (int i = 1; i < d; i++)
    if (p->scale[i] == 0.0) m[i][i] = 1.0;
  for (int j = 0; j < d; j++) m[0][j] = p->n[0][j];
  double v = u[0], worst = 0.0;
  for (int k = 0; k < p->groups; k++) worst = set_larger(worst, group_rows(p, d, k, y, u, &v, m));
  const double wish = y[0] - p->r_n * v;
  worst = set_larger(worst, fabs(set_smaller(set_larger(wish, 0.0), p->top) - y[0]));
  for (int j = 0; j < d; j++) m[0][j] *= p->r_n;
  m[0][d] = -p->r_n * v;
  if (wish >= p->top) {
    for (int j = 0; j < d; j++) m[0][j] = j == 0;
    m[0][d] = p->top - y[0];
  }
  for (int i = 0; i < d; i++) size = set_larger(size, fabs(y[i]));
  size = set_larger(size, p->r_n * fabs(p->q[0]));
  if (worst <= settled * size) return worst / size;
  if (!solve_dense(d, m)) return INFINITY;
  for (int i = 0; i < d; i++) y[i] += m[i][d];
  if (!(y[0] > 0.0)) y[0] = set_smaller(p->r_n * (fabs(p->q[0]) + 1e-300), p->top);
  return worst / size;
}

/* The best point of a Newton run is left in y. */
SIZED double newton_sized(const roll *p, int d, double *y) {
  double best = INFINITY, x[SCREE_MAX_DIM];
  for (int i = 0; i < d; i++) x[i] = y[i];
  for (int step = 0; step < ROLLING_NEWTON_STEPS; step++) {
    double here[SCREE_MAX_DIM];
    for (int i = 0; i < d; i++) here[i] = x[i];
    const double error = newton_step(p, d, x);
    if (error < best) {
      best = error;
      for (int i = 0; i < d; i++) y[i] = here[i];
    } else if (best <= 1e-12) {
      break;
    }
    if (best <= settled || !set_finite(d, x)) break;
  }
  return best;
}

static double newton_run(const roll *p, double *y) {
  return p->dim == 5   ? newton_sized(p, 5, y)
         : p->dim == 4 ? newton_sized(p, 4, y)
                       : newton_sized(p, 6, y);
}

static void descend(const roll *p, int steps, double *y) {
  double trace = 0.0;
  for (int i = 0; i < p->dim; i++) trace += p->n[i][i];
  const double step = 1.0 / trace;
  for (int k = 0; k < steps; k++) {
    double u[SCREE_MAX_DIM], moved = 0.0, size = 0.0;
    velocity(p, p->dim, y, u);
    double x[SCREE_MAX_DIM] = {0.0};
    for (int j = 0; j < p->groups; j++)
      for (int i = 0; i < p->count[j]; i++)
        x[p->first[j] + i] = (1.0 - p->lift[j]) * u[p->first[j] + i];
    u[0] += scree_set_shift(&p->set, x);
    for (int i = 0; i < p->dim; i++) u[i] = y[i] - step * u[i];
    scree_set_project(&p->set, 1.0, u);
    for (int i = 0; i < p->dim; i++) {
      moved = set_larger(moved, fabs(u[i] - y[i]));
      size = set_larger(size, fabs(u[i]));
      y[i] = u[i];
    }
    if (moved <= 1e-16 * size) break;
  }
}

/* Proximal points: Newton on N + a diag(N) about y settles for a large enough, and y is a solution
 * when a is next to nothing. Returns the residual of the true problem. */
static double approach(const roll *p, double *y) {
  double a = 1e-2, error = INFINITY;
  scree_set_project(&p->set, 1.0, y);
  for (int trial = 0; trial < ROLLING_TRIALS && error > 1e-12; trial++) {
    roll near = *p;
    double x[SCREE_MAX_DIM];
    descend(p, 8, y);
    for (int i = 0; i < p->dim; i++) {
      near.n[i][i] += a * p->n[i][i];
      near.q[i] -= a * p->n[i][i] * y[i];
      x[i] = y[i];
    }
    if (newton_run(&near, x) > 1e-9) {
      a *= 5.0;
      continue;
    }
    a *= 0.1;
    for (int i = 0; i < p->dim; i++) y[i] = x[i];
    error = newton_run(p, x);
    if (error <= 1e-9)
      for (int i = 0; i < p->dim; i++) y[i] = x[i];
  }
  return error;
}

static bool apex_solves(const roll *p) {
  if (!p->lifts) return p->q[0] >= 0.0;
  double x[SCREE_MAX_DIM] = {0.0};
  for (int j = 0; j < p->groups; j++)
    for (int i = 0; i < p->count[j]; i++) x[p->first[j] + i] = p->lift[j] * p->q[p->first[j] + i];
  return p->q[0] >= scree_set_shift(&p->set, x);
}

bool set_local_rolling(const scree_set *set, scree_model model, const double *nii, const double *q,
                       double *g) {
  if (!(nii[0] > 0.0)) {
    const double need = set_least_parting(set, model, q);
    for (int i = 0; i < set->dim; i++) g[i] = i == 0 ? -set->cohesion : 0.0;
    return q[0] >= need;
  }
  const roll p = roll_of(set, model, nii, q);
  double y[SCREE_MAX_DIM] = {0.0};
  bool solved = true;
  if (!apex_solves(&p) && p.top > 0.0) {
    y[0] = set_larger(g[0] + set->cohesion, 0.0);
    for (int i = 1; i < p.dim; i++) y[i] = p.scale[i] > 0.0 ? g[i] / p.scale[i] : 0.0;
    if (!(y[0] > 0.0)) y[0] = set_smaller(p.r_n * fabs(p.q[0]), p.top);
    double error = newton_run(&p, y);
    if (error > 1e-12) error = approach(&p, y);
    solved = error <= 1e-9;
    scree_set_project(&p.set, 1.0, y);
  }
  for (int i = 0; i < p.dim; i++) g[i] = p.scale[i] * y[i];
  g[0] = y[0] >= p.top ? set->cap : y[0] - set->cohesion;
  return solved;
}
