/* Bodies that would fall through each other are refused, not simulated. */
#include "collide/hole.h"

#include "assemble/assembler.h"

bool assembler_find_hole(const scree_world *w, uint32_t pair[2]) {
  const world_bodies *b = &w->bodies;
  const collide_view view = {.count = b->limit,
                             .shape = b->shape,
                             .kind = b->kind,
                             .category = b->category,
                             .collides_with = b->collides_with,
                             .excluded = w->excluded,
                             .excluded_count = w->excluded_count};
  return collide_find_hole(&view, pair);
}

scree_status assembler_check_holes(const scree_world *w) {
  uint32_t pair[2];
  if (!assembler_find_hole(w, pair)) return SCREE_OK;
  const shape *a = w->bodies.shape[pair[0]], *b = w->bodies.shape[pair[1]];
  return context_fail(
      w->context, SCREE_ERROR_INPUT,
      "body %u (%s) and body %u (%s) cannot touch: there are no contacts between "
      "these shapes, so they would pass through each other; change a shape, or keep "
      "them apart by `category` and `collides_with`",
      pair[0], scree_shape_kind_name(a->kind), pair[1], scree_shape_kind_name(b->kind));
}
