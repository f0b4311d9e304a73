/* Least squares with non-negative unknowns, by the active set method of Lawson and Hanson: the
 * unknown whose gradient promises most is set free, the least squares problem over the free ones is
 * solved, and where that makes unknowns negative the step ends at the first of them, which is held
 * at zero again. Each set of free unknowns occurs once, as the residual falls strictly.
 *
 * The least squares problems are solved afresh by Householder reflections: small and exact. */
#include "math/nnls.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

typedef struct work {
  size_t m, n;
  const double *a, *b;
  bool *is_free;
  size_t *column; /* the free unknowns */
  double *q, *rhs, *z;
} work;

/* z over the free unknowns: min |A z - b|. False: their columns are dependent. */
static bool least_squares(work *w) {
  const size_t m = w->m;
  size_t count = 0;
  for (size_t j = 0; j < w->n; j++)
    if (w->is_free[j]) {
      memcpy(w->q + count * m, w->a + j * m, m * sizeof *w->q);
      w->column[count++] = j;
    }
  if (count > m) return false;
  memcpy(w->rhs, w->b, m * sizeof *w->rhs);
  for (size_t k = 0; k < count; k++) {
    double *c = w->q + k * m, norm = 0.0, whole = 0.0;
    for (size_t i = k; i < m; i++) norm += c[i] * c[i];
    for (size_t i = 0; i < m; i++) whole += c[i] * c[i];
    if (!(norm > 1e-26 * whole)) return false;
    const double alpha = c[k] > 0.0 ? -sqrt(norm) : sqrt(norm), scale = 1.0 / (norm - alpha * c[k]);
    c[k] -= alpha; /* the reflection's vector, from row k on; its image is alpha */
    for (size_t l = k + 1; l <= count; l++) {
      double *y = l < count ? w->q + l * m : w->rhs, dot = 0.0;
      for (size_t i = k; i < m; i++) dot += c[i] * y[i];
      for (size_t i = k; i < m; i++) y[i] -= scale * dot * c[i];
    }
    w->z[k] = alpha; /* the diagonal of R, until the back substitution needs its place */
  }
  for (size_t k = count; k-- > 0;) {
    double sum = w->rhs[k];
    for (size_t l = k + 1; l < count; l++) sum -= w->q[l * m + k] * w->z[l];
    w->z[k] = sum / w->z[k];
  }
  return true;
}

static void residual_of(const work *w, const double *x, double *residual) {
  memcpy(residual, w->b, w->m * sizeof *residual);
  for (size_t j = 0; j < w->n; j++)
    for (size_t i = 0; x[j] != 0.0 && i < w->m; i++) residual[i] -= w->a[j * w->m + i] * x[j];
}

/* The held unknown with the steepest descent, or n. */
static size_t steepest(const work *w, const double *residual, const bool *barred) {
  size_t best = w->n;
  double most = 0.0;
  for (size_t j = 0; j < w->n; j++) {
    if (w->is_free[j] || barred[j]) continue;
    double slope = 0.0, norm = 0.0;
    for (size_t i = 0; i < w->m; i++) {
      slope += w->a[j * w->m + i] * residual[i];
      norm += w->a[j * w->m + i] * w->a[j * w->m + i];
    }
    slope = norm > 0.0 ? slope / sqrt(norm) : 0.0;
    if (slope > most) {
      most = slope;
      best = j;
    }
  }
  double size = 0.0, right = 0.0;
  for (size_t i = 0; i < w->m; i++) {
    size += residual[i] * residual[i];
    right += w->b[i] * w->b[i];
  }
  return most > 1e-13 * sqrt(size) && size > 1e-28 * right ? best : w->n;
}

/* Moves x to the least squares solution of the free unknowns, as far as it stays non-negative. */
static bool descend(work *w, double *x) {
  for (size_t round = 0; round <= w->n; round++) {
    if (!least_squares(w)) return false;
    double step = 1.0;
    size_t count = 0, hit = w->n;
    for (size_t j = 0; j < w->n; j++) {
      if (!w->is_free[j]) continue;
      const double z = w->z[count++];
      if (z > 0.0) continue;
      const double s = x[j] - z > 0.0 ? x[j] / (x[j] - z) : 0.0;
      if (hit == w->n || s < step) {
        step = s;
        hit = j;
      }
    }
    for (size_t k = 0; k < count; k++) {
      double *xj = &x[w->column[k]];
      *xj = hit == w->n ? w->z[k] : *xj + step * (w->z[k] - *xj);
    }
    if (hit == w->n) return true;
    for (size_t j = 0; j < w->n; j++)
      if (w->is_free[j] && (j == hit || !(x[j] > 0.0))) {
        w->is_free[j] = false;
        x[j] = 0.0;
      }
  }
  return false;
}

static bool iterate(work *w, bool *barred, double *x, double *residual) {
  for (size_t turn = 0; turn < 10 * w->n + 10; turn++) {
    residual_of(w, x, residual);
    const size_t j = steepest(w, residual, barred);
    if (j == w->n) return true;
    w->is_free[j] = true;
    /* An unknown that would not move, by rounding or because its column depends on the others, is
     * left out until something else has changed. */
    const bool moved = descend(w, x) && w->is_free[j];
    if (!moved) {
      w->is_free[j] = false;
      x[j] = 0.0;
      barred[j] = true;
      if (!descend(w, x)) return false;
    } else {
      memset(barred, 0, w->n * sizeof *barred);
    }
  }
  residual_of(w, x, residual);
  return false;
}

bool nnls_solve(scree_context *context, size_t m, size_t n, const double *a, const double *b,
                double *x, double *residual) {
  memset(x, 0, n * sizeof *x);
  memcpy(residual, b, m * sizeof *residual);
  work w = {.m = m, .n = n, .a = a, .b = b};
  w.is_free = memory_new(context, n, sizeof *w.is_free);
  bool *barred = memory_new(context, n, sizeof *barred);
  w.column = memory_new(context, n, sizeof *w.column);
  w.q = memory_new(context, m * n, sizeof *w.q);
  w.rhs = memory_new(context, m, sizeof *w.rhs);
  w.z = memory_new(context, n, sizeof *w.z);
  const bool ready = w.is_free && barred && w.column && w.q && w.rhs && w.z;
  const bool settled = ready && iterate(&w, barred, x, residual);
  memory_free(context, w.is_free);
  memory_free(context, barred);
  memory_free(context, w.column);
  memory_free(context, w.q);
  memory_free(context, w.rhs);
  memory_free(context, w.z);
  return settled;
}
