/* See memory.h. Each block is preceded by its header, which sits right below the aligned address:
 *
 *   | allocator's block … padding | header | aligned data …                                    */
#include "base/memory.h"

#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 64 };

typedef struct block_header {
  void *block; /* what the allocator gave */
  size_t size; /* what it was asked for */
} block_header;

static block_header *header_of(void *data) {
  return (block_header *)(void *)((char *)data - sizeof(block_header));
}

void *memory_new(scree_context *context, size_t count, size_t size) {
  const size_t extra = ALIGNMENT + sizeof(block_header);
  if (size && count > (SIZE_MAX - extra) / size) {
    context_fail(context, SCREE_ERROR_MEMORY, "%zu elements of %zu bytes do not fit in memory",
                 count, size);
    return NULL;
  }
  const size_t total = count * size + extra;
  char *block = context->allocator.allocate(context->allocator.user, total);
  if (!block) {
    context_fail(context, SCREE_ERROR_MEMORY, "no memory for %zu bytes", total);
    return NULL;
  }
  const uintptr_t raw = (uintptr_t)block + sizeof(block_header);
  const uintptr_t aligned = (raw + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
  char *data = block + (aligned - (uintptr_t)block);
  *header_of(data) = (block_header){.block = block, .size = total};
  memset(data, 0, count * size);
  context->allocations++;
  context->bytes += total;
  if (context->bytes > context->peak_bytes) context->peak_bytes = context->bytes;
  return data;
}

void memory_free(scree_context *context, void *data) {
  if (!data) return;
  const block_header header = *header_of(data);
  context->bytes -= header.size;
  context->allocator.release(context->allocator.user, header.block, header.size);
}

scree_status memory_grow(scree_context *context, void *array, size_t *capacity, size_t need,
                         size_t size) {
  if (need <= *capacity) return SCREE_OK;
  size_t target = *capacity + *capacity / 2;
  if (target < need) target = need;
  void *old;
  memcpy(&old, array, sizeof old);
  void *grown = memory_new(context, target, size);
  if (!grown) return SCREE_ERROR_MEMORY;
  if (old) memcpy(grown, old, *capacity * size);
  memory_free(context, old);
  memcpy(array, &grown, sizeof grown);
  *capacity = target;
  return SCREE_OK;
}
