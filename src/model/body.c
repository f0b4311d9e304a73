/* Bodies: checked on the way in, mass from the shape or as given, reduced to principal axes. */
#include "model/world.h"

#include <string.h>

#include "base/argument.h"
#include "base/definition.h"
#include "model/link/link.h"

scree_body_def scree_body_def_default(void) {
  return (scree_body_def){.cookie = DEFINITION_COOKIE,
                          .kind = SCREE_BODY_DYNAMIC,
                          .rotation = {1.0, 0.0, 0.0, 0.0},
                          .density = 1000.0,
                          .category = 1,
                          .collides_with = UINT32_MAX};
}

static bool finite_all(const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static scree_status check_def(const scree_world *w, const scree_body_def *d) {
  scree_context *context = w->context;
  if ((int)d->kind < 0 || d->kind > SCREE_BODY_PRESCRIBED)
    return context_fail(context, SCREE_ERROR_INPUT, "body: there is no kind %d", (int)d->kind);
  if (!finite_all(d->position, 3) || !finite_all(d->rotation, 4) || !finite_all(d->velocity, 3) ||
      !finite_all(d->angular, 3) || !finite_all(d->inertia, 6) || !finite_all(d->center, 3) ||
      !isfinite(d->charge))
    return context_fail(context, SCREE_ERROR_INPUT, "body: all its numbers must be finite");
  const double *q = d->rotation;
  if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-12))
    return context_fail(context, SCREE_ERROR_INPUT, "body: its rotation has length 0");
  if (d->material.index >= w->material_count)
    return context_fail(context, SCREE_ERROR_INPUT, "body: there is no material %u (%zu materials)",
                        d->material.index, w->material_count);
  if (d->motion.index > w->motion_count)
    return context_fail(context, SCREE_ERROR_INPUT, "body: there is no motion %u (%zu motions)",
                        d->motion.index, w->motion_count);
  if (d->motion.index && d->kind != SCREE_BODY_PRESCRIBED)
    return context_fail(context, SCREE_ERROR_INPUT, "body: only a prescribed body has a motion");
  if (d->kind == SCREE_BODY_DYNAMIC && (!(d->mass >= 0.0) || isinf(d->mass)))
    return context_fail(context, SCREE_ERROR_INPUT, "body: mass %g must be finite and positive",
                        d->mass);
  return SCREE_OK;
}

/* Eigenvalues and axes of a symmetric matrix (xx xy xz yy yz zz) by Jacobi's rotations. */
static v3 principal_axes(const double *s, quat *axes) {
  double a[3][3] = {{s[0], s[1], s[2]}, {s[1], s[3], s[4]}, {s[2], s[4], s[5]}};
  *axes = quat_identity();
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < 2; p++)
      for (int r = p + 1; r < 3; r++) {
        if (fabs(a[p][r]) <= 1e-300) continue;
        const double theta = 0.5 * atan2(2.0 * a[p][r], a[r][r] - a[p][p]);
        const double c = cos(theta), t = sin(theta);
        for (int k = 0; k < 3; k++) {
          const double x = a[k][p], y = a[k][r];
          a[k][p] = c * x - t * y;
          a[k][r] = t * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
          const double x = a[p][k], y = a[r][k];
          a[p][k] = c * x - t * y;
          a[r][k] = t * x + c * y;
        }
        /* Columns p and r turned by -theta about the third axis of (p, r). */
        const double sign = p == 0 && r == 2 ? 1.0 : -1.0;
        const int axis = 3 - p - r;
        const v3 turn = {axis == 0 ? sign * theta : 0.0, axis == 1 ? sign * theta : 0.0,
                         axis == 2 ? sign * theta : 0.0};
        *axes = quat_normalize(quat_mul(*axes, quat_exp(turn)));
      }
  return v3_make(a[0][0], a[1][1], a[2][2]);
}

typedef struct body_mass {
  double mass, diameter;
  v3 inertia;
  pose frame; /* centre and principal axes in the shape's frame */
} body_mass;

static scree_status check_inertia(scree_context *context, v3 i) {
  const double sum = i.x + i.y + i.z, most = fmax(i.x, fmax(i.y, i.z));
  if (!(i.x > 0.0 && i.y > 0.0 && i.z > 0.0))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "body: principal inertia (%g %g %g) must be positive", i.x, i.y, i.z);
  if (2.0 * most > sum * (1.0 + 1e-9))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "body: principal inertia (%g %g %g) breaks the triangle rule: no body has "
                        "one larger than the sum of the others",
                        i.x, i.y, i.z);
  return SCREE_OK;
}

