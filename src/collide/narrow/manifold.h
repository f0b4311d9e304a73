/* Manifolds: from a normal and two features (a face, an edge or a point of each solid) to a few
 * contact points that hold a body flat. */
#ifndef SCREE_COLLIDE_NARROW_MANIFOLD_H
#define SCREE_COLLIDE_NARROW_MANIFOLD_H

#include "collide/gjk/gjk.h"
#include "collide/narrow/narrow.h"

enum { MANIFOLD_CORNERS = 32, MANIFOLD_ROUND = 8 };

/* A loop of corners, counterclockwise from outside; two make an edge, one makes a point. */
typedef struct manifold_face {
  v3 point[MANIFOLD_CORNERS];
  uint32_t vertex[MANIFOLD_CORNERS]; /* number of the corner on its solid */
  int count;
  v3 normal;  /* unit, outward; of faces only */
  bool round; /* corners sampled on a circle */
} manifold_face;

/* The face of the core (roundness apart) that looks most along the direction; where no face looks
 * that way the edge or point. */
void manifold_face_along(const gjk_solid *s, v3 direction, manifold_face *face);

/* Edges of the core that a plane across n touches, or nearly so, by the angle: those of a box, hull
 * or triangle, the straight line of a cylinder, cone or capsule. At most MANIFOLD_EDGES. */
enum { MANIFOLD_EDGES = 8 };
typedef struct manifold_edge {
  v3 p, q;
  uint32_t name;
} manifold_edge;
int manifold_edges_along(const gjk_solid *s, v3 n, double angle, manifold_edge *edge);

/* Corners of `other` cut to the sides of the face `base` (looking along base's normal), with their
 * height over it, as contacts of a = base's solid. When `swapped`, base belongs to b, and the
 * contacts are turned to fit. Radii are those of a and b; returns the number, at most
 * NARROW_CANDIDATES. */
int manifold_clip(const manifold_face *base, const manifold_face *other, bool swapped,
                  double radius_a, double radius_b, contact_point *out);

/* Whether four points are enough. */
bool manifold_is_slow(const contact_point *c, int count, double margin);
/* Drops contacts beyond the margin, keeps at most `most` of them (thinned to 4 when most is 4) and
 * hands these to the sink. */
void manifold_deliver(contact_point *c, int count, int most, v3 origin, narrow_sink *sink);

#endif
