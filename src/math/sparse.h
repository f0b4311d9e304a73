/* Direct solution of sparse systems made of small dense blocks.
 *
 *   sparse_factor *f;
 *   sparse_analyse(context, &a, &f);                 once for a pattern: ordering, fronts, memory
 *   if (sparse_factorise(f, &a, add, SPARSE_CHOLESKY)) …   for each set of values
 *   sparse_solve(f, x);                              x <- (A + diag(add))^-1 x
 *
 * Multifrontal, right for symmetric block patterns: Cholesky for positive definite values, LU with
 * row exchanges inside each front's pivots for others. The work is done by dense kernels, on one
 * thread, in a fixed order: the same bits always. */
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

typedef enum sparse_kind { SPARSE_CHOLESKY, SPARSE_LU } sparse_kind;

typedef struct sparse_factor sparse_factor;

scree_status sparse_analyse(scree_context *context, const sparse_blocks *pattern,
                            sparse_factor **factor);
void sparse_destroy(sparse_factor *factor);

/* Does the pattern equal the one that was analysed? Then the analysis can be kept. */
bool sparse_same_pattern(const sparse_factor *factor, const sparse_blocks *pattern);

/* `add`, or null: dense diagonal blocks to be added, one after another, each by rows. False: a
 * pivot was not positive (Cholesky) or vanished (LU); there is no factorisation then. */
bool sparse_factorise(sparse_factor *factor, const sparse_blocks *a, const double *add,
                      sparse_kind kind);
void sparse_solve(sparse_factor *factor, double *x);

/* Entries of the factors and multiplications of a Cholesky factorisation, for choosing. */
double sparse_fill(const sparse_factor *factor);
double sparse_work(const sparse_factor *factor);

#endif
