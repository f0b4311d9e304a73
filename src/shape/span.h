/* Where a ray is inside a convex shape: from `in` to `out`, with the outward normals there.
 *
 *        o ───►──( in ▓▓▓▓▓▓▓ out )────►      x = o + t d, in the shape's frame; d of any length
 *
 * A container counts as its cavity, cut by the planes z = ±half at open ends as well; `end` then
 * tells which. */
#ifndef SCREE_SHAPE_SPAN_H
#define SCREE_SHAPE_SPAN_H

#include "shape/shape.h"

typedef struct span_surface {
  double t;
  v3 normal;
  int end; /* -1: flat end at the lower z, 1: at the upper z, 0: elsewhere */
} span_surface;

typedef struct shape_span {
  span_surface in, out;
} shape_span;

/* False: the ray misses it, or the shape is no convex body or container (half-space, mesh,
 * compound). Both ends may lie behind the origin. */
bool shape_find_span(const shape *s, v3 o, v3 d, shape_span *span);
bool shape_box_span(v3 half, v3 o, v3 d, shape_span *span);
bool shape_capsule_span(double radius, double half, v3 o, v3 d, shape_span *span);
/* Radius `bottom` at z = low, `top` at z = high. */
bool shape_frustum_span(double bottom, double top, double low, double high, v3 o, v3 d,
                        shape_span *span);

#endif
