/* Vectors, quaternions (w, x, y, z) and 3x3 matrices (row-major), all by value and inline. */
#ifndef SCREE_MATH_VEC3_H
#define SCREE_MATH_VEC3_H

#include <math.h>

typedef struct v3 {
  double x, y, z;
} v3;

static inline v3 v3_make(double x, double y, double z) {
  return (v3){x, y, z};
}
static inline v3 v3_load(const double *p) {
  return (v3){p[0], p[1], p[2]};
}
static inline void v3_store(double *p, v3 a) {
  p[0] = a.x;
  p[1] = a.y;
  p[2] = a.z;
}
static inline v3 v3_add(v3 a, v3 b) {
  return (v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline v3 v3_sub(v3 a, v3 b) {
  return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline v3 v3_neg(v3 a) {
  return (v3){-a.x, -a.y, -a.z};
}
static inline v3 v3_scale(double s, v3 a) {
  return (v3){s * a.x, s * a.y, s * a.z};
}
/* a + s b */
static inline v3 v3_add_scaled(v3 a, double s, v3 b) {
  return (v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double v3_dot(v3 a, v3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline v3 v3_cross(v3 a, v3 b) {
  return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double v3_norm2(v3 a) {
  return v3_dot(a, a);
}
static inline double v3_norm(v3 a) {
  return sqrt(v3_dot(a, a));
}
static inline v3 v3_normalize(v3 a) {
  return v3_scale(1.0 / v3_norm(a), a);
}
/* A unit vector across the unit vector n, without branches on tiny components. */
static inline v3 v3_across(v3 n) {
  const v3 t = fabs(n.x) < 0.57735026918962584   ? v3_make(0.0, n.z, -n.y)
               : fabs(n.y) < 0.57735026918962584 ? v3_make(-n.z, 0.0, n.x)
                                                 : v3_make(n.y, -n.x, 0.0);
  return v3_normalize(t);
}
/* Symmetric 3x3 stored as xx xy xz yy yz zz, times a vector. */
static inline v3 sym3_mul_v3(const double *s, v3 a) {
  return (v3){s[0] * a.x + s[1] * a.y + s[2] * a.z, s[1] * a.x + s[3] * a.y + s[4] * a.z,
              s[2] * a.x + s[4] * a.y + s[5] * a.z};
}

#endif
