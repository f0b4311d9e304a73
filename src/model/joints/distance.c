/* Distance: that of the two anchors stays `length`; rope: it is at most `length`; strut: it is
 * free, a coordinate for springs, dampers and drives between two points. */
#include "model/joints/joints.h"

static void rows(const joint_view *view, joint_row *out) {
  *out = joint_length_row(view, FRAME_A, FRAME_B);
  out->value -= view->data->length;
}

static void coordinate(const joint_view *view, int k, joint_row *out) {
  (void)k;
  *out = joint_length_row(view, FRAME_A, FRAME_B);
}

const joint_class joint_distance = {
    .name = "distance", .held = 1, .uses = JOINT_USES_ANCHOR_B | JOINT_USES_LENGTH, .rows = rows};

const joint_class joint_rope = {.name = "rope",
                                .coordinates = 1,
                                .uses = JOINT_USES_ANCHOR_B | JOINT_USES_LENGTH,
                                .pulls = true,
                                .coordinate = coordinate};

const joint_class joint_strut = {
    .name = "strut", .coordinates = 1, .uses = JOINT_USES_ANCHOR_B, .coordinate = coordinate};
