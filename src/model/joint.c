/* Joints' data: frames that are fixed in the bodies and stand together when the joint is made, and
 * what its coordinates have. Kinematics: joints/joints.h; rows in the cone problem: elsewhere. */
#include "model/joints/joints.h"

#include <stdlib.h>
#include <string.h>

#include "base/argument.h"
#include "base/definition.h"
#include "base/search.h"
#include "model/link/link.h"

static const double square_enough =
    1e-6; /* cosine of the angle between two axes that count as square */

scree_joint_def scree_joint_def_default(void) {
  scree_joint_def d = {.cookie = DEFINITION_COOKIE,
                       .kind = SCREE_JOINT_BALL,
                       .anchor_b = {NAN, NAN, NAN},
                       .axis = {0.0, 0.0, 1.0},
                       .ratio = 1.0,
                       .length = NAN,
                       .break_force = INFINITY,
                       .break_torque = INFINITY};
  for (int k = 0; k < SCREE_JOINT_COORDINATES; k++)
    d.coordinate[k] =
        (scree_coordinate_def){.limits = {-INFINITY, INFINITY}, .motor_limit = INFINITY};
  return d;
}

/* ---- checks --------------------------------------------------------------------------------- */

#define REFUSE(...) return context_fail(context, SCREE_ERROR_INPUT, __VA_ARGS__)

static bool not_negative(double x) {
  return x >= 0.0 && isfinite(x);
}

static scree_status check_motor(scree_context *context, const joint_class *class, int k,
                                const scree_coordinate_def *c) {
  if ((int)c->motor < 0 || c->motor > SCREE_MOTOR_POSITION)
    REFUSE("joint: there is no motor kind %d", (int)c->motor);
  if (c->motor == SCREE_MOTOR_NONE) return SCREE_OK;
  if (k >= class->coordinates || (k == 0 && class->limits_only))
    REFUSE("joint: a %s has nothing there that a motor could drive", class->name);
  if (!isfinite(c->motor_value) || !isfinite(c->motor_rate) || !(c->motor_limit >= 0.0))
    REFUSE("joint: a motor's value must be finite, its limit not negative");
  if (!not_negative(c->motor_stiffness) || !not_negative(c->motor_damping))
    REFUSE("joint: a motor's stiffness and damping must be finite and not negative");
  const bool rigid = c->motor_stiffness == 0.0 && c->motor_damping == 0.0;
  if (c->motor == SCREE_MOTOR_POSITION && c->motor_stiffness == 0.0 && !rigid)
    REFUSE("joint: a position motor with damping needs a stiffness");
  if (c->motor == SCREE_MOTOR_POSITION && rigid && isinf(c->motor_limit) && c->motor_rate == 0.0 &&
      !(c->motor_value >= c->limits[0] && c->motor_value <= c->limits[1]))
    REFUSE("joint: a rigid motor without limit cannot hold %g, outside of the limits %g … %g",
           c->motor_value, c->limits[0], c->limits[1]);
  return SCREE_OK;
}

static bool is_plain(const scree_coordinate_def *c) {
  return c->start == 0.0 && isinf(c->limits[0]) && isinf(c->limits[1]) && c->friction == 0.0 &&
         c->friction_coefficient == 0.0 && c->damping == 0.0 && c->stiffness == 0.0 &&
         c->armature == 0.0;
}

