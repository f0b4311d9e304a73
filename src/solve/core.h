/* The hard core of a step with little time: its machines and the contacts that bear them, solved as
 * a problem of their own; see core.c. */
#ifndef SCREE_SOLVE_CORE_H
#define SCREE_SOLVE_CORE_H

#include "ccp/bearing.h"
#include "ccp/islands.h"
#include "solve/solver.h"

/* Kept by a solver between solves. Zeros to begin with. */
typedef struct core {
  op_bearing bearing;
  op_islands parts; /* one island: the core */
  scree_solver *solver;
  double *g, *r; /* rows: impulses; velocities without those of the core */
  double pace;   /* s that an iteration took lately */
} core;

/* Sweeps over all blocks and the core between them, from run->g on, adopted by the run, which may
 * have ended then. *made: false where there is no core, and nothing was done. */
scree_status core_secure(solve_run *run, core *w, bool *made);
void core_clear(scree_context *context, core *w);

#endif
