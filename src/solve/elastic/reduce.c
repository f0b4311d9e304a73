/* The kept blocks as a problem of their own, W g + q (elastic.h), and the way back. W couples all
 * blocks that touch one component: its columns are solves with the factors, eight at a time. */
#include <string.h>

#include "base/memory.h"
#include "base/search.h"
#include "ccp/forms/block_rows.h"
#include "solve/elastic/elastic.h"

enum { BODY = 6 };

static size_t dim_of(const ccp_operator *op, size_t block) {
  return op->row_start[block + 1] - op->row_start[block];
}

/* Kept blocks with their rows and sets, and those of each component. */
static scree_status keep(elastic *e, const ccp_operator *op) {
  const formed_jacobian *b = &e->b;
  const size_t n = b->block_count;
  scree_context *context = op->context;
  if (memory_grow(context, &e->kept, n + 1, sizeof *e->kept) ||
      memory_grow(context, &e->kept_row, n + 1, sizeof *e->kept_row) ||
      memory_grow(context, &e->kept_set, n + 1, sizeof *e->kept_set) ||
      memory_grow(context, &e->touch, b->start[n] + 1, sizeof *e->touch) ||
      memory_grow(context, &e->mark, n + e->component_count + 1, sizeof *e->mark))
    return SCREE_ERROR_MEMORY;
  e->kept_count = e->kept_rows = 0;
  for (size_t i = 0; i < n; i++) {
    if (e->is_elastic[i]) continue;
    e->kept[e->kept_count] = (uint32_t)i;
    e->kept_row[e->kept_count] = (uint32_t)e->kept_rows;
    e->kept_set[e->kept_count++] = op->problem->set_index[i];
    e->kept_rows += dim_of(op, i);
  }
  e->kept_row[e->kept_count] = (uint32_t)e->kept_rows;
  for (size_t c = 0; c < e->component_count; c++) e->component[c].touches = 0;
  for (int pass = 0; pass < 2; pass++) {
    memset(e->mark, 0, e->component_count * sizeof *e->mark);
    for (size_t a = 0; a < e->kept_count; a++)
      for (size_t k = b->start[e->kept[a]]; k < b->start[e->kept[a] + 1]; k++) {
        const uint32_t c = e->body[b->body[k]].component;
        elastic_component *at = &e->component[c];
        if (e->mark[c] == a + 1) continue;
        e->mark[c] = (uint32_t)a + 1;
        if (pass) e->touch[at->touch + at->touches] = (uint32_t)a;
        at->touches++;
      }
    for (size_t c = 0, all = 0; !pass && c < e->component_count; c++) {
      e->component[c].touch = all;
      all += e->component[c].touches;
      e->component[c].touches = 0;
    }
  }
  return SCREE_OK;
}

/* Blocks are coupled that share a component. */
static scree_status lay_rows(elastic *e, const ccp_operator *op) {
  const formed_jacobian *b = &e->b;
  ccp_block_rows *w = &e->w;
  scree_context *context = op->context;
  const size_t n = e->kept_count;
  size_t count = 0, entries = 0;
  if (memory_grow(context, &w->start, n + 1, sizeof *w->start) ||
      memory_grow(context, &w->diagonal, n + 1, sizeof *w->diagonal))
    return SCREE_ERROR_MEMORY;
  memset(e->mark, 0, (n + 1) * sizeof *e->mark);
  w->start[0] = 0;
  for (size_t a = 0; a < n; a++) {
    size_t most = 1;
    const size_t i = e->kept[a], begin = count;
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++)
      most += e->component[e->body[b->body[k]].component].touches;
    if (memory_grow(context, &w->column, count + most, sizeof *w->column) ||
        memory_grow(context, &w->offset, count + most + 1, sizeof *w->offset))
      return SCREE_ERROR_MEMORY;
    e->mark[a] = (uint32_t)a + 1;
    w->column[count++] = (uint32_t)a;
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
      const elastic_component *c = &e->component[e->body[b->body[k]].component];
      for (size_t t = c->touch; t < c->touch + c->touches; t++) {
        if (e->mark[e->touch[t]] == a + 1) continue;
        e->mark[e->touch[t]] = (uint32_t)a + 1;
        w->column[count++] = e->touch[t];
      }
    }
    sparse_sort_columns(w->column + begin, count - begin);
    for (size_t l = begin; l < count; l++) {
      if (w->column[l] == a) w->diagonal[a] = l;
      w->offset[l] = entries;
      entries += dim_of(op, i) * dim_of(op, e->kept[w->column[l]]);
    }
    w->start[a + 1] = count;
    w->offset[count] = entries;
  }
  if (memory_grow(context, &w->value, entries + 1, sizeof *w->value)) return SCREE_ERROR_MEMORY;
  memset(w->value, 0, entries * sizeof *w->value);
  w->asymmetry = 0.0;
  return SCREE_OK;
}

