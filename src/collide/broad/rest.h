/* Bodies asleep in the broad phase. Pairs are found as if nobody slept, so that the list outlasts
 * that bodies fall asleep and wake: a wheel on a bed of stones wakes some in each step, and to find
 * all pairs anew for that costs more than the step. What is handed out leaves out the pairs of two
 * that do not move, rows of their own that are copied when who sleeps has changed.
 *
 * Who sleeps stays in his box once he has been found in it: velocities are measured against 0 while
 * anybody sleeps, so that no box of his grows. So a step looks at the boxes of those awake alone.
 */
#ifndef SCREE_COLLIDE_BROAD_REST_H
#define SCREE_COLLIDE_BROAD_REST_H

#include "collide/broad/broad.h"

typedef struct broad_rest {
  scree_context *context;
  uint8_t *settled; /* of each body: asleep, and found inside its box */
  size_t count;
  uint64_t seen; /* the view's count of changes that `settled` is of */
  bool some;     /* somebody sleeps: the rows below are handed out */
  bool due;      /* rows are not those of the list, or of who sleeps */
  uint32_t *row, *partner;
} broad_rest;

void broad_rest_clear(broad_rest *r);
/* Takes in who sleeps now. */
scree_status broad_rest_see(broad_rest *r, const collide_view *view);
/* Boxes were made anew: nobody has been found in his. */
void broad_rest_forget(broad_rest *r);
/* Makes the rows that are handed out, where somebody sleeps and they are due. */
scree_status broad_rest_rows(broad_rest *r, const collide_view *view, const uint32_t *row,
                             const uint32_t *partner);

/* Need not be looked at: with these velocities too the body is in its box. */
static inline bool broad_rest_holds(const broad_rest *r, const collide_view *view, size_t i) {
  return view->asleep && r->seen == view->sleep_revision && i < r->count && r->settled[i] &&
         !(view->extra && view->extra[i] > 0.0);
}

#endif
