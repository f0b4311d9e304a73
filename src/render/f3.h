/* Vectors and colours in single precision, for rays by the million. */
#ifndef SCREE_RENDER_F3_H
#define SCREE_RENDER_F3_H

#include <math.h>

#include "math/vec3.h"

typedef struct f3 {
  float x, y, z;
} f3;

static inline f3 f3_make(double x, double y, double z) {
  return (f3){(float)x, (float)y, (float)z};
}
static inline f3 f3_from(v3 a) {
  return (f3){(float)a.x, (float)a.y, (float)a.z};
}
static inline v3 f3_wide(f3 a) {
  return (v3){(double)a.x, (double)a.y, (double)a.z};
}
static inline f3 f3_add(f3 a, f3 b) {
  return (f3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline f3 f3_sub(f3 a, f3 b) {
  return (f3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline f3 f3_mul(f3 a, f3 b) {
  return (f3){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline f3 f3_scale(float s, f3 a) {
  return (f3){s * a.x, s * a.y, s * a.z};
}
/* a + s b */
static inline f3 f3_add_scaled(f3 a, float s, f3 b) {
  return (f3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline float f3_dot(f3 a, f3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline f3 f3_normalize(f3 a) {
  return f3_scale(1.0f / sqrtf(f3_dot(a, a)), a);
}
static inline f3 f3_mix(f3 a, f3 b, float s) {
  return f3_add_scaled(f3_scale(1.0f - s, a), s, b);
}
/* Two unit vectors across the unit vector n, without a branch on tiny components. */
static inline void f3_frame(f3 n, f3 *t, f3 *b) {
  const float sign = copysignf(1.0f, n.z), k = -1.0f / (sign + n.z), m = n.x * n.y * k;
  *t = (f3){1.0f + sign * n.x * n.x * k, sign * m, -sign * n.x};
  *b = (f3){m, sign + n.y * n.y * k, -n.y};
}
static inline float f_clamp(float x, float low, float high) {
  return x < low ? low : x > high ? high : x;
}
/* 0 below `low`, 1 above `high`, smooth between. */
static inline float f_step(float low, float high, float x) {
  const float s = f_clamp((x - low) / (high - low), 0.0f, 1.0f);
  return s * s * (3.0f - 2.0f * s);
}

#endif
