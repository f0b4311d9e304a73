/* What goes on where a method can't: see hand_over.c. */
#ifndef SCREE_SOLVE_HAND_OVER_H
#define SCREE_SOLVE_HAND_OVER_H

#include "solve/solver.h"

enum { HAND_OVER_VECTORS = 2 }; /* that auto has */

/* Kept from one solve to the next; nothing is made before it is needed. */
typedef struct hand_over {
  double *option;
  double *vector[HAND_OVER_VECTORS];
  void *state;
} hand_over;

/* Goes on with `auto` from the best iterate of a run that the stall rule has ended. Does nothing
 * otherwise, or where the caller wants the named method alone. */
scree_status hand_over_run(hand_over *h, solve_run *run);
void hand_over_clear(scree_context *context, hand_over *h);

#endif
