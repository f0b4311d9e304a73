/* See arena.h. */
#include "base/arena.h"

#include <string.h>

enum { LINE = 64, SMALLEST = 4096 };

void arena_init(arena *a, scree_context *context) {
  memset(a, 0, sizeof *a);
  a->context = context;
}

void arena_clear(arena *a) {
  for (int k = 0; k < ARENA_CHUNKS; k++) memory_free(a->context, a->chunk[k]);
  arena_init(a, a->context);
}

void arena_reset(arena *a) {
  size_t total = 0;
  for (int k = 0; k < ARENA_CHUNKS; k++) total += a->size[k];
  if (a->size[1]) {
    scree_context *context = a->context;
    arena_clear(a);
    a->chunk[0] = memory_new(context, total, 1);
    a->size[0] = a->chunk[0] ? total : 0;
  }
  a->used = 0;
  a->at = 0;
}

void *arena_take(arena *a, size_t count, size_t size) {
  if (size && count > (SIZE_MAX - LINE) / size) return NULL;
  const size_t bytes = (count * size + LINE - 1) / LINE * LINE;
  if (a->used + bytes > a->size[a->at]) {
    int next = a->size[a->at] ? a->at + 1 : a->at;
    if (next >= ARENA_CHUNKS) return NULL;
    size_t wanted = a->size[a->at] ? 2 * a->size[a->at] : SMALLEST;
    if (wanted < bytes) wanted = bytes;
    a->chunk[next] = memory_new(a->context, wanted, 1);
    if (!a->chunk[next]) return NULL;
    a->size[next] = wanted;
    a->at = next;
    a->used = 0;
  }
  char *data = a->chunk[a->at] + a->used;
  a->used += bytes;
  return memset(data, 0, bytes);
}
