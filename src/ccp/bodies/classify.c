/* See bodies/classify.h. One pass over the blocks, in the caller's order, makes all that is known
 * of a contact before its place is: r = D'v_free + b, whether it has the form of a sphere's,
 * whether it would stay wide open without impulses, and the lines of its two bodies, side by side,
 * as the passes that order contacts read nothing else of them. Contacts of three rows go eight at a
 * time through a kernel, others one by one. */
#include "ccp/bodies/classify.h"
#include "ccp/sets/set.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double open_speed = 2.0;

/* Counts over some blocks, for the pack of contacts without moments and for the one with moments.
 */
typedef struct class_sums {
  size_t fitting, closed;
  bool extra, rays, mixed;
  size_t rolling, rolling_closed;
  bool across, rolling_across, rolling_extra;
} class_sums;

static bool is_round(const scree_ccp_body_def *body) {
  const double *s = body->inverse_inertia;
  return s[1] == 0.0 && s[2] == 0.0 && s[4] == 0.0 && fabs(s[3] - s[0]) <= 1e-14 * s[0] &&
         fabs(s[5] - s[0]) <= 1e-14 * s[0];
}

static void fill_traits(bodies_pack *pack, const ccp_bodies *bodies) {
  for (size_t k = 0; k < bodies->body_count; k++) {
    const scree_ccp_body_def *body = &bodies->body[k];
    pack->scratch.trait[k] =
        (uint8_t)((ccp_body_moves(bodies, (uint32_t)k) ? PACK_MOVES : 0) |
                  (is_round(body) ? PACK_ROUND : 0) | (body->inverse_mass > 0.0 ? PACK_MASS : 0));
  }
  pack->scratch.trait[bodies->body_count] = PACK_ROUND;
}

/* Sides are along the normal when what the arm has across it is rounding: beyond that it would be
 * lost. */
static bool is_along(const double *arm, v3 n) {
  const v3 r = v3_load(arm), across = v3_add_scaled(r, -v3_dot(r, n), n);
  return v3_norm2(across) <= 1e-22 * v3_norm2(r);
}

static bool set_fits(const scree_set *set) {
  return (set_is_ray(set) || set_is_round_cone(set)) && set_fits_lanes(set) && set->mu < 1e8;
}

static bool set_rolls(const scree_set *set) {
  return set_has_moments(set) && set_fits_lanes(set) && set->mu < 1e8 &&
         set_rolling_of(set) < 1e8 && set_spinning_of(set) < 1e8;
}

/* Rows of moments have neither offsets nor compliance, and something that turns. */
static bool moments_fit(const scree_ccp *p, const body_line *lines, size_t i, contact_pair pair) {
  bool fit = lines[pair.a & ~PACK_FIXED].inverse_inertia > 0.0 ||
             lines[pair.b & ~PACK_FIXED].inverse_inertia > 0.0;
  for (size_t row = p->row_start[i] + 3; row < p->row_start[i + 1]; row++)
    fit = fit && p->offset[row] == 0.0 && (!p->compliance || p->compliance[row] == 0.0);
  return fit;
}

static bool contact_fits(const bodies_pack *pack, const scree_ccp *p, size_t i) {
  const ccp_contact *c = &p->bodies.contact[i];
  const bool world_a = c->body_a == SCREE_CCP_WORLD, world_b = c->body_b == SCREE_CCP_WORLD;
  const size_t world = p->bodies.body_count;
  const uint8_t a = pack->scratch.trait[world_a ? world : c->body_a],
                b = pack->scratch.trait[world_b ? world : c->body_b];
  if (!(a & b & PACK_ROUND) || !((a | b) & PACK_MASS)) return false;
  if (p->compliance && ccp_dim(p, i) >= 3 &&
      p->compliance[p->row_start[i] + 1] != p->compliance[p->row_start[i] + 2])
    return false;
  const v3 n = v3_load(c->normal);
  return (world_a || is_along(c->arm_a, n)) && (world_b || is_along(c->arm_b, n));
}

