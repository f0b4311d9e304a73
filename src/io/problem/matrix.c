/* See problem/matrix.h. */
#include "io/problem/matrix.h"

#include <string.h>

#include "base/memory.h"

scree_status triplets_reserve(triplets *t, size_t more) {
  const size_t need = t->count + more;
  if (need < more || memory_grow(t->context, &t->row, need, sizeof *t->row) ||
      memory_grow(t->context, &t->column, need, sizeof *t->column) ||
      memory_grow(t->context, &t->value, need, sizeof *t->value))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

void triplets_clear(triplets *t) {
  memory_free(t->context, t->row);
  memory_free(t->context, t->column);
  memory_free(t->context, t->value);
  *t = (triplets){.context = t->context};
}

void matrix_clear(scree_context *context, ccp_matrix *m) {
  memory_free(context, m->start);
  memory_free(context, m->index);
  memory_free(context, m->value);
  *m = (ccp_matrix){0};
}

static scree_status matrix_reserve(scree_context *context, size_t rows, size_t columns,
                                   size_t entries, ccp_matrix *out) {
  *out = (ccp_matrix){.rows = rows, .columns = columns};
  out->start = memory_new(context, columns + 1, sizeof *out->start);
  out->index = memory_new(context, entries, sizeof *out->index);
  out->value = memory_new(context, entries, sizeof *out->value);
  if (out->start && out->index && out->value) return SCREE_OK;
  matrix_clear(context, out);
  return SCREE_ERROR_MEMORY;
}

/* order: positions sorted by key, equal keys in the order of `from` (null: 0, 1, 2, …). `start`
 * has keys + 1 entries and leaves as the first position of each key. */
static void counting_sort(size_t count, const uint32_t *key, size_t keys, const size_t *from,
                          size_t *start, size_t *order) {
  memset(start, 0, (keys + 1) * sizeof *start);
  for (size_t k = 0; k < count; k++) start[key[k] + 1]++;
  for (size_t k = 0; k < keys; k++) start[k + 1] += start[k];
  for (size_t k = 0; k < count; k++) {
    const size_t item = from ? from[k] : k;
    order[start[key[item]]++] = item;
  }
  for (size_t k = keys; k > 0; k--) start[k] = start[k - 1];
  start[0] = 0;
}

/* Places that occur twice are added up; the matrix shrinks in place. */
static void sum_duplicates(ccp_matrix *m) {
  size_t to = 0, begin = 0;
  for (size_t j = 0; j < m->columns; j++) {
    const size_t end = m->start[j + 1];
    const size_t first = to;
    for (size_t k = begin; k < end; k++) {
      if (to > first && m->index[to - 1] == m->index[k]) {
        m->value[to - 1] += m->value[k];
      } else {
        m->index[to] = m->index[k];
        m->value[to++] = m->value[k];
      }
    }
    begin = end;
    m->start[j + 1] = to;
  }
}

scree_status triplets_compress(const triplets *t, size_t rows, size_t columns, ccp_matrix *out) {
  scree_context *context = t->context;
  const size_t keys = rows > columns ? rows : columns;
  size_t *by_row = memory_new(context, t->count, sizeof *by_row);
  size_t *by_column = memory_new(context, t->count, sizeof *by_column);
  size_t *start = memory_new(context, keys + 1, sizeof *start);
  scree_status status = by_row && by_column && start
                            ? matrix_reserve(context, rows, columns, t->count, out)
                            : SCREE_ERROR_MEMORY;
  if (!status) {
    counting_sort(t->count, t->row, rows, NULL, start, by_row);
    counting_sort(t->count, t->column, columns, by_row, out->start, by_column);
    for (size_t k = 0; k < t->count; k++) {
      out->index[k] = t->row[by_column[k]];
      out->value[k] = t->value[by_column[k]];
    }
    sum_duplicates(out);
  }
  memory_free(context, by_row);
  memory_free(context, by_column);
  memory_free(context, start);
  return status;
}

scree_status matrix_part(scree_context *context, const ccp_matrix *from, const uint32_t *row_map,
                         const uint32_t *column_map, matrix_window window, ccp_matrix *out) {
  triplets t = {.context = context};
  *out = (ccp_matrix){0};
  scree_status status = triplets_reserve(&t, matrix_entries(from));
  for (size_t j = 0; !status && j < from->columns; j++) {
    const size_t column = column_map ? column_map[j] : j;
    if (column < window.column_begin || column >= window.column_end) continue;
    for (size_t k = from->start[j]; k < from->start[j + 1]; k++) {
      const size_t row = row_map ? row_map[from->index[k]] : from->index[k];
      if (row >= window.row_begin && row < window.row_end)
        triplets_push(&t, row - window.row_begin, column - window.column_begin, from->value[k]);
    }
  }
  if (!status)
    status = triplets_compress(&t, window.row_end - window.row_begin,
                               window.column_end - window.column_begin, out);
  triplets_clear(&t);
  return status;
}

scree_status matrix_transpose(scree_context *context, const ccp_matrix *from, ccp_matrix *out) {
  triplets t = {.context = context};
  *out = (ccp_matrix){0};
  scree_status status = triplets_reserve(&t, matrix_entries(from));
  for (size_t j = 0; !status && j < from->columns; j++)
    for (size_t k = from->start[j]; k < from->start[j + 1]; k++)
      triplets_push(&t, j, from->index[k], from->value[k]);
  if (!status) status = triplets_compress(&t, from->columns, from->rows, out);
  triplets_clear(&t);
  return status;
}

bool matrix_same(const ccp_matrix *a, const ccp_matrix *b) {
  const size_t entries = matrix_entries(a);
  return a->rows == b->rows && a->columns == b->columns && entries == matrix_entries(b) &&
         memcmp(a->start, b->start, (a->columns + 1) * sizeof *a->start) == 0 &&
         (!entries || (memcmp(a->index, b->index, entries * sizeof *a->index) == 0 &&
                       memcmp(a->value, b->value, entries * sizeof *a->value) == 0));
}
