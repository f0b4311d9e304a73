/* The order of bodies in the problem: along a space-filling curve, so that the two bodies of a
 * contact are near in memory. It is made anew now and then and when bodies come or go; it changes
 * the bits, so it is part of the checkpoint. */
#include "assemble/assembly.h"

#include <stdlib.h>

enum { REORDER_STEPS = 50, CURVE_BITS = 10 };

/* Three zero bits after each of ten. */
static uint64_t spread(uint64_t x) {
  x = (x | x << 16) & 0x030000FFu;
  x = (x | x << 8) & 0x0300F00Fu;
  x = (x | x << 4) & 0x030C30C3u;
  return (x | x << 2) & 0x09249249u;
}

static uint64_t along(double x, double lo, double scale) {
  const double cells = (double)(1 << CURVE_BITS);
  return spread((uint64_t)fmin(fmax((x - lo) * scale * cells, 0.0), cells - 1.0));
}

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static bool in_problem(const assembly *a, size_t i) {
  const world_bodies *b = &a->world->bodies;
  return b->alive[i] && b->kind[i] != SCREE_BODY_FIXED && (!a->ranks || a->ranks->near[i]);
}

/* In no problem, but touched. */
static bool is_wall(const assembly *a, size_t i) {
  const world_bodies *b = &a->world->bodies;
  return b->alive[i] && b->shape[i] && b->kind[i] == SCREE_BODY_FIXED;
}

static size_t sort_moving(assembly *a) {
  uint64_t *key = (uint64_t *)a->angular;
  const world_bodies *b = &a->world->bodies;
  v3 lo = {INFINITY, INFINITY, INFINITY}, hi = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < b->limit; i++)
    if (in_problem(a, i)) {
      lo = v3_min(lo, b->position[i]);
      hi = v3_max(hi, b->position[i]);
    }
  const double side = fmax(hi.x - lo.x, fmax(hi.y - lo.y, hi.z - lo.z));
  const double scale = side > 0.0 ? 1.0 / side : 0.0;
  size_t n = 0;
  for (size_t i = 0; i < b->limit; i++)
    if (in_problem(a, i))
      key[n++] = (along(b->position[i].x, lo.x, scale) | along(b->position[i].y, lo.y, scale) << 1 |
                  along(b->position[i].z, lo.z, scale) << 2)
                     << 32 |
                 i;
  if (n) qsort(key, n, sizeof *key, compare);
  for (size_t k = 0; k < n; k++) a->order[k] = (uint32_t)key[k];
  return n;
}

bool assembly_order_bodies(assembly *a) {
  const world_bodies *b = &a->world->bodies;
  if (a->revision == a->world->revision && a->steps_since_order < REORDER_STEPS) {
    a->steps_since_order++;
    return false;
  }
  a->moving = a->order_count = sort_moving(a);
  for (size_t i = 0; i < b->limit; i++) {
    a->rank[i] = SCREE_CCP_WORLD;
    if (is_wall(a, i)) a->order[a->order_count++] = (uint32_t)i;
  }
  for (size_t k = 0; k < a->moving; k++) a->rank[a->order[k]] = (uint32_t)k;
  a->steps_since_order = 1;
  return true;
}
