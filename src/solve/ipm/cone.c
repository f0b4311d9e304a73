/* See ipm/cone.h. */
#include "solve/ipm/cone.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/sets/set.h"

enum { CONES_OF_BLOCK = 4 };

/* ---- from sets to cones --------------------------------------------------------------------- */

typedef struct builder {
  ipm_cone cone[CONES_OF_BLOCK];
  int count;
  bool held[SCREE_MAX_DIM];
  double value[SCREE_MAX_DIM];
} builder;

static void add_ray(builder *b, double sign, double shift) {
  b->cone[b->count++] = (ipm_cone){.dim = 1, .sign = sign, .shift = shift, .scale = {1, 1, 1}};
}

/* A cone of the normal and the rows first, first + 1 … with the half widths given; a row of no
 * width is held at 0. */
static void add_lorentz(builder *b, double shift, int first, int rows, const double *width) {
  ipm_cone c = {.dim = 1, .sign = 1.0, .shift = shift, .scale = {1, 1, 1}};
  for (int k = 0; k < rows; k++) {
    if (width[k] > 0.0) {
      c.row[c.dim] = (uint32_t)(first + k);
      c.scale[c.dim++] = width[k];
    } else {
      b->held[first + k] = true;
    }
  }
  if (c.dim > 1) b->cone[b->count++] = c;
}

static void hold_all(builder *b, int dim, double normal) {
  b->count = 0;
  for (int k = 0; k < dim; k++) {
    b->held[k] = true;
    b->value[k] = k == 0 ? normal : 0.0;
  }
}

static void build(const scree_set *set, builder *b) {
  const set_outline o = set_outline_of(set);
  memset(b, 0, sizeof *b);
  for (int j = 0; j < o.disc_count; j++)
    add_lorentz(b, -o.lo, o.disc[j].first, o.disc[j].count, o.disc[j].size);
  if (b->count == 0 && o.lo > -INFINITY) add_ray(b, 1.0, -o.lo);
  if (o.hi < INFINITY) add_ray(b, -1.0, o.hi);
  if (!(o.hi > o.lo)) hold_all(b, set->dim, o.lo);
}

scree_status ipm_cones_init(const ccp_operator *op, ipm_cones *cones) {
  scree_context *context = op->context;
  memset(cones, 0, sizeof *cones);
  cones->of_block = memory_new(context, op->block_count + 1, sizeof *cones->of_block);
  cones->held = memory_new(context, op->row_count, sizeof *cones->held);
  cones->value = memory_new(context, op->row_count, sizeof *cones->value);
  scree_status status =
      cones->of_block && cones->held && cones->value ? SCREE_OK : SCREE_ERROR_MEMORY;
  builder b;
  for (size_t i = 0; !status && i < op->block_count; i++) {
    const size_t first = op->row_start[i];
    build(ccp_set(op->problem, i), &b);
    status = memory_grow(context, &cones->cone, cones->count + CONES_OF_BLOCK, sizeof *cones->cone);
    for (int k = 0; !status && k < b.count; k++) {
      ipm_cone *c = &cones->cone[cones->count++];
      *c = b.cone[k];
      c->block = (uint32_t)i;
      for (int l = 0; l < c->dim; l++) c->row[l] += (uint32_t)first;
    }
    for (int k = 0; !status && k < ccp_dim(op->problem, i); k++) {
      cones->held[first + (size_t)k] = b.held[k];
      cones->value[first + (size_t)k] = b.value[k];
    }
    cones->of_block[i + 1] = cones->count;
  }
  if (status) ipm_cones_clear(context, cones);
  return status;
}

void ipm_cones_clear(scree_context *context, ipm_cones *cones) {
  memory_free(context, cones->cone);
  memory_free(context, cones->of_block);
  memory_free(context, cones->held);
  memory_free(context, cones->value);
  memset(cones, 0, sizeof *cones);
}

/* What is no impulse, and a natural one, in the block of a cone. */
static double none_of(const ccp_operator *op, size_t block) {
  return op->pull ? op->pull[op->row_start[block]] : 0.0;
}

