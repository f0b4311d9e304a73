/* From the relaxed problem to Coulomb's law along the path of falling dilatancy.
 *
 * Let a contact that slides open at u_n = p mu |u_T|: p = 1 is the relaxed problem, which is convex
 * and has a solution that is found; p = 0 is Coulomb's law. Where the relaxed velocities are
 * bounded whatever s = mu |u_T| is added to r_n, a path of solutions joins the two (the argument of
 * Brouwer's theorem, by which a solution exists at all). Sweeps and Newton steps at p = 0 may find
 * no way to it from anywhere: of steps in which a bed with mu 0.7 lands they leave R at 0.1. */
#ifndef SCREE_SOLVE_NEWTON_PROX_DILATE_H
#define SCREE_SOLVE_NEWTON_PROX_DILATE_H

#include "solve/newton/active_set.h"
#include "solve/newton/prox_path.h"
#include "solve/solver.h"

/* From the relaxed solution in run->g, for at most so many linearisations, counted on *iteration.
 * On return run->g obeys the law of the least p that was reached, to the proximal weight: a
 * start for Newton steps. Problems that prox_path_takes. */
scree_status prox_dilate_iterate(prox_path *work, solve_run *run, active_set *set,
                                 const sparse_blocks *n, double weight, long most, long *iteration);

#endif
