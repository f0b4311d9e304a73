/* Contacts of any shape with rolling or spinning resistance, in lanes for sweeps: what fits, and
 * filling their groups. They lie among the rigid groups (bodies/rigid.h). */
#ifndef SCREE_CCP_BODIES_TURNING_H
#define SCREE_CCP_BODIES_TURNING_H

#include "ccp/kernels/kernel.h"
#include "ccp/operator.h"

bool bodies_turning_fits(const ccp_operator *op, size_t block);
void bodies_turning_fill(const ccp_operator *op, turning_group *group, const uint32_t *block,
                         size_t count);

#endif