static scree_status check_coordinate(scree_context *context, const joint_class *class, int k,
                                     const scree_coordinate_def *c) {
  if (k >= class->coordinates && !is_plain(c))
    REFUSE("joint: a %s has %d free coordinate%s; limits, friction, spring or damping are given of "
           "one more",
           class->name, class->coordinates, class->coordinates == 1 ? "" : "s");
  if (!(c->limits[0] <= c->limits[1]) || c->limits[0] == INFINITY || c->limits[1] == -INFINITY)
    REFUSE("joint: the lower limit %g must not be above the upper one %g", c->limits[0],
           c->limits[1]);
  if (!(c->limit_restitution >= 0.0 && c->limit_restitution <= 1.0))
    REFUSE("joint: the restitution of limits %g must be within 0 … 1", c->limit_restitution);
  if (!isfinite(c->start) || !isfinite(c->rest) || !not_negative(c->limit_compliance) ||
      !not_negative(c->friction) || !not_negative(c->friction_coefficient) ||
      !not_negative(c->damping) || !not_negative(c->stiffness) || !not_negative(c->armature))
    REFUSE("joint: start and rest must be finite; compliance, friction, damping, stiffness and "
           "armature finite and not negative");
  if (k == 0 && class->limits_only &&
      (c->start != 0.0 || c->friction > 0.0 || c->friction_coefficient > 0.0 || c->damping > 0.0 ||
       c->stiffness > 0.0 || c->armature > 0.0))
    REFUSE("joint: the swing of a %s may have limits alone", class->name);
  return check_motor(context, class, k, c);
}

static scree_status check_numbers(scree_context *context, const joint_class *class,
                                  const scree_joint_def *d) {
  if (!not_negative(d->compliance))
    REFUSE("joint: compliance %g must be finite and not negative", d->compliance);
  if (!(d->break_force > 0.0) || !(d->break_torque > 0.0))
    REFUSE("joint: what it breaks at must be above 0");
  if ((class->uses & JOINT_USES_RATIO) && (!isfinite(d->ratio) || d->ratio == 0.0))
    REFUSE("joint: the ratio of a %s must be finite and not 0", class->name);
  if (class == &joint_pulley && !(d->ratio > 0.0))
    REFUSE("joint: the ratio of a pulley must be above 0");
  if ((class->uses & JOINT_USES_PITCH) && (!isfinite(d->pitch) || d->pitch == 0.0))
    REFUSE("joint: a screw needs a pitch that is not 0; without one take cylindrical or hinge");
  for (int k = 0; k < 6; k++)
    if (!not_negative(d->stiffness[k]) || !not_negative(d->damping[k]))
      REFUSE("joint: stiffness and damping must be finite and not negative");
  return SCREE_OK;
}

static bool given(const double *x) {
  return x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0;
}

static scree_status check_axes(scree_context *context, const joint_class *class,
                               const scree_joint_def *d) {
  const v3 axis = v3_load(d->axis), axis_b = v3_load(d->axis_b);
  if (!(v3_norm2(axis) > 1e-24) || !isfinite(v3_norm2(axis)) || !world_finite(v3_load(d->anchor)))
    REFUSE("joint: anchor and axis must be finite, the axis not of length 0");
  if (!isfinite(v3_norm2(axis_b)) || (given(d->axis_b) && !(v3_norm2(axis_b) > 1e-24)))
    REFUSE("joint: axis_b must be finite and not of length 0");
  if (given(d->axis_b) && !(class->uses & JOINT_USES_AXIS_B) && !d->apart)
    REFUSE("joint: a %s has one axis; axis_b is not used", class->name);
  if (class == &joint_universal && !given(d->axis_b))
    REFUSE("joint: a universal joint needs axis_b, across axis");
  if (class == &joint_universal && !d->apart &&
      fabs(v3_dot(axis, axis_b)) > square_enough * v3_norm(axis) * v3_norm(axis_b))
    REFUSE("joint: axis_b of a universal joint must stand across axis");
  if ((class->uses & JOINT_USES_SHEAVES) &&
      (!world_finite(v3_load(d->sheave)) || !world_finite(v3_load(d->sheave_b))))
    REFUSE("joint: the sheaves of a pulley must be finite");
  return SCREE_OK;
}

/* The dimension of the curve that a kind of joint needs; 0: none. */
static int curve_dimension(const joint_class *class) {
  return class->uses & JOINT_USES_PATH ? 3 : class->uses & JOINT_USES_LIFT ? 1 : 0;
}

