/* Slider: b's anchor stays on the axis of a, and the frames stay parallel. */
#include "assemble/joints.h"

static int rows(const joint_view *view, joint_row *out) {
  const int n = joint_hold_point(view, 0, 2, out);
  return n + joint_hold_turn(view, out + n);
}

static joint_row motor(const joint_view *view) {
  joint_row row;
  joint_hold_point(view, 2, 1, &row);
  return row;
}

const joint_class joint_slider = {.name = "slider", .rows = rows, .motor = motor};
