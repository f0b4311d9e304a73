/* Parallel: the axes stay parallel; places are free. Coordinate: the turn about the axis. */
#include "model/joints/joints.h"

static void coordinate(const joint_view *view, int k, joint_row *out) {
  *out = joint_angle_row(view, k);
}

const joint_class joint_parallel = {.name = "parallel",
                                    .held = 2,
                                    .coordinates = 1,
                                    .turns = {true},
                                    .uses = JOINT_USES_AXIS,
                                    .angles = 1,
                                    .rows = joint_hold_axis,
                                    .coordinate = coordinate,
                                    .angle = joint_twist,
                                    .bend = JOINT_BEND_AXIS};
