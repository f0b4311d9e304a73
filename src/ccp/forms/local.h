/* The Delassus matrix in block rows: shared by the local form and the condensed global form. */
#ifndef SCREE_CCP_FORMS_LOCAL_H
#define SCREE_CCP_FORMS_LOCAL_H

#include "ccp/operator.h"

typedef struct op_local {
  ccp_block_rows rows;
  bool borrowed; /* the problem's own */
  void *owner;   /* data of a form built on top; freed by that form */
} op_local;

static inline const ccp_block_rows *op_local_rows(const ccp_operator *op) {
  return &((const op_local *)op->impl)->rows;
}

/* Builds the block rows from compressed columns (compliance of the problem is added to the
 * diagonal), measures the asymmetry and colours the graph. op->impl and op->class are set. */
scree_status op_local_build(ccp_operator *op, const size_t *start, const uint32_t *index,
                            const double *value);

#endif
