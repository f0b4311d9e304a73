/* Contacts of two convex solids whose coordinates are relative to `origin`. */
#ifndef SCREE_COLLIDE_NARROW_CONVEX_H
#define SCREE_COLLIDE_NARROW_CONVEX_H

#include "collide/gjk/gjk.h"
#include "collide/narrow/narrow.h"

/* The two solids in coordinates relative to a's position; false: farther apart than the margin by
 * their sizes alone. */
static inline bool narrow_place(const shape *a, const pose *pa, const shape *b, const pose *pb,
                                double margin, gjk_solid *sa, gjk_solid *sb) {
  const v3 d = v3_sub(pb->position, pa->position);
  const double reach = a->size + b->size + margin;
  if (v3_norm2(d) > reach * reach) return false;
  *sa = gjk_solid_shape(a, (v3){0, 0, 0}, pa->rotation);
  *sb = gjk_solid_shape(b, d, pb->rotation);
  return true;
}

void narrow_convex_solids(const gjk_solid *a, const gjk_solid *b, v3 origin, uint32_t feature,
                          narrow_sink *sink);

/* The same, once normal, gap and nearest point of a's core are known; coordinates are relative to
 * `origin`, the gap is that of the cores. */
void narrow_convex_manifold(const gjk_solid *a, const gjk_solid *b, v3 normal, double gap, v3 on_a,
                            v3 origin, uint32_t feature, narrow_sink *sink);

/* Points where the faces or edges that look along the exact contact's normal lie along each other,
 * if they do; at most NARROW_CANDIDATES. `round` tells of corners sampled on a circle. */
int narrow_convex_candidates(const gjk_solid *a, const gjk_solid *b, contact_point exact,
                             double margin, contact_point *c, bool *round);

/* Unless a candidate is it already, puts the exact contact first, in place of the nearest one
 * within `range`, or beside those that are as deep but whose points are not quite across from each
 * other. None may be deeper: those that pretend to be lie on a slightly different normal. */
int narrow_put_exact(contact_point *c, int count, contact_point exact, double tolerance,
                     double range);

/* Solids of this size that may turn far in the step, as the margin tells: corners that are not near
 * yet may be hit before it ends. */
static inline bool narrow_is_fast(double margin, double size) {
  return margin > 0.1 * size;
}

/* The cosine of the angle up to which faces make a manifold: 6 degrees, they will lie on each other
 * soon; 37 for fast ones that are apart. */
static inline double narrow_flat(double margin, double size, double gap) {
  return gap > 0.0 && narrow_is_fast(margin, size) ? 0.8 : 0.995;
}

/* How near a candidate must be for the exact contact to stand for it. */
static inline double narrow_range(double margin, double size) {
  return narrow_is_fast(margin, size) ? 0.05 * size : INFINITY;
}

#endif
