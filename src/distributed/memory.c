/* What lives with contacts across steps is with the rank that has them. When bodies change their
 * rank, and for a checkpoint, it is put together. */
#include "distributed/distributed.h"

scree_status distributed_merge(distributed *d, assembler *a) {
  const int n = d->ranks->count;
  size_t offset[DISTRIBUTED_MOST], size[DISTRIBUTED_MOST], place[DISTRIBUTED_MOST], total = 0,
                                                                                    contacts = 0;
  const char *part[DISTRIBUTED_MOST];
  if (d->whole) return SCREE_OK;
  const size_t mine = assembler_save(a, NULL);
  if (memory_grow(d->context, &d->blob, mine, 1)) return SCREE_ERROR_MEMORY;
  assembler_save(a, d->blob);
  for (int r = 0; r < n; r++) {
    offset[r] = (size_t)r * sizeof mine;
    place[r] = sizeof mine;
  }
  d->ranks->gather(d->ranks, &mine, size, offset, place);
  for (int r = 0; r < n; r++) {
    offset[r] = total;
    total += size[r];
  }
  if (memory_grow(d->context, &d->bytes, total, 1)) return SCREE_ERROR_MEMORY;
  d->ranks->gather(d->ranks, d->blob, d->bytes, offset, size);
  for (int r = 0; r < n; r++) {
    part[r] = d->bytes + offset[r];
    contacts += assembler_blob_contacts(part[r]);
  }
  const size_t joined = assembler_join(part, n, NULL, NULL);
  if (memory_grow(d->context, &d->place, contacts, sizeof *d->place) ||
      memory_grow(d->context, &d->blob, joined, 1))
    return SCREE_ERROR_MEMORY;
  assembler_join(part, n, d->place, d->blob);
  d->whole = true;
  return assembler_restore(a, d->blob);
}

scree_status distributed_collect(assembler *a) {
  distributed *d = (distributed *)a->ranks;
  d->kept_whole = d->whole;
  if (d->whole) return SCREE_OK;
  const size_t size = assembler_save(a, NULL);
  if (memory_grow(d->context, &d->kept, size, 1)) return SCREE_ERROR_MEMORY;
  assembler_save(a, d->kept);
  return distributed_merge(d, a);
}

scree_status distributed_return(assembler *a) {
  distributed *d = (distributed *)a->ranks;
  if (d->kept_whole) return SCREE_OK;
  d->whole = false;
  return assembler_restore(a, d->kept);
}
