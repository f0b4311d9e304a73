/* Cone: base circle at z = bottom = -height/4, tip at z = top = 3 height/4, so that the origin is
 * the centre of mass. */
#include "base/argument.h"
#include "shape/shape.h"

static const double PI = 3.14159265358979323846;

scree_status scree_shape_create_cone(scree_context *context, double radius, double height,
                                     scree_shape **out) {
  ARGUMENT_CHECK(context, context && out);
  *out = NULL;
  if (shape_check_size(context, "cone", "radius", radius) ||
      shape_check_size(context, "cone", "height", height))
    return SCREE_ERROR_ARGUMENT;
  shape *s = shape_new(context, SCREE_SHAPE_CONE);
  if (!s) return SCREE_ERROR_MEMORY;
  s->cone.radius = radius;
  s->cone.bottom = -0.25 * height;
  s->cone.top = 0.75 * height;
  s->size = fmax(s->cone.top, sqrt(radius * radius + s->cone.bottom * s->cone.bottom));
  *out = s;
  return SCREE_OK;
}

static v3 cone_support(const shape *s, v3 d) {
  const double across = sqrt(d.x * d.x + d.y * d.y);
  if (d.z * s->cone.top >= d.z * s->cone.bottom + s->cone.radius * across)
    return (v3){0, 0, s->cone.top};
  const double k = across > 0 ? s->cone.radius / across : 0;
  return (v3){k * d.x, k * d.y, s->cone.bottom};
}

static aabb cone_bounds(const shape *s, pose p) {
  const v3 a = quat_rotate(p.rotation, (v3){0, 0, 1});
  const double r = s->cone.radius;
  const v3 e = {r * sqrt(a.y * a.y + a.z * a.z), r * sqrt(a.x * a.x + a.z * a.z),
                r * sqrt(a.x * a.x + a.y * a.y)};
  const v3 base = v3_add_scaled(p.position, s->cone.bottom, a),
           tip = v3_add_scaled(p.position, s->cone.top, a);
  return (aabb){v3_min(tip, v3_sub(base, e)), v3_max(tip, v3_add(base, e))};
}

static bool cone_moments(const shape *s, double *volume, v3 *first, double second[6]) {
  const double r = s->cone.radius, h = s->cone.top - s->cone.bottom;
  (void)first;
  *volume = PI * r * r * h / 3.0;
  second[0] = second[3] = *volume * 3.0 / 20.0 * r * r;
  second[5] = *volume * 3.0 / 80.0 * h * h;
  return true;
}

const shape_ops shape_cone_ops = {
    .name = "cone", .bounds = cone_bounds, .support = cone_support, .moments = cone_moments};
