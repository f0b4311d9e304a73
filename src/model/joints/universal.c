/* Universal (Cardan): the anchors stay together and the axis of a stays across the axis of b, the
 * two bars of its cross: z_a . z_b = 0. The frames are made so that x_a = z_b and x_b = z_a at the
 * start. Coordinates: the turn of the cross about the axis of a, where z_b stands in a's plane,
 * atan2(z_b . y_a, z_b . x_a); the turn of b about its axis against the cross,
 * -atan2(z_a . y_b, z_a . x_b). */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  const v3 a = joint_axis(view->frame[FRAME_A], 2), b = joint_axis(view->frame[FRAME_B], 2);
  joint_hold_point(view, 0, 3, out);
  out[3] = joint_turn_row(FRAME_A, FRAME_B, v3_cross(b, a), v3_dot(a, b));
}

static void angle(const joint_view *view, int k, joint_row *out) {
  const pose own = view->frame[k == 0 ? FRAME_A : FRAME_B];
  const v3 z = joint_axis(view->frame[k == 0 ? FRAME_B : FRAME_A], 2);
  const v3 x = joint_axis(own, 0), y = joint_axis(own, 1);
  const double c = v3_dot(z, x), s = v3_dot(z, y), size = c * c + s * s;
  const v3 d = v3_sub(v3_scale(c, v3_cross(z, y)), v3_scale(s, v3_cross(z, x)));
  const double angle = atan2(s, c);
  *out = joint_turn_row(FRAME_A, FRAME_B, v3_scale(size > 1e-12 ? 1.0 / size : 0.0, d),
                        k == 0 ? angle : -angle);
}

static void coordinate(const joint_view *view, int k, joint_row *out) {
  *out = joint_angle_row(view, k);
}

const joint_class joint_universal = {.name = "universal",
                                     .held = 4,
                                     .coordinates = 2,
                                     .turns = {true, true},
                                     .uses = JOINT_USES_AXIS | JOINT_USES_AXIS_B,
                                     .angles = 2,
                                     .rows = rows,
                                     .coordinate = coordinate,
                                     .angle = angle};
