/* The world's own arrays for readers outside. An array that moves leaves its old memory behind,
 * marked as dead (NaN, not alive), so that a reader who kept a pointer finds no wrong numbers. */
#include <string.h>

#include "base/argument.h"
#include "model/world.h"

scree_status scree_world_get_view(scree_world *w, scree_world_view *view) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && view);
  const world_bodies *b = &w->bodies;
  _Static_assert(sizeof(v3) == 3 * sizeof(double) && sizeof(quat) == 4 * sizeof(double),
                 "vectors are plain numbers");
  *view = (scree_world_view){.limit = b->limit,
                             .positions = (const double *)b->position,
                             .rotations = (const double *)b->rotation,
                             .velocities = (const double *)b->linear,
                             .angulars = (const double *)b->angular,
                             .masses = b->mass,
                             .generations = b->generation,
                             .alive = b->alive};
  w->viewed = true;
  return SCREE_OK;
}

uint64_t scree_world_revision(const scree_world *w) {
  if (!w) return 0;
  return w->revision;
}

/* `mark`: the byte that the old block is filled with; 0xFF makes doubles NaN. */
static scree_status retire(scree_world *w, void *array, size_t size, int mark) {
  const size_t bytes = w->bodies.capacity * size;
  void *old;
  memcpy(&old, array, sizeof old);
  if (!old || !bytes) return SCREE_OK;
  if (memory_grow(w->context, &w->retired, w->retired_count + 1, sizeof *w->retired))
    return SCREE_ERROR_MEMORY;
  void *copy = memory_new(w->context, w->bodies.capacity, size);
  if (!copy) return SCREE_ERROR_MEMORY;
  memcpy(copy, old, bytes);
  memset(old, mark, bytes);
  w->retired[w->retired_count++] = old;
  memcpy(array, &copy, sizeof copy);
  return SCREE_OK;
}

scree_status world_retire_views(scree_world *w) {
  world_bodies *b = &w->bodies;
  scree_status status = retire(w, &b->position, sizeof *b->position, 0xFF);
  if (!status) status = retire(w, &b->rotation, sizeof *b->rotation, 0xFF);
  if (!status) status = retire(w, &b->linear, sizeof *b->linear, 0xFF);
  if (!status) status = retire(w, &b->angular, sizeof *b->angular, 0xFF);
  if (!status) status = retire(w, &b->mass, sizeof *b->mass, 0xFF);
  if (!status) status = retire(w, &b->generation, sizeof *b->generation, 0);
  if (!status) status = retire(w, &b->alive, sizeof *b->alive, 0);
  if (!status) w->viewed = false;
  return status;
}

void world_free_views(scree_world *w) {
  for (size_t i = 0; i < w->retired_count; i++) memory_free(w->context, w->retired[i]);
  memory_free(w->context, w->retired);
}
