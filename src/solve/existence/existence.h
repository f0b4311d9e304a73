/* Existence settled by trying all states of the contacts; see existence/states.c. */
#ifndef SCREE_SOLVE_EXISTENCE_EXISTENCE_H
#define SCREE_SOLVE_EXISTENCE_EXISTENCE_H

#include "ccp/operator.h"

typedef struct existence_states {
  long tried; /* 0: the problem is not one for it */
  bool found; /* a solution, checked by the common residual */
  long undecided;
} existence_states;

scree_status existence_enumerate(scree_context *context, const scree_ccp *problem,
                                 existence_states *answer);

#endif
