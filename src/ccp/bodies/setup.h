/* Preparing the bodies form for a problem, over memory that is kept from one to the next. */
#ifndef SCREE_CCP_BODIES_SETUP_H
#define SCREE_CCP_BODIES_SETUP_H

#include "ccp/bodies/operator.h"

scree_status bodies_setup(ccp_operator *op);
/* op_renew: false where groups of contacts hold offsets. */
bool bodies_renew(ccp_operator *op);
void bodies_setup_free(ccp_operator *op);
/* The part of begin … end - 1 that belongs to the calling thread of a team. */
void bodies_share(size_t begin, size_t end, size_t *mine_begin, size_t *mine_end);
/* A barrier of the team. One of a single thread has nobody to wait for, but would call the kernel
 * to wake the others. */
void bodies_wait(void);

#endif
