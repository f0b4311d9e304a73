/* `direct`: the multifrontal LU of math/sparse.h on the matrix with a small -eps on the rows of
 * joints, then corrections with the matrix as it is:
 *
 *   x <- x + (A_eps)^-1 (b - A x)
 *
 * With eps > 0 the matrix is quasi-definite: it can be eliminated in any order without a zero
 * pivot, whatever rows depend on each other. Errors along a direction of D' with eigenvalue s (of
 * D'A^-1 D, scaled to 1) fall by eps/(eps + s) a correction; dependent directions of a system that
 * has a solution get nothing, so multipliers are of least norm. eps is relative to each row's
 * c'A^-1 c. */
#include <math.h>
#include <string.h>

#include "math/sparse.h"
#include "step/smooth/linear.h"

enum { CORRECTIONS = 12 };
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

/* c'A^-1 c with the diagonal of A alone. */
static double row_size(const kkt_matrix *m, uint32_t node, uint32_t row) {
  double sum = 0.0;
  for (size_t k = m->start[node]; k < m->start[node + 1]; k++) {
    const uint32_t body = m->neighbour[k];
    if (body >= m->bodies) continue;
    const double *c = m->value + m->offset[k] + 6 * row, *a = kkt_block(m, body, body);
    for (int i = 0; i < 6; i++)
      if (c[i] != 0.0) sum += c[i] * c[i] / fabs(a[7 * i]);
  }
  return sum > 0.0 && isfinite(sum) ? sum : 1.0;
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
    for (uint32_t r = 0; r < m->rows[i]; r++) block[r * m->rows[i] + r] -= eps * row_size(m, i, r);
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
