/* Contacts of two convex solids whose coordinates are relative to `origin`. */
#ifndef SCREE_COLLIDE_NARROW_CONVEX_H
#define SCREE_COLLIDE_NARROW_CONVEX_H

#include "collide/gjk.h"
#include "collide/narrow.h"

void narrow_convex_solids(const gjk_solid *a, const gjk_solid *b, v3 origin, uint32_t feature,
                          narrow_sink *sink);

/* Unless a candidate is it already, puts the exact contact first, in place of the nearest one.
 * None may be deeper: those that pretend to be lie on a slightly different normal. */
int narrow_put_exact(contact_point *c, int count, contact_point exact, double tolerance);

#endif
