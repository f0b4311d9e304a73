/* `direct`: the multifrontal LU of math/sparse.h on the matrix with a small -eps on the rows of
 * joints, then corrections with the matrix as it is:
 *
 *   x <- x + (A_eps)^-1 (b - A x)
 *
 * With eps > 0 the matrix is quasi-definite: it can be eliminated in any order without a zero
 * pivot, whatever rows depend on each other. Errors along a direction of D' with eigenvalue s (of
 * D'A^-1 D, scaled to 1) fall by eps/(eps + s) a correction; dependent directions of a system that
 * has a solution get nothing, so multipliers are of least norm. eps is relative to how
 * far each row gives way while the others of its joint hold. */
#include <math.h>
#include <string.h>

#include "math/sparse.h"
#include "step/smooth/linear.h"

enum { CORRECTIONS = 12, MOST_ROWS = 12 };
static const double eps = 1e-8, enough = 1e-13;

typedef struct direct {
  scree_context *context;
  sparse_factor *factor;
  double *value, *rest, *change, *right;
  size_t value_room, rest_room, change_room, right_room;
  uint64_t pattern;
} direct;

static void destroy(void *self) {
  direct *d = self;
  sparse_destroy(d->factor);
  memory_free(d->context, d->value);
  memory_free(d->context, d->rest);
  memory_free(d->context, d->change);
  memory_free(d->context, d->right);
  memory_free(d->context, d);
}

static scree_status create(scree_context *context, void **self) {
  direct *d = memory_new(context, 1, sizeof *d);
  if (!d) return SCREE_ERROR_MEMORY;
  d->context = context;
  const scree_status status = sparse_create(context, &d->factor);
  if (status)
    memory_free(context, d);
  else
    *self = d;
  return status;
}

/* Solves a x = b in place for `columns` right sides, a n x n by rows, with row exchanges; false: a
 * is singular to rounding. */
static bool eliminate(size_t n, double *a, size_t columns, double *b) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    const double pivot = a[best * n + k];
    if (!(fabs(pivot) > 1e-300)) return false;
    for (size_t j = 0; j < n && best != k; j++) {
      const double t = a[k * n + j];
      a[k * n + j] = a[best * n + j];
      a[best * n + j] = t;
    }
    for (size_t j = 0; j < columns && best != k; j++) {
      const double t = b[k * columns + j];
      b[k * columns + j] = b[best * columns + j];
      b[best * columns + j] = t;
    }
    for (size_t i = 0; i < n; i++) {
      if (i == k || a[i * n + k] == 0.0) continue;
      const double f = a[i * n + k] / pivot;
      for (size_t j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
      for (size_t j = 0; j < columns; j++) b[i * columns + j] -= f * b[k * columns + j];
    }
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < columns; j++) b[i * columns + j] /= a[i * n + i];
  return true;
}

/* How far each row of a joint gives way to a multiplier of 1 while its other rows hold: 1/(N^-1)_rr
 * with N = D'A^-1 D of the joint alone. A row that the others hold already has none of its own;
 * then a small part of N_rr. */
static void row_sizes(const kkt_matrix *m, uint32_t node, double *size) {
  const size_t n = m->rows[node];
  double own[MOST_ROWS * MOST_ROWS] = {0.0}, inverse[MOST_ROWS * MOST_ROWS] = {0.0};
  for (size_t k = m->start[node]; k < m->start[node + 1]; k++) {
    const uint32_t body = m->neighbour[k];
    if (body >= m->bodies) continue;
    const double *c = m->value + m->offset[k];
    double a[36], x[6 * MOST_ROWS];
    memcpy(a, kkt_block(m, body, body), sizeof a);
    for (size_t r = 0; r < n; r++)
      for (size_t i = 0; i < 6; i++) x[i * n + r] = c[6 * r + i];
    if (!eliminate(6, a, n, x)) continue;
    for (size_t r = 0; r < n; r++)
      for (size_t q = 0; q < n; q++)
        for (size_t i = 0; i < 6; i++) own[r * n + q] += c[6 * r + i] * x[i * n + q];
  }
  for (size_t r = 0; r < n; r++) {
    size[r] = own[r * n + r] > 0.0 ? own[r * n + r] : 1.0;
    own[r * n + r] += 1e-14 * size[r];
    inverse[r * n + r] = 1.0;
  }
  const bool good = eliminate(n, own, n, inverse);
  for (size_t r = 0; r < n; r++) {
    const double alone = good && inverse[r * n + r] > 0.0 ? 1.0 / inverse[r * n + r] : 0.0;
    size[r] = fmax(fmin(alone, size[r]), 1e-13 * size[r]);
  }
}

