/* Islands of a problem: connected components of its blocks, joined by moving bodies (or by blocks
 * of N that are not zero), and each of them as a problem of its own.
 *
 * An island keeps the geometry, and r as the operator holds it: its bodies start at rest, r goes
 * into the offsets. */
#ifndef SCREE_CCP_ISLANDS_H
#define SCREE_CCP_ISLANDS_H

#include "ccp/operator.h"

/* Zeros to begin with; kept between problems. */
typedef struct op_islands {
  size_t count, largest; /* islands; blocks of the largest */
  uint32_t *start;       /* count + 1, into block */
  uint32_t *block;       /* blocks by island; islands and blocks ascend */
  /* Room: of blocks; of bodies: a group, later 1 + the body of an island's own; the island. */
  uint32_t *parent, *first, *island;
  const double *r;    /* of all rows, in place of the operator's; null: that */
  scree_ccp *problem; /* the island that was built last */
} op_islands;

scree_status op_islands_find(ccp_operator *op, op_islands *w);
/* One island of the blocks that are `inside`, of a problem of bodies. */
scree_status op_islands_choose(ccp_operator *op, op_islands *w, const bool *inside);
/* Before islands are built, each once: no body is in two of them, so what one leaves behind is
 * never met by another. */
void op_islands_begin(const ccp_operator *op, op_islands *w);
/* *problem belongs to `w`, and lasts until the next one is built. */
scree_status op_islands_build(const ccp_operator *op, op_islands *w, size_t island,
                              scree_ccp **problem);
void op_islands_clear(scree_context *context, op_islands *w);

#endif
