/* What joint types share. */
#include "assemble/joints.h"

#define JOINT_ENTRY(kind, symbol) [SCREE_JOINT_##kind] = &symbol,
const joint_class *const joint_classes[SCREE_JOINT_KIND_COUNT] = {JOINT_LIST(JOINT_ENTRY)};
#undef JOINT_ENTRY

static void look_side(const scree_world *world, uint32_t body, pose local, pose *frame,
                      v3 *center) {
  *frame = local;
  *center = v3_make(0, 0, 0);
  if (body == WORLD_NO_BODY) return;
  *frame = pose_mul(world_pose(world, body), local);
  *center = world->bodies.position[body];
}

joint_view joint_look(const scree_world *world, const joint *j) {
  joint_view v = {.data = j};
  look_side(world, j->body_a, j->frame_a, &v.a, &v.center_a);
  look_side(world, j->body_b, j->frame_b, &v.b, &v.center_b);
  return v;
}

v3 joint_axis(pose frame, int axis) {
  return quat_rotate(frame.rotation, v3_make(axis == 0, axis == 1, axis == 2));
}

/* Directions are fixed in a, so the arm of a reaches to b's point: that is the derivative. */
int joint_hold_point(const joint_view *v, int first, int count, joint_row *rows) {
  const v3 apart = v3_sub(v->b.position, v->a.position);
  for (int k = 0; k < count; k++) {
    const v3 d = joint_axis(v->a, first + k);
    rows[k] = (joint_row){.direction = d,
                          .arm_a = v3_sub(v->b.position, v->center_a),
                          .arm_b = v3_sub(v->b.position, v->center_b),
                          .error = v3_dot(d, apart)};
  }
  return count;
}

int joint_hold_turn(const joint_view *v, joint_row *rows) {
  const v3 turn = world_rotation_vector(quat_mul(v->b.rotation, quat_conj(v->a.rotation)));
  for (int k = 0; k < 3; k++) {
    const v3 d = joint_axis(v->a, k);
    rows[k] = (joint_row){.angular = true, .direction = d, .error = v3_dot(d, turn)};
  }
  return 3;
}
