/* See bodies/rigid.h. A contact fits when it has a Coulomb cone in 3-D with friction, and perhaps a
 * cap, and a body that it can move. */
#include "ccp/bodies/rigid.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/bodies/operator.h"
#include "ccp/bodies/setup.h"
#include "ccp/bodies/turning.h"
#include "ccp/sets/set.h"

enum { PARALLEL_BLOCKS = 256 };

static bool fits(const ccp_operator *op, size_t i) {
  const scree_ccp *p = op->problem;
  const scree_set *set = ccp_set(p, i);
  if (i >= p->bodies.contact_count || !set_is_round_cone(set) || !set_fits_lanes(set)) return false;
  const ccp_contact *c = &p->bodies.contact[i];
  return set->mu > 1e-6 && set->mu < 1e6 &&
         (ccp_body_moves(&p->bodies, c->body_a) || ccp_body_moves(&p->bodies, c->body_b));
}

/* ---- order ----------------------------------------------------------------------------------- */

/* The blocks of a colour that fit first, then those that turn, each kind in its order. Returns how
 * many fit. */
static size_t part_colour(const ccp_operator *op, uint32_t *scratch, size_t begin, size_t end,
                          size_t *turning) {
  const op_bodies *impl = op->impl;
  size_t fitting = 0, others = 0, at = begin;
  for (size_t j = begin; j < end; j++) {
    const uint32_t i = op->order[j];
    if (fits(op, i)) {
      op->order[begin + fitting++] = i;
      impl->pack.scratch.colour[i] = PACK_RIGID;
    } else
      scratch[others++] = i;
  }
  at += fitting;
  for (size_t j = 0; j < others; j++)
    if (bodies_turning_fits(op, scratch[j])) op->order[at++] = scratch[j];
  *turning = at - begin - fitting;
  for (size_t j = 0; j < others; j++)
    if (!bodies_turning_fits(op, scratch[j])) op->order[at++] = scratch[j];
  return fitting;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* I^-1 [arm]x of a side, row by row; zeros where it cannot turn. */
static void fill_turn(const ccp_bodies *bodies, uint32_t body, const double *arm, size_t k,
                      double (*turn)[PACK_LANES]) {
  if (!ccp_body_moves(bodies, body)) return;
  const v3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  for (int f = 0; f < 3; f++) {
    const v3 w = sym3_mul_v3(bodies->body[body].inverse_inertia, v3_cross(v3_load(arm), axis[f]));
    turn[f][k] = w.x;
    turn[3 + f][k] = w.y;
    turn[6 + f][k] = w.z;
  }
}

static void fill_cone(rigid_group *g, size_t k, double mu, const double *nii) {
  const double pivot = 4.0 * DBL_EPSILON, least = DBL_EPSILON * nii[0];
  const double n1 = mu * nii[1], n2 = mu * nii[2], t12 = mu * mu * nii[5];
  const double t11 = fmax(mu * mu * nii[4], least), t22 = fmax(mu * mu * nii[8], least);
  const double i_nn = 1.0 / nii[0];
  const double s11 = fmax(t11 - n1 * n1 * i_nn, 0.0) + pivot * t11, s12 = t12 - n1 * n2 * i_nn;
  const double s22 = fmax(t22 - n2 * n2 * i_nn, 0.0) + pivot * t22;
  g->nn[k] = nii[0];
  g->n1[k] = n1;
  g->n2[k] = n2;
  g->t11[k] = t11;
  g->t12[k] = t12;
  g->t22[k] = t22;
  g->inverse_nn[k] = i_nn;
  g->s11[k] = s11;
  g->s12[k] = s12;
  g->s22[k] = s22;
  g->inverse_s11[k] = 1.0 / s11;
  g->inverse_det[k] = 1.0 / fmax(s11 * s22 - s12 * s12, pivot * s11 * s22);
  g->mu[k] = mu;
  g->inverse_mu[k] = 1.0 / mu;
}

uint32_t bodies_rigid_side(const ccp_bodies *bodies, uint32_t body) {
  if (body == SCREE_CCP_WORLD) return (uint32_t)bodies->body_count | PACK_FIXED;
  return ccp_body_moves(bodies, body) ? body : body | PACK_FIXED;
}

static void fill_lane(ccp_operator *op, rigid_group *g, size_t k, size_t i) {
  const scree_ccp *p = op->problem;
  const ccp_contact *c = &p->bodies.contact[i];
  const size_t row = op->row_start[i];
  double nii[9];
  op_diagonal_block(op, i, nii);
  g->a[k] = bodies_rigid_side(&p->bodies, c->body_a);
  g->b[k] = bodies_rigid_side(&p->bodies, c->body_b);
  g->row[k] = (uint32_t)row;
  for (size_t f = 0; f < 3; f++) {
    g->normal[f][k] = c->normal[f];
    g->tangent[f][k] = c->tangent[f];
    g->arm_a[f][k] = c->body_a == SCREE_CCP_WORLD ? 0.0 : c->arm_a[f];
    g->arm_b[f][k] = c->body_b == SCREE_CCP_WORLD ? 0.0 : c->arm_b[f];
    g->offset[f][k] = p->offset[row + f];
    g->compliance[f][k] = p->compliance ? p->compliance[row + f] : 0.0;
  }
  fill_turn(&p->bodies, c->body_a, c->arm_a, k, g->turn_a);
  fill_turn(&p->bodies, c->body_b, c->arm_b, k, g->turn_b);
  fill_cone(g, k, ccp_set(p, i)->mu, nii);
  g->weight[k] = (nii[0] + nii[4] + nii[8]) / 3.0;
  op->eta_force[i] = 1.0 / g->weight[k];
  g->top[k] = ccp_set(p, i)->cap;
  g->capped = g->capped || g->top[k] < INFINITY;
  g->pull[k] = op->pull ? op->pull[row] : 0.0;
}

static void fill_group(ccp_operator *op, rigid_group *g, const uint32_t *block, size_t count) {
  const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  memset(g, 0, sizeof *g);
  g->count = (uint32_t)count;
  for (size_t k = 0; k < count; k++) fill_lane(op, g, k, block[k]);
  for (size_t k = count; k < PACK_LANES; k++) {
    g->a[k] = g->b[k] = (uint32_t)op->problem->bodies.body_count | PACK_FIXED;
    fill_cone(g, k, 1.0, unit);
    g->weight[k] = 1.0;
    g->top[k] = INFINITY;
  }
}

scree_status bodies_rigid_lay_out(bodies_rigid *rigid, ccp_operator *op) {
  scree_context *context = op->context;
  op_bodies *impl = op->impl;
  const size_t colours = op->colour_count;
  size_t groups = 0, turning_groups = 0;
  rigid->group_count = rigid->turning_count = 0;
  if (op->head_count == op->block_count || !colours) return SCREE_OK;
  if (memory_grow(context, &rigid->start, colours + 1, sizeof *rigid->start) ||
      memory_grow(context, &rigid->turning_start, colours + 1, sizeof *rigid->turning_start) ||
      memory_grow(context, &rigid->first_turning, colours, sizeof *rigid->first_turning) ||
      memory_grow(context, &rigid->single, colours, sizeof *rigid->single))
    return SCREE_ERROR_MEMORY;
  for (size_t c = 0; c < colours; c++) {
    const size_t begin = op->colour_start[c];
    size_t turning;
    const size_t fitting = part_colour(op, impl->rest, begin, op->colour_start[c + 1], &turning);
    rigid->start[c] = (uint32_t)groups;
    rigid->turning_start[c] = (uint32_t)turning_groups;
    rigid->first_turning[c] = (uint32_t)(begin + fitting);
    rigid->single[c] = (uint32_t)(begin + fitting + turning);
    groups += (fitting + PACK_LANES - 1) / PACK_LANES;
    turning_groups += (turning + PACK_LANES - 1) / PACK_LANES;
  }
  rigid->start[colours] = (uint32_t)groups;
  rigid->turning_start[colours] = (uint32_t)turning_groups;
  if (memory_grow(context, &rigid->group, groups, sizeof *rigid->group) ||
      memory_grow(context, &rigid->turning, turning_groups, sizeof *rigid->turning))
    return SCREE_ERROR_MEMORY;
  rigid->group_count = groups;
  rigid->turning_count = turning_groups;
  return SCREE_OK;
}

static size_t lanes_of(size_t first, size_t end) {
  return end - first < PACK_LANES ? end - first : PACK_LANES;
}

void bodies_rigid_fill(bodies_rigid *rigid, ccp_operator *op) {
  const size_t colours = rigid->group_count + rigid->turning_count ? op->colour_count : 0;
#pragma omp parallel num_threads(                                                                  \
    context_team(op->context, rigid->group_count + rigid->turning_count > PARALLEL_BLOCKS))
  for (size_t c = 0; c < colours; c++) {
#pragma omp for schedule(static) nowait
    for (size_t j = rigid->start[c]; j < rigid->start[c + 1]; j++) {
      const size_t first = op->colour_start[c] + (j - rigid->start[c]) * PACK_LANES;
      fill_group(op, &rigid->group[j], op->order + first, lanes_of(first, rigid->first_turning[c]));
    }
#pragma omp for schedule(static) nowait
    for (size_t j = rigid->turning_start[c]; j < rigid->turning_start[c + 1]; j++) {
      const size_t first = rigid->first_turning[c] + (j - rigid->turning_start[c]) * PACK_LANES;
      bodies_turning_fill(op, &rigid->turning[j], op->order + first,
                          lanes_of(first, rigid->single[c]));
    }
  }
}

