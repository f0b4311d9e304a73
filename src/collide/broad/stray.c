/* See stray.h. A body and a stray whose boxes, margins included, have sides of at most `side`
 * can meet only where their centres are no farther apart than that along each axis. So a stray is
 * entered in all cells of that size that a cube of side 2 `side` about its centre meets, three
 * along each axis at most, and a body looks into the one cell that its centre is in. */
#include "collide/broad/stray.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"

enum { LEAST_SLOTS = 8192, LEAST = 8, BODIES_PER_STRAY = 32, CELLS = 27, PAIRS = 32 };

size_t broad_stray_room(size_t count) {
  return count + 64;
}

scree_status broad_stray_reserve(broad_stray *s, size_t count) {
  scree_context *c = s->context;
  s->most = count / BODIES_PER_STRAY + LEAST;
  s->room = broad_stray_room(count);
  s->count = s->pair_count = 0;
  for (s->slots = LEAST_SLOTS; s->slots < CELLS * s->most / 4;) s->slots *= 2;
  if (memory_grow(c, &s->body, s->most, sizeof *s->body) ||
      memory_grow(c, &s->slot, s->slots, sizeof *s->slot) ||
      memory_grow(c, &s->entry, CELLS * s->most, sizeof *s->entry) ||
      memory_grow(c, &s->pair, PAIRS * s->most, sizeof *s->pair))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

void broad_stray_clear(broad_stray *s) {
  memory_free(s->context, s->body);
  memory_free(s->context, s->slot);
  memory_free(s->context, s->entry);
  memory_free(s->context, s->pair);
}

/* The floor, without a call: all bodies ask for three where a few have left their boxes. */
static int64_t cell_of(double x, double inverse) {
  const double most = 1e15, c = x * inverse;
  const double near = c > most ? most : c < -most ? -most : c;
  const int64_t cell = (int64_t)near;
  return cell - ((double)cell > near);
}

static size_t slot_of(const broad_stray *s, int64_t x, int64_t y, int64_t z) {
  const uint64_t mixed =
      (uint64_t)x * 73856093u ^ (uint64_t)y * 19349663u ^ (uint64_t)z * 83492791u;
  return (size_t)(mixed & (s->slots - 1));
}

static v3 centre_of(const broad_boxes *b, size_t i) {
  return v3_scale(0.5, v3_add(b->box[i].lo, b->box[i].hi));
}

/* Cells of two strays may share a slot, and two cells of one: that costs a look, no more. */
static bool enter(broad_stray *s, size_t stray, v3 c, double side, double inverse) {
  const double far = side * (1.0 + 1e-9);
  for (int64_t z = cell_of(c.z - far, inverse); z <= cell_of(c.z + far, inverse); z++)
    for (int64_t y = cell_of(c.y - far, inverse); y <= cell_of(c.y + far, inverse); y++)
      for (int64_t x = cell_of(c.x - far, inverse); x <= cell_of(c.x + far, inverse); x++) {
        uint32_t *first = &s->slot[slot_of(s, x, y, z)];
        if (*first && s->entry[*first - 1].stray == stray) continue;
        if (s->entry_count == memory_room(s->entry)) return false;
        s->entry[s->entry_count] = (stray_entry){(uint32_t)stray, *first};
        *first = (uint32_t)++s->entry_count;
      }
  return true;
}

static bool is_stray(const broad_stray *s, uint32_t k) {
  return search_u32_finds(s->body, s->count, k);
}

bool broad_stray_note(broad_stray *s, uint32_t i, uint32_t k, const uint32_t *row,
                      const uint32_t *partner) {
  const uint32_t low = i < k ? i : k, high = i < k ? k : i;
  if (search_u32_finds(partner + row[low], row[low + 1] - row[low], high)) return true;
  if (s->pair_count == memory_room(s->pair) || s->pair_count == s->room) return false;
  s->pair[s->pair_count++] = (uint64_t)low << 32 | high;
  return true;
}

/* As the grid compares them: by their boxes, and balls by the balls that hold them. */
static bool meet(const broad_boxes *b, uint32_t i, uint32_t k) {
  if (!broad_may_touch(b->view, i, k) || !broad_near(b, i, k)) return false;
  const double reach = broad_ball(b, i) + broad_ball(b, k) +
                       view_less(broad_slack(b->view, i), broad_slack(b->view, k));
  return v3_norm2(v3_sub(centre_of(b, i), centre_of(b, k))) <= reach * reach * (1.0 + 1e-9);
}

/* A stray may be entered twice in a slot by two of its cells when another lies between. */
static bool look_up(broad_stray *s, const broad_boxes *b, uint32_t k, uint32_t first,
                    const uint32_t *row, const uint32_t *partner) {
  const bool both = is_stray(s, k);
  const size_t before = s->pair_count;
  for (uint32_t e = first; e; e = s->entry[e - 1].next) {
    const uint32_t i = s->body[s->entry[e - 1].stray];
    if (i == k || (both && i > k) || !meet(b, i, k)) continue;
    const uint64_t pair = i < k ? (uint64_t)i << 32 | k : (uint64_t)k << 32 | i;
    bool seen = false;
    for (size_t p = before; p < s->pair_count; p++) seen = seen || s->pair[p] == pair;
    if (!seen && !broad_stray_note(s, i, k, row, partner)) return false;
  }
  return true;
}

bool broad_stray_search(broad_stray *s, const broad_boxes *boxes, const uint8_t *level, double side,
                        const uint32_t *row, const uint32_t *partner) {
  const double inverse = 1.0 / side;
  memset(s->slot, 0, s->slots * sizeof *s->slot);
  s->entry_count = 0;
  for (size_t k = 0; k < s->count; k++)
    if (!enter(s, k, centre_of(boxes, s->body[k]), side, inverse)) return false;
  for (size_t k = 0; k < boxes->view->count; k++) {
    if (!boxes->view->shape[k] || level[k] == BROAD_NO_LEVEL) continue;
    const v3 c = centre_of(boxes, k);
    const uint32_t first =
        s->slot[slot_of(s, cell_of(c.x, inverse), cell_of(c.y, inverse), cell_of(c.z, inverse))];
    if (first && !look_up(s, boxes, (uint32_t)k, first, row, partner)) return false;
  }
  return true;
}

static int ascending(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* From the back: the rows behind the last pair's make room for all pairs, those behind the one
 * before it for one less, and so on. */
void broad_stray_insert(broad_stray *s, size_t count, uint32_t *row, uint32_t *partner) {
  size_t left = s->pair_count, end = count;
  if (left) qsort(s->pair, left, sizeof *s->pair, ascending);
  s->room -= left;
  while (left) {
    const size_t low = (size_t)(s->pair[left - 1] >> 32);
    uint32_t *x = partner + row[low + 1];
    memmove(x + left, x, (row[end] - row[low + 1]) * sizeof *x);
    size_t from = row[low + 1], to = from + left;
    for (size_t r = end; r > low; r--) row[r] += (uint32_t)left;
    while (left && s->pair[left - 1] >> 32 == low) {
      const uint32_t high = (uint32_t)s->pair[left - 1];
      while (from > row[low] && partner[from - 1] > high) partner[--to] = partner[--from];
      partner[--to] = high;
      left--;
    }
    memmove(partner + row[low] + left, partner + row[low], (from - row[low]) * sizeof *partner);
    end = low;
  }
  s->pair_count = 0;
}
