/* Impacts: bodies that hit each other within the step and bounce.
 *
 * They come before the cone problem of the step, as jumps of the free velocities, one pair after
 * the other in the order of their times; what the problem then sees flies apart. A pair hits when a
 * contact of its closes, gap + t u_n = 0 at a time t of the step, faster than the threshold of its
 * material. Each body moves along straight pieces, x(t) = x + s + t v: at a jump at the time t from
 * v to v' its shift s grows by t (v - v'), so the end of the step is where a body is that turned
 * round at the surface, not where it was at the start. Turns
 * have no shift but those of even inertia: angular momentum and energy of the others are kept at
 * once only along a free turn from the start. The hit is as fast as at its time: v is that
 * of the middle of the step, h A away from the one before, so u(t) = u + (t - h/2) A.
 *
 * One impact has Poisson's two phases with friction, over the contacts of the pair that are closed
 * at its time (N = D' W D, W = M^-1; P in the cone of Coulomb, |P_t| <= mu P_n):
 *
 *   compression   u_c = u + N P,                  0 <= P_n | u_cn >= 0,   P_t against u_ct
 *   expansion     u'  = u_c + N Q,          e P_n <= Q_n | u'_n >= 0,   Q_t against u'_t
 *
 * Kinetic energy T never grows: the first phase takes away |D P|_W^2 / 2 - P.u_c, both parts >= 0.
 * Q = e P is possible in the second one, and would add e^2 |D P|_W^2 / 2 + e P.u_c, no more than
 * that. The Q taken has less energy than that: with the normals given it is the one of the least T.
 * Should rounding or a cone without solution (Painleve) make T grow all the same, Q = e P is taken,
 * and P is found in the convex form, which always has a solution.
 *
 * One after the other is what a row of equal balls does: the last one leaves alone. Two bodies that
 * rest on others hand on what they get in the next round, until nothing is faster than the
 * threshold, or the rounds are used up; what is left does not bounce: the cone problem takes it.
 *
 * Bodies with joints are not free to jump: their contacts keep Newton's law in the cone problem
 * (bounce.c), as do those of materials with restitution_law newton. */
#include <stdlib.h>
#include <string.h>

#include "assemble/assembler.h"
#include "ccp/problem.h"

enum { MOST_ROUNDS = 256, MOST_POINTS = 64, MOST_SWEEPS = 400 };
static const double closed_range = 1e-4; /* of the diameter: hit at one time */
static const double converged = 1e-14;   /* of the speed of the impact */

typedef struct twist {
  v3 linear, angular;
} twist;

/* Contacts of one pair. */
typedef struct impact_pair {
  uint32_t first, count;
  uint32_t rank[2]; /* SCREE_CCP_WORLD: does not move */
  double time;      /* of the next hit, s; infinite: none */
  double restitution, friction, threshold, diameter;
  bool live; /* it hits in this step */
} impact_pair;

static twist free_twist(const assembler *a, uint32_t rank) {
  if (rank == SCREE_CCP_WORLD) return (twist){{0, 0, 0}, {0, 0, 0}};
  const double *v = a->problem->bodies.body[rank].v_free;
  return (twist){v3_load(v), v3_load(v + 3)};
}

static v3 at_arm(twist v, const double *arm) {
  return v3_add(v.linear, v3_cross(v.angular, v3_load(arm)));
}

/* b against a of one of the twists that a body has. */
typedef enum twist_kind { VELOCITY, SHIFT, ACCELERATION } twist_kind;

static twist part_of(const assembler *a, uint32_t rank, twist_kind which) {
  if (which == VELOCITY) return free_twist(a, rank);
  if (rank == SCREE_CCP_WORLD) return (twist){{0, 0, 0}, {0, 0, 0}};
  const impact_body *b = &a->impacts.body[rank];
  if (which == SHIFT) return (twist){b->shift_linear, b->shift_angular};
  return (twist){b->force_linear, b->force_angular};
}

static v3 between(const assembler *a, const ccp_contact *c, twist_kind which) {
  const v3 u = v3_sub(at_arm(part_of(a, c->body_b, which), c->arm_b),
                      at_arm(part_of(a, c->body_a, which), c->arm_a));
  if (which != VELOCITY || !periodic_moves(&a->world->box)) return u;
  return v3_add(u, assembler_image(a, (size_t)(c - a->problem->bodies.contact)).velocity);
}

