/* Repairs that change nothing that could be meant. One length, `tolerance`, a millionth of the
 * mesh's size (or of its distance from the origin, where numbers of four bytes round so much),
 * tells what is one place:
 *
 *   weld       vertices within the tolerance become the first of them
 *   slivers    triangles lower than the tolerance go; what they joined is joined by
 * mesh_split_seams doubled    of triangles with the same three vertices one stays; two that look
 * away from each other inside a solid (a wall between two parts) both go seams      vertices in the
 * middle of an edge of another triangle: mesh_seam.c outside    mesh_orient.c */
#include "shape/mesh_repair.h"

#include <stdlib.h>
#include <string.h>

#include "shape/edges.h"

void mesh_soup_clear(mesh_soup *s) {
  memory_free(s->context, s->vertex);
  memory_free(s->context, s->triangle);
  s->vertex = NULL;
  s->triangle = NULL;
}

/* ---- weld ----------------------------------------------------------------------------------- */

/* Vertices by cells four tolerances wide: an open hash table of the first ones, chained by cell. */
typedef struct weld_table {
  uint32_t *slot, *next;
  size_t mask;
  double cell;
} weld_table;

static size_t cell_hash(const int64_t c[3]) {
  uint64_t h = 1469598103934665603u;
  for (int k = 0; k < 3; k++) {
    h = (h ^ (uint64_t)c[k]) * 1099511628211u;
    h ^= h >> 29;
  }
  return (size_t)h;
}

/* Far out all cells are one: coordinates over the tolerance may be beyond any whole number. */
static int64_t cell_of(const weld_table *t, double x) {
  return (int64_t)fmax(-0x1p60, fmin(0x1p60, floor(x / t->cell)));
}

/* The first vertex within the tolerance, or `none`. */
static uint32_t weld_find(const weld_table *t, const v3 *vertex, v3 x, double tolerance,
                          uint32_t none) {
  int64_t lo[3], hi[3], c[3];
  for (int k = 0; k < 3; k++) {
    lo[k] = cell_of(t, (&x.x)[k] - tolerance);
    hi[k] = cell_of(t, (&x.x)[k] + tolerance);
  }
  uint32_t best = none;
  for (c[0] = lo[0]; c[0] <= hi[0]; c[0]++)
    for (c[1] = lo[1]; c[1] <= hi[1]; c[1]++)
      for (c[2] = lo[2]; c[2] <= hi[2]; c[2]++)
        for (uint32_t i = t->slot[cell_hash(c) & t->mask]; i; i = t->next[i - 1])
          if (i - 1 < best && v3_norm2(v3_sub(vertex[i - 1], x)) <= tolerance * tolerance)
            best = i - 1;
  return best;
}

static scree_status weld(mesh_soup *s) {
  const uint32_t n = s->vertex_count;
  const double tolerance = s->report.tolerance;
  weld_table t = {.cell = fmax(4 * tolerance, 1e-300)};
  size_t room = 16;
  while (room < 2 * (size_t)n) room *= 2;
  t.mask = room - 1;
  t.slot = memory_new(s->context, room, sizeof *t.slot);
  t.next = memory_new(s->context, n, sizeof *t.next);
  uint32_t *same = memory_new(s->context, n, sizeof *same);
  const bool fine = t.slot && t.next && same;
  for (uint32_t i = 0; fine && i < n; i++) {
    same[i] = weld_find(&t, s->vertex, s->vertex[i], tolerance, i);
    if (same[i] < i) {
      const v3 d = v3_sub(s->vertex[same[i]], s->vertex[i]);
      s->report.welded += d.x != 0 || d.y != 0 || d.z != 0;
      continue;
    }
    int64_t c[3];
    for (int k = 0; k < 3; k++) c[k] = cell_of(&t, (&s->vertex[i].x)[k]);
    uint32_t *slot = &t.slot[cell_hash(c) & t.mask];
    t.next[i] = *slot;
    *slot = i + 1;
  }
  for (uint32_t i = 0; fine && i < s->triangle_count; i++)
    for (int k = 0; k < 3; k++) s->triangle[i][k] = same[s->triangle[i][k]];
  memory_free(s->context, t.slot);
  memory_free(s->context, t.next);
  memory_free(s->context, same);
  return fine ? SCREE_OK : SCREE_ERROR_MEMORY;
}

/* ---- slivers and doubled triangles ---------------------------------------------------------- */

static bool is_sliver(const mesh_soup *s, const uint32_t t[3]) {
  if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return true;
  const v3 ab = v3_sub(s->vertex[t[1]], s->vertex[t[0]]),
           bc = v3_sub(s->vertex[t[2]], s->vertex[t[1]]),
           ca = v3_sub(s->vertex[t[0]], s->vertex[t[2]]);
  const double longest = sqrt(fmax(v3_norm2(ab), fmax(v3_norm2(bc), v3_norm2(ca))));
  return !(v3_norm(v3_cross(ab, bc)) > longest * fmax(s->report.tolerance, 1e-12 * longest));
}

static void drop_slivers(mesh_soup *s) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->triangle_count; i++) {
    if (is_sliver(s, s->triangle[i])) {
      s->report.slivers++;
      continue;
    }
    memmove(s->triangle[kept++], s->triangle[i], sizeof *s->triangle);
  }
  s->triangle_count = kept;
}

