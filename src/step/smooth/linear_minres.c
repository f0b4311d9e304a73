/* `minres`: the method of Paige and Saunders (1975) on the symmetric part of the matrix,
 * preconditioned by P = diag(A_bb, P_j + C_j), P_j of linear.h: one block per body and per joint.
 * It needs no factors of the whole.
 *
 * Where rows depend on each other the matrix is singular, and what a right side contradicts itself
 * by, if only by rounding, would add null vectors without end. So the matrix has -eps P on the rows
 * of joints, and corrections follow with the matrix as it is, as in `direct`; one that does not
 * help is not taken. */
#include <math.h>
#include <string.h>

#include "step/smooth/linear.h"

enum {
  MOST_ROWS = KKT_MOST_ROWS,
  CORRECTIONS = 12,
  VECTORS = 11,
  STOP_CHECK = 64, /* iterations between two checks whether to stop, */
  LARGE = 20000    /* but each of a system of as many unknowns */
};
static const double eps = 1e-6;
static const double enough = 1e-12, inner = 1e-10; /* of the right side, of a correction's */

typedef struct minres {
  scree_context *context;
  double *factor; /* Cholesky factors of the blocks of P, by rows, MOST_ROWS^2 per node */
  double *work;
} minres;

static void destroy(void *self) {
  minres *s = self;
  memory_free(s->context, s->factor);
  memory_free(s->context, s->work);
  memory_free(s->context, s);
}

static scree_status create(scree_context *context, void **self) {
  minres *s = memory_new(context, 1, sizeof *s);
  if (!s) return SCREE_ERROR_MEMORY;
  s->context = context;
  *self = s;
  return SCREE_OK;
}

static void joint_block(const kkt_matrix *m, uint32_t node, double *block) {
  const double *own = kkt_block(m, node, node);
  const uint32_t n = m->rows[node];
  double norm[MOST_ROWS * MOST_ROWS];
  kkt_joint_norm(m, node, norm);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++)
      block[i * MOST_ROWS + j] = norm[i * n + j] - (i == j ? own[i * n + i] : 0.0);
}

static scree_status prepare(void *self, const kkt_matrix *m) {
  minres *s = self;
  const size_t square = MOST_ROWS * MOST_ROWS;
  if (memory_grow(s->context, &s->factor, m->nodes * square + 1, sizeof(double)) ||
      memory_grow(s->context, &s->work, VECTORS * m->size + 1, sizeof(double)))
    return SCREE_ERROR_MEMORY;
  memset(s->factor, 0, m->nodes * square * sizeof(double));
  for (uint32_t i = 0; i < m->nodes; i++) {
    double *block = s->factor + i * square;
    if (i < m->bodies) {
      kkt_body_factor(m, i, MOST_ROWS, block);
    } else {
      joint_block(m, i, block);
      kkt_factor_block(m->rows[i], MOST_ROWS, block);
    }
  }
  return SCREE_OK;
}

