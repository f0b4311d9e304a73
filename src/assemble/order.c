/* The order of bodies in the problem: along a space-filling curve, so that the two bodies of a
 * contact are near in memory. It is made anew now and then and when many bodies are new; it changes
 * the bits, so it is part of the checkpoint. */
#include "assemble/assembler.h"

#include <stdlib.h>
#include <string.h>

enum { REORDER_STEPS = 50, CURVE_BITS = 10, MANY_NEW = 8 };

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

/* Is body i one of the problem? Not when it is fixed or asleep, nor, on several ranks, when it is
 * far from this one. */
static bool in_problem(const assembler *a, size_t i) {
  const world_bodies *b = &a->world->bodies;
  return b->alive[i] && b->kind[i] != SCREE_BODY_FIXED && !world_sleeps(a->world, i) &&
         (!a->ranks || a->ranks->near[i]);
}

/* Is body i touched by others although it is not in the problem? */
static bool is_wall(const assembler *a, size_t i) {
  const world_bodies *b = &a->world->bodies;
  return b->alive[i] && b->shape[i] &&
         (b->kind[i] == SCREE_BODY_FIXED || world_sleeps(a->world, i));
}

static size_t sort_moving(assembler *a) {
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
  for (size_t k = 0; k < n; k++) a->order.body[k] = (uint32_t)key[k];
  return n;
}

/* After bodies came or went: the others keep their order, new ones come behind them. Says how many.
 */
static size_t append_new(assembler *a) {
  const world_bodies *b = &a->world->bodies;
  const size_t before = a->order.moving;
  size_t n = 0;
  for (size_t i = 0; i < b->limit; i++) a->order.rank[i] = SCREE_CCP_WORLD;
  for (size_t k = 0; k < before; k++) {
    const uint32_t i = a->order.body[k];
    if (i >= b->limit || !in_problem(a, i) || a->order.rank[i] != SCREE_CCP_WORLD) continue;
    a->order.rank[i] = (uint32_t)n;
    a->order.body[n++] = i;
  }
  const size_t kept = n;
  for (size_t i = 0; i < b->limit; i++)
    if (in_problem(a, i) && a->order.rank[i] == SCREE_CCP_WORLD) a->order.body[n++] = (uint32_t)i;
  a->order.moving = n;
  return n - kept;
}

static void rank_bodies(assembler *a) {
  for (size_t i = 0; i < a->world->bodies.limit; i++) a->order.rank[i] = SCREE_CCP_WORLD;
  for (size_t k = 0; k < a->order.moving; k++) a->order.rank[a->order.body[k]] = (uint32_t)k;
}

assembler_mark assembler_set_mark(assembler *a) {
  a->order.sorted = false;
  assembler_note_sleepers(a);
  return (assembler_mark){a->world->revision - a->revision, a->order.steps};
}

void assembler_back_to(assembler *a, assembler_mark mark) {
  a->revision = a->world->revision - mark.behind;
  a->order.steps = mark.steps_since_order;
  if (a->sleep.before_count && a->world->sleep_revision != a->sleep.before_revision)
    world_restore_sleep(a->world, a->sleep.before, a->sleep.before_count);
  if (!a->order.sorted) return;
  if (a->order.old_count)
    memcpy(a->order.body, a->order.old_body, a->order.old_count * sizeof *a->order.body);
  a->order.count = a->order.old_count;
  a->order.limit = a->order.old_limit;
  a->order.moving = a->order.old_moving;
  rank_bodies(a);
}

static void keep_order(assembler *a) {
  if (a->order.sorted) return;
  a->order.sorted = true;
  a->order.old_count = a->order.count;
  a->order.old_limit = a->order.limit;
  a->order.old_moving = a->order.moving;
  if (a->order.count)
    memcpy(a->order.old_body, a->order.body, a->order.count * sizeof *a->order.body);
}

bool assembler_order_bodies(assembler *a) {
  const world_bodies *b = &a->world->bodies;
  const bool same =
      a->revision == a->world->revision && a->order.sleep_seen == a->world->sleep_revision;
  const bool due = a->order.steps >= REORDER_STEPS;
  a->order.steps++;
  if (same && !due) return false;
  keep_order(a);
  const bool sorts = due || !a->order.count || MANY_NEW * append_new(a) > a->order.moving;
  if (sorts) {
    a->order.moving = sort_moving(a);
    a->order.steps = 1;
  }
  a->order.limit = b->limit;
  a->order.sleep_seen = a->world->sleep_revision;
  a->order.count = a->order.moving;
  for (size_t i = 0; i < b->limit; i++)
    if (is_wall(a, i)) a->order.body[a->order.count++] = (uint32_t)i;
  rank_bodies(a);
  return sorts;
}