void bodies_rigid_free(scree_context *context, bodies_rigid *rigid) {
  memory_free(context, rigid->group);
  memory_free(context, rigid->turning);
  memory_free(context, rigid->start);
  memory_free(context, rigid->turning_start);
  memory_free(context, rigid->first_turning);
  memory_free(context, rigid->single);
}

/* ---- the sweep ------------------------------------------------------------------------------- */

bool bodies_rigid_serves(const bodies_rigid *rigid, const op_sweep_params *params) {
  return rigid->group_count + rigid->turning_count && params->metric == OP_METRIC_EXACT &&
         params->omega == 1.0 && params->lambda == 1.0;
}

/* One thread's part of the colours; all threads of a team call it. */
static double sweep_share(ccp_operator *op, const op_sweep_params *params, const rigid_sweep *work,
                          double *g) {
  const op_bodies *impl = op->impl;
  const bodies_rigid *rigid = &impl->rigid;
  double worst = 0.0;
  for (size_t k = 0; k < op->colour_count; k++) {
    const size_t c = params->backward ? op->colour_count - 1 - k : k;
    size_t begin, end;
    bodies_share(rigid->start[c], rigid->start[c + 1], &begin, &end);
    worst = fmax(worst, sqrt(impl->kernels->sweep_rigid(work, begin, end)));
    bodies_share(rigid->turning_start[c], rigid->turning_start[c + 1], &begin, &end);
    worst = fmax(worst, sqrt(impl->kernels->sweep_turning(work, begin, end)));
#pragma omp for schedule(static)
    for (size_t j = rigid->single[c]; j < op->colour_start[c + 1]; j++)
      worst = fmax(worst, op_sweep_block(op, params, g, op->order[j]));
  }
  return worst;
}

