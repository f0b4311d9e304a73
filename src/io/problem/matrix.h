/* Sparse matrices on their way in and out of files. Everything passes through triplets, whatever
 * the file's storage: entries of several matrices are gathered with offsets, sorted by counting
 * (columns, then rows) and equal places are summed in the order they came. */
#ifndef SCREE_IO_PROBLEM_MATRIX_H
#define SCREE_IO_PROBLEM_MATRIX_H

#include "ccp/problem.h"

typedef struct triplets {
  scree_context *context;
  uint32_t *row, *column;
  double *value;
  size_t count;
} triplets;

scree_status triplets_reserve(triplets *t, size_t more);
/* After triplets_reserve. */
static inline void triplets_push(triplets *t, size_t row, size_t column, double value) {
  t->row[t->count] = (uint32_t)row;
  t->column[t->count] = (uint32_t)column;
  t->value[t->count++] = value;
}
void triplets_clear(triplets *t);
/* Compressed columns with ascending rows. `t` is left as it is. */
scree_status triplets_compress(const triplets *t, size_t rows, size_t columns, ccp_matrix *out);

/* A range of rows and columns. */
typedef struct matrix_window {
  size_t row_begin, row_end, column_begin, column_end;
} matrix_window;

/* The part of `from` whose places, taken through the maps (null: as they are), lie in the window.
 */
scree_status matrix_part(scree_context *context, const ccp_matrix *from, const uint32_t *row_map,
                         const uint32_t *column_map, matrix_window window, ccp_matrix *out);
scree_status matrix_transpose(scree_context *context, const ccp_matrix *from, ccp_matrix *out);
/* Do two matrices have the same pattern and the same bits? */
bool matrix_same(const ccp_matrix *a, const ccp_matrix *b);
void matrix_clear(scree_context *context, ccp_matrix *m);

static inline scree_csc matrix_csc(const ccp_matrix *m) {
  return (scree_csc){m->rows, m->columns, m->start, m->index, m->value};
}
static inline size_t matrix_entries(const ccp_matrix *m) {
  return m->start ? m->start[m->columns] : 0;
}

#endif
