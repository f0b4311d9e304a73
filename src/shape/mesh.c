/* Triangle mesh, repaired (mesh_repair.h), with what contacts need to know of its edges and
 * vertices.
 */
#include <string.h>

#include "base/argument.h"
#include "shape/edges.h"
#include "shape/mesh_repair.h"
#include "shape/mesh_tree.h"

static void mesh_clear(shape *s) {
  shape_mesh *m = &s->mesh;
  void *blocks[] = {
      m->vertex,    m->triangle,     m->triangle_edge,    m->normal,      m->edge, m->edge_inward,
      m->edge_face, m->vertex_start, m->vertex_neighbour, m->vertex_face, m->node, m->order,
      m->patch,     m->vertex_flat,  m->vertex_normal,    m->edge_sharp};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(s->context, blocks[i]);
}

static void mesh_add_normals(shape *s) {
  shape_mesh *m = &s->mesh;
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    const v3 a = m->vertex[m->triangle[t][0]], b = m->vertex[m->triangle[t][1]],
             c = m->vertex[m->triangle[t][2]];
    m->normal[t] = v3_normalize(v3_cross(v3_sub(b, a), v3_sub(c, b)));
    s->size = fmax(s->size, fmax(v3_norm(a), fmax(v3_norm(b), v3_norm(c))));
  }
}

/* More than two faces at one line: each is followed by the one that bounds the same solid, the
 * first that is met on the way round through the material, from half-edges that run against it. */
static void mesh_sort_crowd(const shape_mesh *m, half_edge *half, uint32_t count) {
  const v3 along = v3_normalize(v3_sub(m->vertex[half[0].high], m->vertex[half[0].low]));
  for (uint32_t i = 0; i + 1 < count; i += 2) {
    const v3 n = m->normal[half[i].face], c = v3_cross(n, along),
             in = half[i].forward ? c : v3_neg(c);
    uint32_t best = i + 1;
    double least = INFINITY;
    for (uint32_t k = i + 1; k < count; k++) {
      if (half[k].forward == half[i].forward) continue;
      const v3 o = v3_cross(m->normal[half[k].face], along), to = half[k].forward ? o : v3_neg(o);
      double angle = atan2(-v3_dot(to, n), v3_dot(to, in));
      if (angle < 0) angle += 6.283185307179586;
      if (angle < least) least = angle, best = k;
    }
    const half_edge t = half[i + 1];
    half[i + 1] = half[best];
    half[best] = t;
  }
}

/* Half-edges of the same two vertices become edges two by two; more than two faces at one line give
 * several edges there. */
static void mesh_add_edges(shape_mesh *m, half_edge *half) {
  const uint32_t n = 3 * m->triangle_count;
  m->closed = true;
  for (uint32_t i = 0, end = 0; i < n;) {
    if (i >= end) {
      for (end = i; end < n && half[end].low == half[i].low && half[end].high == half[i].high;)
        end++;
      if (end > i + 2) {
        m->report.crowded_edges++;
        mesh_sort_crowd(m, half + i, end - i);
      }
    }
    const bool pair = i + 1 < end && (end == i + 2 || half[i].forward != half[i + 1].forward);
    const uint32_t e = m->edge_count++;
    m->edge[e][0] = half[i].low;
    m->edge[e][1] = half[i].high;
    m->edge_face[e][1] = UINT32_MAX;
    for (uint32_t k = 0; k < (pair ? 2u : 1u); k++) {
      const half_edge h = half[i + k];
      const v3 along = v3_normalize(v3_sub(m->vertex[h.high], m->vertex[h.low]));
      const v3 in = v3_cross(m->normal[h.face], along);
      m->edge_face[e][k] = h.face;
      m->edge_inward[e][k] = h.forward ? in : v3_neg(in);
      m->triangle_edge[h.face][h.slot] = e;
    }
    if (!pair || half[i].forward == half[i + 1].forward) m->closed = false;
    i += pair ? 2 : 1;
  }
}

