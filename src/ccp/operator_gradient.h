/* Projected gradient steps with extrapolation, as one verb: a form can then make a step in one pass
 * over its blocks and never store N y.
 *
 *   y = current + beta (current - previous),   u = N y + r
 *   next = P(y - step e u)                     in the metric of operator_metric.h
 *
 *   op_gradient_begin(op, g)                   current = previous = g
 *   op_gradient_step(op, beta, step)           as often as the step length must be tried
 *   op_gradient_accept(op)                     previous = current, current = next
 *   op_gradient_get(op, g, u)                  current, and its N g + r
 *   op_gradient_residual(op, model, g, u, out) current, and its residuals
 *
 * Sums have a fixed order: same bits for any number of threads. */
#ifndef SCREE_CCP_OPERATOR_GRADIENT_H
#define SCREE_CCP_OPERATOR_GRADIENT_H

#include "ccp/operator.h"

typedef struct op_gradient_sums {
  double distance2; /* |next - y|^2 / e */
  double uphill;    /* (y - next)'(next - current) / e */
  double curvature; /* (next - y)'N(next - y) */
  double objective; /* 1/2 next'N next + r'next */
} op_gradient_sums;

typedef struct op_gradient_class {
  scree_status (*begin)(ccp_operator *op, const double *g);
  op_gradient_sums (*step)(ccp_operator *op, double beta, double step);
  void (*accept)(ccp_operator *op);
  void (*get)(ccp_operator *op, double *g, double *u);
  /* Null: from N g + r. */
  void (*judge)(ccp_operator *op, scree_model model, op_judged *sum);
} op_gradient_class;

scree_status op_gradient_begin(ccp_operator *op, const double *g);
op_gradient_sums op_gradient_step(ccp_operator *op, double beta, double step);
void op_gradient_accept(ccp_operator *op);
/* Either may be null. */
void op_gradient_get(ccp_operator *op, double *g, double *u);
/* u is scratch. */
void op_gradient_residual(ccp_operator *op, scree_model model, double *g, double *u,
                          scree_residual *out);
void op_gradient_free(ccp_operator *op);

#endif
