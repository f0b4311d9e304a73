/* Cylindrical: b's anchor stays on the axis of a, and the axes parallel. Coordinates: the slide
 * along the axis, the turn about it. */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  joint_hold_point(view, 0, 2, out);
  joint_hold_axis(view, out + 2);
}

static void coordinate(const joint_view *view, int k, joint_row *out) {
  if (k == 0)
    joint_hold_point(view, 2, 1, out);
  else
    *out = joint_angle_row(view, 0);
}

const joint_class joint_cylindrical = {.name = "cylindrical",
                                       .held = 4,
                                       .coordinates = 2,
                                       .turns = {false, true},
                                       .uses = JOINT_USES_AXIS,
                                       .angles = 1,
                                       .rows = rows,
                                       .coordinate = coordinate,
                                       .angle = joint_twist,
                                       .bend = JOINT_BEND_AXIS,
                                       .points = 2};
