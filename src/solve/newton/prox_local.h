/* The proximal point loop with a weight of its own for every block.
 *
 * Large packings with high friction have many small regions where contacts change between open,
 * sticking and slipping long after the rest has settled. One weight for all is as large as the
 * worst of them needs, and one failed region spoils the step of all. Here the regions are judged
 * apart: where the Newton steps did not solve the proximal problem the impulses go back to the
 * centre and the weights rise, around there and nowhere else; elsewhere the step is kept and
 * weights fall. */
#ifndef SCREE_SOLVE_NEWTON_PROX_LOCAL_H
#define SCREE_SOLVE_NEWTON_PROX_LOCAL_H

#include "solve/newton/active_set.h"
#include "solve/solver.h"

typedef struct prox_local prox_local;

scree_status prox_local_create(scree_context *context, prox_local **work);
void prox_local_destroy(prox_local *work);

typedef struct prox_local_params {
  double weight; /* the first */
  double sweeps; /* that cost as much as a Newton step */
  long limit;    /* Newton steps */
  double pause;  /* returns when the run's best R is below */
  bool resumes;  /* with the weights of the last call */
} prox_local_params;

/* Iterates from run->g (vectors: u, next, centre, prox_u of row_count each), counting Newton steps
 * on *iteration, until the run ends or the limit or the pause is
 * reached. On return run->g is the last iterate.
 */
scree_status prox_local_iterate(prox_local *work, solve_run *run, active_set *set,
                                const sparse_blocks *n, const prox_local_params *params,
                                double *const vector[4], long *iteration);

#endif
