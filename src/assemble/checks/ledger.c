/* The energy ledger of a step: who gave energy to the moving bodies and who took it.
 *
 * A step changes velocities by impulses alone, at the rotation of its start: M (v+ - v) = sum of
 * impulses p. So the kinetic energy changes by just the work of each on the mean velocity,
 *
 *   T(v+) - T(v) = sum p . (v + v+) / 2
 *
 * and every term below is such a product, whatever the size of the step:
 *
 *   contacts: p . (mean velocity of b at the point - that of a), with the impulses of impacts
 *   (impacts/impact.c); the normal part is `impacts`, the rest, with moments of rolling and
 * spinning, `friction`; both > 0 where energy is taken motions: what contacts and joints do to a
 * driven body, with its velocity; > 0: it gives; and what the moving surface of a belt does joints:
 * held rows, springs and limits of joints, as contacts; their dry friction is `friction`; motors:
 * rows and torques of motors; forces: loads set by the user; numerical: what rows of links took
 * beyond what their dampers took and what they store: the damping of an implicit step in what
 * swings
 *
 * Potential energy is taken at the middle of steps, where v is: then gravity's work is its change
 * to rounding. What is left over is the error of the step: turns of bodies without symmetry, forces
 * that depend on places, damping of stiff joints (joints/stiffness.c), changes of the step. */
#include <string.h>

#include "assemble/contacts/impulse.h"
#include "assemble/joints/joints.h"
#include "base/pieces.h"
#include "ccp/problem.h"
#include "model/link/link.h"

/* Of a body that was hit in the step, whose velocities are for now those that move it to where it
 * ends (impacts/impact.c); null: another one. */
static const impact_body *hit_body(const assembler *a, uint32_t i) {
  if (!a->impacts.count || a->order.rank[i] == SCREE_CCP_WORLD) return NULL;
  const impact_body *b = &a->impacts.body[a->order.rank[i]];
  return b->hit ? b : NULL;
}

/* What the impacts of the step have changed of its velocity. */
static v3 jump_of(const assembler *a, uint32_t i) {
  const impact_body *b = hit_body(a, i);
  if (!b) return v3_make(0, 0, 0);
  return v3_sub(v3_load(a->problem->bodies.body[a->order.rank[i]].v_free), b->free_linear);
}

/* Over the step; of a driven body its own motion. */
static mean_twist mean_of(const assembler *a, uint32_t i) {
  const world_bodies *b = &a->world->bodies;
  mean_twist end = {a->linear[i], a->angular[i]};
  if (!world_is_dynamic(a->world, i)) return end;
  const impact_body *hit = hit_body(a, i);
  if (hit) {
    end.linear = v3_add_scaled(end.linear, -1.0 / a->h, hit->shift_linear);
    end.angular = v3_add_scaled(end.angular, -1.0 / a->h, hit->shift_angular);
  }
  return (mean_twist){v3_scale(0.5, v3_add(b->linear[i], end.linear)),
                      v3_scale(0.5, v3_add(b->angular[i], end.angular))};
}

static void find_some_means(assembler *a, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++)
    if (a->world->bodies.alive[i]) a->mean[i] = mean_of(a, (uint32_t)i);
}

