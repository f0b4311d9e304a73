/* ADMM on the cone problem, as a solver and as a starter for others. */
#ifndef SCREE_SOLVE_FIRST_ORDER_ADMM_H
#define SCREE_SOLVE_FIRST_ORDER_ADMM_H

#include "solve/newton/active_set.h"
#include "solve/solver.h"

typedef struct admm_work admm_work;

scree_status admm_work_create(scree_context *context, admm_work **work);
void admm_work_destroy(admm_work *work);

typedef struct admm_params {
  double rho;   /* penalty, in units of each block's mean diagonal D */
  double relax; /* over-relaxation, 1 to 1.9 */
  bool balance; /* adapt rho when the two residuals differ by more than ten */
  long limit;   /* iterations; 0: until solve_check ends the run */
} admm_params;

/* Iterates from run->g (vectors: x, y, w of row_count each), counting on *iteration. On
 * return run->g is the last feasible iterate. */
scree_status admm_iterate(admm_work *work, solve_run *run, const sparse_blocks *n,
                          const admm_params *params, double *const vector[3], long *iteration);

#endif
