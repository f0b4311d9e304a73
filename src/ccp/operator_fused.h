/* Vector kernels that gradient solvers would otherwise make of several passes. Vectors named n…
 * hold N x without r. Sums run over chunks of fixed size, in order: same bits for any number of
 * threads. */
#ifndef SCREE_CCP_OPERATOR_FUSED_H
#define SCREE_CCP_OPERATOR_FUSED_H

#include "ccp/operator.h"

typedef struct op_step_sums {
  double distance2; /* sum |next - y|^2 / e */
  double uphill;    /* sum (y - next)'(next - g) / e */
} op_step_sums;

/* next = P(y - step e (ny + r)), in the metric of operator_metric.h, which must be prepared. */
op_step_sums op_step(ccp_operator *op, const double *y, double step, const double *ny,
                     const double *g, double *next);

typedef struct op_step_quality {
  double curvature; /* (next - y)'(n_next - ny) */
  double objective; /* 1/2 next'n_next + r'next */
} op_step_quality;

op_step_quality op_judge_step(ccp_operator *op, const double *next, const double *n_next,
                              const double *y, const double *ny);

/* y = next + beta (next - g), and the same for their products. */
void op_extrapolate(ccp_operator *op, double beta, const double *next, const double *n_next,
                    const double *g, const double *ng, double *y, double *ny);

/* x'y / eta (the metric of eta^-1) and x'y eta; blocks without inertia count as zero. */
double op_dot_over_eta(ccp_operator *op, const double *x, const double *y);
double op_dot_by_eta(ccp_operator *op, const double *x, const double *y);

#endif
