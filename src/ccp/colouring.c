/* See colouring.h. */
#include "ccp/colouring.h"

#include <string.h>

#include "base/memory.h"

enum { TRACKED = 64 };

/* Turns a colour a block into order and colour_start; colour TRACKED means none. `block` null: the
 * blocks are 0 … count - 1. */
static scree_status finish(ccp_operator *op, size_t count, const uint32_t *block,
                           const uint32_t *colour) {
  size_t next[TRACKED + 1] = {0}, size[TRACKED + 1] = {0};
  for (size_t k = 0; k < count; k++) size[colour[k]]++;
  op->colour_count = 0;
  while (op->colour_count < TRACKED && size[op->colour_count]) op->colour_count++;
  if (memory_grow(op->context, &op->colour_start, op->colour_count + 1, sizeof *op->colour_start))
    return SCREE_ERROR_MEMORY;
  size_t at = op->head_count;
  for (size_t c = 0; c < op->colour_count; c++) {
    next[c] = at;
    op->colour_start[c] = (uint32_t)at;
    at += size[c];
  }
  op->colour_start[op->colour_count] = (uint32_t)at;
  next[TRACKED] = at;
  for (size_t k = 0; k < count; k++) op->order[next[colour[k]]++] = block ? block[k] : (uint32_t)k;
  return SCREE_OK;
}

static uint32_t lowest_free(uint64_t used) {
  return ~used ? (uint32_t)__builtin_ctzll(~used) : (uint32_t)TRACKED;
}

scree_status colouring_by_resource(colouring *work, ccp_operator *op, size_t resource_count,
                                   size_t count, const uint32_t *block, const size_t *start,
                                   const uint32_t *resource) {
  if (memory_grow(op->context, &work->colour, count, sizeof *work->colour) ||
      memory_grow(op->context, &work->used, resource_count, sizeof *work->used))
    return SCREE_ERROR_MEMORY;
  if (resource_count) memset(work->used, 0, resource_count * sizeof *work->used);
  for (size_t k = 0; k < count; k++) {
    uint64_t mask = 0;
    for (size_t j = start[k]; j < start[k + 1]; j++) mask |= work->used[resource[j]];
    const uint32_t c = lowest_free(mask);
    for (size_t j = start[k]; c < TRACKED && j < start[k + 1]; j++)
      work->used[resource[j]] |= (uint64_t)1 << c;
    work->colour[k] = c;
  }
  return finish(op, count, block, work->colour);
}

scree_status colouring_by_graph(ccp_operator *op, const size_t *start, const uint32_t *neighbour) {
  uint32_t *colour = memory_new(op->context, op->block_count, sizeof *colour);
  if (!colour) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < op->block_count; i++) {
    uint64_t mask = 0;
    for (size_t k = start[i]; k < start[i + 1]; k++)
      if (neighbour[k] < i && colour[neighbour[k]] < TRACKED)
        mask |= (uint64_t)1 << colour[neighbour[k]];
    colour[i] = lowest_free(mask);
  }
  const scree_status status = finish(op, op->block_count, NULL, colour);
  memory_free(op->context, colour);
  return status;
}

void colouring_free(scree_context *context, colouring *work) {
  memory_free(context, work->colour);
  memory_free(context, work->used);
}
