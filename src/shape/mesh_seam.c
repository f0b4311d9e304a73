/* Seams where a vertex lies in the middle of another triangle's edge (T-junctions):
 *
 *      ______                    a ______                the long edge a b has no triangle beside
 *     |\     |                    |\     |                it by its numbers; once its triangle is
 *     | \    |                    | \    |                cut at v both pieces have one
 *     |__\v__|      becomes       |__\v__|
 *     |      |                    |  /   |
 *     |______|                    |_/____|
 *
 * Only open edges are looked at, and only vertices of open edges. */
#include <stdlib.h>

#include "shape/edges.h"
#include "shape/mesh_repair.h"

enum { PASSES = 12 };

typedef struct along {
  double key;
  uint32_t vertex;
} along;

static int along_order(const void *pa, const void *pb) {
  const along *a = pa, *b = pb;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

typedef struct seam {
  mesh_soup *s;
  half_edge *half;
  along *open; /* vertices of open edges, along one axis */
  size_t open_count;
  along *on; /* of one edge */
  bool *cut; /* triangles that were cut in this pass */
  int axis;
} seam;

/* Half-edges [i, end) are those of one pair of vertices; open: an odd one out. */
static bool next_edge(const half_edge *half, size_t count, size_t *i, size_t *end) {
  if (*i >= count) return false;
  *end = *i + 1;
  while (*end < count && half[*end].low == half[*i].low && half[*end].high == half[*i].high) ++*end;
  return true;
}

static double coordinate(const seam *m, uint32_t v) {
  return (&m->s->vertex[v].x)[m->axis];
}

static void list_open(seam *m, bool *listed) {
  const size_t n = 3 * (size_t)m->s->triangle_count;
  m->open_count = 0;
  for (size_t i = 0, end; next_edge(m->half, n, &i, &end); i = end) {
    if ((end - i) % 2 == 0) continue;
    const uint32_t v[2] = {m->half[i].low, m->half[i].high};
    for (int k = 0; k < 2; k++) {
      if (listed[v[k]]) continue;
      listed[v[k]] = true;
      m->open[m->open_count++] = (along){coordinate(m, v[k]), v[k]};
    }
  }
  qsort(m->open, m->open_count, sizeof *m->open, along_order);
}

/* Vertices within the tolerance of the inner part of an edge, in their order along it. */
static size_t find_on(seam *m, uint32_t a, uint32_t b) {
  const double tolerance = m->s->report.tolerance;
  const v3 p = m->s->vertex[a], e = v3_sub(m->s->vertex[b], p);
  const double length = v3_norm(e);
  const double lo = fmin(coordinate(m, a), coordinate(m, b)) - tolerance,
               hi = fmax(coordinate(m, a), coordinate(m, b)) + tolerance;
  size_t first = 0, last = m->open_count, count = 0;
  while (first < last) {
    const size_t mid = (first + last) / 2;
    if (m->open[mid].key < lo)
      first = mid + 1;
    else
      last = mid;
  }
  for (size_t i = first; i < m->open_count && m->open[i].key <= hi; i++) {
    const uint32_t v = m->open[i].vertex;
    if (v == a || v == b) continue;
    const v3 d = v3_sub(m->s->vertex[v], p);
    const double t = v3_dot(d, e) / length;
    if (!(t > tolerance && t < length - tolerance)) continue;
    if (v3_norm2(v3_add_scaled(d, -t / length, e)) > tolerance * tolerance) continue;
    m->on[count++] = (along){t, v};
  }
  qsort(m->on, count, sizeof *m->on, along_order);
  return count;
}

/* The triangle's edge from slot to slot + 1 becomes count + 1 edges: a fan about the corner across.
 */
static scree_status cut_triangle(seam *m, uint32_t t, uint32_t slot, bool forward, size_t count) {
  mesh_soup *s = m->s;
  if (s->triangle_count + count > UINT32_MAX / 8 ||
      memory_grow(s->context, &s->triangle, s->triangle_count + count, sizeof *s->triangle))
    return SCREE_ERROR_MEMORY;
  const uint32_t end = s->triangle[t][(slot + 1) % 3], across = s->triangle[t][(slot + 2) % 3];
  uint32_t from = s->triangle[t][slot];
  for (size_t k = 0; k <= count; k++) {
    const uint32_t to = k == count ? end : m->on[forward ? k : count - 1 - k].vertex;
    uint32_t *out = s->triangle[k == 0 ? t : s->triangle_count++];
    out[0] = from, out[1] = to, out[2] = across;
    from = to;
  }
  return SCREE_OK;
}

static scree_status pass(seam *m, size_t *cuts) {
  const size_t n = 3 * (size_t)m->s->triangle_count;
  *cuts = 0;
  for (size_t i = 0, end; next_edge(m->half, n, &i, &end); i = end) {
    if ((end - i) % 2 == 0) continue;
    const size_t count = find_on(m, m->half[i].low, m->half[i].high);
    for (size_t k = i; count && k < end; k++) {
      const half_edge h = m->half[k];
      if (m->cut[h.face]) {
        ++*cuts; /* its slots have changed: in the next pass */
        continue;
      }
      m->cut[h.face] = true;
      if (cut_triangle(m, h.face, h.slot, h.forward, count)) return SCREE_ERROR_MEMORY;
      m->s->report.seams += count;
      *cuts += count;
    }
  }
  return SCREE_OK;
}

static int longest_axis(const scree_mesh_report *r) {
  int best = 0;
  for (int k = 1; k < 3; k++)
    if (r->upper[k] - r->lower[k] > r->upper[best] - r->lower[best]) best = k;
  return best;
}

scree_status mesh_split_seams(mesh_soup *s) {
  scree_status status = SCREE_OK;
  size_t cuts = 1;
  for (int k = 0; k < PASSES && cuts && !status && s->triangle_count; k++) {
    seam m = {.s = s, .axis = longest_axis(&s->report)};
    m.half = mesh_half_edges(s->context, s->triangle_count, s->triangle);
    m.open = memory_new(s->context, s->vertex_count, sizeof *m.open);
    m.on = memory_new(s->context, s->vertex_count, sizeof *m.on);
    m.cut = memory_new(s->context, s->triangle_count, sizeof *m.cut);
    bool *listed = memory_new(s->context, s->vertex_count, sizeof *listed);
    if (m.half && m.open && m.on && m.cut && listed) {
      list_open(&m, listed);
      status = pass(&m, &cuts);
    } else {
      status = SCREE_ERROR_MEMORY;
    }
    memory_free(s->context, m.half);
    memory_free(s->context, m.open);
    memory_free(s->context, m.on);
    memory_free(s->context, m.cut);
    memory_free(s->context, listed);
  }
  return status;
}
