/* The solver `condense`, as the automatic choice sees it: see condense.c. */
#ifndef SCREE_SOLVE_ELASTIC_CONDENSE_H
#define SCREE_SOLVE_ELASTIC_CONDENSE_H

#include "solve/solver.h"

extern const solver_class solver_condense;
/* Is it the method of choice: elastic rows that are a good part of all, and not too many others on
 * one part? */
bool condense_suits(const scree_ccp *problem);

#endif
