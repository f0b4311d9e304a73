/* See block_rows.h. */
#include "ccp/forms/block_rows.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

typedef struct shape {
  size_t block_count, row_count;
  const uint32_t *row_start;
  const double *compliance;
} shape;

static void map_rows(const shape *s, uint32_t *block_of) {
  for (size_t i = 0; i < s->block_count; i++)
    for (size_t row = s->row_start[i]; row < s->row_start[i + 1]; row++)
      block_of[row] = (uint32_t)i;
}

/* The block pattern, symmetrised and with a full diagonal, as compressed rows with ascending
 * columns. `mark` has block_count entries. */
static scree_status build_pattern(scree_context *context, const shape *s, ccp_block_rows *b,
                                  const size_t *start, const uint32_t *index,
                                  const uint32_t *block_of, size_t *mark) {
  const size_t n = s->block_count;
  size_t *count = memory_new(context, n + 2, sizeof *count);
  uint32_t *row = NULL, *column = NULL;
  size_t pairs = 0;
  scree_status status = count ? SCREE_OK : SCREE_ERROR_MEMORY;
  for (size_t j = 0; j < n; j++) mark[j] = SIZE_MAX;
  for (size_t j = 0; !status && j < n; j++) {
    mark[j] = j;
    for (size_t c = s->row_start[j]; !status && c < s->row_start[j + 1]; c++)
      for (size_t k = start[c]; k < start[c + 1]; k++) {
        const size_t i = block_of[index[k]];
        if (mark[i] == j) continue;
        mark[i] = j;
        if (memory_grow(context, &row, pairs + 1, sizeof *row) ||
            memory_grow(context, &column, pairs + 1, sizeof *column)) {
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
    b->column = memory_new(context, count[n + 1], sizeof *b->column);
    b->start = memory_new(context, n + 1, sizeof *b->start);
    if (!b->column || !b->start) status = SCREE_ERROR_MEMORY;
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
        while (at > begin && b->column[at - 1] > c) {
          b->column[at] = b->column[at - 1];
          at--;
        }
        b->column[at] = c;
      }
      b->start[i + 1] = total;
    }
    memory_free(context, all);
  }
  memory_free(context, count);
  memory_free(context, row);
  memory_free(context, column);
  return status;
}

/* Block (i, j), for calls with j that never falls: each row's cursor only moves on. */
static size_t find_block(const ccp_block_rows *b, size_t *cursor, size_t i, size_t j) {
  while (b->column[cursor[i]] < j) cursor[i]++;
  return cursor[i];
}

static scree_status fill_values(scree_context *context, const shape *s, ccp_block_rows *b,
                                const size_t *start, const uint32_t *index, const double *value,
                                const uint32_t *block_of, size_t *cursor) {
  const size_t n = s->block_count, blocks = b->start[n];
  b->offset = memory_new(context, blocks + 1, sizeof *b->offset);
  b->diagonal = memory_new(context, n, sizeof *b->diagonal);
  if (!b->offset || !b->diagonal) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++)
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
      const size_t rows = s->row_start[i + 1] - s->row_start[i], j = b->column[k];
      b->offset[k + 1] = b->offset[k] + rows * (s->row_start[j + 1] - s->row_start[j]);
      if (j == i) b->diagonal[i] = k;
    }
  b->value = memory_new(context, b->offset[blocks], sizeof *b->value);
  if (!b->value) return SCREE_ERROR_MEMORY;
  memcpy(cursor, b->start, n * sizeof *cursor);
  for (size_t c = 0; c < s->row_count; c++) {
    const uint32_t j = block_of[c];
    const size_t columns = s->row_start[j + 1] - s->row_start[j], at = c - s->row_start[j];
    uint32_t last = UINT32_MAX;
    double *block = NULL;
    for (size_t k = start[c]; k < start[c + 1]; k++) {
      const uint32_t i = block_of[index[k]];
      if (i != last) block = b->value + b->offset[find_block(b, cursor, i, j)];
      last = i;
      block[(index[k] - s->row_start[i]) * columns + at] = value[k];
    }
  }
  for (size_t i = 0; s->compliance && i < n; i++) {
    const size_t row = s->row_start[i], dim = s->row_start[i + 1] - row;
    double *block = b->value + b->offset[b->diagonal[i]];
    for (size_t k = 0; k < dim; k++) block[k * dim + k] += s->compliance[row + k];
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

static double measure_asymmetry(const shape *s, const ccp_block_rows *b, size_t *cursor) {
  double difference = 0.0, total = 0.0;
  memcpy(cursor, b->start, s->block_count * sizeof *cursor);
  for (size_t i = 0; i < s->block_count; i++)
    for (size_t k = b->diagonal[i]; k < b->start[i + 1]; k++) {
      const uint32_t j = b->column[k];
      const size_t rows = s->row_start[i + 1] - s->row_start[i],
                   columns = s->row_start[j + 1] - s->row_start[j];
      const double *here = b->value + b->offset[k],
                   *across = b->value + b->offset[find_block(b, cursor, j, i)];
      double apart = 0.0, both = 0.0;
      if (rows == 3 && columns == 3)
        compare_across(3, 3, here, across, &apart, &both);
      else
        compare_across(rows, columns, here, across, &apart, &both);
      difference += i == j ? apart : 2.0 * apart;
      total += i == j ? 0.5 * both : both;
    }
  return total > 0.0 ? sqrt(difference / total) : 0.0;
}

scree_status block_rows_build(scree_context *context, const scree_ccp *problem, const size_t *start,
                              const uint32_t *index, const double *value, ccp_block_rows *b) {
  const shape s = {problem->block_count, problem->row_count, problem->row_start,
                   problem->compliance};
  uint32_t *block_of = memory_new(context, s.row_count, sizeof *block_of);
  size_t *mark = memory_new(context, s.block_count, sizeof *mark);
  scree_status status = block_of && mark ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) {
    map_rows(&s, block_of);
    status = build_pattern(context, &s, b, start, index, block_of, mark);
  }
  if (!status) status = fill_values(context, &s, b, start, index, value, block_of, mark);
  if (!status) b->asymmetry = measure_asymmetry(&s, b, mark);
  memory_free(context, block_of);
  memory_free(context, mark);
  return status;
}

void block_rows_clear(scree_context *context, ccp_block_rows *b) {
  memory_free(context, b->start);
  memory_free(context, b->column);
  memory_free(context, b->offset);
  memory_free(context, b->value);
  memory_free(context, b->diagonal);
  *b = (ccp_block_rows){0};
}
