/* Dense fronts of every size class (plain loops, panels): A11 x = b is solved, and the Schur
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

static void check(size_t n, size_t k) {
  double *a = calloc(n * n, sizeof *a), *front = calloc(n * n, sizeof *front);
  double *pivots = calloc(k * k, sizeof *pivots), *x = calloc(n, sizeof *x);
  uint32_t *swap = calloc(k, sizeof *swap);
  for (size_t i = 0; i < n * n; i++) a[i] = uniform();
  memcpy(front, a, n * n * sizeof *a);
  for (size_t i = 0; i < k; i++) memcpy(pivots + i * k, a + i * n, k * sizeof *a);
  assert_int_equal(front_eliminate(front, n, k, swap), 0);
  for (size_t c = k; c < n; c++) { /* column c of the Schur complement, through A11 of the front */
    for (size_t i = 0; i < k; i++) x[i] = a[i * n + c];
    double *own = calloc(k * k, sizeof *own);
    uint32_t *order = calloc(k, sizeof *order);
    memcpy(own, pivots, k * k * sizeof *own);
    front_eliminate(own, k, k, order);
    front_forward(own, k, k, order, x);
    front_backward(own, k, k, x);
    for (size_t i = 0; i < k; i++) { /* A11 x = A12 */
      double sum = -a[i * n + c];
      for (size_t j = 0; j < k; j++) sum += a[i * n + j] * x[j];
      assert_true(fabs(sum) < 1e-9);
    }
    for (size_t i = k; i < n; i++) {
      double sum = a[i * n + c];
      for (size_t j = 0; j < k; j++) sum -= a[i * n + j] * x[j];
      assert_true(fabs(sum - front[i * n + c]) < 1e-8 * (1.0 + fabs(sum)));
    }
    free(own);
    free(order);
  }
  free(a);
  free(front);
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

/* A singular pivot block is met with replaced pivots, never with a division by zero. */
static void test_singular(void **state) {
  (void)state;
  enum { K = 80 };
  double *a = calloc(K * K, sizeof *a);
  uint32_t swap[K];
  for (size_t i = 0; i < K; i++)
    for (size_t j = 0; j < K; j++) a[i * K + j] = i < 2 || j < 2 ? 1.0 : uniform();
  assert_true(front_eliminate(a, K, K, swap) > 0);
  for (size_t i = 0; i < (size_t)K * K; i++) assert_true(isfinite(a[i]));
  free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_singular)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
