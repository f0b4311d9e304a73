/* Planar: b's anchor stays in the plane of a, and the axes parallel. Coordinates: the slides along
 * x and y of the frame, the turn about the axis. */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  joint_hold_point(view, 2, 1, out);
  joint_hold_axis(view, out + 1);
}

static void coordinate(const joint_view *view, int k, joint_row *out) {
  if (k < 2)
    joint_hold_point(view, k, 1, out);
  else
    *out = joint_angle_row(view, 0);
}

const joint_class joint_planar = {.name = "planar",
                                  .held = 3,
                                  .coordinates = 3,
                                  .turns = {false, false, true},
                                  .uses = JOINT_USES_AXIS,
                                  .angles = 1,
                                  .rows = rows,
                                  .coordinate = coordinate,
                                  .angle = joint_twist,
                                  .bend = JOINT_BEND_AXIS,
                                  .first_point = 2,
                                  .points = 1};
