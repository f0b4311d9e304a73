/* See dense.h. */
#include "math/dense.h"

#include <math.h>

#ifdef SCREE_WITH_BLAS
#include <cblas.h>
#include <lapacke.h>
#include <pthread.h>

static void pin_threads(void) {
  openblas_set_num_threads(1);
}

void dense_library_ready(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, pin_threads);
}
#else
void dense_library_ready(void) {}
#endif

/* Below these sizes the call costs more than the work. */
enum { SMALL_FACTOR = 24, SMALL_PRODUCT = 4096 };

static double largest(size_t n, const double *a, size_t ld) {
  double most = 0.0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++)
      if (!(fabs(a[i + j * ld]) <= most)) most = fabs(a[i + j * ld]);
  return most;
}

static void swap_rows(size_t columns, double *a, size_t ld, size_t i, size_t k) {
  for (size_t j = 0; j < columns; j++) {
    const double t = a[i + j * ld];
    a[i + j * ld] = a[k + j * ld];
    a[k + j * ld] = t;
  }
}

/* Right-looking elimination; the caller checks the pivots. */
static void lu_small(size_t n, double *a, size_t ld, int *pivot) {
  for (size_t k = 0; k < n; k++) {
    double *column = a + k * ld;
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(column[i]) > fabs(column[best])) best = i;
    pivot[k] = (int)best;
    if (best != k) swap_rows(n, a, ld, k, best);
    if (column[k] == 0.0) continue;
    const double scale = 1.0 / column[k];
    for (size_t i = k + 1; i < n; i++) column[i] *= scale;
    for (size_t j = k + 1; j < n; j++) {
      double *other = a + j * ld;
      const double factor = other[k];
      for (size_t i = k + 1; i < n; i++) other[i] -= column[i] * factor;
    }
  }
}

size_t dense_lu(size_t n, double *a, size_t ld, double tiny, int *pivot) {
  const double least = tiny * largest(n, a, ld);
#ifdef SCREE_WITH_BLAS
  if (n > SMALL_FACTOR) {
    dense_library_ready();
    LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (int)n, (int)n, a, (int)ld, pivot);
    for (size_t k = 0; k < n; k++) pivot[k]--;
  } else
#endif
    lu_small(n, a, ld, pivot);
  for (size_t k = 0; k < n; k++)
    if (!(fabs(a[k + k * ld]) > least)) return k;
  return n;
}

/* X <- L^-1 P X; X is m x n. */
static void left_lower_pivoted(size_t m, size_t n, const double *l, size_t l_ld, const int *pivot,
                               double *x, size_t x_ld) {
  for (size_t k = 0; k < m; k++)
    if ((size_t)pivot[k] != k) swap_rows(n, x, x_ld, k, (size_t)pivot[k]);
#ifdef SCREE_WITH_BLAS
  if (m * m * n > SMALL_PRODUCT && n > 1) {
    dense_library_ready();
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, (int)m, (int)n, 1.0,
                l, (int)l_ld, x, (int)x_ld);
    return;
  }
#endif
  for (size_t c = 0; c < n; c++) {
    double *column = x + c * x_ld;
    for (size_t j = 0; j < m; j++)
      for (size_t i = j + 1; i < m; i++) column[i] -= l[i + j * l_ld] * column[j];
  }
}

void dense_lu_solve(size_t n, const double *a, size_t ld, const int *pivot, size_t columns,
                    double *b, size_t b_ld) {
  left_lower_pivoted(n, columns, a, ld, pivot, b, b_ld);
#ifdef SCREE_WITH_BLAS
  if (n * n * columns > SMALL_PRODUCT && columns > 1) {
    dense_library_ready();
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, (int)n,
                (int)columns, 1.0, a, (int)ld, b, (int)b_ld);
    return;
  }
#endif
  for (size_t c = 0; c < columns; c++) {
    double *x = b + c * b_ld;
    for (size_t j = n; j-- > 0;) {
      const double *column = a + j * ld;
      x[j] /= column[j];
      for (size_t i = 0; i < j; i++) x[i] -= column[i] * x[j];
    }
  }
}

