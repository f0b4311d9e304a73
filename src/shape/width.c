/* See width.h. Of hulls and closed meshes it comes from the second moments: of all convex solids
 * of width w the one with even sections has the largest spread about its centre, w^2 / 12; so
 * w >= sqrt(12 <x^2>) along any axis, and the least of the principal ones is taken. A mesh that is
 * not convex may be thinner in places. */
#include "shape/width.h"

static double moment_width(const shape *s) {
  const shape_ops *ops = shape_ops_table[s->kind];
  double volume = 0.0, second[6] = {0};
  v3 first = {0, 0, 0};
  scree_mass m;
  if (!ops->moments || !ops->moments(s, &volume, &first, second) || !(volume > 0.0) ||
      scree_shape_get_mass(s, 1.0, &m))
    return INFINITY;
  const double sum = 0.5 * (m.principal[0] + m.principal[1] + m.principal[2]);
  const double most = fmax(m.principal[0], fmax(m.principal[1], m.principal[2]));
  return sqrt(12.0 * fmax(sum - most, 0.0) / m.mass);
}

double shape_width(const shape *s) {
  switch (s->kind) {
  case SCREE_SHAPE_SPHERE:
    return 2.0 * s->sphere.radius;
  case SCREE_SHAPE_ELLIPSOID:
    return 2.0 * fmin(s->ellipsoid.radii.x, fmin(s->ellipsoid.radii.y, s->ellipsoid.radii.z));
  case SCREE_SHAPE_BOX:
    return 2.0 * fmin(s->box.half.x, fmin(s->box.half.y, s->box.half.z));
  case SCREE_SHAPE_CAPSULE:
    return 2.0 * s->capsule.radius;
  case SCREE_SHAPE_CYLINDER:
    return 2.0 * fmin(s->cylinder.radius, s->cylinder.half);
  case SCREE_SHAPE_CONE: { /* the ball in it */
    const double r = s->cone.radius, height = s->cone.top - s->cone.bottom;
    return 2.0 * r * height / (r + sqrt(r * r + height * height));
  }
  case SCREE_SHAPE_HULL:
  case SCREE_SHAPE_MESH:
    return moment_width(s);
  case SCREE_SHAPE_COMPOUND: {
    double least = INFINITY;
    for (uint32_t i = 0; i < s->compound.count; i++)
      least = fmin(least, shape_width(s->compound.part[i].shape));
    return least;
  }
  default:
    return INFINITY;
  }
}
