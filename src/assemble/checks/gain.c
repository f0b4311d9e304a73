/* Does the step that was solved give energy from nowhere? Then it is better made in parts.
 *
 * Three things do work on the bodies that should do none, or only take, each of them impulses times
 * the mean of the velocities before and after (ledger.c):
 *
 *   the damping of joints under load (joints/stiffness.c) holds a body to the slow part of its
 * turning; a link that is thrown round in the step is driven by it; and where an impact loads the
 * joints for one step alone, it takes what a shorter step would have left held rows of joints:
 * before the step bodies part along them by half of what their motion bends in the step before,
 * after it they close by half of what it bends in this one. The two are one where the motion is
 * smooth; where it is not, or where a jolt makes the impulses large, they give or take contacts of
 * a body that bounces in the step and whose turn then leads another corner of it into the wall: the
 * cone problem pushes that out, against a velocity that leads away
 *
 * All of it is of second order in the turns of the step, so that parts of half its length have a
 * quarter of it. Parts may give as much of the step's share as they are long: else a step of many
 * parts would give many times what one may.
 *
 * The second of them has a better cure. A jolt, as of a slack chain that a load pulls taut, has
 * impulses far above those of the motion, g times the speed that the bend of the way has along the
 * rows: J = 60 N s of a load of 10 kg and links that turn with 60 rad/s at arms of 5 cm make
 * J h w^2 r / 4 = 13 J at 5 ms. So the step is solved again with rows that do no work whatever g
 * is, D'v+ = -D'v- (joints/blocks.c), and what that leaves of the bend is taken back by the next
 * step, under its ordinary load. */
#include <math.h>

#include "assemble/joints/joints.h"
#include "ccp/problem.h"

/* Limits, as parts of the kinetic energy of the bodies concerned: a step that gives more is made in
 * parts. */
static const double give_work = 0.005, much_damping = 0.005, much_work = 0.02, much_bounce = 0.01,
                    much_lost = 0.02, much_taken = 0.05;
/* rad: joints whose bodies turn less in the step hold well enough, and light links under a heavy
 * load swing too fast for parts of any length that is worth it; and a lower one for solving the
 * step again. */
static const double fast = 0.1, fast_give = 0.02;

/* Parts of a step no longer than this are not checked: they are taken whatever energy they give. */
static const double least_part = 1.0 / 256.0;

static double kinetic(const assembler *a, uint32_t i, v3 linear, v3 angular) {
  const world_bodies *b = &a->world->bodies;
  const v3 j = b->inertia[i], w = quat_rotate_inverse(b->rotation[i], angular);
  return 0.5 *
         (b->mass[i] * v3_norm2(linear) + j.x * w.x * w.x + j.y * w.y * w.y + j.z * w.z * w.z);
}

/* The larger one of before and after the step. */
static double most_kinetic(const assembler *a, uint32_t i) {
  const world_bodies *b = &a->world->bodies;
  if (i == WORLD_NO_BODY || !world_is_dynamic(a->world, i)) return 0.0;
  const v3 linear = v3_sub(v3_scale(2.0, a->mean[i].linear), b->linear[i]);
  const v3 angular = v3_sub(v3_scale(2.0, a->mean[i].angular), b->angular[i]);
  return fmax(kinetic(a, i, b->linear[i], b->angular[i]), kinetic(a, i, linear, angular));
}

static bool is_held(const joint_part *part, const joint *j) {
  return part->role == JOINT_PART_HELD && !(j->compliance > 0.0) && j->kind != SCREE_JOINT_BUSHING;
}

/* A rope that holds. */
static bool is_taut(const joint_part *part, const joint *j) {
  return part->role == JOINT_PART_HIGH && j->kind == SCREE_JOINT_ROPE;
}

/* What a bar or a rope turns by in the step, rad: its ends may be points. */
static double line_turn(const assembler *a, const joint *j, double h) {
  if (j->kind != SCREE_JOINT_DISTANCE && j->kind != SCREE_JOINT_ROPE) return 0.0;
  const joint_view view = joint_view_of(a->world, j);
  v3 apart = v3_make(0, 0, 0);
  for (int s = 0; s < 2; s++) {
    const uint32_t i = j->body[s];
    if (i == WORLD_NO_BODY) continue;
    const v3 arm = v3_sub(view.frame[s == SIDE_A ? FRAME_A : FRAME_B].position, view.center[s]);
    const v3 speed = v3_add(a->linear[i], v3_cross(a->angular[i], arm));
    apart = v3_add_scaled(apart, s == SIDE_A ? -1.0 : 1.0, speed);
  }
  const v3 way = v3_sub(view.frame[FRAME_A].position, view.frame[FRAME_B].position);
  const double length2 = v3_norm2(way);
  return length2 > 0.0 ? h * v3_norm(v3_cross(way, apart)) / length2 : 0.0;
}

