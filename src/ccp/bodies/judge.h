/* The residuals of the bodies form: packed contacts in lanes, the others a block at a time, without
 * ever storing u. */
#ifndef SCREE_CCP_BODIES_JUDGE_H
#define SCREE_CCP_BODIES_JUDGE_H

#include "ccp/kernels/kernel.h"
#include "ccp/operator.h"

scree_status bodies_judge_reserve(ccp_operator *op);
/* See op_class. */
void bodies_judge(ccp_operator *op, scree_model model, const double *g, const double *rest,
                  op_judged *sum);
/* The same where twists v_free + M^-1 D g are at hand, as well as g in the lanes of each
 * pack and, for the blocks that are not packed, in rows. */
void bodies_judge_velocities(ccp_operator *op, scree_model model, const body_line *lines,
                             const double *const *lanes, const double *rest, op_judged *sum);

#endif
