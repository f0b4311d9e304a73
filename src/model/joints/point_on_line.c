/* Point on line: b's anchor stays on the axis of a; all turns are free. Coordinate: the slide. */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  joint_hold_point(view, 0, 2, out);
}

static void coordinate(const joint_view *view, int k, joint_row *out) {
  (void)k;
  joint_hold_point(view, 2, 1, out);
}

const joint_class joint_point_on_line = {.name = "point_on_line",
                                         .held = 2,
                                         .coordinates = 1,
                                         .uses = JOINT_USES_AXIS,
                                         .rows = rows,
                                         .coordinate = coordinate,
                                         .bend = JOINT_BEND_POINT,
                                         .points = 2};