static scree_status check_def(const scree_world *w, const scree_joint_def *d) {
  scree_context *context = w->context;
  if ((int)d->kind < 0 || d->kind >= SCREE_JOINT_KIND_COUNT)
    REFUSE("joint: there is no kind %d", (int)d->kind);
  const joint_class *class = joint_classes[d->kind];
  scree_status status = check_axes(context, class, d);
  if (!status) status = check_numbers(context, class, d);
  for (int k = 0; k < SCREE_JOINT_COORDINATES && !status; k++)
    status = check_coordinate(context, class, k, &d->coordinate[k]);
  if (status) return status;
  const int dimension = curve_dimension(class);
  if (d->curve.index > w->curve_count || (d->curve.index > 0) != (dimension > 0) ||
      (dimension && w->curve[d->curve.index - 1].dimension != dimension))
    REFUSE("joint: %s", dimension == 3
                            ? "a point on a curve needs a path of three numbers per point"
                        : dimension == 1 ? "a cam needs a curve of angles and lifts"
                                         : "a curve is for cams and points on curves");
  return SCREE_OK;
}

/* A null id is the world. */
static scree_status find_side(const scree_world *w, scree_body_id id, uint32_t *body) {
  *body = WORLD_NO_BODY;
  if (id.index == 0 && id.generation == 0) return SCREE_OK;
  *body = world_find_body(w, id);
  return *body == WORLD_NO_BODY ? SCREE_ERROR_ARGUMENT : SCREE_OK;
}

static scree_status find_sides(const scree_world *w, const scree_joint_def *d, uint32_t *body) {
  scree_context *context = w->context;
  const bool third = joint_classes[d->kind]->uses & JOINT_USES_C;
  if (find_side(w, d->body_a, &body[0]) || find_side(w, d->body_b, &body[1]) ||
      find_side(w, d->body_c, &body[2]))
    return SCREE_ERROR_ARGUMENT;
  if (body[0] == body[1]) REFUSE("joint: it must join two different bodies");
  if (!third && body[2] != WORLD_NO_BODY)
    REFUSE("joint: a %s joins two bodies, not three", joint_classes[d->kind]->name);
  if (third && (body[2] == body[0] || body[2] == body[1]))
    REFUSE("joint: the carrier must be another body than the two that are joined");
  return SCREE_OK;
}

/* ---- frames --------------------------------------------------------------------------------- */

static pose side_frame(const scree_world *w, uint32_t body, pose frame) {
  return body == WORLD_NO_BODY ? frame : pose_mul(pose_inverse(world_pose(w, body)), frame);
}

/* The turn that takes z to a unit vector. */
static quat turn_to(v3 axis) {
  if (axis.z < -0.9999999) return (quat){0.0, 1.0, 0.0, 0.0};
  const v3 cross = v3_cross(v3_make(0, 0, 1), axis);
  return quat_normalize((quat){1.0 + axis.z, cross.x, cross.y, cross.z});
}

/* The least turn that takes a unit vector to another. */
static quat turn_between(v3 from, v3 to) {
  const v3 cross = v3_cross(from, to);
  const double cosine = v3_dot(from, to);
  if (cosine < -0.9999999) return quat_exp(v3_scale(3.14159265358979323846, v3_across(from)));
  return quat_normalize((quat){1.0 + cosine, cross.x, cross.y, cross.z});
}

/* The turn that takes z to a unit vector and x to another one across it. */
static quat turn_to_both(v3 z, v3 x) {
  const quat first = turn_to(z);
  const v3 local = quat_rotate_inverse(first, x);
  return quat_normalize(quat_mul(first, quat_exp(v3_make(0, 0, atan2(local.y, local.x)))));
}

