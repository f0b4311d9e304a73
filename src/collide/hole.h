/* Holes in the table of pairs: two bodies that may meet, at least one of them free to move, whose
 * shapes have no function of contacts would fall through each other without a word. */
#ifndef SCREE_COLLIDE_HOLE_H
#define SCREE_COLLIDE_HOLE_H

#include "collide/broad/broad.h"

/* The first such pair, lower index first; false: there is none. Only the view's shapes, kinds,
 * categories and exclusions are read. O(bodies) as long as there is none. */
bool collide_find_hole(const collide_view *view, uint32_t pair[2]);

#endif
