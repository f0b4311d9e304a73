/* Forces, and the twists that they alone would lead to: v_free = v + kick M^-1 f, kick = h but for
 * the first step of a body and where the step changes (world.h). A load for one step always lasts
 * h: it stands for the impulse h f.
 *
 * Pairwise forces are summed directly over all pairs of masses or charges: n^2, but exact, and each
 * body's sum runs in the order of the indices, so that threads do not change the bits. */
#include "base/pieces.h"
#include "model/world.h"

#include <string.h>

#include "base/argument.h"
#include "model/link/link.h"

void world_add_turn(const scree_world *w, size_t i, double h, v3 torque, v3 *angular) {
  const world_bodies *b = &w->bodies;
  const v3 local = quat_rotate_inverse(b->rotation[i], torque);
  const v3 change = {h * local.x / b->inertia[i].x, h * local.y / b->inertia[i].y,
                     h * local.z / b->inertia[i].z};
  *angular = v3_add(*angular, quat_rotate(b->rotation[i], change));
}

/* ---- loads that change ---------------------------------------------------------------------- */

scree_status world_change_load(scree_world *w, size_t i, late_cause cause, v3 force, v3 torque) {
  if (!world_is_dynamic(w, i) || w->bodies.fresh[i]) return SCREE_OK;
  if (world_need(w, &w->bodies.late, sizeof *w->bodies.late, NULL)) return SCREE_ERROR_MEMORY;
  body_load *late = &w->bodies.late[i].by[cause];
  late->force = v3_add_scaled(late->force, 0.5 * w->step, force);
  late->torque = v3_add_scaled(late->torque, 0.5 * w->step, torque);
  return SCREE_OK;
}

bool world_is_late(const scree_world *w, size_t i) {
  if (!w->bodies.late && v3_norm2(w->late_gravity) == 0.0) return false;
  const body_load late = world_late_load(w, i);
  return v3_norm2(late.force) + v3_norm2(late.torque) > 0.0;
}

body_load world_late_load(const scree_world *w, size_t i) {
  const world_bodies *b = &w->bodies;
  body_load sum = {{0, 0, 0}, {0, 0, 0}};
  if (b->fresh[i] || !world_is_dynamic(w, i)) return sum;
  sum.force = v3_scale(b->mass[i], w->late_gravity);
  for (int k = 0; b->late && k < LATE_CAUSES; k++) {
    sum.force = v3_add(sum.force, b->late[i].by[k].force);
    sum.torque = v3_add(sum.torque, b->late[i].by[k].torque);
  }
  return sum;
}

void world_forget_late(scree_world *w) {
  w->late_gravity = v3_make(0, 0, 0);
  if (w->bodies.late) memset(w->bodies.late, 0, w->bodies.limit * sizeof *w->bodies.late);
}

void world_force_rates(const scree_world *w, size_t i, double h, v3 free_linear, v3 free_angular,
                       v3 *linear, v3 *angular) {
  const world_bodies *b = &w->bodies;
  const double rate = 1.0 / world_kick(w, i, h);
  v3 dv = v3_sub(free_linear, b->linear[i]), dw = v3_sub(free_angular, b->angular[i]);
  if (world_is_late(w, i)) {
    const body_load late = world_late_load(w, i);
    dv = v3_add_scaled(dv, 1.0 / b->mass[i], late.force);
    world_add_turn(w, i, 1.0, late.torque, &dw);
  }
  *linear = v3_scale(rate, dv);
  *angular = v3_scale(rate, dw);
}

scree_status scree_body_set_force(scree_world *w, scree_body_id id, const double force[3],
                                  const double torque[3]) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  const uint32_t i = world_find_body(w, id);
  if (i == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
  const body_load load = {v3_load(force), v3_load(torque)};
  if (!world_finite(load.force) || !world_finite(load.torque))
    return context_fail(w->context, SCREE_ERROR_INPUT, "body %u: force and torque must be finite",
                        i);
  if (world_need(w, &w->bodies.load, sizeof load, NULL)) return SCREE_ERROR_MEMORY;
  if (v3_norm2(v3_sub(load.force, w->bodies.load[i].force)) > 0.0 ||
      v3_norm2(v3_sub(load.torque, w->bodies.load[i].torque)) > 0.0)
    world_wake(w, i);
  if (world_change_load(w, i, LATE_FORCES, v3_sub(load.force, w->bodies.load[i].force),
                        v3_sub(load.torque, w->bodies.load[i].torque)))
    return SCREE_ERROR_MEMORY;
  w->bodies.load[i] = load;
  return SCREE_OK;
}

scree_status scree_body_add_force(scree_world *w, scree_body_id id, const double force[3],
                                  const double *point, const double *torque) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  const uint32_t i = world_find_body(w, id);
  if (i == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
  body_load load = {v3_load(force), torque ? v3_load(torque) : v3_make(0, 0, 0)};
  if (point)
    load.torque =
        v3_add(load.torque, v3_cross(v3_sub(v3_load(point), w->bodies.position[i]), load.force));
  if (!world_finite(load.force) || !world_finite(load.torque))
    return context_fail(w->context, SCREE_ERROR_INPUT, "body %u: force and torque must be finite",
                        i);
  if (world_need(w, &w->bodies.step_load, sizeof load, NULL)) return SCREE_ERROR_MEMORY;
  if (v3_norm2(load.force) + v3_norm2(load.torque) > 0.0) world_wake(w, i);
  body_load *sum = &w->bodies.step_load[i];
  /* The force function gives a force that lasts, step by step. */
  const double part = w->calling > 0.0 ? world_kick(w, i, w->calling) / w->calling : 1.0;
  sum->force = v3_add_scaled(sum->force, part, load.force);
  sum->torque = v3_add_scaled(sum->torque, part, load.torque);
  return SCREE_OK;
}

