/* Convex hull of points, by qhull on points moved and scaled to unit size; vertices keep the
 * coordinates that were given. Coplanar facets come merged, so a cube has six faces of four. */
#include "base/argument.h"
#include "shape/edges.h"
#include "shape/shape.h"
#ifdef SCREE_WITH_QHULL
#include <libqhull_r/qhull_ra.h>
#endif
#include <stdio.h>
#include <stdlib.h>

static void hull_clear(shape *s) {
  polyhedron *h = &s->hull;
  const void *blocks[] = {h->vertex,      h->face_start, h->face_vertex, h->face_normal,
                          h->face_offset, h->edge,       h->edge_face};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    memory_free(s->context, (void *)(uintptr_t)blocks[i]);
}

/* Refuses points that are not finite or lie (nearly) in a plane; gives the centre and size. */
static scree_status hull_check(scree_context *context, size_t count, const double *points,
                               v3 *center, double *size) {
  if (count < 4 || count > INT32_MAX)
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "a hull of %zu points; it needs at least 4 that are not in a plane", count);
  aabb b = aabb_empty();
  for (size_t i = 0; i < count; i++) {
    const v3 p = v3_load(points + 3 * i);
    if (!isfinite(p.x + p.y + p.z))
      return context_fail(context, SCREE_ERROR_ARGUMENT, "point %zu of a hull is not finite", i);
    b = aabb_union(b, (aabb){p, p});
  }
  *center = v3_scale(0.5, v3_add(b.lo, b.hi));
  *size = 0.5 * v3_norm(v3_sub(b.hi, b.lo));
  v3 base[3] = {v3_load(points)}, across = {0, 0, 0};
  double best = 0;
  for (int stage = 0; stage < 3; stage++) {
    best = 0;
    size_t who = 0;
    for (size_t i = 0; i < count; i++) {
      const v3 d = v3_sub(v3_load(points + 3 * i), base[0]);
      const double f = stage == 0   ? v3_norm(d)
                       : stage == 1 ? v3_norm(v3_cross(base[1], d))
                                    : fabs(v3_dot(across, d));
      if (f > best) best = f, who = i;
    }
    if (!(best > 1e-7 * *size)) break;
    const v3 d = v3_sub(v3_load(points + 3 * who), base[0]);
    if (stage == 0) base[1] = v3_normalize(d);
    if (stage == 1) across = v3_normalize(v3_cross(base[1], d));
  }
  if (best > 1e-7 * *size) return SCREE_OK;
  return context_fail(context, SCREE_ERROR_ARGUMENT,
                      "the %zu points of a hull lie in a plane, on a line or in one place (to "
                      "1e-7 of their extent %g m); it would have no volume",
                      count, 2 * *size);
}

#ifdef SCREE_WITH_QHULL
/* Copies qhull's facets as loops of point numbers, counterclockwise from outside. */
static scree_status hull_copy_faces(scree_context *context, qhT *qh, const v3 *unit,
                                    uint32_t **face_start, uint32_t **face_vertex,
                                    uint32_t *count) {
  facetT *facet;
  vertexT *vertex, **vertexp;
  size_t faces = 0, corners = 0;
  FORALLfacets {
    setT *loop = qh_facet3vertex(qh, facet);
    faces++;
    corners += (size_t)qh_setsize(qh, loop);
    qh_settempfree(qh, &loop);
  }
  *face_start = memory_new(context, faces + 1, sizeof **face_start);
  *face_vertex = memory_new(context, corners, sizeof **face_vertex);
  if (!*face_start || !*face_vertex) return SCREE_ERROR_MEMORY;
  uint32_t f = 0, at = 0;
  FORALLfacets {
    setT *loop = qh_facet3vertex(qh, facet);
    const uint32_t begin = at;
    FOREACHvertex_(loop)(*face_vertex)[at++] = (uint32_t)qh_pointid(qh, vertex->point);
    qh_settempfree(qh, &loop);
    v3 area = {0, 0, 0};
    for (uint32_t k = begin; k < at; k++)
      area = v3_add(area, v3_cross(unit[(*face_vertex)[k]],
                                   unit[(*face_vertex)[k + 1 < at ? k + 1 : begin]]));
    if (v3_dot(area, v3_load(facet->normal)) < 0)
      for (uint32_t i = begin, j = at - 1; i < j; i++, j--) {
        const uint32_t t = (*face_vertex)[i];
        (*face_vertex)[i] = (*face_vertex)[j];
        (*face_vertex)[j] = t;
      }
    (*face_start)[++f] = at;
  }
  *count = f;
  return SCREE_OK;
}

