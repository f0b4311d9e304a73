/* See front.h. Pivots are eliminated in panels; what is right of and below a panel is a product
 * (product.h), which has the bulk of the work. Loops within panels have no fused operations. */
#include "math/front.h"

#include <math.h>

#include "math/product.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(SCREE_PORTABLE) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define VECTOR_CLONES
#endif

/* Pivots of a panel, and of those that reach the rows below them at once, as one product, so that a
 * large front is read once for so many and not for each panel; rows of a triangle that are updated
 * at a time; rows solved side by side; fewer rows than this are no product. */
enum { PANEL = 16, BAND = 48, SIDE = 8, FEW = 24, DEEP = PRODUCT_CHUNK };

/* Work between two questions whether to go on, in products of many rows. */
static const double much = 2e8;

static bool is_ended(const front *f, size_t rows, size_t columns, size_t depth) {
  return f->ended && f->ended(f->user, (double)rows * (double)columns * (double)depth);
}

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

/* Row p of the panel, right of it: less the rows above that its pivots were eliminated with. */
VECTOR_CLONES
static void follow_right(double *a, size_t n, size_t from, size_t to) {
  for (size_t p = from; p < to; p++)
    for (size_t i = p + 1; i < to; i++) {
      const double l = a[i * n + p];
      if (l == 0.0) continue;
      double *restrict row = a + i * n;
      const double *restrict top = a + p * n;
      for (size_t j = to; j < n; j++) row[j] -= l * top[j];
    }
}

/* L21 = A21 U11^-1 in the columns of a panel; eight rows side by side, as each is one long chain of
 * operations. */
VECTOR_CLONES
static void eliminate_columns(const front *f, size_t from, size_t to) {
  const size_t n = f->n, k = f->k, b = n - k, width = to - from;
  const double *a = f->u + from * n + from;
  double inverse[PANEL], part[SIDE * PANEL];
  for (size_t p = 0; p < width; p++) inverse[p] = 1.0 / a[p * n + p];
  for (size_t i = 0; i < b; i += SIDE) {
    const int count = i + SIDE <= b ? SIDE : (int)(b - i);
    double *row = f->l + i * k + from;
    for (int r = 0; r < SIDE; r++)
      for (size_t p = 0; p < width; p++)
        part[SIDE * p + (size_t)r] = r < count ? row[(size_t)r * k + p] : 0.0;
    for (size_t p = 0; p < width; p++) {
      double l[SIDE];
      for (int r = 0; r < SIDE; r++) l[r] = part[SIDE * p + (size_t)r] *= inverse[p];
      for (size_t j = p + 1; j < width; j++)
        for (int r = 0; r < SIDE; r++) part[SIDE * j + (size_t)r] -= l[r] * a[p * n + j];
    }
    for (int r = 0; r < count; r++)
      for (size_t p = 0; p < width; p++) row[(size_t)r * k + p] = part[SIDE * p + (size_t)r];
  }
}

