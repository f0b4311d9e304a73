/* See pool.h. */
#include "base/pool.h"

enum { WALK = 16, CLASSES_UP = 1 };

struct pool_block {
  pool_block *next;
  size_t size;
};

/* Sizes from (4 + q) 2^k to the next such number, for q from 0 to 3, are a class. */
static size_t class_of(size_t size) {
  size_t k = 0;
  while (size >> k >= 8) k++;
  return 4 * k + size / ((size_t)1 << k) % 4;
}

void *pool_take(scree_context *context, size_t *size) {
  pool *p = pool_of(context);
  if (!p->on || *size > POOL_BLOCK) return NULL;
  const size_t first = class_of(*size);
  for (size_t c = first; c <= first + CLASSES_UP && c < POOL_CLASSES; c++) {
    pool_block **place = &p->free[c];
    for (int n = 0; *place && n < WALK; n++, place = &(*place)->next) {
      pool_block *block = *place;
      if (block->size < *size || block->size > *size + *size / 16) continue;
      *place = block->next;
      p->bytes -= block->size;
      *size = block->size;
      return block;
    }
  }
  return NULL;
}

bool pool_give(scree_context *context, void *place, size_t size) {
  pool *p = pool_of(context);
  if (!p->on || size > POOL_BLOCK || p->bytes + size > POOL_BYTES) return false;
  pool_block **first = &p->free[class_of(size)], *block = place;
  *block = (pool_block){*first, size};
  *first = block;
  p->bytes += size;
  return true;
}

void pool_clear(scree_context *context) {
  pool *p = pool_of(context);
  for (size_t i = 0; i < POOL_CLASSES; i++)
    while (p->free[i]) {
      pool_block *block = p->free[i];
      p->free[i] = block->next;
      context->allocator.release(context->allocator.user, block, block->size);
    }
  p->bytes = 0;
}
