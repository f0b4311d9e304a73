/* Where a body is after a step.
 *
 * The solve gives the angular velocity w at the rotation q of the start. What a free body keeps is
 * its angular momentum L = I(q) w; so L is carried across the turn and w is read from it again at
 * the new rotation: that is the gyroscopic term, and L is kept to rounding. The turn itself is the
 * implicit midpoint rule, w_m = I(exp(h/2 w_m) q)^-1 L, q <- exp(h w_m) q, in parts of at most a
 * fifth of a radian, where a few fixed-point rounds converge: stable at any spin. */
#include "model/world.h"

#include <string.h>

enum { ROUNDS = 5, MOST_PARTS = 256 };
static const double part_angle = 0.2;

static v3 velocity_at(quat q, v3 momentum, v3 inertia) {
  const v3 l = quat_rotate_inverse(q, momentum);
  return quat_rotate(q, v3_make(l.x / inertia.x, l.y / inertia.y, l.z / inertia.z));
}

static bool is_round(v3 inertia) {
  return inertia.x == inertia.y && inertia.y == inertia.z;
}

static v3 momentum_of(quat q, v3 w, v3 inertia) {
  const v3 l = quat_rotate_inverse(q, w);
  return quat_rotate(q, v3_make(inertia.x * l.x, inertia.y * l.y, inertia.z * l.z));
}

/* In how many parts a turn of h is made. By |L|, which a free body keeps: steps of one length have
 * no drift of energy. */
static int parts_of(v3 momentum, v3 inertia, double h) {
  const double least = fmin(inertia.x, fmin(inertia.y, inertia.z));
  const double angle = h * v3_norm(momentum) / least;
  return (int)fmin(fmax(ceil(angle / part_angle), 1.0), MOST_PARTS);
}

static void turn_part(quat *q, v3 momentum, v3 inertia, double dt) {
  v3 mid = velocity_at(*q, momentum, inertia);
  for (int round = 0; round < ROUNDS; round++) {
    const v3 last = mid;
    mid = velocity_at(quat_mul(quat_exp(v3_scale(0.5 * dt, mid)), *q), momentum, inertia);
    if (mid.x == last.x && mid.y == last.y && mid.z == last.z) break; /* for ever */
  }
  *q = quat_normalize(quat_mul(quat_exp(v3_scale(dt, mid)), *q));
}

static void turn(quat *q, v3 *w, v3 inertia, double h) {
  if (v3_norm2(*w) == 0.0) return;
  if (is_round(inertia)) {
    *q = quat_normalize(quat_mul(quat_exp(v3_scale(h, *w)), *q));
    return;
  }
  const v3 momentum = momentum_of(*q, *w, inertia);
  const int parts = parts_of(momentum, inertia, h);
  for (int k = 0; k < parts; k++) turn_part(q, momentum, inertia, h / parts);
  *w = velocity_at(*q, momentum, inertia);
}

/* Two accelerations agree when they differ by no more than this part of the larger one. */
static const double steady_part = 0.5;
/* A change of velocity is a jolt when it exceeds twice what gravity gives in a step plus this part
 * of the speed. */
static const double jolt_part = 0.25;

/* Size of a twist in m/s: its kinetic energy, as if all of it were linear. */
static double size_of(const world_bodies *b, size_t i, v3 linear, v3 angular) {
  const double arm2 = (b->inertia[i].x + b->inertia[i].y + b->inertia[i].z) / (3.0 * b->mass[i]);
  return sqrt(v3_norm2(linear) + arm2 * v3_norm2(angular));
}

/* Loads have changed between the half step before (old rates) and the one after (new rates), of
 * which a and r are the mean so far: a := (kick a - step/2 a0) / (kick - step/2). a0 and r0 become
 * what a free body would have now. */
