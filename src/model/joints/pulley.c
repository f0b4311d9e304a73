/* Pulley: a rope from a's anchor over two sheaves that are fixed in c to b's anchor,
 * |x_a - sheave| + ratio |x_b - sheave_b| <= length; a ratio other than 1 is a tackle. Coordinate:
 * that sum; it pulls alone. */
#include "model/joints/joints.h"

static void coordinate(const joint_view *view, int k, joint_row *out) {
  (void)k;
  const joint_row b = joint_length_row(view, FRAME_CB, FRAME_B);
  *out = joint_length_row(view, FRAME_CA, FRAME_A);
  joint_row_add(out, view->data->ratio, &b);
}

const joint_class joint_pulley = {.name = "pulley",
                                  .coordinates = 1,
                                  .uses = JOINT_USES_ANCHOR_B | JOINT_USES_C | JOINT_USES_RATIO |
                                          JOINT_USES_SHEAVES | JOINT_USES_LENGTH,
                                  .pulls = true,
                                  .coordinate = coordinate};
