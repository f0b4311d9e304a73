/* The projection on the plain 3-D Coulomb cone |t| <= mu n, inline for hot kernels.
 *
 *   |t| <= mu n, n >= 0     inside: unchanged
 *   mu |t| <= -n            in the polar cone: the apex
 *   else                    n' = (n + mu |t|)/(1 + mu^2), t' = mu n' t/|t|
 *
 * The middle tests leave |t| > 0 for the last line, so there is no 0/0, also at mu = 0. A NaN fails
 * both tests and fills the result. Magnitudes within 1e-150 … 1e150; sets/coulomb.c has no such
 * limit. */
#ifndef SCREE_CCP_SETS_COULOMB_H
#define SCREE_CCP_SETS_COULOMB_H

#include <math.h>

static inline void coulomb3_project(double mu, double *x) {
  const double n = x[0];
  const double t = sqrt(x[1] * x[1] + x[2] * x[2]);
  if (t <= mu * n && n >= 0.0) return;
  if (mu * t <= -n) {
    x[0] = x[1] = x[2] = 0.0;
    return;
  }
  const double normal = (n + mu * t) / (1.0 + mu * mu);
  const double scale = mu * normal / t;
  x[0] = normal;
  x[1] *= scale;
  x[2] *= scale;
}

#endif
