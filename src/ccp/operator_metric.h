/* The diagonal metric of gradient steps. Rows of a block that rotate into each other share a weight
 * e, the inverse of their mean diagonal entry of N: the normal has one, the tangents have one, the
 * rolling moments, the spinning moment; rows of free and elliptic sets have each their own.
 *
 *   next = argmin over the set of sum_k (x_k - (y_k - step e_k u_k))^2 / e_k
 *
 * In z_k = x_k / root_k, root = sqrt(e), that is a plain projection, and the scaled set is of the
 * same kind: mu becomes mu root_n / root_t, and so on. Against one eta a block the normal of a
 * sphere, whose N_nn is 2/7 of N_tt, takes steps 2.7 times as long for the same largest eigenvalue;
 * gradient methods need about two thirds of the iterations.
 *
 * root is 0 on blocks without inertia: their impulses stay as they are. */
#ifndef SCREE_CCP_OPERATOR_METRIC_H
#define SCREE_CCP_OPERATOR_METRIC_H

#include "ccp/operator.h"

/* Makes op->root; `blocks` lists which (null: all). To be called again for a new problem. */
scree_status op_metric_prepare(ccp_operator *op, const uint32_t *blocks, size_t count);

/* x = the step above for block i; y, u and x start at the block. */
void op_metric_step_block(const ccp_operator *op, size_t i, double step, const double *y,
                          const double *u, double *x);
/* z = the step above for all blocks; z may be y. */
void op_metric_step(ccp_operator *op, const double *y, double step, const double *u, double *z);
/* sum x y / e and sum x y e; blocks without inertia count as zero. */
double op_metric_dot(ccp_operator *op, const double *x, const double *y);
double op_metric_dual_dot(ccp_operator *op, const double *x, const double *y);

#endif