static scree_status given_mass(scree_context *context, const scree_body_def *d, body_mass *m) {
  if (!(d->mass > 0.0))
    return context_fail(context, SCREE_ERROR_INPUT, "body: an inertia needs a mass above 0");
  m->mass = d->mass;
  m->inertia = principal_axes(d->inertia, &m->frame.rotation);
  m->frame.position = v3_load(d->center);
  return check_inertia(context, m->inertia);
}

static double equal_diameter(double volume) {
  return cbrt(6.0 * volume / 3.141592653589793);
}

static scree_status shape_mass(const scree_body_def *d, body_mass *m) {
  scree_mass s;
  const double density = d->mass > 0.0 ? 1.0 : d->density;
  const scree_status status = scree_shape_get_mass(d->shape, density, &s);
  if (status) return status;
  const double scale = d->mass > 0.0 ? d->mass / s.mass : 1.0;
  m->mass = scale * s.mass;
  m->inertia = v3_scale(scale, v3_load(s.principal));
  m->frame.position = v3_load(s.center);
  m->frame.rotation =
      quat_normalize((quat){s.rotation[0], s.rotation[1], s.rotation[2], s.rotation[3]});
  return SCREE_OK;
}

/* Diameter of a shape that has no volume: the least side of its box, where it has an end. The
 * thickness of a floor that is flat, or nearly so, is none. */
static double box_diameter(const scree_shape *shape) {
  const double origin[3] = {0.0, 0.0, 0.0}, level[4] = {1.0, 0.0, 0.0, 0.0}, flat = 1e-3;
  double lower[3], upper[3], least = INFINITY, most = 0.0;
  scree_shape_get_bounds(shape, origin, level, lower, upper);
  for (int k = 0; k < 3; k++) most = fmax(most, upper[k] - lower[k]);
  for (int k = 0; k < 3; k++)
    if (upper[k] - lower[k] > flat * most) least = fmin(least, upper[k] - lower[k]);
  return least;
}

static scree_status mass_of(const scree_world *w, const scree_body_def *d, body_mass *m) {
  *m = (body_mass){.diameter = INFINITY, .frame = pose_identity()};
  bool given = false;
  for (int k = 0; k < 6; k++) given = given || d->inertia[k] != 0.0;
  if (d->kind == SCREE_BODY_DYNAMIC) {
    if (!given && !d->shape)
      return context_fail(w->context, SCREE_ERROR_INPUT,
                          "body: a dynamic body without shape needs mass and inertia");
    const scree_status status = given ? given_mass(w->context, d, m) : shape_mass(d, m);
    if (status) return status;
  }
  scree_mass unit;
  if (d->shape) {
    /* A shape without volume has no mass and the call fails; a body may have such a shape, so the
     * message from before the call is put back. */
    char message[CONTEXT_MESSAGE_SIZE];
    memcpy(message, w->context->message, sizeof message);
    if (scree_shape_get_mass(d->shape, 1.0, &unit) == SCREE_OK)
      m->diameter = equal_diameter(unit.volume);
    else
      m->diameter = box_diameter(d->shape);
    memcpy(w->context->message, message, sizeof message);
  }
  return SCREE_OK;
}

/* Radius about the centre of mass that holds the shape; infinite where it has no end. */
static double bounding_radius(const scree_shape *shape, v3 center) {
  const double origin[3] = {0.0, 0.0, 0.0}, level[4] = {1.0, 0.0, 0.0, 0.0};
  double lower[3], upper[3];
  if (!shape) return 0.0;
  scree_shape_get_bounds(shape, origin, level, lower, upper);
  if (scree_shape_get_kind(shape) == SCREE_SHAPE_SPHERE) return upper[0];
  const v3 far = {fmax(fabs(lower[0] - center.x), fabs(upper[0] - center.x)),
                  fmax(fabs(lower[1] - center.y), fabs(upper[1] - center.y)),
                  fmax(fabs(lower[2] - center.z), fabs(upper[2] - center.z))};
  return v3_norm(far);
}

