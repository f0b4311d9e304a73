/* N_ii of the blocks of a problem of bodies. Those that are solved one by one, with rolling or
 * spinning resistance, of joints, are kept: every sweep reads each of them. */
#ifndef SCREE_CCP_BODIES_DIAGONAL_H
#define SCREE_CCP_BODIES_DIAGONAL_H

#include "ccp/operator.h"

typedef struct bodies_diagonal {
  size_t *at;    /* a block that is kept: where it begins */
  double *value; /* by rows */
} bodies_diagonal;

void bodies_diagonal_block(const ccp_operator *op, size_t block, double *nii);
/* The block that is kept, or null. */
const double *bodies_diagonal_kept(const ccp_operator *op, size_t block);
/* To be called when the order of a sweep is known and contacts have been packed. */
scree_status bodies_diagonal_fill(bodies_diagonal *diagonal, ccp_operator *op);
void bodies_diagonal_free(scree_context *context, bodies_diagonal *diagonal);

#endif