/* The block (a, column), which is there. */
static double *find(const elastic *e, size_t a, uint32_t column) {
  const size_t first = e->w.start[a], count = e->w.start[a + 1] - first;
  return e->w.value + e->w.offset[first + search_u32(e->w.column + first, count, column)];
}

/* Columns of the kept block a, `count` of them, in the rows of a component; false: it is not there.
 */
static void put_columns(const elastic *e, const ccp_operator *op, size_t c, size_t a, double *x,
                        size_t count, size_t from) {
  const formed_jacobian *b = &e->b;
  const size_t i = e->kept[a], dim = dim_of(op, i);
  for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
    const elastic_body *body = &e->body[b->body[k]];
    if (body->component != c) continue;
    double *to = x + count * (body->row - e->component[c].row);
    for (size_t s = 0; s < body->size; s++)
      for (size_t r = 0; r < dim; r++)
        to[count * s + from + r] += elastic_touch(e, k)[BODY * r + s];
  }
}

/* Block (a, d), d >= a, from the solved columns of a: row s of it is what row s of a does to d. */
static void take_columns(elastic *e, const ccp_operator *op, size_t c, size_t a, size_t d,
                         const double *x, size_t count, size_t from) {
  const formed_jacobian *b = &e->b;
  const size_t j = e->kept[d], rows = dim_of(op, e->kept[a]), columns = dim_of(op, j);
  double *to = find(e, a, (uint32_t)d);
  for (size_t l = b->start[j]; l < b->start[j + 1]; l++) {
    const elastic_body *body = &e->body[b->body[l]];
    if (body->component != c) continue;
    const double *y = x + count * (body->row - e->component[c].row) + from;
    for (size_t q = 0; q < columns; q++)
      for (size_t s = 0; s < body->size; s++) {
        const double coefficient = elastic_touch(e, l)[BODY * q + s];
        if (coefficient == 0.0) continue;
        for (size_t r = 0; r < rows; r++) to[r * columns + q] += coefficient * y[count * s + r];
      }
  }
}

/* What A leaves alone: all of a body that is no node, the turn of one with three rows. */
static void add_free(elastic *e, const ccp_operator *op, size_t a, size_t d) {
  const formed_jacobian *b = &e->b;
  const size_t i = e->kept[a], j = e->kept[d], rows = dim_of(op, i), columns = dim_of(op, j);
  for (size_t k = b->start[i]; k < b->start[i + 1]; k++)
    for (size_t l = b->start[j]; l < b->start[j + 1]; l++) {
      const elastic_body *body = &e->body[b->body[k]];
      if (b->body[k] != b->body[l] || body->size == BODY) continue;
      double *to = find(e, a, (uint32_t)d);
      for (size_t r = 0; r < rows; r++)
        for (size_t q = 0; q < columns; q++)
          for (size_t s = body->size; s < BODY; s++)
            to[r * columns + q] +=
                elastic_touch(e, k)[BODY * r + s] * elastic_touch(e, l)[BODY * q + s];
    }
}