static bool is_identity(pose p) {
  return p.position.x == 0.0 && p.position.y == 0.0 && p.position.z == 0.0 && p.rotation.x == 0.0 &&
         p.rotation.y == 0.0 && p.rotation.z == 0.0;
}

static scree_status make_room(scree_world *w, const scree_body_def *d, bool placed) {
  world_bodies *b = &w->bodies;
  const pose identity = pose_identity();
  if (b->limit >= UINT32_MAX - 1)
    return context_fail(w->context, SCREE_ERROR_INPUT, "world: too many bodies");
  if (!b->free_count && world_reserve_bodies(w, b->limit + 1)) return SCREE_ERROR_MEMORY;
  if (placed && world_need(w, &b->place, sizeof *b->place, &identity)) return SCREE_ERROR_MEMORY;
  if (d->motion.index && world_need(w, &b->drive, sizeof *b->drive, NULL))
    return SCREE_ERROR_MEMORY;
  if (d->point && world_need(w, &b->point, sizeof *b->point, NULL)) return SCREE_ERROR_MEMORY;
  if (d->charge != 0.0 && world_need(w, &b->charge, sizeof *b->charge, NULL))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

scree_status scree_world_add_body(scree_world *w, const scree_body_def *d, scree_body_id *id) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && d);
  world_bodies *b = &w->bodies;
  body_mass m;
  uint32_t shape_index = 0;
  DEFINITION_CHECK(w->context, d, body_def);
  scree_status status = check_def(w, d);
  if (!status) status = mass_of(w, d, &m);
  if (!status) status = make_room(w, d, !is_identity(m.frame));
  if (!status && d->shape) status = world_intern_shape(w, d->shape, &shape_index);
  if (status) return status;
  const uint32_t i = b->free_count ? b->free_list[--b->free_count] : (uint32_t)b->limit++;
  const pose frame = {v3_load(d->position), quat_normalize((quat){d->rotation[0], d->rotation[1],
                                                                  d->rotation[2], d->rotation[3]})};
  const pose center = is_identity(m.frame) ? frame : pose_mul(frame, m.frame);
  b->position[i] = center.position;
  b->rotation[i] = quat_normalize(center.rotation);
  b->linear[i] = d->kind == SCREE_BODY_FIXED ? v3_make(0, 0, 0) : v3_load(d->velocity);
  b->angular[i] = d->kind == SCREE_BODY_FIXED ? v3_make(0, 0, 0) : v3_load(d->angular);
  b->linear_rate[i] = b->angular_rate[i] = v3_make(0, 0, 0);
  b->pulse[i] = PULSE_CALM;
  b->fresh[i] = 1;
  b->inertia[i] = m.inertia;
  b->mass[i] = m.mass;
  b->radius[i] = bounding_radius(d->shape, m.frame.position);
  b->diameter[i] = m.diameter;
  b->shape_index[i] = shape_index;
  b->shape[i] = d->shape;
  b->material[i] = d->material.index;
  b->category[i] = d->category;
  b->collides_with[i] = d->collides_with;
  b->kind[i] = (uint8_t)d->kind;
  b->alive[i] = 1;
  b->generation[i]++;
  if (b->place) b->place[i] = pose_inverse(m.frame);
  if (b->drive) b->drive[i] = (body_drive){frame, w->time, d->motion.index, 0};
  if (b->charge) b->charge[i] = d->charge;
  if (b->point) b->point[i] = d->point;
  if (b->slow_turn) b->slow_turn[i] = b->angular[i];
  if (b->slow_way) b->slow_way[i] = b->linear[i];
  if (b->growth) memset(&b->growth[i], 0, sizeof b->growth[i]);
  if (b->asleep) b->asleep[i] = 0;
  if (b->still) b->still[i] = 0.0f;
  if (b->load) b->load[i] = (body_load){{0, 0, 0}, {0, 0, 0}};
  if (b->late) memset(&b->late[i], 0, sizeof b->late[i]);
  if (b->step_load) b->step_load[i] = (body_load){{0, 0, 0}, {0, 0, 0}};
  b->count++;
  b->dynamic_count += d->kind == SCREE_BODY_DYNAMIC;
  w->revision++;
  if (id) *id = (scree_body_id){i, b->generation[i]};
  return SCREE_OK;
}

