/* Overlaps as bodies lie, found without a step: nothing is held but the pairs of the broad phase
 * and a batch of contacts at a time. */
#include "assemble/assembler.h"

scree_status assembler_find_overlaps(const scree_world *w, assembler_visit_overlap *visit,
                                     void *user) {
  const world_bodies *b = &w->bodies;
  collide *c = NULL;
  v3 *still = memory_new(w->context, b->limit + 1, sizeof *still);
  scree_status status = still ? collide_create(w->context, &c) : SCREE_ERROR_MEMORY;
  const collide_view view = {.count = b->limit,
                             .shape = b->shape,
                             .position = b->position,
                             .rotation = b->rotation,
                             .place = b->place,
                             .linear = still,
                             .angular = still,
                             .radius = b->radius,
                             .diameter = b->diameter,
                             .category = b->category,
                             .collides_with = b->collides_with,
                             .kind = b->kind,
                             .box = world_is_periodic(w) ? &w->box : NULL,
                             .excluded = w->excluded,
                             .excluded_count = w->excluded_count};
  if (!status) status = collide_begin(c, &view, b->generation, NULL, 0);
  bool more = true;
  while (!status && more) {
    const collide_contact *batch;
    size_t count;
    status = collide_next(c, &batch, &count);
    if (status || !count) break;
    for (size_t i = 0; i < count && more; i++)
      if (batch[i].point.gap < 0.0) more = visit(user, batch[i].a, batch[i].b, batch[i].point.gap);
  }
  collide_destroy(c);
  memory_free(w->context, still);
  return status;
}
