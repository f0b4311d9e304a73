/* See near.h. Cells are numbered by a hash; balls of two cells may share a number, which costs a
 * look and changes no answer. */
#include "scene/flow/near.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double nearer = 1.001; /* of the sum of two radii: closer is no room */

static int64_t cell_of(const near_list *list, double x) {
  return (int64_t)fmax(-1e15, fmin(1e15, floor(x / list->side)));
}

static size_t number_of(const near_list *list, const int64_t c[3]) {
  uint64_t h = (uint64_t)c[0] * 0x9E3779B97F4A7C15u ^ (uint64_t)c[1] * 0xC2B2AE3D27D4EB4Fu ^
               (uint64_t)c[2] * 0x165667B19E3779F9u;
  h ^= h >> 32;
  return (size_t)h & (list->cells - 1);
}

static void enter(near_list *list, size_t ball) {
  int64_t c[3];
  for (int k = 0; k < 3; k++) c[k] = cell_of(list, list->balls[ball].x[k]);
  const size_t n = number_of(list, c);
  list->next[ball] = list->first[n];
  list->first[n] = (uint32_t)ball + 1;
}

/* A table of twice as many cells as there is room for balls. */
static scree_status make_table(scree_context *context, near_list *list) {
  size_t cells = 64;
  while (cells < 2 * memory_room(list->balls)) cells *= 2;
  memory_free(context, list->first);
  memory_free(context, list->next);
  list->first = memory_new(context, cells, sizeof *list->first);
  list->next = memory_new(context, memory_room(list->balls) + 1, sizeof *list->next);
  list->cells = list->first && list->next ? cells : 0;
  if (!list->cells) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < list->count; i++) enter(list, i);
  return SCREE_OK;
}

scree_status near_add(scree_context *context, near_list *list, const double x[3], double r) {
  const size_t before = memory_room(list->balls);
  scree_status status = memory_grow(context, &list->balls, list->count + 1, sizeof *list->balls);
  if (status) return status;
  near_ball *b = &list->balls[list->count++];
  memcpy(b->x, x, sizeof b->x);
  b->r = r;
  if (!list->cells) return SCREE_OK;
  if (memory_room(list->balls) != before) return make_table(context, list);
  enter(list, list->count - 1);
  return SCREE_OK;
}

scree_status near_sort(scree_context *context, near_list *list, double largest) {
  for (size_t i = 0; i < list->count; i++) largest = fmax(largest, list->balls[i].r);
  list->side = 2.01 * largest;
  if (!(list->side > 0.0)) list->side = 1.0;
  return make_table(context, list);
}

static bool cell_has_room(const near_list *list, const int64_t c[3], const double x[3], double r) {
  for (uint32_t at = list->first[number_of(list, c)]; at; at = list->next[at - 1]) {
    const near_ball *b = &list->balls[at - 1];
    const double dx = x[0] - b->x[0], dy = x[1] - b->x[1], dz = x[2] - b->x[2];
    const double far = nearer * (r + b->r);
    if (dx * dx + dy * dy + dz * dz < far * far) return false;
  }
  return true;
}

bool near_has_room(const near_list *list, const double x[3], double r) {
  int64_t m[3];
  for (int k = 0; k < 3; k++) m[k] = cell_of(list, x[k]);
  for (int64_t i = -1; i <= 1; i++)
    for (int64_t j = -1; j <= 1; j++)
      for (int64_t k = -1; k <= 1; k++) {
        const int64_t c[3] = {m[0] + i, m[1] + j, m[2] + k};
        if (!cell_has_room(list, c, x, r)) return false;
      }
  return true;
}

void near_clear(scree_context *context, near_list *list) {
  memory_free(context, list->balls);
  memory_free(context, list->first);
  memory_free(context, list->next);
  *list = (near_list){0};
}
