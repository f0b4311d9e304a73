/* Two triangle meshes: what mesh_pair.c finds, and mesh_left.c sorts out. */
#ifndef SCREE_COLLIDE_MESH_MESH_PAIR_H
#define SCREE_COLLIDE_MESH_MESH_PAIR_H

#include "collide/mesh/mesh_group.h"
#include "shape/mesh_near.h"

enum { CANDIDATES = 192, CROSSINGS = 16 };

static const double shallow =
    0.05; /* part of the smaller mesh's size: deepest overlap with a mesh that is not closed */
static const double crossed = 1e-6; /* part of that size: triangles that cross by less only touch */
static const double parallel =
    0.01; /* sine of edges up to which they are not tried: see take_bent */

/* One mesh, placed in the frame of b's mesh, in which all is computed. */
typedef struct side {
  const shape_mesh *m;
  m33 r;
  v3 at;
  v3 middle;
  bool still; /* this is b: nothing is to be turned or moved */
} side;

/* Contacts are of a and b, whichever of them has the vertex. */
typedef struct candidate {
  contact_point c;
  bool dropped; /* or one that overlaps by its plane only, while its point is not inside */
  bool open;    /* an overlap with a mesh that is not closed */
} candidate;

typedef struct pair {
  side a, b;
  double size;     /* of the smaller mesh, m */
  double margin;   /* contacts with larger gaps are not looked for, m */
  double wanted;   /* contacts with larger gaps are not reported, m */
  double depth;    /* overlaps deeper than this are not looked at, m: far sides of two meshes lie
                    * behind    each other by the size of both, in every direction */
  double reach;    /* the larger of margin and depth */
  double near;     /* contacts with larger gaps go to `far` at once, m */
  mesh_groups far; /* there may be very many of them, and one of each direction must stay */
  candidate found[CANDIDATES];
  int count;
  v3 crossing[CROSSINGS]; /* where triangles run through each other */
  v3 inside[CROSSINGS];   /* of each, a point of its edge that is farther in */
  bool of_a[CROSSINGS];   /* whose edge it is */
  int crossings;
} pair;

static inline v3 side_point(const side *s, uint32_t vertex) {
  return v3_add(s->at, m33_mul_v3(&s->r, s->m->vertex[vertex]));
}

static inline v3 side_turn(const side *s, v3 d) {
  return m33_mul_v3(&s->r, d);
}

/* Is x, in the common frame, inside the mesh, or outside by less than `slack`? */
static inline bool side_holds(const side *s, v3 x, double reach, double slack) {
  return mesh_holds(s->m, m33_tmul_v3(&s->r, v3_sub(x, s->at)), reach, slack);
}

static inline double extent(aabb b) {
  const v3 e = v3_sub(b.hi, b.lo);
  return fmax(e.x, fmax(e.y, e.z));
}

/* n from a to b. */
void mesh_pair_add(pair *p, v3 point_a, v3 normal, double gap, uint32_t feature, bool weak);
/* A vertex x of one mesh; `up`: out of the other one, away from its surface. */
void mesh_pair_add_vertex(pair *p, bool of_a, v3 x, v3 up, double gap, uint32_t vertex,
                          uint32_t other, bool weak);

/* Where triangles run through each other and no contact parts them there: sharp corners may overlap
 * without any vertex in the other mesh. The shallowest plane that fits and parts them there does.
 * False: there is none. */
bool mesh_pair_take_weak(pair *p);
/* Of overlaps that differ in direction those are dropped that a shallower one undoes. */
void mesh_pair_drop_needless(pair *p);
/* One mesh wholly inside the other, deeper than anything was looked for. */
void mesh_pair_find_swallowed(pair *p);
/* What lies beyond a mesh that is not closed, and not in it, does not overlap it. */
void mesh_pair_drop_beyond(pair *p);
/* The deepest overlap that is not dropped, m. */
double mesh_pair_deepest(const pair *p);

#endif
