/* Minimum degree ordering of a graph with weighted nodes, and the fronts it leads to.
 *
 * A front is a set of nodes eliminated together (its pivots) with the later nodes that they are
 * coupled to (its rest); its update goes to its parent, whose nodes contain its rest. */
#ifndef SCREE_MATH_SPARSE_ORDER_H
#define SCREE_MATH_SPARSE_ORDER_H

#include "base/context.h"

typedef struct sparse_fronts {
  size_t count;
  uint32_t *parent;    /* of each front, UINT32_MAX: none; children come before parents */
  size_t *pivot_start; /* count + 1 */
  uint32_t *pivot;     /* nodes in the order of elimination */
  size_t *rest_start;  /* count + 1 */
  uint32_t *rest;
} sparse_fronts;

/* The graph: neighbours of i are neighbour[start[i]] …, symmetric; i itself may be among them. */
scree_status sparse_order(scree_context *context, size_t n, const uint32_t *weight,
                          const size_t *start, const uint32_t *neighbour, sparse_fronts *fronts);
void sparse_fronts_clear(scree_context *context, sparse_fronts *fronts);

#endif
