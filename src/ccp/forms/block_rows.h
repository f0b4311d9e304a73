/* A matrix N in block rows, with the blocks of a problem: what sweeps, products and assemblies
 * read. A problem of the local form keeps its W so from the start; the global form makes one of its
 * condensed matrix. */
#ifndef SCREE_CCP_FORMS_BLOCK_ROWS_H
#define SCREE_CCP_FORMS_BLOCK_ROWS_H

#include "ccp/problem.h"

/* From compressed columns of a square matrix, rows ascending in each; the compliance of the problem
 * is added to the diagonal. The pattern is symmetrised. After a failure clear what there is. */
scree_status block_rows_build(scree_context *context, const scree_ccp *problem, const size_t *start,
                              const uint32_t *index, const double *value, ccp_block_rows *b);
void block_rows_clear(scree_context *context, ccp_block_rows *b);

#endif