/* Columns of several blocks at once: as many as fit into eight. */
static void fill_component(elastic *e, const ccp_operator *op, size_t c) {
  enum { SIDE = 8 };
  const elastic_component *at = &e->component[c];
  for (size_t t = 0; t < at->touches;) {
    size_t count = 0, last = t;
    while (last < at->touches && count + dim_of(op, e->kept[e->touch[at->touch + last]]) <= SIDE)
      count += dim_of(op, e->kept[e->touch[at->touch + last++]]);
    memset(e->x, 0, at->rows * count * sizeof *e->x);
    for (size_t k = t, from = 0; k < last; k++) {
      const uint32_t a = e->touch[at->touch + k];
      put_columns(e, op, c, a, e->x, count, from);
      from += dim_of(op, e->kept[a]);
    }
    elastic_solve(e, c, count, e->x);
    for (size_t k = t, from = 0; k < last; k++) {
      const uint32_t a = e->touch[at->touch + k];
      for (size_t l = k; l < at->touches; l++)
        take_columns(e, op, c, a, e->touch[at->touch + l], e->x, count, from);
      from += dim_of(op, e->kept[a]);
    }
    t = last;
  }
}

/* The lower half is the upper one transposed; diagonal blocks become symmetric, and get C. */
static void complete(elastic *e, const ccp_operator *op) {
  const double *compliance = op->problem->compliance;
  for (size_t a = 0; a < e->kept_count; a++) {
    const size_t rows = dim_of(op, e->kept[a]), first = op->row_start[e->kept[a]];
    for (size_t l = e->w.diagonal[a] + 1; l < e->w.start[a + 1]; l++) {
      const size_t d = e->w.column[l], columns = dim_of(op, e->kept[d]);
      const double *from = e->w.value + e->w.offset[l];
      double *to = find(e, d, (uint32_t)a);
      for (size_t r = 0; r < rows; r++)
        for (size_t q = 0; q < columns; q++) to[q * rows + r] = from[r * columns + q];
    }
    double *own = e->w.value + e->w.offset[e->w.diagonal[a]];
    for (size_t r = 0; r < rows; r++) {
      for (size_t q = 0; q < r; q++)
        own[r * rows + q] = own[q * rows + r] = 0.5 * (own[r * rows + q] + own[q * rows + r]);
      if (compliance) own[r * rows + r] += compliance[first + r];
    }
  }
}

/* y += B of the rows of a block times g, in the rows of nodes. */
static void push(const elastic *e, const ccp_operator *op, size_t block, const double *g,
                 double *y) {
  const formed_jacobian *b = &e->b;
  for (size_t k = b->start[block]; k < b->start[block + 1]; k++) {
    const elastic_body *body = &e->body[b->body[k]];
    for (size_t r = 0; r < dim_of(op, block); r++)
      for (size_t s = 0; s < body->size; s++)
        y[body->row + s] += elastic_touch(e, k)[BODY * r + s] * g[r];
  }
}

static double pull(const elastic *e, size_t block, size_t r, const double *y) {
  const formed_jacobian *b = &e->b;
  double sum = 0.0;
  for (size_t k = b->start[block]; k < b->start[block + 1]; k++) {
    const elastic_body *body = &e->body[b->body[k]];
    for (size_t s = 0; s < body->size; s++)
      sum += elastic_touch(e, k)[BODY * r + s] * y[body->row + s];
  }
  return sum;
}

static void solve_all(elastic *e, double *y) {
  for (size_t c = 0; c < e->component_count; c++)
    if (e->component[c].nodes) elastic_solve(e, c, 1, y + e->component[c].row);
}

/* -C^-1 (B'y + r) of an elastic block; y may be null for 0. r: of all rows. */
static void elastic_impulse(const elastic *e, const ccp_operator *op, size_t block, const double *y,
                            const double *r, double *g) {
  const size_t first = op->row_start[block];
  for (size_t k = 0; k < dim_of(op, block); k++)
    g[k] = -((y ? pull(e, block, k, y) : 0.0) + r[first + k]) / op->problem->compliance[first + k];
}

/* y = -A^-1 B_E C^-1 r_E */
static void solve_elastic(elastic *e, const ccp_operator *op, const double *r, double *y) {
  memset(y, 0, e->row_count * sizeof *y);
  for (size_t i = 0; i < e->b.block_count; i++) {
    double g[SCREE_MAX_DIM];
    if (!e->is_elastic[i]) continue;
    elastic_impulse(e, op, i, NULL, r, g);
    push(e, op, i, g, y);
  }
  solve_all(e, y);
}

