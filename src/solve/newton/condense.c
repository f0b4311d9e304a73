/* See condense.h. */
#include "solve/newton/condense.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/sets/local.h"
#include "ccp/sets/set.h"
#include "math/dense.h"

/* Rows up to which dense factors pay, and the least: a step with fewer is as quick without. */
enum { MOST_FREE = 240, MOST_COUPLED = 300, LEAST_FREE = 6 };
enum { OTHER, FREE, COUPLED };
/* A pivot below this part of its row's own entry: redundant to working precision. */
static const double redundant = 1e-9;

void condense_clear(condense *c) {
  void *all[] = {c->u, c->r,    c->kind,  c->at,     c->l,      c->x,    c->square,
                 c->w, c->push, c->start, c->offset, c->column, c->value};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) memory_free(c->context, all[k]);
  *c = (condense){.context = c->context};
}

bool condense_drops(const condense *c, size_t block) {
  return c->kind[block] == FREE;
}

/* ---- which rows ------------------------------------------------------------------------------ */

static size_t dim_of(const ccp_operator *op, size_t i) {
  return op->row_start[i + 1] - op->row_start[i];
}

static void find_rows(condense *c, const ccp_operator *op, const sparse_blocks *n) {
  c->free_rows = c->coupled_rows = 0;
  for (size_t i = 0; i < op->block_count; i++) {
    c->kind[i] = OTHER;
    if (ccp_set(op->problem, i)->kind != SCREE_SET_FREE || !(op->eta_force[i] > 0.0)) continue;
    c->kind[i] = FREE;
    c->at[i] = (uint32_t)c->free_rows;
    c->free_rows += dim_of(op, i);
  }
  for (size_t i = 0; i < op->block_count; i++) {
    if (c->kind[i] == FREE) continue;
    for (size_t k = n->start[i]; k < n->start[i + 1] && c->kind[i] == OTHER; k++)
      if (c->kind[n->column[k]] == FREE) c->kind[i] = COUPLED;
    if (c->kind[i] != COUPLED) continue;
    c->at[i] = (uint32_t)c->coupled_rows;
    c->coupled_rows += dim_of(op, i);
  }
}

/* ---- the dense part -------------------------------------------------------------------------- */

/* Entries of N by rows into a, by columns. */
static void put_block(const sparse_blocks *n, size_t k, size_t rows, size_t columns, double *a,
                      size_t ld) {
  const double *v = n->value + n->offset[k];
  for (size_t r = 0; r < rows; r++)
    for (size_t s = 0; s < columns; s++) a[r + s * ld] = v[r * columns + s];
}

static void fill_dense(condense *c, const ccp_operator *op, const sparse_blocks *n) {
  const size_t f = c->free_rows, m = c->coupled_rows;
  memset(c->l, 0, f * f * sizeof *c->l);
  memset(c->x, 0, m * f * sizeof *c->x);
  memset(c->square, 0, m * m * sizeof *c->square);
  for (size_t i = 0; i < op->block_count; i++) {
    if (c->kind[i] == OTHER) continue;
    for (size_t k = n->start[i]; k < n->start[i + 1]; k++) {
      const size_t j = n->column[k];
      if (c->kind[j] != FREE) continue;
      const bool inside = c->kind[i] == FREE;
      double *a = inside ? c->l + c->at[i] + c->at[j] * f : c->x + c->at[i] + c->at[j] * m;
      put_block(n, k, dim_of(op, i), dim_of(op, j), a, inside ? f : m);
    }
  }
}

static bool factorise(condense *c, const ccp_operator *op) {
  const size_t f = c->free_rows, m = c->coupled_rows;
  for (size_t k = 0; k < f; k++) c->w[k] = c->l[k + k * f];
  if (dense_cholesky(f, c->l, f) < f) return false;
  for (size_t k = 0; k < f; k++)
    if (!(c->l[k + k * f] * c->l[k + k * f] > redundant * c->w[k])) return false;
  dense_right_lower_transposed(m, f, c->l, f, c->x, m);
  dense_subtract_square(m, f, c->x, m, c->square, m);
  for (size_t i = 0; i < op->block_count; i++)
    if (c->kind[i] == FREE)
      memcpy(c->w + c->at[i], op->r + op->row_start[i], dim_of(op, i) * sizeof *c->w);
  for (size_t k = 0; k < f; k++) {
    c->w[k] /= c->l[k + k * f];
    for (size_t i = k + 1; i < f; i++) c->w[i] -= c->l[i + k * f] * c->w[k];
  }
  return true;
}

/* ---- S by blocks ----------------------------------------------------------------------------- */

