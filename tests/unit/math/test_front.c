/* Dense fronts of every size class (one panel, several): A11 x = b is solved, and the Schur
 * complement is A22 - A21 A11^-1 A12, with A11 far from diagonally dominant so that rows must be
 * exchanged. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/front.h"

static uint64_t seed = 1;

static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0 - 0.5;
}

/* The pieces of a whole front. */
static front split(const double *a, size_t n, size_t k) {
  const size_t b = n - k;
  front f = {.n = n,
             .k = k,
             .u = calloc(k * n + 1, sizeof *f.u),
             .l = calloc(b * k + 1, sizeof *f.l),
             .s = calloc(b * b + 1, sizeof *f.s)};
  memcpy(f.u, a, k * n * sizeof *a);
  for (size_t i = 0; i < b; i++) {
    memcpy(f.l + i * k, a + (k + i) * n, k * sizeof *a);
    memcpy(f.s + i * b, a + (k + i) * n + k, b * sizeof *a);
  }
  return f;
}

static void release(front *f) {
  free(f->u);
  free(f->l);
  free(f->s);
}

/* Pivots of both signs, without exchanges, against LU: the Schur complement, and both solves. */
static void check_signs(size_t n, size_t k) {
  double *a = calloc(n * n, sizeof *a), *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
  uint32_t *swap = calloc(k + 1, sizeof *swap), *negative = calloc(k + 1, sizeof *negative);
  const size_t b = n - k;
  size_t below = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = uniform();
  for (size_t i = 0; i < n; i++) a[i * n + i] = (i % 3 == 1 ? -1.0 : 1.0) * (double)n;
  front whole = split(a, n, k), half = split(a, n, k);
  half.negative = negative;
  assert_int_equal(front_lu(&whole, 1e-14, swap), 0);
  assert_true(front_cholesky(&half));
  for (size_t i = 0; i < k; i++) below += negative[i];
  assert_int_equal(below, (k + 1) / 3);
  for (size_t i = 0; i < b; i++)
    for (size_t j = i; j < b; j++)
      assert_true(fabs(half.s[i * b + j] - whole.s[i * b + j]) < 1e-12 * (double)n);
  for (size_t i = 0; i < n; i++) x[i] = y[i] = uniform();
  front_lu_forward(&whole, swap, x);
  front_cholesky_forward(&half, y);
  for (size_t i = k; i < n; i++) assert_true(fabs(x[i] - y[i]) < 1e-12);
  front_backward(&whole, x);
  front_backward(&half, y);
  for (size_t i = 0; i < k; i++) assert_true(fabs(x[i] - y[i]) < 1e-12);
  half.negative = NULL;
  memcpy(half.u, a, k * n * sizeof *a);
  assert_int_equal(front_cholesky(&half), below == 0);
  release(&whole);
  release(&half);
  free(a), free(x), free(y), free(swap), free(negative);
}

static void check(size_t n, size_t k) {
  double *a = calloc(n * n, sizeof *a);
  double *pivots = calloc(k * k, sizeof *pivots), *x = calloc(n, sizeof *x);
  uint32_t *swap = calloc(k, sizeof *swap);
  for (size_t i = 0; i < n * n; i++) a[i] = uniform();
  for (size_t i = 0; i < k; i++) memcpy(pivots + i * k, a + i * n, k * sizeof *a);
  front whole = split(a, n, k);
  assert_int_equal(front_lu(&whole, 1e-14, swap), 0);
  for (size_t c = k; c < n; c++) { /* column c of the Schur complement, through A11 of the front */
    for (size_t i = 0; i < k; i++) x[i] = a[i * n + c];
    uint32_t *order = calloc(k, sizeof *order);
    front own = split(pivots, k, k);
    front_lu(&own, 1e-14, order);
    front_lu_forward(&own, order, x);
    front_backward(&own, x);
    for (size_t i = 0; i < k; i++) { /* A11 x = A12 */
      double sum = -a[i * n + c];
      for (size_t j = 0; j < k; j++) sum += a[i * n + j] * x[j];
      assert_true(fabs(sum) < 1e-9);
    }
    for (size_t i = k; i < n; i++) {
      double sum = a[i * n + c];
      for (size_t j = 0; j < k; j++) sum -= a[i * n + j] * x[j];
      assert_true(fabs(sum - whole.s[(i - k) * (n - k) + c - k]) < 1e-8 * (1.0 + fabs(sum)));
    }
    release(&own);
    free(order);
  }
  free(a);
  release(&whole);
  free(pivots);
  free(x);
  free(swap);
}

