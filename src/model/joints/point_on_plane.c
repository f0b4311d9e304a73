/* Point on plane: b's anchor stays in the plane of a across its axis. Coordinates: the slides along
 * x and y of the frame. */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  joint_hold_point(view, 2, 1, out);
}

static void coordinate(const joint_view *view, int k, joint_row *out) {
  joint_hold_point(view, k, 1, out);
}

const joint_class joint_point_on_plane = {.name = "point_on_plane",
                                          .held = 1,
                                          .coordinates = 2,
                                          .uses = JOINT_USES_AXIS,
                                          .rows = rows,
                                          .coordinate = coordinate,
                                          .bend = JOINT_BEND_POINT,
                                          .first_point = 2,
                                          .points = 1};