static void precondition(const minres *s, const kkt_matrix *m, const double *x, double *y) {
  memcpy(y, x, m->size * sizeof *y);
  for (uint32_t i = 0; i < m->nodes; i++)
    kkt_solve_block(m->rows[i], MOST_ROWS, s->factor + (size_t)i * MOST_ROWS * MOST_ROWS,
                    y + m->first[i]);
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* y = (A + A')/2 x - eps P x on the rows of joints, P = L L'. */
static void multiply_shifted(const minres *s, const kkt_matrix *m, const double *x, double *y) {
  kkt_multiply_symmetric(m, x, y);
  for (uint32_t i = (uint32_t)m->bodies; i < m->nodes; i++) {
    const double *l = s->factor + (size_t)i * MOST_ROWS * MOST_ROWS, *from = x + m->first[i];
    double t[MOST_ROWS], *to = y + m->first[i];
    const uint32_t n = m->rows[i];
    for (uint32_t c = 0; c < n; c++) {
      t[c] = 0.0;
      for (uint32_t r = c; r < n; r++) t[c] += l[r * MOST_ROWS + c] * from[r];
    }
    for (uint32_t r = 0; r < n; r++)
      for (uint32_t c = 0; c <= r; c++) to[r] -= eps * l[r * MOST_ROWS + c] * t[c];
  }
}

/* Adds to x the solution for the right side v, which is lost, until the residual is below `goal` in
 * the norm of P^-1. z = P^-1 v. The recurrences of Paige and Saunders, with v unscaled Lanczos
 * vectors. */
static scree_status correct(minres *s, const kkt_matrix *m, double *v, double *z, double goal,
                            double *x) {
  const size_t n = m->size;
  double *v_old = s->work, *v_new = v_old + n, *w_old = v_new + n, *w = w_old + n, *w_new = w + n,
         *az = w_new + n;
  memset(s->work, 0, 6 * n * sizeof *s->work);
  double beta = sqrt(fmax(dot(z, v, n), 0.0)), eta = beta;
  double c_old = 1.0, c = 1.0, s_old = 0.0, sn = 0.0, beta_old = 1.0;
  const long limit = 20 * (long)n + 100;
  for (long k = 0; k < limit && beta > 0.0 && fabs(eta) > goal; k++) {
    if ((k % STOP_CHECK == STOP_CHECK - 1 || n > LARGE) && context_stopped(s->context))
      return context_fail(s->context, SCREE_ERROR_STOPPED, "minres: stopped by the caller");
    for (size_t i = 0; i < n; i++) z[i] /= beta;
    multiply_shifted(s, m, z, az);
    const double alpha = dot(z, az, n);
    for (size_t i = 0; i < n; i++)
      v_new[i] = az[i] - alpha / beta * v[i] - (k ? beta / beta_old * v_old[i] : 0.0);
    precondition(s, m, v_new, az);
    const double beta_new = sqrt(fmax(dot(az, v_new, n), 0.0));
    const double a0 = c * alpha - c_old * sn * beta, a1 = hypot(a0, beta_new);
    const double a2 = sn * alpha + c_old * c * beta, a3 = s_old * beta;
    if (!(a1 > 1e-14 * fabs(alpha) + 1e-300)) break;
    const double c_new = a0 / a1, s_new = beta_new / a1;
    for (size_t i = 0; i < n; i++) {
      w_new[i] = (z[i] - a3 * w_old[i] - a2 * w[i]) / a1;
      x[i] += c_new * eta * w_new[i];
    }
    eta = -s_new * eta;
    double *t = v_old;
    v_old = v, v = v_new, v_new = t;
    t = w_old, w_old = w, w = w_new, w_new = t;
    t = z, z = az, az = t;
    beta_old = beta, beta = beta_new;
    c_old = c, c = c_new, s_old = sn, sn = s_new;
  }
  return SCREE_OK;
}

static scree_status solve(void *self, const kkt_matrix *m, double *x, double *residual) {
  minres *s = self;
  const size_t n = m->size;
  double *b = s->work + 6 * n, *r = b + n, *z = r + n, *before = z + n, *rest = before + n;
  double first = 0.0, last = INFINITY;
  memcpy(b, x, n * sizeof *b);
  memset(x, 0, n * sizeof *x);
  memset(before, 0, n * sizeof *before);
  *residual = 0.0;
  for (int k = 0; k <= CORRECTIONS; k++) {
    kkt_multiply_symmetric(m, x, rest);
    for (size_t i = 0; i < n; i++) r[i] = b[i] - rest[i];
    precondition(s, m, r, z);
    const double size = sqrt(fmax(dot(z, r, n), 0.0));
    if (k == 0) first = size;
    if (k && !(size < 0.5 * last)) { /* no gain: the rest contradicts itself */
      if (k > 1) memcpy(x, before, n * sizeof *x);
      break;
    }
    *residual = first > 0.0 ? size / first : 0.0;
    if (size <= enough * first || k == CORRECTIONS) break;
    last = size;
    memcpy(before, x, n * sizeof *x);
    const scree_status status = correct(s, m, r, z, fmax(inner * size, 0.1 * enough * first), x);
    if (status) return status;
  }
  return SCREE_OK;
}

const linear_class linear_minres = {
    .name = "minres",
    .summary = "Krylov, no factors of the whole; symmetric part only, many iterations where stiff",
    .symmetric = true,
    .large = true,
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
};
