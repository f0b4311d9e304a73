/* How a rotation vector's change turns: exp(a + da) = exp(T(a) da) exp(a), for small da.
 *
 *   T(a)     = I + (1 - cos t)/t^2 [a] + (t - sin t)/t^3 [a]^2          t = |a|, [a] b = a x b
 *   T(a)^-1  = I - 1/2 [a] + (1 - t/2 cot(t/2))/t^2 [a]^2
 *
 * Both by series near 0. T is singular at |a| = 2 pi. */
#ifndef SCREE_MATH_TANGENT_H
#define SCREE_MATH_TANGENT_H

#include "math/rotation.h"

/* I + p [a] + q [a]^2 */
static inline m33 tangent_of(v3 a, double p, double q) {
  const double xx = a.x * a.x, yy = a.y * a.y, zz = a.z * a.z;
  return (m33){{{1 - q * (yy + zz), -p * a.z + q * a.x * a.y, p * a.y + q * a.x * a.z},
                {p * a.z + q * a.x * a.y, 1 - q * (xx + zz), -p * a.x + q * a.y * a.z},
                {-p * a.y + q * a.x * a.z, p * a.x + q * a.y * a.z, 1 - q * (xx + yy)}}};
}
static inline m33 tangent(v3 a) {
  const double t2 = v3_norm2(a), t = sqrt(t2);
  if (t < 1e-2)
    return tangent_of(a, 0.5 - t2 / 24.0 + t2 * t2 / 720.0,
                      1.0 / 6.0 - t2 / 120.0 + t2 * t2 / 5040.0);
  return tangent_of(a, (1.0 - cos(t)) / t2, (t - sin(t)) / (t2 * t));
}
static inline m33 tangent_inverse(v3 a) {
  const double t2 = v3_norm2(a), t = sqrt(t2);
  if (t < 1e-2) return tangent_of(a, -0.5, 1.0 / 12.0 + t2 / 720.0 + t2 * t2 / 30240.0);
  return tangent_of(a, -0.5, (1.0 - 0.5 * t / tan(0.5 * t)) / t2);
}

#endif