static bool works(const assembler *a, size_t k) {
  const joint_part *part = &a->joints.part[k];
  const joint *j = &a->world->joint[part->joint];
  return is_held(part, j) || is_taut(part, j);
}

/* The most that a body with joints turns by in the step, rad. */
static double joint_turn(const assembler *a, double h) {
  double turn = 0.0;
  for (size_t k = 0; k < a->joints.count; k++) {
    const joint *j = &a->world->joint[a->joints.part[k].joint];
    if (!works(a, k)) continue;
    turn = fmax(turn, line_turn(a, j, h));
    for (int s = 0; s < JOINT_SIDES; s++)
      if (j->body[s] != WORLD_NO_BODY) turn = fmax(turn, h * v3_norm(a->angular[j->body[s]]));
  }
  if (a->ranks) ranks_reduce(a->context->ranks, NULL, 0, &turn, 1);
  return turn;
}

/* Of all bodies with joints. */
static double joint_kinetic(const assembler *a) {
  double sum = 0.0;
  for (size_t k = 0; k < a->joints.count; k++)
    for (int s = 0; works(a, k) && s < JOINT_SIDES; s++)
      sum += most_kinetic(a, a->world->joint[a->joints.part[k].joint].body[s]);
  if (a->ranks) return ranks_sum(a->context->ranks, sum);
  return sum;
}

static double damping_work(const assembler *a) {
  const world_bodies *b = &a->world->bodies;
  double sum = 0.0;
  for (size_t k = 0; a->joints.stiff && k < a->order.moving; k++) {
    const uint32_t i = a->order.body[k];
    if (!world_is_dynamic(a->world, i) || (a->ranks && !a->ranks->has(a->ranks, a, &i, 1)))
      continue;
    const v3 lag = v3_sub(b->slow_turn[i], a->angular[i]);
    const v3 behind = v3_sub(b->slow_way[i], a->linear[i]);
    sum += v3_dot(sym3_mul_v3(a->joints.stiffness[i], lag), a->mean[i].angular) +
           a->joints.drag[i] * v3_dot(behind, a->mean[i].linear);
  }
  return a->ranks ? ranks_sum(a->context->ranks, sum) : sum;
}

static double held_work(const assembler *a) {
  double work = 0.0;
  for (size_t k = 0; k < a->joints.count; k++) {
    const joint_part *part = &a->joints.part[k];
    if (is_held(part, &a->world->joint[part->joint])) work += assembler_block_work(a, part->block);
  }
  return a->ranks ? ranks_sum(a->context->ranks, work) : work;
}

static bool joints_gain(const assembler *a, const assembler_params *params) {
  const double turn = joint_turn(a, params->h);
  if (!(turn > fast_give)) return false;
  const double whole = params->h / assembler_whole(params) * joint_kinetic(a);
  const double damping = damping_work(a);
  if (damping > much_damping * whole || damping < -much_taken * whole) return true;
  return turn > fast && held_work(a) > much_work * whole;
}

/* True at most once per step: `workless` says that it was solved again so that held rows do no
 * work. */
bool assembler_joints_give(assembler *a, const assembler_params *params) {
  if (!a->joints.all || a->joints.workless || !(joint_turn(a, params->h) > fast_give)) return false;
  assembler_find_means(a);
  a->joints.workless = held_work(a) > give_work * joint_kinetic(a);
  return a->joints.workless;
}

static bool bounces_gain(const assembler *a) {
  double whole = 0.0;
  for (size_t k = 0; k < a->order.moving; k++) whole += most_kinetic(a, a->order.body[k]);
  return assembler_contact_work(a) > much_bounce * whole;
}

/* The other way round: a contact of the end of the step (late.c) has no time at which it is hit and
 * does not bounce. What it takes of a material that should give it back is lost, unless parts of
 * the step see it come. */
static bool bounces_lost(const assembler *a) {
  const cache_key *key = collide_cache(a->collide)->now.key;
  const world_bodies *b = &a->world->bodies;
  double lost = 0.0, whole = 0.0;
  for (size_t k = 0; k < a->memory.contact_count; k++) {
    const uint32_t i = key[k].a, j = key[k].b;
    if (!a->impacts.given[k] || !(a->g[a->problem->row_start[k]] > 0.0)) continue;
    const double e = world_pair(a->world, b->material[i], b->material[j])->restitution;
    lost -= e * e * fmin(assembler_one_work(a, k), 0.0);
    whole += most_kinetic(a, i) + most_kinetic(a, j);
  }
  return lost > much_lost * whole;
}

bool assembler_gains(assembler *a, const assembler_params *params) {
  const bool joints = a->joints.all > 0, impacts = a->impacts.count > 0;
  const bool late = params->again && a->impacts.bounces && a->late.count > 0;
  if (!(joints || impacts || late) || params->h <= least_part * assembler_whole(params))
    return false;
  assembler_find_means(a);
  return (joints && joints_gain(a, params)) || (impacts && bounces_gain(a)) ||
         (late && bounces_lost(a));
}