/* A triangle by its vertices in rising order; `even`: they run in that order round. */
typedef struct triple {
  uint32_t v[3], number;
  bool even;
} triple;

static triple triple_of(const uint32_t t[3], uint32_t number) {
  const int low = t[0] < t[1] ? (t[0] < t[2] ? 0 : 2) : (t[1] < t[2] ? 1 : 2);
  const uint32_t a = t[low], b = t[(low + 1) % 3], c = t[(low + 2) % 3];
  return (triple){{a, b < c ? b : c, b < c ? c : b}, number, b < c};
}

static int triple_order(const void *pa, const void *pb) {
  const triple *a = pa, *b = pb;
  for (int k = 0; k < 3; k++)
    if (a->v[k] != b->v[k]) return a->v[k] < b->v[k] ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

static bool triple_same(const triple *a, const triple *b) {
  return a->v[0] == b->v[0] && a->v[1] == b->v[1] && a->v[2] == b->v[2];
}

/* How many of the sorted half-edges lie between two vertices. */
static uint32_t edge_uses(const half_edge *half, size_t count, uint32_t a, uint32_t b) {
  const uint32_t low = a < b ? a : b, high = a < b ? b : a;
  size_t lo = 0, hi = count;
  while (lo < hi) {
    const size_t mid = (lo + hi) / 2;
    if (half[mid].low < low || (half[mid].low == low && half[mid].high < high))
      lo = mid + 1;
    else
      hi = mid;
  }
  uint32_t uses = 0;
  while (lo < count && half[lo].low == low && half[lo].high == high) uses++, lo++;
  return uses;
}

static scree_status drop_doubled(mesh_soup *s) {
  const uint32_t n = s->triangle_count;
  triple *all = memory_new(s->context, n, sizeof *all);
  bool *drop = memory_new(s->context, n, sizeof *drop);
  half_edge *half = mesh_half_edges(s->context, n, s->triangle);
  const bool fine = all && drop && half;
  for (uint32_t i = 0; fine && i < n; i++) all[i] = triple_of(s->triangle[i], i);
  if (fine) qsort(all, n, sizeof *all, triple_order);
  for (uint32_t i = 0, end; fine && i < n; i = end) {
    int turn = 0;
    for (end = i; end < n && triple_same(all + i, all + end); end++) turn += all[end].even ? 1 : -1;
    if (end == i + 1) continue;
    const uint32_t uses = end - i, *v = all[i].v;
    const bool wall = turn == 0 && edge_uses(half, 3 * (size_t)n, v[0], v[1]) > uses &&
                      edge_uses(half, 3 * (size_t)n, v[1], v[2]) > uses &&
                      edge_uses(half, 3 * (size_t)n, v[2], v[0]) > uses;
    for (uint32_t k = wall ? i : i + 1; k < end; k++) drop[all[k].number] = true;
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; fine && i < n; i++) {
    s->report.doubled += drop[i];
    if (!drop[i]) memmove(s->triangle[kept++], s->triangle[i], sizeof *s->triangle);
  }
  if (fine) s->triangle_count = kept;
  memory_free(s->context, all);
  memory_free(s->context, drop);
  memory_free(s->context, half);
  return fine ? SCREE_OK : SCREE_ERROR_MEMORY;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void measure(mesh_soup *s) {
  aabb box = aabb_empty();
  for (uint32_t i = 0; i < s->triangle_count; i++)
    for (int k = 0; k < 3; k++) {
      const v3 p = s->vertex[s->triangle[i][k]];
      box = aabb_union(box, (aabb){p, p});
    }
  v3_store(s->report.lower, box.lo);
  v3_store(s->report.upper, box.hi);
  double most = 0;
  for (int k = 0; k < 3; k++) {
    most = fmax(most, s->report.upper[k] - s->report.lower[k]);
    most = fmax(most, fmax(fabs(s->report.lower[k]), fabs(s->report.upper[k])));
  }
  s->report.tolerance = 1e-6 * most;
}

scree_status mesh_repair(scree_context *context, size_t vertex_count, const double *vertices,
                         size_t triangle_count, const uint32_t *triangles, mesh_soup *s) {
  *s = (mesh_soup){.context = context};
  if (memory_grow(context, &s->vertex, vertex_count, sizeof *s->vertex) ||
      memory_grow(context, &s->triangle, triangle_count, sizeof *s->triangle)) {
    mesh_soup_clear(s);
    return SCREE_ERROR_MEMORY;
  }
  s->vertex_count = (uint32_t)vertex_count;
  s->triangle_count = (uint32_t)triangle_count;
  s->report.vertices = vertex_count;
  s->report.triangles = triangle_count;
  for (size_t i = 0; i < vertex_count; i++) s->vertex[i] = v3_load(vertices + 3 * i);
  memcpy(s->triangle, triangles, triangle_count * sizeof *s->triangle);
  measure(s);
  scree_status status = weld(s);
  if (!status) drop_slivers(s);
  if (!status) status = drop_doubled(s);
  if (!status) status = mesh_split_seams(s);
  if (!status) status = mesh_orient(s);
  if (status) mesh_soup_clear(s);
  return status;
}