static void mesh_add_neighbours(shape_mesh *m) {
  for (uint32_t e = 0; e < m->edge_count; e++)
    for (int k = 0; k < 2; k++) m->vertex_start[m->edge[e][k] + 1]++;
  for (uint32_t v = 0; v < m->vertex_count; v++) m->vertex_start[v + 1] += m->vertex_start[v];
  /* vertex_face serves as the fill count until it gets its own meaning below. */
  for (uint32_t e = 0; e < m->edge_count; e++)
    for (int k = 0; k < 2; k++) {
      const uint32_t v = m->edge[e][k];
      m->vertex_neighbour[m->vertex_start[v] + m->vertex_face[v]++] = m->edge[e][1 - k];
    }
  for (uint32_t v = 0; v < m->vertex_count; v++) m->vertex_face[v] = UINT32_MAX;
  for (uint32_t t = m->triangle_count; t-- > 0;)
    for (int k = 0; k < 3; k++) m->vertex_face[m->triangle[t][k]] = t;
}

static uint32_t patch_root(uint32_t *patch, uint32_t t) {
  while (patch[t] != t) t = patch[t] = patch[patch[t]];
  return t;
}

/* Does an edge bend by less than rounding in the file? The faces' far corners are within a tenth of
 * the tolerance of each other's planes. */
static bool mesh_is_flat(const shape_mesh *m, uint32_t e) {
  const uint32_t f = m->edge_face[e][0], g = m->edge_face[e][1];
  const double rise = fabs(v3_dot(m->normal[f], m->edge_inward[e][1]));
  if (rise <= 1e-9) return true;
  double far = 0;
  for (int k = 0; k < 3; k++) {
    const v3 a = v3_sub(m->vertex[m->triangle[f][k]], m->vertex[m->edge[e][0]]),
             b = v3_sub(m->vertex[m->triangle[g][k]], m->vertex[m->edge[e][0]]);
    far = fmax(far, fmax(fabs(v3_dot(m->normal[g], a)), fabs(v3_dot(m->normal[f], b))));
  }
  return far <= 0.1 * m->report.tolerance;
}

/* Joins triangles across edges that do not bend, so that a contact that moves over such an edge can
 * keep its name. */
static void mesh_add_patches(shape_mesh *m) {
  for (uint32_t t = 0; t < m->triangle_count; t++) m->patch[t] = t;
  for (uint32_t e = 0; e < m->edge_count; e++) {
    const uint32_t f = m->edge_face[e][0], g = m->edge_face[e][1];
    if (g == UINT32_MAX || !mesh_is_flat(m, e)) continue;
    if (v3_dot(m->edge_inward[e][0], m->edge_inward[e][1]) > 0) continue; /* folded back */
    const uint32_t p = patch_root(m->patch, f), q = patch_root(m->patch, g);
    m->patch[p < q ? q : p] = p < q ? p : q;
  }
  for (uint32_t t = 0; t < m->triangle_count; t++) m->patch[t] = patch_root(m->patch, t);
  for (uint32_t v = 0; v < m->vertex_count; v++) m->vertex_flat[v] = true;
  for (uint32_t e = 0; e < m->edge_count; e++) {
    const uint32_t f = m->edge_face[e][0], g = m->edge_face[e][1];
    if (g != UINT32_MAX && m->patch[f] == m->patch[g]) continue;
    m->vertex_flat[m->edge[e][0]] = m->vertex_flat[m->edge[e][1]] = false;
  }
}

/* Faces f and g beside an edge bend away from the outside where g goes down from f's plane. */
static void mesh_add_ridges(shape_mesh *m) {
  const double bend = 1e-7;
  for (uint32_t e = 0; e < m->edge_count; e++) {
    const uint32_t f = m->edge_face[e][0], g = m->edge_face[e][1];
    if (g == UINT32_MAX) {
      m->edge_sharp[e] = true;
      continue;
    }
    const double rise = v3_dot(m->normal[f], m->edge_inward[e][1]);
    const bool folded = v3_dot(m->edge_inward[e][0], m->edge_inward[e][1]) > 0;
    const bool flat = !folded && m->patch[f] == m->patch[g] && mesh_is_flat(m, e);
    m->edge_sharp[e] = !flat && (m->closed ? rise < -bend : fabs(rise) > bend || folded);
  }
  for (uint32_t t = 0; t < m->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      const v3 p = m->vertex[m->triangle[t][k]],
               a = v3_normalize(v3_sub(m->vertex[m->triangle[t][(k + 1) % 3]], p)),
               b = v3_normalize(v3_sub(m->vertex[m->triangle[t][(k + 2) % 3]], p));
      const double angle = atan2(v3_norm(v3_cross(a, b)), v3_dot(a, b));
      v3 *sum = m->vertex_normal + m->triangle[t][k];
      *sum = v3_add_scaled(*sum, angle, m->normal[t]);
    }
}

