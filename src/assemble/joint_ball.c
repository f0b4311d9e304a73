/* Ball: the two anchors stay together, all turns are free. */
#include "assemble/joints.h"

static int rows(const joint_view *view, joint_row *out) {
  return joint_hold_point(view, 0, 3, out);
}

const joint_class joint_ball = {.name = "ball", .rows = rows};
