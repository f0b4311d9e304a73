/* Rows of a contact, in the order that all of Scree has them. The axes of its frame are 0, the
 * normal, 1 and 2, the tangents; m: the moment about an axis.
 *
 *   1: n   2: n t1   3: n t1 t2   4: n t1 t2 mn   5: n t1 t2 mt1 mt2   6: n t1 t2 mt1 mt2 mn
 *
 * Kernels of devices are made of this too. */
#ifndef SCREE_CCP_SETS_ROWS_H
#define SCREE_CCP_SETS_ROWS_H

#include <stdbool.h>

/* How many rows are forces, at most; the first of the two rows of rolling. */
enum { ROWS_FORCES = 3, ROWS_ROLLING = 3 };

/* Moments about the tangents, about the normal. */
static inline bool rows_roll(int dim) {
  return dim >= 5;
}

static inline bool rows_spin(int dim) {
  return dim == 4 || dim == 6;
}

/* The row of the spinning moment. */
static inline int rows_spinning(int dim) {
  return dim - 1;
}

static inline bool rows_is_moment(int k) {
  return k >= ROWS_FORCES;
}

/* The axis that row k is along or about. */
static inline int rows_axis(int dim, int k) {
  if (!rows_is_moment(k)) return k;
  return rows_spin(dim) && k == rows_spinning(dim) ? 0 : k - 2;
}

#endif
