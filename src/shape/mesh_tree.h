/* The tree of boxes over a mesh's triangles. */
#ifndef SCREE_SHAPE_MESH_TREE_H
#define SCREE_SHAPE_MESH_TREE_H

#include "shape/shape.h"

scree_status mesh_tree_build(scree_context *context, shape_mesh *mesh);

enum { MESH_TREE_DEPTH = 64, MESH_LEAF = 4 };

/* Walks the triangles whose leaf boxes meet `box` (mesh's frame), in a fixed order:
 *   mesh_walk w = mesh_walk_begin();  while (mesh_walk_next(mesh, box, &w, &t)) … */
typedef struct mesh_walk {
  uint32_t stack[MESH_TREE_DEPTH];
  int depth;
  uint32_t at, end;
} mesh_walk;

static inline mesh_walk mesh_walk_begin(void) {
  mesh_walk w;
  w.stack[0] = 0;
  w.depth = 1;
  w.at = w.end = 0;
  return w;
}

static inline bool mesh_walk_next(const shape_mesh *mesh, aabb box, mesh_walk *w,
                                  uint32_t *triangle) {
  while (w->at == w->end) {
    if (w->depth == 0) return false;
    const uint32_t i = w->stack[--w->depth];
    const shape_mesh_node *node = mesh->node + i;
    if (!aabb_overlap(node->box, box)) continue;
    if (node->count) {
      w->at = node->first;
      w->end = node->first + node->count;
    } else {
      w->stack[w->depth++] = node->first;
      w->stack[w->depth++] = i + 1;
    }
  }
  *triangle = mesh->order[w->at++];
  return true;
}

#endif
