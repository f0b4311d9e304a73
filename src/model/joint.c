/* Joints' data: two frames, one fixed in each body, that coincide when the joint is made. Their
 * rows in the cone problem are made elsewhere. */
#include "model/world.h"

#include <stdlib.h>

#include "base/argument.h"

scree_joint_def scree_joint_def_default(void) {
  return (scree_joint_def){
      .kind = SCREE_JOINT_BALL, .axis = {0.0, 0.0, 1.0}, .motor_limit = INFINITY};
}

static scree_status check_motor(scree_context *context, scree_joint_kind kind,
                                scree_motor_kind motor, double value, double limit) {
  if ((int)motor < 0 || motor > SCREE_MOTOR_TORQUE)
    return context_fail(context, SCREE_ERROR_INPUT, "joint: there is no motor kind %d", (int)motor);
  if (motor != SCREE_MOTOR_NONE && kind != SCREE_JOINT_HINGE && kind != SCREE_JOINT_SLIDER)
    return context_fail(context, SCREE_ERROR_INPUT, "joint: only a hinge or a slider has a motor");
  if (!isfinite(value) || !(limit >= 0.0))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "joint: a motor's value must be finite, its limit not negative");
  return SCREE_OK;
}

static scree_status check_def(const scree_world *w, const scree_joint_def *d) {
  scree_context *context = w->context;
  const v3 axis = v3_load(d->axis), anchor = v3_load(d->anchor);
  if ((int)d->kind < 0 || d->kind >= SCREE_JOINT_KIND_COUNT)
    return context_fail(context, SCREE_ERROR_INPUT, "joint: there is no kind %d", (int)d->kind);
  if (!(v3_norm2(axis) > 1e-24) || !isfinite(v3_norm2(axis)) || !isfinite(v3_norm2(anchor)))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "joint: anchor and axis must be finite, the axis not of length 0");
  if (!(d->compliance >= 0.0) || isinf(d->compliance))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "joint: compliance %g must be finite and not negative", d->compliance);
  return check_motor(context, d->kind, d->motor, d->motor_value, d->motor_limit);
}

/* A null id is the world. */
static scree_status find_side(const scree_world *w, scree_body_id id, uint32_t *body) {
  *body = WORLD_NO_BODY;
  if (id.index == 0 && id.generation == 0) return SCREE_OK;
  *body = world_find_body(w, id);
  return *body == WORLD_NO_BODY ? SCREE_ERROR_ARGUMENT : SCREE_OK;
}

static pose side_frame(const scree_world *w, uint32_t body, pose frame) {
  return body == WORLD_NO_BODY ? frame : pose_mul(pose_inverse(world_pose(w, body)), frame);
}

/* The turn that takes z to a unit vector. */
static quat turn_to(v3 axis) {
  if (axis.z < -0.9999999) return (quat){0.0, 1.0, 0.0, 0.0};
  const v3 cross = v3_cross(v3_make(0, 0, 1), axis);
  return quat_normalize((quat){1.0 + axis.z, cross.x, cross.y, cross.z});
}

static int compare_pairs(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static scree_status exclude(scree_world *w, uint64_t a, uint64_t b) {
  if (a == WORLD_NO_BODY || b == WORLD_NO_BODY) return SCREE_OK;
  if (memory_grow(w->context, &w->excluded, &w->excluded_capacity, w->excluded_count + 1,
                  sizeof *w->excluded))
    return SCREE_ERROR_MEMORY;
  w->excluded[w->excluded_count++] = a < b ? a << 32 | b : b << 32 | a;
  return SCREE_OK;
}

/* Bodies of one joint, or of one element of a flexible part. */
scree_status world_list_excluded(scree_world *w) {
  scree_status status = SCREE_OK;
  w->excluded_count = 0;
  for (size_t i = 0; i < w->joint_limit && !status; i++) {
    const joint *j = &w->joint[i];
    if (j->alive && !j->collide) status = exclude(w, j->body_a, j->body_b);
  }
  for (size_t i = 0; i < w->link_limit; i++) {
    const world_link *l = &w->link[i];
    if (!l->alive || (l->kind != SCREE_LINK_BEAM && l->kind != SCREE_LINK_TETRAHEDRON)) continue;
    for (uint32_t k = 0; k < l->body_count; k++)
      for (uint32_t m = 0; m < k && !status; m++) status = exclude(w, l->body[k], l->body[m]);
  }
  if (w->excluded_count) qsort(w->excluded, w->excluded_count, sizeof *w->excluded, compare_pairs);
  return status;
}

static size_t free_place(const scree_world *w) {
  if (w->joint_count == w->joint_limit) return w->joint_limit;
  size_t i = 0;
  while (w->joint[i].alive) i++;
  return i;
}

scree_status scree_world_add_joint(scree_world *w, const scree_joint_def *d, scree_joint_id *id) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && d);
  uint32_t a, b;
  const scree_status status = check_def(w, d);
  if (status) return status;
  if (find_side(w, d->body_a, &a) || find_side(w, d->body_b, &b)) return SCREE_ERROR_ARGUMENT;
  if (a == b)
    return context_fail(w->context, SCREE_ERROR_INPUT, "joint: it must join two different bodies");
  const size_t i = free_place(w);
  if (memory_grow(w->context, &w->joint, &w->joint_capacity, i + 1, sizeof *w->joint))
    return SCREE_ERROR_MEMORY;
  const pose frame = {v3_load(d->anchor), turn_to(v3_normalize(v3_load(d->axis)))};
  joint *j = &w->joint[i];
  *j = (joint){.kind = d->kind,
               .motor = d->motor,
               .body_a = a,
               .body_b = b,
               .generation = j->generation + 1,
               .alive = 1,
               .collide = d->collide,
               .frame_a = side_frame(w, a, frame),
               .frame_b = side_frame(w, b, frame),
               .motor_value = d->motor_value,
               .motor_limit = d->motor_limit,
               .compliance = d->compliance};
  if (i == w->joint_limit) w->joint_limit++;
  w->joint_count++;
  w->revision++;
  if (id) *id = (scree_joint_id){(uint32_t)i, j->generation};
  return world_list_excluded(w);
}

