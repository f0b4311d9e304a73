/* Lemke's method for the linear complementarity problem, dense:
 *
 *   w = M z + q,   w >= 0,  z >= 0,  w'z = 0
 *
 * w = M z + q + d z0 with a covering vector d > 0; z0 enters, and then always the complement of
 * what left, until z0 leaves (a solution) or nothing can (a ray). Ties are broken
 * lexicographically, so that degenerate problems do not cycle. Work: about n^2 per pivot, and
 * usually one to three n pivots; memory: n^2. The solution is computed anew from its basis at the
 * end, so that errors of the pivots do not stay in it.
 *
 * A ray proves that there is no solution only for some classes of M (for example convex quadratic
 * programs, where its z part shows that the constraints cannot be met). */
#ifndef SCREE_MATH_LEMKE_H
#define SCREE_MATH_LEMKE_H

#include "base/context.h"

typedef enum lemke_end {
  LEMKE_SOLVED,
  LEMKE_RAY,
  LEMKE_STOPPED, /* by the caller */
  LEMKE_LOST,    /* more pivots than any sound run needs: rounding has won */
} lemke_end;

typedef struct lemke_work {
  double *table; /* the dictionary: n rows of n + 2 */
  uint32_t *row_name, *column_name;
  uint32_t *candidate, *place;
  double *system; /* the basis' own equations */
  int *pivot;
} lemke_work;

typedef struct lemke_problem {
  size_t n;
  const double *m;     /* by rows, n x n */
  const double *q;     /* of size about 1 */
  const double *cover; /* d > 0; null: ones */
  /* Asked before each pivot; false stops. May be null. */
  bool (*go_on)(void *user, long pivots);
  void *user;
} lemke_problem;

typedef struct lemke_result {
  lemke_end end;
  long pivots;
  double residual; /* max |min(z, w)| of the solution */
} lemke_result;

/* z: the solution, or the z part of the ray, or zeros. */
scree_status lemke_solve(scree_context *context, lemke_work *work, const lemke_problem *problem,
                         double *z, lemke_result *result);
void lemke_clear(scree_context *context, lemke_work *work);

/* Exchanges the row variable r with the column variable c in a dictionary
 * (row variables) = table (column variables), rows of `columns` entries. */
void lemke_exchange(size_t rows, size_t columns, double *table, size_t r, size_t c);

#endif