void world_clear_step_loads(scree_world *w) {
  w->called = false;
  if (w->bodies.step_load)
    memset(w->bodies.step_load, 0, w->bodies.limit * sizeof *w->bodies.step_load);
}

static bool pushes(const scree_world *w, uint32_t i) {
  return i != WORLD_NO_BODY && world_is_dynamic(w, i);
}

/* The user's own, as they are at the start of the step. */
static void add_user_links(const scree_world *w, double h, v3 *linear, v3 *angular) {
  for (size_t k = 0; k < w->link_limit; k++) {
    const world_link *l = &w->link[k];
    double load[LINK_DIM];
    if (!l->alive || l->kind != SCREE_LINK_USER) continue;
    link_evaluate(w, l, load, NULL, NULL);
    for (uint32_t b = 0; b < l->body_count; b++) {
      const uint32_t i = l->body[b];
      if (!pushes(w, i)) continue;
      const double kick = world_kick(w, i, h);
      linear[i] = v3_add_scaled(linear[i], kick / w->bodies.mass[i], v3_load(load + 6 * b));
      world_add_turn(w, i, kick, v3_load(load + 6 * b + 3), &angular[i]);
    }
  }
}

static void drive(const scree_world *w, size_t i, double h, v3 *linear, v3 *angular) {
  const world_bodies *b = &w->bodies;
  *linear = b->linear[i];
  *angular = b->angular[i];
  if (!b->drive || !b->drive[i].motion) return;
  const pose end = world_driven_pose(w, i, w->time + h);
  const quat turn = quat_mul(end.rotation, quat_conj(b->rotation[i]));
  *linear = v3_scale(1.0 / h, v3_sub(end.position, b->position[i]));
  *angular = v3_scale(1.0 / h, world_rotation_vector(turn));
}

void world_call_forces(scree_world *w, double h) {
  if (!w->force_function || w->called) return;
  w->called = true;
  w->calling = h;
  w->force_function(w->force_user, w, w->time, h);
  w->calling = 0.0;
}

static size_t first_broken(const v3 *linear, const v3 *angular, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++)
    if (!isfinite(v3_norm2(linear[i])) || !isfinite(v3_norm2(angular[i]))) return i;
  return SIZE_MAX;
}

size_t world_first_broken(const scree_world *w, const v3 *linear, const v3 *angular) {
  const size_t n = w->bodies.limit, pieces = pieces_of(n);
  size_t broken = SIZE_MAX;
  if (pieces == 1) return first_broken(linear, angular, 0, n);
#pragma omp parallel for schedule(static) reduction(min                                            \
                                                    : broken)                                      \
    num_threads(context_team(w->context, true))
  for (size_t k = 0; k < pieces; k++) {
    const size_t first = first_broken(linear, angular, pieces_begin(n, k), pieces_begin(n, k + 1));
    if (first < broken) broken = first;
  }
  return broken;
}

scree_status world_free_velocities(scree_world *w, double h, v3 *linear, v3 *angular) {
  const world_bodies *b = &w->bodies;
  const v3 gravity = v3_load(w->def.gravity);
  const bool pairwise = world_has_pairwise(w), late = b->late || v3_norm2(w->late_gravity) > 0.0;
  if (pairwise && world_pairwise_begin(w)) return SCREE_ERROR_MEMORY;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(w->context, pairwise || b->limit > PIECES_MANY))
  for (size_t i = 0; i < b->limit; i++) {
    linear[i] = angular[i] = v3_make(0, 0, 0);
    if (!b->alive[i] || b->kind[i] == SCREE_BODY_FIXED) continue;
    if (b->kind[i] == SCREE_BODY_PRESCRIBED) {
      drive(w, i, h, &linear[i], &angular[i]);
      continue;
    }
    if (world_sleeps(w, i)) continue;
    const double kick = world_kick(w, i, h), push = kick / b->mass[i];
    linear[i] = v3_add_scaled(b->linear[i], kick, gravity);
    angular[i] = b->angular[i];
    if (pairwise) linear[i] = v3_add_scaled(linear[i], push, world_pairwise_force(w, i));
    if (b->load) {
      linear[i] = v3_add_scaled(linear[i], push, b->load[i].force);
      world_add_turn(w, i, kick, b->load[i].torque, &angular[i]);
    }
    if (late) {
      const body_load less = world_late_load(w, i);
      linear[i] = v3_add_scaled(linear[i], -1.0 / b->mass[i], less.force);
      world_add_turn(w, i, -1.0, less.torque, &angular[i]);
    }
    if (b->step_load) {
      linear[i] = v3_add_scaled(linear[i], h / b->mass[i], b->step_load[i].force);
      world_add_turn(w, i, h, b->step_load[i].torque, &angular[i]);
    }
  }
  world_add_motors(w, h, linear, angular);
  add_user_links(w, h, linear, angular);
  const size_t broken = world_first_broken(w, linear, angular);
  if (broken == SIZE_MAX) return SCREE_OK;
  return context_fail(w->context, SCREE_ERROR_NUMERIC,
                      "body %zu: its velocity is not finite at t = %g s; look for forces "
                      "without bound or a step that is too long",
                      broken, w->time);
}