static void place_frames(const scree_world *w, const scree_joint_def *d, joint *j) {
  const joint_class *class = joint_class_of(j);
  const v3 axis = v3_normalize(v3_load(d->axis));
  const v3 axis_b = given(d->axis_b) ? v3_normalize(v3_load(d->axis_b)) : axis;
  const bool own =
      (d->apart || (class->uses & JOINT_USES_ANCHOR_B)) && world_finite(v3_load(d->anchor_b));
  pose a = {v3_load(d->anchor), turn_to(axis)},
       b = {v3_load(own ? d->anchor_b : d->anchor), a.rotation};
  if (given(d->axis_b)) b.rotation = turn_to(axis_b);
  if (given(d->axis_b) && !(class->uses & JOINT_USES_AXIS_B))
    b.rotation = quat_mul(turn_between(axis, axis_b), a.rotation);
  if (class == &joint_universal) {
    a.rotation = turn_to_both(axis, axis_b);
    b.rotation = turn_to_both(axis_b, axis);
  }
  pose ca = a, cb = b;
  if (class->uses & JOINT_USES_SHEAVES) {
    ca.position = v3_load(d->sheave);
    cb.position = v3_load(d->sheave_b);
  }
  if (class->uses & JOINT_USES_PATH) a = pose_identity();
  j->frame[FRAME_A] = side_frame(w, j->body[SIDE_A], a);
  j->frame[FRAME_B] = side_frame(w, j->body[SIDE_B], b);
  j->frame[FRAME_CA] = side_frame(w, j->body[SIDE_C], ca);
  j->frame[FRAME_CB] = side_frame(w, j->body[SIDE_C], cb);
}

static void take_motor(joint_coordinate *to, const scree_coordinate_def *from, double now) {
  to->motor = (uint32_t)from->motor;
  to->motor_value = from->motor_value;
  to->motor_rate = from->motor_rate;
  to->motor_since = now;
  to->motor_limit = from->motor_limit;
  to->motor_stiffness = from->motor_stiffness;
  to->motor_damping = from->motor_damping;
}

static void take_coordinate(joint_coordinate *to, const scree_coordinate_def *from, double now) {
  to->start = from->start;
  to->limits[0] = from->limits[0];
  to->limits[1] = from->limits[1];
  to->limit_restitution = from->limit_restitution;
  to->limit_compliance = from->limit_compliance;
  to->friction = from->friction;
  to->friction_coefficient = from->friction_coefficient;
  to->damping = from->damping;
  to->stiffness = from->stiffness;
  to->armature = from->armature;
  to->rest = from->rest;
  take_motor(to, from, now);
}

/* ---- adding and removing -------------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static scree_status exclude(scree_world *w, uint64_t a, uint64_t b) {
  if (a == WORLD_NO_BODY || b == WORLD_NO_BODY) return SCREE_OK;
  if (memory_grow(w->context, &w->excluded, w->excluded_count + 1, sizeof *w->excluded))
    return SCREE_ERROR_MEMORY;
  w->excluded[w->excluded_count++] = a < b ? a << 32 | b : b << 32 | a;
  return SCREE_OK;
}

/* Ropes and struts join at a distance: their bodies may meet. */
static bool parts(const joint *j) {
  return j->collide || joint_class_of(j)->pulls || j->kind == SCREE_JOINT_STRUT;
}

/* Pairs that never touch: bodies of one joint, of one element of a flexible part, and those that
 * the user excluded. */
scree_status world_list_excluded(scree_world *w) {
  scree_status status = SCREE_OK;
  w->excluded_count = 0;
  for (size_t i = 0; i < w->joint_limit && !status; i++) {
    const joint *j = &w->joint[i];
    if (j->alive && !j->broken && !parts(j)) status = exclude(w, j->body[0], j->body[1]);
  }
  for (size_t i = 0; i < w->link_limit; i++) {
    const world_link *l = &w->link[i];
    if (!l->alive || !link_classes[l->kind]->apart) continue;
    for (uint32_t k = 0; k < l->body_count; k++)
      for (uint32_t m = 0; m < k && !status; m++) status = exclude(w, l->body[k], l->body[m]);
  }
  for (size_t i = 0; i < w->apart_count && !status; i++) {
    const scree_body_id a = w->apart[i][0], b = w->apart[i][1];
    if (scree_body_is_valid(w, a) && scree_body_is_valid(w, b))
      status = exclude(w, a.index, b.index);
  }
  if (w->excluded_count) qsort(w->excluded, w->excluded_count, sizeof *w->excluded, compare_pairs);
  return status;
}