static void add_square(const condense *c, size_t i, size_t j, size_t rows, size_t columns,
                       double *v) {
  const size_t m = c->coupled_rows;
  for (size_t r = 0; r < rows; r++)
    for (size_t s = 0; s < columns; s++) {
      const size_t a = c->at[i] + r, b = c->at[j] + s;
      v[r * columns + s] += a >= b ? c->square[a + b * m] : c->square[b + a * m];
    }
}

/* Block row i: its neighbours in N and, where it is coupled, all that are. */
static void put_row(condense *c, const ccp_operator *op, const sparse_blocks *n, size_t i,
                    size_t *entries, size_t *values) {
  const size_t rows = dim_of(op, i);
  size_t k = n->start[i];
  const bool coupled = c->kind[i] == COUPLED;
  for (size_t j = coupled ? 0 : (k < n->start[i + 1] ? n->column[k] : op->block_count);
       j < op->block_count; j++) {
    while (k < n->start[i + 1] && n->column[k] < j) k++;
    const bool near = k < n->start[i + 1] && n->column[k] == j;
    if (!coupled && k >= n->start[i + 1]) break;
    const bool far = coupled && c->kind[j] == COUPLED;
    if (c->kind[j] == FREE || (!near && !far)) continue;
    const size_t columns = dim_of(op, j);
    double *v = c->value + *values;
    if (near)
      memcpy(v, n->value + n->offset[k], rows * columns * sizeof *v);
    else
      memset(v, 0, rows * columns * sizeof *v);
    if (far) add_square(c, i, j, rows, columns, v);
    c->column[*entries] = (uint32_t)j;
    c->offset[(*entries)++] = *values;
    *values += rows * columns;
  }
}

static scree_status put_rows(condense *c, const ccp_operator *op, const sparse_blocks *n) {
  const size_t blocks = op->block_count, m = c->coupled_rows;
  size_t coupled = 0, entries = 0, values = 0;
  for (size_t i = 0; i < blocks; i++) coupled += c->kind[i] == COUPLED;
  const size_t most = n->start[blocks] + coupled * coupled;
  if (memory_grow(c->context, &c->start, &c->start_capacity, blocks + 1, sizeof *c->start) ||
      memory_grow(c->context, &c->offset, &c->offset_capacity, most + 1, sizeof *c->offset) ||
      memory_grow(c->context, &c->column, &c->column_capacity, most, sizeof *c->column) ||
      memory_grow(c->context, &c->value, &c->value_capacity, n->offset[n->start[blocks]] + m * m,
                  sizeof *c->value))
    return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < blocks; i++) {
    c->start[i] = entries;
    if (c->kind[i] != FREE) put_row(c, op, n, i, &entries, &values);
  }
  c->start[blocks] = entries;
  c->offset[entries] = values;
  c->s = (sparse_blocks){.count = blocks,
                         .row_start = n->row_start,
                         .start = c->start,
                         .column = c->column,
                         .offset = c->offset,
                         .value = c->value};
  return SCREE_OK;
}

static void put_r(condense *c, const ccp_operator *op) {
  const size_t m = c->coupled_rows;
  memcpy(c->r, op->r, op->row_count * sizeof *c->r);
  for (size_t i = 0; i < op->block_count; i++) {
    if (c->kind[i] != COUPLED) continue;
    double *r = c->r + op->row_start[i];
    for (size_t k = 0; k < c->free_rows; k++)
      for (size_t d = 0; d < dim_of(op, i); d++) r[d] -= c->x[c->at[i] + d + k * m] * c->w[k];
  }
}

scree_status condense_build(condense *c, const ccp_operator *op, const sparse_blocks *n, bool *on) {
  const size_t blocks = op->block_count;
  *on = false;
  if (memory_grow(c->context, &c->kind, &c->kind_capacity, blocks, sizeof *c->kind) ||
      memory_grow(c->context, &c->at, &c->at_capacity, blocks, sizeof *c->at))
    return SCREE_ERROR_MEMORY;
  find_rows(c, op, n);
  const size_t f = c->free_rows, m = c->coupled_rows;
  if (f < LEAST_FREE || f > MOST_FREE || m > MOST_COUPLED || m == 0) return SCREE_OK;
  if (memory_grow(c->context, &c->l, &c->l_capacity, f * f, sizeof *c->l) ||
      memory_grow(c->context, &c->x, &c->x_capacity, f * m, sizeof *c->x) ||
      memory_grow(c->context, &c->square, &c->square_capacity, m * m, sizeof *c->square) ||
      memory_grow(c->context, &c->w, &c->w_capacity, f, sizeof *c->w) ||
      memory_grow(c->context, &c->push, &c->push_capacity, f, sizeof *c->push) ||
      memory_grow(c->context, &c->u, &c->u_capacity, op->row_count, sizeof *c->u) ||
      memory_grow(c->context, &c->r, &c->r_capacity, op->row_count, sizeof *c->r))
    return SCREE_ERROR_MEMORY;
  fill_dense(c, op, n);
  if (!factorise(c, op)) return SCREE_OK;
  put_r(c, op);
  *on = true;
  return put_rows(c, op, n);
}