static double sweep_tail(ccp_operator *op, const op_sweep_params *params, double *g) {
  const size_t begin = op->colour_start[op->colour_count];
  double worst = 0.0;
  for (size_t j = begin; j < op->block_count; j++) {
    const size_t at = params->backward ? op->block_count - 1 - (j - begin) : j;
    worst = fmax(worst, op_sweep_block(op, params, g, op->order[at]));
  }
  return worst;
}

double bodies_rigid_sweep(ccp_operator *op, const op_sweep_params *params, double *g) {
  const op_bodies *impl = op->impl;
  const rigid_sweep work = {.group = impl->rigid.group,
                            .turning = impl->rigid.turning,
                            .lines = impl->state,
                            .impulse = g,
                            .relaxed = params->model == SCREE_MODEL_RELAXED,
                            .backward = params->backward,
                            .shift = params->shift,
                            .follow = params->follow};
  double worst = params->backward ? sweep_tail(op, params, g) : 0.0;
#pragma omp parallel num_threads(context_team(                                                     \
    op->context, impl->rigid.group_count + impl->rigid.turning_count > PARALLEL_BLOCKS))
  {
    const double mine = sweep_share(op, params, &work, g);
#pragma omp critical
    if (mine > worst) worst = mine;
  }
  return params->backward ? worst : fmax(worst, sweep_tail(op, params, g));
}
