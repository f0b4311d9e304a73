/* `minres`: the method of Paige and Saunders (1975) on the symmetric part of the matrix,
 * preconditioned by P = diag(A_bb, D_j' A_bb^-1 D_j + C_j): a block a body, a block a joint. It
 * needs no factors of the whole, and takes systems that are singular and consistent. */
#include <math.h>
#include <string.h>

#include "step/smooth/linear.h"

enum { MOST_ROWS = 12, STOP_CHECK = 64 /* iterations between two checks whether to stop */ };
static const double enough = 1e-12;

typedef struct minres {
  scree_context *context;
  double *factor; /* Cholesky factors of the blocks of P, by rows, MOST_ROWS^2 a node */
  double *work;
  size_t factor_room, work_room;
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

/* Lower Cholesky factor in place; pivots that are not positive, as those of rows that depend on
 * others, become the largest diagonal entry. */
static void factor_block(double *a, uint32_t n) {
  double most = 0.0;
  for (uint32_t i = 0; i < n; i++) most = fmax(most, a[i * MOST_ROWS + i]);
  if (!(most > 0.0)) most = 1.0;
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t i = j; i < n; i++) {
      double sum = a[i * MOST_ROWS + j];
      for (uint32_t k = 0; k < j; k++) sum -= a[i * MOST_ROWS + k] * a[j * MOST_ROWS + k];
      if (i == j)
        a[i * MOST_ROWS + i] = sqrt(sum > 1e-10 * most ? sum : most);
      else
        a[i * MOST_ROWS + j] = sum / a[j * MOST_ROWS + j];
    }
}

static void solve_block(const double *l, uint32_t n, double *x) {
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < i; k++) x[i] -= l[i * MOST_ROWS + k] * x[k];
    x[i] /= l[i * MOST_ROWS + i];
  }
  for (uint32_t i = n; i-- > 0;) {
    for (uint32_t k = i + 1; k < n; k++) x[i] -= l[k * MOST_ROWS + i] * x[k];
    x[i] /= l[i * MOST_ROWS + i];
  }
}

static void joint_block(const minres *s, const kkt_matrix *m, uint32_t node, double *block) {
  const double *own = kkt_block(m, node, node);
  const uint32_t n = m->rows[node];
  for (uint32_t i = 0; i < n; i++) block[i * MOST_ROWS + i] = -own[i * n + i];
  for (size_t k = m->start[node]; k < m->start[node + 1]; k++) {
    const uint32_t body = m->neighbour[k];
    if (body >= m->bodies) continue;
    const double *c = m->value + m->offset[k];
    for (uint32_t i = 0; i < n; i++) {
      double x[6];
      memcpy(x, c + 6 * i, sizeof x);
      solve_block(s->factor + (size_t)body * MOST_ROWS * MOST_ROWS, 6, x);
      for (uint32_t j = 0; j < n; j++)
        for (int q = 0; q < 6; q++) block[i * MOST_ROWS + j] += c[6 * j + (uint32_t)q] * x[q];
    }
  }
}

static scree_status prepare(void *self, const kkt_matrix *m) {
  minres *s = self;
  const size_t square = MOST_ROWS * MOST_ROWS;
  if (memory_grow(s->context, &s->factor, &s->factor_room, m->nodes * square + 1, sizeof(double)) ||
      memory_grow(s->context, &s->work, &s->work_room, 9 * m->size + 1, sizeof(double)))
    return SCREE_ERROR_MEMORY;
  memset(s->factor, 0, m->nodes * square * sizeof(double));
  for (uint32_t i = 0; i < m->nodes; i++) {
    double *block = s->factor + i * square;
    if (i < m->bodies) {
      const double *own = kkt_block(m, i, i);
      for (int r = 0; r < 36; r++)
        block[r / 6 * MOST_ROWS + r % 6] = 0.5 * (own[r] + own[r % 6 * 6 + r / 6]);
    } else {
      joint_block(s, m, i, block);
    }
    factor_block(block, m->rows[i]);
  }
  return SCREE_OK;
}

static void precondition(const minres *s, const kkt_matrix *m, const double *x, double *y) {
  memcpy(y, x, m->size * sizeof *y);
  for (uint32_t i = 0; i < m->nodes; i++)
    solve_block(s->factor + (size_t)i * MOST_ROWS * MOST_ROWS, m->rows[i], y + m->first[i]);
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* The recurrences of Paige and Saunders, with v unscaled Lanczos vectors and z = P^-1 v. */
static scree_status solve(void *self, const kkt_matrix *m, double *x, double *residual) {
  minres *s = self;
  const size_t n = m->size;
  double *v_old = s->work, *v = v_old + n, *v_new = v + n, *z = v_new + n, *w_old = z + n,
         *w = w_old + n, *w_new = w + n, *az = w_new + n, *b = az + n;
  memset(s->work, 0, 9 * n * sizeof *s->work);
  memcpy(b, x, n * sizeof *b);
  memcpy(v, x, n * sizeof *v);
  memset(x, 0, n * sizeof *x);
  precondition(s, m, v, z);
  double beta = sqrt(fmax(dot(z, v, n), 0.0)), eta = beta;
  const double first = beta;
  double level = INFINITY; /* of the residual n iterations ago */
  double c_old = 1.0, c = 1.0, s_old = 0.0, sn = 0.0, beta_old = 1.0;
  *residual = 0.0;
  const long limit = 20 * (long)n + 100;
  for (long k = 0; k < limit && beta > 0.0 && fabs(eta) > enough * first; k++) {
    if (k % STOP_CHECK == STOP_CHECK - 1 && context_stopped(s->context))
      return context_fail(s->context, SCREE_ERROR_STOPPED, "minres: stopped by the caller");
    /* A system that contradicts itself by rounding leaves a rest, and going on feeds on it. */
    if (k && (size_t)k % n == 0) {
      if (fabs(eta) > 0.1 * level && fabs(eta) < 1e-8 * first) break;
      level = fabs(eta);
    }
    for (size_t i = 0; i < n; i++) z[i] /= beta;
    kkt_multiply_symmetric(m, z, az);
    const double alpha = dot(z, az, n);
    for (size_t i = 0; i < n; i++)
      v_new[i] = az[i] - alpha / beta * v[i] - (k ? beta / beta_old * v_old[i] : 0.0);
    precondition(s, m, v_new, az);
    const double beta_new = sqrt(fmax(dot(az, v_new, n), 0.0));
    const double a0 = c * alpha - c_old * sn * beta, a1 = hypot(a0, beta_new);
    const double a2 = sn * alpha + c_old * c * beta, a3 = s_old * beta;
    if (!(a1 > 1e-14 * fabs(alpha) + 1e-300)) break; /* singular: nothing more to gain */
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
  *residual = first > 0.0 ? fabs(eta) / first : 0.0;
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
