/* Scratch memory that is taken piece by piece and given back all at once. It grows while it is
 * being used and keeps its size between uses, so that repeated work of the same size allocates
 * nothing.
 *
 *   arena_reset(&arena);
 *   uint32_t *mark = arena_take(&arena, n, sizeof *mark);      zeroed, 64-byte aligned; null: no
 * memory */
#ifndef SCREE_BASE_ARENA_H
#define SCREE_BASE_ARENA_H

#include "base/memory.h"

enum { ARENA_CHUNKS = 24 };

typedef struct arena {
  scree_context *context;
  char *chunk[ARENA_CHUNKS]; /* each twice as large as the one before, at least */
  size_t size[ARENA_CHUNKS];
  size_t used; /* of the chunk at hand */
  int at;
} arena;

void arena_init(arena *a, scree_context *context);
void arena_clear(arena *a);
/* Forgets all that was taken; several chunks are joined into one for the next use. */
void arena_reset(arena *a);
void *arena_take(arena *a, size_t count, size_t size);

#endif
