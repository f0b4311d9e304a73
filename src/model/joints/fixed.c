/* Fixed: the two frames stay together. */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  joint_hold_point(view, 0, 3, out);
  joint_hold_turn(view, out + 3);
}

const joint_class joint_fixed = {
    .name = "fixed", .held = 6, .rows = rows, .bend = JOINT_BEND_TURN, .points = 3};