/* Beyond this r_n - mu |r_t| a contact would stay wide open without impulses. Only a simulation
 * gives such a speed. */
static double speed_of_open(const scree_ccp *p) {
  return p->reference_speed > 0.0 ? open_speed * p->reference_speed : INFINITY;
}

static bool is_open(const ccp_operator *op, size_t i) {
  const scree_ccp *p = op->problem;
  const double *r = op->r + p->row_start[i];
  const double across = ccp_dim(p, i) == 3  ? ccp_set(p, i)->mu * sqrt(r[1] * r[1] + r[2] * r[2])
                        : ccp_dim(p, i) > 3 ? scree_set_shift(ccp_set(p, i), r)
                                            : 0.0;
  return r[0] - across > speed_of_open(p);
}

static bool is_capped(const scree_ccp *p, size_t i) {
  return ccp_set(p, i)->cap < INFINITY;
}

static bool is_compliant(const scree_ccp *p, size_t i) {
  bool compliant = false;
  for (size_t row = p->row_start[i]; p->compliance && row < p->row_start[i + 1]; row++)
    compliant = compliant || p->compliance[row] != 0.0;
  return compliant;
}

static bool is_pushed_across(const scree_ccp *p, size_t i) {
  bool pushed = false;
  for (size_t row = p->row_start[i] + 1; row < p->row_start[i + 1]; row++)
    pushed = pushed || p->offset[row] != 0.0;
  return pushed;
}

static uint32_t line_of(const ccp_bodies *bodies, uint32_t body) {
  return body == SCREE_CCP_WORLD ? (uint32_t)bodies->body_count : body;
}

static uint32_t side_of(const bodies_pack *pack, uint32_t line) {
  return pack->scratch.trait[line] & PACK_MOVES ? line : line | PACK_FIXED;
}

static void mark(bodies_pack *pack, size_t i, bool fits, bool open, class_sums *sums) {
  pack->scratch.colour[i] = !fits ? PACK_REST : open ? PACK_OPEN : PACK_CLOSED;
  sums->fitting += fits;
  sums->closed += fits && !open;
}

static void mark_rolling(op_bodies *impl, size_t i, bool fits, bool open, class_sums *sums) {
  impl->pack.scratch.colour[i] = fits ? PACK_ROLLED : PACK_REST;
  impl->rolled.scratch.colour[i] = !fits ? PACK_REST : open ? PACK_OPEN : PACK_CLOSED;
  sums->rolling += fits;
  sums->rolling_closed += fits && !open;
}

void bodies_read_r(const ccp_operator *op, size_t i) {
  const op_bodies *impl = op->impl;
  bodies_read_block(op, i, impl->state, op->r + op->row_start[i]);
  for (size_t row = op->row_start[i]; row < op->row_start[i + 1]; row++)
    op->r[row] += op->problem->offset[row];
}

static void classify_block(const ccp_operator *op, size_t i, class_sums *sums) {
  op_bodies *impl = op->impl;
  bodies_pack *pack = &impl->pack;
  const scree_ccp *p = op->problem;
  const size_t dim = op->row_start[i + 1] - op->row_start[i];
  bodies_read_r(op, i);
  if (i >= p->bodies.contact_count) {
    pack->scratch.colour[i] = PACK_REST;
    return;
  }
  const ccp_contact *c = &p->bodies.contact[i];
  const bool rolls = set_rolls(ccp_set(p, i));
  const bool round = (rolls || set_fits(ccp_set(p, i))) && contact_fits(pack, p, i);
  const contact_pair pair = {.a = side_of(pack, line_of(&p->bodies, c->body_a)),
                             .b = side_of(pack, line_of(&p->bodies, c->body_b))};
  pack->pair[i] = pair;
  if (rolls) {
    mark_rolling(impl, i, round && moments_fit(p, impl->state, i, pair), round && is_open(op, i),
                 sums);
    sums->rolling_across = sums->rolling_across || is_pushed_across(p, i);
    sums->rolling_extra = sums->rolling_extra || is_compliant(p, i) || is_capped(p, i);
    return;
  }
  const bool fits = round;
  mark(pack, i, fits, fits && is_open(op, i), sums);
  sums->mixed = sums->mixed || dim != 3;
  sums->rays = sums->rays || (fits && dim == 1);
  sums->across = sums->across || (fits && is_pushed_across(p, i));
  sums->extra = sums->extra || (fits && (is_compliant(p, i) || is_capped(p, i)));
}

