/* Boxes of bodies: see state.h. */
#include "collide/broad/images.h"
#include "collide/broad/state.h"

/* Boxes reach as far ahead as a body moves in so many steps, up to a part of its diameter. */
static const double steps_ahead = 8.0, most_ahead = 1.0;

aabb broad_swept_box(const collide_view *view, size_t i, v3 v0) {
  const shape *s = view->shape[i];
  double reach = view->h * v3_norm(v3_sub(images_velocity(view, i), v0)) + images_reach(view, i);
  if (view->extra) reach += view->extra[i];
  if (s->kind == SCREE_SHAPE_SPHERE && !view->place) {
    const double r = s->sphere.radius + reach;
    const v3 half = {r, r, r};
    return (aabb){v3_sub(view->position[i], half), v3_add(view->position[i], half)};
  }
  if (isfinite(view->radius[i]) && s->kind != SCREE_SHAPE_SPHERE)
    reach += view->h * view->radius[i] * v3_norm(view->angular[i]);
  return aabb_grow(shape_bounds(s, view_shape_pose(view, i)), reach);
}

/* The box of one step, from where a body is to where its motion leads it: dense grains that move
 * along with each other would find many more neighbours in wider boxes. */
aabb broad_box_ahead(const collide_view *view, size_t i, v3 v0) {
  aabb box = broad_swept_box(view, i, v0);
  const double speed = v3_norm(view->linear[i]);
  if (!(speed > 0.0) || !isfinite(view->diameter[i]) || view->box) return box;
  const double time = view_less(steps_ahead * view->h, most_ahead * view->diameter[i] / speed);
  const v3 way = v3_scale(time, view->linear[i]), zero = {0, 0, 0};
  box.lo = v3_add(box.lo, v3_min(way, zero));
  box.hi = v3_add(box.hi, v3_max(way, zero));
  return box;
}
