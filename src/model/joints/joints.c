/* What kinds of joints share: see joints.h. */
#include "model/joints/joints.h"

#include <string.h>

#define JOINT_ENTRY(kind, symbol) [SCREE_JOINT_##kind] = &symbol,
const joint_class *const joint_classes[SCREE_JOINT_KIND_COUNT] = {JOINT_LIST(JOINT_ENTRY)};
#undef JOINT_ENTRY

#define PI 3.14159265358979323846

static int side_of(int frame) {
  return frame == FRAME_A ? SIDE_A : frame == FRAME_B ? SIDE_B : SIDE_C;
}

joint_view joint_view_of(const scree_world *world, const joint *j) {
  return joint_look_at(j, world, NULL);
}

joint_view joint_look_at(const joint *j, const scree_world *world, const pose *poses) {
  joint_view v = {.data = j};
  const int frames = joint_class_of(j)->uses & JOINT_USES_C ? JOINT_FRAMES : 2;
  if (j->curve) v.curve = &world->curve[j->curve - 1];
  for (int f = 0; f < frames; f++) {
    const int side = side_of(f);
    const uint32_t body = j->body[side];
    v.frame[f] = j->frame[f];
    if (body == WORLD_NO_BODY) continue;
    const pose at = poses ? poses[body] : world_pose(world, body);
    v.frame[f] = pose_mul(at, j->frame[f]);
    v.center[side] = at.position;
  }
  return v;
}

int joint_held_rows(const joint_view *view, joint_row *rows) {
  const joint_class *class = joint_class_of(view->data);
  if (class->rows) class->rows(view, rows);
  return class->held;
}

double joint_row_speed(const joint *j, const joint_row *row, const v3 *linear, const v3 *angular) {
  double sum = 0.0;
  for (int s = 0; s < JOINT_SIDES; s++) {
    const uint32_t i = j->body[s];
    if (i == WORLD_NO_BODY) continue;
    sum += v3_dot(row->linear[s], linear[i]) + v3_dot(row->angular[s], angular[i]);
  }
  return sum;
}

void joint_row_add(joint_row *sum, double factor, const joint_row *row) {
  for (int s = 0; s < JOINT_SIDES; s++) {
    sum->linear[s] = v3_add_scaled(sum->linear[s], factor, row->linear[s]);
    sum->angular[s] = v3_add_scaled(sum->angular[s], factor, row->angular[s]);
  }
  sum->value += factor * row->value;
}

v3 joint_axis(pose frame, int axis) {
  return quat_rotate(frame.rotation, v3_make(axis == 0, axis == 1, axis == 2));
}

joint_row joint_turn_row(int from, int to, v3 d, double value) {
  joint_row row = {.value = value, .turn = true};
  row.angular[side_of(to)] = d;
  row.angular[side_of(from)] = v3_neg(d);
  return row;
}

joint_row joint_point_row(const joint_view *v, int from, int to, v3 d) {
  const int a = side_of(from), b = side_of(to);
  const v3 point = v->frame[to].position;
  joint_row row = {.value = v3_dot(d, v3_sub(point, v->frame[from].position))};
  row.linear[b] = d;
  row.linear[a] = v3_neg(d);
  row.angular[b] = v3_cross(v3_sub(point, v->center[b]), d);
  row.angular[a] = v3_neg(v3_cross(v3_sub(point, v->center[a]), d));
  return row;
}

void joint_hold_point(const joint_view *v, int first, int count, joint_row *rows) {
  const m33 axes = quat_to_m33(v->frame[FRAME_A].rotation);
  const v3 point = v->frame[FRAME_B].position, way = v3_sub(point, v->frame[FRAME_A].position);
  const v3 arm_a = v3_sub(point, v->center[SIDE_A]), arm_b = v3_sub(point, v->center[SIDE_B]);
  for (int k = 0; k < count; k++) {
    const int c = first + k;
    const v3 d = {axes.m[0][c], axes.m[1][c], axes.m[2][c]}, none = {0.0, 0.0, 0.0};
    rows[k] = (joint_row){.linear = {v3_neg(d), d, none},
                          .angular = {v3_cross(d, arm_a), v3_cross(arm_b, d), none},
                          .value = v3_dot(d, way)};
  }
}

/* q: frame b seen from frame a, with w >= 0; psi = 2 (x, y, z), whose derivative is
 * e_k . (w_q omega + omega x v) = omega . (w_q e_k + v x e_k), omega in the frame of a. */
