/* Fixed: the two frames stay together. */
#include "assemble/joints.h"

static int rows(const joint_view *view, joint_row *out) {
  const int n = joint_hold_point(view, 0, 3, out);
  return n + joint_hold_turn(view, out + n);
}

const joint_class joint_fixed = {.name = "fixed", .rows = rows};
