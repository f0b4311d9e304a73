/* Inside the narrow phase: where contacts are put, and the functions of the pair table. */
#ifndef SCREE_COLLIDE_NARROW_NARROW_H
#define SCREE_COLLIDE_NARROW_NARROW_H

#include "collide/contact_point.h"
#include "shape/shape.h"

typedef struct narrow_sink {
  contact_point *out;
  int count, capacity;
  double margin;
  bool whole; /* no manifold is thinned */
} narrow_sink;

/* Finds the contacts of a and b; gaps over the margin need not be sorted out before. */
typedef void narrow_function(const shape *a, const pose *pa, const shape *b, const pose *pb,
                             narrow_sink *sink);

/* Adds a contact by its point on a; when there is no room it takes the place of the shallowest. */
static inline void narrow_add(narrow_sink *sink, v3 point_a, v3 normal, double gap,
                              uint32_t feature) {
  if (!(gap <= sink->margin)) return;
  int at = sink->count;
  if (at < sink->capacity) {
    sink->count++;
  } else {
    at = 0;
    for (int i = 1; i < sink->count; i++)
      if (sink->out[i].gap > sink->out[at].gap) at = i;
    if (sink->capacity == 0 || sink->out[at].gap <= gap) return;
  }
  sink->out[at] = (contact_point){.point_a = point_a,
                                  .point_b = v3_add_scaled(point_a, gap, normal),
                                  .normal = normal,
                                  .gap = gap,
                                  .feature = feature};
}

/* A room for candidates of one manifold, to be thinned before they go to the sink. */
enum { NARROW_CANDIDATES = 64 };

/* Mixes two numbers into one that is as good as unique: 2^-32 chance of a clash. */
static inline uint32_t narrow_mix(uint32_t a, uint32_t b) {
  uint64_t z = ((uint64_t)a << 32 | b) + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)(z ^ (z >> 31));
}

/* Where a point is with respect to a solid: the nearest point of its surface, the outward normal
 * there, and the signed distance (< 0 inside). All in the solid's frame. */
typedef struct narrow_near {
  v3 point, normal;
  double distance;
} narrow_near;
narrow_near narrow_near_point(const shape *s, v3 x);

narrow_function narrow_sphere_sphere, narrow_sphere_convex, narrow_sphere_half_space;
narrow_function narrow_convex_half_space;
narrow_function narrow_box_box, narrow_capsule_capsule, narrow_convex_convex;
narrow_function narrow_ellipsoid_ellipsoid;
narrow_function narrow_sphere_box_container, narrow_convex_box_container;
narrow_function narrow_sphere_round_container, narrow_convex_round_container;
narrow_function narrow_sphere_mesh, narrow_convex_mesh, narrow_mesh_mesh;

/* Contacts of a convex solid or a mesh with the half-space below the plane n . x = offset (world
 * frame); the normal of the contacts is -n, as the solid is a. `feature` tells planes apart. */
void narrow_convex_plane(const shape *a, const pose *pa, v3 n, double offset, uint32_t feature,
                         narrow_sink *sink);

/* The same of a mesh: the vertices beyond the plane or near it, thinned. */
void narrow_mesh_plane(const shape *a, const pose *pa, v3 n, double offset, uint32_t feature,
                       narrow_sink *sink);

#endif