void joint_hold_turn(const joint_view *v, joint_row *rows) {
  const quat a = v->frame[FRAME_A].rotation,
             turn = quat_mul(quat_conj(a), v->frame[FRAME_B].rotation);
  const double sign = turn.w < 0.0 ? -1.0 : 1.0, w = sign * turn.w;
  const v3 x = v3_scale(sign, v3_make(turn.x, turn.y, turn.z));
  const double value[3] = {2.0 * x.x, 2.0 * x.y, 2.0 * x.z};
  for (int k = 0; k < 3; k++) {
    const v3 e = {k == 0, k == 1, k == 2};
    const v3 d = quat_rotate(a, v3_add(v3_scale(w, e), v3_cross(x, e)));
    rows[k] = joint_turn_row(FRAME_A, FRAME_B, d, value[k]);
  }
}

/* psi = -y_a . z_b and x_a . z_b, the parts of z_a x z_b across z_a. */
void joint_hold_axis(const joint_view *v, joint_row *rows) {
  const v3 x = joint_axis(v->frame[FRAME_A], 0), y = joint_axis(v->frame[FRAME_A], 1);
  const v3 z = joint_axis(v->frame[FRAME_B], 2);
  rows[0] = joint_turn_row(FRAME_A, FRAME_B, v3_cross(y, z), -v3_dot(y, z));
  rows[1] = joint_turn_row(FRAME_A, FRAME_B, v3_cross(z, x), v3_dot(x, z));
}

/* The twist of q = (w, x, y, z) about z is 2 atan2(z, w). With q' = omega q / 2:
 *   omega_z + (omega_x (w y + z x) + omega_y (z y - w x)) / (w^2 + z^2) */
joint_row joint_twist_row(const joint_view *v, int from, int to) {
  const quat a = v->frame[from].rotation, q = quat_mul(quat_conj(a), v->frame[to].rotation);
  const double size = q.w * q.w + q.z * q.z, f = size > 1e-12 ? 1.0 / size : 0.0;
  const v3 d = {f * (q.w * q.y + q.z * q.x), f * (q.z * q.y - q.w * q.x), 1.0};
  double angle = 2.0 * atan2(q.z, q.w);
  if (angle > PI) angle -= 2.0 * PI;
  if (angle <= -PI) angle += 2.0 * PI;
  return joint_turn_row(from, to, quat_rotate(a, d), angle);
}

void joint_twist(const joint_view *view, int k, joint_row *out) {
  (void)k;
  *out = joint_twist_row(view, FRAME_A, FRAME_B);
}

/* |x| and its direction; where it is 0 any direction will do, and z is taken. */
joint_row joint_length_row(const joint_view *v, int from, int to) {
  const int a = side_of(from), b = side_of(to);
  const v3 apart = v3_sub(v->frame[to].position, v->frame[from].position);
  const double length = v3_norm(apart);
  const v3 d = length > 1e-12 ? v3_scale(1.0 / length, apart) : joint_axis(v->frame[from], 2);
  joint_row row = {.value = length};
  row.linear[b] = d;
  row.linear[a] = v3_neg(d);
  row.angular[b] = v3_cross(v3_sub(v->frame[to].position, v->center[b]), d);
  row.angular[a] = v3_neg(v3_cross(v3_sub(v->frame[from].position, v->center[a]), d));
  return row;
}

joint_row joint_angle_row(const joint_view *view, int k) {
  joint_row row;
  joint_class_of(view->data)->angle(view, k, &row);
  row.value += 2.0 * PI * round((view->data->angle[k] - row.value) / (2.0 * PI));
  return row;
}

joint_row joint_coordinate_row(const joint_view *view, int k) {
  joint_row row;
  joint_class_of(view->data)->coordinate(view, k, &row);
  row.value += view->data->coordinate[k].start;
  return row;
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool is_kind(scree_joint_kind kind) {
  return (int)kind >= 0 && kind < SCREE_JOINT_KIND_COUNT;
}

const char *scree_joint_kind_name(scree_joint_kind kind) {
  return is_kind(kind) ? joint_classes[kind]->name : NULL;
}

int scree_joint_kind_coordinates(scree_joint_kind kind) {
  return is_kind(kind) ? joint_classes[kind]->coordinates : 0;
}

bool scree_joint_kind_turns(scree_joint_kind kind, int k) {
  return is_kind(kind) && k >= 0 && k < joint_classes[kind]->coordinates &&
         joint_classes[kind]->turns[k];
}
