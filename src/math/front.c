/* See front.h. Large updates go to BLAS, small ones (most fronts have a dozen rows) to plain loops
 * that the compiler vectorises; no fused operations, so every machine gives the same bits there. */
#include "math/front.h"

#include <math.h>

#ifdef SCREE_WITH_BLAS
#include <cblas.h>
#endif

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(SCREE_PORTABLE) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define VECTOR_CLONES __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define VECTOR_CLONES
#endif

/* Pivots below this are replaced. */
static double smallest_pivot(const double *a, size_t n, size_t k) {
  double largest = 0.0;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++)
      if (fabs(a[i * n + j]) > largest) largest = fabs(a[i * n + j]);
  return largest > 0.0 ? 1e-14 * largest : 1.0;
}

/* Pivots from … to - 1 of the k pivot rows, with row exchanges among them; only columns below
 * `width` are eliminated, but whole rows are exchanged. */
VECTOR_CLONES
static size_t eliminate_rows(double *a, size_t n, size_t k, size_t from, size_t to, size_t width,
                             double smallest, uint32_t *swap) {
  size_t replaced = 0;
  for (size_t p = from; p < to; p++) {
    size_t best = p;
    for (size_t i = p + 1; i < k; i++)
      if (fabs(a[i * n + p]) > fabs(a[best * n + p])) best = i;
    swap[p] = (uint32_t)best;
    if (best != p)
      for (size_t j = 0; j < n; j++) {
        const double t = a[p * n + j];
        a[p * n + j] = a[best * n + j];
        a[best * n + j] = t;
      }
    double pivot = a[p * n + p];
    if (!(fabs(pivot) >= smallest)) {
      pivot = pivot < 0.0 ? -smallest : smallest;
      a[p * n + p] = pivot;
      replaced++;
    }
    const double inverse = 1.0 / pivot;
    for (size_t i = p + 1; i < k; i++) {
      const double l = a[i * n + p] * inverse;
      a[i * n + p] = l;
      if (l == 0.0) continue;
      double *restrict row = a + i * n;
      const double *restrict top = a + p * n;
      for (size_t j = p + 1; j < width; j++) row[j] -= l * top[j];
    }
  }
  return replaced;
}

#ifdef SCREE_WITH_BLAS
/* Large dense pivots by panels: what is right of a panel is updated by BLAS at once. */
static size_t eliminate_panels(double *a, size_t n, size_t k, double smallest, uint32_t *swap) {
  enum { PANEL = 32 };
  size_t replaced = 0;
  for (size_t from = 0; from < k; from += PANEL) {
    const size_t to = from + PANEL < k ? from + PANEL : k, width = to - from, right = n - to;
    replaced += eliminate_rows(a, n, k, from, to, to, smallest, swap);
    if (right == 0) continue;
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, (int)width,
                (int)right, 1.0, a + from * n + from, (int)n, a + from * n + to, (int)n);
    if (to < k)
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(k - to), (int)right, (int)width,
                  -1.0, a + to * n + from, (int)n, a + from * n + to, (int)n, 1.0, a + to * n + to,
                  (int)n);
  }
  return replaced;
}
#endif

/* L21 = A21 U11^-1, row by row. */
VECTOR_CLONES
static void eliminate_columns(double *a, size_t n, size_t k) {
  for (size_t i = k; i < n; i++) {
    double *restrict row = a + i * n;
    for (size_t p = 0; p < k; p++) {
      const double l = row[p] / a[p * n + p];
      row[p] = l;
      if (l == 0.0) continue;
      const double *restrict top = a + p * n;
      for (size_t j = p + 1; j < k; j++) row[j] -= l * top[j];
    }
  }
}

/* S -= L21 U12 */
VECTOR_CLONES
static void update_small(double *a, size_t n, size_t k) {
  for (size_t i = k; i < n; i++) {
    double *restrict row = a + i * n;
    size_t p = 0;
    for (; p + 4 <= k; p += 4) {
      const double l0 = row[p], l1 = row[p + 1], l2 = row[p + 2], l3 = row[p + 3];
      const double *restrict u0 = a + p * n, *restrict u1 = u0 + n, *restrict u2 = u1 + n,
                             *restrict u3 = u2 + n;
      for (size_t j = k; j < n; j++)
        row[j] -= (l0 * u0[j] + l1 * u1[j]) + (l2 * u2[j] + l3 * u3[j]);
    }
    for (; p < k; p++) {
      const double l = row[p];
      const double *restrict u = a + p * n;
      for (size_t j = k; j < n; j++) row[j] -= l * u[j];
    }
  }
}

static void update(double *a, size_t n, size_t k) {
#ifdef SCREE_WITH_BLAS
  enum { BLAS_FROM = 40 };
  const size_t b = n - k;
  if (k >= 8 && b >= BLAS_FROM) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)b, (int)b, (int)k, -1.0, a + k * n,
                (int)n, a + k, (int)n, 1.0, a + k * n + k, (int)n);
    return;
  }
#endif
  update_small(a, n, k);
}

size_t front_eliminate(double *a, size_t n, size_t k, uint32_t *swap) {
  const double smallest = smallest_pivot(a, n, k);
#ifdef SCREE_WITH_BLAS
  enum { PANELS_FROM = 64 };
  if (k >= PANELS_FROM) {
    const size_t replaced = eliminate_panels(a, n, k, smallest, swap);
    if (n > k) {
      cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)(n - k),
                  (int)k, 1.0, a, (int)n, a + k * n, (int)n);
      update(a, n, k);
    }
    return replaced;
  }
#endif
  const size_t replaced = eliminate_rows(a, n, k, 0, k, n, smallest, swap);
  if (n > k) {
    eliminate_columns(a, n, k);
    update(a, n, k);
  }
  return replaced;
}

void front_forward(const double *factor, size_t n, size_t k, const uint32_t *swap, double *y) {
  for (size_t p = 0; p < k; p++) {
    const double t = y[p];
    y[p] = y[swap[p]];
    y[swap[p]] = t;
  }
  for (size_t p = 1; p < k; p++)
    for (size_t j = 0; j < p; j++) y[p] -= factor[p * n + j] * y[j];
  const double *l21 = factor + k * n;
  for (size_t i = 0; i < n - k; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < k; j++) sum += l21[i * k + j] * y[j];
    y[k + i] -= sum;
  }
}

void front_backward(const double *factor, size_t n, size_t k, double *y) {
  for (size_t p = k; p-- > 0;) {
    double sum = y[p];
    for (size_t j = p + 1; j < n; j++) sum -= factor[p * n + j] * y[j];
    y[p] = sum / factor[p * n + p];
  }
}
