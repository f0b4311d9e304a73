/* See operator_metric.h. */
#include "ccp/operator_metric.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/sets/coulomb.h"
#include "ccp/sets/set.h"

enum { CHUNK = 2048, PARALLEL_BLOCKS = 4096 };

/* Which rows share a weight: group[k] of row k, ascending. */
static void group_rows(const scree_set *set, int *group) {
  const set_outline o = set_outline_of(set);
  for (int k = 0; k < set->dim; k++) group[k] = o.role == SET_OPAQUE ? 0 : k;
  for (int j = 0; j < o.disc_count; j++)
    if (o.disc[j].round && o.disc[j].count == 2) group[o.disc[j].first + 1] = o.disc[j].first;
}

static void fill_block(const ccp_operator *op, size_t i) {
  const scree_set *set = ccp_set(op->problem, i);
  const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
  double nii[SCREE_MAX_DIM * SCREE_MAX_DIM], sum[SCREE_MAX_DIM] = {0.0};
  int group[SCREE_MAX_DIM], count[SCREE_MAX_DIM] = {0};
  double *root = op->root + op->row_start[i];
  op_diagonal_block(op, i, nii);
  group_rows(set, group);
  double most = 0.0, total = 0.0;
  for (int k = 0; k < dim; k++) {
    sum[group[k]] += nii[k * dim + k];
    count[group[k]]++;
    if (k < forces) total += nii[k * dim + k];
  }
  for (int k = 0; k < forces; k++) most = fmax(most, sum[group[k]]);
  /* Rows that hardly move would get a step without measure: they take the mean of the forces. */
  const double mean = most > 0.0 && total > 0.0 ? (double)forces / total : 0.0;
  for (int k = 0; k < dim; k++) {
    const double trace = sum[group[k]];
    const bool measured = k < forces ? trace > 1e-10 * most : trace > 0.0;
    root[k] = sqrt(mean > 0.0 && measured ? (double)count[group[k]] / trace : mean);
  }
}

scree_status op_metric_prepare(ccp_operator *op, const uint32_t *blocks, size_t count) {
  if (memory_grow(op->context, &op->root, op->row_count, sizeof *op->root))
    return SCREE_ERROR_MEMORY;
  const size_t n = blocks ? count : op->block_count;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, n > PARALLEL_BLOCKS))
  for (size_t j = 0; j < n; j++) fill_block(op, blocks ? blocks[j] : j);
  return SCREE_OK;
}

void op_metric_step_block(const ccp_operator *op, size_t i, double step, const double *y,
                          const double *u, double *x) {
  const scree_set *set = ccp_set(op->problem, i);
  const double *root = op->root + op->row_start[i];
  const int dim = ccp_dim(op->problem, i);
  double z[SCREE_MAX_DIM];
  if (!(root[0] > 0.0)) {
    memmove(x, y, (size_t)dim * sizeof *x);
    return;
  }
  for (int k = 0; k < dim; k++) z[k] = y[k] / root[k] - step * root[k] * u[k];
  const set_role role = set_role_of(set);
  if (set_is_plain_cone(set)) {
    coulomb3_project(set->mu * (root[0] / root[1]), z);
  } else if (role == SET_OPAQUE) { /* one root: the metric is the plain one */
    for (int k = 0; k < dim; k++) z[k] *= root[0];
    scree_set_project(set, 1.0, z);
    for (int k = 0; k < dim; k++) z[k] /= root[0];
  } else if (role != SET_BILATERAL) {
    const scree_set scaled = set_scaled(set, root);
    scree_set_project(&scaled, 1.0, z);
  }
  for (int k = 0; k < dim; k++) x[k] = root[k] * z[k];
}

void op_metric_step(ccp_operator *op, const double *y, double step, const double *u, double *z) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, op->block_count > PARALLEL_BLOCKS))
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t row = op->row_start[i];
    op_metric_step_block(op, i, step, y + row, u + row, z + row);
  }
}

double op_metric_dot(ccp_operator *op, const double *x, const double *y) {
  double total = 0.0;
  for (size_t begin = 0; begin < op->row_count; begin += CHUNK) {
    const size_t end = begin + CHUNK < op->row_count ? begin + CHUNK : op->row_count;
    double sum = 0.0;
    for (size_t k = begin; k < end; k++)
      if (op->root[k] > 0.0) sum += x[k] * y[k] / (op->root[k] * op->root[k]);
    total += sum;
  }
  return total;
}

double op_metric_dual_dot(ccp_operator *op, const double *x, const double *y) {
  double total = 0.0;
  for (size_t begin = 0; begin < op->row_count; begin += CHUNK) {
    const size_t end = begin + CHUNK < op->row_count ? begin + CHUNK : op->row_count;
    double sum = 0.0;
    for (size_t k = begin; k < end; k++) sum += x[k] * y[k] * (op->root[k] * op->root[k]);
    total += sum;
  }
  return total;
}
