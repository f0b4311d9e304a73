/* Slider: b's anchor stays on the axis of a, and the frames stay parallel. Coordinate: the slide.
 */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  joint_hold_point(view, 0, 2, out);
  joint_hold_turn(view, out + 2);
}

static void coordinate(const joint_view *view, int k, joint_row *out) {
  (void)k;
  joint_hold_point(view, 2, 1, out);
}

const joint_class joint_slider = {.name = "slider",
                                  .held = 5,
                                  .coordinates = 1,
                                  .uses = JOINT_USES_AXIS,
                                  .rows = rows,
                                  .coordinate = coordinate,
                                  .bend = JOINT_BEND_TURN,
                                  .points = 2};
