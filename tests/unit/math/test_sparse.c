/* The multifrontal solver against the matrix itself: A x = b multiplied back, on random graphs with
 * blocks of mixed sizes, grids and the empty, dense and diagonal patterns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/sparse.h"

static double uniform(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0 - 0.5;
}

typedef struct matrix {
  sparse_blocks a;
  uint32_t *row_start, *column;
  size_t *start, *offset;
  double *value;
} matrix;

/* Links (i, j) where linked(n, i, j); values random, symmetric or not, dominant by `shift`. */
static matrix make(size_t n, const uint32_t *dim, bool (*linked)(size_t, size_t, size_t),
                   bool symmetric, double shift) {
  matrix m = {.row_start = calloc(n + 1, sizeof(uint32_t)),
              .column = calloc(n * n + 1, sizeof(uint32_t)),
              .start = calloc(n + 1, sizeof(size_t)),
              .offset = calloc(n * n + 2, sizeof(size_t))};
  size_t blocks = 0;
  for (size_t i = 0; i < n; i++) {
    m.row_start[i + 1] = m.row_start[i] + dim[i];
    for (size_t j = 0; j < n; j++)
      if (i == j || linked(n, i < j ? i : j, i < j ? j : i)) {
        m.column[blocks] = (uint32_t)j;
        m.offset[blocks + 1] = m.offset[blocks] + dim[i] * dim[j];
        blocks++;
      }
    m.start[i + 1] = blocks;
  }
  m.value = calloc(m.offset[blocks] + 1, sizeof(double));
  for (size_t i = 0; i < n; i++)
    for (size_t k = m.start[i]; k < m.start[i + 1]; k++) {
      const size_t j = m.column[k];
      for (size_t a = 0; a < dim[i]; a++)
        for (size_t b = 0; b < dim[j]; b++) {
          size_t r = m.row_start[i] + a, c = m.row_start[j] + b;
          if (symmetric && r > c) {
            const size_t t = r;
            r = c;
            c = t;
          }
          unsigned seed = (unsigned)(r * 7919 + c * 104729 + 1);
          uniform(&seed);
          m.value[m.offset[k] + a * dim[j] + b] = uniform(&seed) + (r == c ? shift : 0.0);
        }
    }
  m.a = (sparse_blocks){n, m.row_start, m.start, m.column, m.offset, m.value};
  return m;
}

static void release(matrix *m) {
  free(m->row_start);
  free(m->column);
  free(m->start);
  free(m->offset);
  free(m->value);
}

static void product(const sparse_blocks *a, const double *x, double *y) {
  for (size_t i = 0; i < a->count; i++) {
    const size_t rows = a->row_start[i + 1] - a->row_start[i];
    for (size_t r = 0; r < rows; r++) {
      double sum = 0.0;
      for (size_t k = a->start[i]; k < a->start[i + 1]; k++) {
        const size_t j = a->column[k], columns = a->row_start[j + 1] - a->row_start[j];
        for (size_t c = 0; c < columns; c++)
          sum += a->value[a->offset[k] + r * columns + c] * x[a->row_start[j] + c];
      }
      y[a->row_start[i] + r] = sum;
    }
  }
}

static bool random_link(size_t n, size_t i, size_t j) {
  unsigned seed = (unsigned)(i * 31 + j * 101 + 7);
  uniform(&seed);
  return (uniform(&seed) + 0.5) * (double)n < 4.0;
}

static bool grid_link(size_t n, size_t i, size_t j) {
  size_t side = 1;
  while (side * side < n) side++;
  return j == i + side || (j == i + 1 && j % side != 0);
}

static bool no_link(size_t n, size_t i, size_t j) {
  (void)n, (void)i, (void)j;
  return false;
}

static bool all_linked(size_t n, size_t i, size_t j) {
  (void)n, (void)i, (void)j;
  return true;
}

static bool star_link(size_t n, size_t i, size_t j) {
  (void)n, (void)j;
  return i == 0;
}

/* Against elimination of the whole matrix; without a dominant diagonal, so that both signs occur.
 */
