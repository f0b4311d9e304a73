/* Dense kernels: factors are checked by multiplying back, at sizes on both sides of the switch to
 * LAPACK; singular and indefinite matrices are noticed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/dense.h"

static double uniform(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0 - 0.5;
}

static double *random_matrix(size_t n, unsigned seed) {
  double *a = malloc(n * n * sizeof *a);
  for (size_t i = 0; i < n * n; i++) a[i] = uniform(&seed);
  return a;
}

static const size_t sizes[] = {1, 2, 3, 6, 12, 24, 25, 40, 90};
enum { SIZE_COUNT = sizeof sizes / sizeof sizes[0] };

static void test_lu(void **state) {
  (void)state;
  for (size_t s = 0; s < SIZE_COUNT; s++) {
    const size_t n = sizes[s], columns = 3;
    double *a = random_matrix(n, 5), *lu = random_matrix(n, 5);
    double *x = malloc(n * columns * sizeof *x), *b = malloc(n * columns * sizeof *b);
    int *pivot = malloc(n * sizeof *pivot);
    unsigned seed = 9;
    for (size_t i = 0; i < n * columns; i++) x[i] = b[i] = uniform(&seed);
    assert_int_equal(dense_lu(n, lu, n, 1e-14, pivot), n);
    dense_lu_solve(n, lu, n, pivot, columns, x, n);
    for (size_t c = 0; c < columns; c++)
      for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < n; j++) sum += a[i + j * n] * x[j + c * n];
        assert_true(fabs(sum - b[i + c * n]) < 1e-11);
      }
    free(a);
    free(lu);
    free(x);
    free(b);
    free(pivot);
  }
}

static void test_lu_singular(void **state) {
  (void)state;
  for (size_t s = 1; s < SIZE_COUNT; s++) {
    const size_t n = sizes[s];
    double *a = random_matrix(n, 5);
    int *pivot = malloc(n * sizeof *pivot);
    for (size_t i = 0; i < n; i++) a[i + (n - 1) * n] = 3.0 * a[i];
    assert_true(dense_lu(n, a, n, 1e-14, pivot) < n);
    memset(a, 0, n * n * sizeof *a);
    assert_true(dense_lu(n, a, n, 1e-14, pivot) < n);
    free(a);
    free(pivot);
  }
}

static void test_cholesky(void **state) {
  (void)state;
  for (size_t s = 0; s < SIZE_COUNT; s++) {
    const size_t n = sizes[s];
    double *r = random_matrix(n, 5), *a = calloc(n * n, sizeof *a);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < n; k++) a[i + j * n] += r[i + k * n] * r[j + k * n];
    memcpy(r, a, n * n * sizeof *a);
    assert_int_equal(dense_cholesky(n, a, n), n);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++) {
        double sum = 0.0;
        for (size_t k = 0; k <= j; k++) sum += a[i + k * n] * a[j + k * n];
        assert_true(fabs(sum - r[i + j * n]) < 1e-12);
      }
    r[(n - 1) * (n + 1)] = -1.0;
    assert_true(dense_cholesky(n, r, n) < n);
    free(r);
    free(a);
  }
}

/* A V = V diag: multiplied back, with columns of V at right angles and of length 1. */
static void test_eigen(void **state) {
  (void)state;
  for (size_t s = 0; s < SIZE_COUNT; s++) {
    const size_t n = sizes[s];
    double *r = random_matrix(n, 7), *a = malloc(n * n * sizeof *a), *v = malloc(n * n * sizeof *v);
    for (size_t i = 0; i < n * n; i++) a[i] = r[i] + r[i % n * n + i / n];
    memcpy(r, a, n * n * sizeof *a);
    dense_eigen(n, a, 1e-32, v);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        double product = 0.0, right = 0.0;
        for (size_t k = 0; k < n; k++) {
          product += r[i * n + k] * v[k * n + j];
          right += v[k * n + i] * v[k * n + j];
        }
        assert_true(fabs(product - a[j * (n + 1)] * v[i * n + j]) < 1e-13 * (double)n);
        assert_true(fabs(right - (i == j)) < 1e-13 * (double)n);
      }
    free(r);
    free(a);
    free(v);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lu),
      cmocka_unit_test(test_lu_singular),
      cmocka_unit_test(test_cholesky),
      cmocka_unit_test(test_eigen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
