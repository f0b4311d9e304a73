/* The global form against dense algebra done here: N = H'M^-1 H + C, r = H'M^-1 f + w, v and E. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ccp/operator.h"
#include "scree/scree.h"

enum { NV = 11, BLOCKS = 4, ROWS = 9 };

static double uniform(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0 - 0.5;
}

typedef struct fixture {
  double m[NV][NV], h[NV][ROWS], f[NV], w[ROWS], c[ROWS];
  scree_set set[BLOCKS];
} fixture;

/* M in blocks of 6, 1, 4 with its rows shuffled, H sparse with two columns that depend. */
static void fill(fixture *x, bool symmetric) {
  unsigned seed = 7;
  static const int part[NV] = {0, 2, 0, 1, 2, 0, 0, 2, 0, 2, 0};
  memset(x, 0, sizeof *x);
  for (int i = 0; i < NV; i++)
    for (int j = 0; j < NV; j++)
      if (part[i] == part[j]) x->m[i][j] = uniform(&seed) + (i == j ? 4.0 : 0.0);
  for (int i = 0; symmetric && i < NV; i++)
    for (int j = 0; j < i; j++) x->m[i][j] = x->m[j][i];
  for (int i = 0; i < NV; i++) {
    x->f[i] = uniform(&seed);
    for (int j = 0; j < ROWS; j++) x->h[i][j] = (i * 7 + j * 3) % 4 == 0 ? uniform(&seed) : 0.0;
  }
  for (int i = 0; i < NV; i++) x->h[i][8] = 2.0 * x->h[i][7];
  for (int j = 0; j < ROWS; j++) {
    x->w[j] = uniform(&seed);
    x->c[j] = j == 4 ? 0.25 : 0.0;
  }
  x->set[0] = scree_set_coulomb(3, 0.4);
  x->set[1] = scree_set_coulomb(3, 0.0);
  x->set[2] = scree_set_ray();
  x->set[3] = scree_set_free(2);
}

static size_t to_csc(int rows, int columns, const double *a, size_t *start, uint32_t *index,
                     double *value) {
  size_t n = 0;
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < rows; i++)
      if (a[i * columns + j] != 0.0) {
        index[n] = (uint32_t)i;
        value[n++] = a[i * columns + j];
      }
    start[j + 1] = n;
  }
  return n;
}

static scree_status create(scree_context *context, const fixture *x, scree_ccp **problem) {
  size_t ms[NV + 1] = {0}, hs[ROWS + 1] = {0};
  uint32_t mi[NV * NV], hi[NV * ROWS];
  double mv[NV * NV], hv[NV * ROWS];
  to_csc(NV, NV, &x->m[0][0], ms, mi, mv);
  to_csc(NV, ROWS, &x->h[0][0], hs, hi, hv);
  const scree_csc m = {NV, NV, ms, mi, mv}, h = {NV, ROWS, hs, hi, hv};
  return scree_ccp_create_global(context, BLOCKS, x->set, &m, &h, x->f, x->w, x->c, problem);
}

/* Gauss–Jordan without finesse: diagonally dominant here. */
static void invert(const double m[NV][NV], double out[NV][NV]) {
  double a[NV][2 * NV];
  for (int i = 0; i < NV; i++)
    for (int j = 0; j < 2 * NV; j++) a[i][j] = j < NV ? m[i][j] : (double)(j - NV == i);
  for (int k = 0; k < NV; k++) {
    const double p = a[k][k];
    for (int j = 0; j < 2 * NV; j++) a[k][j] /= p;
    for (int i = 0; i < NV; i++) {
      if (i == k) continue;
      const double q = a[i][k];
      for (int j = 0; j < 2 * NV; j++) a[i][j] -= q * a[k][j];
    }
  }
  for (int i = 0; i < NV; i++)
    for (int j = 0; j < NV; j++) out[i][j] = a[i][NV + j];
}