static scree_status hull_run(scree_context *context, size_t count, v3 *unit, uint32_t **face_start,
                             uint32_t **face_vertex, uint32_t *face_count) {
  char *text = NULL, options[] = "qhull Pp";
  size_t length = 0;
  FILE *messages = open_memstream(&text, &length);
  if (!messages) return context_fail(context, SCREE_ERROR_MEMORY, "no memory to build a hull");
  qhT qh;
  qh_zero(&qh, messages);
  const int code = qh_new_qhull(&qh, 3, (int)count, (double *)unit, False, options, NULL, messages);
  scree_status status = SCREE_OK;
  if (code == 0) status = hull_copy_faces(context, &qh, unit, face_start, face_vertex, face_count);
  int left = 0, total = 0;
  qh_freeqhull(&qh, !qh_ALL);
  qh_memfreeshort(&qh, &left, &total);
  fclose(messages);
  if (code != 0)
    status = context_fail(context, SCREE_ERROR_NUMERIC, "the hull of %zu points failed: %.300s",
                          count, text ? text : "");
  free(text);
  return status;
}
#else
static scree_status hull_run(scree_context *context, size_t count, v3 *unit, uint32_t **face_start,
                             uint32_t **face_vertex, uint32_t *face_count) {
  (void)unit, (void)face_start, (void)face_vertex, (void)face_count;
  return context_fail(context, SCREE_ERROR_UNSUPPORTED,
                      "a hull of %zu points needs qhull, which this build was made without", count);
}
#endif

/* Renumbers so that only points on the hull remain, in the order given. */
static scree_status hull_copy_vertices(shape *s, size_t count, const double *points,
                                       uint32_t *face_vertex, uint32_t corner_count) {
  uint32_t *number = memory_new(s->context, count, sizeof *number);
  if (!number) return SCREE_ERROR_MEMORY;
  for (uint32_t k = 0; k < corner_count; k++) number[face_vertex[k]] = 1;
  uint32_t n = 0;
  for (size_t i = 0; i < count; i++)
    if (number[i]) number[i] = ++n;
  v3 *vertex = memory_new(s->context, n, sizeof *vertex);
  if (vertex) {
    for (size_t i = 0; i < count; i++)
      if (number[i]) vertex[number[i] - 1] = v3_load(points + 3 * i);
    for (uint32_t k = 0; k < corner_count; k++) face_vertex[k] = number[face_vertex[k]] - 1;
    s->hull.vertex = vertex;
    s->hull.vertex_count = n;
    for (uint32_t i = 0; i < n; i++) s->size = fmax(s->size, v3_norm(vertex[i]));
  }
  memory_free(s->context, number);
  return vertex ? SCREE_OK : SCREE_ERROR_MEMORY;
}