scree_status elastic_reduce(elastic *e, const ccp_operator *op) {
  scree_context *context = op->context;
  size_t most = 1;
  scree_status status = keep(e, op);
  if (!status) status = lay_rows(e, op);
  if (status) return status;
  for (size_t c = 0; c < e->component_count; c++)
    if (e->component[c].rows > most) most = e->component[c].rows;
  if (memory_grow(context, &e->x, 8 * most, sizeof *e->x) ||
      memory_grow(context, &e->y, 2 * e->row_count + 1, sizeof *e->y) ||
      memory_grow(context, &e->q, e->kept_rows + 1, sizeof *e->q) ||
      memory_grow(context, &e->g, e->kept_rows + 1, sizeof *e->g))
    return SCREE_ERROR_MEMORY;
  for (size_t c = 0; c < e->component_count; c++)
    if (e->component[c].nodes && e->component[c].touches) fill_component(e, op, c);
  for (size_t a = 0; a < e->kept_count; a++)
    for (size_t l = e->w.diagonal[a]; l < e->w.start[a + 1]; l++)
      add_free(e, op, a, e->w.column[l]);
  complete(e, op);
  solve_elastic(e, op, op->r, e->y);
  for (size_t a = 0; a < e->kept_count; a++)
    for (size_t r = 0; r < dim_of(op, e->kept[a]); r++)
      e->q[e->kept_row[a] + r] =
          op->r[op->row_start[e->kept[a]] + r] + pull(e, e->kept[a], r, e->y);
  return SCREE_OK;
}

void elastic_expand(elastic *e, const ccp_operator *op, const double *kept, double *g) {
  double *y = e->y + e->row_count;
  memset(y, 0, e->row_count * sizeof *y);
  for (size_t a = 0; a < e->kept_count; a++) {
    const size_t i = e->kept[a];
    memcpy(g + op->row_start[i], kept + e->kept_row[a], dim_of(op, i) * sizeof *g);
    push(e, op, i, kept + e->kept_row[a], y);
  }
  solve_all(e, y);
  for (size_t r = 0; r < e->row_count; r++) y[r] += e->y[r];
  for (size_t i = 0; i < e->b.block_count; i++)
    if (e->is_elastic[i]) elastic_impulse(e, op, i, y, op->r, g + op->row_start[i]);
}

void elastic_refine(elastic *e, const ccp_operator *op, const double *u, double *g) {
  double *y = e->y + e->row_count;
  solve_elastic(e, op, u, y);
  for (size_t i = 0; i < e->b.block_count; i++) {
    double more[SCREE_MAX_DIM];
    if (!e->is_elastic[i]) continue;
    elastic_impulse(e, op, i, y, u, more);
    for (size_t r = 0; r < dim_of(op, i); r++) g[op->row_start[i] + r] += more[r];
  }
}

void elastic_correct(elastic *e, const ccp_operator *op, const double *u, const double *kept) {
  const ccp_block_rows *w = &e->w;
  for (size_t a = 0; a < e->kept_count; a++) {
    const size_t rows = dim_of(op, e->kept[a]);
    double *q = e->q + e->kept_row[a];
    memcpy(q, u + op->row_start[e->kept[a]], rows * sizeof *q);
    for (size_t l = w->start[a]; l < w->start[a + 1]; l++) {
      const size_t d = w->column[l], columns = dim_of(op, e->kept[d]);
      const double *block = w->value + w->offset[l], *x = kept + e->kept_row[d];
      for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) q[r] -= block[r * columns + c] * x[c];
    }
  }
}

void elastic_clear(scree_context *context, elastic *e) {
  void *const all[] = {e->is_elastic, e->body,      e->component, e->parent,     e->mark,
                       e->node_body,  e->start,     e->offset,    e->column,     e->row_start,
                       e->value,      e->old_value, e->old_start, e->old_column, e->old_row_start,
                       e->back_start, e->back,      e->kept,      e->kept_row,   e->kept_set,
                       e->touch,      e->w.start,   e->w.column,  e->w.offset,   e->w.value,
                       e->w.diagonal, e->q,         e->y,         e->x,          e->g};
  for (size_t k = 0; k < e->factor_count; k++) sparse_destroy(e->factor[k]);
  memory_free(context, e->factor);
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) memory_free(context, all[k]);
  formed_jacobian_clear(context, &e->b);
  scree_solver_destroy(e->solver);
}
