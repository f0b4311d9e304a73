/* The Delassus matrix in block rows: shared by the local form and the condensed global form. */
#ifndef SCREE_CCP_OPERATOR_LOCAL_H
#define SCREE_CCP_OPERATOR_LOCAL_H

#include "ccp/operator.h"

/* Block row i holds blocks start[i] … start[i + 1] - 1; block k stands in block column column[k],
 * its entries (row-major, d_i x d_column) begin at value[offset[k]]. */
typedef struct op_local {
  size_t *start;
  uint32_t *column;
  size_t *offset;
  double *value;
  size_t *diagonal; /* index k of the diagonal block of each row */
  void *owner;      /* data of a form built on top; freed by that form */
} op_local;

/* Builds the block rows from compressed columns (compliance of the problem is added to the
 * diagonal), measures the asymmetry and colours the graph. op->impl and op->class are set. */
scree_status op_local_build(ccp_operator *op, size_t n, const size_t *start, const uint32_t *index,
                            const double *value);

#endif
