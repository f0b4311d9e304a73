/* What linear solvers share: the list, and products with the matrix. */
#include "step/smooth/linear.h"

#include <string.h>

#include "scree/stepper.h"
#include "step/smooth/linear_list.h"

#define LINEAR_DECLARE(symbol) extern const linear_class symbol;
LINEAR_LIST(LINEAR_DECLARE)
#undef LINEAR_DECLARE

#define LINEAR_ADDRESS(symbol) &symbol,
static const linear_class *const classes[] = {LINEAR_LIST(LINEAR_ADDRESS)};
#undef LINEAR_ADDRESS

size_t linear_count(void) {
  return sizeof classes / sizeof *classes;
}

const linear_class *linear_at(size_t i) {
  return classes[i];
}

size_t scree_linear_solver_count(void) {
  return linear_count();
}

const char *scree_linear_solver_name(size_t i) {
  return i < linear_count() ? classes[i]->name : NULL;
}

const char *scree_linear_solver_summary(size_t i) {
  return i < linear_count() ? classes[i]->summary : NULL;
}

scree_status linear_create(scree_context *context, size_t i, linear_solver *out) {
  *out = (linear_solver){.context = context, .class = classes[i]};
  return out->class->create(context, &out->self);
}

void linear_destroy(linear_solver *linear) {
  if (linear->class && linear->self) linear->class->destroy(linear->self);
  memset(linear, 0, sizeof *linear);
}

double *kkt_block(const kkt_matrix *m, uint32_t i, uint32_t j) {
  size_t low = m->start[i], high = m->start[i + 1];
  while (low < high) {
    const size_t mid = (low + high) / 2;
    if (m->neighbour[mid] < j)
      low = mid + 1;
    else
      high = mid;
  }
  return low < m->start[i + 1] && m->neighbour[low] == j ? m->value + m->offset[low] : NULL;
}

void kkt_multiply(const kkt_matrix *m, const double *x, double *y) {
  for (uint32_t i = 0; i < m->nodes; i++) {
    const uint32_t rows = m->rows[i];
    double *to = y + m->first[i];
    for (uint32_t r = 0; r < rows; r++) to[r] = 0.0;
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++) {
      const uint32_t j = m->neighbour[k], columns = m->rows[j];
      const double *block = m->value + m->offset[k], *from = x + m->first[j];
      for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < columns; c++) to[r] += block[r * columns + c] * from[c];
    }
  }
}

void kkt_multiply_symmetric(const kkt_matrix *m, const double *x, double *y) {
  memset(y, 0, m->size * sizeof *y);
  for (uint32_t i = 0; i < m->nodes; i++)
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++) {
      const uint32_t j = m->neighbour[k], columns = m->rows[j];
      const double *block = m->value + m->offset[k];
      for (uint32_t r = 0; r < m->rows[i]; r++)
        for (uint32_t c = 0; c < columns; c++) {
          const double half = 0.5 * block[r * columns + c];
          y[m->first[i] + r] += half * x[m->first[j] + c];
          y[m->first[j] + c] += half * x[m->first[i] + r];
        }
    }
}