static void test_sizes(void **state) {
  (void)state;
  const size_t pivots[] = {1, 2, 8, 31, 63, 64, 65, 96, 150};
  for (size_t p = 0; p < sizeof pivots / sizeof pivots[0]; p++) {
    check(pivots[p] + 1, pivots[p]);
    check(pivots[p] + 3, pivots[p]);
    check(pivots[p] + 45, pivots[p]);
  }
}

/* U'U of the pivots and the upper triangle of the Schur complement, and both solves: the whole of a
 * positive definite matrix is made of a random one times its transpose. */
static void check_cholesky(size_t n, size_t k) {
  double *r = calloc(n * n, sizeof *r), *a = calloc(n * n, sizeof *a), *x = calloc(n, sizeof *x),
         *y = calloc(n, sizeof *y);
  for (size_t i = 0; i < n * n; i++) r[i] = uniform();
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t l = 0; l < n; l++)
        a[i * n + j] += r[i * n + l] * r[j * n + l] + (i == j && i == l ? 1.0 : 0.0);
  front f = split(a, n, k);
  assert_true(front_cholesky(&f));
  for (size_t i = 0; i < n; i++)
    for (size_t j = i; j < n; j++) {
      double sum = i >= k ? f.s[(i - k) * (n - k) + j - k] : 0.0;
      for (size_t l = 0; l < k && l <= i; l++) sum += f.u[l * n + i] * f.u[l * n + j];
      assert_true(fabs(sum - a[i * n + j]) < 1e-10 * (double)n);
    }
  for (size_t i = 0; i < n; i++) x[i] = y[i] = uniform();
  front_cholesky_forward(&f, y);
  for (size_t i = 0; i < n; i++) {
    double sum = i >= k ? y[i] : 0.0;
    for (size_t l = 0; l < k && l <= i; l++) sum += f.u[l * n + i] * y[l];
    assert_true(fabs(sum - x[i]) < 1e-10 * (double)n);
  }
  front_backward(&f, x);
  f.u[0] = -1.0;
  assert_false(front_cholesky(&f));
  release(&f);
  free(r);
  free(a);
  free(x);
  free(y);
}

static void test_cholesky(void **state) {
  (void)state;
  const size_t pivots[] = {1, 2, 5, 23, 24, 25, 47, 48, 90, 128, 145, 270};
  for (size_t p = 0; p < sizeof pivots / sizeof pivots[0]; p++) {
    check_cholesky(pivots[p], pivots[p]);
    check_signs(pivots[p], pivots[p]);
    check_signs(pivots[p] + 70, pivots[p]);
    check_cholesky(pivots[p] + 1, pivots[p]);
    check_cholesky(pivots[p] + 50, pivots[p]);
  }
}

/* A singular pivot block is met with replaced pivots, never with a division by zero. */
static void test_singular(void **state) {
  (void)state;
  enum { K = 80 };
  double *a = calloc(K * K, sizeof *a);
  uint32_t swap[K];
  for (size_t i = 0; i < K; i++)
    for (size_t j = 0; j < K; j++) a[i * K + j] = i < 2 || j < 2 ? 1.0 : uniform();
  front f = {.n = K, .k = K, .u = a};
  assert_true(front_lu(&f, 1e-14, swap) > 0);
  for (size_t i = 0; i < (size_t)K * K; i++) assert_true(isfinite(a[i]));
  free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_cholesky),
                                     cmocka_unit_test(test_singular)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