static scree_status prepare(void *self, const kkt_matrix *m) {
  direct *d = self;
  if (memory_grow(d->context, &d->value, &d->value_room, m->value_count, sizeof *d->value) ||
      memory_grow(d->context, &d->rest, &d->rest_room, m->size, sizeof *d->rest) ||
      memory_grow(d->context, &d->change, &d->change_room, m->size, sizeof *d->change) ||
      memory_grow(d->context, &d->right, &d->right_room, m->size, sizeof *d->right))
    return SCREE_ERROR_MEMORY;
  if (d->pattern != m->pattern) {
    const scree_status status =
        sparse_analyse_graph(d->factor, m->nodes, m->rows, m->start, m->neighbour, 100.0);
    if (status) return status;
    d->pattern = m->pattern;
  }
  memcpy(d->value, m->value, m->value_count * sizeof *d->value);
  for (uint32_t i = (uint32_t)m->bodies; i < m->nodes; i++) {
    double *block = d->value + (kkt_block(m, i, i) - m->value);
    double size[MOST_ROWS];
    row_sizes(m, i, size);
    for (uint32_t r = 0; r < m->rows[i]; r++) block[r * m->rows[i] + r] -= eps * size[r];
  }
  size_t replaced;
  return sparse_factorise_lu(d->factor, m->offset, d->value, 0.0, &replaced);
}

/* Of the terms that the equations of bodies and of rows are sums of. */
static void term_sizes(const kkt_matrix *m, const double *b, const double *x, double scale[2]) {
  for (uint32_t i = 0; i < m->nodes; i++) {
    double *part = &scale[i >= m->bodies];
    for (uint32_t r = 0; r < m->rows[i]; r++) *part = fmax(*part, fabs(b[m->first[i] + r]));
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++) {
      const uint32_t j = m->neighbour[k];
      const double *block = m->value + m->offset[k];
      for (uint32_t n = 0; n < m->rows[i] * m->rows[j]; n++)
        *part = fmax(*part, fabs(block[n] * x[m->first[j] + n % m->rows[j]]));
    }
  }
}

/* The larger part, each over its scale. */
static double size_of(const kkt_matrix *m, const double *r, const double *scale) {
  const size_t split = m->first[m->bodies];
  double part[2] = {0.0, 0.0};
  for (size_t i = 0; i < m->size; i++)
    if (!(fabs(r[i]) <= part[i >= split])) part[i >= split] = fabs(r[i]);
  return fmax(part[0] / fmax(scale[0], 1e-300), part[1] / fmax(scale[1], 1e-300));
}

static scree_status solve(void *self, const kkt_matrix *m, double *x, double *residual) {
  direct *d = self;
  const size_t n = m->size;
  double scale[2] = {0.0, 0.0}, last = INFINITY;
  memcpy(d->right, x, n * sizeof *x);
  memcpy(d->rest, x, n * sizeof *x);
  memset(x, 0, n * sizeof *x);
  for (int k = 0; k < CORRECTIONS; k++) {
    memcpy(d->change, d->rest, n * sizeof *d->rest);
    sparse_solve(d->factor, d->change);
    for (size_t i = 0; i < n; i++) x[i] += d->change[i];
    kkt_multiply(m, x, d->rest);
    for (size_t i = 0; i < n; i++) d->rest[i] = d->right[i] - d->rest[i];
    if (k == 0) term_sizes(m, d->right, x, scale);
    const double size = size_of(m, d->rest, scale);
    *residual = size;
    if (!isfinite(size) || size <= enough || size > 0.5 * last) break;
    last = size;
  }
  return SCREE_OK;
}

const linear_class linear_direct = {
    .name = "direct",
    .summary = "multifrontal LU with corrections; any joints, rows that depend on each other too",
    .large = true,
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
};
