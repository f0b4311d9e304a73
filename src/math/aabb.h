/* Boxes along the axes. */
#ifndef SCREE_MATH_AABB_H
#define SCREE_MATH_AABB_H

#include "math/vec3.h"
#include <stdbool.h>

typedef struct aabb {
  v3 lo, hi;
} aabb;

static inline v3 v3_min(v3 a, v3 b) {
  return (v3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
static inline v3 v3_max(v3 a, v3 b) {
  return (v3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}
/* Empty: any union with it gives the other. */
static inline aabb aabb_empty(void) {
  return (aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}
static inline aabb aabb_union(aabb a, aabb b) {
  return (aabb){v3_min(a.lo, b.lo), v3_max(a.hi, b.hi)};
}
static inline aabb aabb_grow(aabb a, double margin) {
  const v3 m = {margin, margin, margin};
  return (aabb){v3_sub(a.lo, m), v3_add(a.hi, m)};
}
static inline bool aabb_overlap(aabb a, aabb b) {
  return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y &&
         a.lo.z <= b.hi.z && b.lo.z <= a.hi.z;
}
static inline v3 v3_abs(v3 a) {
  return (v3){fabs(a.x), fabs(a.y), fabs(a.z)};
}

#endif
