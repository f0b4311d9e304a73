/* The mean velocity that boxes grow against. */
#include "base/pieces.h"
#include "collide/broad/grid.h"
#include "collide/broad/images.h"

static size_t add_velocities(const collide_view *view, size_t begin, size_t end, v3 *sum) {
  size_t n = 0;
  *sum = v3_make(0, 0, 0);
  for (size_t i = begin; i < end; i++)
    if (view->shape[i] && view->kind[i] == 0) {
      *sum = v3_add(*sum, images_velocity(view, i));
      n++;
    }
  return n;
}

v3 broad_mean_velocity(scree_context *context, const collide_view *view) {
  if (view->asleep) return v3_make(0, 0, 0); /* rest.h */
  const size_t pieces = pieces_of(view->count);
  v3 part[PIECES_MOST], sum = {0, 0, 0};
  size_t n = 0;
  if (pieces == 1) {
    n = add_velocities(view, 0, view->count, &part[0]);
  } else {
#pragma omp parallel for schedule(static) reduction(+ : n) num_threads(context_team(context, true))
    for (size_t k = 0; k < pieces; k++)
      n += add_velocities(view, pieces_begin(view->count, k), pieces_begin(view->count, k + 1),
                          &part[k]);
  }
  for (size_t k = 0; k < pieces; k++) sum = v3_add(sum, part[k]);
  return n ? v3_scale(1.0 / (double)n, sum) : sum;
}
