/* Ball: the two anchors stay together, all turns are free. First coordinate: the swing, the angle
 * between the axes, s = acos(z_a . z_b), s' = (w_b - w_a) . (z_a x z_b) / |z_a x z_b|; it is never
 * below 0 and has no direction there, so it may have limits alone. Second: the twist about the axis
 * of a. */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  joint_hold_point(view, 0, 3, out);
}

static void coordinate(const joint_view *view, int k, joint_row *out) {
  if (k == 1) {
    *out = joint_angle_row(view, 0);
    return;
  }
  const v3 a = joint_axis(view->frame[FRAME_A], 2), b = joint_axis(view->frame[FRAME_B], 2);
  const v3 across = v3_cross(a, b);
  const double sine = v3_norm(across);
  const v3 d = sine > 1e-9 ? v3_scale(1.0 / sine, across) : joint_axis(view->frame[FRAME_A], 0);
  *out = joint_turn_row(FRAME_A, FRAME_B, d, atan2(sine, v3_dot(a, b)));
}

const joint_class joint_ball = {.name = "ball",
                                .held = 3,
                                .coordinates = 2,
                                .turns = {true, true},
                                .uses = JOINT_USES_AXIS,
                                .limits_only = true,
                                .angles = 1,
                                .rows = rows,
                                .coordinate = coordinate,
                                .angle = joint_twist,
                                .bend = JOINT_BEND_POINT,
                                .points = 3};