scree_status world_exclude_also(scree_world *w, uint32_t a, uint32_t b) {
  if (a == WORLD_NO_BODY || b == WORLD_NO_BODY) return SCREE_OK;
  const size_t count = w->excluded_count;
  if (exclude(w, a, b)) return SCREE_ERROR_MEMORY;
  /* Elements share their edges: what is there already is not listed again. */
  const uint64_t pair = w->excluded[count];
  const size_t at = search_u64(w->excluded, count, pair);
  if (at < count && w->excluded[at] == pair) {
    w->excluded_count = count;
    return SCREE_OK;
  }
  memmove(w->excluded + at + 1, w->excluded + at, (count - at) * sizeof *w->excluded);
  w->excluded[at] = pair;
  return SCREE_OK;
}

scree_status scree_world_exclude(scree_world *w, size_t count, const scree_body_id *bodies) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && (bodies || !count));
  for (size_t i = 0; i < count; i++)
    if (world_find_body(w, bodies[i]) == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
  if (count < 2) return SCREE_OK;
  const size_t pairs = count * (count - 1) / 2;
  if (memory_grow(w->context, &w->apart, w->apart_count + pairs, sizeof *w->apart))
    return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++)
    for (size_t k = i + 1; k < count; k++) {
      w->apart[w->apart_count][0] = bodies[i];
      w->apart[w->apart_count++][1] = bodies[k];
    }
  w->revision++;
  world_wake_all(w);
  return world_list_excluded(w);
}

static size_t free_place(const scree_world *w) {
  if (w->joint_count == w->joint_limit) return w->joint_limit;
  size_t i = 0;
  while (w->joint[i].alive) i++;
  return i;
}

scree_status scree_world_add_joint(scree_world *w, const scree_joint_def *d, scree_joint_id *id) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && d);
  joint one;
  memset(&one, 0, sizeof one);
  DEFINITION_CHECK(w->context, d, joint_def);
  scree_status status = check_def(w, d);
  if (!status) status = find_sides(w, d, one.body);
  if (status) return status;
  const bool screw = joint_classes[d->kind]->uses & JOINT_USES_PITCH;
  one.kind = d->kind;
  one.alive = 1;
  one.collide = d->collide;
  one.apart = d->apart;
  one.curve = d->curve.index;
  one.ratio = screw ? d->pitch / (2.0 * 3.14159265358979323846) : d->ratio;
  one.compliance = d->compliance;
  one.break_force = d->break_force;
  one.break_torque = d->break_torque;
  memcpy(one.stiffness, d->stiffness, sizeof one.stiffness);
  memcpy(one.damping, d->damping, sizeof one.damping);
  for (int k = 0; k < SCREE_JOINT_COORDINATES; k++)
    take_coordinate(&one.coordinate[k], &d->coordinate[k], w->time);
  place_frames(w, d, &one);
  status = joint_begin(w, d, &one);
  if (status) return status;
  const size_t i = free_place(w);
  if (memory_grow(w->context, &w->joint, i + 1, sizeof *w->joint)) return SCREE_ERROR_MEMORY;
  one.generation = i < w->joint_limit ? w->joint[i].generation + 1 : 1;
  memcpy(&w->joint[i], &one, sizeof one);
  if (i == w->joint_limit) w->joint_limit++;
  w->joint_count++;
  w->revision++;
  world_wake_all(w);
  if (id) *id = (scree_joint_id){(uint32_t)i, one.generation};
  return parts(&one) ? SCREE_OK : world_exclude_also(w, one.body[0], one.body[1]);
}

