/* Sparse block LU against dense elimination with full pivoting, on random patterns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/block_lu.h"
#include "math/ordering.h"

static uint64_t seed;

static double uniform(void) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(seed >> 11) * 0x1p-53;
}

typedef struct matrix {
  size_t n, rows;
  uint32_t *size, *first;
  size_t *start, *offset;
  uint32_t *neighbour;
  double *value, *dense;
} matrix;

/* A ring with random chords; sizes 1 to 3; diagonally dominant enough to be regular. */
static matrix make(size_t n, double chords) {
  matrix m = {.n = n};
  uint8_t *joined = calloc(n * n, 1);
  m.size = calloc(n, sizeof *m.size);
  m.first = calloc(n + 1, sizeof *m.first);
  for (size_t i = 0; i < n; i++) {
    m.size[i] = 1 + (uint32_t)(3.0 * uniform());
    m.first[i + 1] = m.first[i] + m.size[i];
    joined[i * n + i] = 1;
    const size_t next = (i + 1) % n;
    joined[i * n + next] = joined[next * n + i] = 1;
  }
  for (size_t k = 0; k < (size_t)(chords * (double)n); k++) {
    const size_t i = (size_t)(uniform() * (double)n), j = (size_t)(uniform() * (double)n);
    joined[i * n + j] = joined[j * n + i] = 1;
  }
  m.rows = m.first[n];
  m.start = calloc(n + 1, sizeof *m.start);
  m.neighbour = calloc(n * n, sizeof *m.neighbour);
  m.offset = calloc(n * n, sizeof *m.offset);
  m.value = calloc(m.rows * m.rows, sizeof *m.value);
  m.dense = calloc(m.rows * m.rows, sizeof *m.dense);
  size_t entries = 0, values = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      if (!joined[i * n + j]) continue;
      m.neighbour[entries] = (uint32_t)j;
      m.offset[entries++] = values;
      for (size_t r = 0; r < m.size[i]; r++)
        for (size_t c = 0; c < m.size[j]; c++) {
          double x = uniform() - 0.5;
          if (i == j && r == c) x += 3.0;
          m.value[values++] = x;
          m.dense[(m.first[i] + r) * m.rows + m.first[j] + c] = x;
        }
    }
    m.start[i + 1] = entries;
  }
  free(joined);
  return m;
}

static void clear(matrix *m) {
  free(m->size);
  free(m->first);
  free(m->start);
  free(m->offset);
  free(m->neighbour);
  free(m->value);
  free(m->dense);
}

static void check(scree_context *context, block_lu *lu, size_t n, double chords) {
  matrix m = make(n, chords);
  size_t replaced = 0;
  assert_int_equal(block_lu_analyse(lu, n, m.size, m.start, m.neighbour), SCREE_OK);
  assert_int_equal(block_lu_factor(lu, m.offset, m.value, &replaced), SCREE_OK);
  assert_int_equal(replaced, 0);
  double *x = calloc(m.rows, sizeof *x), *y = calloc(m.rows, sizeof *y);
  for (size_t i = 0; i < m.rows; i++) x[i] = uniform() - 0.5;
  for (size_t i = 0; i < m.rows; i++)
    for (size_t j = 0; j < m.rows; j++) y[i] += m.dense[i * m.rows + j] * x[j];
  block_lu_solve(lu, y);
  for (size_t i = 0; i < m.rows; i++) assert_true(fabs(x[i] - y[i]) < 1e-9);
  free(x);
  free(y);
  clear(&m);
  (void)context;
}

static void test_random(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  block_lu *lu = NULL;
  assert_int_equal(block_lu_create(context, &lu), SCREE_OK);
  for (size_t trial = 0; trial < 60; trial++) {
    seed = trial + 1;
    check(context, lu, 1 + trial * 3, 0.0);
    check(context, lu, 1 + trial * 3, 1.0);
    check(context, lu, 1 + trial, 8.0);
  }
  block_lu_destroy(lu);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* A three-dimensional grid: the order must fill far less than the natural one. */
static void test_fill(void **state) {
  (void)state;
  enum { E = 9, N = E * E * E };
  scree_context *context = scree_context_create(NULL);
  uint32_t *size = calloc(N, sizeof *size), *neighbour = calloc(7 * N, sizeof *neighbour);
  size_t *start = calloc(N + 1, sizeof *start), count = 0;
  for (int i = 0; i < N; i++) {
    const int x = i % E, y = i / E % E, z = i / (E * E);
    size[i] = 3;
    if (z > 0) neighbour[count++] = (uint32_t)(i - E * E);
    if (y > 0) neighbour[count++] = (uint32_t)(i - E);
    if (x > 0) neighbour[count++] = (uint32_t)(i - 1);
    neighbour[count++] = (uint32_t)i;
    if (x < E - 1) neighbour[count++] = (uint32_t)(i + 1);
    if (y < E - 1) neighbour[count++] = (uint32_t)(i + E);
    if (z < E - 1) neighbour[count++] = (uint32_t)(i + E * E);
    start[i + 1] = count;
  }
  block_lu *lu = NULL;
  assert_int_equal(block_lu_create(context, &lu), SCREE_OK);
  assert_int_equal(block_lu_analyse(lu, N, size, start, neighbour), SCREE_OK);
  /* Natural order: a band of E * E nodes, 2 * 9 * N * E * E entries. */
  assert_true(block_lu_entries(lu) < (size_t)(2 * 9 * N) * E * E / 2);
  block_lu_destroy(lu);
  free(size);
  free(neighbour);
  free(start);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_fill)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
