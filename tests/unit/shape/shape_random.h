/* Random shapes and poses for tests, from a 64-bit generator that is the same everywhere. */
#ifndef SCREE_TESTS_SHAPE_RANDOM_H
#define SCREE_TESTS_SHAPE_RANDOM_H

#include "shape/shape.h"

static inline double random_real(uint64_t *seed, double lo, double hi) {
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return lo + (hi - lo) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline v3 random_unit(uint64_t *seed) {
  for (;;) {
    const v3 d = {random_real(seed, -1, 1), random_real(seed, -1, 1), random_real(seed, -1, 1)};
    const double n2 = v3_norm2(d);
    if (n2 > 0.01 && n2 <= 1) return v3_scale(1 / sqrt(n2), d);
  }
}

static inline pose random_pose(uint64_t *seed, double spread) {
  const v3 at = {random_real(seed, -spread, spread), random_real(seed, -spread, spread),
                 random_real(seed, -spread, spread)};
  return (pose){at, quat_exp(v3_scale(random_real(seed, 0, 3.14), random_unit(seed)))};
}

/* Any convex kind, its sizes between 0.3 and 1 of `size`. */
static inline shape *random_shape(scree_context *context, uint64_t *seed, scree_shape_kind kind,
                                  double size) {
  const double lo = 0.3 * size;
  const double sizes[3] = {random_real(seed, lo, size), random_real(seed, lo, size),
                           random_real(seed, lo, size)};
  shape *s = NULL;
  switch (kind) {
  case SCREE_SHAPE_SPHERE:
    scree_shape_create_sphere(context, sizes[0], &s);
    break;
  case SCREE_SHAPE_ELLIPSOID:
    scree_shape_create_ellipsoid(context, sizes, &s);
    break;
  case SCREE_SHAPE_BOX:
    scree_shape_create_box(context, sizes, &s);
    break;
  case SCREE_SHAPE_CAPSULE:
    scree_shape_create_capsule(context, sizes[0], sizes[1], &s);
    break;
  case SCREE_SHAPE_CYLINDER:
    scree_shape_create_cylinder(context, sizes[0], sizes[1], &s);
    break;
  case SCREE_SHAPE_CONE:
    scree_shape_create_cone(context, sizes[0], 2 * sizes[1], &s);
    break;
  default: {
    double points[3 * 24];
    for (int i = 0; i < 24; i++) {
      const v3 u = random_unit(seed);
      v3_store(points + 3 * i, (v3){sizes[0] * u.x, sizes[1] * u.y, sizes[2] * u.z});
    }
    scree_shape_create_hull(context, 24, points, &s);
  }
  }
  return s;
}

#endif