static scree_status mesh_check(scree_context *context, size_t vertex_count, const double *vertices,
                               size_t triangle_count, const uint32_t *triangles) {
  if (triangle_count == 0 || triangle_count > UINT32_MAX / 8 || vertex_count > UINT32_MAX / 8)
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "a mesh of %zu triangles and %zu vertices; it needs at least one triangle "
                        "and at most %u",
                        triangle_count, vertex_count, UINT32_MAX / 8);
  for (size_t i = 0; i < 3 * vertex_count; i++)
    if (!isfinite(vertices[i]))
      return context_fail(context, SCREE_ERROR_INPUT, "vertex %zu of a mesh is not finite", i / 3);
  for (size_t i = 0; i < 3 * triangle_count; i++)
    if (triangles[i] >= vertex_count)
      return context_fail(context, SCREE_ERROR_INPUT,
                          "triangle %zu of a mesh uses vertex %u of %zu; numbers start at 0", i / 3,
                          triangles[i], vertex_count);
  return SCREE_OK;
}

static bool mesh_allocate(shape *s) {
  shape_mesh *m = &s->mesh;
  scree_context *c = s->context;
  const size_t nv = m->vertex_count, nt = m->triangle_count;
  m->vertex = memory_new(c, nv, sizeof *m->vertex);
  m->triangle = memory_new(c, nt, sizeof *m->triangle);
  m->triangle_edge = memory_new(c, nt, sizeof *m->triangle_edge);
  m->normal = memory_new(c, nt, sizeof *m->normal);
  m->patch = memory_new(c, nt, sizeof *m->patch);
  m->edge = memory_new(c, 3 * nt, sizeof *m->edge);
  m->edge_inward = memory_new(c, 3 * nt, sizeof *m->edge_inward);
  m->edge_face = memory_new(c, 3 * nt, sizeof *m->edge_face);
  m->vertex_start = memory_new(c, nv + 1, sizeof *m->vertex_start);
  m->vertex_neighbour = memory_new(c, 6 * nt, sizeof *m->vertex_neighbour);
  m->vertex_face = memory_new(c, nv, sizeof *m->vertex_face);
  m->vertex_flat = memory_new(c, nv, sizeof *m->vertex_flat);
  m->vertex_normal = memory_new(c, nv, sizeof *m->vertex_normal);
  m->edge_sharp = memory_new(c, 3 * nt, sizeof *m->edge_sharp);
  return m->vertex && m->triangle && m->triangle_edge && m->normal && m->patch && m->edge &&
         m->edge_inward && m->edge_face && m->vertex_start && m->vertex_neighbour &&
         m->vertex_face && m->vertex_flat && m->vertex_normal && m->edge_sharp;
}

/* Loops of open edges, as pieces of the graph that they make. */
static scree_status mesh_count_holes(shape *s) {
  shape_mesh *m = &s->mesh;
  uint32_t *root = memory_new(s->context, m->vertex_count, sizeof *root);
  if (!root) return SCREE_ERROR_MEMORY;
  for (uint32_t v = 0; v < m->vertex_count; v++) root[v] = v;
  for (uint32_t e = 0; e < m->edge_count; e++) {
    if (m->edge_face[e][1] != UINT32_MAX) continue;
    m->report.open_edges++;
    const uint32_t a = patch_root(root, m->edge[e][0]), b = patch_root(root, m->edge[e][1]);
    if (a == b) m->report.holes++; /* closes a loop */
    root[a < b ? b : a] = a < b ? a : b;
  }
  memory_free(s->context, root);
  return SCREE_OK;
}

