/* Where a ray x = o + t d first meets a shape of any kind, in the shape's frame; d of any length.
 *
 * Solids are met from outside only: a ray that starts in one leaves it without a hit. Containers
 * and meshes are surfaces, met from either side, but for the open ends of containers. */
#ifndef SCREE_SHAPE_RAY_H
#define SCREE_SHAPE_RAY_H

#include "shape/span.h"

/* The first hit with 0 <= t < reach; its normal points against the ray. False: there is none. */
bool shape_cast_ray(const shape *s, v3 o, v3 d, double reach, span_surface *hit);

#endif
