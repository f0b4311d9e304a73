/* Nested dissection: a separator goes last, the two parts before it, each ordered the same way;
 * parts of a few nodes are ordered by minimum degree. On graphs of space (packings of bodies) it
 * needs far less work than minimum degree, and fronts come out large. */
#ifndef SCREE_MATH_DISSECTION_H
#define SCREE_MATH_DISSECTION_H

#include "base/arena.h"

/* Arguments and results as in ordering.h. */
scree_status ordering_dissection(arena *scratch, size_t n, const uint32_t *weight,
                                 const size_t *start, const uint32_t *neighbour, uint32_t *order,
                                 uint32_t *group, size_t *group_count);

#endif
