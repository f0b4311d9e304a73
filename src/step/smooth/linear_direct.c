/* `direct`: the multifrontal LU of math/sparse.h on the matrix with a small -eps on the rows of
 * joints, then corrections with the matrix as it is:
 *
 *   x <- x + (A_eps)^-1 (b - A x)
 *
 * With eps > 0 the matrix is quasi-definite: it can be eliminated in any order without a zero
 * pivot, whatever rows depend on each other. Errors along a direction of D' with eigenvalue s (of
 * D'A^-1 D in the metric of P) fall by eps/(eps + s) per correction; dependent directions of a
 * system that has a solution get nothing, so multipliers are of least norm. The shift is -eps P_j
 * for a joint (linear.h): what it gives way by itself, so that s does not depend on units and axes.
 *
 * A long chain of n hinges bends as a cantilever does: it has directions with s about n^-4, of
 * which corrections would take little. So where all rows are independent, each joint is eliminated
 * together with one of its bodies (glue.c) and needs no shift; only joints that found no body keep
 * it, and those on a body whose glued rows depend on each other where it stands. Where corrections
 * stall all the same on a direction that is not one of dependent rows, eps is lowered for the
 * values at hand; and then they go on as GMRES (Saad and Schultz 1986) with (A_eps)^-1 on the
 * right: a direction with a small s costs it about one iteration.
 *
 * Where values are symmetric too, as in blocks that joints hold, factors are those of U'SU with
 * S = diag(+-1), half of LU's work and memory: with its joints behind it a body's block is positive
 * definite in the elimination and its joints' is negative definite, so that no exchange is needed.
 * Should a pivot vanish, or corrections stall, LU is taken. */
#include <math.h>
#include <string.h>

#include "math/sparse.h"
#include "step/smooth/linear.h"

enum { CORRECTIONS = 12, DIRECTIONS = 30, RESTARTS = 4, MANY_JOINTS = 500 };
static const size_t most_room = 60000000; /* entries of all directions */
static const double first_eps = 1e-8, least_eps = 1e-12, enough = 1e-13, stalled = 1e-11;
static const double rounding = 1e-12;
static const double much_work = 2000.0; /* multiplications for each row */

typedef struct direct {
  scree_context *context;
  sparse_factor *factor;
  double *value, *rest, *change, *right, *basis, *x;
  double eps;   /* of the factors */
  bool shifted; /* there is any in them */
  uint32_t *glue;
  uint64_t pattern;
  bool glued;       /* the pattern was analysed with it */
  linear_sign sign; /* positive: factors are Cholesky's */
  bool signs;       /* factors are U'SU */
  kkt_points points;
} direct;

static void destroy(void *self) {
  direct *d = self;
  sparse_destroy(d->factor);
  memory_free(d->context, d->value);
  memory_free(d->context, d->rest);
  memory_free(d->context, d->change);
  memory_free(d->context, d->right);
  memory_free(d->context, d->basis);
  memory_free(d->context, d->glue);
  memory_free(d->context, d->x);
  kkt_points_clear(d->context, &d->points);
  memory_free(d->context, d);
}

static scree_status create(scree_context *context, void **self) {
  direct *d = memory_new(context, 1, sizeof *d);
  if (!d) return SCREE_ERROR_MEMORY;
  d->context = context;
  const scree_status status = sparse_create(context, &d->factor);
  if (status)
    memory_free(context, d);
  else
    *self = d;
  return status;
}

static scree_status analyse(direct *d, const kkt_matrix *m) {
  if (d->pattern == m->pattern && d->glued == m->independent) return SCREE_OK;
  if (memory_grow(d->context, &d->glue, m->nodes + 1, sizeof *d->glue)) return SCREE_ERROR_MEMORY;
  scree_status status = m->independent ? kkt_glue(d->context, m, d->glue) : SCREE_OK;
  if (!status)
    status = sparse_analyse_graph(d->factor, m->nodes, m->rows, m->start, m->neighbour,
                                  m->independent ? d->glue : NULL, 100.0);
  if (status) return status;
  d->pattern = m->pattern;
  d->glued = m->independent;
  return SCREE_OK;
}

/* m: the whole matrix, as what joints give way by counts turns. */
static void shift(direct *d, const kkt_matrix *m, uint32_t joint) {
  const kkt_matrix *left = &d->points.left;
  double *block = d->value + (kkt_block(left, joint, joint) - left->value);
  double norm[KKT_MOST_ROWS * KKT_MOST_ROWS];
  kkt_joint_norm(m, joint, norm);
  for (uint32_t n = 0; n < m->rows[joint] * m->rows[joint]; n++) block[n] -= d->eps * norm[n];
  d->shifted = true;
}

