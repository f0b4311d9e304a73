/* A second look, after the solve. Contacts are made ahead of touch for the velocities that bodies
 * are expected to have. One that is hit at the start of the step moves on with another velocity,
 * and may run into a third that it had no contact with:
 *
 *     o ->   o        o          the middle one was at rest, its gap to the right one wide
 *            o ->  (o o)         and the step long
 *
 * What is missed so is found by going through the pairs of such bodies with the new velocities. */
#ifndef SCREE_COLLIDE_LOOK_H
#define SCREE_COLLIDE_LOOK_H

#include "collide/broad/broad.h"

typedef struct look_def {
  scree_context *context;
  const collide_view *view;   /* that the contacts were found with */
  const v3 *linear, *angular; /* after the solve */
  const double
      *extra;       /* as in the view; above 0 for bodies that moved on, the only ones looked at */
  double tolerance; /* overlap, as a fraction of the smaller diameter */
} look_def;

/* Sets *missed when a pair without a contact would overlap. The pairs of `b` may be made anew. */
scree_status look_for_missed(broad *b, const look_def *look, bool *missed);

#endif