static void expect_operator(ccp_operator *op, const fixture *x) {
  double inverse[NV][NV], g[ROWS], y[ROWS], v[NV], want_v[NV];
  unsigned seed = 3;
  invert(x->m, inverse);
  for (int j = 0; j < ROWS; j++) g[j] = uniform(&seed);
  op_local_velocity(op, g, y);
  op->class->velocity(op, g, v);
  for (int i = 0; i < NV; i++) {
    want_v[i] = 0.0;
    for (int k = 0; k < NV; k++) {
      double load = x->f[k];
      for (int j = 0; j < ROWS; j++) load += x->h[k][j] * g[j];
      want_v[i] += inverse[i][k] * load;
    }
    assert_true(fabs(v[i] - want_v[i]) < 1e-13);
  }
  for (int j = 0; j < ROWS; j++) {
    double u = x->w[j] + x->c[j] * g[j];
    for (int i = 0; i < NV; i++) u += x->h[i][j] * want_v[i];
    assert_true(fabs(y[j] - u) < 1e-13);
  }
  assert_true(op->class->balance(op, g) < 1e-14);
}

static void test_condensed(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (int symmetric = 0; symmetric < 2; symmetric++) {
    fixture x;
    fill(&x, symmetric);
    scree_ccp *problem = NULL;
    assert_int_equal(create(context, &x, &problem), SCREE_OK);
    ccp_operator *op = NULL;
    assert_int_equal(op_create(context, problem, &op), SCREE_OK);
    expect_operator(op, &x);
    assert_true(symmetric ? op->asymmetry < 1e-14 : op->asymmetry > 1e-3);
    op_destroy(op);
    scree_ccp_destroy(problem);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* E of docs/theory/residuals.md written out here for one impulse. */
static void test_error(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  fixture x;
  fill(&x, true);
  scree_ccp *problem = NULL;
  assert_int_equal(create(context, &x, &problem), SCREE_OK);
  double g[ROWS] = {1.0, 0.2, 0.1, 0.5, 0.0, 0.0, 0.3, -0.1, 0.2}, u[ROWS], v[NV];
  assert_int_equal(scree_ccp_velocities(context, problem, g, u, v), SCREE_OK);
  scree_residual residual;
  assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_RELAXED, g, &residual),
                   SCREE_OK);
  double natural = 0.0, gg = 0.0, uu = 0.0;
  for (int i = 0, row = 0; i < BLOCKS; row += x.set[i++].dim) {
    double p[6];
    for (int k = 0; k < x.set[i].dim; k++) p[k] = g[row + k] - u[row + k];
    scree_set_project(&x.set[i], 1.0, p);
    for (int k = 0; k < x.set[i].dim; k++) {
      natural += (g[row + k] - p[k]) * (g[row + k] - p[k]);
      gg += g[row + k] * g[row + k];
      uu += u[row + k] * u[row + k];
    }
  }
  assert_true(fabs(residual.error - sqrt(natural / fmax(gg, uu))) < 1e-13);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

static void test_singular(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  fixture x;
  fill(&x, true);
  for (int j = 0; j < NV; j++) x.m[4][j] = x.m[9][j];
  scree_ccp *problem = NULL;
  assert_int_equal(create(context, &x, &problem), SCREE_OK);
  ccp_operator *op = NULL;
  assert_int_equal(op_create(context, problem, &op), SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(context), "singular"));
  scree_ccp_destroy(problem);
  fill(&x, true);
  x.m[3][3] = 0.0;
  assert_int_equal(create(context, &x, &problem), SCREE_OK);
  assert_int_equal(op_create(context, problem, &op), SCREE_ERROR_INPUT);
  scree_ccp_destroy(problem);
  for (int k = 0; k < NV; k += 3) {
    fill(&x, k % 2 == 0);
    x.m[k][k] = -x.m[k][k];
    assert_int_equal(create(context, &x, &problem), SCREE_OK);
    assert_int_equal(op_create(context, problem, &op), SCREE_ERROR_INPUT);
    assert_non_null(strstr(scree_context_message(context), "not positive definite"));
    scree_ccp_destroy(problem);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_condensed),
      cmocka_unit_test(test_error),
      cmocka_unit_test(test_singular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
