/* Steps in the diagonal metric: the result is in the set and satisfies the variational inequality
 * of the weighted projection, for every kind of set; scaling the units of a problem scales the
 * step; blocks without inertia stay. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ccp/operator_metric.h"

static uint64_t random_state = 3;

static double uniform(double lo, double hi) {
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  return lo + (hi - lo) * (double)(random_state >> 11) * 0x1p-53;
}

/* One block in the local form, its diagonal spread over decades. */
static scree_ccp *one_block(scree_context *context, scree_set set, double scale) {
  const size_t n = (size_t)set.dim;
  size_t start[SCREE_MAX_DIM + 1] = {0};
  uint32_t index[SCREE_MAX_DIM];
  double value[SCREE_MAX_DIM], q[SCREE_MAX_DIM];
  for (size_t k = 0; k < n; k++) {
    start[k + 1] = k + 1;
    index[k] = (uint32_t)k;
    value[k] = scale * pow(10.0, uniform(-2.0, 2.0));
    q[k] = uniform(-1.0, 1.0);
  }
  const scree_csc w = {n, n, start, index, value};
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_local(context, 1, &set, &w, q, NULL, &problem), SCREE_OK);
  return problem;
}

static void check_step(scree_context *context, scree_set set) {
  scree_ccp *problem = one_block(context, set, 1.0);
  ccp_operator *op = NULL;
  assert_int_equal(op_create(context, problem, &op), SCREE_OK);
  assert_int_equal(op_metric_prepare(op, NULL, 0), SCREE_OK);
  for (int trial = 0; trial < 200; trial++) {
    double y[SCREE_MAX_DIM], u[SCREE_MAX_DIM], x[SCREE_MAX_DIM], again[SCREE_MAX_DIM];
    for (int k = 0; k < set.dim; k++) {
      y[k] = uniform(-1.0, 1.0);
      u[k] = uniform(-3.0, 3.0);
    }
    const double step = uniform(0.1, 2.0);
    op_metric_step_block(op, 0, step, y, u, x);
    memcpy(again, x, sizeof again);
    scree_set_project(&set, 1.0, again);
    for (int k = 0; k < set.dim; k++) assert_true(fabs(again[k] - x[k]) <= 1e-12);
    /* (x - target)'(p - x)/e >= 0 for every p in the set. */
    for (int sample = 0; sample < 50; sample++) {
      double p[SCREE_MAX_DIM], sum = 0.0;
      for (int k = 0; k < set.dim; k++) p[k] = uniform(-2.0, 2.0);
      scree_set_project(&set, 1.0, p);
      for (int k = 0; k < set.dim; k++) {
        const double e = op->root[k] * op->root[k], target = y[k] - step * e * u[k];
        sum += (x[k] - target) * (p[k] - x[k]) / e;
      }
      assert_true(sum >= -1e-9);
    }
  }
  op_destroy(op);
  scree_ccp_destroy(problem);
}

static void test_variational_inequality(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_set cohesive = scree_set_coulomb(3, 0.4), capped = scree_set_rolling(6, 0.5, 0.1, 0.2);
  cohesive.cohesion = 0.2;
  cohesive.cap = 0.7;
  capped.cap = 0.5;
  const scree_set sets[] = {scree_set_free(3),
                            scree_set_ray(),
                            scree_set_interval(-0.3, 2),
                            scree_set_coulomb(2, 0.7),
                            scree_set_coulomb(3, 0.3),
                            scree_set_coulomb(3, 0.0),
                            scree_set_elliptic(0.2, 1),
                            scree_set_rolling(4, 0.5, 0.0, 0.1),
                            cohesive,
                            scree_set_rolling(5, 0.5, 0.1, 0.0),
                            capped,
                            scree_set_rolling(6, 0.5, 0.1, 0.2)};
  for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++)
    for (int repeat = 0; repeat < 5; repeat++) check_step(context, sets[k]);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void test_units_and_no_inertia(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  double x[2][3];
  for (int k = 0; k < 2; k++) {
    random_state = 11;
    const double mass = k ? 1e6 : 1.0;
    scree_ccp *problem = one_block(context, scree_set_coulomb(3, 0.3), 1.0 / mass);
    ccp_operator *op = NULL;
    assert_int_equal(op_create(context, problem, &op), SCREE_OK);
    assert_int_equal(op_metric_prepare(op, NULL, 0), SCREE_OK);
    const double y[3] = {mass * 0.5, mass * 0.1, mass * -0.2}, u[3] = {0.1, 0.3, -0.6};
    op_metric_step_block(op, 0, 0.7, y, u, x[k]);
    assert_true(fabs(op_metric_dot(op, y, y) * op_metric_dual_dot(op, u, u)) > 0.0);
    op_destroy(op);
    scree_ccp_destroy(problem);
  }
  for (int k = 0; k < 3; k++) assert_true(fabs(x[1][k] - 1e6 * x[0][k]) <= 1e-6 * fabs(x[1][k]));
  static const size_t start[] = {0, 0};
  const scree_csc empty = {1, 1, start, NULL, NULL};
  const double q = -1.0;
  const scree_set ray = scree_set_ray();
  scree_ccp *problem = NULL;
  if (!scree_ccp_create_local(context, 1, &ray, &empty, &q, NULL, &problem)) {
    ccp_operator *op = NULL;
    assert_int_equal(op_create(context, problem, &op), SCREE_OK);
    assert_int_equal(op_metric_prepare(op, NULL, 0), SCREE_OK);
    double y = 0.25, next;
    op_metric_step_block(op, 0, 1.0, &y, &q, &next);
    assert_true(next == 0.25);
    op_destroy(op);
    scree_ccp_destroy(problem);
  }
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_variational_inequality),
      cmocka_unit_test(test_units_and_no_inertia),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
