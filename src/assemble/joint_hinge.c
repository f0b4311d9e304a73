/* Hinge: the anchors stay together and the axes parallel: z_a x z_b has no part across z_a. */
#include "assemble/joints.h"

static int rows(const joint_view *view, joint_row *out) {
  const int n = joint_hold_point(view, 0, 3, out);
  const v3 tilt = v3_cross(joint_axis(view->a, 2), joint_axis(view->b, 2));
  for (int k = 0; k < 2; k++) {
    const v3 d = joint_axis(view->a, k);
    out[n + k] = (joint_row){.angular = true, .direction = d, .error = v3_dot(d, tilt)};
  }
  return n + 2;
}

static joint_row motor(const joint_view *view) {
  return (joint_row){.angular = true, .direction = joint_axis(view->a, 2)};
}

const joint_class joint_hinge = {.name = "hinge", .rows = rows, .motor = motor};
