/* See condense.h. */
#include "solve/newton/condense.h"

#include <math.h>
#include <string.h>

#include "base/groups.h"
#include "base/memory.h"
#include "ccp/sets/local.h"
#include "ccp/sets/set.h"
#include "math/dense.h"

/* Rows of a machine up to which dense factors pay, and the least of all: a step with fewer is as
 * quick without. */
enum { MOST_FREE = 240, MOST_COUPLED = 300, LEAST_FREE = 6 };
enum { OTHER, FREE, COUPLED };
/* A pivot below this part of its row's own entry: redundant to working precision. */
static const double redundant = 1e-9;

void condense_clear(condense *c) {
  void *all[] = {c->u,           c->r,     c->kind,   c->group,   c->at,
                 c->machine,     c->touch, c->member, c->list[0], c->list[1],
                 c->touch_start, c->l,     c->x,      c->square,  c->w,
                 c->push,        c->start, c->offset, c->column,  c->value};
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

static scree_status find_machines(condense *c, const ccp_operator *op, const sparse_blocks *n) {
  const size_t blocks = op->block_count;
  size_t roots = 0;
  for (size_t i = 0; i < blocks; i++) {
    const bool is_free =
        set_role_of(ccp_set(op->problem, i)) == SET_BILATERAL && op->eta_force[i] > 0.0;
    c->kind[i] = is_free ? FREE : OTHER;
    c->group[i] = (uint32_t)i;
  }
  for (size_t i = 0; i < blocks; i++)
    for (size_t k = n->start[i]; c->kind[i] == FREE && k < n->start[i + 1]; k++)
      if (c->kind[n->column[k]] == FREE) groups_unite(c->group, (uint32_t)i, n->column[k]);
  for (size_t i = 0; i < blocks; i++) roots += c->kind[i] == FREE && c->group[i] == i;
  if (memory_grow(c->context, &c->machine, roots + 1, sizeof *c->machine))
    return SCREE_ERROR_MEMORY;
  c->machine_count = 0;
  /* Numbers in place of roots, which are the least of their groups. `at` holds them meanwhile. */
  for (size_t i = 0; i < blocks; i++) {
    if (c->kind[i] != FREE) continue;
    const uint32_t root = groups_root(c->group, (uint32_t)i);
    if (root == i) {
      c->at[i] = (uint32_t)c->machine_count;
      c->machine[c->machine_count++] = (condense_machine){.free = 0};
    } else {
      c->at[i] = c->at[root];
    }
  }
  for (size_t i = 0; i < blocks; i++) {
    if (c->kind[i] != FREE) continue;
    c->group[i] = c->at[i];
    condense_machine *m = &c->machine[c->group[i]];
    c->at[i] = (uint32_t)m->free;
    m->free += dim_of(op, i);
  }
  return SCREE_OK;
}

static const condense_touch *touch_of(const condense *c, size_t block, uint32_t machine) {
  for (size_t t = c->touch_start[block]; t < c->touch_start[block + 1]; t++)
    if (c->touch[t].machine == machine) return &c->touch[t];
  return NULL;
}

/* What meets the joints of each machine. There is room for an entry of N each. */
static void find_touches(condense *c, const ccp_operator *op, const sparse_blocks *n) {
  size_t count = 0;
  for (size_t i = 0; i < op->block_count; i++) {
    c->touch_start[i] = count;
    c->touch_start[i + 1] = count;
    for (size_t k = n->start[i]; c->kind[i] != FREE && k < n->start[i + 1]; k++) {
      const size_t j = n->column[k];
      if (c->kind[j] != FREE || touch_of(c, i, c->group[j])) continue;
      condense_machine *m = &c->machine[c->group[j]];
      c->touch[count++] = (condense_touch){(uint32_t)i, c->group[j], (uint32_t)m->coupled};
      c->touch_start[i + 1] = count;
      m->coupled += dim_of(op, i);
      m->member_count++;
      c->kind[i] = COUPLED;
    }
  }
  size_t first = 0;
  for (size_t k = 0; k < c->machine_count; k++) {
    c->machine[k].members = first;
    first += c->machine[k].member_count;
    c->machine[k].member_count = 0;
  }
  for (size_t t = 0; t < count; t++) {
    condense_machine *m = &c->machine[c->touch[t].machine];
    c->member[m->members + m->member_count++] = c->touch[t];
  }
}

/* Places in the dense arrays; false: there is no use in it. */
static bool lay_out(condense *c, size_t total[4]) {
  size_t free_rows = 0, coupled = 0;
  memset(total, 0, 4 * sizeof *total);
  for (size_t k = 0; k < c->machine_count; k++) {
    condense_machine *m = &c->machine[k];
    if (m->free > MOST_FREE || m->coupled > MOST_COUPLED) return false;
    m->l = total[0], m->x = total[1], m->square = total[2], m->w = total[3];
    total[0] += m->free * m->free;
    total[1] += m->coupled * m->free;
    total[2] += m->coupled * m->coupled;
    total[3] += m->free;
    free_rows += m->free;
    coupled += m->coupled;
  }
  return free_rows >= LEAST_FREE && coupled > 0;
}

/* ---- the dense part -------------------------------------------------------------------------- */

/* Entries of N by rows into a, by columns. */
static void put_block(const sparse_blocks *n, size_t k, size_t rows, size_t columns, double *a,
                      size_t ld) {
  const double *v = n->value + n->offset[k];
  for (size_t r = 0; r < rows; r++)
    for (size_t s = 0; s < columns; s++) a[r + s * ld] = v[r * columns + s];
}

static void fill_dense(condense *c, const ccp_operator *op, const sparse_blocks *n,
                       const size_t total[4]) {
  memset(c->l, 0, total[0] * sizeof *c->l);
  memset(c->x, 0, total[1] * sizeof *c->x);
  memset(c->square, 0, total[2] * sizeof *c->square);
  for (size_t i = 0; i < op->block_count; i++) {
    if (c->kind[i] == OTHER) continue;
    for (size_t k = n->start[i]; k < n->start[i + 1]; k++) {
      const size_t j = n->column[k];
      if (c->kind[j] != FREE) continue;
      const condense_machine *m = &c->machine[c->group[j]];
      const bool inside = c->kind[i] == FREE;
      const size_t row = inside ? c->at[i] : touch_of(c, i, c->group[j])->row;
      const size_t ld = inside ? m->free : m->coupled;
      double *a = inside ? c->l + m->l : c->x + m->x;
      put_block(n, k, dim_of(op, i), dim_of(op, j), a + row + c->at[j] * ld, ld);
    }
  }
}

static bool factorise_machine(condense *c, const condense_machine *m) {
  const size_t f = m->free;
  double *l = c->l + m->l, *w = c->w + m->w, *x = c->x + m->x;
  for (size_t k = 0; k < f; k++) c->push[k] = l[k + k * f];
  if (dense_cholesky(f, l, f) < f) return false;
  for (size_t k = 0; k < f; k++)
    if (!(l[k + k * f] * l[k + k * f] > redundant * c->push[k])) return false;
  if (m->coupled) {
    dense_right_lower_transposed(m->coupled, f, l, f, x, m->coupled);
    dense_subtract_square(m->coupled, f, x, m->coupled, c->square + m->square, m->coupled);
  }
  for (size_t k = 0; k < f; k++) {
    w[k] /= l[k + k * f];
    for (size_t i = k + 1; i < f; i++) w[i] -= l[i + k * f] * w[k];
  }
  return true;
}

static bool factorise(condense *c, const ccp_operator *op) {
  for (size_t i = 0; i < op->block_count; i++)
    if (c->kind[i] == FREE)
      memcpy(c->w + c->machine[c->group[i]].w + c->at[i], op->r + op->row_start[i],
             dim_of(op, i) * sizeof *c->w);
  for (size_t k = 0; k < c->machine_count; k++)
    if (!factorise_machine(c, &c->machine[k])) return false;
  return true;
}

/* ---- S by blocks ----------------------------------------------------------------------------- */

static void add_squares(const condense *c, size_t i, size_t j, size_t rows, size_t columns,
                        double *v) {
  for (size_t t = c->touch_start[i]; t < c->touch_start[i + 1]; t++) {
    const condense_touch *one = &c->touch[t], *two = touch_of(c, j, one->machine);
    if (!two) continue;
    const condense_machine *m = &c->machine[one->machine];
    const double *square = c->square + m->square;
    for (size_t r = 0; r < rows; r++)
      for (size_t s = 0; s < columns; s++) {
        const size_t a = one->row + r, b = two->row + s;
        v[r * columns + s] += a >= b ? square[a + b * m->coupled] : square[b + a * m->coupled];
      }
  }
}

/* Merges two ascending lists; returns the number of different entries. */
static size_t merge(const uint32_t *a, size_t na, const condense_touch *b, size_t nb,
                    uint32_t *out) {
  size_t count = 0;
  for (size_t i = 0, j = 0; i < na || j < nb;) {
    const uint32_t x = i < na ? a[i] : UINT32_MAX, y = j < nb ? b[j].block : UINT32_MAX;
    out[count++] = x < y ? x : y;
    i += x <= y;
    j += y <= x;
  }
  return count;
}

/* Block row i: its neighbours in N and all that meet a machine that it meets. */
static void put_row(condense *c, const ccp_operator *op, const sparse_blocks *n, size_t i,
                    size_t *entries, size_t *values) {
  const size_t rows = dim_of(op, i);
  const uint32_t *list = n->column + n->start[i];
  size_t count = n->start[i + 1] - n->start[i], k = n->start[i];
  int side = 0;
  for (size_t t = c->touch_start[i]; t < c->touch_start[i + 1]; t++, side = !side) {
    const condense_machine *m = &c->machine[c->touch[t].machine];
    count = merge(list, count, c->member + m->members, m->member_count, c->list[side]);
    list = c->list[side];
  }
  for (size_t e = 0; e < count; e++) {
    const size_t j = list[e];
    if (c->kind[j] == FREE) continue;
    while (k < n->start[i + 1] && n->column[k] < j) k++;
    const size_t columns = dim_of(op, j);
    double *v = c->value + *values;
    if (k < n->start[i + 1] && n->column[k] == j)
      memcpy(v, n->value + n->offset[k], rows * columns * sizeof *v);
    else
      memset(v, 0, rows * columns * sizeof *v);
    add_squares(c, i, j, rows, columns, v);
    c->column[*entries] = (uint32_t)j;
    c->offset[(*entries)++] = *values;
    *values += rows * columns;
  }
}

static scree_status put_rows(condense *c, const ccp_operator *op, const sparse_blocks *n,
                             const size_t total[4]) {
  const size_t blocks = op->block_count;
  size_t entries = 0, values = 0, most = n->start[blocks];
  for (size_t k = 0; k < c->machine_count; k++)
    most += c->machine[k].member_count * c->machine[k].member_count;
  if (memory_grow(c->context, &c->start, blocks + 1, sizeof *c->start) ||
      memory_grow(c->context, &c->offset, most + 1, sizeof *c->offset) ||
      memory_grow(c->context, &c->column, most, sizeof *c->column) ||
      memory_grow(c->context, &c->list[0], blocks, sizeof *c->list[0]) ||
      memory_grow(c->context, &c->list[1], blocks, sizeof *c->list[1]) ||
      memory_grow(c->context, &c->value, n->offset[n->start[blocks]] + total[2], sizeof *c->value))
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
  memcpy(c->r, op->r, op->row_count * sizeof *c->r);
  for (size_t k = 0; k < c->machine_count; k++) {
    const condense_machine *m = &c->machine[k];
    const double *x = c->x + m->x, *w = c->w + m->w;
    for (size_t b = m->members; b < m->members + m->member_count; b++) {
      const condense_touch *t = &c->member[b];
      double *r = c->r + op->row_start[t->block];
      for (size_t s = 0; s < m->free; s++)
        for (size_t d = 0; d < dim_of(op, t->block); d++)
          r[d] -= x[t->row + d + s * m->coupled] * w[s];
    }
  }
}

scree_status condense_build(condense *c, const ccp_operator *op, const sparse_blocks *n, bool *on) {
  const size_t blocks = op->block_count, most = n->start[blocks];
  size_t total[4];
  *on = false;
  if (memory_grow(c->context, &c->kind, blocks, sizeof *c->kind) ||
      memory_grow(c->context, &c->group, blocks, sizeof *c->group) ||
      memory_grow(c->context, &c->at, blocks, sizeof *c->at))
    return SCREE_ERROR_MEMORY;
  scree_status status = find_machines(c, op, n);
  if (status || !c->machine_count) return status;
  if (memory_grow(c->context, &c->touch, most, sizeof *c->touch) ||
      memory_grow(c->context, &c->member, most, sizeof *c->member) ||
      memory_grow(c->context, &c->touch_start, blocks + 1, sizeof *c->touch_start))
    return SCREE_ERROR_MEMORY;
  find_touches(c, op, n);
  if (!lay_out(c, total)) return SCREE_OK;
  if (memory_grow(c->context, &c->l, total[0], sizeof *c->l) ||
      memory_grow(c->context, &c->x, total[1], sizeof *c->x) ||
      memory_grow(c->context, &c->square, total[2], sizeof *c->square) ||
      memory_grow(c->context, &c->w, total[3], sizeof *c->w) ||
      memory_grow(c->context, &c->push, total[3], sizeof *c->push) ||
      memory_grow(c->context, &c->u, op->row_count, sizeof *c->u) ||
      memory_grow(c->context, &c->r, op->row_count, sizeof *c->r))
    return SCREE_ERROR_MEMORY;
  fill_dense(c, op, n, total);
  if (!factorise(c, op)) return SCREE_OK;
  put_r(c, op);
  *on = true;
  return put_rows(c, op, n, total);
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
    if (rows == 3 && columns == 3) { /* contacts: most of them */
      for (int s = 0; s < 3; s++) u[s] += v[s] * dg[0] + v[3 + s] * dg[1] + v[6 + s] * dg[2];
      continue;
    }
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

static void recover_machine(condense *c, const ccp_operator *op, const condense_machine *m,
                            const double *g) {
  const size_t f = m->free;
  const double *x = c->x + m->x, *l = c->l + m->l;
  double *push = c->push + m->w;
  memcpy(push, c->w + m->w, f * sizeof *push);
  for (size_t b = m->members; b < m->members + m->member_count; b++) {
    const condense_touch *t = &c->member[b];
    for (size_t d = 0; d < dim_of(op, t->block); d++) {
      const double gi = g[op->row_start[t->block] + d];
      if (gi == 0.0) continue;
      for (size_t k = 0; k < f; k++) push[k] += x[t->row + d + k * m->coupled] * gi;
    }
  }
  for (size_t k = f; k-- > 0;) {
    const double *column = l + k * f;
    double sum = push[k];
    for (size_t i = k + 1; i < f; i++) sum -= column[i] * push[i];
    push[k] = sum / column[k];
  }
}

void condense_recover(condense *c, const ccp_operator *op, double *g) {
  for (size_t k = 0; k < c->machine_count; k++) recover_machine(c, op, &c->machine[k], g);
  for (size_t i = 0; i < op->block_count; i++) {
    if (c->kind[i] != FREE) continue;
    const double *push = c->push + c->machine[c->group[i]].w + c->at[i];
    for (size_t d = 0; d < dim_of(op, i); d++) g[op->row_start[i] + d] = -push[d];
  }
}
