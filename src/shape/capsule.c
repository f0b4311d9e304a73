/* Capsule: all points within `radius` of the segment |z| <= half on the z axis. */
#include "base/argument.h"
#include "shape/shape.h"

static const double PI = 3.14159265358979323846;

scree_status scree_shape_create_capsule(scree_context *context, double radius, double half_length,
                                        scree_shape **out) {
  ARGUMENT_CHECK(context, context && out);
  *out = NULL;
  if (shape_check_size(context, "capsule", "radius", radius) ||
      shape_check_size(context, "capsule", "half length", half_length))
    return SCREE_ERROR_ARGUMENT;
  shape *s = shape_new(context, SCREE_SHAPE_CAPSULE);
  if (!s) return SCREE_ERROR_MEMORY;
  s->capsule.radius = radius;
  s->capsule.half = half_length;
  s->size = radius + half_length;
  *out = s;
  return SCREE_OK;
}

static v3 capsule_support(const shape *s, v3 d) {
  const v3 r = v3_scale(s->capsule.radius / v3_norm(d), d);
  return (v3){r.x, r.y, r.z + copysign(s->capsule.half, d.z)};
}

static aabb capsule_bounds(const shape *s, pose p) {
  const v3 e = v3_abs(quat_rotate(p.rotation, (v3){0, 0, s->capsule.half}));
  return aabb_grow((aabb){v3_sub(p.position, e), v3_add(p.position, e)}, s->capsule.radius);
}

static bool capsule_moments(const shape *s, double *volume, v3 *first, double second[6]) {
  const double r = s->capsule.radius, h = s->capsule.half;
  const double ball = 4.0 / 3.0 * PI * r * r * r, tube = 2.0 * PI * r * r * h;
  (void)first;
  *volume = ball + tube;
  second[0] = second[3] = tube * r * r / 4.0 + ball * r * r / 5.0;
  second[5] = tube * h * h / 3.0 + ball * (h * h + 0.75 * h * r + r * r / 5.0);
  return true;
}

const shape_ops shape_capsule_ops = {.name = "capsule",
                                     .bounds = capsule_bounds,
                                     .support = capsule_support,
                                     .moments = capsule_moments};
