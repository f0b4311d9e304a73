/* The tree of fronts that a block pattern leads to: ordering, merged fronts, where everything is
 * stored. */
#ifndef SCREE_MATH_SPARSE_SYMBOLIC_H
#define SCREE_MATH_SPARSE_SYMBOLIC_H

#include "math/sparse.h"

typedef struct sparse_front {
  size_t node_begin, node_end; /* pivots, in `node` */
  size_t rest_begin, rest_end; /* in `rest`, in the order of elimination */
  size_t row;                  /* permuted row of its first pivot */
  size_t pivots, rest;         /* rows */
  size_t lower, upper;         /* where its panels begin */
  size_t child_begin, child_count;
} sparse_front;

typedef struct sparse_tree {
  size_t count, rows; /* nodes, rows */
  uint32_t *dim;      /* rows of a node */
  uint32_t *row_start;
  uint32_t *position;   /* rank of a node in the elimination */
  size_t *row;          /* permuted first row of a node */
  size_t *square_start; /* of a node's dense diagonal block among all */
  size_t *start;        /* the pattern analysed */
  uint32_t *column;
  size_t *mirror; /* block (i, j) to block (j, i) */
  sparse_front *front;
  size_t front_count;
  uint32_t *node, *rest, *child;
  size_t lower_total, upper_total, front_most, stack_most;
  double work;
} sparse_tree;

scree_status sparse_tree_build(scree_context *context, const sparse_blocks *a, sparse_tree *tree);
bool sparse_tree_matches(const sparse_tree *tree, const sparse_blocks *a);
void sparse_tree_clear(scree_context *context, sparse_tree *tree);

#endif
