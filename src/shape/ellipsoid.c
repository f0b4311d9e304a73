/* Ellipsoid: (x/a)^2 + (y/b)^2 + (z/c)^2 <= 1. Its support function is |A d|, A = diag(a, b, c). */
#include "base/argument.h"
#include "shape/shape.h"

static const double PI = 3.14159265358979323846;

scree_status scree_shape_create_ellipsoid(scree_context *context, const double radii[3],
                                          scree_shape **out) {
  ARGUMENT_CHECK(context, radii && out);
  *out = NULL;
  for (int i = 0; i < 3; i++)
    if (shape_check_size(context, "ellipsoid", "radius", radii[i])) return SCREE_ERROR_ARGUMENT;
  shape *s = shape_new(context, SCREE_SHAPE_ELLIPSOID);
  if (!s) return SCREE_ERROR_MEMORY;
  s->ellipsoid.radii = v3_load(radii);
  s->size = fmax(radii[0], fmax(radii[1], radii[2]));
  *out = s;
  return SCREE_OK;
}

static v3 ellipsoid_support(const shape *s, v3 d) {
  const v3 r = s->ellipsoid.radii, w = {r.x * d.x, r.y * d.y, r.z * d.z};
  const double k = 1.0 / v3_norm(w);
  return (v3){k * r.x * w.x, k * r.y * w.y, k * r.z * w.z};
}

static aabb ellipsoid_bounds(const shape *s, pose p) {
  const m33 r = quat_to_m33(p.rotation);
  const v3 e = s->ellipsoid.radii;
  double h[3];
  for (int i = 0; i < 3; i++)
    h[i] = v3_norm((v3){r.m[i][0] * e.x, r.m[i][1] * e.y, r.m[i][2] * e.z});
  return (aabb){v3_sub(p.position, v3_load(h)), v3_add(p.position, v3_load(h))};
}

static bool ellipsoid_moments(const shape *s, double *volume, v3 *first, double second[6]) {
  const v3 r = s->ellipsoid.radii;
  (void)first;
  *volume = 4.0 / 3.0 * PI * r.x * r.y * r.z;
  second[0] = *volume * r.x * r.x / 5.0;
  second[3] = *volume * r.y * r.y / 5.0;
  second[5] = *volume * r.z * r.z / 5.0;
  return true;
}

const shape_ops shape_ellipsoid_ops = {.name = "ellipsoid",
                                       .bounds = ellipsoid_bounds,
                                       .support = ellipsoid_support,
                                       .moments = ellipsoid_moments};
