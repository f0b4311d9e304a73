/* Point on curve: b's anchor x stays on a path p(s) that is fixed in a; all turns are free. s is
 * that of the nearest point, (x - p) . p' = 0, so that s moves nothing to first order:
 * psi = n_k . (x - p), n_k across the path. */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  const pose frame = view->frame[FRAME_A];
  const v3 x = pose_apply_inverse(frame, view->frame[FRAME_B].position);
  const double s = world_curve_nearest(view->curve, x, view->data->along);
  double value[3], slope[3], bend[3];
  world_curve_at(view->curve, s, value, slope, bend);
  const v3 t = v3_load(slope), apart = v3_sub(x, v3_load(value));
  const double speed = v3_norm(t);
  const v3 along = speed > 0.0 ? v3_scale(1.0 / speed, t) : v3_make(0, 0, 1);
  const v3 first = v3_across(along), n[2] = {first, v3_cross(along, first)};
  for (int k = 0; k < 2; k++) {
    out[k] = joint_point_row(view, FRAME_A, FRAME_B, quat_rotate(frame.rotation, n[k]));
    out[k].value = v3_dot(n[k], apart);
  }
}

const joint_class joint_point_on_curve = {.name = "point_on_curve",
                                          .held = 2,
                                          .uses = JOINT_USES_ANCHOR_B | JOINT_USES_PATH,
                                          .rows = rows};
