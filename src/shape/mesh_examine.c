/* The mesh doctor: faults of the triangles that repairs did not remove. */
#include "base/argument.h"
#include "shape/mesh_near.h"

static void corners(const shape_mesh *m, uint32_t t, v3 p[3]) {
  for (int k = 0; k < 3; k++) p[k] = m->vertex[m->triangle[t][k]];
}

/* Does an edge of p run through q, clear of its rim by `rim`? */
static bool runs_through(const v3 p[3], const v3 q[3], v3 n, double clear, double rim) {
  for (int k = 0; k < 3; k++) {
    const v3 a = p[k], b = p[(k + 1) % 3];
    const double ha = v3_dot(n, v3_sub(a, q[0])), hb = v3_dot(n, v3_sub(b, q[0]));
    if (!(fmin(ha, hb) < -clear && fmax(ha, hb) > clear)) continue;
    const v3 x = v3_add_scaled(a, ha / (ha - hb), v3_sub(b, a));
    bool over = true;
    for (int i = 0; i < 3 && over; i++) {
      const v3 e = v3_sub(q[(i + 1) % 3], q[i]);
      over = v3_dot(v3_cross(n, e), v3_sub(x, q[i])) > rim * v3_norm(e);
    }
    if (over) return true;
  }
  return false;
}

static bool share_vertex(const shape_mesh *m, uint32_t s, uint32_t t) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      if (m->triangle[s][i] == m->triangle[t][k]) return true;
  return false;
}

/* Neighbours meet at their rims; others do not, or they cross. */
static size_t count_crossings(const shape_mesh *m) {
  const double clear = 2 * m->report.tolerance;
  size_t count = 0;
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    v3 p[3];
    corners(m, t, p);
    const aabb box = {v3_min(p[0], v3_min(p[1], p[2])), v3_max(p[0], v3_max(p[1], p[2]))};
    mesh_walk walk = mesh_walk_begin();
    uint32_t o;
    while (mesh_walk_next(m, box, &walk, &o)) {
      if (o <= t) continue;
      v3 q[3];
      corners(m, o, q);
      const double rim = share_vertex(m, t, o) ? clear : -clear;
      count += runs_through(p, q, m->normal[o], clear, rim) ||
               runs_through(q, p, m->normal[t], clear, rim);
    }
  }
  return count;
}

bool scree_shape_get_mesh_report(const scree_shape *s, bool crossings, scree_mesh_report *report) {
  if (!s || !report) return false;
  *report = (scree_mesh_report){0};
  if (s->kind != SCREE_SHAPE_MESH) return false;
  *report = s->mesh.report;
  if (crossings) report->crossings = count_crossings(&s->mesh);
  return true;
}

scree_status scree_mesh_examine(scree_context *context, size_t vertex_count, const double *vertices,
                                size_t triangle_count, const uint32_t *triangles,
                                scree_mesh_report *report) {
  ARGUMENT_CHECK(context, context && (vertices || !vertex_count) &&
                              (triangles || !triangle_count) && report);
  shape *s;
  *report = (scree_mesh_report){0};
  const scree_status status =
      scree_shape_create_mesh(context, vertex_count, vertices, triangle_count, triangles, &s);
  if (status) return status;
  scree_shape_get_mesh_report(s, true, report);
  scree_shape_destroy(s);
  return SCREE_OK;
}
