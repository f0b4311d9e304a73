/* The local form: N = W + C, stored in block rows. W is kept as it was given, symmetric or not:
 * files condensed with rounding are unsymmetric by up to 2.5e-3, and the residual is judged with
 * the matrix that the file holds. `asymmetry` tells solvers what they face. */
#include "ccp/operator_local.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/colouring.h"

enum { PARALLEL_ENTRIES = 65536 };

static void row_product(const ccp_operator *op, size_t i, const double *x, double *y) {
  const op_local *impl = op->impl;
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
  const op_local *impl = op->impl;
  if (impl->start[op->block_count] * 9 <= PARALLEL_ENTRIES) {
    for (size_t i = 0; i < op->block_count; i++) row_product(op, i, x, y + op->row_start[i]);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(op->context->threads)
  for (size_t i = 0; i < op->block_count; i++) row_product(op, i, x, y + op->row_start[i]);
}

static void apply_transposed(ccp_operator *op, const double *x, double *y) {
  const op_local *impl = op->impl;
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
  const op_local *impl = op->impl;
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

static void block_push(ccp_operator *op, size_t i, const double *change) {
  (void)op;
  (void)i;
  (void)change;
}

static void destroy(ccp_operator *op) {
  op_local *impl = op->impl;
  if (!impl) return;
  memory_free(op->context, impl->start);
  memory_free(op->context, impl->column);
  memory_free(op->context, impl->offset);
  memory_free(op->context, impl->value);
  memory_free(op->context, impl->diagonal);
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
    .block_push = block_push,
    .sweep = NULL,
    .velocity = NULL,
};

/* ---- setup ---------------------------------------------------------------------------------- */

static void map_rows(const ccp_operator *op, uint32_t *block_of) {
  for (size_t i = 0; i < op->block_count; i++)
    for (size_t row = op->row_start[i]; row < op->row_start[i + 1]; row++)
      block_of[row] = (uint32_t)i;
}

/* The block pattern, symmetrised and with a full diagonal, as compressed rows with ascending
 * columns. `mark` has block_count entries. */
static scree_status build_pattern(ccp_operator *op, op_local *impl, const size_t *start,
                                  const uint32_t *index, const uint32_t *block_of, size_t *mark) {
  scree_context *context = op->context;
  const size_t n = op->block_count;
  size_t *count = memory_new(context, n + 2, sizeof *count);
  uint32_t *row = NULL, *column = NULL;
  size_t pairs = 0, capacity_row = 0, capacity_column = 0;
  scree_status status = count ? SCREE_OK : SCREE_ERROR_MEMORY;
  for (size_t j = 0; j < n; j++) mark[j] = SIZE_MAX;
  for (size_t j = 0; !status && j < n; j++) {
    mark[j] = j;
    for (size_t c = op->row_start[j]; !status && c < op->row_start[j + 1]; c++)
      for (size_t k = start[c]; k < start[c + 1]; k++) {
        const size_t i = block_of[index[k]];
        if (mark[i] == j) continue;
        mark[i] = j;
        const bool full = pairs == capacity_row || pairs == capacity_column;
        if (full && (memory_grow(context, &row, &capacity_row, pairs + 1, sizeof *row) ||
                     memory_grow(context, &column, &capacity_column, pairs + 1, sizeof *column))) {
          status = SCREE_ERROR_MEMORY;
          break;
        }
        row[pairs] = (uint32_t)i;
        column[pairs++] = (uint32_t)j;
      }
  }
  /* Entries (i, j) and (j, i) and (i, i) by counting sort on rows, duplicates dropped after. */
  if (!status) {
    for (size_t i = 0; i < n; i++) count[i + 2] = 1;
    for (size_t k = 0; k < pairs; k++) {
      count[row[k] + 2]++;
      count[column[k] + 2]++;
    }
    for (size_t i = 2; i < n + 2; i++) count[i] += count[i - 1];
    impl->column = memory_new(context, count[n + 1], sizeof *impl->column);
    impl->start = memory_new(context, n + 1, sizeof *impl->start);
    if (!impl->column || !impl->start) status = SCREE_ERROR_MEMORY;
  }
  if (!status) {
    uint32_t *all = memory_new(context, count[n + 1], sizeof *all);
    if (!all) status = SCREE_ERROR_MEMORY;
    for (size_t i = 0; !status && i < n; i++) all[count[i + 1]++] = (uint32_t)i;
    for (size_t k = 0; !status && k < pairs; k++) {
      all[count[row[k] + 1]++] = column[k];
      all[count[column[k] + 1]++] = row[k];
    }
    /* Transposing the (symmetric) pattern sorts its columns; equal neighbours are duplicates. */
    size_t total = 0;
    for (size_t i = 0; !status && i < n; i++) mark[i] = SIZE_MAX;
    for (size_t i = 0; !status && i < n; i++) {
      const size_t begin = total;
      for (size_t k = count[i]; k < count[i + 1]; k++) {
        const uint32_t c = all[k];
        if (mark[c] == i) continue;
        mark[c] = i;
        size_t at = total++;
        while (at > begin && impl->column[at - 1] > c) {
          impl->column[at] = impl->column[at - 1];
          at--;
        }
        impl->column[at] = c;
      }
      impl->start[i + 1] = total;
    }
    memory_free(context, all);
  }
  memory_free(context, count);
  memory_free(context, row);
  memory_free(context, column);
  return status;
}

/* Block (i, j), for calls with j that never falls: each row's cursor only moves on. */
static size_t find_block(const op_local *impl, size_t *cursor, size_t i, size_t j) {
  while (impl->column[cursor[i]] < j) cursor[i]++;
  return cursor[i];
}

static scree_status fill_values(ccp_operator *op, op_local *impl, const size_t *start,
                                const uint32_t *index, const double *value,
                                const uint32_t *block_of, size_t *cursor) {
  const size_t n = op->block_count, blocks = impl->start[n];
  impl->offset = memory_new(op->context, blocks + 1, sizeof *impl->offset);
  impl->diagonal = memory_new(op->context, n, sizeof *impl->diagonal);
  if (!impl->offset || !impl->diagonal) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++)
    for (size_t k = impl->start[i]; k < impl->start[i + 1]; k++) {
      const size_t rows = op->row_start[i + 1] - op->row_start[i], j = impl->column[k];
      impl->offset[k + 1] = impl->offset[k] + rows * (op->row_start[j + 1] - op->row_start[j]);
      if (j == i) impl->diagonal[i] = k;
    }
  impl->value = memory_new(op->context, impl->offset[blocks], sizeof *impl->value);
  if (!impl->value) return SCREE_ERROR_MEMORY;
  memcpy(cursor, impl->start, n * sizeof *cursor);
  for (size_t c = 0; c < op->row_count; c++) {
    const uint32_t j = block_of[c];
    const size_t columns = op->row_start[j + 1] - op->row_start[j], at = c - op->row_start[j];
    uint32_t last = UINT32_MAX;
    double *block = NULL;
    for (size_t k = start[c]; k < start[c + 1]; k++) {
      const uint32_t i = block_of[index[k]];
      if (i != last) block = impl->value + impl->offset[find_block(impl, cursor, i, j)];
      last = i;
      block[(index[k] - op->row_start[i]) * columns + at] = value[k];
    }
  }
  for (size_t i = 0; op->problem->compliance && i < n; i++) {
    const size_t row = op->row_start[i], dim = op->row_start[i + 1] - row;
    double *block = impl->value + impl->offset[impl->diagonal[i]];
    for (size_t k = 0; k < dim; k++) block[k * dim + k] += op->problem->compliance[row + k];
  }
  return SCREE_OK;
}

/* Adds |A - B'|^2 and |A|^2 + |B|^2 of two blocks across the diagonal. */
static inline void compare_across(size_t rows, size_t columns, const double *a, const double *b,
                                  double *difference, double *total) {
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < columns; c++) {
      const double x = a[r * columns + c], y = b[c * rows + r];
      *difference += (x - y) * (x - y);
      *total += x * x + y * y;
    }
}

