/* Blocks that were given back and wait to be taken again. Solvers make and clear what has the shape
 * of a step's contacts, which differs a little from step to step: without this a steady step would
 * call the allocator for it every time. A block serves what is at most a sixteenth smaller. Only
 * blocks up to POOL_BLOCK are kept, POOL_BYTES in all, and none where the program brings its own
 * allocator: it is to see every call. */
#ifndef SCREE_BASE_POOL_H
#define SCREE_BASE_POOL_H

#include "base/context.h"

enum { POOL_CLASSES = 64, POOL_BLOCK = 1 << 17, POOL_BYTES = 8 << 20 };

typedef struct pool_block pool_block;

/* It lies behind the context, in the same piece of memory. */
typedef struct pool {
  bool on;
  size_t bytes;
  pool_block *free[POOL_CLASSES]; /* by size, four classes to an octave */
} pool;

/* A block of *size bytes or a little more, which *size then says; null: there is none. */
void *pool_take(scree_context *context, size_t *size);
/* False: it is not kept. */
bool pool_give(scree_context *context, void *block, size_t size);
void pool_clear(scree_context *context);

static inline pool *pool_of(const scree_context *context) {
  return (pool *)(uintptr_t)(context + 1);
}

#endif