static void change_rates(const scree_world *w, size_t i, double kick, v3 *a, v3 *r, v3 *a0,
                         v3 *r0) {
  const world_bodies *b = &w->bodies;
  const body_load late = world_late_load(w, i);
  const double half = 0.5 * w->step, rest = 1.0 / (kick - half);
  if (b->pulse[i] == PULSE_JOLT) *a0 = *r0 = v3_make(0, 0, 0);
  *a = v3_scale(rest, v3_sub(v3_scale(kick, *a), v3_scale(half, *a0)));
  *r = v3_scale(rest, v3_sub(v3_scale(kick, *r), v3_scale(half, *r0)));
  *a0 = v3_add_scaled(*a0, 1.0 / (half * b->mass[i]), late.force);
  world_add_turn(w, i, 1.0 / half, late.torque, r0);
}

void world_keep_rates(scree_world *w, size_t i, double kick, v3 linear, v3 angular, bool shared) {
  world_bodies *b = &w->bodies;
  const double f = 1.0 / kick;
  const bool late = world_is_late(w, i);
  v3 a = v3_scale(f, v3_sub(linear, b->linear[i]));
  v3 r = v3_scale(f, v3_sub(angular, b->angular[i]));
  v3 a0 = b->linear_rate[i], r0 = b->angular_rate[i];
  if (late) change_rates(w, i, kick, &a, &r, &a0, &r0);
  const v3 da = v3_sub(a, a0), dr = v3_sub(r, r0);
  const double g = v3_norm(v3_load(w->def.gravity)), size = size_of(b, i, a, r);
  const double before = size_of(b, i, a0, r0);
  const bool calm = size <= 2.0 * g + jolt_part * f * size_of(b, i, linear, angular);
  const bool like = b->fresh[i] ? calm : size_of(b, i, da, dr) <= steady_part * fmax(size, before);
  b->pulse[i] = like ? (shared ? PULSE_SHARED : PULSE_STEADY) : calm ? PULSE_CALM : PULSE_JOLT;
  if (b->growth && (b->fresh[i] || late))
    memset(&b->growth[i], 0, sizeof b->growth[i]);
  else if (b->growth)
    b->growth[i] = (body_growth){da, dr};
  b->linear_rate[i] = a;
  b->angular_rate[i] = r;
  b->fresh[i] = 0;
}

static pose driven_pose_after(const scree_world *world, size_t i, double h) {
  const world_bodies *b = &world->bodies;
  if (b->drive && b->drive[i].motion) return world_driven_pose(world, i, world->time + h);
  return (pose){v3_add_scaled(b->position[i], h, b->linear[i]),
                quat_normalize(quat_mul(quat_exp(v3_scale(h, b->angular[i])), b->rotation[i]))};
}

pose world_pose_after(const scree_world *world, size_t i, double h, v3 linear, v3 *angular) {
  const world_bodies *b = &world->bodies;
  if (b->kind[i] == SCREE_BODY_FIXED) return world_pose(world, i);
  if (b->kind[i] == SCREE_BODY_PRESCRIBED) return driven_pose_after(world, i, h);
  pose p = {v3_add_scaled(b->position[i], h, linear), b->rotation[i]};
  turn(&p.rotation, angular, b->inertia[i], h);
  return p;
}

world_way world_way_begin(const scree_world *world, size_t i, double h, v3 linear, v3 angular) {
  const world_bodies *b = &world->bodies;
  world_way way = {.body = i, .linear = linear, .angular = angular, .rotation = b->rotation[i]};
  if (b->kind[i] != SCREE_BODY_DYNAMIC || v3_norm2(angular) == 0.0 || is_round(b->inertia[i]))
    return way;
  way.momentum = momentum_of(way.rotation, angular, b->inertia[i]);
  way.part = h / parts_of(way.momentum, b->inertia[i], h);
  return way;
}

pose world_way_at(const scree_world *world, world_way *way, double t) {
  const world_bodies *b = &world->bodies;
  const size_t i = way->body;
  v3 angular = way->angular;
  if (way->part == 0.0) return world_pose_after(world, i, t, way->linear, &angular);
  for (; way->done + way->part <= t; way->done += way->part)
    turn_part(&way->rotation, way->momentum, b->inertia[i], way->part);
  pose p = {v3_add_scaled(b->position[i], t, way->linear), way->rotation};
  if (t > way->done) turn_part(&p.rotation, way->momentum, b->inertia[i], t - way->done);
  return p;
}