static void mesh_measure(shape *s) {
  shape_mesh *m = &s->mesh;
  double second[6] = {0};
  v3 first = {0, 0, 0};
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    const v3 a = m->vertex[m->triangle[t][0]];
    m->report.area += 0.5 * v3_norm(v3_cross(v3_sub(m->vertex[m->triangle[t][1]], a),
                                             v3_sub(m->vertex[m->triangle[t][2]], a)));
  }
  m->report.kept = m->triangle_count;
  m->report.closed = m->closed;
  shape_ops_table[SCREE_SHAPE_MESH]->moments(s, &m->report.volume, &first, second);
}

static scree_status mesh_build(shape *s, const mesh_soup *soup) {
  shape_mesh *m = &s->mesh;
  m->report = soup->report;
  m->vertex_count = soup->vertex_count;
  m->triangle_count = soup->triangle_count;
  if (!mesh_allocate(s)) return SCREE_ERROR_MEMORY;
  memcpy(m->vertex, soup->vertex, m->vertex_count * sizeof *m->vertex);
  memcpy(m->triangle, soup->triangle, m->triangle_count * sizeof *m->triangle);
  mesh_add_normals(s);
  half_edge *half = mesh_half_edges(s->context, m->triangle_count, m->triangle);
  if (!half) return SCREE_ERROR_MEMORY;
  mesh_add_edges(m, half);
  memory_free(s->context, half);
  mesh_add_neighbours(m);
  mesh_add_patches(m);
  mesh_add_ridges(m);
  mesh_measure(s);
  const scree_status status = mesh_count_holes(s);
  return status ? status : mesh_tree_build(s->context, m);
}

scree_status scree_shape_create_mesh(scree_context *context, size_t vertex_count,
                                     const double *vertices, size_t triangle_count,
                                     const uint32_t *triangles, scree_shape **out) {
  ARGUMENT_CHECK(context,
                 context && (vertices || !vertex_count) && (triangles || !triangle_count) && out);
  *out = NULL;
  scree_status status = mesh_check(context, vertex_count, vertices, triangle_count, triangles);
  if (status) return status;
  mesh_soup soup;
  status = mesh_repair(context, vertex_count, vertices, triangle_count, triangles, &soup);
  if (status) return status;
  if (soup.triangle_count == 0)
    status = context_fail(context, SCREE_ERROR_INPUT,
                          "all triangles of a mesh are lower than %g m, a millionth of its size: "
                          "there is no surface",
                          soup.report.tolerance);
  shape *s = status ? NULL : shape_new(context, SCREE_SHAPE_MESH);
  if (!status) status = s ? mesh_build(s, &soup) : SCREE_ERROR_MEMORY;
  mesh_soup_clear(&soup);
  if (status) {
    scree_shape_destroy(s);
    return status;
  }
  *out = s;
  return SCREE_OK;
}

static aabb mesh_bounds(const shape *s, pose p) {
  const m33 r = quat_to_m33(p.rotation);
  const aabb b = s->mesh.node[0].box;
  const v3 c = v3_scale(0.5, v3_add(b.lo, b.hi)), e = v3_scale(0.5, v3_sub(b.hi, b.lo));
  const v3 at = v3_add(p.position, m33_mul_v3(&r, c));
  double h[3];
  for (int i = 0; i < 3; i++)
    h[i] = fabs(r.m[i][0]) * e.x + fabs(r.m[i][1]) * e.y + fabs(r.m[i][2]) * e.z;
  return (aabb){v3_sub(at, v3_load(h)), v3_add(at, v3_load(h))};
}

static bool mesh_moments(const shape *s, double *volume, v3 *first, double second[6]) {
  const shape_mesh *m = &s->mesh;
  if (!m->closed) return false;
  for (uint32_t t = 0; t < m->triangle_count; t++)
    shape_add_triangle_moments(m->vertex[m->triangle[t][0]], m->vertex[m->triangle[t][1]],
                               m->vertex[m->triangle[t][2]], volume, first, second);
  return true;
}

const shape_ops shape_mesh_ops = {
    .name = "mesh", .bounds = mesh_bounds, .moments = mesh_moments, .clear = mesh_clear};
