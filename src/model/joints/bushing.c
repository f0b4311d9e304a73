/* Bushing: six springs and dampers along and about the axes of a's frame; what is held of them, and
 * how much, is in the springs' compliance (assemble/joints/blocks.c). The turns are 2 (x, y, z) of
 * the quaternion, the rotation vector for small ones. */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  joint_hold_point(view, 0, 3, out);
  joint_hold_turn(view, out + 3);
}

const joint_class joint_bushing = {
    .name = "bushing", .held = 6, .uses = JOINT_USES_AXIS | JOINT_USES_STIFFNESS, .rows = rows};
