/* Components of bodies that are tied elastically, and the factors of A = I + B_E C^-1 B_E' of each
 * (elastic.h). The factors are made anew only when a value has changed: several solves of one step
 * share them, and so do steps of what rests. No tolerance is in that: a resumed run, which has no
 * factors, would else go another way. The analysis is kept as long as the elements are the same. */
#include <string.h>

#include "base/groups.h"
#include "base/memory.h"
#include "base/search.h"
#include "ccp/sets/set.h"
#include "solve/elastic/elastic.h"

enum { BODY = 6, LINEAR = 3 };

bool elastic_is(const scree_ccp *p, size_t block) {
  if (block < ccp_contact_count(p) || !p->compliance) return false;
  if (set_role_of(ccp_set(p, block)) != SET_BILATERAL) return false;
  for (size_t r = p->row_start[block]; r < p->row_start[block + 1]; r++)
    if (!(p->compliance[r] > 0.0)) return false;
  return true;
}

static bool turns(const double *rows, size_t dim) {
  for (size_t r = 0; r < dim; r++)
    for (size_t j = LINEAR; j < BODY; j++)
      if (rows[BODY * r + j] != 0.0) return true;
  return false;
}

/* Marks the bodies that elastic rows tie together, and those that the rows also turn. */
static void tie(elastic *e, const ccp_operator *op) {
  const formed_jacobian *b = &e->b;
  for (size_t i = 0; i < b->body_count; i++) {
    e->parent[i] = (uint32_t)i;
    e->body[i] = (elastic_body){ELASTIC_NONE, ELASTIC_NONE, 0, 0};
  }
  for (size_t i = 0; i < b->block_count; i++) {
    e->is_elastic[i] = elastic_is(op->problem, i) && b->start[i + 1] > b->start[i];
    if (!e->is_elastic[i]) continue;
    const size_t dim = op->row_start[i + 1] - op->row_start[i];
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
      elastic_body *body = &e->body[b->body[k]];
      groups_unite(e->parent, b->body[b->start[i]], b->body[k]);
      if (turns(elastic_touch(e, k), dim))
        body->size = BODY;
      else if (body->size == 0)
        body->size = LINEAR;
    }
  }
}

/* Numbers of components in the order of their first bodies, and of the nodes in them. */
static scree_status number(elastic *e, const ccp_operator *op) {
  scree_context *context = op->context;
  e->component_count = e->node_count = e->row_count = 0;
  for (size_t i = 0; i < e->b.body_count; i++) {
    if (!formed_body_moves(op, (uint32_t)i)) continue;
    const uint32_t root = groups_root(e->parent, (uint32_t)i);
    if (root == i) {
      if (memory_grow(context, &e->component, e->component_count + 1, sizeof *e->component))
        return SCREE_ERROR_MEMORY;
      memset(&e->component[e->component_count], 0, sizeof *e->component);
      e->body[i].component = (uint32_t)e->component_count++;
    } else
      e->body[i].component = e->body[root].component;
    if (e->body[i].size) e->component[e->body[i].component].nodes++;
  }
  for (size_t c = 0, node = 0; c < e->component_count; c++) {
    e->component[c].node = node;
    node += e->component[c].nodes;
    e->component[c].nodes = 0;
    e->node_count = node;
  }
  if (memory_grow(context, &e->node_body, e->node_count + 1, sizeof *e->node_body))
    return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < e->b.body_count; i++) {
    elastic_body *body = &e->body[i];
    if (body->component == ELASTIC_NONE || !body->size) continue;
    elastic_component *c = &e->component[body->component];
    body->node = (uint32_t)(c->node + c->nodes++);
    e->node_body[body->node] = (uint32_t)i;
  }
  if (memory_grow(context, &e->row_start, e->node_count + e->component_count, sizeof *e->row_start))
    return SCREE_ERROR_MEMORY;
  for (size_t c = 0; c < e->component_count; c++) {
    elastic_component *at = &e->component[c];
    at->row = e->row_count;
    uint32_t row = 0;
    for (size_t n = at->node; n < at->node + at->nodes; n++) {
      elastic_body *body = &e->body[e->node_body[n]];
      e->row_start[n + c] = row;
      body->row = (uint32_t)(at->row + row);
      row += body->size;
    }
    e->row_start[at->node + at->nodes + c] = row;
    at->rows = row;
    e->row_count += row;
  }
  return SCREE_OK;
}

