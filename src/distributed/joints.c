/* Joints: their rows are with the rank that has their bodies, and what a solve found about them is
 * told to all, as every rank moves all bodies, writes joints down and looks which ones break. */
#include "distributed/distributed.h"

/* All dynamic bodies of it are of one unit: the first one decides. */
bool distributed_has(const assembler_ranks *r, const assembler *a, const uint32_t *body,
                     size_t count) {
  const distributed *d = (const distributed *)r;
  for (size_t k = 0; k < count; k++)
    if (body[k] != WORLD_NO_BODY && world_is_dynamic(a->world, body[k]))
      return d->owner[body[k]] == d->ranks->me;
  return false;
}

scree_status distributed_tell(assembler_ranks *r, const void *mine, size_t size, const void **all,
                              size_t *total) {
  distributed *d = (distributed *)r;
  const int n = d->ranks->count;
  size_t offset[DISTRIBUTED_MOST] = {0}, place[DISTRIBUTED_MOST] = {0}, sizes[DISTRIBUTED_MOST];
  for (int k = 0; k < n; k++) {
    offset[k] = (size_t)k * sizeof size;
    place[k] = sizeof size;
  }
  d->ranks->gather(d->ranks, &size, sizes, offset, place);
  *total = 0;
  for (int k = 0; k < n; k++) {
    offset[k] = *total;
    if (k == d->ranks->me) d->told = *total;
    *total += sizes[k];
  }
  if (memory_grow(d->context, &d->bytes, *total + 1, 1)) return SCREE_ERROR_MEMORY;
  d->ranks->gather(d->ranks, mine, d->bytes, offset, sizes);
  *all = d->bytes;
  return SCREE_OK;
}
