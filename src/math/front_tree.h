/* The tree of dense fronts in which a sparse block matrix with a symmetric pattern is eliminated.
 *
 *   front:   [ A11 A12 ]  k pivot rows         nodes order[first] … order[last - 1]
 *            [ A21 A22 ]  boundary rows        later nodes that its pivots are coupled with
 *
 * What the elimination of the pivots adds to the boundary's square goes to the parent, the front
 * that holds the first boundary node. Fronts stand in postorder, so that these squares can wait on
 * a stack. Analysis is kept while the pattern is the same, and its memory is used again. */
#ifndef SCREE_MATH_FRONT_TREE_H
#define SCREE_MATH_FRONT_TREE_H

#include "base/arena.h"

typedef struct tree_front {
  uint32_t first, last;
  uint32_t boundary_count;
  uint32_t pivots, rows; /* scalar: k and k + boundary */
  uint32_t parent;       /* UINT32_MAX: a root */
  uint32_t children;
  size_t boundary;     /* its boundary nodes, in elimination order: boundary[boundary] … */
  size_t row;          /* pivots of all fronts before it */
  size_t upper, lower; /* entries of all fronts before it: k rows of n; k columns below them */
} tree_front;

typedef struct front_tree {
  scree_context *context;
  arena scratch; /* of the analysis */
  size_t n, rows;
  uint32_t *size; /* the pattern */
  size_t *start;
  uint32_t *neighbour;
  uint32_t *glue;      /* node -> the one that it is eliminated with */
  size_t *mirror;      /* block (i, j) to block (j, i) */
  uint32_t *order;     /* nodes in elimination order */
  uint32_t *position;  /* node -> place in the order */
  uint32_t *first_row; /* node -> its first row */
  tree_front *front;
  size_t front_count;
  uint32_t *boundary;
  size_t boundary_count;
  size_t upper_entries, lower_entries; /* of the factors */
  size_t stack_entries;                /* most that wait, with the front at work */
  size_t largest;                      /* rows of the largest front */
  double work;                         /* multiplications of a Cholesky factorisation */
} front_tree;

void front_tree_init(front_tree *tree, scree_context *context);
void front_tree_clear(front_tree *tree);

/* Node i has size[i] rows; its neighbours (itself may be among them) are neighbour[start[i]] …
 * ascending; a pattern that is not symmetric is refused. `uses`: about how many factorisations are
 * to come, which says how much the ordering may cost. With `glue` (or null) node i is eliminated
 * together with, and after, node glue[i], itself for most; that one is glued to none. */
scree_status front_tree_analyse(front_tree *tree, size_t n, const uint32_t *size,
                                const size_t *start, const uint32_t *neighbour,
                                const uint32_t *glue, double uses);
bool front_tree_matches(const front_tree *tree, size_t n, const uint32_t *size, const size_t *start,
                        const uint32_t *neighbour, const uint32_t *glue);

#endif
