/* Sparse LU of a block matrix with a symmetric pattern and unsymmetric values, by fronts
 * (sparse.h).
 *
 * Nodes have 1 to a few rows; each group of nodes is eliminated in a dense front, with pivoting
 * inside the group's own rows (a node's block may have a zero on its diagonal, its group as a whole
 * must not be singular). Pivots below a tiny fraction of the front's size are replaced and counted.
 * Analysis is kept and reused while the pattern is the same. */
#ifndef SCREE_MATH_BLOCK_LU_H
#define SCREE_MATH_BLOCK_LU_H

#include "base/context.h"

typedef struct block_lu block_lu;

scree_status block_lu_create(scree_context *context, block_lu **lu);
void block_lu_destroy(block_lu *lu);

/* Node i has size[i] rows; its neighbours (itself may be among them) are neighbour[start[i]] …; the
 * pattern is symmetric and ascending. */
scree_status block_lu_analyse(block_lu *lu, size_t n, const uint32_t *size, const size_t *start,
                              const uint32_t *neighbour);
/* Entries of the k-th neighbour block (size[i] x size[j], row-major) begin at value[offset[k]].
 * *replaced: how many pivots were too small. */
scree_status block_lu_factor(block_lu *lu, const size_t *offset, const double *value,
                             size_t *replaced);
/* x (rows in the order of the nodes) is overwritten by the solution. */
void block_lu_solve(const block_lu *lu, double *x);
/* The sign of the determinant, 1 or -1. */
int block_lu_sign(const block_lu *lu);
/* Entries of the factors: a measure of the work. */
size_t block_lu_entries(const block_lu *lu);

#endif
