/* See bodies/diagonal.h. */
#include "ccp/bodies/diagonal.h"

#include <string.h>

#include "base/memory.h"
#include "ccp/bodies/operator.h"

static void add_side(const ccp_bodies *bodies, uint32_t body, const double *arm,
                     const contact_rows *rows, double *nii) {
  if (!ccp_body_moves(bodies, body)) return;
  const scree_ccp_body_def *def = &bodies->body[body];
  const int n = rows->dim;
  v3 lever[SCREE_MAX_DIM], turn[SCREE_MAX_DIM];
  for (int k = 0; k < n; k++) {
    lever[k] = k < rows->forces ? v3_cross(v3_load(arm), rows->direction[k]) : rows->direction[k];
    turn[k] = sym3_mul_v3(def->inverse_inertia, lever[k]);
  }
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++) {
      nii[k * n + l] += v3_dot(lever[k], turn[l]);
      if (k == l && k < rows->forces) nii[k * n + l] += def->inverse_mass;
    }
}

/* N_ii of rows with terms start[0] … start[n] - 1, of which row k has those from start[k] on. */
static void add_generic(const ccp_bodies *bodies, const size_t *start, size_t n, double *nii) {
  for (size_t l = 0; l < n; l++)
    for (size_t s = start[l]; s < start[l + 1]; s++) {
      const scree_ccp_term *b = &bodies->term[s];
      if (!ccp_body_moves(bodies, b->body)) continue;
      const scree_ccp_body_def *def = &bodies->body[b->body];
      const v3 way = v3_scale(def->inverse_mass, v3_load(b->coefficient));
      const v3 turn = sym3_mul_v3(def->inverse_inertia, v3_load(b->coefficient + 3));
      for (size_t k = 0; k < n; k++)
        for (size_t t = start[k]; t < start[k + 1]; t++) {
          const scree_ccp_term *a = &bodies->term[t];
          if (a->body == b->body)
            nii[k * n + l] +=
                v3_dot(v3_load(a->coefficient), way) + v3_dot(v3_load(a->coefficient + 3), turn);
        }
    }
}

void bodies_diagonal_block(const ccp_operator *op, size_t i, double *nii) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const int dim = ccp_dim(op->problem, i);
  const size_t n = (size_t)dim, row = op->row_start[i];
  memset(nii, 0, n * n * sizeof *nii);
  if (i < bodies->contact_count) {
    const ccp_contact *c = &bodies->contact[i];
    const contact_rows rows = contact_rows_of(c, dim);
    add_side(bodies, c->body_a, c->arm_a, &rows, nii);
    add_side(bodies, c->body_b, c->arm_b, &rows, nii);
  } else {
    add_generic(bodies, bodies->term_start + bodies_generic_row(op, i), n, nii);
  }
  for (size_t k = 0; op->problem->compliance && k < n; k++)
    nii[k * n + k] += op->problem->compliance[row + k];
}

const double *bodies_diagonal_kept(const ccp_operator *op, size_t i) {
  const op_bodies *impl = op->impl;
  const bodies_diagonal *d = &impl->diagonal;
  return impl->pack.scratch.colour[i] == PACK_REST ? d->value + d->at[i] : NULL;
}

scree_status bodies_diagonal_fill(bodies_diagonal *d, ccp_operator *op) {
  const op_bodies *impl = op->impl;
  size_t entries = 0;
  if (op->head_count == op->block_count) return SCREE_OK;
  if (memory_grow(op->context, &d->at, op->block_count, sizeof *d->at)) return SCREE_ERROR_MEMORY;
  for (size_t j = op->head_count; j < op->block_count; j++) {
    const size_t i = op->order[j], dim = (size_t)ccp_dim(op->problem, i);
    if (impl->pack.scratch.colour[i] != PACK_REST) continue;
    d->at[i] = entries;
    entries += dim * dim;
  }
  if (memory_grow(op->context, &d->value, entries, sizeof *d->value)) return SCREE_ERROR_MEMORY;
  for (size_t j = op->head_count; j < op->block_count; j++) {
    const size_t i = op->order[j];
    if (impl->pack.scratch.colour[i] == PACK_REST)
      bodies_diagonal_block(op, i, d->value + d->at[i]);
  }
  return SCREE_OK;
}

void bodies_diagonal_free(scree_context *context, bodies_diagonal *d) {
  memory_free(context, d->at);
  memory_free(context, d->value);
}