/* Lines, friction, and bits of the lanes that may fit as far as sets and bodies go; world: of those
 * whose side is the world. */
static unsigned gather_lanes(const bodies_pack *pack, const scree_ccp *p, size_t i,
                             contact_classify *w, unsigned *world) {
  const scree_set *set = NULL;
  bool fits = false;
  unsigned fitting = 0;
  world[0] = world[1] = 0;
  for (unsigned k = 0; k < PACK_LANES; k++) {
    const ccp_contact *c = &p->bodies.contact[i + k];
    const uint32_t a = line_of(&p->bodies, c->body_a), b = line_of(&p->bodies, c->body_b);
    const scree_set *mine = ccp_set(p, i + k);
    if (mine != set) fits = set_fits(mine);
    set = mine;
    world[0] |= (unsigned)(c->body_a == SCREE_CCP_WORLD) << k;
    world[1] |= (unsigned)(c->body_b == SCREE_CCP_WORLD) << k;
    fitting |= (unsigned)(fits && (pack->scratch.trait[a] & pack->scratch.trait[b] & PACK_ROUND))
               << k;
    w->a[k] = a;
    w->b[k] = b;
    w->mu[k] = set->mu;
    pack->pair[i + k] = (contact_pair){.a = side_of(pack, a), .b = side_of(pack, b)};
  }
  return fitting;
}

/* Contacts i … i + PACK_LANES - 1, of three rows each. */
static void classify_lanes(const ccp_operator *op, size_t i, class_sums *sums) {
  op_bodies *impl = op->impl;
  bodies_pack *pack = &impl->pack;
  const scree_ccp *p = op->problem;
  contact_classify work;
  contact_class seen;
  unsigned world[2];
  unsigned fitting = gather_lanes(pack, p, i, &work, world);
  work.contact = p->bodies.contact;
  work.lines = impl->state;
  work.row = op->row_start[i];
  work.offset = p->offset;
  work.r = op->r;
  work.open = speed_of_open(p);
  impl->kernels->classify(&work, i, &seen);
  fitting &= (seen.along_a | world[0]) & (seen.along_b | world[1]) & seen.massive;
  for (unsigned k = 0; p->compliance && k < PACK_LANES; k++) {
    const double *compliance = p->compliance + work.row + 3 * k;
    if (compliance[1] != compliance[2]) fitting &= ~(1u << k);
    if (fitting >> k & 1u) sums->extra = sums->extra || is_compliant(p, i + k);
  }
  for (unsigned k = 0; op->capped && k < PACK_LANES; k++)
    if (fitting >> k & 1u) sums->extra = sums->extra || is_capped(p, i + k);
  for (unsigned k = 0; k < PACK_LANES; k++)
    mark(pack, i + k, fitting >> k & 1u, seen.open >> k & 1u, sums);
  sums->across = sums->across || (fitting & seen.across);
}

/* Are there PACK_LANES contacts from i on, of three rows each? */
static bool is_whole(const ccp_operator *op, size_t i) {
  const uint32_t *row = op->row_start + i;
  if (i + PACK_LANES > op->problem->bodies.contact_count) return false;
  bool whole = true;
  for (size_t k = 0; k < PACK_LANES; k++) whole = whole && row[k + 1] - row[k] == 3;
  return whole;
}

