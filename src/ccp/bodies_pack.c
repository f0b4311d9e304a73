/* See bodies_pack.h: which contacts fit, filling their lanes, and impulses in and out. The order
 * of the lanes is made in bodies_schedule.c. */
#include "ccp/bodies_pack.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/vec3.h"

enum { PARALLEL_GROUPS = 512 };

/* ---- what fits ------------------------------------------------------------------------------- */

static bool is_round(const scree_ccp_body_def *body) {
  const double *s = body->inverse_inertia;
  return s[1] == 0.0 && s[2] == 0.0 && s[4] == 0.0 && fabs(s[3] - s[0]) <= 1e-14 * s[0] &&
         fabs(s[5] - s[0]) <= 1e-14 * s[0];
}

void bodies_pack_traits(bodies_pack *pack, const ccp_bodies *bodies) {
  for (size_t k = 0; k < bodies->body_count; k++) {
    const scree_ccp_body_def *body = &bodies->body[k];
    pack->trait[k] =
        (uint8_t)((ccp_body_moves(bodies, (uint32_t)k) ? PACK_MOVES : 0) |
                  (is_round(body) ? PACK_ROUND : 0) | (body->inverse_mass > 0.0 ? PACK_MASS : 0));
  }
  pack->trait[bodies->body_count] = PACK_ROUND;
}

/* Sides are along the normal when what the arm has across it is rounding: beyond that it would be
 * lost. */
static bool is_along(const double *arm, v3 n) {
  const v3 r = v3_load(arm), across = v3_add_scaled(r, -v3_dot(r, n), n);
  return v3_norm2(across) <= 1e-22 * v3_norm2(r);
}

static bool set_fits(const scree_set *set) {
  return (set->kind == SCREE_SET_RAY || (set->kind == SCREE_SET_COULOMB && set->dim == 3)) &&
         set->cohesion == 0.0 && set->cap == INFINITY && set->mu < 1e8;
}

bool bodies_pack_fits(const bodies_pack *pack, const scree_ccp *p, size_t i) {
  const ccp_contact *c = &p->bodies.contact[i];
  const bool world_a = c->body_a == SCREE_CCP_WORLD, world_b = c->body_b == SCREE_CCP_WORLD;
  const size_t world = p->bodies.body_count;
  const uint8_t a = pack->trait[world_a ? world : c->body_a],
                b = pack->trait[world_b ? world : c->body_b];
  if (!(a & b & PACK_ROUND) || !((a | b) & PACK_MASS) || !set_fits(ccp_set(p, i))) return false;
  if (p->compliance && ccp_dim(p, i) == 3 &&
      p->compliance[p->row_start[i] + 1] != p->compliance[p->row_start[i] + 2])
    return false;
  const v3 n = v3_load(c->normal);
  return (world_a || is_along(c->arm_a, n)) && (world_b || is_along(c->arm_b, n));
}

/* ---- filling --------------------------------------------------------------------------------- */

static void fill_extra(const bodies_pack *pack, const scree_ccp *p, size_t slot) {
  const size_t i = pack->block[slot], row = p->row_start[i], k = slot % PACK_LANES;
  const ccp_contact *c = &p->bodies.contact[i];
  const bool ray = ccp_dim(p, i) == 1;
  const double *offset = p->offset + row, *compliance = p->compliance ? p->compliance + row : NULL;
  sphere_extra *e = &pack->extra[slot / PACK_LANES];
  const v3 n = v3_load(c->normal), t1 = v3_load(c->tangent), t2 = v3_cross(n, t1);
  v3 across = {0.0, 0.0, 0.0};
  if (!ray) across = v3_add_scaled(v3_scale(offset[1], t1), offset[2], t2);
  e->offset[0][k] = across.x;
  e->offset[1][k] = across.y;
  e->offset[2][k] = across.z;
  e->compliance_n[k] = compliance ? compliance[0] : 0.0;
  e->compliance_t[k] = compliance && !ray ? compliance[1] : 0.0;
}

