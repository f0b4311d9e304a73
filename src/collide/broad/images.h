/* The broad phase in a periodic box (math/periodic.h). Boxes are moved into it, and each body looks
 * for partners from all places where its images reach into it. Where images move against each other
 * pairs are found anew each time, and bodies are measured against the mean flow. */
#ifndef SCREE_COLLIDE_BROAD_IMAGES_H
#define SCREE_COLLIDE_BROAD_IMAGES_H

#include "collide/broad/broad.h"

/* Three along each direction, and five along the flow of a shear, whose offset is up to a box. */
enum { IMAGES = 5 * 3 * 3 };

/* Pairs do not last: images part. */
static inline bool images_part(const collide_view *view) {
  return view->box && periodic_moves(view->box);
}

/* A body's velocity beside the mean flow. */
static inline v3 images_velocity(const collide_view *view, size_t i) {
  if (!images_part(view) || view->kind[i] != 0) return view->linear[i];
  return v3_sub(view->linear[i], periodic_flow_at(view->box, view->position[i]));
}

/* How far the mean flow brings two bodies that touch together in a step, the part of one, m. */
double images_reach(const collide_view *view, size_t i);
/* `box` moved into the periodic box, and what holds all of those that have an end.
 * SCREE_ERROR_INPUT: two of them are too large for their nearest images to be the only ones that
 * meet. */
scree_status images_show(scree_context *context, const collide_view *view, const aabb *box,
                         aabb *shown, aabb *all);
/* The vectors that images are moved by, and how many there are. */
int images_list(const periodic *box, v3 shift[IMAGES]);
/* Does a body's image reach into the box of all bodies? */
bool images_meet(aabb own, v3 shift, aabb all);
/* Do the boxes of a large body and another one come near? */
bool images_near(const collide_view *view, const aabb *box, uint32_t large, uint32_t i);

#endif
