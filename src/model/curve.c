/* Curves: cubic splines through points, for paths and cams.
 *
 * Between the knots x_i and x_i+1, h = x_i+1 - x_i, A = (x_i+1 - x)/h, B = 1 - A, with the second
 * derivatives m_i at the knots:
 *
 *   f(x) = A y_i + B y_i+1 + ((A^3 - A) m_i + (B^3 - B) m_i+1) h^2 / 6
 *
 * m from the continuity of f' (a tridiagonal system, cyclic where the curve is closed); at open
 * ends m = 0, and outside of them f goes on in a straight line. A path's parameter is the length of
 * the chords from its first point. */
#include "model/world.h"

#include <string.h>

#include "base/argument.h"

enum { NEWTON_STEPS = 8 };

void world_free_curve(scree_world *w, world_curve *c) {
  memory_free(w->context, c->knot);
  memory_free(w->context, c->value);
  memory_free(w->context, c->bend);
}

static scree_status check(scree_context *context, const scree_curve_def *d) {
  const size_t least = d->closed ? 3 : 2;
  if (!d->points || (d->dimension != 2 && d->dimension != 3) || d->count < least)
    return context_fail(context, SCREE_ERROR_INPUT,
                        "curve: it needs at least %zu points of 2 or 3 numbers", least);
  for (size_t i = 0; i < d->count * (size_t)d->dimension; i++)
    if (!isfinite(d->points[i]))
      return context_fail(context, SCREE_ERROR_INPUT, "curve: its points must be finite");
  for (size_t i = 1; d->dimension == 2 && i < d->count; i++)
    if (!(d->points[2 * i - 2] < d->points[2 * i]))
      return context_fail(context, SCREE_ERROR_INPUT,
                          "curve: the angles do not ascend at point %zu", i);
  const double *last = d->points + 2 * (d->count - 1);
  if (d->dimension == 2 && d->closed &&
      (fabs(last[0] - d->points[0] - 2.0 * 3.14159265358979323846) > 1e-9 ||
       last[1] != d->points[1]))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "curve: a closed cam ends a whole turn (2 pi) after its first angle, with "
                        "the same lift");
  return SCREE_OK;
}

/* Solves the tridiagonal system of the knots for one function; `work` has 3 n numbers. Closed:
 * knots 0 and n - 1 are one; by Sherman and Morrison with the corner h_last. */
static void thomas(size_t n, const double *lower, const double *diagonal, const double *upper,
                   double *x, double *c) {
  double pivot = diagonal[0];
  x[0] /= pivot;
  for (size_t i = 1; i < n; i++) {
    c[i] = upper[i - 1] / pivot;
    pivot = diagonal[i] - lower[i] * c[i];
    x[i] = (x[i] - lower[i] * x[i - 1]) / pivot;
  }
  for (size_t i = n - 1; i-- > 0;) x[i] -= c[i + 1] * x[i + 1];
}

static void bend_open(const world_curve *c, int k, double *work) {
  const size_t n = c->count, d = (size_t)c->dimension;
  double *lower = work, *diagonal = work + n, *upper = work + 2 * n, *x = work + 3 * n;
  if (n < 3) return;
  for (size_t i = 1; i + 1 < n; i++) {
    const double a = c->knot[i] - c->knot[i - 1], b = c->knot[i + 1] - c->knot[i];
    const double *y = c->value + i * d + (size_t)k;
    lower[i - 1] = a;
    diagonal[i - 1] = 2.0 * (a + b);
    upper[i - 1] = b;
    x[i - 1] = 6.0 * ((y[d] - y[0]) / b - (y[0] - *(y - d)) / a);
  }
  thomas(n - 2, lower, diagonal, upper, x, work + 4 * n);
  for (size_t i = 1; i + 1 < n; i++) c->bend[i * d + (size_t)k] = x[i - 1];
}

static void bend_closed(const world_curve *c, int k, double *work) {
  const size_t n = c->count - 1, d = (size_t)c->dimension;
  double *lower = work, *diagonal = work + n, *upper = work + 2 * n, *x = work + 3 * n,
         *scratch = work + 4 * n, *u = work + 5 * n;
  for (size_t i = 0; i < n; i++) {
    const size_t before = i ? i - 1 : n - 1;
    const double a = c->knot[before + 1] - c->knot[before], b = c->knot[i + 1] - c->knot[i];
    const double y = c->value[i * d + (size_t)k], next = c->value[(i + 1) * d + (size_t)k];
    const double last = c->value[before * d + (size_t)k];
    lower[i] = a;
    diagonal[i] = 2.0 * (a + b);
    upper[i] = b;
    x[i] = 6.0 * ((next - y) / b - (y - last) / a);
    u[i] = 0.0;
  }
  const double corner = lower[0], gamma = -diagonal[0];
  u[0] = gamma;
  u[n - 1] = corner;
  diagonal[0] -= gamma;
  diagonal[n - 1] -= corner * corner / gamma;
  thomas(n, lower, diagonal, upper, x, scratch);
  thomas(n, lower, diagonal, upper, u, scratch);
  const double f = (x[0] + corner * x[n - 1] / gamma) / (1.0 + u[0] + corner * u[n - 1] / gamma);
  for (size_t i = 0; i <= n; i++) c->bend[i * d + (size_t)k] = x[i % n] - f * u[i % n];
}

