/* Cylinder: x^2 + y^2 <= radius^2, |z| <= half. */
#include "base/argument.h"
#include "shape/shape.h"

static const double PI = 3.14159265358979323846;

scree_status scree_shape_create_cylinder(scree_context *context, double radius, double half_length,
                                         scree_shape **out) {
  ARGUMENT_CHECK(context, context && out);
  *out = NULL;
  if (shape_check_size(context, "cylinder", "radius", radius) ||
      shape_check_size(context, "cylinder", "half length", half_length))
    return SCREE_ERROR_ARGUMENT;
  shape *s = shape_new(context, SCREE_SHAPE_CYLINDER);
  if (!s) return SCREE_ERROR_MEMORY;
  s->cylinder.radius = radius;
  s->cylinder.half = half_length;
  s->size = sqrt(radius * radius + half_length * half_length);
  *out = s;
  return SCREE_OK;
}

static v3 cylinder_support(const shape *s, v3 d) {
  const double across = sqrt(d.x * d.x + d.y * d.y);
  const double k = across > 0 ? s->cylinder.radius / across : 0;
  return (v3){k * d.x, k * d.y, copysign(s->cylinder.half, d.z)};
}

static aabb cylinder_bounds(const shape *s, pose p) {
  const v3 a = quat_rotate(p.rotation, (v3){0, 0, 1});
  const double r = s->cylinder.radius, h = s->cylinder.half;
  const v3 e = {h * fabs(a.x) + r * sqrt(a.y * a.y + a.z * a.z),
                h * fabs(a.y) + r * sqrt(a.x * a.x + a.z * a.z),
                h * fabs(a.z) + r * sqrt(a.x * a.x + a.y * a.y)};
  return (aabb){v3_sub(p.position, e), v3_add(p.position, e)};
}

static bool cylinder_moments(const shape *s, double *volume, v3 *first, double second[6]) {
  const double r = s->cylinder.radius, h = s->cylinder.half;
  (void)first;
  *volume = 2.0 * PI * r * r * h;
  second[0] = second[3] = *volume * r * r / 4.0;
  second[5] = *volume * h * h / 3.0;
  return true;
}

const shape_ops shape_cylinder_ops = {.name = "cylinder",
                                      .bounds = cylinder_bounds,
                                      .support = cylinder_support,
                                      .moments = cylinder_moments};