static scree_status reserve(ccp_operator *op, bodies_pack *pack) {
  const size_t bodies = op->problem->bodies.body_count;
  if (memory_grow(op->context, &pack->scratch.colour, op->block_count,
                  sizeof *pack->scratch.colour) ||
      memory_grow(op->context, &pack->pair, op->problem->bodies.contact_count, sizeof *pack->pair))
    return SCREE_ERROR_MEMORY;
  return memory_grow(op->context, &pack->scratch.trait, bodies + 1, sizeof *pack->scratch.trait);
}

static bool any_rolls(const scree_ccp *p) {
  for (size_t s = 0; s < p->set_count; s++)
    if (set_rolls(&p->set[s])) return true;
  return false;
}

/* What the pack of contacts with moments needs before they are looked at. */
static scree_status begin_rolling(ccp_operator *op, op_bodies *impl) {
  bodies_pack *rolled = &impl->rolled;
  rolled->lanes.rolling = true;
  if (!any_rolls(op->problem)) return SCREE_OK;
  if (memory_grow(op->context, &rolled->scratch.colour, op->block_count,
                  sizeof *rolled->scratch.colour) ||
      memory_grow(op->context, &rolled->pair, op->problem->bodies.contact_count,
                  sizeof *rolled->pair))
    return SCREE_ERROR_MEMORY;
  memset(rolled->scratch.colour, PACK_REST, op->block_count * sizeof *rolled->scratch.colour);
  return SCREE_OK;
}

scree_status bodies_classify(ccp_operator *op) {
  op_bodies *impl = op->impl;
  bodies_pack *pack = &impl->pack;
  if (reserve(op, pack) || begin_rolling(op, impl)) return SCREE_ERROR_MEMORY;
  fill_traits(pack, &op->problem->bodies);
  size_t fitting = 0, closed = 0, rolling = 0, rolling_closed = 0;
  bool extra = false, rays = false, mixed = false, rolling_extra = false;
  bool across = false, rolling_across = false;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, op->block_count > BODIES_PARALLEL))                      \
    reduction(+ : fitting, closed, rolling, rolling_closed)                                        \
    reduction(|| : extra, rays, mixed, rolling_extra, across, rolling_across)
  for (size_t i = 0; i < op->block_count; i += PACK_LANES) {
    class_sums sums = {0};
    if (is_whole(op, i))
      classify_lanes(op, i, &sums);
    else
      for (size_t k = i; k < i + PACK_LANES && k < op->block_count; k++)
        classify_block(op, k, &sums);
    fitting += sums.fitting;
    closed += sums.closed;
    extra = extra || sums.extra;
    rays = rays || sums.rays;
    mixed = mixed || sums.mixed;
    rolling += sums.rolling;
    rolling_closed += sums.rolling_closed;
    rolling_extra = rolling_extra || sums.rolling_extra;
    across = across || sums.across;
    rolling_across = rolling_across || sums.rolling_across;
  }
  pack->contact_count = fitting;
  pack->closed_count = closed;
  pack->lanes.has_across = across;
  impl->rolled.lanes.has_across = rolling_across;
  pack->lanes.has_extra = extra;
  pack->lanes.has_rays = rays;
  pack->lanes.has_pull = impl->rolled.lanes.has_pull = op->pull != NULL;
  pack->uniform = !mixed;
  impl->rolled.contact_count = rolling;
  impl->rolled.closed_count = rolling_closed;
  impl->rolled.lanes.has_extra = rolling_extra;
  const bool one_set = op->problem->set_count == 1;
  pack->lanes.same_mu = one_set && !mixed;
  impl->rolled.lanes.same_mu = one_set;
  pack->lanes.has_scale = !pack->lanes.same_mu || extra || op->ranks || fitting <= PACK_STREAMED;
  impl->rolled.lanes.has_scale = true;
  if (rolling)
    memcpy(impl->rolled.pair, pack->pair, op->problem->bodies.contact_count * sizeof *pack->pair);
  return SCREE_OK;
}