static void fill_lane(const bodies_pack *pack, const ccp_operator *op, const body_line *lines,
                      size_t slot) {
  const scree_ccp *p = op->problem;
  const size_t i = pack->block[slot], row = p->row_start[i], k = slot % PACK_LANES;
  const ccp_contact *c = &p->bodies.contact[i];
  sphere_group *g = &pack->group[slot / PACK_LANES];
  const bool ray = ccp_dim(p, i) == 1;
  const double *compliance = p->compliance ? p->compliance + row : NULL;
  const uint32_t world = (uint32_t)p->bodies.body_count;
  const bool world_a = c->body_a == SCREE_CCP_WORLD, world_b = c->body_b == SCREE_CCP_WORLD;
  const uint32_t a = world_a ? world : c->body_a, b = world_b ? world : c->body_b;
  const v3 n = v3_load(c->normal);
  const double ra = world_a ? 0.0 : v3_dot(v3_load(c->arm_a), n);
  const double rb = world_b ? 0.0 : v3_dot(v3_load(c->arm_b), n);
  const double mass = lines[a].inverse_mass + lines[b].inverse_mass;
  const double turn = lines[a].inverse_inertia * (ra * ra) + lines[b].inverse_inertia * (rb * rb);
  const double nn = mass + (compliance ? compliance[0] : 0.0);
  const double tt = ray ? nn : mass + turn + (compliance ? compliance[1] : 0.0);
  g->a[k] = pack->trait[a] & PACK_MOVES ? a : a | PACK_FIXED;
  g->b[k] = pack->trait[b] & PACK_MOVES ? b : b | PACK_FIXED;
  for (int l = 0; l < 3; l++) g->normal[l][k] = c->normal[l];
  g->reach_a[k] = ra;
  g->reach_b[k] = rb;
  g->offset[k] = p->offset[row];
  g->mu[k] = ray ? 0.0 : ccp_set(p, i)->mu;
  /* Turned into their inverses for all lanes at once, by finish_lanes. */
  g->inverse_nn[k] = nn;
  g->inverse_tt[k] = tt;
  if (pack->has_rays) pack->rough[slot / PACK_LANES][k] = ray ? 0.0 : 1.0;
  if (pack->has_extra) fill_extra(pack, p, slot);
}

/* Lanes of a group from N_nn and N_tt on; eta of the contacts. */
static void finish_lanes(sphere_group *g, const uint32_t *block, double *eta) {
  double inverse_weight[PACK_LANES];
  for (size_t k = 0; k < PACK_LANES; k++) {
    const double nn = g->inverse_nn[k], tt = g->inverse_tt[k], mu = g->mu[k];
    g->weight[k] = (nn + 2.0 * tt) / 3.0;
    inverse_weight[k] = 1.0 / g->weight[k];
    g->beta[k] = mu * tt / (nn + mu * mu * tt);
    g->inverse_nn[k] = 1.0 / nn;
    g->inverse_tt[k] = 1.0 / tt;
  }
  for (size_t k = 0; k < PACK_LANES; k++)
    if (block[k] != PACK_NO_BLOCK) eta[block[k]] = inverse_weight[k];
}

void bodies_pack_fill(bodies_pack *pack, ccp_operator *op, const body_line *lines) {
  const uint32_t world = (uint32_t)op->problem->bodies.body_count | PACK_FIXED;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(op->context->threads) if (pack->group_count > PARALLEL_GROUPS)
  for (size_t j = 0; j < pack->group_count; j++) {
    const uint32_t *block = pack->block + j * PACK_LANES;
    if (block[PACK_LANES - 1] == PACK_NO_BLOCK) {
      sphere_group *g = &pack->group[j];
      memset(g, 0, sizeof *g);
      if (pack->has_extra) memset(&pack->extra[j], 0, sizeof pack->extra[j]);
      if (pack->has_rays) memset(&pack->rough[j], 0, sizeof pack->rough[j]);
      for (size_t k = 0; k < PACK_LANES; k++) {
        g->a[k] = g->b[k] = world;
        g->inverse_nn[k] = g->inverse_tt[k] = 1.0;
      }
    }
    for (size_t k = 0; k < PACK_LANES; k++)
      if (block[k] != PACK_NO_BLOCK) fill_lane(pack, op, lines, j * PACK_LANES + k);
    finish_lanes(&pack->group[j], block, op->eta_force);
  }
}

