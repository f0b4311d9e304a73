/* The product of dense matrices that the elimination of fronts spends its time in.
 *
 * By rows, in tiles that stay in registers; eight, four or however many lanes the compiler has.
 * Machines with fused operations all give the same bits: every entry is summed in one order, in
 * chunks of PRODUCT_CHUNK, whatever the tiles are. (A BLAS that does not know the processor falls
 * back to its slowest kernels: 15 in place of 60 GFlop/s with OpenBLAS 0.3.21 on one of 2023.) */
#ifndef SCREE_MATH_PRODUCT_H
#define SCREE_MATH_PRODUCT_H

#include <stddef.h>

enum { PRODUCT_CHUNK = 128 };

/* C <- C - A B: C m x n, row i from c[i * c_row]; B k x n, row p from b[p * b_row]; entry (i, p) of
 * A, m x k, is a[i * a_row + p * a_column], so that A may be given transposed. C overlaps neither
 * A nor B. */
typedef void product_function(size_t m, size_t n, size_t k, const double *a, size_t a_row,
                              size_t a_column, const double *b, size_t b_row, double *c,
                              size_t c_row);
product_function product_subtract;

/* The kernels that this machine can run, the best first; null beyond the last. For tests. */
product_function *product_kernel(size_t i);

/* One for each kind of lanes. */
product_function product_avx512, product_avx2, product_plain;

#endif