static double natural(const ccp_operator *op, size_t block, double speed) {
  return op->eta_force[block] > 0.0 ? op->eta_force[block] * speed : speed;
}

bool ipm_cones_limit(const ccp_operator *op, ipm_cones *cones, const double *speed_of_island,
                     double times) {
  bool any = false;
  for (size_t k = 0; k < cones->count; k++) {
    ipm_cone *c = &cones->cone[k];
    const double most = times * natural(op, c->block, speed_of_island[c->island]);
    c->full = c->shift;
    if (c->sign < 0.0 || !(c->shift > most - none_of(op, c->block))) continue;
    c->shift = most - none_of(op, c->block);
    any = true;
  }
  return any;
}

void ipm_cones_free(ipm_cones *cones) {
  for (size_t k = 0; k < cones->count; k++) cones->cone[k].shift = cones->cone[k].full;
}

/* Between the ends of what the rays of a block allow: `size` beyond `none`, which is no impulse, or
 * from the end that is next to it, or a middle where there is less room. Strong glue may pull a
 * thousand times what it has to: from its lower end the bodies would fly apart. */
static double start_normal(const ipm_cone *cone, size_t count, double none, double size) {
  double lo = -INFINITY, hi = INFINITY;
  for (size_t k = 0; k < count; k++) {
    if (cone[k].sign > 0.0)
      lo = fmax(lo, -cone[k].shift);
    else
      hi = fmin(hi, cone[k].shift);
  }
  if (isinf(lo)) return hi - size;
  if (none >= hi) return hi - fmin(size, 0.5 * (hi - lo));
  const double from = fmax(lo, none);
  return from + fmin(size, 0.5 * (hi - from));
}

void ipm_cones_start(const ccp_operator *op, ipm_cones *cones, const double *speed_of_island,
                     double *g) {
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t begin = cones->of_block[i], count = cones->of_block[i + 1] - begin;
    for (size_t row = op->row_start[i]; row < op->row_start[i + 1]; row++)
      g[row] = cones->held[row] ? cones->value[row] : 0.0;
    if (count == 0) continue;
    const double speed = speed_of_island[cones->cone[begin].island];
    const double size = natural(op, i, speed), none = none_of(op, i);
    g[cones->cone[begin].row[0]] = start_normal(cones->cone + begin, count, none, size);
    for (size_t k = begin; k < begin + count; k++) {
      cones->cone[k].s[0] = speed;
      cones->cone[k].s[1] = cones->cone[k].s[2] = 0.0;
    }
  }
}

/* As far inside the cone as rounding can tell, as a share of x_0^2. */
static const double inside = 0x1p-52;

/* ---- scaling -------------------------------------------------------------------------------- */

static double tail_norm(const double *x, int dim) {
  return dim == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : dim == 2 ? fabs(x[1]) : 0.0;
}

/* x_0^2 - |x_1|^2 without cancelling the squares. */
static double determinant(const double *x, int dim) {
  const double t = tail_norm(x, dim);
  return (x[0] - t) * (x[0] + t);
}

static double tail_dot(const double *x, const double *y, int dim) {
  double sum = 0.0;
  for (int k = 1; k < dim; k++) sum += x[k] * y[k];
  return sum;
}

void ipm_cone_begin(ipm_cone *c, const double *g) {
  c->x[0] = c->sign * g[c->row[0]] + c->shift;
  for (int k = 1; k < c->dim; k++) c->x[k] = g[c->row[k]] / c->scale[k];
  c->det_x = determinant(c->x, c->dim);
  c->det_s = determinant(c->s, c->dim);
  c->product = c->x[0] * c->s[0] + tail_dot(c->x, c->s, c->dim);
}

