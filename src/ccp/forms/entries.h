/* The matrix of a problem as it was given, entry by entry: D' of bodies and of the global form, W
 * of the local form. For proofs, which are checked with nothing but the problem's own numbers. */
#ifndef SCREE_CCP_FORMS_ENTRIES_H
#define SCREE_CCP_FORMS_ENTRIES_H

#include "ccp/problem.h"

/* u_row += value x_column. Bodies, global: D' and v; local: W and the impulses. */
typedef struct ccp_entry {
  size_t row, column;
  double value;
} ccp_entry;

typedef struct ccp_entries {
  ccp_entry *entry;
  size_t count;
  size_t columns;
  double *weight; /* of a column: 1/sqrt(M_kk); 0: it cannot move */
} ccp_entries;

/* After a failure `entries` can be cleared, and nothing else. */
scree_status ccp_entries_read(scree_context *context, const scree_ccp *problem,
                              ccp_entries *entries);
/* The velocity of a column that cannot move, which is given; 0 of those that can. */
double ccp_entries_given(const scree_ccp *problem, const ccp_entries *entries, size_t column);
void ccp_entries_clear(scree_context *context, ccp_entries *entries);

#endif
