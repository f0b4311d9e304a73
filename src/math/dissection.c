/* See dissection.h. The order is refined in place: a segment of it becomes left, right, separator,
 * and the first two are segments again. */
#include "math/dissection.h"

#include <string.h>

#include "math/ordering.h"
#include "math/separator.h"

enum { LEAF = 120, DEPTH = 64 };

typedef struct dissection {
  const uint32_t *weight;
  const size_t *start;
  const uint32_t *neighbour;
  uint32_t *order;
  uint32_t *local; /* of a node: its number in the segment at hand, or UINT32_MAX */
  uint8_t *begins; /* of a place: a group begins here */
  arena work;      /* of one segment */
} dissection;

/* The graph of a segment, numbered from 0. */
static scree_status take_segment(dissection *d, size_t lo, size_t hi, separator_graph *g) {
  size_t links = 0;
  arena_reset(&d->work);
  g->n = (uint32_t)(hi - lo);
  for (size_t p = lo; p < hi; p++) {
    const uint32_t i = d->order[p];
    d->local[i] = (uint32_t)(p - lo);
    links += d->start[i + 1] - d->start[i];
  }
  g->start = arena_take(&d->work, (size_t)g->n + 1, sizeof *g->start);
  g->neighbour = arena_take(&d->work, links, sizeof *g->neighbour);
  g->link = arena_take(&d->work, links, sizeof *g->link);
  g->weight = arena_take(&d->work, g->n, sizeof *g->weight);
  if (!g->start || !g->neighbour || !g->link || !g->weight) return SCREE_ERROR_MEMORY;
  uint32_t end = 0;
  for (size_t p = lo; p < hi; p++) {
    const uint32_t i = d->order[p];
    g->weight[p - lo] = d->weight[i];
    for (size_t k = d->start[i]; k < d->start[i + 1]; k++) {
      const uint32_t j = d->local[d->neighbour[k]];
      if (j == UINT32_MAX || j == p - lo) continue;
      g->neighbour[end] = j;
      g->link[end++] = 1;
    }
    g->start[p - lo + 1] = end;
  }
  for (size_t p = lo; p < hi; p++) d->local[d->order[p]] = UINT32_MAX;
  return SCREE_OK;
}

static scree_status order_leaf(dissection *d, size_t lo, const separator_graph *g) {
  const size_t n = g->n;
  size_t *start = arena_take(&d->work, n + 1, sizeof *start), groups = 0;
  uint32_t *order = arena_take(&d->work, n, sizeof *order);
  uint32_t *group = arena_take(&d->work, n + 1, sizeof *group);
  if (!start || !order || !group) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i <= n; i++) start[i] = g->start[i];
  const scree_status status =
      ordering_minimum_degree(&d->work, n, g->weight, start, g->neighbour, order, group, &groups);
  if (status) return status;
  for (size_t i = 0; i < n; i++) order[i] = d->order[lo + order[i]];
  memcpy(d->order + lo, order, n * sizeof *order);
  for (size_t s = 0; s < groups; s++) d->begins[lo + group[s]] = 1;
  return SCREE_OK;
}

/* Puts the segment in the order left, right, middle; *right, *middle: where they begin. */
static scree_status split(dissection *d, size_t lo, size_t hi, const separator_graph *g,
                          size_t *right, size_t *middle) {
  uint8_t *side = arena_take(&d->work, g->n, 1);
  uint32_t *sorted = arena_take(&d->work, g->n, sizeof *sorted);
  if (!side || !sorted) return SCREE_ERROR_MEMORY;
  const scree_status status = separator_find(&d->work, g, side);
  if (status) return status;
  size_t end = 0, bound[3] = {0};
  for (int part = SEPARATOR_LEFT; part <= SEPARATOR_MIDDLE; part++) {
    bound[part] = end;
    for (size_t k = 0; k < g->n; k++)
      if (side[k] == part) sorted[end++] = d->order[lo + k];
  }
  memcpy(d->order + lo, sorted, (hi - lo) * sizeof *sorted);
  *right = lo + bound[SEPARATOR_RIGHT];
  *middle = lo + bound[SEPARATOR_MIDDLE];
  return SCREE_OK;
}

static scree_status dissect(dissection *d, size_t n) {
  size_t stack[DEPTH][2] = {{0, n}}, depth = 1;
  while (depth > 0) {
    const size_t lo = stack[--depth][0], hi = stack[depth][1];
    separator_graph g;
    scree_status status = take_segment(d, lo, hi, &g);
    if (status) return status;
    size_t right = lo, middle = lo;
    if (hi - lo > LEAF && depth + 2 <= DEPTH) status = split(d, lo, hi, &g, &right, &middle);
    if (status) return status;
    /* A dense graph has no parts. */
    const bool parts = right > lo && middle > right && hi - middle <= (hi - lo) / 2;
    if (!parts) {
      if (middle > lo) status = take_segment(d, lo, hi, &g);
      if (!status) status = order_leaf(d, lo, &g);
      if (status) return status;
      continue;
    }
    if (middle < hi) d->begins[middle] = 1;
    stack[depth][0] = lo;
    stack[depth++][1] = right;
    stack[depth][0] = right;
    stack[depth++][1] = middle;
  }
  return SCREE_OK;
}

scree_status ordering_dissection(arena *scratch, size_t n, const uint32_t *weight,
                                 const size_t *start, const uint32_t *neighbour, uint32_t *order,
                                 uint32_t *group, size_t *group_count) {
  dissection d = {.weight = weight,
                  .start = start,
                  .neighbour = neighbour,
                  .order = order,
                  .local = arena_take(scratch, n, sizeof *d.local),
                  .begins = arena_take(scratch, n + 1, 1)};
  *group_count = 0;
  if (!d.local || !d.begins) return SCREE_ERROR_MEMORY;
  arena_init(&d.work, scratch->context);
  for (size_t i = 0; i < n; i++) {
    order[i] = (uint32_t)i;
    d.local[i] = UINT32_MAX;
  }
  const scree_status status = n ? dissect(&d, n) : SCREE_OK;
  arena_clear(&d.work);
  if (n) d.begins[0] = 1;
  for (size_t p = 0; p < n; p++)
    if (d.begins[p]) group[(*group_count)++] = (uint32_t)p;
  group[*group_count] = (uint32_t)n;
  return status;
}
