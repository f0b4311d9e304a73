/* Greedy colouring of blocks over shared resources (moving bodies, or block rows that couple).
 * Deterministic: blocks in ascending order take the lowest colour free at all their resources. Up
 * to 64 colours are tracked; blocks that find none free (a very large body with hundreds of
 * contacts) follow after the last colour, to be taken one after the other. */
#ifndef SCREE_CCP_COLOURING_H
#define SCREE_CCP_COLOURING_H

#include "ccp/operator.h"

/* Memory that a form keeps for it; zeros to begin with. */
typedef struct colouring {
  uint32_t *colour; /* a block of the list, in its order */
  uint64_t *used;   /* a resource: bits of the colours taken */
} colouring;

/* Blocks block[0 … count - 1]; block[k] holds the resources start[k] … start[k + 1] - 1. They are
 * appended to op->order behind op->head_count; colour_start and colour_count are set. */
scree_status colouring_by_resource(colouring *work, ccp_operator *op, size_t resource_count,
                                   size_t count, const uint32_t *block, const size_t *start,
                                   const uint32_t *resource);
/* All blocks of a graph: blocks i and j in adjacency are never of one colour. */
scree_status colouring_by_graph(ccp_operator *op, const size_t *start, const uint32_t *neighbour);
void colouring_free(scree_context *context, colouring *work);

#endif
