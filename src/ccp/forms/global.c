/* The global form: M v = f + H g, u = H'v + w + C g, condensed to
 *   N = H'M^-1 H + C,   r = H'M^-1 f + w
 * and then worked like the local form.
 *
 * M falls apart into the connected components of its graph (a coordinate, a body, a mesh), each
 * with a small dense LU: that is right for any regular M, symmetric or not. The columns of H that
 * touch a component have M_c^-1 h formed once; N_ij sums h_i' M_c^-1 h_j over the components that i
 * and j share, so with M block diagonal the cost is that of the contact graph. A component larger
 * than LARGEST would need a sparse factorisation and a dense N: it is refused. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/forms/local.h"
#include "math/dense.h"

enum { LARGEST = 6000 };
static const double singular = 1e-14;

/* The part of one column of H that lies in one component. */
typedef struct global_pair {
  uint32_t component, column;
  size_t entry; /* first of its entries; they end where the next pair's begin */
  size_t image; /* M_c^-1 h begins here */
} global_pair;

typedef struct global_state {
  op_class class;
  void (*base_destroy)(ccp_operator *op);
  size_t n, component_count, pair_count;
  uint32_t *component, *place; /* of each row of M: its component and its place there */
  size_t *start;               /* component_count + 1: how many rows come before */
  uint32_t *row;               /* n: rows by component */
  size_t *factor_start;
  double *factor;
  int *pivot;
  global_pair *pair; /* by column */
  size_t *pair_of_column;
  size_t *by_component_start; /* and by component: by_component[…] index pair */
  uint32_t *by_component;
  uint32_t *entry_place; /* entries of H, grouped by pair */
  double *entry_value;
  double *image;
  double *work; /* 3 n */
} global_state;

static void state_free(scree_context *context, global_state *s) {
  memory_free(context, s->component);
  memory_free(context, s->place);
  memory_free(context, s->start);
  memory_free(context, s->row);
  memory_free(context, s->factor_start);
  memory_free(context, s->factor);
  memory_free(context, s->pivot);
  memory_free(context, s->pair);
  memory_free(context, s->pair_of_column);
  memory_free(context, s->by_component_start);
  memory_free(context, s->by_component);
  memory_free(context, s->entry_place);
  memory_free(context, s->entry_value);
  memory_free(context, s->image);
  memory_free(context, s->work);
  memory_free(context, s);
}

static global_state *state_of(const ccp_operator *op) {
  return ((op_local *)op->impl)->owner;
}

static void destroy(ccp_operator *op) {
  if (!op->impl) return;
  global_state *s = state_of(op);
  s->base_destroy(op);
  state_free(op->context, s);
}

/* ---- verbs ---------------------------------------------------------------------------------- */

static size_t component_size(const global_state *s, size_t c) {
  return s->start[c + 1] - s->start[c];
}

/* x <- M^-1 x, x by rows of M; `local` has room for the largest component. */
static void solve_mass(const global_state *s, double *x, double *local) {
  for (size_t c = 0; c < s->component_count; c++) {
    const size_t n = component_size(s, c), begin = s->start[c];
    for (size_t k = 0; k < n; k++) local[k] = x[s->row[begin + k]];
    dense_lu_solve(n, s->factor + s->factor_start[c], n, s->pivot + begin, 1, local, n);
    for (size_t k = 0; k < n; k++) x[s->row[begin + k]] = local[k];
  }
}

/* y <- y + A x */
static void add_product(const ccp_matrix *a, const double *x, double *y) {
  for (size_t j = 0; j < a->columns; j++)
    for (size_t k = a->start[j]; k < a->start[j + 1]; k++) y[a->index[k]] += a->value[k] * x[j];
}

static void velocity(ccp_operator *op, const double *g, double *v) {
  const global_state *s = state_of(op);
  memcpy(v, op->problem->f, s->n * sizeof *v);
  add_product(&op->problem->h, g, v);
  solve_mass(s, v, s->work);
}