static double measure_asymmetry(const ccp_operator *op, const op_local *impl, size_t *cursor) {
  double difference = 0.0, total = 0.0;
  memcpy(cursor, impl->start, op->block_count * sizeof *cursor);
  for (size_t i = 0; i < op->block_count; i++)
    for (size_t k = impl->diagonal[i]; k < impl->start[i + 1]; k++) {
      const uint32_t j = impl->column[k];
      const size_t rows = op->row_start[i + 1] - op->row_start[i],
                   columns = op->row_start[j + 1] - op->row_start[j];
      const double *a = impl->value + impl->offset[k],
                   *b = impl->value + impl->offset[find_block(impl, cursor, j, i)];
      double apart = 0.0, both = 0.0;
      if (rows == 3 && columns == 3)
        compare_across(3, 3, a, b, &apart, &both);
      else
        compare_across(rows, columns, a, b, &apart, &both);
      difference += i == j ? apart : 2.0 * apart;
      total += i == j ? 0.5 * both : both;
    }
  return total > 0.0 ? sqrt(difference / total) : 0.0;
}

scree_status op_local_build(ccp_operator *op, size_t n, const size_t *start, const uint32_t *index,
                            const double *value) {
  scree_context *context = op->context;
  op_local *impl = op->impl = memory_new(context, 1, sizeof *impl);
  if (!impl) return SCREE_ERROR_MEMORY;
  op->class = &local_class;
  uint32_t *block_of = memory_new(context, n, sizeof *block_of);
  size_t *mark = memory_new(context, op->block_count, sizeof *mark);
  scree_status status = block_of && mark ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) {
    map_rows(op, block_of);
    status = build_pattern(op, impl, start, index, block_of, mark);
  }
  if (!status) status = fill_values(op, impl, start, index, value, block_of, mark);
  if (!status) op->asymmetry = measure_asymmetry(op, impl, mark);
  memory_free(context, block_of);
  memory_free(context, mark);
  if (status) return status;
  return colouring_by_graph(op, impl->start, impl->column);
}

scree_status op_local_init(ccp_operator *op) {
  const ccp_matrix *w = &op->problem->w;
  memcpy(op->r, op->problem->offset, op->row_count * sizeof *op->r);
  return op_local_build(op, op->row_count, w->start, w->index, w->value);
}