/* Planes through the faces, pushed out until no vertex is outside, and the edges. */
static scree_status hull_finish(shape *s) {
  polyhedron *h = &s->hull;
  const uint32_t edges = h->face_start[h->face_count] / 2;
  v3 *normal = memory_new(s->context, h->face_count, sizeof *normal);
  double *offset = memory_new(s->context, h->face_count, sizeof *offset);
  uint32_t *edge = memory_new(s->context, 2 * (size_t)edges, sizeof *edge);
  uint32_t *side = memory_new(s->context, 2 * (size_t)edges, sizeof *side);
  half_edge *half = half_edges_create(s->context, h->face_count, h->face_start, h->face_vertex);
  h->face_normal = normal;
  h->face_offset = offset;
  h->edge = edge;
  h->edge_face = side;
  h->edge_count = edges;
  if (!normal || !offset || !edge || !side || !half) {
    memory_free(s->context, half);
    return SCREE_ERROR_MEMORY;
  }
  for (uint32_t f = 0; f < h->face_count; f++) {
    const uint32_t *v = h->face_vertex + h->face_start[f];
    const uint32_t n = h->face_start[f + 1] - h->face_start[f];
    v3 area = {0, 0, 0};
    for (uint32_t k = 1; k + 1 < n; k++)
      area = v3_add(area, v3_cross(v3_sub(h->vertex[v[k]], h->vertex[v[0]]),
                                   v3_sub(h->vertex[v[k + 1]], h->vertex[v[0]])));
    normal[f] = v3_normalize(area);
    offset[f] = -INFINITY;
    for (uint32_t k = 0; k < n; k++)
      offset[f] = fmax(offset[f], v3_dot(normal[f], h->vertex[v[k]]));
  }
  for (uint32_t f = 0; f < h->face_count && v3_norm2(h->inner) == 0.0; f++)
    for (uint32_t i = 0; offset[f] <= 0.0 && i < h->vertex_count; i++)
      h->inner = v3_add_scaled(h->inner, 1.0 / h->vertex_count, h->vertex[i]);
  bool paired = h->face_start[h->face_count] % 2 == 0;
  for (uint32_t e = 0; e < edges && paired; e++) {
    const half_edge a = half[2 * e], b = half[2 * e + 1];
    paired = a.low == b.low && a.high == b.high && a.forward != b.forward;
    edge[2 * e] = a.low;
    edge[2 * e + 1] = a.high;
    side[2 * e] = a.forward ? a.face : b.face;
    side[2 * e + 1] = a.forward ? b.face : a.face;
  }
  memory_free(s->context, half);
  if (paired) return SCREE_OK;
  return context_fail(s->context, SCREE_ERROR_NUMERIC,
                      "the faces of a hull do not close: points too close to each other; merge "
                      "points nearer than 1e-12 of the hull's size");
}

scree_status scree_shape_create_hull(scree_context *context, size_t point_count,
                                     const double *points, scree_shape **out) {
  ARGUMENT_CHECK(context, out);
  *out = NULL;
  v3 center = {0, 0, 0};
  double size = 0;
  scree_status status = hull_check(context, point_count, points, &center, &size);
  if (status) return status;
  v3 *unit = memory_new(context, point_count, sizeof *unit);
  shape *s = shape_new(context, SCREE_SHAPE_HULL);
  if (!unit || !s) {
    memory_free(context, unit);
    scree_shape_destroy(s);
    return SCREE_ERROR_MEMORY;
  }
  for (size_t i = 0; i < point_count; i++)
    unit[i] = v3_scale(1.0 / size, v3_sub(v3_load(points + 3 * i), center));
  uint32_t *face_start = NULL, *face_vertex = NULL;
  status = hull_run(context, point_count, unit, &face_start, &face_vertex, &s->hull.face_count);
  memory_free(context, unit);
  s->hull.face_start = face_start;
  s->hull.face_vertex = face_vertex;
  if (!status)
    status =
        hull_copy_vertices(s, point_count, points, face_vertex, face_start[s->hull.face_count]);
  if (!status) status = hull_finish(s);
  if (status) {
    scree_shape_destroy(s);
    return status;
  }
  *out = s;
  return SCREE_OK;
}

static v3 hull_support(const shape *s, v3 d) {
  const polyhedron *h = &s->hull;
  v3 best = h->vertex[0];
  double most = v3_dot(d, best);
  for (uint32_t i = 1; i < h->vertex_count; i++) {
    const double f = v3_dot(d, h->vertex[i]);
    if (f > most) most = f, best = h->vertex[i];
  }
  return best;
}

static bool hull_moments(const shape *s, double *volume, v3 *first, double second[6]) {
  const polyhedron *h = &s->hull;
  for (uint32_t f = 0; f < h->face_count; f++) {
    const uint32_t *v = h->face_vertex + h->face_start[f];
    for (uint32_t k = 1; k + 1 < h->face_start[f + 1] - h->face_start[f]; k++)
      shape_add_triangle_moments(h->vertex[v[0]], h->vertex[v[k]], h->vertex[v[k + 1]], volume,
                                 first, second);
  }
  return true;
}

const shape_ops shape_hull_ops = {.name = "hull",
                                  .bounds = shape_bounds_from_support,
                                  .support = hull_support,
                                  .moments = hull_moments,
                                  .clear = hull_clear};
