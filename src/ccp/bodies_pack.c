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

/* A side fits when its arm is along the normal and its inertia a multiple of the identity. What an
 * arm has across the normal beyond rounding would be lost. */
static bool side_fits(const ccp_bodies *bodies, uint32_t body, const double *arm,
                      const double *normal, double *inverse_mass) {
  if (body == SCREE_CCP_WORLD) return true;
  const scree_ccp_body_def *def = &bodies->body[body];
  const v3 r = v3_load(arm), n = v3_load(normal);
  const v3 across = v3_add_scaled(r, -v3_dot(r, n), n);
  if (v3_norm2(across) > 1e-22 * v3_norm2(r) || !is_round(def)) return false;
  *inverse_mass += def->inverse_mass;
  return true;
}

static bool set_fits(const scree_set *set) {
  return (set->kind == SCREE_SET_RAY || (set->kind == SCREE_SET_COULOMB && set->dim == 3)) &&
         set->cohesion == 0.0 && set->cap == INFINITY && set->mu < 1e8;
}

bool bodies_pack_fits(const scree_ccp *p, size_t i) {
  const ccp_contact *c = &p->bodies.contact[i];
  double inverse_mass = 0.0;
  if (!set_fits(ccp_set(p, i))) return false;
  if (p->compliance && ccp_dim(p, i) == 3 &&
      p->compliance[p->row_start[i] + 1] != p->compliance[p->row_start[i] + 2])
    return false;
  return side_fits(&p->bodies, c->body_a, c->arm_a, c->normal, &inverse_mass) &&
         side_fits(&p->bodies, c->body_b, c->arm_b, c->normal, &inverse_mass) && inverse_mass > 0.0;
}

/* ---- filling --------------------------------------------------------------------------------- */

static uint32_t side_index(const ccp_bodies *bodies, uint32_t body) {
  if (body == SCREE_CCP_WORLD) return (uint32_t)bodies->body_count | PACK_FIXED;
  return ccp_body_moves(bodies, body) ? body : body | PACK_FIXED;
}

static double side_inertia(const ccp_bodies *bodies, uint32_t body, double *inverse_mass) {
  if (body == SCREE_CCP_WORLD) return 0.0;
  *inverse_mass += bodies->body[body].inverse_mass;
  return bodies->body[body].inverse_inertia[0];
}

static void fill_lane(bodies_pack *pack, ccp_operator *op, size_t slot) {
  const scree_ccp *p = op->problem;
  const size_t i = pack->block[slot], row = p->row_start[i], k = slot % PACK_LANES;
  const ccp_contact *c = &p->bodies.contact[i];
  sphere_group *g = &pack->group[slot / PACK_LANES];
  const bool ray = ccp_dim(p, i) == 1;
  const double *offset = p->offset + row, *compliance = p->compliance ? p->compliance + row : NULL;
  const v3 n = v3_load(c->normal);
  const double ra = v3_dot(v3_load(c->arm_a), n), rb = v3_dot(v3_load(c->arm_b), n);
  double mass = 0.0, turn = side_inertia(&p->bodies, c->body_a, &mass) * (ra * ra);
  turn += side_inertia(&p->bodies, c->body_b, &mass) * (rb * rb);
  const double nn = mass + (compliance ? compliance[0] : 0.0);
  const double tt = ray ? nn : mass + turn + (compliance ? compliance[1] : 0.0);
  const double mu = ray ? 0.0 : ccp_set(p, i)->mu;
  g->a[k] = side_index(&p->bodies, c->body_a);
  g->b[k] = side_index(&p->bodies, c->body_b);
  for (int l = 0; l < 3; l++) g->normal[l][k] = c->normal[l];
  g->reach_a[k] = c->body_a == SCREE_CCP_WORLD ? 0.0 : ra;
  g->reach_b[k] = c->body_b == SCREE_CCP_WORLD ? 0.0 : rb;
  g->offset[k] = offset[0];
  g->inverse_nn[k] = 1.0 / nn;
  g->inverse_tt[k] = 1.0 / tt;
  g->mu[k] = mu;
  g->beta[k] = mu * tt / (nn + mu * mu * tt);
  g->weight[k] = (nn + 2.0 * tt) / 3.0;
  op->eta_force[i] = 1.0 / g->weight[k];
  if (pack->has_rays) pack->rough[slot / PACK_LANES][k] = ray ? 0.0 : 1.0;
  if (!pack->has_extra) return;
  sphere_extra *e = &pack->extra[slot / PACK_LANES];
  const v3 t1 = v3_load(c->tangent), t2 = v3_cross(n, t1);
  v3 across = {0.0, 0.0, 0.0};
  if (!ray) across = v3_add_scaled(v3_scale(offset[1], t1), offset[2], t2);
  e->offset[0][k] = across.x;
  e->offset[1][k] = across.y;
  e->offset[2][k] = across.z;
  e->compliance_n[k] = compliance ? compliance[0] : 0.0;
  e->compliance_t[k] = compliance && !ray ? compliance[1] : 0.0;
}

void bodies_pack_fill(bodies_pack *pack, ccp_operator *op) {
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
        g->weight[k] = g->inverse_nn[k] = g->inverse_tt[k] = 1.0;
      }
    }
    for (size_t k = 0; k < PACK_LANES; k++)
      if (block[k] != PACK_NO_BLOCK) fill_lane(pack, op, j * PACK_LANES + k);
  }
}

void bodies_pack_free(scree_context *context, bodies_pack *pack) {
  memory_free(context, pack->group);
  memory_free(context, pack->extra);
  memory_free(context, pack->rough);
  memory_free(context, pack->block);
  memory_free(context, pack->unit_start);
  memory_free(context, pack->phase_start);
  memory_free(context, pack->colour);
  memory_free(context, pack->used);
  memory_free(context, pack->tile);
  memory_free(context, pack->tile_colours);
  memory_free(context, pack->stamp);
}

/* ---- impulses in and out --------------------------------------------------------------------- */

void bodies_pack_load_some(const bodies_pack *pack, const ccp_operator *op, const double *g,
                           size_t begin, size_t end, double *lanes, size_t stride) {
  for (size_t j = begin; j < end; j++) {
    double *to = lanes + (j - begin) * stride;
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
                            size_t stride, size_t begin, size_t end, double *g) {
  for (size_t j = begin; j < end; j++) {
    const double *from = lanes + (j - begin) * stride;
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
                      double *lanes, size_t stride) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(op->context->threads) if (pack->group_count > PARALLEL_GROUPS)
  for (size_t j = 0; j < pack->group_count; j += PACK_BATCH)
    bodies_pack_load_some(pack, op, g, j, bodies_pack_batch(j, pack->group_count),
                          lanes + j * stride, stride);
}

void bodies_pack_store(const bodies_pack *pack, const ccp_operator *op, const double *lanes,
                       size_t stride, double *g) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(op->context->threads) if (pack->group_count > PARALLEL_GROUPS)
  for (size_t j = 0; j < pack->group_count; j += PACK_BATCH)
    bodies_pack_store_some(pack, op, lanes + j * stride, stride, j,
                           bodies_pack_batch(j, pack->group_count), g);
}
