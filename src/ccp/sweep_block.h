/* What a sweep does with one block, once its velocity is known. Devices are compiled from this too.
 */
#ifndef SCREE_CCP_SWEEP_BLOCK_H
#define SCREE_CCP_SWEEP_BLOCK_H

#include <math.h>

#include "ccp/sets/local.h"
#include "ccp/sets/set.h"

/* The shift that the exact law has with the other blocks as they are: that of its solution x. */
static inline double own_shift(const scree_set *set, const double *nii, const double *q,
                               const double *x) {
  double u[SCREE_MAX_DIM];
  for (int k = 0; k < set->dim; k++) {
    u[k] = q[k];
    for (int l = 0; l < set->dim; l++) u[k] += nii[k * set->dim + l] * x[l];
  }
  const double normal = u[0];
  scree_set_flow(set, u, u);
  return u[0] - normal;
}

/* The block with q, and a shift that lags behind (operator_glide.h): x is its start and its
 * solution. */
static inline void solve_lagged(const scree_set *set, double follow, const double *nii, double *q,
                                double *shift, double *x) {
  double exact[SCREE_MAX_DIM];
  for (int k = 0; k < set->dim; k++) exact[k] = x[k];
  set_solve_block(set, SCREE_MODEL_COULOMB, nii, q, exact);
  *shift += follow * (own_shift(set, nii, q, exact) - *shift);
  if (follow < 1.0) {
    q[0] += *shift;
    set_solve_block(set, SCREE_MODEL_RELAXED, nii, q, x);
  } else
    for (int k = 0; k < set->dim; k++) x[k] = exact[k];
}

/* x = P(g - omega eta u), with the velocity of the block's law; u is overwritten. */
static inline void project_block(const scree_set *set, scree_model model, double omega, double eta,
                                 double eta_m, double *u, const double *g, double *x) {
  const int dim = set->dim, forces = set_force_rows(set);
  if (model == SCREE_MODEL_COULOMB) scree_set_flow(set, u, u);
  for (int k = 0; k < dim; k++) x[k] = g[k] - omega * (k < forces ? eta : eta_m) * u[k];
  scree_set_project(set, dim > forces && eta_m > 0.0 ? eta / eta_m : 1.0, x);
}

/* x = g + omega (x - g), kept in the set. */
static inline void relax_block(const scree_set *set, double omega, const double *g, double *x) {
  if (omega == 1.0) return;
  for (int k = 0; k < set->dim; k++) x[k] = g[k] + omega * (x[k] - g[k]);
  scree_set_project(set, 1.0, x);
}

/* g = lambda x + (1 - lambda) g, and by how much that changes it. Returns the change of its forces
 * over eta, m/s. */
static inline double move_block(const scree_set *set, double lambda, double eta, const double *x,
                                double *g, double *change) {
  const int dim = set->dim, forces = set_force_rows(set);
  double size = 0.0;
  for (int k = 0; k < dim; k++) {
    const double next = lambda * x[k] + (1.0 - lambda) * g[k];
    change[k] = next - g[k];
    g[k] = next;
    if (k < forces) size += change[k] * change[k];
  }
  return eta > 0.0 ? sqrt(size) / eta : 0.0;
}

#endif