bool world_joint_fits(const scree_world *w, const joint *j, size_t body_limit) {
  if ((int)j->kind < 0 || j->kind >= SCREE_JOINT_KIND_COUNT) return false;
  for (int s = 0; s < JOINT_SIDES; s++)
    if (j->body[s] >= body_limit && j->body[s] != WORLD_NO_BODY) return false;
  const int dimension = curve_dimension(joint_class_of(j));
  if (j->curve > w->curve_count || (dimension > 0) != (j->curve > 0)) return false;
  if (dimension && w->curve[j->curve - 1].dimension != dimension) return false;
  for (int k = 0; k < SCREE_JOINT_COORDINATES; k++)
    if (j->coordinate[k].motor > SCREE_MOTOR_POSITION) return false;
  return true;
}

bool scree_joint_is_valid(const scree_world *w, scree_joint_id id) {
  if (!w) return false;
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
  world_wake_all(w);
}

scree_status scree_world_remove_joint(scree_world *w, scree_joint_id id) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  if (!find_joint(w, id)) return SCREE_ERROR_ARGUMENT;
  world_remove_joint_at(w, id.index);
  return world_list_excluded(w);
}

size_t scree_world_joint_count(const scree_world *w) {
  if (!w) return 0;
  return w->joint_count;
}

size_t scree_world_joint_limit(const scree_world *w) {
  if (!w) return 0;
  return w->joint_limit;
}

scree_joint_id scree_world_joint_at(const scree_world *w, size_t i) {
  if (!w) return (scree_joint_id){0};
  if (i >= w->joint_limit || !w->joint[i].alive) return (scree_joint_id){0, 0};
  return (scree_joint_id){(uint32_t)i, w->joint[i].generation};
}

int scree_joint_coordinates(const scree_world *w, scree_joint_id id) {
  if (!w) return 0;
  return scree_joint_is_valid(w, id) ? joint_class_of(&w->joint[id.index])->coordinates : 0;
}

/* ---- motors --------------------------------------------------------------------------------- */

static joint_coordinate *find_coordinate(const scree_world *w, joint *j, int k) {
  if (k >= 0 && k < joint_class_of(j)->coordinates) return &j->coordinate[k];
  context_fail(w->context, SCREE_ERROR_ARGUMENT, "joint: a %s has no coordinate %d",
               joint_class_of(j)->name, k);
  return NULL;
}

/* What the motor gives now, N m or N, as a lasting force would. */
static double effort_of(const scree_world *w, const joint *j, const joint_coordinate *c) {
  if (c->motor == SCREE_MOTOR_TORQUE) return joint_motor_value(c, w->time);
  return c->motor != SCREE_MOTOR_NONE && j->step > 0.0 ? c->motor_impulse / j->step : 0.0;
}

scree_status scree_joint_set_coordinate_motor(scree_world *w, scree_joint_id id, int k,
                                              const scree_coordinate_def *def) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && def);
  joint *j = find_joint(w, id);
  joint_coordinate *c = j ? find_coordinate(w, j, k) : NULL;
  if (!c) return SCREE_ERROR_ARGUMENT;
  scree_coordinate_def all = *def;
  memcpy(all.limits, c->limits, sizeof all.limits);
  scree_status status = check_motor(w->context, joint_class_of(j), k, &all);
  if (status) return status;
  const double before = effort_of(w, j, c);
  const bool applied = def->motor == SCREE_MOTOR_NONE || def->motor == SCREE_MOTOR_TORQUE;
  const double change = (def->motor == SCREE_MOTOR_TORQUE ? def->motor_value : 0.0) - before;
  if (applied && change != 0.0 && !j->broken) status = world_change_motor(w, j, k, change);
  if (!status) take_motor(c, def, w->time);
  return status;
}