static double body_time(const assembler *a, uint32_t rank) {
  return rank == SCREE_CCP_WORLD ? 0.0 : a->impacts.body[rank].time;
}

/* ---- one impact ----------------------------------------------------------------------------- */

typedef struct impact_point {
  const ccp_contact *c;
  uint32_t index;
  v3 u;    /* of b against a, world frame, m/s */
  v3 p, q; /* impulses on b in the frame (n, t1, t2), N s: compression, expansion */
  v3 normal, t1, t2;
  double push_n, push_t; /* N_nn, the largest of the tangents, 1/kg */
} impact_point;

typedef struct impact {
  const assembler *a;
  uint32_t rank[2];
  twist jump[2]; /* since the start of the phase */
  impact_point point[MOST_POINTS];
  int count;
  double friction;
} impact;

static bool moves(const assembler *a, uint32_t rank) {
  return rank != SCREE_CCP_WORLD && a->problem->bodies.body[rank].inverse_mass > 0.0;
}

static twist answer(const assembler *a, uint32_t rank, const double *arm, v3 impulse) {
  if (!moves(a, rank)) return (twist){{0, 0, 0}, {0, 0, 0}};
  const scree_ccp_body_def *d = &a->problem->bodies.body[rank];
  return (twist){v3_scale(d->inverse_mass, impulse),
                 sym3_mul_v3(d->inverse_inertia, v3_cross(v3_load(arm), impulse))};
}

static void give(impact *m, const impact_point *k, v3 impulse) {
  const twist a = answer(m->a, m->rank[0], k->c->arm_a, impulse);
  const twist b = answer(m->a, m->rank[1], k->c->arm_b, impulse);
  m->jump[0].linear = v3_sub(m->jump[0].linear, a.linear);
  m->jump[0].angular = v3_sub(m->jump[0].angular, a.angular);
  m->jump[1].linear = v3_add(m->jump[1].linear, b.linear);
  m->jump[1].angular = v3_add(m->jump[1].angular, b.angular);
}

static v3 velocity(const impact *m, const impact_point *k) {
  return v3_add(k->u, v3_sub(at_arm(m->jump[1], k->c->arm_b), at_arm(m->jump[0], k->c->arm_a)));
}

static double push_along(const impact *m, const impact_point *k, v3 d) {
  const twist a = answer(m->a, m->rank[0], k->c->arm_a, d);
  const twist b = answer(m->a, m->rank[1], k->c->arm_b, d);
  return v3_dot(d, v3_add(at_arm(a, k->c->arm_a), at_arm(b, k->c->arm_b)));
}

/* The larger eigenvalue along the tangents. */
static double most_push(const impact *m, const impact_point *k) {
  const double a = push_along(m, k, k->t1), b = push_along(m, k, k->t2);
  const double both = push_along(m, k, v3_add(k->t1, k->t2)), c = 0.5 * (both - a - b);
  return 0.5 * (a + b) + hypot(0.5 * (a - b), c);
}

static v3 in_world(const impact_point *k, v3 p) {
  return v3_add(v3_scale(p.x, k->normal), v3_add(v3_scale(p.y, k->t1), v3_scale(p.z, k->t2)));
}

/* A point in its turn: the normal first, not below `least`, then the tangents within the disc; or
 * all at once by the projection on the cone, where `convex`. Returns the change of velocity. */
static double turn(impact *m, impact_point *k, v3 *p, double least, bool convex) {
  const v3 before = *p;
  v3 u = velocity(m, k);
  p->x = fmax(least, p->x - v3_dot(k->normal, u) / k->push_n);
  if (m->friction > 0.0) {
    if (!convex) {
      give(m, k, v3_scale(p->x - before.x, k->normal));
      u = velocity(m, k);
    }
    const double step = 1.0 / (convex ? k->push_n + 2.0 * k->push_t : k->push_t);
    if (convex) p->x = before.x - step * v3_dot(k->normal, u);
    p->y -= step * v3_dot(k->t1, u);
    p->z -= step * v3_dot(k->t2, u);
    const double t = hypot(p->y, p->z), mu = m->friction;
    double most = mu * p->x;
    if (convex && t > most) {
      p->x = fmax(0.0, (p->x + mu * t) / (1.0 + mu * mu));
      most = mu * p->x;
    }
    if (t > most) {
      p->y *= most / t;
      p->z *= most / t;
    }
    if (!convex) {
      give(m, k, v3_add(v3_scale(p->y - before.y, k->t1), v3_scale(p->z - before.z, k->t2)));
      return fmax(k->push_n * fabs(p->x - before.x),
                  k->push_t * hypot(p->y - before.y, p->z - before.z));
    }
  }
  const v3 change = v3_sub(*p, before);
  give(m, k, in_world(k, change));
  return fmax(k->push_n, k->push_t) * v3_norm(change);
}

