/* Gauss–Seidel sweeps with extrapolation, as one verb: a form can then extrapolate within its
 * sweep.
 *
 *   y = g + beta (g - before),   next = a sweep from y with exact blocks,   before = g, g = next
 *
 *   op_glide_begin(op, g)         before = g, right after op_sweep_begin(op, g)
 *   op_glide_sweep(op, …, g)      as op_sweep_inside: g is out of date until op_sweep_store, and
 *                                 op_sweep_residual judges what is inside
 *
 * Exact friction (model coulomb) can be swept with its shift s_i = mu |u_T| (+ …) as a number that
 * lags behind: for fixed s_i a block is that of the relaxed model with r_n + s_i, and all blocks
 * together are a convex problem, which extrapolation suits. A sweep that meets a block takes s_i a
 * part `follow` of the way to the shift of the block's exact solution; follow = 1 is the exact law
 * in each block. The s_i begin as 0, so the first sweep follows all of the way.
 *
 * y may lie outside the sets, next never does. Sums have a fixed order: same bits for any number of
 * threads. */
#ifndef SCREE_CCP_OPERATOR_GLIDE_H
#define SCREE_CCP_OPERATOR_GLIDE_H

#include "ccp/operator.h"

typedef struct op_glide_params {
  scree_model model;
  double beta;
  double follow; /* exact friction: as above; 0: the exact law in each block, s_i left alone */
} op_glide_params;

typedef struct op_glide_sums {
  double change;    /* the largest |next - y| of a block over its eta, m/s */
  double uphill;    /* sum (y - next)'(next - g) / eta: positive when extrapolation runs against the
                       sweep */
  double distance2; /* sum |next - y|^2 / eta */
} op_glide_sums;

/* What a form supplies for the blocks order[0 … head_count - 1] that it keeps inside; it moves its
 * state from g to y, and sweeps the other blocks, already at y in `g`, too. */
typedef struct op_glide_class {
  scree_status (*begin)(ccp_operator *op);
  op_glide_sums (*sweep)(ccp_operator *op, const op_glide_params *glide,
                         const op_sweep_params *rest, double *g);
} op_glide_class;

scree_status op_glide_begin(ccp_operator *op, const double *g);
op_glide_sums op_glide_sweep(ccp_operator *op, const op_glide_params *params, double *g);
void op_glide_free(ccp_operator *op);

#endif
