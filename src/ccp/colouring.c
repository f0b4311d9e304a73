/* See colouring.h. Up to 64 colours are tracked as bits of a word a resource; blocks that find none
 * free (a very large body with hundreds of contacts) are appended as colours of one block each. */
#include "ccp/colouring.h"

#include <string.h>

#include "base/memory.h"

enum { TRACKED = 64 };

/* Turns a colour a block into order and colour_start; colours >= TRACKED are singletons. */
static scree_status finish(ccp_operator *op, const uint32_t *colour, size_t colour_count) {
  op->colour_count = colour_count;
  op->order = memory_new(op->context, op->block_count, sizeof *op->order);
  op->colour_start = memory_new(op->context, colour_count + 2, sizeof *op->colour_start);
  if (!op->order || !op->colour_start) return SCREE_ERROR_MEMORY;
  uint32_t *start = op->colour_start;
  for (size_t i = 0; i < op->block_count; i++) start[colour[i] + 2]++;
  for (size_t c = 2; c < colour_count + 2; c++) start[c] += start[c - 1];
  for (size_t i = 0; i < op->block_count; i++) op->order[start[colour[i] + 1]++] = (uint32_t)i;
  return SCREE_OK;
}

static uint32_t lowest_free(uint64_t used) {
  return ~used ? (uint32_t)__builtin_ctzll(~used) : (uint32_t)TRACKED;
}

scree_status colouring_by_resource(ccp_operator *op, size_t resource_count,
                                   const size_t *resource_start, const uint32_t *resource) {
  uint32_t *colour = memory_new(op->context, op->block_count, sizeof *colour);
  uint64_t *used = memory_new(op->context, resource_count, sizeof *used);
  scree_status status = colour && used ? SCREE_OK : SCREE_ERROR_MEMORY;
  uint32_t tracked = 0, singles = 0;
  for (size_t i = 0; !status && i < op->block_count; i++) {
    uint64_t mask = 0;
    for (size_t k = resource_start[i]; k < resource_start[i + 1]; k++) mask |= used[resource[k]];
    uint32_t c = lowest_free(mask);
    if (c < TRACKED) {
      for (size_t k = resource_start[i]; k < resource_start[i + 1]; k++)
        used[resource[k]] |= (uint64_t)1 << c;
      if (c + 1 > tracked) tracked = c + 1;
    } else {
      c = TRACKED + singles++;
    }
    colour[i] = c;
  }
  if (!status) {
    for (size_t i = 0; i < op->block_count; i++)
      if (colour[i] >= TRACKED) colour[i] = tracked + (colour[i] - TRACKED);
    status = finish(op, colour, tracked + singles);
  }
  memory_free(op->context, colour);
  memory_free(op->context, used);
  return status;
}

scree_status colouring_by_graph(ccp_operator *op, const size_t *start, const uint32_t *neighbour) {
  uint32_t *colour = memory_new(op->context, op->block_count, sizeof *colour);
  if (!colour) return SCREE_ERROR_MEMORY;
  uint32_t tracked = 0, singles = 0;
  for (size_t i = 0; i < op->block_count; i++) {
    uint64_t mask = 0;
    for (size_t k = start[i]; k < start[i + 1]; k++)
      if (neighbour[k] < i && colour[neighbour[k]] < TRACKED)
        mask |= (uint64_t)1 << colour[neighbour[k]];
    uint32_t c = lowest_free(mask);
    if (c < TRACKED) {
      if (c + 1 > tracked) tracked = c + 1;
    } else {
      c = TRACKED + singles++;
    }
    colour[i] = c;
  }
  for (size_t i = 0; i < op->block_count; i++)
    if (colour[i] >= TRACKED) colour[i] = tracked + (colour[i] - TRACKED);
  const scree_status status = finish(op, colour, tracked + singles);
  memory_free(op->context, colour);
  return status;
}