void condense_apply(const condense *c, const ccp_operator *op, const double *x, double *out) {
  for (size_t i = 0; i < op->block_count; i++) {
    if (c->kind[i] == FREE) continue;
    const size_t rows = dim_of(op, i);
    double *to = out + op->row_start[i];
    memset(to, 0, rows * sizeof *to);
    for (size_t k = c->start[i]; k < c->start[i + 1]; k++) {
      const size_t j = c->column[k], columns = dim_of(op, j);
      const double *v = c->value + c->offset[k], *from = x + op->row_start[j];
      for (size_t r = 0; r < rows; r++)
        for (size_t s = 0; s < columns; s++) to[r] += v[r * columns + s] * from[s];
    }
  }
}

/* u += the columns of block i times dg; S is symmetric. */
static void push(condense *c, const ccp_operator *op, size_t i, const double *dg) {
  const size_t rows = dim_of(op, i);
  for (size_t k = c->start[i]; k < c->start[i + 1]; k++) {
    const size_t j = c->column[k], columns = dim_of(op, j);
    const double *v = c->value + c->offset[k];
    double *u = c->u + op->row_start[j];
    for (size_t r = 0; r < rows; r++)
      for (size_t s = 0; s < columns; s++) u[s] += v[r * columns + s] * dg[r];
  }
}

/* One block alone; returns by how much its velocity changes. */
static double sweep_block(condense *c, const ccp_operator *op, scree_model model, size_t i,
                          double *g) {
  const size_t rows = dim_of(op, i);
  const double *nii = NULL;
  for (size_t k = c->start[i]; k < c->start[i + 1] && !nii; k++)
    if (c->column[k] == i) nii = c->value + c->offset[k];
  if (!nii) return 0.0;
  double q[SCREE_MAX_DIM], next[SCREE_MAX_DIM], change = 0.0;
  for (size_t r = 0; r < rows; r++) {
    q[r] = c->u[op->row_start[i] + r];
    for (size_t s = 0; s < rows; s++) q[r] -= nii[r * rows + s] * g[s];
  }
  memcpy(next, g, rows * sizeof *next);
  set_solve_block(ccp_set(op->problem, i), model, nii, q, next);
  for (size_t r = 0; r < rows; r++) {
    q[r] = next[r] - g[r];
    change = set_larger(change, fabs(nii[r * rows + r] * q[r]));
  }
  if (!(change > 0.0)) return 0.0;
  memcpy(g, next, rows * sizeof *g);
  push(c, op, i, q);
  return change;
}

void condense_sweep(condense *c, const ccp_operator *op, scree_model model, int most, double enough,
                    double *g) {
  condense_apply(c, op, g, c->u);
  for (size_t k = 0; k < op->row_count; k++) c->u[k] += c->r[k];
  for (int sweep = 0; sweep < most; sweep++) {
    double change = 0.0;
    for (size_t i = 0; i < op->block_count; i++)
      if (c->kind[i] != FREE)
        change = set_larger(change, sweep_block(c, op, model, i, g + op->row_start[i]));
    if (change <= enough) break;
  }
  condense_recover(c, op, g);
}

void condense_recover(condense *c, const ccp_operator *op, double *g) {
  const size_t f = c->free_rows, m = c->coupled_rows;
  memcpy(c->push, c->w, f * sizeof *c->push);
  for (size_t i = 0; i < op->block_count; i++) {
    if (c->kind[i] != COUPLED) continue;
    for (size_t d = 0; d < dim_of(op, i); d++) {
      const double gi = g[op->row_start[i] + d];
      if (gi == 0.0) continue;
      for (size_t k = 0; k < f; k++) c->push[k] += c->x[c->at[i] + d + k * m] * gi;
    }
  }
  for (size_t k = f; k-- > 0;) {
    const double *column = c->l + k * f;
    double sum = c->push[k];
    for (size_t i = k + 1; i < f; i++) sum -= column[i] * c->push[i];
    c->push[k] = sum / column[k];
  }
  for (size_t i = 0; i < op->block_count; i++) {
    if (c->kind[i] != FREE) continue;
    for (size_t d = 0; d < dim_of(op, i); d++) g[op->row_start[i] + d] = -c->push[c->at[i] + d];
  }
}