scree_status scree_joint_set_motor(scree_world *w, scree_joint_id id, scree_motor_kind motor,
                                   double value, double limit) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  joint *j = find_joint(w, id);
  if (!j) return SCREE_ERROR_ARGUMENT;
  const scree_coordinate_def def = {.motor = motor,
                                    .motor_value = value,
                                    .motor_limit = limit,
                                    .motor_stiffness = j->coordinate[0].motor_stiffness,
                                    .motor_damping = j->coordinate[0].motor_damping};
  if (joint_class_of(j)->coordinates == 0 && motor != SCREE_MOTOR_NONE)
    return context_fail(w->context, SCREE_ERROR_INPUT,
                        "joint: a %s has nothing that a motor drives", joint_class_of(j)->name);
  return scree_joint_set_coordinate_motor(w, id, 0, &def);
}

scree_status scree_joint_set_target(scree_world *w, scree_joint_id id, int k, double value,
                                    double rate) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  joint *j = find_joint(w, id);
  joint_coordinate *c = j ? find_coordinate(w, j, k) : NULL;
  if (!c) return SCREE_ERROR_ARGUMENT;
  const scree_coordinate_def def = {.motor = (scree_motor_kind)c->motor,
                                    .motor_value = value,
                                    .motor_rate = rate,
                                    .motor_limit = c->motor_limit,
                                    .motor_stiffness = c->motor_stiffness,
                                    .motor_damping = c->motor_damping};
  if (c->motor == SCREE_MOTOR_NONE)
    return context_fail(w->context, SCREE_ERROR_INPUT, "joint: the coordinate has no motor");
  return scree_joint_set_coordinate_motor(w, id, k, &def);
}

/* ---- state ---------------------------------------------------------------------------------- */

/* psi' with the velocities of the world's time. */
static double speed_now(const scree_world *w, const joint *j, const joint_row *row) {
  double sum = 0.0;
  for (int s = 0; s < JOINT_SIDES; s++)
    if (j->body[s] != WORLD_NO_BODY)
      sum += v3_dot(row->linear[s], world_linear(w, j->body[s])) +
             v3_dot(row->angular[s], world_angular(w, j->body[s]));
  return sum;
}

scree_status scree_joint_get_coordinate(const scree_world *w, scree_joint_id id, int k,
                                        scree_coordinate_state *state) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  joint *j = find_joint(w, id);
  const joint_coordinate *c = j ? find_coordinate(w, j, k) : NULL;
  if (!c) return SCREE_ERROR_ARGUMENT;
  const joint_view view = joint_view_of(w, j);
  const joint_row row = joint_coordinate_row(&view, k);
  const double scale = j->step > 0.0 ? 1.0 / j->step : 0.0;
  *state = (scree_coordinate_state){.position = row.value,
                                    .speed = speed_now(w, j, &row),
                                    .motor = j->broken ? 0.0 : effort_of(w, j, c),
                                    .friction = scale * c->friction_impulse,
                                    .spring = scale * c->spring_impulse,
                                    .limit = scale * c->limit_impulse};
  state->power = state->motor * state->speed;
  return SCREE_OK;
}

scree_status scree_joint_get_state(const scree_world *w, scree_joint_id id,
                                   scree_joint_state *state) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  const joint *j = find_joint(w, id);
  if (!j) return SCREE_ERROR_ARGUMENT;
  const double scale = j->step > 0.0 ? 1.0 / j->step : 0.0;
  *state = (scree_joint_state){.broken = j->broken};
  v3_store(state->force, v3_scale(scale, j->impulse));
  v3_store(state->torque, v3_scale(scale, j->moment));
  const joint_view view = joint_view_of(w, j);
  joint_row rows[JOINT_ROWS];
  const int held = joint_held_rows(&view, rows);
  for (int r = 0; r < held; r++) {
    double *sum = rows[r].turn ? &state->angle_error : &state->error;
    *sum = hypot(*sum, rows[r].value);
  }
  if (joint_class_of(j)->coordinates == 0) return SCREE_OK;
  scree_coordinate_state first;
  scree_joint_get_coordinate(w, id, 0, &first);
  state->motor = first.motor;
  state->position = first.position;
  state->speed = first.speed;
  return SCREE_OK;
}
