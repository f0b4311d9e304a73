/* Quaternions (w, x, y, z) and 3x3 matrices (row-major), by value and inline. A quaternion q turns
 * body coordinates into world coordinates: x_world = q x_body q*. */
#ifndef SCREE_MATH_ROTATION_H
#define SCREE_MATH_ROTATION_H

#include "math/vec3.h"

typedef struct quat {
  double w, x, y, z;
} quat;

typedef struct m33 {
  double m[3][3];
} m33;

static inline quat quat_identity(void) {
  return (quat){1, 0, 0, 0};
}
static inline quat quat_conj(quat q) {
  return (quat){q.w, -q.x, -q.y, -q.z};
}
static inline quat quat_mul(quat a, quat b) {
  return (quat){
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline quat quat_normalize(quat q) {
  const double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return (quat){s * q.w, s * q.x, s * q.y, s * q.z};
}
static inline v3 quat_rotate(quat q, v3 a) {
  const v3 u = {q.x, q.y, q.z};
  const v3 t = v3_scale(2.0, v3_cross(u, a));
  return v3_add(v3_add_scaled(a, q.w, t), v3_cross(u, t));
}
static inline v3 quat_rotate_inverse(quat q, v3 a) {
  return quat_rotate(quat_conj(q), a);
}
/* exp of a rotation vector (axis times angle, rad); series near zero keeps full precision. */
static inline quat quat_exp(v3 rotation) {
  const double angle2 = v3_norm2(rotation), half = 0.5 * sqrt(angle2);
  const double s = half < 1e-4 ? 0.5 - angle2 / 48.0 : 0.5 * sin(half) / half;
  return (quat){cos(half), s * rotation.x, s * rotation.y, s * rotation.z};
}
static inline m33 quat_to_m33(quat q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z,
               yz = q.y * q.z, wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return (m33){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}
/* Of a rotation. */
static inline quat quat_of_m33(const m33 *r) {
  const double x = r->m[0][0], y = r->m[1][1], z = r->m[2][2];
  const double w2 = 1 + x + y + z, x2 = 1 + x - y - z, y2 = 1 - x + y - z, z2 = 1 - x - y + z;
  const double a = r->m[2][1] - r->m[1][2], b = r->m[0][2] - r->m[2][0],
               c = r->m[1][0] - r->m[0][1];
  const double d = r->m[1][0] + r->m[0][1], e = r->m[0][2] + r->m[2][0],
               f = r->m[2][1] + r->m[1][2];
  if (w2 >= x2 && w2 >= y2 && w2 >= z2) return quat_normalize((quat){w2, a, b, c});
  if (x2 >= y2 && x2 >= z2) return quat_normalize((quat){a, x2, d, e});
  if (y2 >= z2) return quat_normalize((quat){b, d, y2, f});
  return quat_normalize((quat){c, e, f, z2});
}
static inline v3 m33_mul_v3(const m33 *a, v3 b) {
  return (v3){a->m[0][0] * b.x + a->m[0][1] * b.y + a->m[0][2] * b.z,
              a->m[1][0] * b.x + a->m[1][1] * b.y + a->m[1][2] * b.z,
              a->m[2][0] * b.x + a->m[2][1] * b.y + a->m[2][2] * b.z};
}
static inline v3 m33_tmul_v3(const m33 *a, v3 b) {
  return (v3){a->m[0][0] * b.x + a->m[1][0] * b.y + a->m[2][0] * b.z,
              a->m[0][1] * b.x + a->m[1][1] * b.y + a->m[2][1] * b.z,
              a->m[0][2] * b.x + a->m[1][2] * b.y + a->m[2][2] * b.z};
}
static inline m33 m33_mul(const m33 *a, const m33 *b) {
  m33 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
  return c;
}
/* R diag(d) R', stored as xx xy xz yy yz zz: a body's inertia in the world frame. */
static inline void m33_rotate_diagonal(const m33 *r, v3 d, double *s) {
  int k = 0;
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++)
      s[k++] = r->m[i][0] * d.x * r->m[j][0] + r->m[i][1] * d.y * r->m[j][1] +
               r->m[i][2] * d.z * r->m[j][2];
}

#endif
