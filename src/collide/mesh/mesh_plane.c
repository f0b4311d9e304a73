/* A mesh on a plane: it touches with vertices alone, those not within a flat piece. The tree of
 * boxes leaves out what is far from the plane. */
#include "collide/mesh/mesh_group.h"
#include "shape/mesh_tree.h"

/* The least of n . x over a box. */
static double box_least(aabb b, v3 n) {
  return n.x * (n.x > 0 ? b.lo.x : b.hi.x) + n.y * (n.y > 0 ? b.lo.y : b.hi.y) +
         n.z * (n.z > 0 ? b.lo.z : b.hi.z);
}

typedef struct mesh_target {
  const shape_mesh *m;
  v3 n; /* of the plane, mesh's frame */
  double offset, margin;
  uint32_t feature;
  mesh_groups all;
} mesh_target;

static void plane_leaf(mesh_target *g, const shape_mesh_node *node) {
  const shape_mesh *m = g->m;
  for (uint32_t i = node->first; i < node->first + node->count; i++) {
    const uint32_t t = m->order[i];
    for (int k = 0; k < 3; k++) {
      const uint32_t v = m->triangle[t][k];
      if (m->vertex_face[v] != t || m->vertex_flat[v]) continue;
      const double gap = v3_dot(g->n, m->vertex[v]) - g->offset;
      if (gap > g->margin) continue;
      const contact_point c = {.point_a = m->vertex[v],
                               .normal = v3_neg(g->n),
                               .gap = gap,
                               .feature = narrow_mix(g->feature, v)};
      mesh_group_add(&g->all, &c);
    }
  }
}

void narrow_mesh_plane(const shape *a, const pose *pa, v3 n, double offset, uint32_t feature,
                       narrow_sink *sink) {
  mesh_target g;
  g.m = &a->mesh;
  g.n = quat_rotate_inverse(pa->rotation, n);
  g.offset = offset - v3_dot(n, pa->position);
  g.margin = sink->margin;
  g.feature = feature;
  mesh_groups_begin(&g.all, 1 - 1e-6, a->size, sink->margin);
  uint32_t stack[MESH_TREE_DEPTH];
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const uint32_t i = stack[--depth];
    const shape_mesh_node *node = g.m->node + i;
    if (box_least(node->box, g.n) > g.offset + g.margin) continue;
    if (node->count) {
      plane_leaf(&g, node);
    } else {
      stack[depth++] = node->first;
      stack[depth++] = i + 1;
    }
  }
  mesh_groups_deliver(&g.all, pa->rotation, pa->position, a->size, sink);
}