/* y = W x, or W^-1 x. */
static void scale_vector(const ipm_cone *c, bool inverse, const double *x, double *y) {
  const double e = inverse ? 1.0 / c->e : c->e;
  if (c->dim == 1) {
    y[0] = e * x[0];
    return;
  }
  const double omega = inverse ? 1.0 / c->omega : c->omega, along = tail_dot(c->n, x, c->dim);
  const double plus = 0.5 * omega * (x[0] + along), minus = 0.5 / omega * (x[0] - along);
  y[0] = e * (plus + minus);
  for (int k = 1; k < c->dim; k++) y[k] = e * (x[k] + (plus - minus - along) * c->n[k]);
}

static bool scaling_of(ipm_cone *c) {
  if (c->dim == 1) {
    c->e = sqrt(c->x[0] / c->s[0]);
    c->lambda[0] = sqrt(c->x[0]) * sqrt(c->s[0]);
    return c->e > 0.0 && isfinite(c->e) && c->lambda[0] > 0.0;
  }
  const double dx = sqrt(c->det_x), ds = sqrt(c->det_s);
  const double gamma = sqrt(0.5 * (1.0 + c->product / (dx * ds)));
  double sum = 0.0;
  for (int k = 1; k < c->dim; k++) {
    c->n[k] = c->x[k] / dx - c->s[k] / ds;
    sum += c->n[k] * c->n[k];
  }
  const double turn = sqrt(sum), sinh_turn = turn / (2.0 * gamma);
  for (int k = 1; k < c->dim; k++) c->n[k] = turn > 0.0 ? c->n[k] / turn : k == 1 ? 1.0 : 0.0;
  c->omega = sinh_turn + sqrt(1.0 + sinh_turn * sinh_turn);
  c->e = sqrt(dx / ds);
  /* The strong side of lambda is read from x, the weak one from s, each where it is large: the
   * rounding of the rest is not stretched by W. */
  const double nx = tail_dot(c->n, c->x, c->dim), ns = tail_dot(c->n, c->s, c->dim);
  const double plus = (c->x[0] + nx) / (c->e * c->omega), minus = c->e * (c->s[0] - ns) / c->omega;
  c->lambda[0] = 0.5 * (plus + minus);
  for (int k = 1; k < c->dim; k++)
    c->lambda[k] = 0.5 * ((plus - minus) * c->n[k] + (c->x[k] - nx * c->n[k]) / c->e +
                          (c->s[k] - ns * c->n[k]) * c->e);
  return isfinite(c->omega) && c->e > 0.0 && isfinite(c->e) && plus > 0.0 && minus > 0.0 &&
         determinant(c->lambda, c->dim) > 0.0;
}

static bool try_scaling(ipm_cone *c) {
  ipm_cone next = *c;
  if (!(c->x[0] > 0.0) || !(c->s[0] > 0.0) || !(c->det_x > 0.0) || !(c->det_s > 0.0) ||
      !(c->product > 0.0) || !scaling_of(&next))
    return false;
  *c = next;
  return true;
}

bool ipm_cone_scale(ipm_cone *c) {
  if (try_scaling(c)) return true;
  /* The predicted determinants do not agree any more: they are computed from x and s, at least a
   * little inside. */
  c->det_x = fmax(determinant(c->x, c->dim), inside * c->x[0] * c->x[0]);
  c->det_s = fmax(determinant(c->s, c->dim), inside * c->s[0] * c->s[0]);
  c->product = fmax(c->x[0] * c->s[0] + tail_dot(c->x, c->s, c->dim), sqrt(c->det_x * c->det_s));
  return try_scaling(c);
}

/* The direction across n among the tangents. */
static void across(const ipm_cone *c, double *out) {
  out[0] = out[1] = out[2] = 0.0;
  if (c->dim < 3) return;
  out[1] = -c->n[2];
  out[2] = c->n[1];
}

/* Columns of F along the axes of W: the strong and the weak side of the turn, and across it. Each
 * column has one size, so that a factorisation does not mix large and small numbers. */
