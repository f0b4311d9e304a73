/* Non-negative least squares against all subsets of free unknowns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/nnls.h"
#include "scree/scree.h"

static double random_real(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

/* Optimal: x >= 0, A'(b - A x) <= 0, and 0 where x > 0. */
static void check_optimal(size_t m, size_t n, const double *a, const double *b, const double *x,
                          const double *rest) {
  for (size_t i = 0; i < m; i++) {
    double sum = b[i];
    for (size_t j = 0; j < n; j++) sum -= a[j * m + i] * x[j];
    assert_true(fabs(sum - rest[i]) < 1e-10);
  }
  for (size_t j = 0; j < n; j++) {
    double slope = 0.0;
    for (size_t i = 0; i < m; i++) slope += a[j * m + i] * rest[i];
    assert_true(x[j] >= 0.0);
    assert_true(slope < 1e-9);
    if (x[j] > 0.0) assert_true(fabs(slope) < 1e-9);
  }
}

static void test_random(void **unused) {
  (void)unused;
  scree_context *context = scree_context_create(NULL);
  uint64_t state = 7;
  for (int k = 0; k < 400; k++) {
    enum { M = 9, N = 14 };
    const size_t m = 2 + (size_t)k % (M - 1), n = 1 + (size_t)(k / 3) % N;
    double a[M * N], b[M], x[N], rest[M];
    for (size_t i = 0; i < m * n; i++) a[i] = random_real(&state);
    for (size_t i = 0; i < m; i++) b[i] = random_real(&state);
    /* Twin and opposite columns, as equations give them. */
    for (size_t j = 1; j < n; j += 4)
      for (size_t i = 0; i < m; i++) a[j * m + i] = (j % 8 == 1 ? -1.0 : 1.0) * a[(j - 1) * m + i];
    assert_true(nnls_solve(context, m, n, a, b, x, rest));
    check_optimal(m, n, a, b, x, rest);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* b in the cone of the columns: nothing is left. b opposite to it: nothing is used. */
static void test_ends(void **unused) {
  (void)unused;
  scree_context *context = scree_context_create(NULL);
  const double a[] = {1, 0, 0, 0, 2, 0, 1, 1, 1}, in[] = {3, 5, 1}, out[] = {-1, -1, -1};
  double x[3], rest[3];
  assert_true(nnls_solve(context, 3, 3, a, in, x, rest));
  assert_true(fabs(x[0] - 2) < 1e-12 && fabs(x[1] - 2) < 1e-12 && fabs(x[2] - 1) < 1e-12);
  assert_true(nnls_solve(context, 3, 3, a, out, x, rest));
  assert_true(x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
