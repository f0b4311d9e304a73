/* See islands.h. */
#include "ccp/islands.h"

#include <string.h>

#include "base/groups.h"
#include "base/memory.h"
#include "ccp/forms/local.h"

/* ---- finding them --------------------------------------------------------------------------- */

enum { NO_ISLAND = 0xffffffffu };

static bool moves(const op_islands *w, uint32_t body) {
  return body != SCREE_CCP_WORLD && w->first[body] != SCREE_CCP_WORLD;
}

/* The moving bodies of block i are one group. Returns one of them, or SCREE_CCP_WORLD. */
static uint32_t unite_bodies(const scree_ccp *p, op_islands *w, size_t i) {
  const ccp_bodies *bodies = &p->bodies;
  if (i < bodies->contact_count) {
    const ccp_contact *c = &bodies->contact[i];
    const bool a = moves(w, c->body_a), b = moves(w, c->body_b);
    if (a && b) groups_unite(w->first, c->body_a, c->body_b);
    return a ? c->body_a : b ? c->body_b : SCREE_CCP_WORLD;
  }
  const size_t generic = p->row_start[bodies->contact_count];
  uint32_t any = SCREE_CCP_WORLD;
  for (size_t t = bodies->term_start[p->row_start[i] - generic];
       t < bodies->term_start[p->row_start[i + 1] - generic]; t++) {
    const uint32_t body = bodies->term[t].body;
    if (!moves(w, body)) continue;
    if (any != SCREE_CCP_WORLD) groups_unite(w->first, any, body);
    any = body;
  }
  return any;
}

/* Islands of blocks into w->parent, by groups of bodies: there are fewer of these than blocks. What
 * nothing moves in is alone. */
static void number_by_bodies(const scree_ccp *p, op_islands *w) {
  const size_t bodies = p->bodies.body_count;
  for (size_t k = 0; k < bodies; k++)
    w->first[k] = ccp_body_moves(&p->bodies, (uint32_t)k) ? (uint32_t)k : SCREE_CCP_WORLD;
  for (size_t i = 0; i < p->block_count; i++) w->parent[i] = unite_bodies(p, w, i);
  for (size_t k = 0; k < bodies; k++) w->island[k] = NO_ISLAND;
  for (size_t i = 0; i < p->block_count; i++) {
    uint32_t alone = NO_ISLAND, *island = &alone;
    if (w->parent[i] != SCREE_CCP_WORLD) island = &w->island[groups_root(w->first, w->parent[i])];
    if (*island == NO_ISLAND) *island = (uint32_t)w->count++;
    w->parent[i] = *island;
  }
}

/* The same by blocks of N that are not zero. A root comes before its blocks. */
static void number_by_matrix(const ccp_operator *op, op_islands *w) {
  const ccp_block_rows *local = op_local_rows(op);
  for (size_t i = 0; i < op->block_count; i++) w->parent[i] = (uint32_t)i;
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t dim = op->row_start[i + 1] - op->row_start[i];
    for (size_t k = local->start[i]; k < local->start[i + 1]; k++) {
      const size_t j = local->column[k];
      const size_t entries = dim * (op->row_start[j + 1] - op->row_start[j]);
      bool coupled = false;
      for (size_t e = 0; e < entries && !coupled; e++)
        coupled = local->value[local->offset[k] + e] != 0.0;
      if (coupled) groups_unite(w->parent, (uint32_t)i, (uint32_t)j);
    }
  }
  for (size_t i = 0; i < op->block_count; i++) {
    const uint32_t root = groups_root(w->parent, (uint32_t)i);
    w->block[i] = root == i ? (uint32_t)w->count++ : w->block[root];
  }
  if (op->block_count) memcpy(w->parent, w->block, op->block_count * sizeof *w->block);
}

