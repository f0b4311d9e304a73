/* N and r of any problem as plain numbers, for those who write a solver of their own. */
#include <string.h>

#include "base/argument.h"
#include "base/memory.h"
#include "ccp/forms/matrices.h"

/* Blocks by rows become single entries by columns. Block rows are walked in order, so rows ascend
 * within a column; next[c] is where the next entry of column c goes. */
static void spread(const sparse_blocks *n, size_t *next, uint32_t *index, double *value) {
  for (size_t i = 0; i < n->count; i++) {
    const uint32_t first = n->row_start[i], rows = n->row_start[i + 1] - first;
    for (uint32_t l = 0; l < rows; l++)
      for (size_t k = n->start[i]; k < n->start[i + 1]; k++) {
        const uint32_t column = n->row_start[n->column[k]],
                       columns = n->row_start[n->column[k] + 1] - column;
        const double *a = n->value + n->offset[k] + l * columns;
        for (uint32_t c = 0; c < columns; c++) {
          const size_t at = next[column + c]++;
          index[at] = first + l;
          value[at] = a[c];
        }
      }
  }
}

static void count_entries(const sparse_blocks *n, size_t rows, size_t *start) {
  memset(start, 0, (rows + 1) * sizeof *start);
  for (size_t i = 0; i < n->count; i++)
    for (size_t k = n->start[i]; k < n->start[i + 1]; k++)
      for (uint32_t c = n->row_start[n->column[k]]; c < n->row_start[n->column[k] + 1]; c++)
        start[c + 1] += n->row_start[i + 1] - n->row_start[i];
  for (size_t c = 0; c < rows; c++) start[c + 1] += start[c];
}

scree_status scree_ccp_get_delassus(scree_context *context, const scree_ccp *problem,
                                    size_t capacity, size_t *start, uint32_t *index, double *value,
                                    double *r) {
  ARGUMENT_CHECK(context, context && problem && start);
  ccp_operator *op = NULL;
  formed_matrix n = {0};
  scree_status status = op_create(context, problem, &op);
  if (!status) status = form_delassus(op, &n);
  if (!status) {
    const size_t rows = op->row_count;
    count_entries(&n.blocks, rows, start);
    if (r && rows) memcpy(r, op->r, rows * sizeof *r);
    if (capacity >= start[rows] && index && value) {
      size_t *next = memory_new(context, rows + 1, sizeof *next);
      if (next) {
        memcpy(next, start, (rows + 1) * sizeof *next);
        spread(&n.blocks, next, index, value);
      } else {
        status = SCREE_ERROR_MEMORY;
      }
      memory_free(context, next);
    }
  }
  formed_matrix_clear(context, &n);
  op_destroy(op);
  return status;
}