static int sign_of(const sparse_blocks *a, size_t rows) {
  double *d = calloc(rows * rows, sizeof *d);
  int sign = 1;
  for (size_t i = 0; i < a->count; i++)
    for (size_t k = a->start[i]; k < a->start[i + 1]; k++) {
      const size_t j = a->column[k], columns = a->row_start[j + 1] - a->row_start[j];
      for (size_t e = a->offset[k]; e < a->offset[k + 1]; e++) {
        const size_t r = (e - a->offset[k]) / columns, c = (e - a->offset[k]) % columns;
        d[(a->row_start[i] + r) * rows + a->row_start[j] + c] = a->value[e];
      }
    }
  for (size_t p = 0; p < rows; p++) {
    size_t best = p;
    for (size_t r = p; r < rows; r++)
      if (fabs(d[r * rows + p]) > fabs(d[best * rows + p])) best = r;
    if (best != p) sign = -sign;
    if (d[best * rows + p] < 0.0) sign = -sign;
    for (size_t c = 0; c < rows; c++) {
      const double x = d[best * rows + c];
      d[best * rows + c] = d[p * rows + c];
      d[p * rows + c] = x;
    }
    for (size_t r = p + 1; r < rows; r++) {
      const double l = d[r * rows + p] / d[p * rows + p];
      for (size_t c = p; c < rows; c++) d[r * rows + c] -= l * d[p * rows + c];
    }
  }
  free(d);
  return sign;
}

static void test_sign(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  int negative = 0, count = 0;
  for (size_t n = 2; n < 40; n += 3) {
    uint32_t dim[40];
    size_t rows = 0;
    for (size_t i = 0; i < n; i++) rows += dim[i] = (uint32_t)(1 + (i * 5 + n) % 3);
    matrix m = make(n, dim, n % 2 ? random_link : grid_link, false, 0.3);
    sparse_factor *f = NULL;
    assert_int_equal(sparse_create(context, &f), SCREE_OK);
    assert_int_equal(sparse_analyse(f, &m.a), SCREE_OK);
    assert_true(sparse_factorise(f, &m.a, SPARSE_LU));
    assert_int_equal(sparse_sign(f), sign_of(&m.a, rows));
    negative += sparse_sign(f) < 0;
    count++;
    sparse_destroy(f);
    release(&m);
  }
  assert_true(negative > 0 && negative < count);
  scree_context_destroy(context);
}

/* Columns side by side: multiples of one, and one that is zero but for its last entry. */
static void expect_columns(sparse_factor *f, size_t rows, const double *b, const double *x) {
  enum { COLUMNS = 11 };
  double *many = calloc(COLUMNS * rows + 1, sizeof *many), *one = calloc(rows + 1, sizeof *one);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j + 1 < COLUMNS; j++) many[COLUMNS * i + j] = (double)j * b[i];
  if (rows) many[COLUMNS * rows - 1] = one[rows - 1] = 1.0;
  sparse_solve_many(f, COLUMNS, many);
  sparse_solve(f, one);
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j + 1 < COLUMNS; j++)
      assert_true(fabs(many[COLUMNS * i + j] - (double)j * x[i]) < 1e-11);
    assert_true(fabs(many[COLUMNS * i + COLUMNS - 1] - one[i]) < 1e-12);
  }
  free(many);
  free(one);
}

/* Every third node's diagonal becomes negative; returns how many rows that are. */
static size_t turn_signs(matrix *m, const uint32_t *dim, double shift) {
  size_t below = 0;
  for (size_t i = 1; i < m->a.count; i += 3)
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++)
      for (size_t r = 0; m->column[k] == i && r < dim[i]; r++, below++)
        m->value[m->offset[k] + r * (dim[i] + 1)] -= 2.0 * shift;
  return below;
}

