/* Gear: the turn of b about axis_b is `ratio` times the turn of a about `axis`, both as seen from
 * the carrier c, which holds both axes: psi = turn_b - ratio turn_a. Negative: they turn against
 * each other, as wheels that touch from outside do, ratio = -teeth_a / teeth_b. Differential: the
 * carrier c turns with the mean of a and b about one axis: psi = turn_a + turn_b, seen from c. Rack
 * and pinion: b slides along axis_b by `ratio` (m/rad) times the turn of a. Cam: by lift(turn of
 * a), as a curve gives it, from the place of the start. The joints that carry the wheels are
 * others. Coordinate of these: the turn of a. Lever: b slides along axis_b by `ratio` times the
 * slide of a along `axis`; its coordinate is the slide of a. */
#include "model/joints/joints.h"

static void angle(const joint_view *view, int k, joint_row *out) {
  *out =
      k == 0 ? joint_twist_row(view, FRAME_CA, FRAME_A) : joint_twist_row(view, FRAME_CB, FRAME_B);
}

static void coordinate(const joint_view *view, int k, joint_row *out) {
  *out = joint_angle_row(view, k);
}

static void gear_rows(const joint_view *view, joint_row *out) {
  const joint_row a = joint_angle_row(view, 0);
  *out = joint_angle_row(view, 1);
  joint_row_add(out, -view->data->ratio, &a);
}

static void differential_rows(const joint_view *view, joint_row *out) {
  const joint_row a = joint_angle_row(view, 0);
  *out = joint_angle_row(view, 1);
  joint_row_add(out, 1.0, &a);
}

static void slide(const joint_view *view, joint_row *out) {
  *out = joint_point_row(view, FRAME_CB, FRAME_B, joint_axis(view->frame[FRAME_CB], 2));
}

static void rack_rows(const joint_view *view, joint_row *out) {
  const joint_row a = joint_angle_row(view, 0);
  slide(view, out);
  joint_row_add(out, -view->data->ratio, &a);
}

static void first_slide(const joint_view *view, int k, joint_row *out) {
  (void)k;
  *out = joint_point_row(view, FRAME_CA, FRAME_A, joint_axis(view->frame[FRAME_CA], 2));
}

static void lever_rows(const joint_view *view, joint_row *out) {
  joint_row a;
  first_slide(view, 0, &a);
  slide(view, out);
  joint_row_add(out, -view->data->ratio, &a);
}

static void cam_rows(const joint_view *view, joint_row *out) {
  joint_row a = joint_angle_row(view, 0);
  double lift, slope, bend, first, unused[2];
  const double start = view->data->coordinate[0].start;
  world_curve_at(view->curve, a.value + start, &lift, &slope, &bend);
  world_curve_at(view->curve, start, &first, unused, unused + 1);
  slide(view, out);
  a.value = 0.0;
  joint_row_add(out, -slope, &a);
  out->value -= lift - first;
}

#define OF_THE_TURN                                                                                \
  .held = 1, .coordinates = 1, .turns = {true}, .coordinate = coordinate, .angle = angle
const joint_class joint_gear = {.name = "gear",
                                OF_THE_TURN,
                                .angles = 2,
                                .uses = JOINT_USES_AXIS | JOINT_USES_AXIS_B | JOINT_USES_C |
                                        JOINT_USES_RATIO,
                                .rows = gear_rows};
const joint_class joint_differential = {.name = "differential",
                                        OF_THE_TURN,
                                        .angles = 2,
                                        .uses = JOINT_USES_AXIS | JOINT_USES_C,
                                        .rows = differential_rows};
const joint_class joint_rack_pinion = {.name = "rack_pinion",
                                       OF_THE_TURN,
                                       .angles = 1,
                                       .uses = JOINT_USES_AXIS | JOINT_USES_AXIS_B |
                                               JOINT_USES_ANCHOR_B | JOINT_USES_C |
                                               JOINT_USES_RATIO,
                                       .rows = rack_rows};
const joint_class joint_cam = {.name = "cam",
                               OF_THE_TURN,
                               .angles = 1,
                               .uses = JOINT_USES_AXIS | JOINT_USES_AXIS_B | JOINT_USES_ANCHOR_B |
                                       JOINT_USES_C | JOINT_USES_LIFT,
                               .rows = cam_rows};
const joint_class joint_lever = {.name = "lever",
                                 .held = 1,
                                 .coordinates = 1,
                                 .coordinate = first_slide,
                                 .uses = JOINT_USES_AXIS | JOINT_USES_AXIS_B | JOINT_USES_ANCHOR_B |
                                         JOINT_USES_C | JOINT_USES_RATIO,
                                 .rows = lever_rows};
