/* Screw: a cylindrical joint whose slide follows its turn, slide = pitch / (2 pi) turn (`ratio` is
 * kept in m per radian). Coordinate: the turn. */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  const joint_row turn = joint_angle_row(view, 0);
  joint_hold_point(view, 0, 3, out);
  joint_row_add(&out[2], -view->data->ratio, &turn);
  joint_hold_axis(view, out + 3);
}

static void coordinate(const joint_view *view, int k, joint_row *out) {
  *out = joint_angle_row(view, k);
}

const joint_class joint_screw = {.name = "screw",
                                 .held = 5,
                                 .coordinates = 1,
                                 .turns = {true},
                                 .uses = JOINT_USES_AXIS | JOINT_USES_PITCH,
                                 .angles = 1,
                                 .rows = rows,
                                 .coordinate = coordinate,
                                 .angle = joint_twist};
