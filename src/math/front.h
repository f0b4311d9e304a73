/* Dense kernels of a front: partial LU or Cholesky of its first k rows and columns, or U'SU with
 * S = diag(+-1), and the solves with it. By rows, in pieces, so that factors are made where they
 * stay:
 *
 *   u: k x n      A11 and A12         becomes L11 (unit, below) with U11, U12; Cholesky: U, U12
 *   l: b x k      A21, b = n - k      becomes L21; Cholesky: not there, as it is U12'
 *   s: b x b      A22                 becomes the Schur complement; Cholesky: its upper triangle
 */
#ifndef SCREE_MATH_FRONT_H
#define SCREE_MATH_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `ended` gets the work (multiplications) since it was asked last; true ends the elimination,
 * whose factors are worth nothing then. Null: it never ends early. */
typedef struct front {
  size_t n, k;
  double *u, *l, *s;
  uint32_t *negative; /* k: is the pivot below 0? Null: none may be */
  bool (*ended)(void *user, double work);
  void *user;
} front;

/* Rows are exchanged among the first k alone; swap[j] is the row exchanged with row j. Pivots not
 * above `tiny` times the largest entry of A11 are replaced (by 1 where tiny is 0); returns how many
 * were. */
size_t front_lu(const front *f, double tiny, uint32_t *swap);
/* A = U'U. False: a pivot is not positive, or it ended early. With `negative` A = U'SU, without
 * exchanges: false where a pivot is zero. */
bool front_cholesky(const front *f);

/* y (n): the pivot part becomes L11^-1 P y1, the boundary part y2 - L21 y1. */
void front_lu_forward(const front *f, const uint32_t *swap, double *y);
/* y1 <- U11^-1 (y1 - U12 y2), for both kinds. */
void front_backward(const front *f, double *y);
/* y1 <- U11^-T y1, y2 <- y2 - U12'y1; then y1 <- S y1 where there are negative pivots. */
void front_cholesky_forward(const front *f, double *y);

/* The same two for FRONT_SIDE columns side by side: entry (i, j) in y[FRONT_SIDE * i + j]. */
enum { FRONT_SIDE = 8 }; /* a cache line of each row */
void front_cholesky_forward_side(const front *f, double *y);
void front_backward_side(const front *f, double *y);

#endif
