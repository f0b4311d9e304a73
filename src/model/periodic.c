/* The periodic box of a world; see math/periodic.h. */
#include <string.h>

#include "base/argument.h"
#include "model/world.h"
#include "shape/shape.h"

bool world_make_box(const scree_periodic_def *def, periodic *box, const char **why) {
  *box = (periodic){.flow = -1, .gradient = -1};
  *why = "sizes, centre and rates must be finite, sizes not below 0";
  bool any = false, moves = def->shear_rate != 0.0;
  if (!isfinite(def->shear_rate)) return false;
  for (int k = 0; k < 3; k++) {
    if (!isfinite(def->size[k]) || def->size[k] < 0.0 || !isfinite(def->center[k]) ||
        !isfinite(def->stretch_rate[k]))
      return false;
    any = any || def->size[k] > 0.0;
    moves = moves || def->stretch_rate[k] != 0.0;
    *why = "a direction without end has no rate of stretch";
    if (def->stretch_rate[k] != 0.0 && !(def->size[k] > 0.0)) return false;
  }
  *why = "it has rates and no size";
  if (!any) return !moves;
  memcpy(box->size, def->size, sizeof box->size);
  memcpy(box->center, def->center, sizeof box->center);
  memcpy(box->stretch, def->stretch_rate, sizeof box->stretch);
  if (def->shear_rate == 0.0) return true;
  *why = "flow and gradient of a shear are two different directions of x, y, z (0, 1, 2), both "
         "periodic";
  const int f = def->flow, g = def->gradient;
  if (f < 0 || f > 2 || g < 0 || g > 2 || f == g || !(def->size[f] > 0.0) || !(def->size[g] > 0.0))
    return false;
  box->rate = def->shear_rate;
  box->flow = f;
  box->gradient = g;
  return true;
}

bool world_box_fits(const periodic *box) {
  if (!isfinite(box->rate) || !isfinite(box->offset)) return false;
  for (int k = 0; k < 3; k++)
    if (!isfinite(box->size[k]) || box->size[k] < 0.0 || !isfinite(box->center[k]) ||
        !isfinite(box->stretch[k]))
      return false;
  if (box->flow == -1 && box->gradient == -1) return box->rate == 0.0;
  return box->flow >= 0 && box->flow < 3 && box->gradient >= 0 && box->gradient < 3 &&
         box->flow != box->gradient && box->size[box->flow] > 0.0 && box->size[box->gradient] > 0.0;
}

void scree_world_get_periodic(const scree_world *w, scree_periodic_def *out, double *offset) {
  if (offset) *offset = w ? w->box.offset : 0.0;
  if (out && !w) *out = (scree_periodic_def){0};
  if (!w) return;
  if (!out) return;
  *out = w->def.periodic;
  memcpy(out->size, w->box.size, sizeof out->size);
  memcpy(out->stretch_rate, w->box.stretch, sizeof out->stretch_rate);
  out->shear_rate = w->box.rate;
}

scree_status scree_world_set_periodic_rates(scree_world *w, double shear_rate,
                                            const double stretch_rate[3]) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && stretch_rate);
  scree_periodic_def def = w->def.periodic;
  periodic box;
  const char *why;
  def.shear_rate = shear_rate;
  memcpy(def.stretch_rate, stretch_rate, sizeof def.stretch_rate);
  if (!world_make_box(&def, &box, &why))
    return context_fail(w->context, SCREE_ERROR_ARGUMENT, "periodic box: %s", why);
  /* What was sheared keeps its offset when the shear ends. */
  if (w->box.flow >= 0 && box.flow >= 0 &&
      (box.flow != w->box.flow || box.gradient != w->box.gradient) && w->box.offset != 0.0)
    return context_fail(w->context, SCREE_ERROR_ARGUMENT,
                        "periodic box: it is sheared along another direction already");
  const periodic before = w->box;
  if (box.flow >= 0) {
    w->box.flow = box.flow;
    w->box.gradient = box.gradient;
  }
  w->box.rate = shear_rate;
  memcpy(w->box.stretch, stretch_rate, sizeof w->box.stretch);
  /* The image that is shown keeps its velocity: v + G s. */
  for (size_t i = 0; i < w->bodies.limit; i++) {
    if (!w->bodies.alive[i] || !world_is_dynamic(w, i)) continue;
    const v3 s = periodic_nearest(&before, v3_load(before.center), w->bodies.position[i]).shift;
    const v3 change = v3_sub(periodic_flow(&before, s), periodic_flow(&w->box, s));
    w->bodies.linear[i] = v3_add(w->bodies.linear[i], change);
  }
  w->def.periodic = def;
  return SCREE_OK;
}

