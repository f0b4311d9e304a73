/* See product.h: the kernel without fused operations, in vectors of two as every 64-bit machine has
 * them, and the choice. */
#include "math/product.h"

#include <string.h>

enum { LANES = 2, MOST_ROWS = 4, MOST_VECTORS = 2 };
#define PRODUCT_NAME product_plain
typedef double vd __attribute__((vector_size(16)));

static inline vd vd_load(const double *p) {
  vd x;
  memcpy(&x, p, sizeof x);
  return x;
}
static inline void vd_store(double *p, vd x) {
  memcpy(p, &x, sizeof x);
}
static inline vd vd_set(double x) {
  return (vd){x, x};
}
static inline vd vd_sub(vd x, vd y) {
  return x - y;
}
static inline vd vd_fma(vd x, vd y, vd z) {
  return x * y + z;
}

#include "math/product.inc"

product_function *product_kernel(size_t i) {
  product_function *found[3];
  size_t n = 0;
#if defined(__x86_64__) && !defined(SCREE_PORTABLE)
  if (__builtin_cpu_supports("avx512f")) found[n++] = product_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found[n++] = product_avx2;
#endif
  found[n++] = product_plain;
  return i < n ? found[i] : NULL;
}

void product_subtract(size_t m, size_t n, size_t k, const double *a, size_t a_row, size_t a_column,
                      const double *b, size_t b_row, double *c, size_t c_row) {
  if (m > 0 && n > 0 && k > 0) product_kernel(0)(m, n, k, a, a_row, a_column, b, b_row, c, c_row);
}
