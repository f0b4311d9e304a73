/* A small set of nodes whose removal leaves two parts of a graph of about the same weight.
 *
 * Multilevel: pairs of strongly linked nodes are contracted until few are left, the coarsest graph
 * is cut from several seeds, and on the way back every level moves nodes between the separator and
 * the parts while that makes it lighter (Fiduccia and Mattheyses, on nodes). No random numbers: the
 * result depends on the graph alone. */
#ifndef SCREE_MATH_SEPARATOR_H
#define SCREE_MATH_SEPARATOR_H

#include "base/arena.h"

/* Neighbours of i are neighbour[start[i]] … neighbour[start[i + 1] - 1], without i itself, each
 * with the weight of the link. */
typedef struct separator_graph {
  uint32_t n;
  uint32_t *start, *neighbour, *link, *weight;
} separator_graph;

enum { SEPARATOR_LEFT, SEPARATOR_RIGHT, SEPARATOR_MIDDLE };

/* side (n): which part each node is in. All work memory is taken from `scratch`. */
scree_status separator_find(arena *scratch, const separator_graph *graph, uint8_t *side);

#endif
