/* Sphere: |x| <= radius. */
#include "base/argument.h"
#include "shape/shape.h"

static const double PI = 3.14159265358979323846;

scree_status scree_shape_create_sphere(scree_context *context, double radius, scree_shape **out) {
  ARGUMENT_CHECK(context, context && out);
  *out = NULL;
  if (shape_check_size(context, "sphere", "radius", radius)) return SCREE_ERROR_ARGUMENT;
  shape *s = shape_new(context, SCREE_SHAPE_SPHERE);
  if (!s) return SCREE_ERROR_MEMORY;
  s->sphere.radius = s->size = radius;
  *out = s;
  return SCREE_OK;
}

static v3 sphere_support(const shape *s, v3 d) {
  return v3_scale(s->sphere.radius / v3_norm(d), d);
}

static aabb sphere_bounds(const shape *s, pose p) {
  return aabb_grow((aabb){p.position, p.position}, s->sphere.radius);
}

static bool sphere_moments(const shape *s, double *volume, v3 *first, double second[6]) {
  const double r = s->sphere.radius;
  (void)first;
  *volume = 4.0 / 3.0 * PI * r * r * r;
  second[0] = second[3] = second[5] = *volume * r * r / 5.0;
  return true;
}

const shape_ops shape_sphere_ops = {.name = "sphere",
                                    .bounds = sphere_bounds,
                                    .support = sphere_support,
                                    .moments = sphere_moments};