/* Shifts the blocks of joints that have no body to be eliminated with, or one that does not hold
 * them. */
static void shift_some(direct *d, const kkt_matrix *m) {
  for (uint32_t i = 0; i < m->bodies; i++) {
    bool any = false;
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++)
      any |= m->neighbour[k] >= m->bodies && d->glue[m->neighbour[k]] == i;
    if (!any || kkt_glue_holds(m, d->glue, i)) continue;
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++)
      if (m->neighbour[k] >= m->bodies && d->glue[m->neighbour[k]] == i)
        shift(d, m, m->neighbour[k]);
  }
  for (uint32_t j = (uint32_t)m->bodies; j < m->nodes; j++)
    if (d->glue[j] == j) shift(d, m, j);
}

/* Cholesky's factors where there are no joints and values are symmetric and positive definite. */
static linear_sign take_root(direct *d, const kkt_matrix *m) {
  if (m->nodes > m->bodies || !kkt_symmetric(m, 1e-12)) return LINEAR_UNKNOWN;
  const sparse_blocks blocks = {.offset = m->offset, .value = m->value};
  return sparse_factorise(d->factor, &blocks, SPARSE_CHOLESKY) ? LINEAR_POSITIVE
                                                               : LINEAR_INDEFINITE;
}

/* Is U'SU worth a try? */
static bool is_for_signs(const direct *d, const kkt_matrix *m) {
  return d->glued && sparse_work(d->factor) > much_work && kkt_symmetric(m, 1e-12);
}

static scree_status factorise(direct *d, const kkt_matrix *whole, bool signs) {
  const kkt_matrix *m = &d->points.left;
  size_t replaced;
  d->shifted = false;
  memcpy(d->value, m->value, m->value_count * sizeof *d->value);
  if (d->glued)
    shift_some(d, whole);
  else
    for (uint32_t j = (uint32_t)m->bodies; j < m->nodes; j++) shift(d, whole, j);
  const sparse_blocks blocks = {.offset = m->offset, .value = d->value};
  d->signs = signs && sparse_factorise(d->factor, &blocks, SPARSE_SIGNED);
  if (d->signs) return SCREE_OK;
  const scree_status status = signs ? context_go_on(d->context, "direct") : SCREE_OK;
  return status ? status : sparse_factorise_lu(d->factor, m->offset, d->value, 0.0, &replaced);
}

static scree_status prepare(void *self, const kkt_matrix *whole) {
  direct *d = self;
  scree_status status = kkt_points_find(d->context, whole, &d->points);
  if (status) return status;
  const kkt_matrix *m = &d->points.left;
  if (memory_grow(d->context, &d->value, m->value_count + 1, sizeof *d->value) ||
      memory_grow(d->context, &d->rest, m->size + 1, sizeof *d->rest) ||
      memory_grow(d->context, &d->change, m->size + 1, sizeof *d->change) ||
      memory_grow(d->context, &d->right, m->size + 1, sizeof *d->right) ||
      memory_grow(d->context, &d->x, m->size + 1, sizeof *d->x))
    return SCREE_ERROR_MEMORY;
  status = analyse(d, m);
  if (status) return status;
  d->sign = take_root(d, m);
  if (d->sign == LINEAR_POSITIVE) return SCREE_OK;
  status = context_go_on(d->context, "direct");
  if (status) return status;
  d->eps = first_eps;
  return factorise(d, whole, is_for_signs(d, m));
}

/* One x <- x + (A_eps)^-1 (b - A x), with `rest` up to date before and after. */
static double correct(direct *d, const kkt_matrix *m, double *x) {
  memcpy(d->change, d->rest, m->size * sizeof *d->rest);
  sparse_solve(d->factor, d->change);
  for (size_t i = 0; i < m->size; i++) x[i] += d->change[i];
  return kkt_residual(m, d->right, x, d->rest);
}

/* ---- GMRES ---------------------------------------------------------------------------------- */

typedef struct directions {
  size_t n, split, most;
  double weight[2]; /* of the products, for the parts of bodies and of joints */
  double *v, *z;    /* orthonormal residuals, and (A_eps)^-1 of them; n apart */
  double h[DIRECTIONS + 1][DIRECTIONS], c[DIRECTIONS], s[DIRECTIONS], g[DIRECTIONS + 1];
} directions;

static double product(const directions *k, const double *a, const double *b) {
  double sum[2] = {0.0, 0.0};
  for (size_t i = 0; i < k->n; i++) sum[i >= k->split] += a[i] * b[i];
  return k->weight[0] * sum[0] + k->weight[1] * sum[1];
}