bool scree_joint_is_valid(const scree_world *w, scree_joint_id id) {
  return id.index < w->joint_limit && w->joint[id.index].alive &&
         w->joint[id.index].generation == id.generation;
}

static joint *find_joint(const scree_world *w, scree_joint_id id) {
  if (scree_joint_is_valid(w, id)) return &w->joint[id.index];
  context_fail(w->context, SCREE_ERROR_ARGUMENT, "world: there is no joint %u (generation %u)",
               id.index, id.generation);
  return NULL;
}

void world_remove_joint_at(scree_world *w, size_t i) {
  w->joint[i].alive = 0;
  w->joint_count--;
  w->revision++;
}

scree_status scree_world_remove_joint(scree_world *w, scree_joint_id id) {
  if (!find_joint(w, id)) return SCREE_ERROR_ARGUMENT;
  world_remove_joint_at(w, id.index);
  return world_list_excluded(w);
}

size_t scree_world_joint_count(const scree_world *w) {
  return w->joint_count;
}

size_t scree_world_joint_limit(const scree_world *w) {
  return w->joint_limit;
}

scree_joint_id scree_world_joint_at(const scree_world *w, size_t i) {
  if (i >= w->joint_limit || !w->joint[i].alive) return (scree_joint_id){0, 0};
  return (scree_joint_id){(uint32_t)i, w->joint[i].generation};
}

scree_status scree_joint_set_motor(scree_world *w, scree_joint_id id, scree_motor_kind motor,
                                   double value, double limit) {
  joint *j = find_joint(w, id);
  if (!j) return SCREE_ERROR_ARGUMENT;
  const scree_status status = check_motor(w->context, j->kind, motor, value, limit);
  if (status) return status;
  const double before = j->motor == SCREE_MOTOR_TORQUE ? j->motor_value
                        : j->motor == SCREE_MOTOR_SPEED && j->step > 0.0
                            ? j->motor_impulse / j->step
                            : 0.0;
  if (motor != SCREE_MOTOR_SPEED)
    world_change_motor(w, j, (motor == SCREE_MOTOR_TORQUE ? value : 0.0) - before);
  j->motor = motor;
  j->motor_value = value;
  j->motor_limit = limit;
  return SCREE_OK;
}

/* ---- state ---------------------------------------------------------------------------------- */

typedef struct joint_side {
  pose frame;
  v3 velocity, angular; /* of the frame's origin */
} joint_side;

static joint_side side_of(const scree_world *w, uint32_t body, pose frame) {
  if (body == WORLD_NO_BODY) return (joint_side){frame, {0, 0, 0}, {0, 0, 0}};
  joint_side s = {.frame = pose_mul(world_pose(w, body), frame), .angular = world_angular(w, body)};
  const v3 arm = v3_sub(s.frame.position, w->bodies.position[body]);
  s.velocity = v3_add(world_linear(w, body), v3_cross(s.angular, arm));
  return s;
}

scree_status scree_joint_get_state(const scree_world *w, scree_joint_id id,
                                   scree_joint_state *state) {
  const joint *j = find_joint(w, id);
  if (!j) return SCREE_ERROR_ARGUMENT;
  const joint_side a = side_of(w, j->body_a, j->frame_a), b = side_of(w, j->body_b, j->frame_b);
  const v3 apart = v3_sub(b.frame.position, a.frame.position);
  const v3 axis = quat_rotate(a.frame.rotation, v3_make(0, 0, 1));
  const v3 turn = world_rotation_vector(quat_mul(quat_conj(a.frame.rotation), b.frame.rotation));
  const double scale = j->step > 0.0 ? 1.0 / j->step : 0.0, along = v3_dot(apart, axis);
  *state = (scree_joint_state){.motor = scale * j->motor_impulse, .error = v3_norm(apart)};
  if (j->motor == SCREE_MOTOR_TORQUE) state->motor = j->motor_value;
  v3_store(state->force, v3_scale(scale, j->impulse));
  v3_store(state->torque, v3_scale(scale, j->moment));
  if (j->kind == SCREE_JOINT_HINGE) {
    state->position = turn.z;
    state->speed = v3_dot(axis, v3_sub(b.angular, a.angular));
    state->angle_error = hypot(turn.x, turn.y);
  } else if (j->kind == SCREE_JOINT_SLIDER) {
    const v3 lever = v3_cross(a.angular, apart);
    state->position = along;
    state->speed = v3_dot(axis, v3_sub(v3_sub(b.velocity, a.velocity), lever));
    state->error = v3_norm(v3_add_scaled(apart, -along, axis));
    state->angle_error = v3_norm(turn);
  } else if (j->kind == SCREE_JOINT_FIXED) {
    state->angle_error = v3_norm(turn);
  }
  return SCREE_OK;
}
