/* What kind of problem a run has, for the automatic choice: answers that follow from the problem
 * and what is asked of it, never from a clock. */
#ifndef SCREE_SOLVE_AUTO_CLASSIFY_H
#define SCREE_SOLVE_AUTO_CLASSIFY_H

#include "solve/solver.h"

/* Blocks: up to the one Newton steps may start from elsewhere; beyond the other, at a loose
 * tolerance, they must wait. */
enum { AUTO_SMALL = 600, AUTO_COARSE = 300 };

bool auto_is_loose(const solve_run *run);
bool auto_is_coarse(const solve_run *run);
bool auto_is_hard(const solve_run *run);
bool auto_is_small_stack(const solve_run *run);
bool auto_is_gentle(const solve_run *run);
/* Do sweeps with momentum need fewer iterations than gradient steps? Bodies that are not stacked.
 */
bool auto_is_swept(const solve_run *run);
bool auto_wants_interior(const solve_run *run);
bool auto_dilates(const solve_run *run);

/* What sweeps may be left for, and how many more were foreseen when they were. */
typedef struct auto_ways {
  bool newton, gradient;
  double left;
} auto_ways;

/* Is it time to leave the sweeps, having made `done`, with `left` foreseen? */
bool auto_should_leave(const solve_run *run, auto_ways way, double done, double left);

#endif
