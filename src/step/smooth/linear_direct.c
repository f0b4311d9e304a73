/* `direct`: the multifrontal LU of math/sparse.h on the matrix with a small -eps on the rows of
 * joints, then corrections with the matrix as it is:
 *
 *   x <- x + (A_eps)^-1 (b - A x)
 *
 * With eps > 0 the matrix is quasi-definite: it can be eliminated in any order without a zero
 * pivot, whatever rows depend on each other. Errors along a direction of D' with eigenvalue s (of
 * D'A^-1 D in the metric of P) fall by eps/(eps + s) a correction; dependent directions of a system
 * that has a solution get nothing, so multipliers are of least norm. The shift is -eps P_j for a
 * joint (linear.h): what it gives way by itself, so that s does not depend on units and axes. */
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

static scree_status prepare(void *self, const kkt_matrix *m) {
  direct *d = self;
  if (memory_grow(d->context, &d->value, &d->value_room, m->value_count + 1, sizeof *d->value) ||
      memory_grow(d->context, &d->rest, &d->rest_room, m->size + 1, sizeof *d->rest) ||
      memory_grow(d->context, &d->change, &d->change_room, m->size + 1, sizeof *d->change) ||
      memory_grow(d->context, &d->right, &d->right_room, m->size + 1, sizeof *d->right))
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
    double norm[KKT_MOST_ROWS * KKT_MOST_ROWS];
    kkt_joint_norm(m, i, norm);
    for (uint32_t n = 0; n < m->rows[i] * m->rows[i]; n++) block[n] -= eps * norm[n];
  }
  size_t replaced;
  return sparse_factorise_lu(d->factor, m->offset, d->value, 0.0, &replaced);
}

static scree_status solve(void *self, const kkt_matrix *m, double *x, double *residual) {
  direct *d = self;
  const size_t n = m->size;
  double last = INFINITY;
  memcpy(d->right, x, n * sizeof *x);
  memcpy(d->rest, x, n * sizeof *x);
  memset(x, 0, n * sizeof *x);
  for (int k = 0; k < CORRECTIONS; k++) {
    memcpy(d->change, d->rest, n * sizeof *d->rest);
    sparse_solve(d->factor, d->change);
    for (size_t i = 0; i < n; i++) x[i] += d->change[i];
    const double size = kkt_residual(m, d->right, x, d->rest);
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