bool scree_body_is_valid(const scree_world *w, scree_body_id id) {
  if (!w) return false;
  const world_bodies *b = &w->bodies;
  return id.index < b->limit && b->alive[id.index] && b->generation[id.index] == id.generation;
}

uint32_t world_find_body(const scree_world *w, scree_body_id id) {
  if (scree_body_is_valid(w, id)) return id.index;
  context_fail(w->context, SCREE_ERROR_ARGUMENT, "world: there is no body %u (generation %u)",
               id.index, id.generation);
  return WORLD_NO_BODY;
}

scree_status scree_world_remove_body(scree_world *w, scree_body_id id) {
  ARGUMENT_CHECK(NULL, w);
  world_bodies *b = &w->bodies;
  const uint32_t i = world_find_body(w, id);
  if (i == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
  bool joined = false;
  /* Wakes the bodies that rested on it: a body awake never carries an island asleep. Of those that
   * sleep one by one the next step finds who has lost its hold (assemble/hold.c). */
  if (b->kind[i] == SCREE_BODY_DYNAMIC)
    world_wake(w, i);
  else
    world_wake_all(w);
  for (size_t k = 0; k < w->joint_limit; k++)
    if (w->joint[k].alive && world_joint_has(&w->joint[k], i)) {
      world_remove_joint_at(w, k);
      joined = true;
    }
  const size_t links = w->link_count;
  world_remove_links_of(w, i);
  b->alive[i] = 0;
  b->shape[i] = NULL;
  b->shape_index[i] = 0;
  b->count--;
  b->dynamic_count -= b->mass[i] > 0.0;
  b->mass[i] = 0.0;
  b->free_list[b->free_count++] = i;
  w->revision++;
  return joined || w->link_count < links ? world_list_excluded(w) : SCREE_OK;
}

size_t scree_world_body_count(const scree_world *w) {
  if (!w) return 0;
  return w->bodies.count;
}

size_t scree_world_dynamic_count(const scree_world *w) {
  if (!w) return 0;
  return w->bodies.dynamic_count;
}

size_t scree_world_body_limit(const scree_world *w) {
  if (!w) return 0;
  return w->bodies.limit;
}

scree_body_id scree_world_body_at(const scree_world *w, size_t i) {
  if (!w) return (scree_body_id){0};
  if (i >= w->bodies.limit || !w->bodies.alive[i]) return (scree_body_id){0, 0};
  return (scree_body_id){(uint32_t)i, w->bodies.generation[i]};
}

/* ---- state ---------------------------------------------------------------------------------- */

static void read_state(const scree_world *w, size_t i, double *position, double *rotation) {
  const pose p = world_shape_pose(w, i);
  v3_store(position, p.position);
  rotation[0] = p.rotation.w;
  rotation[1] = p.rotation.x;
  rotation[2] = p.rotation.y;
  rotation[3] = p.rotation.z;
}

scree_status scree_body_get_state(const scree_world *w, scree_body_id id, scree_body_state *state) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && state);
  const uint32_t i = world_find_body(w, id);
  if (i == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
  read_state(w, i, state->position, state->rotation);
  v3_store(state->velocity, world_linear(w, i));
  v3_store(state->angular, world_angular(w, i));
  return SCREE_OK;
}

scree_status scree_body_get_shown_state(const scree_world *w, scree_body_id id,
                                        scree_body_state *state) {
  const scree_status status = scree_body_get_state(w, id, state);
  const uint32_t i = id.index;
  if (status || !world_is_periodic(w) || !world_is_dynamic(w, i)) return status;
  const periodic_image at =
      periodic_nearest(&w->box, v3_load(w->box.center), w->bodies.position[i]);
  v3_store(state->position, v3_add(v3_load(state->position), at.shift));
  v3_store(state->velocity, v3_add(v3_load(state->velocity), at.velocity));
  return SCREE_OK;
}

pose world_shown_frame(const scree_world *w, uint32_t i, pose frame) {
  scree_body_state state;
  const scree_body_id id = {i, w->bodies.generation[i]};
  if (scree_body_get_shown_state(w, id, &state)) return frame;
  const double *q = state.rotation;
  const pose shown = {v3_load(state.position), {q[0], q[1], q[2], q[3]}};
  return pose_mul(pose_inverse(shown), pose_mul(world_pose(w, i), frame));
}

