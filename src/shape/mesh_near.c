/* Branch and bound over the tree of boxes. The sign of a distance is that of (x - q) . N with q the
 * nearest point and N the pseudonormal there: the face's normal, the sum of both at an edge, the
 * sum weighted by angles at a vertex. With these it is right for every closed mesh (Baerentzen and
 * Aanaes 2005); with any one face's normal it is not:
 *
 *         x .                     nearest to x is the tip; x is below the plane of the right face
 *            /\                   and yet outside
 *           /  \                                                                             */
#include "shape/mesh_near.h"

static double box_distance2(aabb b, v3 x) {
  const v3 d = v3_max(v3_max(v3_sub(b.lo, x), v3_sub(x, b.hi)), (v3){0, 0, 0});
  return v3_norm2(d);
}

static void near_leaf(const shape_mesh *m, const shape_mesh_node *node, v3 x, double *best,
                      mesh_near *near) {
  for (uint32_t i = node->first; i < node->first + node->count; i++) {
    const uint32_t t = m->order[i], *v = m->triangle[t];
    const v3 p[3] = {m->vertex[v[0]], m->vertex[v[1]], m->vertex[v[2]]};
    const double height = v3_dot(m->normal[t], v3_sub(x, p[0]));
    if (height * height > *best) continue;
    int where = MESH_AT_FACE;
    const v3 q = mesh_triangle_near(p, m->normal[t], x, &where);
    const double d2 = v3_norm2(v3_sub(x, q));
    if (!(d2 < *best)) continue;
    *best = d2;
    *near = (mesh_near){.point = q, .triangle = t, .where = where};
  }
}

bool mesh_find_near(const shape_mesh *m, v3 x, double reach, mesh_near *near) {
  uint32_t stack[MESH_TREE_DEPTH];
  int depth = 0;
  double best = reach * reach;
  near->triangle = UINT32_MAX;
  stack[depth++] = 0;
  while (depth > 0) {
    const uint32_t i = stack[--depth];
    const shape_mesh_node *node = m->node + i;
    if (box_distance2(node->box, x) > best) continue;
    if (node->count) {
      near_leaf(m, node, x, &best, near);
      continue;
    }
    const bool left =
        box_distance2(m->node[i + 1].box, x) <= box_distance2(m->node[node->first].box, x);
    stack[depth++] = left ? node->first : i + 1;
    stack[depth++] = left ? i + 1 : node->first;
  }
  near->distance = sqrt(best);
  return near->triangle != UINT32_MAX;
}

double mesh_signed_distance(const shape_mesh *m, v3 x, const mesh_near *near) {
  const uint32_t t = near->triangle;
  v3 n = m->normal[t];
  if (near->where >= 3) {
    n = m->vertex_normal[m->triangle[t][near->where - 3]];
  } else if (near->where >= 0) {
    const uint32_t *f = m->edge_face[m->triangle_edge[t][near->where]];
    if (f[1] != UINT32_MAX) n = v3_add(m->normal[f[0]], m->normal[f[1]]);
  }
  return v3_dot(n, v3_sub(x, near->point)) < 0 ? -near->distance : near->distance;
}

bool mesh_holds(const shape_mesh *m, v3 x, double reach, double slack) {
  mesh_near near;
  return m->closed && mesh_find_near(m, x, reach, &near) &&
         mesh_signed_distance(m, x, &near) < slack;
}

bool mesh_blocks(const shape_mesh *m, v3 p, v3 q) {
  const v3 way = v3_sub(q, p);
  const aabb box = {v3_min(p, q), v3_max(p, q)};
  mesh_walk walk = mesh_walk_begin();
  uint32_t t;
  while (mesh_walk_next(m, box, &walk, &t)) {
    const v3 n = m->normal[t], a = m->vertex[m->triangle[t][0]];
    const double hp = v3_dot(n, v3_sub(p, a)), hq = v3_dot(n, v3_sub(q, a));
    if ((hp > 0) == (hq > 0)) continue;
    const double at = hp / (hp - hq);
    if (!(at > 1e-6 && at < 1 - 1e-6)) continue;
    const v3 x = v3_add_scaled(p, at, way);
    bool over = true;
    for (int k = 0; k < 3 && over; k++) {
      const v3 c = m->vertex[m->triangle[t][k]],
               e = v3_sub(m->vertex[m->triangle[t][(k + 1) % 3]], c);
      over = v3_dot(v3_cross(n, e), v3_sub(x, c)) > 0;
    }
    if (over) return true;
  }
  return false;
}