static double norm(const double *x, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static double balance(ccp_operator *op, const double *g) {
  const global_state *s = state_of(op);
  const size_t n = s->n;
  double *v = s->work + n, *mv = s->work + 2 * n, *hg = s->work;
  velocity(op, g, v);
  memset(mv, 0, n * sizeof *mv);
  memset(hg, 0, n * sizeof *hg);
  add_product(&op->problem->m, v, mv);
  add_product(&op->problem->h, g, hg);
  const double scale = fmax(norm(op->problem->f, n), fmax(norm(mv, n), norm(hg, n)));
  for (size_t i = 0; i < n; i++) hg[i] += op->problem->f[i] - mv[i];
  return norm(hg, n) / (scale > 2.2e-16 ? scale : 1.0);
}

/* ---- setup ---------------------------------------------------------------------------------- */

static uint32_t root_of(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Components numbered by their first row; rows within a component ascend. */
static scree_status find_components(ccp_operator *op, global_state *s) {
  scree_context *context = op->context;
  const ccp_matrix *m = &op->problem->m;
  s->n = m->rows;
  s->component = memory_new(context, s->n, sizeof *s->component);
  s->place = memory_new(context, s->n, sizeof *s->place);
  s->row = memory_new(context, s->n, sizeof *s->row);
  s->start = memory_new(context, s->n + 2, sizeof *s->start);
  s->work = memory_new(context, 3 * s->n, sizeof *s->work);
  s->pivot = memory_new(context, s->n, sizeof *s->pivot);
  uint32_t *parent = s->place;
  if (!s->component || !s->place || !s->row || !s->start || !s->work || !s->pivot)
    return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < s->n; i++) parent[i] = (uint32_t)i;
  for (size_t j = 0; j < s->n; j++)
    for (size_t k = m->start[j]; k < m->start[j + 1]; k++) {
      if (m->value[k] == 0.0) continue;
      const uint32_t a = root_of(parent, m->index[k]), b = root_of(parent, (uint32_t)j);
      if (a < b)
        parent[b] = a;
      else
        parent[a] = b;
    }
  for (size_t i = 0; i < s->n; i++) {
    const uint32_t root = root_of(parent, (uint32_t)i);
    s->component[i] = root == i ? (uint32_t)s->component_count++ : s->component[root];
    s->start[s->component[i] + 2]++;
  }
  for (size_t c = 2; c < s->component_count + 2; c++) s->start[c] += s->start[c - 1];
  for (size_t i = 0; i < s->n; i++) {
    const size_t at = s->start[s->component[i] + 1]++;
    s->row[at] = (uint32_t)i;
  }
  for (size_t c = 0; c < s->component_count; c++)
    for (size_t k = s->start[c]; k < s->start[c + 1]; k++)
      s->place[s->row[k]] = (uint32_t)(k - s->start[c]);
  return SCREE_OK;
}

/* Energy v'Mv / 2 must be positive for every v but 0. Only the symmetric part counts: that of M
 * with damping or gyroscopic terms is the mass. Rounding of a part in 1e12 is let pass. */
static double *symmetric_part(ccp_operator *op, const double *a, size_t n) {
  double *part = memory_new(op->context, n * n, sizeof *part), most = 0.0;
  if (!part) return NULL;
  for (size_t j = 0; j < n; j++) most = fmax(most, fabs(a[j + j * n]));
  for (size_t j = 0; j < n; j++) {
    for (size_t i = j; i < n; i++) part[i + j * n] = 0.5 * (a[i + j * n] + a[j + i * n]);
    part[j + j * n] += 1e-12 * most;
  }
  return part;
}

static scree_status factor_component(ccp_operator *op, global_state *s, size_t c) {
  const size_t n = component_size(s, c);
  const uint32_t *row = s->row + s->start[c];
  double *a = s->factor + s->factor_start[c], *part = symmetric_part(op, a, n);
  if (!part) return SCREE_ERROR_MEMORY;
  const size_t bad = dense_lu(n, a, n, singular, s->pivot + s->start[c]);
  const size_t negative = bad < n ? n : dense_cholesky(n, part, n);
  memory_free(op->context, part);
  if (bad < n)
    return context_fail(op->context, SCREE_ERROR_INPUT,
                        "M is singular: its %zu coupled rows from row %u on have no inverse; "
                        "give every velocity a mass",
                        n, row[0]);
  if (negative < n)
    return context_fail(op->context, SCREE_ERROR_INPUT,
                        "M is not positive definite: its %zu coupled rows from row %u on have "
                        "velocities of negative energy, first seen at row %u; every mass must be "
                        "over 0",
                        n, row[0], row[negative]);
  return SCREE_OK;
}

static scree_status factor_components(ccp_operator *op, global_state *s) {
  const ccp_matrix *m = &op->problem->m;
  s->factor_start = memory_new(op->context, s->component_count + 1, sizeof *s->factor_start);
  if (!s->factor_start) return SCREE_ERROR_MEMORY;
  for (size_t c = 0; c < s->component_count; c++) {
    const size_t n = component_size(s, c);
    if (n > LARGEST)
      return context_fail(op->context, SCREE_ERROR_UNSUPPORTED,
                          "M couples %zu velocities: more than the %d that can be condensed", n,
                          LARGEST);
    s->factor_start[c + 1] = s->factor_start[c] + n * n;
  }
  s->factor = memory_new(op->context, s->factor_start[s->component_count], sizeof *s->factor);
  if (!s->factor) return SCREE_ERROR_MEMORY;
  for (size_t j = 0; j < s->n; j++) {
    const size_t c = s->component[j], n = component_size(s, c);
    double *column = s->factor + s->factor_start[c] + s->place[j] * n;
    for (size_t k = m->start[j]; k < m->start[j + 1]; k++)
      if (m->value[k] != 0.0) column[s->place[m->index[k]]] = m->value[k];
  }
  scree_status status = SCREE_OK;
  for (size_t c = 0; c < s->component_count && !status; c++) status = factor_component(op, s, c);
  return status;
}

/* Entries of H by column, and within a column by component: the pairs. */
static scree_status build_pairs(ccp_operator *op, global_state *s) {
  scree_context *context = op->context;
  const ccp_matrix *h = &op->problem->h;
  const size_t entries = h->start[h->columns];
  s->pair = memory_new(context, entries + 1, sizeof *s->pair);
  s->pair_of_column = memory_new(context, h->columns + 1, sizeof *s->pair_of_column);
  s->entry_place = memory_new(context, entries, sizeof *s->entry_place);
  s->entry_value = memory_new(context, entries, sizeof *s->entry_value);
  s->by_component_start = memory_new(context, s->component_count + 2, sizeof(size_t));
  size_t *seen = memory_new(context, s->component_count, sizeof *seen);
  size_t *next = memory_new(context, entries + 1, sizeof *next);
  const bool room = s->pair && s->pair_of_column && s->entry_place && s->entry_value &&
                    s->by_component_start && seen && next;
  size_t total = 0, image = 0;
  for (size_t j = 0; room && j < h->columns; j++) {
    const size_t first = total;
    for (size_t k = h->start[j]; k < h->start[j + 1]; k++) {
      if (h->value[k] == 0.0) continue;
      const uint32_t c = s->component[h->index[k]];
      if (seen[c] <= first) {
        s->pair[total] = (global_pair){.component = c, .column = (uint32_t)j, .image = image};
        image += component_size(s, c);
        s->by_component_start[c + 2]++;
        next[total] = 0;
        seen[c] = ++total;
      }
      next[seen[c] - 1]++;
    }
    size_t at = h->start[j];
    for (size_t p = first; p < total; p++) {
      const size_t count = next[p];
      s->pair[p].entry = next[p] = at;
      at += count;
    }
    for (size_t k = h->start[j]; k < h->start[j + 1]; k++) {
      if (h->value[k] == 0.0) continue;
      const size_t to = next[seen[s->component[h->index[k]]] - 1]++;
      s->entry_place[to] = s->place[h->index[k]];
      s->entry_value[to] = h->value[k];
    }
    s->pair_of_column[j + 1] = total;
  }
  if (room) s->pair[total].entry = entries;
  s->pair_count = total;
  if (room) s->by_component = memory_new(context, total, sizeof *s->by_component);
  if (room) s->image = memory_new(context, image, sizeof *s->image);
  memory_free(context, seen);
  memory_free(context, next);
  if (!room || !s->by_component || !s->image) return SCREE_ERROR_MEMORY;
  for (size_t c = 2; c < s->component_count + 2; c++)
    s->by_component_start[c] += s->by_component_start[c - 1];
  for (size_t p = 0; p < total; p++)
    s->by_component[s->by_component_start[s->pair[p].component + 1]++] = (uint32_t)p;
  return SCREE_OK;
}

/* Where the entries of a pair end: columns with dropped zeros leave a hole before the next. */
static size_t entry_end(const ccp_operator *op, const global_state *s, size_t p) {
  const size_t column_end = op->problem->h.start[s->pair[p].column + 1];
  const size_t next = s->pair[p + 1].entry;
  return next < column_end ? next : column_end;
}

static void solve_images(const ccp_operator *op, const global_state *s) {
  for (size_t p = 0; p < s->pair_count; p++) {
    const size_t c = s->pair[p].component, n = component_size(s, c);
    double *x = s->image + s->pair[p].image;
    for (size_t k = s->pair[p].entry; k < entry_end(op, s, p); k++)
      x[s->entry_place[k]] = s->entry_value[k];
    dense_lu_solve(n, s->factor + s->factor_start[c], n, s->pivot + s->start[c], 1, x, n);
  }
}

/* One column of N into `sum`, its rows listed in `rows`; returns how many. */
static size_t condense_column(const ccp_operator *op, const global_state *s, size_t j, double *sum,
                              uint32_t *mark, uint32_t *rows) {
  size_t count = 0;
  for (size_t p = s->pair_of_column[j]; p < s->pair_of_column[j + 1]; p++) {
    const size_t c = s->pair[p].component;
    const double *x = s->image + s->pair[p].image;
    for (size_t q = s->by_component_start[c]; q < s->by_component_start[c + 1]; q++) {
      const size_t other = s->by_component[q];
      const uint32_t i = s->pair[other].column;
      if (mark[i] != j + 1) {
        mark[i] = (uint32_t)j + 1;
        sum[i] = 0.0;
        rows[count++] = i;
      }
      for (size_t k = s->pair[other].entry; k < entry_end(op, s, other); k++)
        sum[i] += s->entry_value[k] * x[s->entry_place[k]];
    }
  }
  return count;
}

static scree_status condense(ccp_operator *op, global_state *s) {
  scree_context *context = op->context;
  const size_t n = op->row_count;
  size_t *start = memory_new(context, n + 1, sizeof *start);
  double *sum = memory_new(context, n, sizeof *sum);
  uint32_t *mark = memory_new(context, n, sizeof *mark), *rows = memory_new(context, n, 4);
  uint32_t *index = NULL;
  double *value = NULL;
  scree_status status = start && sum && mark && rows ? SCREE_OK : SCREE_ERROR_MEMORY;
  for (size_t j = 0; !status && j < n; j++) {
    const size_t count = condense_column(op, s, j, sum, mark, rows), at = start[j];
    if (memory_grow(context, &index, at + count, sizeof *index) ||
        memory_grow(context, &value, at + count, sizeof *value)) {
      status = SCREE_ERROR_MEMORY;
      break;
    }
    for (size_t k = 0; k < count; k++) {
      index[at + k] = rows[k];
      value[at + k] = sum[rows[k]];
    }
    start[j + 1] = at + count;
  }
  if (!status) status = op_local_build(op, start, index, value);
  memory_free(context, start);
  memory_free(context, sum);
  memory_free(context, mark);
  memory_free(context, rows);
  memory_free(context, index);
  memory_free(context, value);
  return status;
}

static void fill_r(ccp_operator *op, const global_state *s) {
  const ccp_matrix *h = &op->problem->h;
  double *v = s->work + s->n;
  memcpy(v, op->problem->f, s->n * sizeof *v);
  solve_mass(s, v, s->work);
  for (size_t j = 0; j < op->row_count; j++) {
    double sum = op->problem->offset[j], terms = fabs(sum);
    for (size_t k = h->start[j]; k < h->start[j + 1]; k++) {
      sum += h->value[k] * v[h->index[k]];
      terms += fabs(h->value[k] * v[h->index[k]]);
    }
    op->r[j] = sum;
    op->term_speed = fmax(op->term_speed, terms);
  }
}

scree_status op_global_init(ccp_operator *op) {
  scree_context *context = op->context;
  global_state *s = memory_new(context, 1, sizeof *s);
  if (!s) return SCREE_ERROR_MEMORY;
  scree_status status = find_components(op, s);
  if (!status) status = factor_components(op, s);
  if (!status) status = build_pairs(op, s);
  if (!status) {
    solve_images(op, s);
    fill_r(op, s);
    status = condense(op, s);
  }
  if (status) {
    /* A half-built local form is freed by op_destroy; the state is not hung there yet. */
    state_free(context, s);
    return status;
  }
  memory_free(context, s->image);
  s->image = NULL;
  s->class = *op->class;
  s->base_destroy = op->class->destroy;
  s->class.name = "global";
  s->class.destroy = destroy;
  s->class.velocity = velocity;
  s->class.balance = balance;
  ((op_local *)op->impl)->owner = s;
  op->class = &s->class;
  if (op->asymmetry > 1e-9)
    context_log(context, SCREE_LOG_WARNING,
                "M is not symmetric: the condensed matrix differs from its transpose by %.1e",
                op->asymmetry);
  return SCREE_OK;
}
