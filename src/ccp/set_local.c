/* See set_local.h: projected fixed-point steps of length 1 / trace. */
#include "ccp/set_local.h"

#include <math.h>

bool set_solve_block(const scree_set *set, scree_model model, const double *nii, const double *q,
                     double *g) {
  const int dim = set->dim;
  double trace = 0.0;
  for (int k = 0; k < dim; k++) trace += nii[k * dim + k];
  if (!(trace > 0.0)) return false;
  for (int iteration = 0; iteration < 200; iteration++) {
    double u[SCREE_MAX_DIM], x[SCREE_MAX_DIM], change = 0.0, size = 0.0;
    for (int k = 0; k < dim; k++) {
      u[k] = q[k];
      for (int l = 0; l < dim; l++) u[k] += nii[k * dim + l] * g[l];
    }
    if (model == SCREE_MODEL_COULOMB) u[0] += scree_set_shift(set, u);
    for (int k = 0; k < dim; k++) x[k] = g[k] - u[k] / trace;
    scree_set_project(set, 1.0, x);
    for (int k = 0; k < dim; k++) {
      change += fabs(x[k] - g[k]);
      size += fabs(x[k]);
      g[k] = x[k];
    }
    if (change <= 1e-15 * size) return true;
  }
  return false;
}
