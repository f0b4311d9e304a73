/* The whole problem on every rank: small ones and machines, where messages cost more than they
 * save, and hard ones, which need a method that sees all of it. Each rank adds its contacts, all
 * get all of them in the order of ranks, and each then solves the same problem with the same bits.
 */
#include <string.h>

#include "assemble/joints/joints.h"
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

/* A block of a joint or link on its way: this, then its rows, each with its terms. */
typedef struct whole_block {
  scree_set set;
  uint64_t rows;
} whole_block;

typedef struct whole_row {
  double offset, compliance, g;
  uint64_t terms;
} whole_row;

/* Of the blocks that are no contacts; returns how many bytes. */
static size_t pack_blocks(const assembler *a, char *out) {
  const scree_ccp *p = a->problem;
  const ccp_bodies *bodies = &p->bodies;
  const size_t before = p->row_start[bodies->contact_count];
  blob_out to = {.bytes = out};
  for (size_t k = bodies->contact_count; k < p->block_count; k++) {
    const whole_block block = {*ccp_set(p, k), (uint64_t)ccp_dim(p, k)};
    blob_put(&to, &block, sizeof block);
    for (size_t row = p->row_start[k]; row < p->row_start[k + 1]; row++) {
      const size_t first = bodies->term_start[row - before];
      const whole_row one = {p->offset[row], p->compliance ? p->compliance[row] : 0.0, a->g[row],
                             bodies->term_start[row - before + 1] - first};
      blob_put(&to, &one, sizeof one);
      for (size_t t = 0; t < one.terms; t++) {
        scree_ccp_term term = bodies->term[first + t];
        if (term.body != SCREE_CCP_WORLD) term.body = a->order.body[term.body];
        blob_put(&to, &term, sizeof term);
      }
    }
  }
  return to.at;
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
    if (world_is_dynamic(a->world, i)) assembler_keep_stiff(a, (uint32_t)i, &def);
    if (b->point && b->point[i]) memset(def.inverse_inertia, 0, sizeof def.inverse_inertia);
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

static const char *take_bytes(const char *from, void *to, size_t size) {
  memcpy(to, from, size);
  return from + size;
}

/* The blocks in `size` bytes, of which mine begin at d->told. */
static scree_status add_blocks(distributed *d, const char *from, size_t size) {
  const char *mine = from + d->told, *end = from + size;
  scree_ccp_row_def rows[SCREE_MAX_DIM];
  size_t first[SCREE_MAX_DIM];
  while (from < end) {
    whole_block block;
    size_t terms = 0;
    const size_t row = d->problem->row_count;
    if (from == mine) d->first_row = row;
    from = take_bytes(from, &block, sizeof block);
    if (memory_grow(d->context, &d->g, row + block.rows, sizeof *d->g)) return SCREE_ERROR_MEMORY;
    for (size_t k = 0; k < block.rows; k++) {
      whole_row one;
      from = take_bytes(from, &one, sizeof one);
      first[k] = terms;
      terms += one.terms;
      if (memory_grow(d->context, &d->term, terms, sizeof *d->term)) return SCREE_ERROR_MEMORY;
      for (size_t t = first[k]; t < terms; t++) {
        from = take_bytes(from, &d->term[t], sizeof *d->term);
        d->term[t].body = place_of(d, d->term[t].body);
      }
      rows[k] = (scree_ccp_row_def){
          .term_count = one.terms, .offset = one.offset, .compliance = one.compliance};
      d->g[row + k] = one.g;
    }
    for (size_t k = 0; k < block.rows; k++) rows[k].terms = d->term + first[k];
    const scree_status status = scree_ccp_add_block(d->problem, &block.set, rows);
    if (status) return status;
  }
  return SCREE_OK;
}

/* Those of all ranks, behind the contacts. */
static scree_status gather_blocks(distributed *d, const assembler *a) {
  const size_t mine = pack_blocks(a, NULL);
  const void *all;
  size_t total;
  if (memory_grow(d->context, &d->blob, mine + 1, 1)) return SCREE_ERROR_MEMORY;
  pack_blocks(a, d->blob);
  const scree_status status = distributed_tell(&d->hooks, d->blob, mine, &all, &total);
  return status ? status : add_blocks(d, all, total);
}

/* What each rank has, one after the other. */
static scree_status gather(distributed *d, const assembler *a, size_t *all) {
  const size_t mine = a->problem->bodies.contact_count;
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
  d->problem->asks_contradictions = a->problem->asks_contradictions;
  status = add_bodies(d, a);
  if (!status) status = add_contacts(d, (const whole_contact *)(const void *)d->bytes, all);
  if (!status && units_are_there(a->world)) status = gather_blocks(d, a);
  *problem = d->problem;
  *g = d->g;
  return status;
}

void distributed_pick(assembler_ranks *r, const assembler *a, const double *all, double *mine) {
  const distributed *d = (const distributed *)r;
  const scree_ccp *p = a->problem;
  const size_t rows = p->row_start[p->bodies.contact_count];
  if (rows) memcpy(mine, all + d->problem->row_start[d->first_block], rows * sizeof *mine);
  if (p->row_count > rows)
    memcpy(mine + rows, all + d->first_row, (p->row_count - rows) * sizeof *mine);
}

/* All ranks take the solution of rank 0: where a time limit ended a solve, the ranks' own solutions
 * may differ. */
void distributed_take(assembler_ranks *r, assembler *a) {
  distributed *d = (distributed *)r;
  d->ranks->broadcast(d->ranks, 0, d->g, d->problem->row_count * sizeof *d->g);
  distributed_pick(r, a, d->g, a->g);
}