/* Sweeps over the points until nothing changes. */
static bool settle(impact *m, bool expand, double e, double speed, bool convex) {
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    double change = 0.0;
    for (int i = 0; i < m->count; i++) {
      impact_point *k = &m->point[i];
      const double moved =
          expand ? turn(m, k, &k->q, e * k->p.x, false) : turn(m, k, &k->p, 0.0, convex);
      change = fmax(change, moved);
    }
    if (!(change < 1e100 * speed)) return false;
    if (change <= converged * speed) return true;
  }
  return false;
}

/* The work of a phase: impulses times the mean of the velocities before and after it. */
static double work(const impact *m, bool expand) {
  double sum = 0.0;
  for (int i = 0; i < m->count; i++) {
    const impact_point *k = &m->point[i];
    const v3 mean = v3_scale(0.5, v3_add(k->u, velocity(m, k)));
    sum += v3_dot(in_world(k, expand ? k->q : k->p), mean);
  }
  return sum;
}

static void start_phase(impact *m) {
  for (int i = 0; i < m->count; i++) m->point[i].u = velocity(m, &m->point[i]);
  m->jump[0] = m->jump[1] = (twist){{0, 0, 0}, {0, 0, 0}};
}

static void compress(impact *m, double speed) {
  if (settle(m, false, 0.0, speed, false) && work(m, false) <= 0.0) return;
  m->jump[0] = m->jump[1] = (twist){{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < m->count; i++) m->point[i].p = v3_make(0, 0, 0);
  settle(m, false, 0.0, speed, true);
}

/* From Q = e P; `taken`: the energy that the compression took. */
static double expand(impact *m, double e, double speed, double taken) {
  const twist none = {{0, 0, 0}, {0, 0, 0}};
  start_phase(m);
  for (int round = 0; round < 2; round++) {
    m->jump[0] = m->jump[1] = none;
    for (int i = 0; i < m->count; i++) {
      impact_point *k = &m->point[i];
      k->q = v3_scale(e, k->p);
      give(m, k, in_world(k, k->q));
    }
    if (round == 1) break;
    settle(m, true, e, speed, false);
    if (work(m, true) <= taken) break;
  }
  return work(m, true);
}

static void apply(assembler *a, impact *m, const twist jump[2], double time) {
  for (int side = 0; side < 2; side++) {
    const uint32_t rank = m->rank[side];
    if (!moves(a, rank)) continue;
    impact_body *b = &a->impacts.body[rank];
    double *v = a->problem->bodies.body[rank].v_free;
    v3_store(v, v3_add(v3_load(v), jump[side].linear));
    v3_store(v + 3, v3_add(v3_load(v + 3), jump[side].angular));
    b->shift_linear = v3_add_scaled(b->shift_linear, -time, jump[side].linear);
    if (b->even) b->shift_angular = v3_add_scaled(b->shift_angular, -time, jump[side].angular);
    b->time = time;
    b->hit = b->changed = true;
  }
}

static twist sum_of(twist a, twist b) {
  return (twist){v3_add(a.linear, b.linear), v3_add(a.angular, b.angular)};
}

static void collide_pair(assembler *a, const impact_pair *pair, double h) {
  impact m = {.a = a, .rank = {pair->rank[0], pair->rank[1]}, .friction = pair->friction};
  double speed = 0.0;
  for (uint32_t k = pair->first; k < pair->first + pair->count && m.count < MOST_POINTS; k++) {
    const ccp_contact *c = &a->problem->bodies.contact[k];
    const v3 n = v3_load(c->normal), u = between(a, c, VELOCITY);
    const double gap =
        (double)a->memory.gap[k] + v3_dot(n, v3_add_scaled(between(a, c, SHIFT), pair->time, u));
    if (gap > closed_range * pair->diameter) continue;
    impact_point *p = &m.point[m.count++];
    *p = (impact_point){.c = c, .index = k, .normal = n, .t1 = v3_load(c->tangent)};
    p->t2 = v3_cross(n, p->t1);
    p->u = v3_add_scaled(u, pair->time - 0.5 * h, between(a, c, ACCELERATION));
    if (a->laws.has_surfaces) p->u = v3_add(p->u, assembler_belt(a, k, n));
    p->push_n = push_along(&m, p, n);
    p->push_t = most_push(&m, p);
    speed = fmax(speed, v3_norm(p->u));
  }
  compress(&m, speed);
  const double taken = -work(&m, false);
  const twist first[2] = {m.jump[0], m.jump[1]};
  a->impacts.work += expand(&m, pair->restitution, speed, taken) - taken;
  const twist jump[2] = {sum_of(first[0], m.jump[0]), sum_of(first[1], m.jump[1])};
  for (int i = 0; i < m.count; i++) {
    const impact_point *k = &m.point[i];
    a->impacts.impulse[k->index] =
        v3_add(a->impacts.impulse[k->index], in_world(k, v3_add(k->p, k->q)));
  }
  apply(a, &m, jump, pair->time);
  a->impacts.count++;
}

/* ---- which ---------------------------------------------------------------------------------- */

/* When the pair hits next; infinite: not in this step. */
static double next_hit(const assembler *a, const impact_pair *pair, double h) {
  const double now = fmax(body_time(a, pair->rank[0]), body_time(a, pair->rank[1]));
  double first = INFINITY;
  for (uint32_t k = pair->first; k < pair->first + pair->count; k++) {
    const ccp_contact *c = &a->problem->bodies.contact[k];
    const v3 n = v3_load(c->normal);
    const double u = v3_dot(n, between(a, c, VELOCITY));
    if (!(u < 0.0)) continue;
    const double force = v3_dot(n, between(a, c, ACCELERATION));
    const double gap = (double)a->memory.gap[k] + v3_dot(n, between(a, c, SHIFT)) + now * u;
    const double t = gap > 0.0 ? now - gap / u : now;
    /* An approach that the forces of this step alone have caused is no impact. */
    if (t > h || !(u - h * force < -pair->threshold) || !(u + (t - 0.5 * h) * force < 0.0))
      continue;
    first = fmin(first, t);
  }
  return first;
}

static scree_status reserve(assembler *a) {
  const size_t pairs = a->memory.contact_count;
  if (memory_grow(a->context, &a->impacts.row, a->order.moving + 2, sizeof *a->impacts.row) ||
      memory_grow(a->context, &a->impacts.list, 2 * pairs, sizeof *a->impacts.list) ||
      memory_grow(a->context, &a->impacts.live, pairs, sizeof *a->impacts.live))
    return SCREE_ERROR_MEMORY;
  if (memory_grow(a->context, &a->impacts.body, a->order.moving, sizeof *a->impacts.body) ||
      memory_grow(a->context, &a->impacts.impulse, a->memory.contact_count,
                  sizeof *a->impacts.impulse) ||
      memory_grow(a->context, &a->impacts.pair, pairs, sizeof *a->impacts.pair) ||
      assembler_reserve_apart(a))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

static void start_bodies(assembler *a, double h) {
  const world_bodies *b = &a->world->bodies;
  for (size_t k = 0; k < a->order.moving; k++) {
    const uint32_t i = a->order.body[k];
    const double *v = a->problem->bodies.body[k].v_free;
    impact_body *body = &a->impacts.body[k];
    *body = (impact_body){.free_linear = v3_load(v), .free_angular = v3_load(v + 3)};
    if (!world_is_dynamic(a->world, i)) continue;
    body->even = b->inertia[i].x == b->inertia[i].y && b->inertia[i].y == b->inertia[i].z;
    world_force_rates(a->world, i, h, body->free_linear, body->free_angular, &body->force_linear,
                      &body->force_angular);
  }
}

static size_t find_pairs(assembler *a, const assembler_params *params) {
  const cache_key *key = collide_cache(a->collide)->now.key;
  const world_bodies *b = &a->world->bodies;
  size_t count = 0;
  for (size_t k = 0, next; k < a->memory.contact_count; k = next) {
    next = k + 1;
    while (next < a->memory.contact_count && key[next].a == key[k].a && key[next].b == key[k].b)
      next++;
    const scree_material_def *m =
        world_pair(a->world, b->material[key[k].a], b->material[key[k].b]);
    if (!law_bounces(m) || m->restitution_law == SCREE_RESTITUTION_NEWTON) continue;
    const ccp_contact *c = &a->problem->bodies.contact[k];
    impact_pair pair = {
        .first = (uint32_t)k,
        .count = (uint32_t)(next - k),
        .rank = {c->body_a, c->body_b},
        .restitution = m->restitution,
        .friction = m->friction_kinetic > 0.0 ? m->friction_kinetic : m->friction,
        .threshold = law_threshold(m, 2.0 * assembler_whole(params) * a->gravity),
        .diameter = view_less(b->diameter[key[k].a], b->diameter[key[k].b]),
    };
    while (pair.count > 0 && a->impacts.given[k + pair.count - 1]) pair.count--;
    if (!pair.count || a->impacts.joined[key[k].a] || a->impacts.joined[key[k].b]) continue;
    pair.time = next_hit(a, &pair, params->h);
    a->impacts.pair[count++] = pair;
  }
  return count;
}

/* The pairs of each body of the problem, in rows; a world of many grains has few impacts. */
static void sort_pairs(assembler *a, size_t pairs) {
  uint32_t *start = a->impacts.row, *list = a->impacts.list;
  memset(start, 0, (a->order.moving + 2) * sizeof *start);
  for (size_t k = 0; k < pairs; k++)
    for (int side = 0; side < 2; side++)
      if (a->impacts.pair[k].rank[side] != SCREE_CCP_WORLD)
        start[a->impacts.pair[k].rank[side] + 2]++;
  for (size_t k = 0; k < a->order.moving; k++) start[k + 2] += start[k + 1];
  for (size_t k = 0; k < pairs; k++)
    for (int side = 0; side < 2; side++)
      if (a->impacts.pair[k].rank[side] != SCREE_CCP_WORLD)
        list[start[a->impacts.pair[k].rank[side] + 1]++] = (uint32_t)k;
}

/* The pairs that hit: those of the first round. */
static size_t find_live(assembler *a, size_t pairs, double h) {
  size_t count = 0;
  for (size_t k = 0; k < pairs; k++) {
    a->impacts.pair[k].live = a->impacts.pair[k].time <= h;
    if (a->impacts.pair[k].live) a->impacts.live[count++] = (uint32_t)k;
  }
  return count;
}

static void note_first(assembler *a, uint32_t rank, double time, size_t pair) {
  if (rank == SCREE_CCP_WORLD) return;
  impact_body *b = &a->impacts.body[rank];
  if (b->first_pair != SIZE_MAX && (b->first < time || (b->first == time && b->first_pair < pair)))
    return;
  b->first = time;
  b->first_pair = pair;
}

static bool is_first(const assembler *a, uint32_t rank, size_t pair) {
  return !moves(a, rank) || a->impacts.body[rank].first_pair == pair;
}

/* What a body that was hit meets now. */
static size_t look_around(assembler *a, uint32_t rank, double h, size_t live) {
  if (rank == SCREE_CCP_WORLD || !a->impacts.body[rank].changed) return live;
  a->impacts.body[rank].changed = false;
  for (uint32_t m = a->impacts.row[rank]; m < a->impacts.row[rank + 1]; m++) {
    impact_pair *p = &a->impacts.pair[a->impacts.list[m]];
    p->time = next_hit(a, p, h);
    if (p->time > h || p->live) continue;
    p->live = true;
    a->impacts.live[live++] = a->impacts.list[m];
  }
  return live;
}

/* Every pair that is the first one for both of its bodies. Those that hit next are the live ones;
 * returns how many they are. */
static size_t round_of(assembler *a, size_t live, double h) {
  size_t kept = 0;
  const size_t before = live;
  for (size_t m = 0; m < live; m++)
    for (int side = 0; side < 2; side++) {
      const uint32_t rank = a->impacts.pair[a->impacts.live[m]].rank[side];
      if (rank != SCREE_CCP_WORLD) a->impacts.body[rank].first_pair = SIZE_MAX;
    }
  for (size_t m = 0; m < live; m++) {
    const impact_pair *p = &a->impacts.pair[a->impacts.live[m]];
    note_first(a, p->rank[0], p->time, a->impacts.live[m]);
    note_first(a, p->rank[1], p->time, a->impacts.live[m]);
  }
  for (size_t m = 0; m < before; m++) {
    const size_t k = a->impacts.live[m];
    const impact_pair *p = &a->impacts.pair[k];
    if (is_first(a, p->rank[0], k) && is_first(a, p->rank[1], k)) collide_pair(a, p, h);
  }
  for (size_t m = 0; m < before; m++)
    for (int side = 0; side < 2; side++)
      live = look_around(a, a->impacts.pair[a->impacts.live[m]].rank[side], h, live);
  for (size_t m = 0; m < live; m++) {
    impact_pair *p = &a->impacts.pair[a->impacts.live[m]];
    p->live = p->time <= h;
    if (p->live) a->impacts.live[kept++] = a->impacts.live[m];
  }
  return kept;
}

static bool is_hit(const assembler *a, size_t k) {
  const ccp_contact *c = &a->problem->bodies.contact[k];
  return !a->impacts.given[k] &&
         ((c->body_a != SCREE_CCP_WORLD && a->impacts.body[c->body_a].hit) ||
          (c->body_b != SCREE_CCP_WORLD && a->impacts.body[c->body_b].hit));
}

/* Offsets of the contacts: gaps have changed by the shifts. An overlap that comes from a shift must
 * not be pushed out by a velocity, which would be energy from nowhere: see apart.c. */
static void shift_rows(assembler *a, double h) {
  scree_ccp *p = a->problem;
  for (size_t k = 0; k < a->memory.contact_count; k++) {
    if (!is_hit(a, k)) continue;
    const ccp_contact *c = &p->bodies.contact[k];
    double *b = &p->offset[p->row_start[k]];
    *b = fmax(*b + v3_dot(v3_load(c->normal), between(a, c, SHIFT)) / h, fmin(*b, 0.0));
  }
}

scree_status assembler_find_impacts(assembler *a, const assembler_params *params) {
  const double h = params->h;
  a->impacts.count = 0;
  a->impacts.work = 0.0;
  a->impacts.left = false;
  if (!a->impacts.bounces || a->memory.contact_count == 0) return SCREE_OK;
  if (reserve(a)) return SCREE_ERROR_MEMORY;
  start_bodies(a, h);
  memset(a->impacts.impulse, 0, a->memory.contact_count * sizeof *a->impacts.impulse);
  const size_t pairs = find_pairs(a, params);
  size_t live = find_live(a, pairs, h);
  if (!live) return SCREE_OK;
  sort_pairs(a, pairs);
  for (int round = 0; live && round < MOST_ROUNDS; round++) live = round_of(a, live, h);
  a->impacts.left = live > 0;
  shift_rows(a, h);
  for (size_t k = 0; k < a->order.moving; k++) {
    if (!a->impacts.body[k].hit) continue;
    const uint32_t i = a->order.body[k];
    const double *v = a->problem->bodies.body[k].v_free;
    a->linear[i] = v3_load(v);
    a->angular[i] = v3_load(v + 3);
  }
  return SCREE_OK;
}

/* ---- after the solve ------------------------------------------------------------------------ */

void assembler_add_shifts(assembler *a) {
  if (!a->impacts.count) return;
  assembler_move_apart(a);
  for (size_t k = 0; k < a->order.moving; k++) {
    const impact_body *b = &a->impacts.body[k];
    if (!b->hit) continue;
    const uint32_t i = a->order.body[k];
    a->linear[i] = v3_add_scaled(a->linear[i], 1.0 / a->h, b->shift_linear);
    a->angular[i] = v3_add_scaled(a->angular[i], 1.0 / a->h, b->shift_angular);
  }
}

void assembler_take_shifts(assembler *a) {
  if (!a->impacts.count) return;
  world_bodies *w = &a->world->bodies;
  for (size_t k = 0; k < a->order.moving; k++) {
    const impact_body *b = &a->impacts.body[k];
    if (!b->hit) continue;
    const uint32_t i = a->order.body[k];
    w->linear[i] = v3_add_scaled(w->linear[i], -1.0 / a->h, b->shift_linear);
    w->angular[i] = v3_add_scaled(w->angular[i], -1.0 / a->h, b->shift_angular);
    /* An impact is no acceleration that goes on. */
    w->linear_rate[i] = b->force_linear;
    w->angular_rate[i] = b->force_angular;
    w->pulse[i] = PULSE_JOLT;
  }
}
