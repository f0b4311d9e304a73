/* See front.h. Large updates go to BLAS, small ones (most fronts have a dozen rows) to plain loops
 * that the compiler vectorises; no fused operations, so every machine gives the same bits there. */
#include "math/front.h"

#include <math.h>

#include "math/dense.h"

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
static double smallest_pivot(const double *a, size_t n, size_t k, double tiny) {
  double largest = 0.0;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++)
      if (fabs(a[i * n + j]) > largest) largest = fabs(a[i * n + j]);
  return tiny * largest;
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
    if (!(fabs(pivot) > smallest)) {
      const double size = smallest > 0.0 ? smallest : 1.0;
      pivot = pivot < 0.0 ? -size : size;
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
static void eliminate_columns(const front *f) {
  const size_t n = f->n, k = f->k;
  const double *a = f->u;
  for (size_t i = 0; i < n - k; i++) {
    double *restrict row = f->l + i * k;
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
static void update_small(const front *f) {
  const size_t n = f->n, k = f->k, b = n - k;
  for (size_t i = 0; i < b; i++) {
    const double *restrict l = f->l + i * k;
    double *restrict row = f->s + i * b;
    size_t p = 0;
    for (; p + 4 <= k; p += 4) {
      const double l0 = l[p], l1 = l[p + 1], l2 = l[p + 2], l3 = l[p + 3];
      const double *restrict u0 = f->u + p * n + k, *restrict u1 = u0 + n, *restrict u2 = u1 + n,
                             *restrict u3 = u2 + n;
      for (size_t j = 0; j < b; j++)
        row[j] -= (l0 * u0[j] + l1 * u1[j]) + (l2 * u2[j] + l3 * u3[j]);
    }
    for (; p < k; p++) {
      const double *restrict u = f->u + p * n + k;
      for (size_t j = 0; j < b; j++) row[j] -= l[p] * u[j];
    }
  }
}

#ifdef SCREE_WITH_BLAS
enum { PANELS_FROM = 64, BLAS_FROM = 40 };

size_t front_lu(const front *f, double tiny, uint32_t *swap) {
  const size_t n = f->n, k = f->k, b = n - k;
  const bool panels = k >= PANELS_FROM, product = k >= 8 && b >= BLAS_FROM;
  const double smallest = smallest_pivot(f->u, n, k, tiny);
  if (panels || product) dense_library_ready();
  const size_t replaced = panels ? eliminate_panels(f->u, n, k, smallest, swap)
                                 : eliminate_rows(f->u, n, k, 0, k, n, smallest, swap);
  if (panels && b > 0)
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)b, (int)k,
                1.0, f->u, (int)n, f->l, (int)k);
  else
    eliminate_columns(f);
  if (product)
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)b, (int)b, (int)k, -1.0, f->l,
                (int)k, f->u + k, (int)n, 1.0, f->s, (int)b);
  else
    update_small(f);
  return replaced;
}
#else
size_t front_lu(const front *f, double tiny, uint32_t *swap) {
  const size_t n = f->n, k = f->k;
  const double smallest = smallest_pivot(f->u, n, k, tiny);
  const size_t replaced = eliminate_rows(f->u, n, k, 0, k, n, smallest, swap);
  eliminate_columns(f);
  update_small(f);
  return replaced;
}
#endif

/* By columns, the upper triangle by rows is the lower one. */
bool front_cholesky(const front *f) {
  const size_t n = f->n, k = f->k, b = n - k;
  if (dense_cholesky(k, f->u, n) < k) return false;
  if (b == 0) return true;
  dense_right_lower_transposed(b, k, f->u, n, f->u + k, n);
  dense_subtract_square(b, k, f->u + k, n, f->s, b);
  return true;
}

/* ---- solves --------------------------------------------------------------------------------- */

/* In eight sums, so that it vectorises; added in a fixed order. */
VECTOR_CLONES
static double dot(const double *restrict x, const double *restrict y, size_t n) {
  double sum[8] = {0.0};
  size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (size_t l = 0; l < 8; l++) sum[l] += x[i + l] * y[i + l];
  for (size_t l = 0; i < n; i++, l++) sum[l] += x[i] * y[i];
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

VECTOR_CLONES
static void forward_columns(double *restrict y, const double *restrict u, size_t n, size_t k) {
  for (size_t p = 0; p < k; p++) {
    const double *restrict row = u + p * n;
    const double x = y[p] /= row[p];
    for (size_t j = p + 1; j < n; j++) y[j] -= row[j] * x;
  }
}

void front_lu_forward(const front *f, const uint32_t *swap, double *y) {
  const size_t n = f->n, k = f->k;
  for (size_t p = 0; p < k; p++) {
    const double t = y[p];
    y[p] = y[swap[p]];
    y[swap[p]] = t;
  }
  for (size_t p = 1; p < k; p++) y[p] -= dot(f->u + p * n, y, p);
  for (size_t i = 0; i < n - k; i++) y[k + i] -= dot(f->l + i * k, y, k);
}

void front_cholesky_forward(const front *f, double *y) {
#ifdef SCREE_WITH_BLAS
  enum { SOLVE_FROM = 48 };
  if (f->k >= SOLVE_FROM) {
    dense_library_ready();
    cblas_dtrsv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, (int)f->k, f->u, (int)f->n, y,
                1);
    if (f->n > f->k)
      cblas_dgemv(CblasRowMajor, CblasTrans, (int)f->k, (int)(f->n - f->k), -1.0, f->u + f->k,
                  (int)f->n, y, 1, 1.0, y + f->k, 1);
    return;
  }
#endif
  forward_columns(y, f->u, f->n, f->k);
}

void front_backward(const front *f, double *y) {
  for (size_t p = f->k; p-- > 0;) {
    const double *row = f->u + p * f->n;
    y[p] = (y[p] - dot(row + p + 1, y + p + 1, f->n - p - 1)) / row[p];
  }
}

VECTOR_CLONES
static void cholesky_forward_side(const front *f, double *y) {
  for (size_t p = 0; p < f->k; p++) {
    const double *row = f->u + p * f->n;
    double own[FRONT_SIDE];
    for (size_t j = 0; j < FRONT_SIDE; j++)
      own[j] = y[FRONT_SIDE * p + j] = y[FRONT_SIDE * p + j] / row[p];
    for (size_t i = p + 1; i < f->n; i++) {
      double *restrict to = y + FRONT_SIDE * i;
      for (size_t j = 0; j < FRONT_SIDE; j++) to[j] -= row[i] * own[j];
    }
  }
}

VECTOR_CLONES
static void backward_side(const front *f, double *y) {
  for (size_t p = f->k; p-- > 0;) {
    const double *row = f->u + p * f->n;
    double sum[FRONT_SIDE];
    for (size_t j = 0; j < FRONT_SIDE; j++) sum[j] = y[FRONT_SIDE * p + j];
    for (size_t i = p + 1; i < f->n; i++) {
      const double *from = y + FRONT_SIDE * i;
      for (size_t j = 0; j < FRONT_SIDE; j++) sum[j] -= row[i] * from[j];
    }
    for (size_t j = 0; j < FRONT_SIDE; j++) y[FRONT_SIDE * p + j] = sum[j] / row[p];
  }
}

/* Clones of functions that are not static would leave the library by name. */
void front_cholesky_forward_side(const front *f, double *y) {
  cholesky_forward_side(f, y);
}

void front_backward_side(const front *f, double *y) {
  backward_side(f, y);
}
