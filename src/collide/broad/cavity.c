/* See cavity.h. Open ends need no test: what is clear of the sides, continued without end, is
 * clear of their rims. */
#include "collide/broad/cavity.h"

static bool is_container(const collide_view *view, uint32_t i) {
  const scree_shape_kind kind = view->shape[i]->kind;
  return kind == SCREE_SHAPE_BOX_CONTAINER || kind == SCREE_SHAPE_ROUND_CONTAINER;
}

static bool is_at_rest(const collide_view *view, uint32_t i) {
  return v3_norm2(view->linear[i]) == 0.0 && v3_norm2(view->angular[i]) == 0.0;
}

/* As bodies' boxes grow by their motion against the mean velocity, so do the walls. */
static double reach_of(const collide_view *view, uint32_t i, v3 mean_velocity) {
  return view->h * v3_norm(mean_velocity) + (view->extra ? view->extra[i] : 0.0);
}

broad_cavity broad_cavity_of(const collide_view *view, uint32_t container, v3 mean_velocity,
                             double skin) {
  broad_cavity c = {.still = is_container(view, container) && is_at_rest(view, container)};
  if (!c.still) return c;
  c.place = view_shape_pose(view, container);
  c.growth = reach_of(view, container, mean_velocity) + skin;
  return c;
}

bool broad_cavity_holds(const broad_cavity *c, const collide_view *view, uint32_t container,
                        v3 mean_velocity) {
  if (!c->still) return true;
  const pose p = view_shape_pose(view, container);
  const v3 x = c->place.position;
  const quat q = c->place.rotation;
  return p.position.x == x.x && p.position.y == x.y && p.position.z == x.z && p.rotation.w == q.w &&
         p.rotation.x == q.x && p.rotation.y == q.y && p.rotation.z == q.z &&
         is_at_rest(view, container) && reach_of(view, container, mean_velocity) <= c->growth;
}

static bool clears_ends(unsigned open, double half, double z, double reach) {
  return (open & SCREE_OPEN_TOP || half - z >= reach) &&
         (open & SCREE_OPEN_BOTTOM || half + z >= reach);
}

bool broad_cavity_clears(const broad_cavity *c, const broad_boxes *b, uint32_t container,
                         uint32_t body) {
  if (!c->still) return false;
  const shape *s = b->view->shape[container];
  const v3 half = v3_scale(0.5, v3_sub(b->box[body].hi, b->box[body].lo));
  const v3 x =
      pose_apply_inverse(c->place, v3_scale(0.5, v3_add(b->box[body].lo, b->box[body].hi)));
  const double ball = view_less(broad_ball(b, body), v3_norm(half));
  const double reach =
      (ball + c->growth + view_less(broad_slack(b->view, body), broad_slack(b->view, container))) *
      (1.0 + 1e-9);
  if (s->kind == SCREE_SHAPE_BOX_CONTAINER) {
    const v3 side = s->box_container.half;
    return side.x - fabs(x.x) >= reach && side.y - fabs(x.y) >= reach &&
           clears_ends(s->box_container.open, side.z, x.z, reach);
  }
  const double length = s->round_container.half;
  const double slope = 0.5 * (s->round_container.top - s->round_container.bottom) / length;
  const double radius = 0.5 * (s->round_container.top + s->round_container.bottom) + slope * x.z;
  const double away = (radius - sqrt(x.x * x.x + x.y * x.y)) / sqrt(1.0 + slope * slope);
  return away >= reach && clears_ends(s->round_container.open, length, x.z, reach);
}
