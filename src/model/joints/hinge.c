/* Hinge: the anchors stay together and the axes parallel. Coordinate: the turn about the axis. */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  joint_hold_point(view, 0, 3, out);
  joint_hold_axis(view, out + 3);
}

static void coordinate(const joint_view *view, int k, joint_row *out) {
  *out = joint_angle_row(view, k);
}

const joint_class joint_hinge = {.name = "hinge",
                                 .held = 5,
                                 .coordinates = 1,
                                 .turns = {true},
                                 .uses = JOINT_USES_AXIS,
                                 .angles = 1,
                                 .rows = rows,
                                 .coordinate = coordinate,
                                 .angle = joint_twist,
                                 .bend = JOINT_BEND_AXIS,
                                 .points = 3};
