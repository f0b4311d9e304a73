/* Contacts of a mesh, thinned: there may be very many, and those with nearly the same normal are
 * one manifold, whichever triangles they came from. What touches is a manifold of its own: where
 * the motion of a step is long, surfaces far behind or below are seen too, and must not take the
 * place of what carries.
 *
 *      ______          the box moves fast, so that it sees the step below: its corner on the left
 * is
 *     |______|         farther out than the edge that it lies on
 *        ____|
 *     ___|             */
#ifndef SCREE_COLLIDE_MESH_MESH_GROUP_H
#define SCREE_COLLIDE_MESH_MESH_GROUP_H

#include "collide/narrow/narrow.h"

/* The deepest is kept and those farthest out in eight directions, none of which is along a likely
 * edge. */
enum { MESH_WAYS = 8, MESH_GROUPS = 12 };
typedef struct mesh_group {
  v3 normal, way[MESH_WAYS];
  contact_point kept[MESH_WAYS + 1]; /* the last one is the deepest */
  bool touches;
} mesh_group;

typedef struct mesh_groups {
  mesh_group group[MESH_GROUPS];
  int count;
  double alike; /* cosine of the angle between normals of one group */
  double size;  /* of the smaller body */
  double touch; /* smaller gaps touch */
} mesh_groups;

void mesh_groups_begin(mesh_groups *all, double alike, double size, double margin);
void mesh_group_add(mesh_groups *all, const contact_point *c);
/* Does one of them overlap? */
bool mesh_groups_touch(const mesh_groups *all);
/* Puts what is kept into the sink: x becomes origin + rotation x. Points nearer to each other than
 * 1e-8 `size` are one. */
void mesh_groups_deliver(const mesh_groups *all, quat rotation, v3 origin, double size,
                         narrow_sink *sink);

/* The same of contacts that are only near: each group gets its share of the room that is left, the
 * nearest of it first. */
void mesh_groups_share(const mesh_groups *all, quat rotation, v3 origin, double size,
                       narrow_sink *sink);

#endif
