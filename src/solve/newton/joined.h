/* Joints eliminated from a problem that is small as a whole, as a ragdoll and what it touches: the
 * same equations as condense.h has, in dense matrices without a pattern.
 *
 *   S = N_cc - X X',   r' = r_c - X w      X = N_cf L^-T,  w = L^-1 r_f,  N_ff = L L'
 *   g_f = -L^-T (w + X' g_c)
 *
 * N is never formed by blocks: its three parts are summed up body by body. A sweep over S costs a
 * twentieth of a Newton step, and sees through the joints. */
#ifndef SCREE_SOLVE_NEWTON_JOINED_H
#define SCREE_SOLVE_NEWTON_JOINED_H

#include "ccp/operator.h"

typedef struct joined {
  scree_context *context;
  size_t free, other; /* rows: of joints, of all else */
  uint8_t *is_free;   /* of each block */
  uint32_t *at;       /* of each block: its first row among those of its kind */
  uint32_t *block;    /* those that are not free */
  size_t block_count;
  uint32_t *last, *before, *owner; /* touches of a body: the last one, the one before; its block */
  double *l, *x, *s;               /* by columns; S with both triangles */
  double *w, *push;                /* free */
  double *r, *g, *u;               /* other */
} joined;

void joined_clear(joined *j);
/* *on: whether there is such a form; not where the problem is too large, has no joints, or has
 * redundant ones. */
scree_status joined_build(joined *j, const ccp_operator *op, bool *on);
/* out = S x, of the rows that are not of joints; the others are left alone. */
void joined_apply(joined *j, const ccp_operator *op, const double *x, double *out);
/* Gauss–Seidel sweeps over S, until one changes no velocity by more than `enough` (m/s), at most
 * `most`. */
void joined_sweep(joined *j, const ccp_operator *op, scree_model model, int most, double enough,
                  double *g);
/* Computes the rows of joints in g from the other rows. */
void joined_recover(joined *j, const ccp_operator *op, double *g);
/* column += factor times column k of S. */
void joined_add_column(const joined *j, size_t k, double factor, double *column);

#endif
