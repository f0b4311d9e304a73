/* A tree code (Barnes and Hut): the field of n points that act as 1/r, in O(n log n).
 *
 * Points are sorted into an octree. A node at c whose points x_k lie within b of it acts on a place
 * at R from c, d = |R|, by its moments of order 0, 1 and 2,
 *
 *     M = sum q,  D = sum q x,  Q = sum q (3 x x' - |x|^2 1)                x = x_k - c
 *     phi = M/d + D.R/d^3 + R'QR/(2 d^5)
 *     E   = -grad phi = M R/d^3 + 3 (D.R) R/d^5 - D/d^3 + 5/2 (R'QR) R/d^7 - Q R/d^5
 *
 * when b <= theta d; else its children do, and in the end the points themselves. The terms that are
 * left out are those of order n >= 3, A (n + 1) b^n / d^(n+2) at most with A = sum |q|, so that
 * with t = b/d <= theta
 *
 *     |error of E| <= sum over nodes taken  A/d^2 (4 t^3 - 3 t^4) / (1 - t)^2
 *     |error of phi| <= sum over nodes taken  A/d t^3 / (1 - t)
 *
 * (P_n^2 + (1 - x^2) P_n'^2 / (n (n+1)) <= 1 on [-1, 1]). A point's sum has one order whoever
 * computes it: the same bits for any number of threads. */
#ifndef SCREE_MATH_TREE_CODE_H
#define SCREE_MATH_TREE_CODE_H

#include "base/memory.h"
#include "math/vec3.h"

enum { TREE_CODE_KINDS = 2 };

typedef struct tree_node {
  v3 center;
  double reach;         /* b */
  uint32_t first, last; /* points, in the order of the tree */
  uint32_t child;       /* the first of its children, which follow each other; 0: a leaf */
  uint32_t children;
  struct {
    double sum, size; /* M, A */
    v3 dipole;
    double quadrupole[6]; /* xx xy xz yy yz zz */
  } kind[TREE_CODE_KINDS];
} tree_node;

typedef struct tree_point {
  v3 at;
  double strength[TREE_CODE_KINDS];
  uint64_t key; /* of its cell */
  uint32_t index;
} tree_point;

typedef struct tree_code {
  scree_context *context;
  tree_node *node;
  size_t node_count;
  tree_point *point;
  size_t point_count;
} tree_code;

typedef struct tree_field {
  v3 field[TREE_CODE_KINDS];
  double potential[TREE_CODE_KINDS];
  double error[TREE_CODE_KINDS]; /* bound of the field's, only where it is requested */
  size_t terms;                  /* points and nodes that it is the sum of */
} tree_field;

void tree_code_clear(tree_code *tree);
/* Room for the points of a tree; then point[0 … count - 1] are to be filled, but for the key. */
scree_status tree_code_reserve(tree_code *tree, size_t count);
/* Sorts the points and makes the nodes. */
scree_status tree_code_build(tree_code *tree, size_t count);
/* At a place, without the point of this index (SIZE_MAX: with all) and without points at the place
 * itself. theta 0: the direct sum, in the order of the tree. */
tree_field tree_code_at(const tree_code *tree, v3 place, size_t without, double theta, bool bound);

#endif
