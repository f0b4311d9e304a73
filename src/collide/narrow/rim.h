/* The rim at an open end of a round cavity, for solids that are not balls. */
#ifndef SCREE_COLLIDE_NARROW_RIM_H
#define SCREE_COLLIDE_NARROW_RIM_H

#include "collide/narrow/narrow.h"

/* Contacts of the convex solid a, near an open end (`top` or not) of the round container b. */
void narrow_convex_rim(const shape *a, const pose *pa, const shape *b, const pose *pb, bool top,
                       narrow_sink *sink);

#endif
