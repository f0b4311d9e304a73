/* Problems of bodies side by side in one problem, as independent islands. Their contacts take
 * turns: islands are not runs of blocks. */
#ifndef SCREE_TESTS_JOINED_H
#define SCREE_TESTS_JOINED_H

#include "scree/scree.h"

scree_status joined_create(scree_context *context, scree_ccp *const *parts, size_t count,
                           scree_ccp **joined);
/* The same problem, condensed: W = N and q = r. */
scree_status joined_condense(scree_context *context, const scree_ccp *problem, scree_ccp **local);

#endif