/* L21 = A21 U11^-1 for few rows, one by one. */
VECTOR_CLONES
static void eliminate_few(const front *f) {
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

/* S -= L21 U12 for few rows, where copies for tiles would cost more than the work. */
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

/* S -= L21 U12, in bands of rows where it is much. */
static void update(const front *f) {
  const size_t n = f->n, k = f->k, b = n - k;
  size_t band = b;
  while (band > BAND && (double)band * (double)b * (double)k > much) band /= 2;
  for (size_t i = 0; i < b; i += band) {
    const size_t rows = i + band < b ? band : b - i;
    product_subtract(rows, b, k, f->l + i * k, k, 1, f->u + k, n, f->s + i * b, b);
    if (is_ended(f, rows, b, k)) return;
  }
}

size_t front_lu(const front *f, double tiny, uint32_t *swap) {
  const size_t n = f->n, k = f->k, b = n - k;
  const double smallest = smallest_pivot(f->u, n, k, tiny);
  double *a = f->u;
  size_t replaced = 0;
  for (size_t from = 0; from < k; from += PANEL) {
    const size_t to = from + PANEL < k ? from + PANEL : k, width = to - from;
    const size_t whole = k <= PANEL ? n : to;
    replaced += eliminate_rows(a, n, k, from, to, whole, smallest, swap);
    if (whole == n) break;
    follow_right(a, n, from, to);
    product_subtract(k - to, n - to, width, a + to * n + from, n, 1, a + from * n + to, n,
                     a + to * n + to, n);
    if (is_ended(f, k - to, n - to, width)) return replaced;
  }
  if (b < FEW) {
    eliminate_few(f);
    update_small(f);
    return replaced;
  }
  for (size_t from = 0; from < k; from += PANEL) {
    const size_t to = from + PANEL < k ? from + PANEL : k;
    product_subtract(b, to - from, from, f->l, k, 1, a + from, n, f->l + from, k);
    eliminate_columns(f, from, to);
    if (is_ended(f, b, to - from, to)) return replaced;
  }
  update(f);
  return replaced;
}

/* Rows from … to - 1 of U: below its diagonal nothing is read. False: a pivot is not positive, or
 * with `negative` zero. */
VECTOR_CLONES
static bool root_rows(double *a, size_t n, size_t from, size_t to, uint32_t *negative) {
  for (size_t p = from; p < to; p++) {
    double *top = a + p * n;
    const bool below = negative && top[p] < 0.0;
    if (negative) negative[p] = below;
    if (!(fabs(top[p]) > 0.0) || (top[p] < 0.0 && !below)) return false;
    top[p] = sqrt(fabs(top[p]));
    const double sign = below ? -1.0 : 1.0, scale = sign / top[p];
    for (size_t j = p + 1; j < n; j++) top[j] *= scale;
    for (size_t i = p + 1; i < to; i++) {
      const double l = sign * top[i];
      double *restrict row = a + i * n;
      for (size_t j = i; j < n; j++) row[j] -= l * top[j];
    }
  }
  return true;
}

/* The same of one band, C - (S A)'A for pivots from `first` on, with copies of (S A)'. */
static void subtract_signed(const uint32_t *negative, size_t rows, size_t columns, size_t k,
                            const double *a, size_t a_row, double *c, size_t c_row) {
  double left[DEEP * BAND];
  for (size_t from = 0; from < k; from += DEEP) {
    const size_t depth = from + DEEP < k ? DEEP : k - from;
    for (size_t p = 0; p < depth; p++) {
      const double *row = a + (from + p) * a_row;
      const double sign = negative[from + p] ? -1.0 : 1.0;
      for (size_t i = 0; i < rows; i++) left[p * BAND + i] = sign * row[i];
    }
    product_subtract(rows, columns, depth, left, 1, BAND, a + from * a_row, a_row, c, c_row);
  }
}

/* The upper triangle of C (m rows, `columns` columns) <- C - A'S A, A of k rows from pivot `first`
 * on; in bands, whose squares on the diagonal are filled below it too. False: it ended early. */
static bool subtract_square(const front *f, size_t first, size_t m, size_t columns, size_t k,
                            const double *a, size_t a_row, double *c, size_t c_row) {
  for (size_t i = 0; i < m; i += BAND) {
    const size_t rows = i + BAND < m ? BAND : m - i;
    double *to = c + i * c_row + i;
    if (f->negative)
      subtract_signed(f->negative + first, rows, columns - i, k, a + i, a_row, to, c_row);
    else
      product_subtract(rows, columns - i, k, a + i, 1, a_row, a + i, a_row, to, c_row);
    if (is_ended(f, rows, columns - i, k)) return false;
  }
  return true;
}

bool front_cholesky(const front *f) {
  const size_t n = f->n, k = f->k, b = n - k;
  double *a = f->u;
  for (size_t begin = 0; begin < k; begin += DEEP) {
    const size_t end = begin + DEEP < k ? begin + DEEP : k;
    for (size_t from = begin; from < end; from += PANEL) {
      const size_t to = from + PANEL < end ? from + PANEL : end;
      if (!root_rows(a, n, from, to, f->negative)) return false;
      if (!subtract_square(f, from, end - to, n - to, to - from, a + from * n + to, n,
                           a + to * n + to, n))
        return false;
    }
    if (!subtract_square(f, begin, k - end, n - end, end - begin, a + begin * n + end, n,
                         a + end * n + end, n))
      return false;
  }
  return subtract_square(f, 0, b, b, k, a + k, n, f->s, b);
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
  forward_columns(y, f->u, f->n, f->k);
  for (size_t p = 0; f->negative && p < f->k; p++)
    if (f->negative[p]) y[p] = -y[p];
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
