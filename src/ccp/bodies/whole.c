/* See bodies/whole.h. Sweeps and steps keep the scales of split masses, with which they converge;
 * what judges reads those made here. */
#include "ccp/bodies/whole.h"

#include <string.h>

#include "base/memory.h"
#include "ccp/bodies/operator.h"

static scree_status reserve(ccp_operator *op, op_bodies *impl) {
  bodies_whole *w = &impl->whole;
  for (int k = 0; k < BODIES_PACKS; k++) {
    const bodies_pack *pack = bodies_pack_at(impl, k);
    if (memory_grow(op->context, &w->scale[k], pack->lanes.count, sizeof *w->scale[k]) ||
        memory_grow(op->context, &w->roll[k], pack->lanes.rolling ? pack->lanes.count : 0,
                    sizeof *w->roll[k]))
      return SCREE_ERROR_MEMORY;
    if (pack->lanes.count)
      memcpy(w->scale[k], pack->lanes.scale, pack->lanes.count * sizeof *pack->lanes.scale);
    if (pack->lanes.count && pack->lanes.rolling)
      memcpy(w->roll[k], pack->lanes.roll, pack->lanes.count * sizeof *pack->lanes.roll);
  }
  return memory_grow(op->context, &w->body, op->problem->bodies.body_count, sizeof *w->body);
}

static void fill_bodies(const ccp_operator *op, scree_ccp_body_def *whole) {
  const ccp_bodies *bodies = &op->problem->bodies;
  for (size_t k = 0; k < bodies->body_count; k++) {
    const double copies = (double)op->ranks->copies[k];
    whole[k] = bodies->body[k];
    if (op->ranks->copies[k] == 1) continue;
    whole[k].inverse_mass /= copies;
    for (int l = 0; l < 6; l++) whole[k].inverse_inertia[l] /= copies;
  }
}

static bool is_split(const ccp_operator *op, uint32_t body) {
  return body != SCREE_CCP_WORLD && op->ranks->copies[body] > 1;
}

static bool touches_split(const ccp_operator *op, size_t i) {
  const ccp_bodies *bodies = &op->problem->bodies;
  if (i < bodies->contact_count)
    return is_split(op, bodies->contact[i].body_a) || is_split(op, bodies->contact[i].body_b);
  const size_t row = bodies_generic_row(op, i), rows = (size_t)ccp_dim(op->problem, i);
  for (size_t t = bodies->term_start[row]; t < bodies->term_start[row + rows]; t++)
    if (is_split(op, bodies->term[t].body)) return true;
  return false;
}

/* eta of forces and moments, of the block in `op` with whole masses. */
static void etas_of(const ccp_operator *op, size_t i, double eta[2]) {
  double nii[SCREE_MAX_DIM * SCREE_MAX_DIM], trace[2] = {0.0, 0.0};
  const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
  bodies_diagonal_block(op, i, nii);
  for (int k = 0; k < dim; k++) trace[k >= forces] += nii[k * dim + k];
  eta[0] = trace[0] > 0.0 ? (double)forces / trace[0] : 0.0;
  eta[1] = trace[1] > 0.0 ? (double)(dim - forces) / trace[1] : 0.0;
}

static void fill_packs(const ccp_operator *op, const ccp_operator *whole, op_bodies *impl) {
  for (int k = 0; k < BODIES_PACKS; k++) {
    const bodies_pack *pack = bodies_pack_at(impl, k);
    for (size_t slot = 0; slot < pack->lanes.count * PACK_LANES; slot++) {
      const uint32_t i = pack->lanes.block[slot];
      double eta[2];
      if (i == PACK_NO_BLOCK || !touches_split(op, i)) continue;
      etas_of(whole, i, eta);
      impl->whole.scale[k][slot / PACK_LANES].weight[slot % PACK_LANES] = 1.0 / eta[0];
      if (pack->lanes.rolling)
        impl->whole.roll[k][slot / PACK_LANES].inverse_mm[slot % PACK_LANES] = eta[1];
    }
  }
}

/* The block that begins at a row. */
static size_t block_at(const ccp_operator *op, uint32_t row) {
  size_t low = 0, high = op->block_count;
  while (low + 1 < high) {
    const size_t middle = (low + high) / 2;
    if (op->row_start[middle] <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

scree_status bodies_whole_fill(ccp_operator *op) {
  op_bodies *impl = op->impl;
  if (!op->ranks) return SCREE_OK;
  if (reserve(op, impl)) return SCREE_ERROR_MEMORY;
  fill_bodies(op, impl->whole.body);
  scree_ccp problem = *op->problem;
  ccp_operator whole = *op;
  problem.bodies.body = impl->whole.body;
  whole.problem = &problem;
  fill_packs(op, &whole, impl);
  for (size_t j = op->head_count; j < op->block_count; j++) {
    const size_t i = op->order[j];
    double eta[2];
    if (!touches_split(op, i)) continue;
    etas_of(&whole, i, eta);
    op->eta_force[i] = eta[0];
    if (op->eta_moment) op->eta_moment[i] = eta[1];
  }
  for (size_t j = 0; j < impl->rigid.group_count; j++)
    for (uint32_t k = 0; k < impl->rigid.group[j].count; k++)
      impl->rigid.group[j].weight[k] =
          1.0 / op->eta_force[block_at(op, impl->rigid.group[j].row[k])];
  return SCREE_OK;
}

void bodies_whole_free(scree_context *context, bodies_whole *whole) {
  memory_free(context, whole->body);
  for (int k = 0; k < BODIES_PACKS; k++) {
    memory_free(context, whole->scale[k]);
    memory_free(context, whole->roll[k]);
  }
}