/* Column j of h and the next vector; false: there is none. */
static bool expand(direct *d, const kkt_matrix *m, directions *k, size_t j) {
  const size_t n = k->n;
  double *z = k->z + j * n, *w = k->v + (j + 1) * n;
  memcpy(z, k->v + j * n, n * sizeof *z);
  sparse_solve(d->factor, z);
  kkt_multiply(m, z, w);
  for (size_t i = 0; i <= j; i++) k->h[i][j] = 0.0;
  for (int twice = 0; twice < 2; twice++)
    for (size_t i = 0; i <= j; i++) {
      const double *v = k->v + i * n, part = product(k, v, w);
      k->h[i][j] += part;
      for (size_t r = 0; r < n; r++) w[r] -= part * v[r];
    }
  double next = sqrt(product(k, w, w));
  for (size_t r = 0; r < n && next > 0.0; r++) w[r] /= next;
  for (size_t i = 0; i < j; i++) {
    const double a = k->h[i][j], b = k->h[i + 1][j];
    k->h[i][j] = k->c[i] * a + k->s[i] * b;
    k->h[i + 1][j] = k->c[i] * b - k->s[i] * a;
  }
  const double size = hypot(k->h[j][j], next);
  if (!(size > 0.0) || !isfinite(size)) return false;
  k->c[j] = k->h[j][j] / size, k->s[j] = next / size;
  k->h[j][j] = size;
  k->g[j + 1] = -k->s[j] * k->g[j];
  k->g[j] *= k->c[j];
  return next > 0.0;
}

/* Goes on from x; what does not lower the residual by much is not taken. With dependent rows a
 * right side at the level of rounding contradicts itself, and null vectors would be all that is
 * found. */
static scree_status accelerate(direct *d, const kkt_matrix *m, double *x, double *residual) {
  directions k = {.n = m->size, .split = m->first[m->bodies]};
  const size_t room = most_room / (2 * m->size + 1);
  k.most = room < DIRECTIONS ? room : DIRECTIONS;
  if (k.most < 4) return SCREE_OK;
  if (memory_grow(d->context, &d->basis, (2 * k.most + 1) * k.n, sizeof *d->basis))
    return SCREE_ERROR_MEMORY;
  k.v = d->basis;
  k.z = d->basis + (k.most + 1) * k.n;
  for (int restart = 0; restart<RESTARTS && * residual> enough; restart++) {
    double part[2] = {0.0, 0.0}, y[DIRECTIONS];
    for (size_t i = 0; i < k.n; i++)
      part[i >= k.split] = fmax(part[i >= k.split], fabs(d->rest[i]));
    for (int i = 0; i < 2; i++) k.weight[i] = part[i] > 0.0 ? 1.0 / (part[i] * part[i]) : 1.0;
    const double size = sqrt(product(&k, d->rest, d->rest));
    size_t count = 0;
    if (!(size > 0.0)) break;
    for (size_t i = 0; i < k.n; i++) k.v[i] = d->rest[i] / size;
    k.g[0] = size;
    while (count < k.most && fabs(k.g[count]) > 1e-8 * size && expand(d, m, &k, count)) {
      const scree_status status = context_go_on(d->context, "direct");
      if (status) return status;
      count++;
    }
    for (size_t i = count; i-- > 0;) {
      y[i] = k.g[i];
      for (size_t j = i + 1; j < count; j++) y[i] -= k.h[i][j] * y[j];
      y[i] /= k.h[i][i];
    }
    memset(d->change, 0, k.n * sizeof *d->change);
    for (size_t j = 0; j < count; j++)
      for (size_t i = 0; i < k.n; i++) d->change[i] += y[j] * k.z[j * k.n + i];
    for (size_t i = 0; i < k.n; i++) x[i] += d->change[i];
    const double now = kkt_residual(m, d->right, x, d->rest);
    if (!(now < 0.1 * *residual)) {
      for (size_t i = 0; i < k.n; i++) x[i] -= d->change[i];
      break;
    }
    *residual = now;
  }
  return SCREE_OK;
}

/* x'M x of the joint or body whose block's factors (kkt_factor_block) are l, M = block^-1; x
 * becomes M x. */
static double energy(size_t n, const double *l, double *x) {
  double before[KKT_MOST_ROWS], sum = 0.0;
  memcpy(before, x, n * sizeof *x);
  kkt_solve_block(n, n, l, x);
  for (size_t r = 0; r < n; r++) sum += before[r] * x[r];
  return sum;
}

/* z = P^-1 rest of the joints' rows into `change`; *left: rest'P^-1 rest, *all: l'P l of the
 * multipliers found so far. */
