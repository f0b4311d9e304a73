/* The two commonest pairs, inline: a loop over spheres should not pay for a call. Both return
 * whether there is a contact. */
#ifndef SCREE_COLLIDE_NARROW_SPHERE_H
#define SCREE_COLLIDE_NARROW_SPHERE_H

#include "collide/contact_point.h"
#include <stdbool.h>

/* Concentric spheres part upwards. */
static inline bool narrow_touch_spheres(v3 xa, double ra, v3 xb, double rb, double margin,
                                        contact_point *out) {
  const v3 d = v3_sub(xb, xa);
  const double d2 = v3_norm2(d), reach = ra + rb + margin;
  if (d2 > reach * reach) return false;
  const double distance = sqrt(d2), gap = distance - (ra + rb);
  const v3 n = distance > 0 ? v3_scale(1.0 / distance, d) : (v3){0, 0, 1};
  out->normal = n;
  out->gap = gap;
  out->point_a = v3_add_scaled(xa, ra, n);
  out->point_b = v3_add_scaled(xb, -rb, n);
  out->feature = 0;
  return gap <= margin;
}

/* The solid is the side of the plane that the unit vector `up` points away from. */
static inline bool narrow_touch_plane(v3 x, double radius, v3 origin, v3 up, double margin,
                                      contact_point *out) {
  const double height = v3_dot(up, v3_sub(x, origin)), gap = height - radius;
  if (gap > margin) return false;
  out->normal = v3_neg(up);
  out->gap = gap;
  out->point_a = v3_add_scaled(x, -radius, up);
  out->point_b = v3_add_scaled(x, -height, up);
  out->feature = 0;
  return true;
}

#endif
