/* The classes of the blocks of a problem in bodies form: r, and which contacts may be packed. */
#ifndef SCREE_CCP_BODIES_CLASSIFY_H
#define SCREE_CCP_BODIES_CLASSIFY_H

#include "ccp/bodies/operator.h"

/* With v_free, inverse masses and inertias in impl->state. Fills op->r and, of the pack, traits,
 * pairs, marks in `colour`, and the counts and flags of what was seen. */
scree_status bodies_classify(ccp_operator *op);

/* r of a block, D'v_free + b, with v_free in impl->state. */
void bodies_read_r(const ccp_operator *op, size_t block);

#endif