/* A path has its first point again at its end when it is closed. */
static bool fill(world_curve *c, const scree_curve_def *def) {
  const size_t d = (size_t)c->dimension;
  for (size_t i = 0; i < c->count; i++) {
    const double *p = def->points + (i % def->count) * (size_t)def->dimension;
    if (def->dimension == 2) {
      c->knot[i] = p[0];
      c->value[i] = p[1];
      continue;
    }
    memcpy(c->value + i * d, p, d * sizeof *p);
    const v3 now = v3_load(p);
    c->knot[i] = i ? c->knot[i - 1] + v3_norm(v3_sub(now, v3_load(c->value + (i - 1) * d))) : 0.0;
    if (i && !(c->knot[i] > c->knot[i - 1])) return false;
  }
  return true;
}

scree_status scree_world_add_curve(scree_world *w, const scree_curve_def *def, scree_curve_id *id) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && def && id);
  scree_status status = check(w->context, def);
  if (status) return status;
  if (memory_grow(w->context, &w->curve, w->curve_count + 1, sizeof *w->curve))
    return SCREE_ERROR_MEMORY;
  world_curve c = {.count = def->count + (def->closed && def->dimension == 3 ? 1 : 0),
                   .dimension = def->dimension == 3 ? 3 : 1,
                   .closed = def->closed};
  const size_t d = (size_t)c.dimension;
  c.knot = memory_new(w->context, c.count, sizeof(double));
  c.value = memory_new(w->context, c.count * d, sizeof(double));
  c.bend = memory_new(w->context, c.count * d, sizeof(double));
  double *work = memory_new(w->context, 6 * c.count, sizeof(double));
  status = c.knot && c.value && c.bend && work ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status && !fill(&c, def))
    status = context_fail(w->context, SCREE_ERROR_INPUT,
                          "curve: two points that follow each other are the same");
  for (int k = 0; !status && k < c.dimension; k++) {
    if (c.closed)
      bend_closed(&c, k, work);
    else
      bend_open(&c, k, work);
  }
  memory_free(w->context, work);
  if (status) {
    world_free_curve(w, &c);
    return status;
  }
  w->curve[w->curve_count++] = c;
  id->index = (uint32_t)w->curve_count;
  return SCREE_OK;
}

static size_t piece_of(const world_curve *c, double x) {
  size_t low = 0, high = c->count - 1;
  while (high - low > 1) {
    const size_t mid = (low + high) / 2;
    if (c->knot[mid] <= x)
      low = mid;
    else
      high = mid;
  }
  return low;
}

void world_curve_at(const world_curve *c, double x, double *value, double *slope, double *bend) {
  const double first = c->knot[0], last = c->knot[c->count - 1];
  double beyond = 0.0;
  if (c->closed)
    x -= (last - first) * floor((x - first) / (last - first));
  else if (x < first || x > last) {
    beyond = x - (x < first ? first : last);
    x = x < first ? first : last;
  }
  const size_t i = piece_of(c, x), d = (size_t)c->dimension;
  const double h = c->knot[i + 1] - c->knot[i], b = (x - c->knot[i]) / h, a = 1.0 - b;
  for (size_t k = 0; k < d; k++) {
    const double y0 = c->value[i * d + k], y1 = c->value[(i + 1) * d + k];
    const double m0 = c->bend[i * d + k], m1 = c->bend[(i + 1) * d + k];
    slope[k] = (y1 - y0) / h + ((3.0 * b * b - 1.0) * m1 - (3.0 * a * a - 1.0) * m0) * h / 6.0;
    bend[k] = beyond == 0.0 ? a * m0 + b * m1 : 0.0;
    value[k] = a * y0 + b * y1 + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * h * h / 6.0 +
               beyond * slope[k];
  }
}

/* Newton on (p(s) - x) . p'(s) = 0, each step at most a piece; the guess is of the step before. */
double world_curve_nearest(const world_curve *c, v3 x, double guess) {
  double s = guess;
  for (int step = 0; step < NEWTON_STEPS; step++) {
    double value[3], slope[3], bend[3];
    world_curve_at(c, s, value, slope, bend);
    const v3 t = v3_load(slope), apart = v3_sub(v3_load(value), x);
    const double f = v3_dot(apart, t), square = v3_norm2(t);
    double derivative = square + v3_dot(apart, v3_load(bend));
    if (!(derivative > 0.25 * square)) derivative = square;
    if (!(derivative > 0.0)) return s;
    const double most = (c->knot[c->count - 1] - c->knot[0]) / (double)(c->count - 1);
    const double change = fmin(fmax(-f / derivative, -most), most);
    s += change;
    if (fabs(change) <= 1e-15 * most) break;
  }
  return s;
}
