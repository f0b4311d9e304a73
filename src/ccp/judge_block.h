/* What one block adds to the residuals (residual.c says what the sums mean). Devices are compiled
 * from this too. */
#ifndef SCREE_CCP_JUDGE_BLOCK_H
#define SCREE_CCP_JUDGE_BLOCK_H

#include <float.h>
#include <math.h>

#include "ccp/operator.h"
#include "ccp/sets/set.h"

/* Where an impulse is beyond 1e16 times eta u, g - eta u is rounded to g. The residual is
 * no smaller than what it can be distinguished from. */
static inline double least_scaled(int forces, const double *g, double eta) {
  double across = 0.0;
  for (int k = 1; k < forces; k++) across += g[k] * g[k];
  return 0.5 * DBL_EPSILON * set_larger(fabs(g[0]), sqrt(across)) / eta;
}

static inline double scaled_residual(const scree_set *set, double eta, double eta_m,
                                     const double *g, const double *shifted) {
  const int dim = set->dim, forces = set_force_rows(set);
  const bool moments = dim > forces && eta_m > 0.0;
  double x[SCREE_MAX_DIM], force = 0.0, moment = 0.0;
  /* Free impulses are not projected: what is left is u, and nothing can swallow it. Rows of an
   * element have compliances apart by 1e9, so that eta of the softest and the impulse of the
   * stiffest would say nothing of u. */
  if (set_role_of(set) == SET_BILATERAL) {
    for (int k = 0; k < dim; k++) *(k < forces ? &force : &moment) += shifted[k] * shifted[k];
    return sqrt(force + (moments ? moment * (eta_m / eta) : 0.0));
  }
  for (int k = 0; k < dim; k++) x[k] = g[k] - (k < forces ? eta : eta_m) * shifted[k];
  scree_set_project(set, moments ? eta / eta_m : 1.0, x);
  for (int k = 0; k < dim; k++) *(k < forces ? &force : &moment) += (g[k] - x[k]) * (g[k] - x[k]);
  const double scaled = sqrt(force / (eta * eta) + (moments ? moment / (eta * eta_m) : 0.0));
  return set_larger(scaled, least_scaled(forces, g, eta));
}

/* |g - P(g - eta u)|^2 on the cone |t| <= mu n. */
static inline double moved_cone2(double mu, double eta, const double *g, double u_n,
                                 const double *u) {
  const double x0 = g[0] - eta * u_n, x1 = g[1] - eta * u[1], x2 = g[2] - eta * u[2];
  const double a2 = x1 * x1 + x2 * x2;
  double d0 = eta * u_n, d1 = eta * u[1], d2 = eta * u[2];
  if (!(x0 >= 0.0 && a2 <= mu * mu * x0 * x0)) {
    const double a = sqrt(a2), n = (x0 + mu * a) / (1.0 + mu * mu);
    const double scale = n > 0.0 && a > 0.0 ? mu * n / a : 0.0;
    d0 = g[0] - (n > 0.0 ? n : 0.0);
    d1 = g[1] - scale * x1;
    d2 = g[2] - scale * x2;
  }
  return d0 * d0 + d1 * d1 + d2 * d2;
}

/* Is the block a plain cone of three rows, of sizes whose squares neither vanish nor overflow? */
static inline bool is_plain(const scree_set *set, double eta, const double *g, const double *u) {
  if (!set_is_plain_cone(set) || !(eta > 0.0) || set->mu > 1e3) return false;
  const double u2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  const double g2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
  return u2 > 1e-200 && u2 < 1e200 && g2 < 1e200 && eta < 1e50 && eta > 1e-50;
}

/* The same as judge_block does below, for the usual case: most of the time of a small problem is
 * spent in judging it. */
static inline void judge_plain(double mu, double eta, scree_model model, const double *g,
                               const double *u, op_judged *sum) {
  const double shift = mu * sqrt(u[1] * u[1] + u[2] * u[2]);
  const double u_n = model == SCREE_MODEL_COULOMB ? u[0] + shift : u[0];
  const double natural2 = moved_cone2(mu, 1.0, g, u_n, u);
  const double scaled =
      set_larger(sqrt(moved_cone2(mu, eta, g, u_n, u)) / eta, least_scaled(3, g, eta));
  sum->natural2 += natural2;
  sum->impulse2 += g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
  sum->velocity2 += u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  sum->product += g[0] * u[0] + g[1] * u[1] + g[2] * u[2];
  sum->square += scaled * scaled;
  if (scaled > sum->worst) sum->worst = scaled;
  if (-u[0] > sum->penetration) sum->penetration = -u[0];
  if (g[0] > 0.0 && shift > sum->gap) sum->gap = shift;
}

/* eta, eta_m: of its forces and of its moments, 0 where it has none; g and u start at the block. */
static inline void judge_block(const scree_set *set, double eta, double eta_m, scree_model model,
                               const double *g, const double *u, op_judged *sum) {
  if (is_plain(set, eta, g, u)) {
    judge_plain(set->mu, eta, model, g, u, sum);
    return;
  }
  const int dim = set->dim;
  double shifted[SCREE_MAX_DIM], x[SCREE_MAX_DIM], natural2 = 0.0;
  for (int k = 0; k < dim; k++) shifted[k] = u[k];
  const double shift = scree_set_shift(set, u);
  if (model == SCREE_MODEL_COULOMB) scree_set_flow(set, u, shifted);
  for (int k = 0; k < dim; k++) x[k] = g[k] - shifted[k];
  scree_set_project(set, 1.0, x);
  for (int k = 0; k < dim; k++) {
    natural2 += (g[k] - x[k]) * (g[k] - x[k]);
    sum->impulse2 += g[k] * g[k];
    sum->velocity2 += u[k] * u[k];
    sum->product += g[k] * u[k];
  }
  /* No inertia on either side: the block cannot be changed, it is met or it is not. */
  const set_role role = set_role_of(set);
  const double scaled = eta > 0.0               ? scaled_residual(set, eta, eta_m, g, shifted)
                        : role == SET_BILATERAL ? sqrt(natural2)
                                                : scree_set_dual_violation(set, shifted);
  sum->natural2 += natural2;
  sum->square += scaled * scaled;
  if (scaled > sum->worst) sum->worst = scaled;
  if (role != SET_CONE) return;
  if (-u[0] > sum->penetration) sum->penetration = -u[0];
  if (g[0] + set->cohesion > 0.0 && shift > sum->gap) sum->gap = shift;
}

#endif