void bodies_pack_free(scree_context *context, bodies_pack *pack) {
  memory_free(context, pack->group);
  memory_free(context, pack->impulse);
  memory_free(context, pack->extra);
  memory_free(context, pack->rough);
  memory_free(context, pack->block);
  memory_free(context, pack->unit_start);
  memory_free(context, pack->chain_start);
  memory_free(context, pack->phase_start);
  memory_free(context, pack->asleep);
  memory_free(context, pack->trait);
  memory_free(context, pack->colour);
  memory_free(context, pack->used);
  memory_free(context, pack->tile);
  memory_free(context, pack->home_start);
  memory_free(context, pack->tile_colours);
  memory_free(context, pack->stamp);
}

void bodies_pack_lull(bodies_pack *pack, const double *lanes) {
  pack->sweeps = 0;
  pack->stirring = false;
  for (size_t unit = bodies_pack_open_unit(pack); unit < pack->unit_count; unit++) {
    bool still = true;
    for (size_t k = pack->unit_start[unit] * (size_t)PACK_IMPULSES;
         still && k < pack->unit_start[unit + 1] * (size_t)PACK_IMPULSES; k++)
      still = lanes[k] == 0.0;
    pack->asleep[unit] = still;
    pack->stirring = pack->stirring || !still;
  }
}

/* ---- impulses in and out --------------------------------------------------------------------- */

void bodies_pack_load_some(const bodies_pack *pack, const ccp_operator *op, const double *g,
                           size_t begin, size_t end, double *lanes) {
  for (size_t j = begin; j < end; j++) {
    double *to = lanes + (j - begin) * PACK_IMPULSES;
    for (size_t k = 0; k < PACK_LANES; k++) {
      const uint32_t i = pack->block[j * PACK_LANES + k];
      v3 world = {0.0, 0.0, 0.0};
      if (i != PACK_NO_BLOCK) {
        const ccp_contact *c = &op->problem->bodies.contact[i];
        const double *x = g + op->row_start[i];
        const v3 n = v3_load(c->normal), t1 = v3_load(c->tangent);
        world = v3_scale(x[0], n);
        if (op->row_start[i + 1] - op->row_start[i] == 3)
          world = v3_add_scaled(v3_add_scaled(world, x[1], t1), x[2], v3_cross(n, t1));
      }
      to[k] = world.x;
      to[PACK_LANES + k] = world.y;
      to[2 * PACK_LANES + k] = world.z;
    }
  }
}

void bodies_pack_store_some(const bodies_pack *pack, const ccp_operator *op, const double *lanes,
                            size_t begin, size_t end, double *g) {
  for (size_t j = begin; j < end; j++) {
    const double *from = lanes + (j - begin) * PACK_IMPULSES;
    for (size_t k = 0; k < PACK_LANES; k++) {
      const uint32_t i = pack->block[j * PACK_LANES + k];
      if (i == PACK_NO_BLOCK) continue;
      const ccp_contact *c = &op->problem->bodies.contact[i];
      double *x = g + op->row_start[i];
      const v3 n = v3_load(c->normal), t1 = v3_load(c->tangent);
      const v3 world = {from[k], from[PACK_LANES + k], from[2 * PACK_LANES + k]};
      x[0] = v3_dot(world, n);
      if (op->row_start[i + 1] - op->row_start[i] == 3) {
        x[1] = v3_dot(world, t1);
        x[2] = v3_dot(world, v3_cross(n, t1));
      }
    }
  }
}

void bodies_pack_load(const bodies_pack *pack, const ccp_operator *op, const double *g,
                      double *lanes) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(op->context->threads) if (pack->group_count > PARALLEL_GROUPS)
  for (size_t j = 0; j < pack->group_count; j += PACK_BATCH)
    bodies_pack_load_some(pack, op, g, j, bodies_pack_batch(j, pack->group_count),
                          lanes + j * PACK_IMPULSES);
}

void bodies_pack_store(const bodies_pack *pack, const ccp_operator *op, const double *lanes,
                       double *g) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(op->context->threads) if (pack->group_count > PARALLEL_GROUPS)
  for (size_t j = 0; j < pack->group_count; j += PACK_BATCH)
    bodies_pack_store_some(pack, op, lanes + j * PACK_IMPULSES, j,
                           bodies_pack_batch(j, pack->group_count), g);
}
