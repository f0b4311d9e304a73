/* One outside for all triangles. Pieces joined by edges of two triangles are walked through; at
 * each such edge the two must run along it in opposite directions. Of each piece the fewer
 * triangles are turned. A closed mesh of negative volume is inside out: all of it is turned. */
#include "shape/edges.h"
#include "shape/mesh_repair.h"

typedef struct walk {
  mesh_soup *s;
  uint32_t (*beside)[3]; /* the triangle across each edge; UINT32_MAX: none, or more than one */
  bool (*agree)[3];
  uint8_t *state; /* 0: not seen, 1: as it is, 2: to be turned */
  uint32_t *queue;
} walk;

static void find_beside(walk *w, const half_edge *half) {
  const uint32_t n = 3 * w->s->triangle_count;
  for (uint32_t i = 0; i < n; i++) w->beside[i / 3][i % 3] = UINT32_MAX;
  for (uint32_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && half[end].low == half[i].low && half[end].high == half[i].high;)
      end++;
    if (end != i + 2) continue;
    const half_edge a = half[i], b = half[i + 1];
    if (a.face == b.face) continue;
    w->beside[a.face][a.slot] = b.face;
    w->beside[b.face][b.slot] = a.face;
    w->agree[a.face][a.slot] = w->agree[b.face][b.slot] = a.forward != b.forward;
  }
}

static void turn(uint32_t t[3]) {
  const uint32_t v = t[1];
  t[1] = t[2];
  t[2] = v;
}

/* One piece, from triangle `first` on; its triangles are left in the queue. */
static uint32_t walk_piece(walk *w, uint32_t first, uint32_t *turned) {
  uint32_t count = 0;
  w->queue[count++] = first;
  w->state[first] = 1;
  *turned = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t t = w->queue[i];
    *turned += w->state[t] == 2;
    for (int k = 0; k < 3; k++) {
      const uint32_t o = w->beside[t][k];
      if (o == UINT32_MAX || w->state[o]) continue;
      w->state[o] = (w->state[t] == 2) != w->agree[t][k] ? 1 : 2;
      w->queue[count++] = o;
    }
  }
  return count;
}

static double volume_of(const mesh_soup *s) {
  double volume = 0;
  const v3 o = s->vertex[s->triangle[0][0]];
  for (uint32_t t = 0; t < s->triangle_count; t++) {
    const v3 a = v3_sub(s->vertex[s->triangle[t][0]], o),
             b = v3_sub(s->vertex[s->triangle[t][1]], o),
             c = v3_sub(s->vertex[s->triangle[t][2]], o);
    volume += v3_dot(a, v3_cross(b, c)) / 6;
  }
  return volume;
}

/* Every edge has as many triangles that run along it as against it. */
static bool is_closed(const half_edge *half, uint32_t n) {
  for (uint32_t i = 0, end; i < n; i = end) {
    int sum = 0;
    for (end = i; end < n && half[end].low == half[i].low && half[end].high == half[i].high; end++)
      sum += half[end].forward ? 1 : -1;
    if (sum != 0) return false;
  }
  return true;
}

scree_status mesh_orient(mesh_soup *s) {
  const uint32_t n = s->triangle_count;
  if (n == 0) return SCREE_OK;
  walk w = {.s = s};
  half_edge *half = mesh_half_edges(s->context, n, s->triangle);
  w.beside = memory_new(s->context, n, sizeof *w.beside);
  w.agree = memory_new(s->context, n, sizeof *w.agree);
  w.state = memory_new(s->context, n, sizeof *w.state);
  w.queue = memory_new(s->context, n, sizeof *w.queue);
  scree_status status =
      half && w.beside && w.agree && w.state && w.queue ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) find_beside(&w, half);
  for (uint32_t t = 0; !status && t < n; t++) {
    uint32_t turned;
    if (w.state[t]) continue;
    const uint32_t count = walk_piece(&w, t, &turned);
    const bool most = 2 * turned > count;
    s->report.parts++;
    s->report.flipped += most ? count - turned : turned;
    for (uint32_t i = 0; i < count; i++)
      if ((w.state[w.queue[i]] == 2) != most) turn(s->triangle[w.queue[i]]);
  }
  memory_free(s->context, half);
  half = status ? NULL : mesh_half_edges(s->context, n, s->triangle);
  if (!status && !half) status = SCREE_ERROR_MEMORY;
  if (!status && is_closed(half, 3 * n) && volume_of(s) < 0) {
    s->report.inside_out = true;
    for (uint32_t t = 0; t < n; t++) turn(s->triangle[t]);
  }
  memory_free(s->context, half);
  memory_free(s->context, w.beside);
  memory_free(s->context, w.agree);
  memory_free(s->context, w.state);
  memory_free(s->context, w.queue);
  return status;
}
