/* Joints against the poses in which they are made, or were put together: lengths, limits, the place
 * on a curve. */
#include "model/joints/joints.h"

static const double on_curve = 1e-3; /* of its length, that a point may be away at the start */

#define REFUSE(...) return context_fail(context, SCREE_ERROR_INPUT, __VA_ARGS__)

/* Finds the curve's nearest point from all its knots; returns how far that is. */
static double find_along(const joint_view *view, joint *j) {
  const world_curve *c = view->curve;
  const v3 x = pose_apply_inverse(view->frame[FRAME_A], view->frame[FRAME_B].position);
  double best = INFINITY, value[3], unused[6];
  for (size_t i = 0; i < c->count; i++) {
    const double s = world_curve_nearest(c, x, c->knot[i]);
    world_curve_at(c, s, value, unused, unused + 3);
    const double far = v3_norm(v3_sub(v3_load(value), x));
    if (far < best) {
      best = far;
      j->along = s;
    }
  }
  return best;
}

/* Limits and places against the poses at hand. */
static scree_status check_start(const scree_world *w, joint *j) {
  scree_context *context = w->context;
  const joint_class *class = joint_class_of(j);
  const joint_view view = joint_view_of(w, j);
  const world_curve *path = class->uses & JOINT_USES_PATH ? view.curve : NULL;
  const double away = path ? find_along(&view, j) : 0.0;
  if (path && !(away <= on_curve * (path->knot[path->count - 1] - path->knot[0])))
    REFUSE("joint: its point is %g m away from the curve", away);
  for (int k = 0; k < class->coordinates; k++) {
    const joint_coordinate *c = &j->coordinate[k];
    const double q = joint_coordinate_row(&view, k).value, slack = 1e-9 * (1.0 + fabs(q));
    if (q < c->limits[0] - slack || q > c->limits[1] + slack)
      REFUSE("joint: its coordinate is %g at the start, outside of its limits %g … %g; see `start`",
             q, c->limits[0], c->limits[1]);
  }
  return SCREE_OK;
}

/* Kinds whose turn is free: it is 0, or `start`, where the bodies are put together. */
static bool has_free_turn(const joint *j) {
  return j->kind == SCREE_JOINT_HINGE || j->kind == SCREE_JOINT_CYLINDRICAL ||
         j->kind == SCREE_JOINT_PLANAR || j->kind == SCREE_JOINT_PARALLEL;
}

scree_status world_begin_joints(scree_world *w, scree_joint_id *which) {
  for (size_t k = 0; k < w->joint_limit; k++) {
    joint *j = &w->joint[k];
    if (!j->alive || !j->apart) continue;
    j->apart = 0;
    if (has_free_turn(j)) {
      const joint_view view = joint_view_of(w, j);
      const pose together = {view.frame[FRAME_B].position, view.frame[FRAME_A].rotation};
      const uint32_t b = j->body[SIDE_B];
      j->frame[FRAME_B] =
          b == WORLD_NO_BODY ? together : pose_mul(pose_inverse(world_pose(w, b)), together);
    }
    *which = (scree_joint_id){(uint32_t)k, j->generation};
    const scree_status status = check_start(w, j);
    if (status) return status;
  }
  return SCREE_OK;
}

/* Lengths, and where the joint is not `apart` limits, in the poses in which it is made. */
scree_status joint_begin(const scree_world *w, const scree_joint_def *d, joint *j) {
  scree_context *context = w->context;
  const joint_class *class = joint_class_of(j);
  const joint_view view = joint_view_of(w, j);
  if (class->uses & JOINT_USES_PATH) find_along(&view, j);
  const bool length = class->uses & JOINT_USES_LENGTH;
  joint_row row = {.value = 0.0};
  if (length && class->held) row = joint_length_row(&view, FRAME_A, FRAME_B);
  if (length && class->pulls) row = joint_coordinate_row(&view, 0);
  if (length) j->length = isfinite(d->length) ? d->length : row.value;
  if (length && !(j->length > 0.0))
    REFUSE("joint: the length %g of a %s must be above 0", j->length, class->name);
  if (length && fabs(row.value - j->length) > 1e-3 * j->length && class->held && !d->apart)
    REFUSE("joint: its anchors are %g m apart, not %g m", row.value, j->length);
  if (class->limits_only && j->coordinate[0].limits[0] <= 0.0)
    j->coordinate[0].limits[0] = -INFINITY;
  if (class->pulls) j->coordinate[0].limits[1] = fmin(j->coordinate[0].limits[1], j->length);
  for (int k = 0; k < class->coordinates; k++)
    if ((class->pulls || class == &joint_strut) && j->coordinate[k].start != 0.0)
      REFUSE("joint: the coordinate of a %s is a length, which needs no start", class->name);
  return d->apart ? SCREE_OK : check_start(w, j);
}
