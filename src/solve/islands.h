/* Islands: blocks that no moving body couples with the rest are problems of their own; see
 * islands.c. */
#ifndef SCREE_SOLVE_ISLANDS_H
#define SCREE_SOLVE_ISLANDS_H

#include "ccp/islands.h"
#include "solve/solver.h"

/* What finding and solving islands needs, kept by a solver between solves. Zeros to begin with. */
typedef struct islands {
  op_islands parts;
  scree_solver *solver;
  double *g, *d;
  size_t next;       /* island to begin with: the one that the time ended before */
  double pace;       /* s per block that solves took lately */
  long solved_apart; /* islands that were not solved yet when islands_solve began */
} islands;

static inline scree_status islands_find(ccp_operator *op, islands *w) {
  return op_islands_find(op, &w->parts);
}
/* More than one, and no island that is nearly all of it. */
static inline bool islands_apart(const ccp_operator *op, const islands *w) {
  return w->parts.count > 1 && 5 * w->parts.largest <= 4 * op->block_count;
}
/* How many blocks are in islands of contacts alone? */
size_t islands_loose_blocks(const ccp_operator *op, const islands *w);
/* g of the islands with joints from another vector. */
void islands_restore_joined(const ccp_operator *op, const islands *w, const double *from,
                            double *g);
/* Solves each island found by the run's own method (its class and options), from run->g on, and
 * judges the whole. The run has ended then, but for islands that were solved and do not add up to
 * a solution of the whole. */
scree_status islands_solve(solve_run *run, islands *w);
void islands_clear(scree_context *context, islands *w);

#endif