scree_status scree_body_set_state(scree_world *w, scree_body_id id, const scree_body_state *s) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && s);
  world_bodies *b = &w->bodies;
  const uint32_t i = world_find_body(w, id);
  if (i == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
  const double *q = s->rotation;
  if (!finite_all(s->position, 3) || !finite_all(q, 4) || !finite_all(s->velocity, 3) ||
      !finite_all(s->angular, 3) ||
      !(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-12))
    return context_fail(w->context, SCREE_ERROR_INPUT,
                        "body %u: its state must be finite, its rotation not of length 0", i);
  if (b->kind[i] == SCREE_BODY_DYNAMIC)
    world_wake(w, i);
  else
    world_wake_all(w);
  const pose frame = {v3_load(s->position), quat_normalize((quat){q[0], q[1], q[2], q[3]})};
  const pose center = b->place ? pose_mul(frame, pose_inverse(b->place[i])) : frame;
  b->position[i] = center.position;
  b->rotation[i] = quat_normalize(center.rotation);
  if (b->kind[i] != SCREE_BODY_FIXED) {
    b->linear[i] = v3_load(s->velocity);
    b->angular[i] = v3_load(s->angular);
    b->linear_rate[i] = b->angular_rate[i] = v3_make(0, 0, 0);
    b->pulse[i] = PULSE_CALM;
    b->fresh[i] = 1;
    if (b->slow_turn) b->slow_turn[i] = b->angular[i];
    if (b->slow_way) b->slow_way[i] = b->linear[i];
    if (b->growth) memset(&b->growth[i], 0, sizeof b->growth[i]);
    if (b->late) memset(&b->late[i], 0, sizeof b->late[i]);
  }
  if (b->drive && b->drive[i].motion) {
    b->drive[i].start = frame;
    b->drive[i].since = w->time;
  }
  return SCREE_OK;
}

scree_status scree_body_get_info(const scree_world *w, scree_body_id id, scree_body_info *info) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && info);
  const world_bodies *b = &w->bodies;
  const uint32_t i = world_find_body(w, id);
  if (i == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
  *info = (scree_body_info){
      .kind = (scree_body_kind)b->kind[i],
      .shape = b->shape_index[i] ? w->shape[b->shape_index[i] - 1] : NULL,
      .material = {b->material[i]},
      .mass = b->mass[i],
      .diameter = b->diameter[i],
      .charge = b->charge ? b->charge[i] : 0.0,
      .category = b->category[i],
      .collides_with = b->collides_with[i],
  };
  v3_store(info->principal_inertia, b->inertia[i]);
  v3_store(info->center, b->position[i]);
  return SCREE_OK;
}

scree_status scree_body_set_motion(scree_world *w, scree_body_id id, scree_motion_id motion) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  world_bodies *b = &w->bodies;
  const uint32_t i = world_find_body(w, id);
  if (i == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
  if (b->kind[i] != SCREE_BODY_PRESCRIBED || motion.index > w->motion_count)
    return context_fail(w->context, SCREE_ERROR_ARGUMENT,
                        "body %u: only a prescribed body takes a motion, and one of the world's",
                        i);
  if (world_need(w, &b->drive, sizeof *b->drive, NULL)) return SCREE_ERROR_MEMORY;
  b->drive[i] = (body_drive){world_pose(w, i), w->time, motion.index, 0};
  if (!motion.index) b->linear[i] = b->angular[i] = v3_make(0, 0, 0);
  return SCREE_OK;
}

size_t scree_world_get_states(const scree_world *w, size_t limit, double *positions,
                              double *rotations, double *velocities, double *angulars) {
  if (!w) return 0;
  const world_bodies *b = &w->bodies;
  const size_t n = limit < b->limit ? limit : b->limit;
  const v3 none = {NAN, NAN, NAN};
  for (size_t i = 0; i < n; i++) {
    double position[3] = {NAN, NAN, NAN}, rotation[4] = {NAN, NAN, NAN, NAN};
    if (b->alive[i]) read_state(w, i, position, rotation);
    if (positions) memcpy(positions + 3 * i, position, sizeof position);
    if (rotations) memcpy(rotations + 4 * i, rotation, sizeof rotation);
    if (velocities) v3_store(velocities + 3 * i, b->alive[i] ? world_linear(w, i) : none);
    if (angulars) v3_store(angulars + 3 * i, b->alive[i] ? world_angular(w, i) : none);
  }
  return n;
}
