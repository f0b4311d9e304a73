/* See memory.h. Each block is preceded by its header, which sits right below the aligned address:
 *
 *   | allocator's block … padding | header | aligned data …                                    */
#include "base/memory.h"

#include <stdint.h>
#include <string.h>

#include "base/pool.h"

enum { ALIGNMENT = 64 };

typedef struct block_header {
  void *block; /* what the allocator gave */
  size_t size; /* what it was asked for */
  size_t room; /* elements */
} block_header;

static block_header *header_of(void *data) {
  return (block_header *)(void *)((char *)data - sizeof(block_header));
}

enum { EXTRA = ALIGNMENT + sizeof(block_header) };

static bool fits(scree_context *context, size_t count, size_t size) {
  if (!size || count <= (SIZE_MAX - EXTRA) / size) return true;
  context_fail(context, SCREE_ERROR_MEMORY, "%zu elements of %zu bytes do not fit in memory", count,
               size);
  return false;
}

static void count_in(scree_context *context, size_t size) {
  context->bytes += size;
  if (context->bytes > context->peak_bytes) context->peak_bytes = context->bytes;
}

void *memory_new(scree_context *context, size_t count, size_t size) {
  if (!fits(context, count, size)) return NULL;
  size_t total = count * size + EXTRA; /* a block that was kept may be larger */
  char *block = pool_take(context, &total);
  if (!block) {
    block = context->allocator.allocate(context->allocator.user, total);
    context->allocations += block != NULL;
  }
  if (!block) {
    context_fail(context, SCREE_ERROR_MEMORY, "no memory for %zu bytes beside the %zu in use",
                 total, context->bytes);
    return NULL;
  }
  const uintptr_t raw = (uintptr_t)block + sizeof(block_header);
  const uintptr_t aligned = (raw + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
  char *data = block + (aligned - (uintptr_t)block);
  *header_of(data) = (block_header){.block = block, .size = total, .room = count};
  if (total < context->mapped_from) memset(data, 0, count * size);
  count_in(context, total);
  return data;
}

void memory_free(scree_context *context, void *data) {
  if (!data) return;
  const block_header header = *header_of(data);
  context->bytes -= header.size;
  if (!pool_give(context, header.block, header.size))
    context->allocator.release(context->allocator.user, header.block, header.size);
}

/* Grows a block that is pages of its own; nothing is copied. Null: it is not, or there is no room.
 */
static void *remap(scree_context *context, void *data, size_t count, size_t size) {
  if (!data || header_of(data)->size < context->mapped_from || !fits(context, count, size))
    return NULL;
  const block_header old = *header_of(data);
  const size_t total = count * size + EXTRA, offset = (size_t)((char *)data - (char *)old.block);
  char *block = context_remap(old.block, old.size, total);
  if (!block) return NULL;
  *header_of(block + offset) = (block_header){.block = block, .size = total, .room = count};
  context->bytes -= old.size;
  context->allocations++;
  count_in(context, total);
  return block + offset;
}

/* Large arrays are mostly remapped, which copies nothing, so they grow by small parts. */
static size_t room_for(size_t had, size_t need) {
  enum { MANY = 16384 };
  const size_t room = had + had / (had < MANY ? 2 : 32);
  return room > need ? room : need;
}

size_t memory_room(const void *array) {
  return array ? ((const block_header *)array)[-1].room : 0;
}

scree_status memory_grow(scree_context *context, void *array, size_t need, size_t size) {
  void *old;
  memcpy(&old, array, sizeof old);
  const size_t had = memory_room(old);
  if (need <= had) return SCREE_OK;
  const size_t target = room_for(had, need);
  void *grown = remap(context, old, target, size);
  if (!grown) {
    grown = memory_new(context, target, size);
    if (!grown) return SCREE_ERROR_MEMORY;
    if (old) memcpy(grown, old, had * size);
    memory_free(context, old);
  }
  memcpy(array, &grown, sizeof grown);
  return SCREE_OK;
}