/* ---- does everything fit? ------------------------------------------------------------------- */

static const char axis_name[] = "xyz";

/* Along one of its own axes, the other two of which it does not matter how they lie. */
static bool runs_along(pose p, int own, int k) {
  const double unit[3] = {own == 0, own == 1, own == 2};
  const v3 d = quat_rotate(p.rotation, v3_load(unit));
  const double along[3] = {fabs(d.x), fabs(d.y), fabs(d.z)};
  return along[k] > 1.0 - 1e-12;
}

/* A wall that is the same all along direction k, from image to image: no box sees its ends. */
static bool is_same_along(const scree_shape *s, pose p, int k, double least) {
  const double unit[3] = {k == 0, k == 1, k == 2};
  const v3 axis = v3_load(unit);
  const v3 half = s->kind == SCREE_SHAPE_BOX             ? s->box.half
                  : s->kind == SCREE_SHAPE_BOX_CONTAINER ? s->box_container.half
                                                         : v3_make(0, 0, 0);
  const double side[3] = {half.x, half.y, half.z};
  switch (s->kind) {
  case SCREE_SHAPE_HALF_SPACE:
    return fabs(v3_dot(quat_rotate(p.rotation, v3_make(0, 0, 1)), axis)) < 1e-9;
  case SCREE_SHAPE_BOX:
  case SCREE_SHAPE_BOX_CONTAINER:
    for (int own = 0; own < 3; own++)
      if (runs_along(p, own, k)) return 2.0 * side[own] >= least;
    return false;
  case SCREE_SHAPE_CYLINDER:
    return runs_along(p, 2, k) && 2.0 * s->cylinder.half >= least;
  case SCREE_SHAPE_ROUND_CONTAINER:
    return runs_along(p, 2, k) && s->round_container.top == s->round_container.bottom &&
           2.0 * s->round_container.half >= least;
  default:
    return false;
  }
}

static scree_status refuse_wall(const scree_world *w, size_t i, int k, double most) {
  return context_fail(w->context, SCREE_ERROR_INPUT,
                      "body %zu (%s) stands across direction %c of the periodic box: a wall there "
                      "must be the same all along it, and longer than the box by a body (a half "
                      "space, box, cylinder or container that runs along it), or smaller than half "
                      "of the box less the largest body, %g m",
                      i, scree_shape_kind_name(w->bodies.shape[i]->kind), axis_name[k], most);
}

scree_status scree_world_check_periodic(const scree_world *w) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  const world_bodies *b = &w->bodies;
  double most = 0.0;
  size_t largest = 0;
  if (!world_is_periodic(w)) return SCREE_OK;
  for (size_t i = 0; i < b->limit; i++)
    if (b->alive[i] && b->shape[i] && world_is_dynamic(w, i) && b->radius[i] > most) {
      most = b->radius[i];
      largest = i;
    }
  for (int k = 0; k < 3; k++) {
    const double size = w->box.size[k];
    if (!(size > 0.0)) continue;
    if (!(4.0 * most < size))
      return context_fail(w->context, SCREE_ERROR_INPUT,
                          "body %zu: it reaches %g m from its centre, and the periodic box has %g "
                          "m along %c; no body may be as large as half of the box",
                          largest, most, size, axis_name[k]);
    for (size_t i = 0; i < b->limit; i++) {
      if (!b->alive[i] || !b->shape[i] || world_is_dynamic(w, i)) continue;
      if (2.0 * (b->radius[i] + most) < size) continue;
      if (!is_same_along(b->shape[i], world_shape_pose(w, i), k, size + 2.0 * most))
        return refuse_wall(w, i, k, 0.5 * size - most);
      if (periodic_moves(&w->box))
        return context_fail(w->context, SCREE_ERROR_INPUT,
                            "body %zu (%s): a wall does not go with a periodic box that is sheared "
                            "or stretched; its images would part",
                            i, scree_shape_kind_name(b->shape[i]->kind));
    }
  }
  return SCREE_OK;
}
