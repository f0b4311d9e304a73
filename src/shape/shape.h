/* The shape: a kind, its sizes, and a table of what each kind can do. All data is in the shape's
 * own frame; nothing here knows of contacts. */
#ifndef SCREE_SHAPE_SHAPE_H
#define SCREE_SHAPE_SHAPE_H

#include "base/memory.h"
#include "math/aabb.h"
#include "math/pose.h"
#include "scree/shape.h"
#include "shape/shape_list.h"

typedef struct scree_shape shape;

/* A convex polyhedron; faces are loops of vertices, counterclockwise from outside. */
typedef struct polyhedron {
  const v3 *vertex;
  const uint32_t *face_start;  /* face_count + 1 */
  const uint32_t *face_vertex; /* face_start[face_count] */
  const v3 *face_normal;       /* unit, outward */
  const double *face_offset;   /* normal . x <= offset inside */
  const uint32_t *edge;        /* pairs of vertices, edge_count of them */
  const uint32_t *edge_face;   /* pairs of faces beside each edge */
  uint32_t vertex_count, face_count, edge_count;
  v3 inner; /* inside: the origin where that is, else the mean of the vertices */
} polyhedron;

typedef struct shape_mesh_node {
  aabb box;
  uint32_t first; /* leaf: first triangle in `order`; else the right child, the left one is next */
  uint32_t count; /* triangles of a leaf, 0: inner node */
} shape_mesh_node;

/* Edges know the directions that lead from them into their two faces, vertices their neighbours:
 * what is needed to tell a true ridge from a seam inside a flat floor. */
typedef struct shape_mesh {
  v3 *vertex;
  uint32_t (*triangle)[3];
  uint32_t (*triangle_edge)[3]; /* edge k joins vertices k and k+1 */
  v3 *normal;
  uint32_t *patch; /* the lowest triangle of the flat, connected piece that a triangle is in */
  uint32_t (*edge)[2];
  v3 (*edge_inward)[2];     /* unit, across the edge, in the plane of face 0 and 1 */
  uint32_t (*edge_face)[2]; /* UINT32_MAX: none */
  uint32_t *vertex_start, *vertex_neighbour; /* compressed rows */
  uint32_t *vertex_face;                     /* the lowest triangle at a vertex */
  bool *vertex_flat;                         /* all about a vertex is one flat piece */
  v3 *vertex_normal; /* sum of the normals about a vertex, weighted by the faces' angles there */
  bool *edge_sharp; /* may be the first to touch: convex, or of a surface without inside not flat */
  shape_mesh_node *node;
  uint32_t *order;
  uint32_t vertex_count, triangle_count, edge_count, node_count;
  bool closed; /* each edge has two faces that run along it in opposite directions */
  scree_mesh_report report;
} shape_mesh;

typedef struct shape_part {
  shape *shape;
  pose place;
} shape_part;

struct scree_shape {
  scree_shape_kind kind;
  uint32_t references;
  scree_context *context;
  double size; /* radius about the origin that holds all of it; infinite where it has no end */
  union {
    struct {
      double radius;
    } sphere;
    struct {
      v3 radii;
    } ellipsoid;
    struct {
      v3 half;
    } box;
    struct {
      double radius, half;
    } capsule, cylinder;
    struct {
      double radius, bottom, top; /* z of base and tip */
    } cone;
    polyhedron hull;
    struct {
      v3 half;
      unsigned open;
    } box_container;
    struct {
      double bottom, top, half; /* radii at z = -half and half */
      unsigned open;
    } round_container;
    shape_mesh mesh;
    struct {
      shape_part *part;
      uint32_t count;
      aabb *bounds; /* of each part, compound's frame */
    } compound;
  };
};

typedef struct shape_ops {
  const char *name;
  /* Required. */
  aabb (*bounds)(const shape *s, pose p);
  /* The farthest point along a direction (any length but 0). Convex shapes; null: not convex. */
  v3 (*support)(const shape *s, v3 direction);
  /* Volume, centre and inertia of unit density about the origin; null: has no mass. */
  bool (*moments)(const shape *s, double *volume, v3 *first, double second[6]);
  /* Frees what the shape owns; null: nothing. */
  void (*clear)(shape *s);
} shape_ops;

#define SHAPE_OPS_DECLARE(kind, name) extern const shape_ops shape_##name##_ops;
SHAPE_LIST(SHAPE_OPS_DECLARE)
#undef SHAPE_OPS_DECLARE
extern const shape_ops *const shape_ops_table[SCREE_SHAPE_KIND_COUNT];

static inline v3 shape_support(const shape *s, v3 direction) {
  return shape_ops_table[s->kind]->support(s, direction);
}
static inline aabb shape_bounds(const shape *s, pose p) {
  return shape_ops_table[s->kind]->bounds(s, p);
}
static inline bool shape_is_convex(const shape *s) {
  return shape_ops_table[s->kind]->support != NULL;
}

/* A zeroed shape of a kind with one reference, or null with the message set. */
shape *shape_new(scree_context *context, scree_shape_kind kind);
/* Fails when the value is not finite and positive. */
scree_status shape_check_size(scree_context *context, const char *owner, const char *what,
                              double value);
/* Volume, first and second moments (integrals of 1, x, x x' with xx xy xz yy yz zz) of a closed
 * surface of triangle fans: exact sums over tetrahedra with a tip at the origin. */
void shape_add_triangle_moments(v3 a, v3 b, v3 c, double *volume, v3 *first, double second[6]);
aabb shape_bounds_from_support(const shape *s, pose p);

#endif