static void expect_solution(size_t n, bool (*linked)(size_t, size_t, size_t), sparse_kind kind) {
  scree_context *context = scree_context_create(NULL);
  uint32_t *dim = calloc(n + 1, sizeof *dim);
  size_t rows = 0;
  for (size_t i = 0; i < n; i++) {
    dim[i] = (uint32_t)(1 + (i * 5 + 2) % 6);
    rows += dim[i];
  }
  const bool symmetric = kind != SPARSE_LU;
  const double shift = linked == all_linked ? 0.6 * (double)rows : 30.0;
  matrix m = make(n, dim, linked, symmetric, shift);
  const size_t below = kind == SPARSE_SIGNED ? turn_signs(&m, dim, shift) : 0;
  double *x = calloc(rows + 1, sizeof *x), *b = calloc(rows + 1, sizeof *b),
         *y = calloc(rows + 1, sizeof *y);
  unsigned seed = 11;
  for (size_t i = 0; i < rows; i++) x[i] = b[i] = uniform(&seed);
  sparse_factor *f = NULL;
  assert_int_equal(sparse_create(context, &f), SCREE_OK);
  assert_int_equal(sparse_analyse(f, &m.a), SCREE_OK);
  for (int again = 0; again < 2; again++) {
    memcpy(x, b, rows * sizeof *x);
    assert_true(sparse_factorise(f, &m.a, kind));
    sparse_solve(f, x);
    product(&m.a, x, y);
    for (size_t i = 0; i < rows; i++) assert_true(fabs(y[i] - b[i]) < 1e-11);
    if (kind == SPARSE_CHOLESKY) expect_columns(f, rows, b, x);
    if (kind == SPARSE_SIGNED) assert_int_equal(sparse_sign(f), below % 2 ? -1 : 1);
    if (below) assert_false(sparse_factorise(f, &m.a, SPARSE_CHOLESKY));
  }
  sparse_destroy(f);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
  release(&m);
  free(x);
  free(y);
  free(b);
  free(dim);
}

static void test_solves(void **state) {
  (void)state;
  bool (*const patterns[])(size_t, size_t, size_t) = {random_link, grid_link, no_link, all_linked,
                                                      star_link};
  static const size_t sizes[] = {0, 1, 2, 7, 30, 100, 225};
  for (size_t p = 0; p < 5; p++)
    for (size_t s = 0; s < 7; s++)
      for (int kind = 0; kind < 3; kind++) {
        if (patterns[p] == all_linked && sizes[s] > 30) continue;
        expect_solution(sizes[s], patterns[p], (sparse_kind)kind);
      }
}

/* A minimum degree order of a grid keeps the fill far below that of a band. */
static void test_fill(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  enum { SIDE = 40, N = SIDE * SIDE };
  uint32_t *dim = malloc(N * sizeof *dim);
  for (size_t i = 0; i < N; i++) dim[i] = 1;
  matrix m = make(N, dim, grid_link, true, 30.0);
  sparse_factor *f = NULL;
  assert_int_equal(sparse_create(context, &f), SCREE_OK);
  assert_int_equal(sparse_analyse(f, &m.a), SCREE_OK);
  assert_true(sparse_fill(f) < 0.6 * N * SIDE);
  sparse_destroy(f);
  scree_context_destroy(context);
  release(&m);
  free(dim);
}

static void test_failures(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  uint32_t dim[20];
  for (size_t i = 0; i < 20; i++) dim[i] = 3;
  matrix m = make(20, dim, random_link, true, 30.0);
  sparse_factor *f = NULL;
  assert_int_equal(sparse_create(context, &f), SCREE_OK);
  assert_int_equal(sparse_analyse(f, &m.a), SCREE_OK);
  size_t k = m.start[9];
  while (m.column[k] != 9) k++;
  m.value[m.offset[k] + 4] = -30.0;
  assert_false(sparse_factorise(f, &m.a, SPARSE_CHOLESKY));
  assert_true(sparse_factorise(f, &m.a, SPARSE_LU));
  memset(m.value, 0, m.offset[m.start[20]] * sizeof *m.value);
  assert_false(sparse_factorise(f, &m.a, SPARSE_LU));
  k = m.start[1];
  while (m.column[k] != 1) k++;
  m.column[k] = 19;
  m.a.start = m.start;
  assert_int_equal(sparse_analyse(f, &m.a), SCREE_ERROR_INTERNAL);
  sparse_destroy(f);
  release(&m);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sign),
      cmocka_unit_test(test_solves),
      cmocka_unit_test(test_fill),
      cmocka_unit_test(test_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
