/* The direct solver, as the automatic choice sees it: see direct.c. */
#ifndef SCREE_SOLVE_DIRECT_DIRECT_H
#define SCREE_SOLVE_DIRECT_DIRECT_H

#include "solve/solver.h"

extern const solver_class solver_direct;
/* Is it the method of choice: no friction, and mostly free blocks, as machines have? */
bool direct_suits(const scree_ccp *problem);

#endif
