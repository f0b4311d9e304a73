/* The proximal problems of one centre, followed from heavy weights down to none.
 *
 * With heavy weights the problem has one solution, next to the centre; where weights vanish it is
 * the problem itself. In between, the branch of solutions may turn back and forth (friction has no
 * potential): walk_follow goes around. Where it does not turn Newton steps at falling weights get
 * there faster, and only the regions in which they fail are followed, each with its own weights. */
#ifndef SCREE_SOLVE_NEWTON_PROX_PATH_H
#define SCREE_SOLVE_NEWTON_PROX_PATH_H

#include "solve/newton/active_set.h"
#include "solve/solver.h"

typedef struct prox_path prox_path;

scree_status prox_path_create(scree_context *context, prox_path **work);
void prox_path_destroy(prox_path *work);

/* Exact Coulomb, plain cones of three rows, all of them movable? */
bool prox_path_takes(const ccp_operator *op, scree_model model);
/* From run->g, counting linearisations on *iteration, until the run ends or `patience` of them were
 * made without halving the best merit. On return run->g is the last iterate. */
scree_status prox_path_iterate(prox_path *work, solve_run *run, active_set *set,
                               const sparse_blocks *n, long patience, long *iteration);

/* Gives a walk its vectors. */
struct prox_walk;
scree_status prox_path_prepare(prox_path *work, size_t rows, size_t blocks, struct prox_walk *walk);

#endif
