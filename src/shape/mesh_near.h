/* The nearest point of a mesh, and whether a point is inside a closed one. */
#ifndef SCREE_SHAPE_MESH_NEAR_H
#define SCREE_SHAPE_MESH_NEAR_H

#include "shape/mesh_tree.h"

enum { MESH_AT_FACE = -1 }; /* else 0, 1, 2: edge k; 3, 4, 5: corner k - 3 */

/* The nearest point of a triangle to x, and what it lies on. */
static inline v3 mesh_triangle_near(const v3 p[3], v3 normal, v3 x, int *where) {
  double best = INFINITY;
  v3 nearest = x;
  bool inside = true;
  for (int k = 0; k < 3; k++) {
    const v3 a = p[k], e = v3_sub(p[(k + 1) % 3], a), d = v3_sub(x, a);
    if (v3_dot(v3_cross(normal, e), d) > 0) continue;
    inside = false;
    const double t = v3_dot(d, e) / v3_norm2(e);
    const v3 q = t <= 0 ? a : t >= 1 ? p[(k + 1) % 3] : v3_add_scaled(a, t, e);
    const double d2 = v3_norm2(v3_sub(x, q));
    if (d2 < best) {
      best = d2;
      nearest = q;
      *where = t <= 0 ? 3 + k : t >= 1 ? 3 + (k + 1) % 3 : k;
    }
  }
  if (!inside) return nearest;
  *where = MESH_AT_FACE;
  return v3_add_scaled(x, -v3_dot(normal, v3_sub(x, p[0])), normal);
}

typedef struct mesh_near {
  v3 point;
  double distance;
  uint32_t triangle;
  int where;
} mesh_near;

/* The nearest point within `reach` of x; false: there is none. */
bool mesh_find_near(const shape_mesh *mesh, v3 x, double reach, mesh_near *near);
/* < 0 inside a closed mesh. Only the sign of the nearest point is right to rounding. */
double mesh_signed_distance(const shape_mesh *mesh, v3 x, const mesh_near *near);
/* Whether x is inside a closed mesh whose surface is within `reach` of it, or outside by less than
 * `slack`. */
bool mesh_holds(const shape_mesh *mesh, v3 x, double reach, double slack);

/* Whether the surface crosses the way from p to q, but for a millionth at its ends. */
bool mesh_blocks(const shape_mesh *mesh, v3 p, v3 q);

#endif