void assembler_find_means(assembler *a) {
  const size_t n = a->world->bodies.limit, pieces = pieces_of(n);
  if (pieces == 1) {
    find_some_means(a, 0, n);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(context_team(a->context, true))
  for (size_t k = 0; k < pieces; k++)
    find_some_means(a, pieces_begin(n, k), pieces_begin(n, k + 1));
}

/* ---- contacts ------------------------------------------------------------------------------- */

static bool is_driven(const assembler *a, uint32_t i) {
  return a->world->bodies.kind[i] == SCREE_BODY_PRESCRIBED;
}

static void add_contact(const assembler *a, size_t k, scree_ledger *out) {
  const cache_key *key = &collide_cache(a->collide)->now.key[k];
  const ccp_contact *c = &a->problem->bodies.contact[k];
  const v3 p = impulse_whole(a, k), m = impulse_moment(a, k), n = v3_load(c->normal);
  const v3 wa = a->mean[key->a].angular, wb = a->mean[key->b].angular;
  const v3 va = v3_add(a->mean[key->a].linear, v3_cross(wa, v3_load(c->arm_a)));
  const v3 vb = v3_add(a->mean[key->b].linear, v3_cross(wb, v3_load(c->arm_b)));
  const v3 image =
      periodic_moves(&a->world->box) ? assembler_image(a, k).velocity : v3_make(0, 0, 0);
  const v3 u = v3_add(v3_sub(vb, va), image);
  const double whole = v3_dot(p, u) + v3_dot(m, v3_sub(wb, wa));
  const double normal = v3_dot(p, n) * v3_dot(u, n);
  out->impacts -= normal;
  out->friction -= whole - normal;
  /* Work by the velocity of an image is that of whatever moves the periodic box. */
  out->motions -= v3_dot(p, image);
  if (a->laws.has_surfaces) {
    /* Work by the velocity of a belt's surface: the belt gives it, friction takes it. */
    const double work = v3_dot(p, assembler_belt(a, k, n));
    out->friction -= work;
    out->motions -= work;
  }
  if (is_driven(a, key->a)) out->motions += v3_dot(p, va) + v3_dot(m, wa);
  if (is_driven(a, key->b)) out->motions -= v3_dot(p, vb) + v3_dot(m, wb);
}

static void add_some_contacts(const assembler *a, size_t begin, size_t end, scree_ledger *out) {
  for (size_t k = begin; k < end; k++)
    if (a->g[a->problem->row_start[k]] != 0.0 ||
        (a->impacts.count && v3_norm2(a->impacts.impulse[k]) > 0.0))
      add_contact(a, k, out);
}

static void add_contacts(const assembler *a, scree_ledger *out) {
  const size_t n = a->memory.contact_count, pieces = pieces_of(n);
  scree_ledger piece[PIECES_MOST];
  if (pieces == 1) {
    add_some_contacts(a, 0, n, out);
    return;
  }
  memset(piece, 0, sizeof piece);
#pragma omp parallel for schedule(static) num_threads(context_team(a->context, true))
  for (size_t m = 0; m < pieces; m++)
    add_some_contacts(a, pieces_begin(n, m), pieces_begin(n, m + 1), &piece[m]);
  for (size_t m = 0; m < pieces; m++) {
    out->impacts += piece[m].impacts;
    out->friction += piece[m].friction;
    out->motions += piece[m].motions;
  }
}

/* An impact at the time t of the step turns a body round there: its end is shifted by t (v - v'),
 * and gravity works along that too. Speeds are those of the middle of the step, so the product of
 * impulse and mean velocity is off by just this work: with it an impact takes m (1 - e^2) u^2 / 2
 * with u at its time. Where the step is not as long as the one before, the mean is not that of the
 * start of the step, but half of what the kick is longer than the step before it. */
static void add_shifts(const assembler *a, scree_ledger *out) {
  const v3 gravity = v3_load(a->world->def.gravity);
  for (size_t k = 0; a->impacts.count && k < a->order.moving; k++) {
    const impact_body *b = &a->impacts.body[k];
    if (!b->hit) continue;
    const uint32_t i = a->order.body[k];
    const double before = 0.5 * (world_kick(a->world, i, a->h) - a->h);
    out->impacts += a->world->bodies.mass[i] *
                    v3_dot(gravity, v3_add_scaled(b->shift_linear, -before, jump_of(a, i)));
  }
}

double assembler_one_work(const assembler *a, size_t contact) {
  scree_ledger sum = {.impacts = 0.0};
  add_contact(a, contact, &sum);
  return -(sum.impacts + sum.friction);
}

double assembler_contact_work(const assembler *a) {
  scree_ledger sum = {.impacts = 0.0};
  add_contacts(a, &sum);
  add_shifts(a, &sum);
  return -(sum.impacts + sum.friction);
}

/* ---- joints --------------------------------------------------------------------------------- */

/* Work of a block's impulses on the bodies that move by them; what driven ones get is theirs. */
static double add_rows(const assembler *a, size_t block, scree_ledger *out) {
  const ccp_bodies *bodies = &a->problem->bodies;
  const size_t first = a->problem->row_start[block] - a->problem->row_start[bodies->contact_count];
  const size_t dim = (size_t)ccp_dim(a->problem, block);
  double work = 0.0;
  for (size_t k = 0; k < dim; k++) {
    const double g = a->g[a->problem->row_start[block] + k];
    for (size_t t = bodies->term_start[first + k]; t < bodies->term_start[first + k + 1]; t++) {
      const scree_ccp_term *term = &bodies->term[t];
      if (term->body == SCREE_CCP_WORLD) continue;
      const uint32_t i = a->order.body[term->body];
      const double one = g * (v3_dot(v3_load(term->coefficient), a->mean[i].linear) +
                              v3_dot(v3_load(term->coefficient + 3), a->mean[i].angular));
      work += one;
      if (is_driven(a, i)) out->motions -= one;
    }
  }
  return work;
}

double assembler_block_work(const assembler *a, size_t block) {
  scree_ledger others = {.motions = 0.0};
  return add_rows(a, block, &others);
}

static void add_load(const assembler *a, uint32_t i, double seconds, const body_load *load,
                     double *work) {
  *work +=
      seconds * (v3_dot(load->force, a->mean[i].linear) + v3_dot(load->torque, a->mean[i].angular));
}

static void add_torque_motors(const assembler *a, const joint *j, scree_ledger *out) {
  const scree_world *w = a->world;
  for (int k = 0; k < joint_class_of(j)->coordinates; k++) {
    if (j->coordinate[k].motor != SCREE_MOTOR_TORQUE) continue;
    const joint_view view = joint_view_of(w, j);
    const joint_row row = joint_coordinate_row(&view, k);
    const double value = joint_motor_value(&j->coordinate[k], w->time);
    for (int s = 0; s < JOINT_SIDES; s++) {
      const uint32_t i = j->body[s];
      if (i == WORLD_NO_BODY || !world_is_dynamic(w, i)) continue;
      const body_load load = {v3_scale(value, row.linear[s]), v3_scale(value, row.angular[s])};
      add_load(a, i, world_kick(w, i, a->h), &load, &out->motors);
    }
  }
}

/* A motor that starts: some body of its joint begins with a velocity that was given to it. */
static bool starts(const assembler *a, const joint_part *part) {
  const joint *j = &a->world->joint[part->joint];
  for (int s = 0; s < JOINT_SIDES && part->role == JOINT_PART_MOTOR; s++)
    if (j->body[s] != WORLD_NO_BODY && a->world->bodies.fresh[j->body[s]]) return true;
  return false;
}

/* Each rank has its joints. */
static void add_of_ranks(const assembler *a, double *motors, double *held, bool *begins) {
  double sums[2] = {*motors, *held}, most = *begins;
  if (!a->ranks) return;
  ranks_reduce(a->context->ranks, sums, 2, &most, 1);
  *motors = sums[0];
  *held = sums[1];
  *begins = most > 0.0;
}

/* Where bodies begin with velocities that their joints do not allow and a motor starts at the same
 * time, the product with the mean velocity cannot tell who of the two gave: the motor did, as held
 * rows alone only take. */
static void add_joints(const assembler *a, scree_ledger *own, scree_ledger *out) {
  const scree_world *w = a->world;
  double motors = 0.0, held = 0.0;
  bool begins = false;
  for (size_t k = 0; k < a->joints.count; k++) {
    const joint_part *part = &a->joints.part[k];
    const double work = add_rows(a, part->block, own);
    begins = begins || starts(a, part);
    if (part->role == JOINT_PART_FRICTION)
      own->friction -= work;
    else
      *(part->role == JOINT_PART_MOTOR ? &motors : &held) += work;
  }
  add_of_ranks(a, &motors, &held, &begins);
  const double given = begins ? fmax(held, 0.0) : 0.0;
  out->motors += motors + given;
  out->joints -= held - given;
  for (size_t k = 0; k < w->joint_limit; k++)
    if (w->joint[k].alive && !w->joint[k].broken) add_torque_motors(a, &w->joint[k], out);
}

/* A row of a link's inertia, of mass m and rate u, gave -m (u - u' - kick c g): what it took has
 * become kinetic and potential energy of the link. g, the impulse of the row, and its mean rate say
 * it: m = 1/compliance, and the offset -(u' + kick c g) is what u would be without it. */
static void add_link_inertia(const assembler *a, size_t block, double work, scree_ledger *out) {
  const scree_ccp *p = a->problem;
  const ccp_bodies *bodies = &p->bodies;
  const size_t first = p->row_start[block] - p->row_start[bodies->contact_count];
  double kinetic = 0.0;
  for (size_t k = 0; k < (size_t)ccp_dim(p, block); k++) {
    const size_t row = p->row_start[block] + k;
    double before = 0.0, mean = 0.0;
    for (size_t t = bodies->term_start[first + k]; t < bodies->term_start[first + k + 1]; t++) {
      const scree_ccp_term *term = &bodies->term[t];
      if (term->body == SCREE_CCP_WORLD) continue;
      const uint32_t i = a->order.body[term->body];
      const v3 c = v3_load(term->coefficient);
      before += v3_dot(c, a->world->bodies.linear[i]);
      mean += v3_dot(c, a->mean[i].linear);
    }
    kinetic += 2.0 * mean * (mean - before) / p->compliance[row];
  }
  out->kinetic += kinetic;
  out->potential -= work + kinetic;
}

/* What the dampers in a block of a link took: of its impulses the part -kick c u, u at the end. */
static double damper_work(const assembler *a, size_t block) {
  const scree_ccp *p = a->problem;
  const ccp_bodies *bodies = &p->bodies;
  const size_t first = p->row_start[block] - p->row_start[bodies->contact_count];
  const double *damping =
      a->joints.link_damping + p->row_start[block] - p->row_start[a->joints.link_block[0]];
  double work = 0.0;
  for (size_t k = 0; k < (size_t)ccp_dim(p, block); k++) {
    double before = 0.0, mean = 0.0;
    if (!(damping[k] > 0.0)) continue;
    for (size_t t = bodies->term_start[first + k]; t < bodies->term_start[first + k + 1]; t++) {
      const scree_ccp_term *term = &bodies->term[t];
      if (term->body == SCREE_CCP_WORLD) continue;
      const uint32_t i = a->order.body[term->body];
      const v3 c = v3_load(term->coefficient), turn = v3_load(term->coefficient + 3);
      before += v3_dot(c, a->world->bodies.linear[i]) + v3_dot(turn, a->world->bodies.angular[i]);
      mean += v3_dot(c, a->mean[i].linear) + v3_dot(turn, a->mean[i].angular);
    }
    work += a->kick * damping[k] * (2.0 * mean - before) * mean;
  }
  return work;
}

/* What links take; of it, what they store is moved to the potential energy by add_energies. */
static void add_links(const assembler *a, scree_ledger *own, scree_ledger *out) {
  const scree_world *w = a->world;
  for (size_t k = 0; k < w->link_limit; k++) {
    const world_link *l = &w->link[k];
    double load[LINK_DIM];
    if (!l->alive) continue;
    for (uint32_t b = a->joints.link_block[k]; b < a->joints.link_inertia[k]; b++) {
      const double taken = -add_rows(a, b, own), dampers = damper_work(a, b);
      own->joints += dampers;
      own->numerical += taken - dampers;
    }
    for (uint32_t b = a->joints.link_inertia[k]; b < a->joints.link_block[k + 1]; b++)
      add_link_inertia(a, b, add_rows(a, b, own), own);
    if (l->kind != SCREE_LINK_USER) continue;
    link_evaluate(w, l, load, NULL, NULL);
    for (uint32_t b = 0; b < l->body_count; b++) {
      const uint32_t i = l->body[b];
      if (i == WORLD_NO_BODY || !world_is_dynamic(w, i)) continue;
      const body_load one = {v3_load(load + 6 * b), v3_load(load + 6 * b + 3)};
      add_load(a, i, world_kick(w, i, a->h), &one, &out->forces);
    }
  }
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* Kinetic and potential energy at the middle of the step that has led to this velocity, with the
 * place `ahead` of that of the body. */
static void add_energy(const scree_world *w, size_t i, double sign, v3 ahead, scree_ledger *out) {
  const world_bodies *b = &w->bodies;
  const v3 inertia = b->inertia[i], x = v3_add(b->position[i], ahead);
  double turn = inertia.x * v3_norm2(b->angular[i]);
  if (inertia.x != inertia.y || inertia.y != inertia.z) {
    const v3 s = quat_rotate_inverse(b->rotation[i], b->angular[i]);
    turn = inertia.x * s.x * s.x + inertia.y * s.y * s.y + inertia.z * s.z * s.z;
  }
  out->kinetic += sign * 0.5 * (b->mass[i] * v3_norm2(b->linear[i]) + turn);
  out->potential -= sign * b->mass[i] * v3_dot(v3_load(w->def.gravity), x);
}

/* Before the step (sign < 0) and after it. Gravity's work is its kick times the mean velocity, and
 * the way from the middle of a step to the middle of the next is that long where both take the same
 * time. Else, as from a start or in parts, the place before is taken by (h - h') (v - v') / 4
 * ahead: it is where a fall of steps of this length comes from. An impact has no part in that. */
static void add_some_energies(const assembler *a, double sign, double step, size_t begin,
                              size_t end, scree_ledger *out) {
  const scree_world *w = a->world;
  const world_bodies *b = &w->bodies;
  for (size_t i = begin; i < end; i++) {
    if (!world_is_dynamic(w, i)) continue;
    const double half = sign < 0.0 && b->fresh[i] ? 0.0 : 0.5 * step;
    v3 ahead = v3_scale(-half, b->linear[i]);
    if (sign < 0.0) {
      const v3 mean = v3_add_scaled(a->mean[i].linear, -0.5, jump_of(a, (uint32_t)i));
      ahead = v3_add_scaled(ahead, half - 0.5 * a->h, v3_sub(b->linear[i], mean));
    }
    add_energy(w, i, sign, ahead, out);
  }
}

static void add_energies(const assembler *a, double sign, double step, scree_ledger *out) {
  const scree_world *w = a->world;
  const size_t n = w->bodies.limit, pieces = pieces_of(n);
  if (pieces == 1) {
    add_some_energies(a, sign, step, 0, n, out);
  } else {
    scree_ledger piece[PIECES_MOST];
    memset(piece, 0, sizeof piece);
#pragma omp parallel for schedule(static) num_threads(context_team(a->context, true))
    for (size_t m = 0; m < pieces; m++)
      add_some_energies(a, sign, step, pieces_begin(n, m), pieces_begin(n, m + 1), &piece[m]);
    for (size_t m = 0; m < pieces; m++) {
      out->kinetic += piece[m].kinetic;
      out->potential += piece[m].potential;
    }
  }
  const double elastic = w->link_count ? link_energy(w) : 0.0;
  out->potential += sign * (world_pairwise_energy(w) + elastic);
  out->numerical -= sign * elastic;
}

/* Loads that changed with this step were not there in its first half; nor was gravity's change. */
static void add_late(const assembler *a, scree_ledger *out) {
  const scree_world *w = a->world;
  const world_bodies *b = &w->bodies;
  const bool gravity = v3_norm2(w->late_gravity) > 0.0;
  for (uint32_t i = 0; (b->late || gravity) && i < b->limit; i++) {
    if (!world_is_dynamic(w, i) || b->fresh[i]) continue;
    out->potential += b->mass[i] * v3_dot(w->late_gravity, a->mean[i].linear);
    if (!b->late) continue;
    add_load(a, i, -1.0, &b->late[i].by[LATE_FORCES], &out->forces);
    add_load(a, i, -1.0, &b->late[i].by[LATE_MOTORS], &out->motors);
  }
}

/* What each of several ranks has found about its contacts, joints and links. */
static void add_own(const assembler *a, const scree_ledger *own, scree_ledger *out) {
  double sums[7] = {own->impacts,   own->friction, own->motions,  own->joints,
                    own->numerical, own->kinetic,  own->potential};
  ranks_reduce(a->context->ranks, sums, 7, NULL, 0);
  out->impacts += sums[0];
  out->friction += sums[1];
  out->motions += sums[2];
  out->joints += sums[3];
  out->numerical += sums[4];
  out->kinetic += sums[5];
  out->potential += sums[6];
}

/* In a step of several parts `out` has what the parts before have found, of all ranks. */
void assembler_open_ledger(assembler *a, scree_ledger *out) {
  const world_bodies *b = &a->world->bodies;
  scree_ledger part = {.impacts = 0.0}, *own = a->ranks ? &part : out;
  assembler_find_means(a);
  add_contacts(a, own);
  add_shifts(a, own);
  add_joints(a, own, out);
  add_links(a, own, out);
  if (a->ranks) add_own(a, own, out);
  for (size_t i = 0; (b->load || b->step_load) && i < b->limit; i++) {
    if (!world_is_dynamic(a->world, i)) continue;
    const uint32_t body = (uint32_t)i;
    if (b->load) add_load(a, body, world_kick(a->world, i, a->h), &b->load[i], &out->forces);
    if (b->step_load) add_load(a, body, a->h, &b->step_load[i], &out->forces);
  }
  add_late(a, out);
  add_energies(a, -1.0, a->world->step, out);
}

void assembler_close_ledger(const assembler *a, scree_ledger *out) {
  add_energies(a, 1.0, a->h, out);
  const double given = out->motors + out->motions + out->forces;
  const double taken = out->friction + out->impacts + out->joints + out->numerical;
  out->error = out->kinetic + out->potential - given + taken;
}
