/* See hole.h. Kinds that are present tell at once that there is no hole, as is nearly always so. */
#include "collide/hole.h"

#include "collide/broad/grid.h"

/* The kinds of shapes that cannot touch at least one of `kinds`. */
static uint32_t against(uint32_t kinds) {
  uint32_t all = 0;
  for (uint32_t k = 0; k < SCREE_SHAPE_COMPOUND; k++)
    if (kinds >> k & 1) all |= narrow_untouchable(k);
  return all;
}

bool collide_find_hole(const collide_view *view, uint32_t pair[2]) {
  uint32_t moving = 0, all = 0;
  for (size_t i = 0; i < view->count; i++) {
    if (!view->shape[i]) continue;
    const uint32_t kinds = narrow_kinds(view->shape[i]);
    all |= kinds;
    if (view->kind[i] == 0) moving |= kinds;
  }
  const uint32_t suspects = against(moving) & all;
  if (!suspects) return false;
  const uint32_t partners = against(suspects);
  for (uint32_t i = 0; i < view->count; i++) {
    if (!view->shape[i] || !(narrow_kinds(view->shape[i]) & partners)) continue;
    const uint32_t wrong = against(narrow_kinds(view->shape[i]));
    for (uint32_t k = i + 1; k < view->count; k++) {
      if (!view->shape[k] || !(narrow_kinds(view->shape[k]) & wrong)) continue;
      if (!broad_may_touch(view, i, k)) continue;
      pair[0] = i;
      pair[1] = k;
      return true;
    }
  }
  return false;
}
