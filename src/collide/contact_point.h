/* What the narrow phase says about two shapes: points of touch, or of near touch.
 *
 *        a            b
 *      (     ) -n-> (     )      point_b = point_a + gap n
 *                                gap > 0 apart, gap < 0 overlapping
 *
 * The points lie on the surfaces, in the world frame; the normal is unit, from a to b. */
#ifndef SCREE_COLLIDE_CONTACT_POINT_H
#define SCREE_COLLIDE_CONTACT_POINT_H

#include "math/pose.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct contact_point {
  v3 point_a, point_b;
  v3 normal;
  double gap;       /* m */
  uint32_t feature; /* which features touch, stable from step to step within a pair of shapes */
} contact_point;

/* No pair reports more points than this through one call unless `capacity` allows it; an array of
 * this size holds the manifold of every pair of simple shapes. */
enum { CONTACT_POINT_MAX = 32 };

typedef struct scree_shape shape;

/* All contacts with gap <= margin (m, >= 0), at most `capacity` of them: when there are more the
 * deepest are kept. Returns how many. Allocates nothing and cannot fail. Swapping a with b flips
 * the contacts. */
int narrow_collide(const shape *a, pose pa, const shape *b, pose pb, double margin,
                   contact_point *out, int capacity);
/* The same with all corners of a face where `whole`. Four of them hold a body, but which four is
 * decided by rounding where they are equally deep: contacts that remember something, as glue, would
 * come and go. */
int narrow_collide_whole(const shape *a, pose pa, const shape *b, pose pb, double margin,
                         bool whole, contact_point *out, int capacity);

/* The kinds of shapes in a shape, a compound's parts included: bit k is kind k. */
uint32_t narrow_kinds(const shape *s);
/* The kinds that have no function of contacts with this one: a pair of such bodies falls through
 * each other, so it must be refused. */
uint32_t narrow_untouchable(uint32_t kind);

#endif
