/* Direct solution of sparse systems made of small dense blocks.
 *
 *   sparse_factor *f;
 *   sparse_create(context, &f);
 *   sparse_analyse(f, &a);                           once for a pattern: ordering, fronts, memory
 *   if (sparse_factorise(f, &a, SPARSE_CHOLESKY)) …  for each set of values
 *   sparse_solve(f, x);                              x <- A^-1 x
 *
 * Multifrontal (front_tree.h), for symmetric block patterns: Cholesky for positive definite values,
 * U'SU with S = diag(+-1) for symmetric ones that no pivot of which vanishes in the order of the
 * elimination, LU with row exchanges inside each front's pivots for others. The work is done by
 * dense kernels, on one thread, in a fixed order: the same bits always. */
#ifndef SCREE_MATH_SPARSE_H
#define SCREE_MATH_SPARSE_H

#include "base/context.h"

/* Block row i has row_start[i + 1] - row_start[i] rows and the blocks start[i] … start[i + 1] - 1,
 * block columns ascending; block k stands in column[k], its entries by rows from value[offset[k]].
 * Where (i, j) is stored, (j, i) is too. */
typedef struct sparse_blocks {
  size_t count;
  const uint32_t *row_start;
  const size_t *start;
  const uint32_t *column;
  const size_t *offset;
  const double *value;
} sparse_blocks;

typedef enum sparse_kind { SPARSE_CHOLESKY, SPARSE_LU, SPARSE_SIGNED } sparse_kind;

typedef struct sparse_factor sparse_factor;

scree_status sparse_create(scree_context *context, sparse_factor **factor);
void sparse_destroy(sparse_factor *factor);

/* Nothing is done when the pattern is the one analysed last. */
scree_status sparse_analyse(sparse_factor *factor, const sparse_blocks *pattern);
/* The same for nodes of size[i] rows, with the neighbours neighbour[start[i]] …, ascending; `uses`:
 * about how many factorisations are to come (above: two dozen); `glue`, or null: front_tree.h. */
scree_status sparse_analyse_graph(sparse_factor *factor, size_t n, const uint32_t *size,
                                  const size_t *start, const uint32_t *neighbour,
                                  const uint32_t *glue, double uses);

/* False: a pivot was not positive (Cholesky) or vanished (the others), there was no memory, or the
 * caller wants it to end, which the end of the step or solve asks for again (context_stopped);
 * there is no factorisation then. */
bool sparse_factorise(sparse_factor *factor, const sparse_blocks *a, sparse_kind kind);
/* LU that replaces pivots below `tiny` times their front's largest entry; *replaced: how many. */
scree_status sparse_factorise_lu(sparse_factor *factor, const size_t *offset, const double *value,
                                 double tiny, size_t *replaced);
void sparse_solve(sparse_factor *factor, double *x);
/* The same for `count` columns side by side, entry (i, j) in x[count * i + j], of a Cholesky
 * factorisation. Fronts below which a column block is zero are passed over. */
void sparse_solve_many(sparse_factor *factor, size_t count, double *x);
/* The sign of the determinant of the matrix factored last, 1 or -1. */
int sparse_sign(const sparse_factor *factor);

/* Multiplications of a Cholesky factorisation for each row, for choosing. */
double sparse_work(const sparse_factor *factor);
/* Entries of the factors, for choosing. */
double sparse_fill(const sparse_factor *factor);

/* Columns of a block row in ascending order; there are few of them. */
void sparse_sort_columns(uint32_t *column, size_t count);

#endif
