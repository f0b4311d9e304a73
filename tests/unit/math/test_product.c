/* Products of every size of edge, by every kernel that the machine can run, against sums in long
 * double; A as it is and transposed; what is not C is left alone; kernels with fused operations
 * give the same bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/product.h"

enum { APART = 3 }; /* entries between rows that are not the matrices' */

static uint64_t seed = 7;

static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0 - 0.5;
}

static double *filled(size_t rows, size_t row) {
  double *x = calloc(rows * row + 1, sizeof *x);
  for (size_t i = 0; i < rows * row; i++) x[i] = uniform();
  return x;
}

/* |C - A B - got| for one entry; exact in long double but for its own rounding. */
static double miss(size_t k, const double *a, size_t step, const double *b, size_t b_row, double c,
                   double got) {
  long double sum = c;
  for (size_t p = 0; p < k; p++) sum -= (long double)a[p * step] * b[p * b_row];
  return (double)fabsl(sum - got);
}

static void check(product_function *kernel, size_t m, size_t n, size_t k, int transposed) {
  const size_t b_row = n + APART, c_row = n + APART;
  const size_t a_row = transposed ? 1 : k + APART, a_column = transposed ? m + APART : 1;
  double *a = filled(transposed ? k : m, transposed ? m + APART : k + APART);
  double *b = filled(k, b_row), *c = filled(m, c_row);
  double *got = calloc(m * c_row + 1, sizeof *got);
  memcpy(got, c, m * c_row * sizeof *c);
  kernel(m, n, k, a, a_row, a_column, b, b_row, got, c_row);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < c_row; j++) {
      const size_t at = i * c_row + j;
      if (j >= n)
        assert_true(got[at] == c[at]);
      else
        assert_true(miss(k, a + i * a_row, a_column, b + j, b_row, c[at], got[at]) <
                    1e-16 * (double)(k + 4));
    }
  free(a);
  free(b);
  free(c);
  free(got);
}

static void all_sizes(void **state) {
  (void)state;
  const size_t depths[] = {0, 1, 2, 7, 16, PRODUCT_CHUNK, PRODUCT_CHUNK + 5};
  for (size_t v = 0; product_kernel(v); v++)
    for (size_t d = 0; d < sizeof depths / sizeof depths[0]; d++)
      for (size_t m = 0; m <= 19; m += 1 + m / 6)
        for (size_t n = 0; n <= 53; n += 1 + n / 7)
          for (int t = 0; t < 2; t++) check(product_kernel(v), m, n, depths[d], t);
}

static void same_bits(void **state) {
  (void)state;
  enum { M = 37, N = 61, K = 300 };
  if (!product_kernel(2)) skip();
  double *a = filled(M, K), *b = filled(K, N), *c = filled(M, N), *d = calloc(M * N, sizeof *d);
  memcpy(d, c, M * N * sizeof *d);
  product_kernel(0)(M, N, K, a, K, 1, b, N, c, N);
  product_kernel(1)(M, N, K, a, K, 1, b, N, d, N);
  assert_memory_equal(c, d, M * N * sizeof *c);
  free(a);
  free(b);
  free(c);
  free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_sizes), cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