static void factor_alone(ipm_cone *c, uint32_t first, size_t dim, double *f) {
  const double half = sqrt(0.5);
  double axis[3][3] = {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  double stretch[3] = {c->e, c->e, c->e};
  if (c->dim > 1) {
    stretch[0] = c->e * c->omega;
    stretch[1] = c->e / c->omega;
    axis[0][0] = axis[1][0] = half;
    for (int k = 1; k < c->dim; k++) {
      axis[0][k] = half * c->n[k];
      axis[1][k] = -half * c->n[k];
    }
    across(c, axis[2]);
  }
  for (int l = 0; l < c->dim; l++)
    for (int k = 0; k < c->dim; k++) {
      f[(c->row[k] - first) * dim + (c->row[l] - first)] =
          stretch[l] * axis[l][k] * (k == 0 ? c->sign : c->scale[k]);
      c->share[k][l] = axis[l][k];
    }
}

/* With theta the turn, omega = e^theta: eliminating the tangents of W^-2 leaves 1/(W^2)_00 and the
 * factors tanh 2 theta (normal to tangents) and 1/sqrt(cosh 2 theta) (along n). */
static double normal_stiffness(const ipm_cone *c) {
  if (c->dim == 1) return 1.0 / (c->e * c->e);
  const double o2 = c->omega * c->omega;
  return 2.0 / (c->e * c->e * (o2 + 1.0 / o2));
}

static void factor_shared(ipm_cone *c, double root, uint32_t first, size_t dim, double *f) {
  const size_t n = c->row[0] - first;
  f[n * dim + n] = 1.0 / root;
  if (c->dim == 1) {
    c->share[0][0] = c->sign / (c->e * root);
    return;
  }
  const double o = c->omega, o2 = o * o, both = o2 + 1.0 / o2;
  const double tanh2 = (o2 - 1.0 / o2) / both, along = 1.0 / sqrt(0.5 * both);
  const double sinh1 = 0.5 * (o - 1.0 / o), cosh1 = 0.5 * (o + 1.0 / o);
  double other[3];
  across(c, other);
  c->share[0][0] = 2.0 * cosh1 / (c->e * both * root);
  c->share[0][1] = -along * sinh1;
  c->share[0][2] = 0.0;
  for (int k = 1; k < c->dim; k++) {
    double *row = f + (c->row[k] - first) * dim;
    row[n] = c->scale[k] * tanh2 * c->n[k] / root;
    row[c->row[1] - first] = c->scale[k] * c->e * along * c->n[k];
    if (c->dim == 3) row[c->row[2] - first] = c->scale[k] * c->e * other[k];
    c->share[k][0] = 2.0 * sinh1 * c->n[k] / (c->e * both * root);
    c->share[k][1] = along * cosh1 * c->n[k];
    c->share[k][2] = other[k];
  }
}

void ipm_cones_factor(ipm_cone *c, size_t count, uint32_t first, size_t dim, double *f) {
  if (count == 1) {
    factor_alone(c, first, dim, f);
    return;
  }
  double sum = 0.0;
  for (size_t k = 0; k < count; k++) sum += normal_stiffness(&c[k]);
  for (size_t k = 0; k < count; k++) factor_shared(&c[k], sqrt(sum), first, dim, f);
}

/* ---- steps ---------------------------------------------------------------------------------- */

void ipm_cone_take_step(ipm_cone *c, const double *z) {
  for (int k = 0; k < c->dim; k++) {
    c->dx[k] = 0.0;
    for (int l = 0; l < c->dim; l++) c->dx[k] += c->share[k][l] * z[c->row[l]];
  }
}

void ipm_cone_add_rhs(const ipm_cone *c, const double *y, double *rhs) {
  for (int l = 0; l < c->dim; l++)
    for (int k = 0; k < c->dim; k++) rhs[c->row[l]] += c->share[k][l] * y[k];
}

void ipm_cone_corrector(const ipm_cone *c, double centre, double *out) {
  double v[3];
  v[0] = centre - c->dx[0] * c->ds[0] - tail_dot(c->dx, c->ds, c->dim);
  if (c->dim == 1) {
    out[0] = v[0] / c->lambda[0];
    return;
  }
  for (int k = 1; k < c->dim; k++) v[k] = -c->dx[0] * c->ds[k] - c->ds[0] * c->dx[k];
  const double det = sqrt(c->det_x) * sqrt(c->det_s);
  out[0] = (c->lambda[0] * v[0] - tail_dot(c->lambda, v, c->dim)) / det;
  for (int k = 1; k < c->dim; k++) out[k] = (v[k] - out[0] * c->lambda[k]) / c->lambda[0];
}

void ipm_cone_subtract_dual(const ipm_cone *c, double *out) {
  out[c->row[0]] -= c->sign * c->s[0];
  for (int k = 1; k < c->dim; k++) out[c->row[k]] -= c->s[k] / c->scale[k];
}

/* How far lambda may go along d: one over the largest -eigenvalue of d in the frame of lambda. */
static double reach(const ipm_cone *c, const double *d) {
  if (c->dim == 1) return d[0] < 0.0 ? -c->lambda[0] / d[0] : INFINITY;
  const double root = sqrt(sqrt(c->det_x) * sqrt(c->det_s));
  double l[3] = {0.0}, rest[3] = {0.0};
  for (int k = 0; k < c->dim; k++) l[k] = c->lambda[k] / root;
  const double along = l[0] * d[0] - tail_dot(l, d, c->dim);
  const double factor = (along + d[0]) / (l[0] + 1.0);
  for (int k = 1; k < c->dim; k++) rest[k] = d[k] - factor * l[k];
  const double worst = tail_norm(rest, c->dim) - along;
  return worst > 0.0 ? root / worst : INFINITY;
}

double ipm_cone_longest(const ipm_cone *c, double most) {
  return fmin(most, fmin(reach(c, c->dx), reach(c, c->ds)));
}

double ipm_cone_product(const ipm_cone *c, double step) {
  double sum = 0.0;
  for (int k = 0; k < c->dim; k++)
    sum += (c->lambda[k] + step * c->dx[k]) * (c->lambda[k] + step * c->ds[k]);
  return sum;
}

/* det(lambda + step d) */
static double moved_determinant(const ipm_cone *c, double step, const double *d) {
  double y[3] = {0.0};
  for (int k = 0; k < c->dim; k++) y[k] = c->lambda[k] + step * d[k];
  return determinant(y, c->dim);
}

/* Below this share of its terms a difference is rounding: what the scaled step promised is taken.
 */
static const double rounding = 64.0 * 0x1p-52;
/* A step short of the boundary leaves this share of det lambda, whatever rounding says. */
static const double least_left = 1e-6;

/* Takes the determinant that the scaled step promised where that of x is mere rounding, and makes
 * x_0 large enough for it. */
static bool pushed_inside(double *x, int dim, double *det, double promised) {
  if (x[0] > 0.0 && *det > 0.5 * promised) {
    if (*det - promised < rounding * x[0] * x[0]) *det = promised;
    return false;
  }
  const double t = tail_norm(x, dim);
  x[0] = sqrt(promised + t * t);
  *det = promised;
  return true;
}

void ipm_cone_advance(ipm_cone *c, double step, double *g) {
  if (!(step > 0.0)) return;
  const double e2 = c->e * c->e, least = least_left * sqrt(c->det_x) * sqrt(c->det_s);
  const double det_x = e2 * fmax(moved_determinant(c, step, c->dx), least),
               det_s = fmax(moved_determinant(c, step, c->ds), least) / e2;
  const double product = fmax(ipm_cone_product(c, step), sqrt(det_x) * sqrt(det_s));
  double ds[3];
  scale_vector(c, true, c->ds, ds);
  for (int k = 0; k < c->dim; k++) c->s[k] += step * ds[k];
  ipm_cone_begin(c, g);
  if (pushed_inside(c->x, c->dim, &c->det_x, det_x)) g[c->row[0]] = c->sign * (c->x[0] - c->shift);
  pushed_inside(c->s, c->dim, &c->det_s, det_s);
  if (!(c->product > 0.5 * product) || c->product - product < rounding * c->x[0] * c->s[0])
    c->product = product;
}
