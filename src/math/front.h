/* Dense kernels of a front: partial LU of its first k rows and columns, and the solves with it. */
#ifndef SCREE_MATH_FRONT_H
#define SCREE_MATH_FRONT_H

#include <stddef.h>
#include <stdint.h>

/* a: n x n, row-major. On return rows 0 … k-1 hold L11 (unit, below), U11 and U12, rows k … hold
 * L21 and S. Rows are exchanged only among the first k; swap[j] is the row exchanged with row j.
 * Returns how many pivots were too small and were replaced. */
size_t front_eliminate(double *a, size_t n, size_t k, uint32_t *swap);

/* y (n) : the pivot part becomes L11^-1 P y1, the boundary part y2 - L21 y1. factor: k rows of n,
 * then the n - k rows of L21. */
void front_forward(const double *factor, size_t n, size_t k, const uint32_t *swap, double *y);
/* y1 <- U11^-1 (y1 - U12 y2) */
void front_backward(const double *factor, size_t n, size_t k, double *y);

#endif
