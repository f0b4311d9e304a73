/* Fill-reducing ordering of a symmetric graph with weighted nodes: approximate minimum degree on
 * the quotient graph, with indistinguishable nodes merged and element absorption (the method of
 * Amestoy, Davis and Duff, 1996, written from its description). */
#ifndef SCREE_MATH_ORDERING_H
#define SCREE_MATH_ORDERING_H

#include "base/arena.h"

/* The graph: neighbours of node i are neighbour[start[i]] … neighbour[start[i + 1] - 1]; symmetric,
 * the diagonal may be there. weight: scalar rows of each node.
 * All work memory is taken from `scratch`. order (n): nodes in elimination order. group (n + 1
 * entries): nodes order[group[s]] … order[group[s + 1] - 1] are eliminated together; *group_count
 * says how many groups there are. */
scree_status ordering_minimum_degree(arena *scratch, size_t n, const uint32_t *weight,
                                     const size_t *start, const uint32_t *neighbour,
                                     uint32_t *order, uint32_t *group, size_t *group_count);

#endif