/* Elastic blocks of each node. */
static scree_status look_back(elastic *e, const ccp_operator *op) {
  const formed_jacobian *b = &e->b;
  if (memory_grow(op->context, &e->back_start, e->node_count + 2, sizeof *e->back_start) ||
      memory_grow(op->context, &e->back, b->start[b->block_count] + 1, sizeof *e->back))
    return SCREE_ERROR_MEMORY;
  memset(e->back_start, 0, (e->node_count + 2) * sizeof *e->back_start);
  for (size_t i = 0; i < b->block_count; i++)
    for (size_t k = b->start[i]; e->is_elastic[i] && k < b->start[i + 1]; k++)
      e->back_start[e->body[b->body[k]].node + 2]++;
  for (size_t n = 2; n < e->node_count + 2; n++) e->back_start[n] += e->back_start[n - 1];
  for (size_t i = 0; i < b->block_count; i++)
    for (size_t k = b->start[i]; e->is_elastic[i] && k < b->start[i + 1]; k++)
      e->back[e->back_start[e->body[b->body[k]].node + 1]++] = (uint32_t)i;
  return SCREE_OK;
}

static void insert(uint32_t *column, size_t begin, size_t end, uint32_t value) {
  size_t at = end;
  for (; at > begin && column[at - 1] > value; at--) column[at] = column[at - 1];
  column[at] = value;
}

static scree_status lay_row(elastic *e, const ccp_operator *op, size_t n, size_t first) {
  const formed_jacobian *b = &e->b;
  const elastic_body *own = &e->body[e->node_body[n]];
  const size_t begin = e->blocks;
  size_t most = 1;
  for (size_t l = e->back_start[n]; l < e->back_start[n + 1]; l++)
    most += b->start[e->back[l] + 1] - b->start[e->back[l]];
  if (memory_grow(op->context, &e->column, begin + most, sizeof *e->column) ||
      memory_grow(op->context, &e->offset, begin + most, sizeof *e->offset))
    return SCREE_ERROR_MEMORY;
  for (size_t l = e->back_start[n]; l < e->back_start[n + 1]; l++)
    for (size_t k = b->start[e->back[l]]; k < b->start[e->back[l] + 1]; k++) {
      const uint32_t m = e->body[b->body[k]].node;
      if (e->mark[m] == n + 1) continue;
      e->mark[m] = (uint32_t)n + 1;
      insert(e->column, begin, e->blocks++, (uint32_t)(m - first));
    }
  for (size_t l = begin; l < e->blocks; l++) {
    e->offset[l] = e->entries;
    e->entries += (size_t)own->size * e->body[e->node_body[first + e->column[l]]].size;
  }
  return SCREE_OK;
}

static scree_status lay_pattern(elastic *e, const ccp_operator *op) {
  const size_t nodes = e->node_count, components = e->component_count;
  if (memory_grow(op->context, &e->mark, nodes + 1, sizeof *e->mark) ||
      memory_grow(op->context, &e->start, nodes + components, sizeof *e->start))
    return SCREE_ERROR_MEMORY;
  memset(e->mark, 0, (nodes + 1) * sizeof *e->mark);
  e->blocks = e->entries = 0;
  for (size_t c = 0; c < components; c++) {
    elastic_component *at = &e->component[c];
    at->entry = e->blocks;
    e->start[at->node + c] = 0;
    for (size_t n = at->node; n < at->node + at->nodes; n++) {
      const scree_status status = lay_row(e, op, n, at->node);
      if (status) return status;
      e->start[n + c + 1] = e->blocks - at->entry;
    }
  }
  return SCREE_OK;
}

/* The block of two nodes of component c that an element joins. */
static double *find(const elastic *e, size_t c, size_t node, size_t other) {
  const elastic_component *at = &e->component[c];
  const uint32_t column = (uint32_t)(other - at->node);
  const size_t first = at->entry + e->start[node + c];
  const size_t count = e->start[node + c + 1] - e->start[node + c];
  return e->value + e->offset[first + search_u32(e->column + first, count, column)];
}

static void add_block(elastic *e, const ccp_operator *op, size_t i) {
  const formed_jacobian *b = &e->b;
  const size_t first_row = op->row_start[i], dim = op->row_start[i + 1] - first_row;
  for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
    const elastic_body *p = &e->body[b->body[k]];
    for (size_t l = b->start[i]; l < b->start[i + 1]; l++) {
      const elastic_body *q = &e->body[b->body[l]];
      double *to = find(e, p->component, p->node, q->node);
      for (size_t r = 0; r < dim; r++) {
        const double stiff = 1.0 / op->problem->compliance[first_row + r];
        const double *x = elastic_touch(e, k) + BODY * r, *y = elastic_touch(e, l) + BODY * r;
        for (size_t s = 0; s < p->size; s++) {
          const double part = stiff * x[s];
          for (size_t t = 0; t < q->size; t++) to[s * q->size + t] += part * y[t];
        }
      }
    }
  }
}

