/* What linear solvers share: the list, and products with the matrix. */
#include "step/smooth/linear.h"

#include <math.h>
#include <string.h>

#include "base/search.h"
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
  const size_t count = m->start[i + 1] - m->start[i];
  const uint32_t *row = m->neighbour + m->start[i];
  const size_t at = search_u32(row, count, j);
  return at < count && row[at] == j ? m->value + m->offset[m->start[i] + at] : NULL;
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

void kkt_factor_block(size_t n, size_t stride, double *a) {
  double most = 0.0, sign[KKT_MOST_ROWS];
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i * stride + i]));
  if (!(most > 0.0)) most = 1.0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++) {
      double sum = a[i * stride + j];
      for (size_t k = 0; k < j; k++) sum -= sign[k] * a[i * stride + k] * a[j * stride + k];
      if (i == j) {
        const bool none = !(fabs(sum) > 1e-10 * most);
        sign[j] = sum < 0.0 && !none ? -1.0 : 1.0;
        a[i * stride + i] = sqrt(none ? most : fabs(sum));
      } else {
        a[i * stride + j] = sign[j] * sum / a[j * stride + j];
      }
    }
}

void kkt_solve_block(size_t n, size_t stride, const double *l, double *x) {
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) x[i] -= l[i * stride + k] * x[k];
    x[i] /= l[i * stride + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) x[i] -= l[k * stride + i] * x[k];
    x[i] /= l[i * stride + i];
  }
}

void kkt_body_factor(const kkt_matrix *m, uint32_t body, size_t stride, double *l) {
  const double *own = kkt_block(m, body, body);
  for (size_t r = 0; r < 36; r++)
    l[r / 6 * stride + r % 6] = 0.5 * (own[r] + own[r % 6 * 6 + r / 6]);
  kkt_factor_block(6, stride, l);
}

void kkt_joint_norm(const kkt_matrix *m, uint32_t node, double *block) {
  const size_t n = m->rows[node];
  double own[KKT_MOST_ROWS * KKT_MOST_ROWS] = {0.0};
  for (size_t k = m->start[node]; k < m->start[node + 1]; k++) {
    const uint32_t body = m->neighbour[k];
    if (body >= m->bodies) continue;
    const double *c = m->value + m->offset[k];
    double l[36];
    kkt_body_factor(m, body, 6, l);
    for (size_t r = 0; r < n; r++) {
      double x[6];
      memcpy(x, c + 6 * r, sizeof x);
      kkt_solve_block(6, 6, l, x);
      for (size_t q = 0; q < n; q++)
        for (size_t i = 0; i < 6; i++) own[q * n + r] += c[6 * q + i] * x[i];
    }
  }
  for (size_t r = 0; r < n; r++)
    for (size_t q = 0; q < n; q++) block[r * n + q] = 0.5 * (own[r * n + q] + own[q * n + r]);
  for (size_t r = 0; r < n; r++) {
    double *diagonal = &block[r * n + r];
    *diagonal = *diagonal > 0.0 ? (1.0 + 1e-6) * *diagonal : 1.0;
  }
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* sum -= block x, with the largest of all terms of each row; inlined for the usual numbers of
 * columns, so that the loop over them is none. */
static inline void take_block(const double *restrict block, const double *restrict x, uint32_t rows,
                              uint32_t columns, double *restrict sum, double *restrict most) {
  for (uint32_t r = 0; r < rows; r++, block += columns) {
    double left = sum[r], largest = most[r];
    for (uint32_t n = 0; n < columns; n++) {
      const double term = block[n] * x[n];
      left -= term;
      largest = larger(largest, fabs(term));
    }
    sum[r] = left;
    most[r] = largest;
  }
}

double kkt_residual(const kkt_matrix *m, const double *b, const double *x, double *rest) {
  double scale[2] = {0.0, 0.0}, part[2] = {0.0, 0.0};
  for (uint32_t i = 0; i < m->nodes; i++) {
    const bool of_joint = i >= m->bodies;
    const uint32_t rows = m->rows[i];
    double *restrict sum = rest + m->first[i], most[KKT_MOST_ROWS];
    for (uint32_t r = 0; r < rows; r++) {
      sum[r] = b[m->first[i] + r];
      most[r] = fabs(sum[r]);
    }
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++) {
      const uint32_t j = m->neighbour[k], columns = m->rows[j];
      const double *block = m->value + m->offset[k], *from = x + m->first[j];
      if (columns == 6)
        take_block(block, from, rows, 6, sum, most);
      else if (columns == 5)
        take_block(block, from, rows, 5, sum, most);
      else if (columns == 3)
        take_block(block, from, rows, 3, sum, most);
      else
        take_block(block, from, rows, columns, sum, most);
    }
    for (uint32_t r = 0; r < rows; r++) {
      scale[of_joint] = larger(scale[of_joint], most[r]);
      if (!(fabs(sum[r]) <= part[of_joint])) part[of_joint] = fabs(sum[r]);
    }
  }
  return larger(part[0] / larger(scale[0], 1e-300), part[1] / larger(scale[1], 1e-300));
}
