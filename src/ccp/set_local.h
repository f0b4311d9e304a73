/* The problem of a single block, solved exactly. */
#ifndef SCREE_CCP_SET_LOCAL_H
#define SCREE_CCP_SET_LOCAL_H

#include "scree/ccp.h"

/* Finds g in Y with -(N g + q [+ shift e_n]) in the normal cone of Y at g. N: d x d, row-major. g
 * comes in as a start. False: not to full precision. */
bool set_solve_block(const scree_set *set, scree_model model, const double *nii, const double *q,
                     double *g);

#endif
