/* Exact friction with masses that differ widely: a sequence of problems whose masses grow apart,
 * from all alike to those given, each begun with the impulses of the one before. */
#ifndef SCREE_SOLVE_NEWTON_MASS_PATH_H
#define SCREE_SOLVE_NEWTON_MASS_PATH_H

#include "ccp/masses.h"
#include "solve/solver.h"

typedef struct mass_path {
  scree_solver *first, *next; /* of the problem with equal masses, and of the others */
  ccp_masses masses;          /* the problem with those of the moment */
  double *trial;              /* rows */
  long problems;              /* solved on the way in the last run */
} mass_path;

/* Is it an exact problem of bodies whose masses differ by more than `ratio`? */
bool mass_path_takes(const ccp_operator *op, scree_model model, double ratio);
/* Goes the way, where mass_path_takes the problem. Either the run has ended, or run->g is as it
 * was. */
scree_status mass_path_solve(mass_path *path, solve_run *run);
void mass_path_clear(scree_context *context, mass_path *path);

#endif