static size_t cholesky_small(size_t n, double *a, size_t ld) {
  for (size_t k = 0; k < n; k++) {
    double *column = a + k * ld;
    if (!(column[k] > 0.0)) return k;
    column[k] = sqrt(column[k]);
    const double scale = 1.0 / column[k];
    for (size_t i = k + 1; i < n; i++) column[i] *= scale;
    for (size_t j = k + 1; j < n; j++) {
      double *other = a + j * ld;
      const double factor = column[j];
      for (size_t i = j; i < n; i++) other[i] -= column[i] * factor;
    }
  }
  return n;
}

size_t dense_cholesky(size_t n, double *a, size_t ld) {
#ifdef SCREE_WITH_BLAS
  if (n > SMALL_FACTOR) {
    dense_library_ready();
    const int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)n, a, (int)ld);
    return info > 0 ? (size_t)info - 1 : n;
  }
#endif
  return cholesky_small(n, a, ld);
}

void dense_subtract_square(size_t n, size_t k, const double *a, size_t a_ld, double *c,
                           size_t c_ld) {
#ifdef SCREE_WITH_BLAS
  if (n * n * k > SMALL_PRODUCT) {
    dense_library_ready();
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)k, -1.0, a, (int)a_ld, 1.0, c,
                (int)c_ld);
    return;
  }
#endif
  for (size_t j = 0; j < n; j++)
    for (size_t l = 0; l < k; l++) {
      const double factor = a[j + l * a_ld];
      for (size_t i = j; i < n; i++) c[i + j * c_ld] -= a[i + l * a_ld] * factor;
    }
}

void dense_right_lower_transposed(size_t m, size_t n, const double *l, size_t l_ld, double *x,
                                  size_t x_ld) {
#ifdef SCREE_WITH_BLAS
  if (m * n * n > SMALL_PRODUCT) {
    dense_library_ready();
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)m, (int)n,
                1.0, l, (int)l_ld, x, (int)x_ld);
    return;
  }
#endif
  for (size_t j = 0; j < n; j++) {
    double *column = x + j * x_ld;
    for (size_t k = 0; k < j; k++) {
      const double factor = l[j + k * l_ld];
      for (size_t i = 0; i < m; i++) column[i] -= x[i + k * x_ld] * factor;
    }
    const double scale = 1.0 / l[j + j * l_ld];
    for (size_t i = 0; i < m; i++) column[i] *= scale;
  }
}

void dense_eigen(size_t n, double *a, double tiny, double *v) {
  for (size_t i = 0; i < n * n; i++) v[i] = i / n == i % n;
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0.0, on = 0.0;
    for (size_t i = 0; i < n; i++) {
      on += a[i * n + i] * a[i * n + i];
      for (size_t j = 0; j < i; j++) off += a[i * n + j] * a[i * n + j];
    }
    if (off <= tiny * on) return;
    for (size_t p = 0; p + 1 < n; p++)
      for (size_t q = p + 1; q < n; q++) {
        if (a[p * n + q] == 0.0) continue;
        const double x = 0.5 * (a[q * n + q] - a[p * n + p]) / a[p * n + q];
        const double t = (x >= 0.0 ? 1.0 : -1.0) / (fabs(x) + sqrt(1.0 + x * x));
        const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
        for (size_t k = 0; k < n; k++) {
          const double kp = a[k * n + p], kq = a[k * n + q];
          a[k * n + p] = c * kp - s * kq;
          a[k * n + q] = s * kp + c * kq;
        }
        for (size_t k = 0; k < n; k++) {
          const double pk = a[p * n + k], qk = a[q * n + k];
          a[p * n + k] = c * pk - s * qk;
          a[q * n + k] = s * pk + c * qk;
        }
        for (size_t k = 0; k < n; k++) {
          const double kp = v[k * n + p], kq = v[k * n + q];
          v[k * n + p] = c * kp - s * kq;
          v[k * n + q] = s * kp + c * kq;
        }
      }
  }
}