static scree_status fill(elastic *e, const ccp_operator *op) {
  if (memory_grow(op->context, &e->value, e->entries + 1, sizeof *e->value))
    return SCREE_ERROR_MEMORY;
  memset(e->value, 0, e->entries * sizeof *e->value);
  for (size_t n = 0; n < e->node_count; n++) {
    const elastic_body *body = &e->body[e->node_body[n]];
    double *to = find(e, body->component, n, n);
    for (size_t s = 0; s < body->size; s++) to[s * body->size + s] = 1.0;
  }
  for (size_t i = 0; i < e->b.block_count; i++)
    if (e->is_elastic[i]) add_block(e, op, i);
  return SCREE_OK;
}

/* Are the factors those of this matrix? If not it is noted down: they will be. */
static scree_status note_matrix(elastic *e, const ccp_operator *op, bool *same) {
  const size_t nodes = e->node_count, parts = e->component_count, rows = nodes + parts;
  *same = e->valid && e->old_nodes == nodes && e->old_components == parts &&
          memcmp(e->start, e->old_start, rows * sizeof *e->start) == 0 &&
          memcmp(e->row_start, e->old_row_start, rows * sizeof *e->row_start) == 0 &&
          memcmp(e->column, e->old_column, e->blocks * sizeof *e->column) == 0 &&
          memcmp(e->value, e->old_value, e->entries * sizeof *e->value) == 0;
  if (*same) return SCREE_OK;
  e->valid = false;
  if (memory_grow(op->context, &e->old_start, rows, sizeof *e->start) ||
      memory_grow(op->context, &e->old_row_start, rows, sizeof *e->row_start) ||
      memory_grow(op->context, &e->old_column, e->blocks + 1, sizeof *e->column) ||
      memory_grow(op->context, &e->old_value, e->entries + 1, sizeof *e->value))
    return SCREE_ERROR_MEMORY;
  memcpy(e->old_start, e->start, rows * sizeof *e->start);
  memcpy(e->old_row_start, e->row_start, rows * sizeof *e->row_start);
  memcpy(e->old_column, e->column, e->blocks * sizeof *e->column);
  memcpy(e->old_value, e->value, e->entries * sizeof *e->value);
  e->old_nodes = nodes;
  e->old_components = parts;
  return SCREE_OK;
}

static scree_status factorise(elastic *e, const ccp_operator *op) {
  scree_context *context = op->context;
  size_t used = 0;
  bool same;
  scree_status status = note_matrix(e, op, &same);
  for (size_t c = 0; c < e->component_count && !status; c++) {
    elastic_component *at = &e->component[c];
    if (!at->nodes) continue;
    if (memory_grow(context, &e->factor, used + 1, sizeof *e->factor)) return SCREE_ERROR_MEMORY;
    if (!e->factor[used]) status = sparse_create(context, &e->factor[used]);
    if (status) return status;
    if (e->factor_count <= used) e->factor_count = used + 1;
    at->factor = (uint32_t)used++;
    if (same) continue;
    const sparse_blocks a = {.count = at->nodes,
                             .row_start = e->row_start + at->node + c,
                             .start = e->start + at->node + c,
                             .column = e->column + at->entry,
                             .offset = e->offset + at->entry,
                             .value = e->value};
    status = sparse_analyse(e->factor[at->factor], &a);
    if (status || sparse_factorise(e->factor[at->factor], &a, SPARSE_CHOLESKY)) continue;
    return context_go_on(context, "elastic");
  }
  e->valid = !status;
  return status;
}

scree_status elastic_prepare(elastic *e, const ccp_operator *op) {
  scree_context *context = op->context;
  formed_jacobian_clear(context, &e->b);
  scree_status status = formed_jacobian_build(op, &e->b);
  if (status) return status;
  const size_t bodies = e->b.body_count + 1;
  if (memory_grow(context, &e->is_elastic, e->b.block_count + 1, 1) ||
      memory_grow(context, &e->parent, bodies, sizeof *e->parent) ||
      memory_grow(context, &e->body, bodies, sizeof *e->body))
    return SCREE_ERROR_MEMORY;
  tie(e, op);
  status = number(e, op);
  if (!status) status = look_back(e, op);
  if (!status) status = lay_pattern(e, op);
  if (!status) status = fill(e, op);
  if (!status) status = factorise(e, op);
  return status;
}

void elastic_solve(elastic *e, size_t component, size_t count, double *x) {
  sparse_solve_many(e->factor[e->component[component].factor], count, x);
}
