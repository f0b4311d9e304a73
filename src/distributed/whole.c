/* The whole problem on every rank: small ones, where messages cost more than they save, and hard
 * ones, which need a method that sees all of it. Each rank adds its contacts, all get all of them
 * in the order of ranks, and each then solves the same problem with the same bits. */
#include <string.h>

#include "ccp/problem.h"
#include "distributed/distributed.h"

/* A contact on its way; bodies by their places in the world. */
typedef struct whole_contact {
  scree_ccp_contact_def def;
  double g[SCREE_MAX_DIM];
} whole_contact;

static void pack(const assembler *a, size_t k, whole_contact *out) {
  const scree_ccp *p = a->problem;
  const ccp_contact *c = &p->bodies.contact[k];
  const size_t row = p->row_start[k], rows = p->row_start[k + 1] - row;
  memset(out, 0, sizeof *out);
  out->def = scree_ccp_contact_def_default();
  out->def.body_a = c->body_a == SCREE_CCP_WORLD ? SCREE_CCP_WORLD : a->order.body[c->body_a];
  out->def.body_b = c->body_b == SCREE_CCP_WORLD ? SCREE_CCP_WORLD : a->order.body[c->body_b];
  out->def.set = *ccp_set(p, k);
  memcpy(out->def.normal, c->normal, sizeof c->normal);
  memcpy(out->def.tangent, c->tangent, sizeof c->tangent);
  memcpy(out->def.arm_a, c->arm_a, sizeof c->arm_a);
  memcpy(out->def.arm_b, c->arm_b, sizeof c->arm_b);
  memcpy(out->def.offset, p->offset + row, rows * sizeof(double));
  if (p->compliance) memcpy(out->def.compliance, p->compliance + row, rows * sizeof(double));
  memcpy(out->g, a->g + row, rows * sizeof(double));
}

/* All bodies that are in a problem, in the order of the world; mark: 1 + place in the problem. */
static scree_status add_bodies(distributed *d, const assembler *a) {
  const world_bodies *b = &a->world->bodies;
  uint32_t *mark = d->sharing.mark, count = 0;
  for (size_t i = 0; i < b->limit; i++) {
    mark[i] = 0;
    if (!b->alive[i] || b->kind[i] == SCREE_BODY_FIXED) continue;
    scree_ccp_body_def def;
    assembler_fill_body(a, (uint32_t)i, &def);
    v3_store(def.v_free, d->free_linear[i]);
    v3_store(def.v_free + 3, d->free_angular[i]);
    const scree_status status = scree_ccp_add_body(d->problem, &def, NULL);
    if (status) return status;
    mark[i] = ++count;
  }
  return SCREE_OK;
}

static uint32_t place_of(const distributed *d, uint32_t body) {
  return body == SCREE_CCP_WORLD ? SCREE_CCP_WORLD : d->sharing.mark[body] - 1;
}

static scree_status add_contacts(distributed *d, const whole_contact *all, size_t count) {
  for (size_t k = 0; k < count; k++) {
    scree_ccp_contact_def def = all[k].def;
    def.body_a = place_of(d, def.body_a);
    def.body_b = place_of(d, def.body_b);
    const size_t row = d->problem->row_count;
    const scree_status status = scree_ccp_add_contact(d->problem, &def);
    if (status) return status;
    const size_t rows = d->problem->row_count - row;
    if (memory_grow(d->context, &d->g, row + rows, sizeof *d->g)) return SCREE_ERROR_MEMORY;
    memcpy(d->g + row, all[k].g, rows * sizeof *d->g);
  }
  return SCREE_OK;
}

/* What each rank has, one after the other. */
static scree_status gather(distributed *d, const assembler *a, size_t *all) {
  const size_t mine = a->problem->block_count;
  size_t offset[DISTRIBUTED_MOST], size[DISTRIBUTED_MOST], count[DISTRIBUTED_MOST];
  for (int r = 0; r < d->ranks->count; r++) {
    offset[r] = (size_t)r * sizeof mine;
    size[r] = sizeof mine;
  }
  d->ranks->gather(d->ranks, &mine, count, offset, size);
  *all = 0;
  for (int r = 0; r < d->ranks->count; r++) {
    if (r == d->ranks->me) d->first_block = *all;
    offset[r] = *all * sizeof(whole_contact);
    size[r] = count[r] * sizeof(whole_contact);
    *all += count[r];
  }
  if (memory_grow(d->context, &d->blob, (mine + 1) * sizeof(whole_contact), 1) ||
      memory_grow(d->context, &d->bytes, (*all + 1) * sizeof(whole_contact), 1))
    return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < mine; k++) pack(a, k, (whole_contact *)(void *)d->blob + k);
  d->ranks->gather(d->ranks, d->blob, d->bytes, offset, size);
  return SCREE_OK;
}

scree_status distributed_whole(assembler_ranks *r, assembler *a, const scree_ccp **problem,
                               double **g) {
  distributed *d = (distributed *)r;
  size_t all;
  scree_status status = SCREE_OK;
  if (!d->problem) status = scree_ccp_create_bodies(d->context, &d->problem);
  if (!status) status = gather(d, a, &all);
  if (status) return status;
  scree_ccp_clear(d->problem);
  scree_ccp_set_reference_speed(d->problem, a->problem->reference_speed);
  ccp_set_least_speed(d->problem, a->problem->least_speed);
  status = add_bodies(d, a);
  if (!status) status = add_contacts(d, (const whole_contact *)(const void *)d->bytes, all);
  *problem = d->problem;
  *g = d->g;
  return status;
}

/* All ranks take the solution of rank 0: where a time limit ended a solve, the ranks' own solutions
 * may differ. */
void distributed_take(assembler_ranks *r, assembler *a) {
  distributed *d = (distributed *)r;
  d->ranks->broadcast(d->ranks, 0, d->g, d->problem->row_count * sizeof *d->g);
  const size_t first = d->problem->row_start[d->first_block];
  memcpy(a->g, d->g + first, a->problem->row_count * sizeof *a->g);
}
