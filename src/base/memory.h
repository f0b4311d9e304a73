/* Memory from the context's allocator: blocks are 64-byte aligned, so that a body's line is a cache
 * line and vector loads never split; growable arrays for what lives with a world or a workspace.
 *
 *   double *x = memory_new(context, n, sizeof *x);           null: no memory, message set
 *   if (memory_grow(context, &x, n, sizeof *x)) return SCREE_ERROR_MEMORY;      room for n of them
 *   memory_free(context, x);                                                                   */
#ifndef SCREE_BASE_MEMORY_H
#define SCREE_BASE_MEMORY_H

#include "base/context.h"

/* Zeroed. A count of 0 gives a valid block. Overflow of count * size is refused. */
void *memory_new(scree_context *context, size_t count, size_t size);
void memory_free(scree_context *context, void *block);
/* Makes room for `need` elements at *array (a pointer to a pointer, null at first), by half as much
 * again at least (a thirty-second where they are many); new elements are zero, old ones are kept. A
 * block knows how many it has room for: always pass the same size. */
scree_status memory_grow(scree_context *context, void *array, size_t need, size_t size);
/* Elements that there is room for; 0 for null. */
size_t memory_room(const void *array);

#endif
