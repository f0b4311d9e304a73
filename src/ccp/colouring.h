/* Greedy colouring of blocks over shared resources (moving bodies, or block rows that couple). */
#ifndef SCREE_CCP_COLOURING_H
#define SCREE_CCP_COLOURING_H

#include "ccp/operator.h"

/* neighbour_start/neighbour: for block i the resources it holds; two blocks that hold the same
 * resource get different colours. Fills op->order, colour_start and colour_count. Deterministic:
 * blocks in ascending order take the lowest colour free at all their resources. */
scree_status colouring_by_resource(ccp_operator *op, size_t resource_count,
                                   const size_t *resource_start, const uint32_t *resource);
/* The same for a graph: blocks i and j in adjacency are never of one colour. */
scree_status colouring_by_graph(ccp_operator *op, const size_t *start, const uint32_t *neighbour);

#endif
