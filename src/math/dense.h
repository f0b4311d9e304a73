/* Dense kernels for direct methods. Matrices are stored by columns: a[i + j * ld].
 *
 * Small sizes run here, larger ones in LAPACK and BLAS, pinned to one thread so that results do not
 * depend on the number of threads; without that part everything runs here, slower. */
#ifndef SCREE_MATH_DENSE_H
#define SCREE_MATH_DENSE_H

#include <stddef.h>

/* Pins the library to one thread, once: before any call of BLAS elsewhere. */
void dense_library_ready(void);

/* A = P L U with row interchanges, in place; pivot[k] is the row that was exchanged with row k.
 * Returns n, or the first column whose pivot is below `tiny` times the matrix's largest entry: the
 * matrix is singular to working precision, the factors are unusable. */
size_t dense_lu(size_t n, double *a, size_t ld, double tiny, int *pivot);
/* b <- A^-1 b from the factors; b has `columns` columns of n entries, n apart. */
void dense_lu_solve(size_t n, const double *a, size_t ld, const int *pivot, size_t columns,
                    double *b, size_t b_ld);

/* The lower triangle of A becomes L with A = L L'; the upper one is left alone. Returns n, or the
 * first column whose pivot is not positive. */
size_t dense_cholesky(size_t n, double *a, size_t ld);

/* The lower triangle of C (n x n) <- C - A A', with A n x k. */
void dense_subtract_square(size_t n, size_t k, const double *a, size_t a_ld, double *c,
                           size_t c_ld);

/* X <- X L^-T, L lower with its diagonal (Cholesky); X is m x n. */
void dense_right_lower_transposed(size_t m, size_t n, const double *l, size_t l_ld, double *x,
                                  size_t x_ld);

/* Eigenvalues of a symmetric matrix on the diagonal of a, vectors in the columns of v (both by
 * rows, n apart), by Jacobi's rotations until the squares off the diagonal sum up to less than
 * `tiny` times those on it. For small n: a sweep takes some 9 n^3 products. */
void dense_eigen(size_t n, double *a, double tiny, double *v);

#endif