static void press_back(direct *d, const kkt_matrix *whole, const double *x, double *left,
                       double *all) {
  const kkt_matrix *m = &d->points.left;
  for (uint32_t j = (uint32_t)whole->bodies; j < whole->nodes; j++) {
    const size_t n = whole->rows[j];
    double norm[KKT_MOST_ROWS * KKT_MOST_ROWS], *z = d->change + m->first[j];
    const double *l = x + m->first[j];
    kkt_joint_norm(whole, j, norm);
    for (size_t r = 0; r < n * n; r++) *all += l[r / n] * norm[r] * l[r % n];
    kkt_factor_block(n, n, norm);
    memcpy(z, d->rest + m->first[j], n * sizeof *z);
    *left += energy(n, norm, z);
  }
}

/* How far, of what joints would have alone, bodies give way to what is left over of joints' rows,
 * z = P^-1 rest: z'D'A_bb^-1 D z / z'P z. Next to nothing where rows that depend on each other
 * contradict themselves, which no correction takes away; and 0 where that is rounding of what
 * forces and reactions do. */
static double gives_way(direct *d, const kkt_matrix *whole, const double *x) {
  const kkt_matrix *m = &d->points.left;
  double sum = 0.0, left = 0.0, all = 0.0;
  memset(d->change, 0, m->size * sizeof *d->change);
  press_back(d, whole, x, &left, &all);
  for (uint32_t i = 0; i < whole->bodies; i++) {
    double load[6] = {0.0}, given[6] = {0.0}, l[36];
    for (size_t k = whole->start[i]; k < whole->start[i + 1]; k++) {
      const uint32_t j = whole->neighbour[k], rows = whole->rows[j];
      if (j < whole->bodies) continue;
      const double *block = whole->value + whole->offset[k];
      for (uint32_t r = 0; r < 6 * rows; r++)
        load[r / rows] += block[r] * d->change[m->first[j] + r % rows];
    }
    memcpy(given, d->right + m->first[i], m->rows[i] * sizeof *given);
    kkt_body_factor(whole, i, 6, l);
    sum += energy(6, l, load);
    all += energy(6, l, given);
  }
  return left > rounding * rounding * all ? sum / left : 0.0;
}

/* With x where it is; false: corrections stall. */
static bool correct_all(direct *d, const kkt_matrix *m, double *x, double *residual) {
  double last = INFINITY;
  for (int k = 0; k < CORRECTIONS; k++) {
    *residual = correct(d, m, x);
    if (!isfinite(*residual) || *residual <= enough || context_stopped(d->context)) return true;
    if (*residual > 0.5 * last) break;
    last = *residual;
  }
  return *residual <= stalled;
}

static scree_status solve_left(direct *d, const kkt_matrix *whole, const kkt_matrix *m, double *x,
                               double *residual) {
  memcpy(d->right, x, m->size * sizeof *x);
  memcpy(d->rest, x, m->size * sizeof *x);
  memset(x, 0, m->size * sizeof *x);
  if (d->signs) {
    if (correct_all(d, m, x, residual) && isfinite(*residual)) return SCREE_OK;
    const scree_status status = factorise(d, whole, false);
    if (status) return status;
    memcpy(d->rest, d->right, m->size * sizeof *x);
    memset(x, 0, m->size * sizeof *x);
  }
  /* In a small mechanism so soft a direction is that of a position in which its rows lose rank:
   * there the shift keeps Newton's method from leaving it far. */
  const bool many = m->nodes - m->bodies >= MANY_JOINTS;
  while (!correct_all(d, m, x, residual) && many && d->shifted && d->eps > 1.5 * least_eps) {
    if (!(gives_way(d, whole, x) > least_eps)) break;
    d->eps *= 1e-2;
    const scree_status status = factorise(d, whole, false);
    if (status) return status;
  }
  const scree_status status = context_go_on(d->context, "direct");
  if (status) return status;
  return m->independent && *residual > stalled ? accelerate(d, m, x, residual) : SCREE_OK;
}

static scree_status solve(void *self, const kkt_matrix *m, double *x, double *residual) {
  direct *d = self;
  kkt_points_take(&d->points, m, x, d->x);
  const scree_status status =
      solve_left(d, m, d->points.count ? &d->points.left : m, d->x, residual);
  kkt_points_give(&d->points, m, d->x, x);
  return status;
}

static linear_sign sign(const void *self) {
  return ((const direct *)self)->sign;
}

const linear_class linear_direct = {
    .name = "direct",
    .summary = "multifrontal LU with corrections; any joints, rows that depend on each other too",
    .large = true,
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
    .sign = sign,
};
