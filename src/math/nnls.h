/* Least squares with non-negative unknowns: min |A x - b|, x >= 0. Dense, for small problems. */
#ifndef SCREE_MATH_NNLS_H
#define SCREE_MATH_NNLS_H

#include "base/context.h"

/* A: m x n by columns. x: n entries; residual: m entries, b - A x. Returns false when the active
 * set did not settle (x is then the last that was feasible) or there was no memory. */
bool nnls_solve(scree_context *context, size_t m, size_t n, const double *a, const double *b,
                double *x, double *residual);

#endif
