/* See joined.h. */
#include "tests/support/joined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ccp/problem.h"

static scree_status add_contact(const scree_ccp *p, size_t i, uint32_t shift, scree_ccp *out) {
  const ccp_contact *from = &p->bodies.contact[i];
  const size_t row = p->row_start[i], dim = p->row_start[i + 1] - row;
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  c.body_a = from->body_a == SCREE_CCP_WORLD ? from->body_a : from->body_a + shift;
  c.body_b = from->body_b == SCREE_CCP_WORLD ? from->body_b : from->body_b + shift;
  c.set = *ccp_set(p, i);
  memcpy(c.normal, from->normal, sizeof c.normal);
  memcpy(c.tangent, from->tangent, sizeof c.tangent);
  memcpy(c.arm_a, from->arm_a, sizeof c.arm_a);
  memcpy(c.arm_b, from->arm_b, sizeof c.arm_b);
  memcpy(c.offset, p->offset + row, dim * sizeof(double));
  if (p->compliance) memcpy(c.compliance, p->compliance + row, dim * sizeof(double));
  return scree_ccp_add_contact(out, &c);
}

static scree_status add_block(const scree_ccp *p, size_t i, uint32_t shift, scree_ccp *out) {
  const ccp_bodies *b = &p->bodies;
  const size_t row = p->row_start[i], dim = p->row_start[i + 1] - row;
  const size_t k = row - p->row_start[b->contact_count];
  scree_ccp_term terms[64];
  scree_ccp_row_def rows[SCREE_MAX_DIM];
  size_t used = 0;
  for (size_t r = 0; r < dim; r++) {
    rows[r] = (scree_ccp_row_def){.terms = terms + used,
                                  .term_count = b->term_start[k + r + 1] - b->term_start[k + r],
                                  .offset = p->offset[row + r],
                                  .compliance = p->compliance ? p->compliance[row + r] : 0.0};
    for (size_t t = b->term_start[k + r]; t < b->term_start[k + r + 1] && used < 64; t++) {
      terms[used] = b->term[t];
      terms[used++].body += shift;
    }
  }
  return scree_ccp_add_block(out, ccp_set(p, i), rows);
}

scree_status joined_create(scree_context *context, scree_ccp *const *parts, size_t count,
                           scree_ccp **joined) {
  scree_status status = scree_ccp_create_bodies(context, joined);
  uint32_t *shift = calloc(count + 1, sizeof *shift);
  size_t most = 0;
  for (size_t k = 0; k < count && !status; k++) {
    shift[k + 1] = shift[k] + (uint32_t)parts[k]->bodies.body_count;
    for (size_t b = 0; b < parts[k]->bodies.body_count && !status; b++)
      status = scree_ccp_add_body(*joined, &parts[k]->bodies.body[b], NULL);
    if (parts[k]->block_count > most) most = parts[k]->block_count;
  }
  for (size_t i = 0; i < most; i++)
    for (size_t k = 0; k < count && !status; k++)
      if (i < parts[k]->bodies.contact_count) status = add_contact(parts[k], i, shift[k], *joined);
  for (size_t i = 0; i < most; i++)
    for (size_t k = 0; k < count && !status; k++)
      if (i >= parts[k]->bodies.contact_count && i < parts[k]->block_count)
        status = add_block(parts[k], i, shift[k], *joined);
  free(shift);
  return status;
}

scree_status joined_condense(scree_context *context, const scree_ccp *problem, scree_ccp **local) {
  const size_t n = problem->row_count;
  double *x = calloc(n, sizeof *x), *r = calloc(n, sizeof *r), *u = calloc(n, sizeof *u);
  size_t *start = calloc(n + 1, sizeof *start), entries = 0;
  uint32_t *index = malloc(n * n * sizeof *index);
  double *value = malloc(n * n * sizeof *value);
  scree_set *sets = calloc(problem->block_count, sizeof *sets);
  for (size_t i = 0; i < problem->block_count; i++) sets[i] = *ccp_set(problem, i);
  scree_status status = scree_ccp_velocities(context, problem, x, r, NULL);
  for (size_t j = 0; j < n && !status; j++) {
    x[j] = 1.0;
    status = scree_ccp_velocities(context, problem, x, u, NULL);
    x[j] = 0.0;
    for (size_t i = 0; i < n; i++)
      if (fabs(u[i] - r[i]) > 1e-13) {
        index[entries] = (uint32_t)i;
        value[entries++] = u[i] - r[i];
      }
    start[j + 1] = entries;
  }
  const scree_csc w = {n, n, start, index, value};
  if (!status)
    status = scree_ccp_create_local(context, problem->block_count, sets, &w, r, NULL, local);
  free(x);
  free(r);
  free(u);
  free(start);
  free(index);
  free(value);
  free(sets);
  return status;
}
