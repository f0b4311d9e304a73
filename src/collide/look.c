/* See look.h. */
#include "collide/look.h"

#include "collide/contact_point.h"

static bool is_ball(const collide_view *view, size_t i) {
  return !view->place && view->shape[i]->kind == SCREE_SHAPE_SPHERE;
}

static double depth_allowed(const look_def *look, size_t i, size_t k) {
  const double *d = look->view->diameter;
  return look->tolerance * view_less(d[i], d[k]);
}

/* Two spheres: do they come too near while they move? */
static bool miss_balls(const look_def *look, size_t i, size_t k) {
  const collide_view *view = look->view;
  const double radii = view->radius[i] + view->radius[k];
  const v3 apart = v3_sub(view->position[k], view->position[i]);
  const v3 v = v3_sub(look->linear[k], look->linear[i]);
  const double seen = radii + view_pair_margin(view, i, k), closing = -v3_dot(apart, v);
  const bool has_contact = v3_norm2(apart) <= seen * seen && !view_passes(view, i, k);
  if (has_contact || !(closing > 0.0)) return false;
  const double nearest = closing / v3_norm2(v);
  const v3 then = v3_add_scaled(apart, view_less(nearest, view->h), v);
  const double least = radii - depth_allowed(look, i, k);
  return v3_norm2(then) < least * least;
}

static double turning_speed(const look_def *look, size_t i) {
  const collide_view *view = look->view;
  if (view->shape[i]->kind == SCREE_SHAPE_SPHERE || !isfinite(view->radius[i])) return 0.0;
  return view->radius[i] * v3_norm(look->angular[i]);
}

static v3 velocity_at(const look_def *look, size_t i, v3 point) {
  const v3 arm = v3_sub(point, look->view->position[i]);
  return v3_add(look->linear[i], v3_cross(look->angular[i], arm));
}

/* Any two shapes: would a contact that was too far to be seen be violated? */
static bool miss_shapes(const look_def *look, size_t i, size_t k) {
  const collide_view *view = look->view;
  const double seen = view_passes(view, i, k) ? -INFINITY : view_pair_margin(view, i, k);
  const double speed = v3_norm(v3_sub(look->linear[i], look->linear[k])) + turning_speed(look, i) +
                       turning_speed(look, k);
  const double far = view->h * speed, reach = view->radius[i] + view->radius[k] + far;
  if (far <= seen || v3_norm2(v3_sub(view->position[i], view->position[k])) > reach * reach)
    return false;
  contact_point found[CONTACT_POINT_MAX];
  const int n = narrow_collide(view->shape[i], view_shape_pose(view, i), view->shape[k],
                               view_shape_pose(view, k), far, found, CONTACT_POINT_MAX);
  for (int m = 0; m < n; m++) {
    const contact_point *c = &found[m];
    if (c->gap <= seen) continue;
    const v3 point = v3_scale(0.5, v3_add(c->point_a, c->point_b));
    const v3 u = v3_sub(velocity_at(look, k, point), velocity_at(look, i, point));
    if (c->gap + view->h * v3_dot(c->normal, u) < -depth_allowed(look, i, k)) return true;
  }
  return false;
}

static bool misses(const look_def *look, uint32_t i, uint32_t k) {
  const collide_view *view = look->view;
  const bool balls = is_ball(view, i) && is_ball(view, k);
  if (!view->box) return (balls ? miss_balls : miss_shapes)(look, i, k);
  view_pair pair;
  view_take_pair(view, i, k, &pair);
  const v3 image = v3_sub(pair.linear[1], view->linear[k]);
  const v3 linear[2] = {look->linear[i], v3_add(look->linear[k], image)};
  const v3 angular[2] = {look->angular[i], look->angular[k]};
  const double extra[2] = {look->extra[i], look->extra[k]};
  const look_def seen = {.view = &pair.view,
                         .linear = linear,
                         .angular = angular,
                         .extra = extra,
                         .tolerance = look->tolerance};
  return (balls ? miss_balls : miss_shapes)(&seen, 0, 1);
}

scree_status look_for_missed(broad *b, const look_def *look, bool *missed) {
  *missed = false;
  if (!broad_covers(b, look->view, look->linear, look->angular)) {
    collide_view wide = *look->view;
    wide.extra = look->extra;
    const scree_status status = broad_update(b, &wide);
    if (status) return status;
  }
  for (size_t i = 0; i < look->view->count; i++) {
    size_t count;
    const uint32_t *partner = broad_partners(b, i, &count);
    if (count && context_stopped_alone(look->context))
      return context_fail(look->context, SCREE_ERROR_STOPPED, "second look: stopped by the caller");
    for (size_t m = 0; m < count; m++) {
      const uint32_t k = partner[m];
      if (!(look->extra[i] > 0.0) && !(look->extra[k] > 0.0)) continue;
      if (!view_is_mine(look->view, i, k)) continue;
      if (misses(look, (uint32_t)i, k)) {
        *missed = true;
        return SCREE_OK;
      }
    }
  }
  return SCREE_OK;
}