static scree_status make_room(const ccp_operator *op, op_islands *w) {
  scree_context *context = op->context;
  const size_t n = op->block_count, bodies = op->problem->bodies.body_count;
  w->count = w->largest = 0;
  if (memory_grow(context, &w->parent, n + 1, sizeof *w->parent) ||
      memory_grow(context, &w->block, n + 1, sizeof *w->block) ||
      memory_grow(context, &w->start, n + 2, sizeof *w->start) ||
      memory_grow(context, &w->first, bodies + 1, sizeof *w->first) ||
      memory_grow(context, &w->island, bodies + 1, sizeof *w->island))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

scree_status op_islands_choose(ccp_operator *op, op_islands *w, const bool *inside) {
  const scree_status status = make_room(op, w);
  if (status) return status;
  size_t count = 0;
  for (size_t i = 0; i < op->block_count; i++)
    if (inside[i]) w->block[count++] = (uint32_t)i;
  w->count = 1;
  w->largest = count;
  w->start[0] = 0;
  w->start[1] = (uint32_t)count;
  return SCREE_OK;
}

scree_status op_islands_find(ccp_operator *op, op_islands *w) {
  const size_t n = op->block_count;
  const scree_status status = make_room(op, w);
  if (status) return status;
  if (op->form == SCREE_FORM_BODIES)
    number_by_bodies(op->problem, w);
  else
    number_by_matrix(op, w);
  memset(w->start, 0, (w->count + 2) * sizeof *w->start);
  for (size_t i = 0; i < n; i++) w->start[w->parent[i] + 2]++;
  for (size_t c = 0; c < w->count; c++) {
    if (w->start[c + 2] > w->largest) w->largest = w->start[c + 2];
    w->start[c + 2] += w->start[c + 1];
  }
  for (size_t i = 0; i < n; i++) w->block[w->start[w->parent[i] + 1]++] = (uint32_t)i;
  return SCREE_OK;
}

/* ---- an island as a problem ----------------------------------------------------------------- */

static scree_status body_in(const scree_ccp *p, op_islands *w, uint32_t body, uint32_t *inside) {
  *inside = SCREE_CCP_WORLD;
  if (!ccp_body_moves(&p->bodies, body)) return SCREE_OK;
  if (w->first[body]) {
    *inside = w->first[body] - 1;
    return SCREE_OK;
  }
  scree_ccp_body_def def = p->bodies.body[body];
  memset(def.v_free, 0, sizeof def.v_free);
  const scree_status status = scree_ccp_add_body(w->problem, &def, inside);
  w->first[body] = *inside + 1;
  return status;
}

static scree_status add_contact(const ccp_operator *op, op_islands *w, size_t block) {
  const scree_ccp *p = op->problem;
  const ccp_contact *from = &p->bodies.contact[block];
  const size_t row = p->row_start[block], dim = p->row_start[block + 1] - row;
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  c.set = *ccp_set(p, block);
  memcpy(c.normal, from->normal, sizeof c.normal);
  memcpy(c.tangent, from->tangent, sizeof c.tangent);
  memcpy(c.arm_a, from->arm_a, sizeof c.arm_a);
  memcpy(c.arm_b, from->arm_b, sizeof c.arm_b);
  memcpy(c.offset, (w->r ? w->r : op->r) + row, dim * sizeof *c.offset);
  if (p->compliance) memcpy(c.compliance, p->compliance + row, dim * sizeof *c.compliance);
  scree_status status = body_in(p, w, from->body_a, &c.body_a);
  if (!status) status = body_in(p, w, from->body_b, &c.body_b);
  return status ? status : scree_ccp_add_contact(w->problem, &c);
}

static scree_status add_generic(const ccp_operator *op, op_islands *w, size_t block) {
  const scree_ccp *p = op->problem;
  const ccp_bodies *bodies = &p->bodies;
  const size_t row = p->row_start[block], dim = p->row_start[block + 1] - row;
  const size_t k = row - p->row_start[bodies->contact_count];
  const size_t first = bodies->term_start[k], count = bodies->term_start[k + dim] - first;
  scree_ccp_term *term = memory_new(op->context, count, sizeof *term);
  if (!term) return SCREE_ERROR_MEMORY;
  scree_ccp_row_def rows[SCREE_MAX_DIM];
  scree_status status = SCREE_OK;
  for (size_t r = 0; r < dim && !status; r++) {
    const size_t begin = bodies->term_start[k + r] - first;
    size_t end = begin;
    for (size_t t = bodies->term_start[k + r]; t < bodies->term_start[k + r + 1] && !status; t++) {
      uint32_t inside;
      status = body_in(p, w, bodies->term[t].body, &inside);
      if (inside == SCREE_CCP_WORLD) continue;
      term[end] = bodies->term[t];
      term[end++].body = inside;
    }
    rows[r] = (scree_ccp_row_def){.terms = term + begin,
                                  .term_count = end - begin,
                                  .offset = (w->r ? w->r : op->r)[row + r],
                                  .compliance = p->compliance ? p->compliance[row + r] : 0.0};
  }
  if (!status) status = scree_ccp_add_block(w->problem, ccp_set(p, block), rows);
  memory_free(op->context, term);
  return status;
}

static scree_status build_bodies(const ccp_operator *op, op_islands *w, size_t c) {
  scree_status status = SCREE_OK;
  if (w->problem && w->problem->form != SCREE_FORM_BODIES) {
    scree_ccp_destroy(w->problem);
    w->problem = NULL;
  }
  if (!w->problem) status = scree_ccp_create_bodies(op->context, &w->problem);
  if (status) return status;
  scree_ccp_clear(w->problem);
  for (size_t k = w->start[c]; k < w->start[c + 1] && !status; k++)
    status = w->block[k] < op->problem->bodies.contact_count ? add_contact(op, w, w->block[k])
                                                             : add_generic(op, w, w->block[k]);
  return status;
}

/* The island's part of N and r; `place` of each block is its first row in the island. */
static scree_status build_local(const ccp_operator *op, const op_islands *w, size_t c,
                                scree_ccp **problem) {
  scree_context *context = op->context;
  const ccp_block_rows *local = op_local_rows(op);
  const size_t count = w->start[c + 1] - w->start[c];
  const uint32_t *block = w->block + w->start[c];
  size_t rows = 0, entries = 0;
  for (size_t k = 0; k < count; k++) {
    const size_t i = block[k], dim = op->row_start[i + 1] - op->row_start[i];
    w->parent[i] = (uint32_t)rows;
    rows += dim;
    for (size_t l = local->start[i]; l < local->start[i + 1]; l++)
      entries += dim * (op->row_start[local->column[l] + 1] - op->row_start[local->column[l]]);
  }
  scree_set *set = memory_new(context, count, sizeof *set);
  double *q = memory_new(context, rows, sizeof *q);
  size_t *start = memory_new(context, rows + 2, sizeof *start);
  uint32_t *index = memory_new(context, entries, sizeof *index);
  double *value = memory_new(context, entries, sizeof *value);
  scree_status status = set && q && start && index && value ? SCREE_OK : SCREE_ERROR_MEMORY;
  /* Block rows ascend, and so do the rows of each column when they are filled in that order. */
  for (int pass = 0; pass < 2 && !status; pass++) {
    for (size_t k = 0; k < count; k++) {
      const size_t i = block[k], dim = op->row_start[i + 1] - op->row_start[i];
      set[k] = *ccp_set(op->problem, i);
      memcpy(q + w->parent[i], op->r + op->row_start[i], dim * sizeof *q);
      for (size_t l = local->start[i]; l < local->start[i + 1]; l++) {
        const size_t j = local->column[l], columns = op->row_start[j + 1] - op->row_start[j];
        const double *a = local->value + local->offset[l];
        for (size_t e = 0; e < dim * columns; e++) {
          if (a[e] == 0.0) continue;
          const size_t column = w->parent[j] + e % columns;
          if (pass == 0) {
            start[column + 2]++;
            continue;
          }
          index[start[column + 1]] = (uint32_t)(w->parent[i] + e / columns);
          value[start[column + 1]++] = a[e];
        }
      }
    }
    for (size_t column = 0; pass == 0 && column < rows; column++)
      start[column + 2] += start[column + 1];
  }
  const scree_csc matrix = {rows, rows, start, index, value};
  if (!status) status = scree_ccp_create_local(context, count, set, &matrix, q, NULL, problem);
  memory_free(context, set);
  memory_free(context, q);
  memory_free(context, start);
  memory_free(context, index);
  memory_free(context, value);
  return status;
}

scree_status op_islands_build(const ccp_operator *op, op_islands *w, size_t island,
                              scree_ccp **problem) {
  if (op->form == SCREE_FORM_BODIES) {
    const scree_status status = build_bodies(op, w, island);
    *problem = w->problem;
    return status;
  }
  scree_ccp_destroy(w->problem);
  w->problem = NULL;
  const scree_status status = build_local(op, w, island, &w->problem);
  *problem = w->problem;
  return status;
}

void op_islands_begin(const ccp_operator *op, op_islands *w) {
  const size_t bodies = op->problem->bodies.body_count;
  if (op->form == SCREE_FORM_BODIES && bodies) memset(w->first, 0, bodies * sizeof *w->first);
}

void op_islands_clear(scree_context *context, op_islands *w) {
  scree_ccp_destroy(w->problem);
  memory_free(context, w->start);
  memory_free(context, w->block);
  memory_free(context, w->parent);
  memory_free(context, w->first);
  memory_free(context, w->island);
  *w = (op_islands){0};
}
