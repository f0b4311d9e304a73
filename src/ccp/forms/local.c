/* The local form: N = W + C, stored in block rows. W is kept as it was given, symmetric or not:
 * files condensed with rounding are unsymmetric by up to 2.5e-3, and the residual is judged with
 * the matrix that the file holds. `asymmetry` tells solvers what they face. */
#include "ccp/forms/local.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/colouring.h"
#include "ccp/forms/block_rows.h"

enum { PARALLEL_ENTRIES = 65536 };

static void row_product(const ccp_operator *op, size_t i, const double *x, double *y) {
  const ccp_block_rows *impl = op_local_rows(op);
  const size_t dim = op->row_start[i + 1] - op->row_start[i];
  double sum[SCREE_MAX_DIM] = {0.0};
  if (dim == 3) {
    double s0 = 0.0, s1 = 0.0, s2 = 0.0;
    for (size_t k = impl->start[i]; k < impl->start[i + 1]; k++) {
      const size_t j = impl->column[k], columns = op->row_start[j + 1] - op->row_start[j];
      const double *a = impl->value + impl->offset[k], *xj = x + op->row_start[j];
      for (size_t c = 0; c < columns; c++) {
        s0 += a[c] * xj[c];
        s1 += a[columns + c] * xj[c];
        s2 += a[2 * columns + c] * xj[c];
      }
    }
    y[0] = s0;
    y[1] = s1;
    y[2] = s2;
    return;
  }
  for (size_t k = impl->start[i]; k < impl->start[i + 1]; k++) {
    const size_t j = impl->column[k], columns = op->row_start[j + 1] - op->row_start[j];
    const double *a = impl->value + impl->offset[k], *xj = x + op->row_start[j];
    for (size_t l = 0; l < dim; l++)
      for (size_t c = 0; c < columns; c++) sum[l] += a[l * columns + c] * xj[c];
  }
  memcpy(y, sum, dim * sizeof *y);
}

static void apply(ccp_operator *op, const double *x, double *y) {
  const ccp_block_rows *impl = op_local_rows(op);
  if (impl->start[op->block_count] * 9 <= PARALLEL_ENTRIES) {
    for (size_t i = 0; i < op->block_count; i++) row_product(op, i, x, y + op->row_start[i]);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(context_team(op->context, true))
  for (size_t i = 0; i < op->block_count; i++) row_product(op, i, x, y + op->row_start[i]);
}

static void apply_transposed(ccp_operator *op, const double *x, double *y) {
  const ccp_block_rows *impl = op_local_rows(op);
  memset(y, 0, op->row_count * sizeof *y);
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t first = op->row_start[i], dim = op->row_start[i + 1] - first;
    for (size_t k = impl->start[i]; k < impl->start[i + 1]; k++) {
      const size_t j = impl->column[k], columns = op->row_start[j + 1] - op->row_start[j];
      const double *a = impl->value + impl->offset[k];
      double *yj = y + op->row_start[j];
      for (size_t l = 0; l < dim; l++)
        for (size_t c = 0; c < columns; c++) yj[c] += a[l * columns + c] * x[first + l];
    }
  }
}

static void diagonal_block(const ccp_operator *op, size_t i, double *nii) {
  const ccp_block_rows *impl = op_local_rows(op);
  const size_t dim = op->row_start[i + 1] - op->row_start[i];
  memcpy(nii, impl->value + impl->offset[impl->diagonal[i]], dim * dim * sizeof *nii);
}

/* g itself is the state of a sweep. */
static void sweep_begin(ccp_operator *op, const double *g) {
  (void)op;
  (void)g;
}

static void block_velocity(const ccp_operator *op, const double *g, size_t i, double *u) {
  const size_t row = op->row_start[i], dim = op->row_start[i + 1] - row;
  row_product(op, i, g, u);
  for (size_t k = 0; k < dim; k++) u[k] += op->r[row + k];
}

static const double *block_alone(const ccp_operator *op, const double *g, size_t i, double *q) {
  const ccp_block_rows *impl = op_local_rows(op);
  const size_t row = op->row_start[i], dim = op->row_start[i + 1] - row, own = impl->diagonal[i];
  memcpy(q, op->r + row, dim * sizeof *q);
  for (size_t k = impl->start[i]; k < impl->start[i + 1]; k++) {
    if (k == own) continue;
    const size_t j = impl->column[k], columns = op->row_start[j + 1] - op->row_start[j];
    const double *a = impl->value + impl->offset[k], *x = g + op->row_start[j];
    if (dim == 3 && columns == 3) {
      for (size_t l = 0; l < 3; l++)
        q[l] += a[3 * l] * x[0] + a[3 * l + 1] * x[1] + a[3 * l + 2] * x[2];
      continue;
    }
    for (size_t l = 0; l < dim; l++)
      for (size_t c = 0; c < columns; c++) q[l] += a[l * columns + c] * x[c];
  }
  return impl->value + impl->offset[own];
}

static void block_push(ccp_operator *op, size_t i, const double *change) {
  (void)op;
  (void)i;
  (void)change;
}

static void destroy(ccp_operator *op) {
  op_local *impl = op->impl;
  if (!impl) return;
  if (!impl->borrowed) block_rows_clear(op->context, &impl->rows);
  memory_free(op->context, impl);
}

static const op_class local_class = {
    .name = "local",
    .destroy = destroy,
    .apply = apply,
    .apply_transposed = apply_transposed,
    .diagonal_block = diagonal_block,
    .sweep_begin = sweep_begin,
    .block_velocity = block_velocity,
    .block_alone = block_alone,
    .block_push = block_push,
    .sweep = NULL,
    .velocity = NULL,
};

/* ---- setup ---------------------------------------------------------------------------------- */

scree_status op_local_build(ccp_operator *op, const size_t *start, const uint32_t *index,
                            const double *value) {
  op_local *impl = op->impl = memory_new(op->context, 1, sizeof *impl);
  if (!impl) return SCREE_ERROR_MEMORY;
  op->class = &local_class;
  const scree_status status =
      block_rows_build(op->context, op->problem, start, index, value, &impl->rows);
  if (status) return status;
  op->asymmetry = impl->rows.asymmetry;
  return colouring_by_graph(op, impl->rows.start, impl->rows.column);
}

scree_status op_local_init(ccp_operator *op) {
  op_local *impl = op->impl = memory_new(op->context, 1, sizeof *impl);
  if (!impl) return SCREE_ERROR_MEMORY;
  op->class = &local_class;
  impl->rows = op->problem->rows;
  impl->borrowed = true;
  op->asymmetry = impl->rows.asymmetry;
  memcpy(op->r, op->problem->offset, op->row_count * sizeof *op->r);
  return colouring_by_graph(op, impl->rows.start, impl->rows.column);
}
