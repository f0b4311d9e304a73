/* How thin a solid is. */
#ifndef SCREE_SHAPE_WIDTH_H
#define SCREE_SHAPE_WIDTH_H

#include "shape/shape.h"

/* The least distance of two parallel planes that hold the solid, m, or a bound below it; of a
 * compound its thinnest part. Infinite for what has no end, and for open surfaces, which have no
 * inside. */
double shape_width(const shape *s);

#endif
