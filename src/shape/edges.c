/* Half-edges by sorting: deterministic, and no hash table. They are dealt out to their lower vertex
 * first; only the few of one vertex are compared. */
#include "shape/edges.h"
#include <stdlib.h>

static int half_edge_order(const void *pa, const void *pb) {
  const half_edge *a = pa, *b = pb;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  if (a->face != b->face) return a->face < b->face ? -1 : 1;
  return a->slot < b->slot ? -1 : a->slot > b->slot;
}

/* The half-edge from entry k of the loop of face f. */
static half_edge half_edge_at(const uint32_t *face_start, const uint32_t *face_vertex, uint32_t f,
                              uint32_t k) {
  const uint32_t a = face_vertex[k],
                 b = face_vertex[k + 1 < face_start[f + 1] ? k + 1 : face_start[f]];
  return (half_edge){a < b ? a : b, a < b ? b : a, f, k - face_start[f], a < b};
}

half_edge *half_edges_create(scree_context *context, uint32_t face_count,
                             const uint32_t *face_start, const uint32_t *face_vertex) {
  const uint32_t n = face_start[face_count];
  uint32_t vertices = 0;
  for (uint32_t k = 0; k < n; k++)
    if (face_vertex[k] >= vertices) vertices = face_vertex[k] + 1;
  half_edge *h = memory_new(context, n, sizeof *h);
  uint32_t *end = memory_new(context, (size_t)vertices + 1, sizeof *end);
  if (!h || !end) {
    memory_free(context, h);
    memory_free(context, end);
    return NULL;
  }
  for (uint32_t f = 0; f < face_count; f++)
    for (uint32_t k = face_start[f]; k < face_start[f + 1]; k++)
      end[half_edge_at(face_start, face_vertex, f, k).low + 1]++;
  for (uint32_t v = 0; v < vertices; v++) end[v + 1] += end[v];
  for (uint32_t f = 0; f < face_count; f++)
    for (uint32_t k = face_start[f]; k < face_start[f + 1]; k++) {
      const half_edge half = half_edge_at(face_start, face_vertex, f, k);
      h[end[half.low]++] = half;
    }
  for (uint32_t v = 0, first = 0; v < vertices; first = end[v++])
    if (end[v] - first > 1) qsort(h + first, end[v] - first, sizeof *h, half_edge_order);
  memory_free(context, end);
  return h;
}

half_edge *mesh_half_edges(scree_context *context, uint32_t count, uint32_t (*triangle)[3]) {
  uint32_t *start = memory_new(context, (size_t)count + 1, sizeof *start);
  if (!start) return NULL;
  for (uint32_t t = 0; t <= count; t++) start[t] = 3 * t;
  half_edge *half = half_edges_create(context, count, start, triangle[0]);
  memory_free(context, start);
  return half;
}
