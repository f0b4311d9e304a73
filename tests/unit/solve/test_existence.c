/* Existence: witnesses and certificates are checked here once more, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/timer.h"
#include "scree/scree.h"
#include "tests/support/packing.h"
#include "tests/support/planar.h"

/* A unit ball between two walls that move towards each other at the given speed. */
static scree_ccp *squeezed(scree_context *context, double speed, double mu, double tilt) {
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  const scree_ccp_body_def body = {.inverse_mass = 1.0, .inverse_inertia = {2, 0, 0, 2, 0, 2}};
  assert_int_equal(scree_ccp_add_body(problem, &body, NULL), SCREE_OK);
  for (int side = 0; side < 2; side++) {
    scree_ccp_contact_def c = scree_ccp_contact_def_default();
    c.body_b = 0;
    c.set = scree_set_coulomb(3, mu);
    c.normal[0] = side ? -cos(tilt) : cos(tilt);
    c.normal[1] = sin(tilt);
    c.normal[2] = 0.0;
    for (int k = 0; k < 3; k++) c.arm_b[k] = -c.normal[k];
    c.offset[0] = -speed;
    assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
  }
  return problem;
}

static scree_existence check(scree_context *context, const scree_ccp *problem, scree_model model,
                             double *v, double *u, double *certificate) {
  scree_existence answer;
  assert_int_equal(scree_ccp_check_existence(context, problem, model, v, u, certificate, &answer),
                   SCREE_OK);
  return answer;
}

/* Walls at an angle let the ball out: v_y = speed / sin(tilt) at least, and friction asks more. */
static void test_wedge(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (int model = 0; model < 2; model++) {
    scree_ccp *problem = squeezed(context, 0.5, 0.2, 0.6);
    double v[6], u[6];
    const scree_existence answer = check(context, problem, (scree_model)model, v, u, NULL);
    assert_int_equal(answer.verdict, SCREE_EXISTENCE_EXISTS);
    assert_true(answer.margin > 0.0);
    for (int side = 0; side < 2; side++) {
      const double n[3] = {side ? -cos(0.6) : cos(0.6), sin(0.6), 0.0};
      const double normal = n[0] * v[0] + n[1] * v[1] - 0.5;
      assert_true(fabs(normal - u[3 * side]) < 1e-12);
      assert_true(normal - 0.2 * hypot(u[3 * side + 1], u[3 * side + 2]) > answer.margin - 1e-12);
    }
    scree_ccp_destroy(problem);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void test_vice(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (int model = 0; model < 2; model++) {
    scree_ccp *problem = squeezed(context, 0.5, 0.2, 0.0);
    double d[6];
    const scree_existence answer = check(context, problem, (scree_model)model, NULL, NULL, d);
    assert_int_equal(answer.verdict, SCREE_EXISTENCE_NONE);
    assert_true(d[0] > 0.0 && fabs(d[0] - d[3]) < 1e-6 * d[0]);
    for (int side = 0; side < 2; side++)
      assert_true(hypot(d[3 * side + 1], d[3 * side + 2]) <= 0.2 * d[3 * side] + 1e-12);
    assert_true(-0.5 * (d[0] + d[3]) < 0.0);
    scree_ccp_destroy(problem);
    /* The interior point method ends with the same proof. */
    scree_solver *solver = NULL;
    assert_int_equal(scree_solver_create(context, "ipm", &solver), SCREE_OK);
    scree_solve_settings settings = scree_solve_settings_default();
    settings.model = (scree_model)model;
    scree_solve_info info;
    problem = squeezed(context, 0.5, 0.2, 0.0);
    assert_int_equal(scree_solver_solve(solver, problem, &settings, d, &info), SCREE_OK);
    assert_int_equal(info.outcome, SCREE_OUTCOME_INFEASIBLE);
    scree_solver_destroy(solver);
    scree_ccp_destroy(problem);
    /* The walls stand still: a solution exists, at margin 0, so nothing can be said. */
    problem = squeezed(context, 0.0, 0.2, 0.0);
    assert_int_equal(check(context, problem, (scree_model)model, NULL, NULL, NULL).verdict,
                     SCREE_EXISTENCE_UNKNOWN);
    scree_ccp_destroy(problem);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* A packing can always be thrown upwards. */
static void test_packing(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 3;
  scree_ccp *problem = NULL;
  assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
  const scree_existence answer = check(context, problem, SCREE_MODEL_COULOMB, NULL, NULL, NULL);
  assert_int_equal(answer.verdict, SCREE_EXISTENCE_EXISTS);
  assert_true(answer.margin > 0.0);
  scree_ccp_destroy(problem);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* ---- Painlevé and Klein's bar: existence in closed form (test_fixed_point.c derives it) --------
 */

static void check_bar(scree_context *context, double u0, double a, double mu) {
  const double h[2] = {sin(a), cos(a)};
  const planar p = {.contacts = 1,
                    .w = {h[0] * h[0], h[0] * h[1], h[1] * h[0], h[1] * h[1]},
                    .q = {-h[0] * h[0], u0 - h[1] * h[0]},
                    .mu = {mu}};
  const bool exists = u0 <= 0.0 || tan(a) > mu;
  scree_ccp *problem = NULL;
  assert_int_equal(planar_create(context, &p, &problem), SCREE_OK);
  for (int model = 0; model < 2; model++) {
    double d[2], u[2];
    scree_certificate proof;
    const scree_existence answer = check(context, problem, (scree_model)model, NULL, u, d);
    assert_int_equal(answer.verdict, exists ? SCREE_EXISTENCE_EXISTS : SCREE_EXISTENCE_NONE);
    if (exists) {
      assert_true(answer.witness);
      assert_true(u[0] - mu * fabs(u[1]) > 0.0);
    } else if (model == SCREE_MODEL_COULOMB) {
      /* Impulses along the normal alone do move it: only the states tell. */
      assert_true(answer.states_refuted && answer.states == 4);
    } else {
      assert_int_equal(
          scree_ccp_check_certificate(context, problem, SCREE_MODEL_RELAXED, d, &proof), SCREE_OK);
      assert_true(proof.holds);
      assert_true(fabs(h[0] * d[0] + h[1] * d[1]) < 1e-8 * hypot(d[0], d[1]));
      assert_true(fabs(d[1]) <= mu * d[0] * (1.0 + 1e-12));
      assert_true(p.q[0] * d[0] + p.q[1] * d[1] < 0.0);
    }
  }
  scree_ccp_destroy(problem);
}

static void test_bar(void **state) {
  (void)state;
  static const double speeds[] = {-2.0, -0.3, 0.01, 0.3, 2.0}, frictions[] = {0.1, 0.5, 0.8, 2.0};
  scree_context *context = scree_context_create(NULL);
  for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
    for (size_t j = 0; j < sizeof frictions / sizeof *frictions; j++)
      for (int k = 1; k < 9; k++) check_bar(context, speeds[i], 0.17 * k, frictions[j]);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* ---- unsymmetric W -----------------------------------------------------------------------------
 */

static scree_ccp *pair(scree_context *context, const double w[6][6], const double *q) {
  size_t start[7];
  uint32_t index[36];
  double value[36];
  for (size_t j = 0; j <= 6; j++) start[j] = 6 * j;
  for (size_t k = 0; k < 36; k++) {
    index[k] = (uint32_t)(k % 6);
    value[k] = w[k % 6][k / 6];
  }
  const scree_csc matrix = {6, 6, start, index, value};
  const scree_set sets[] = {scree_set_coulomb(3, 0.3), scree_set_coulomb(3, 0.3)};
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_local(context, 2, sets, &matrix, q, NULL, &problem), SCREE_OK);
  return problem;
}

static void test_unsymmetric(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  const double q[] = {-1.0, 0.0, 0.0, -1.0, 0.0, 0.0};
  double w[6][6] = {{1, 0, 0, -1, 0, 0}, {0, 2, 0.001, 0, 0, 0}, {0, 0, 2, 0, 0, 0},
                    {-1, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 2, 0},     {0, 0.002, 0, 0, 0, 2}};
  for (int model = 0; model < 2; model++) {
    /* W'd = 0 for equal normals, whatever the tangents do. */
    scree_ccp *problem = pair(context, w, q);
    double d[6];
    const scree_existence answer = check(context, problem, (scree_model)model, NULL, NULL, d);
    assert_int_equal(answer.verdict, SCREE_EXISTENCE_NONE);
    assert_true(answer.asymmetry > 1e-4);
    assert_true(d[0] > 0.0 && fabs(d[0] - d[3]) < 1e-8 * d[0]);
    scree_ccp_destroy(problem);
  }
  /* Normals unsymmetric by 1e-3: W g = -q has a positive solution, though a large one. */
  w[3][0] = -1.0 + 1e-3;
  for (int model = 0; model < 2; model++) {
    scree_ccp *problem = pair(context, w, q);
    double d[6] = {1.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    scree_certificate proof;
    assert_int_not_equal(check(context, problem, (scree_model)model, NULL, NULL, d).verdict,
                         SCREE_EXISTENCE_NONE);
    d[0] = d[3] = 1.0;
    d[1] = d[2] = d[4] = d[5] = 0.0;
    assert_int_equal(scree_ccp_check_certificate(context, problem, (scree_model)model, d, &proof),
                     SCREE_OK);
    assert_false(proof.holds);
    scree_ccp_destroy(problem);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* ---- certificates ------------------------------------------------------------------------------
 */

/* What is no proof must not pass for one. */
static void test_false_certificates(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = squeezed(context, 0.5, 0.2, 0.0);
  static const struct {
    double d[6];
    scree_model model;
    bool holds;
  } cases[] = {
      {{1, 0, 0, 1, 0, 0}, SCREE_MODEL_COULOMB, true},
      {{1, 0, 0, 1, 0, 0}, SCREE_MODEL_RELAXED, true},
      {{0, 0, 0, 0, 0, 0}, SCREE_MODEL_RELAXED, false},
      {{1, 0, 0, 1.001, 0, 0}, SCREE_MODEL_RELAXED, false},
      {{1, 0, 0, 0, 0, 0}, SCREE_MODEL_RELAXED, false},
      {{-1, 0, 0, -1, 0, 0}, SCREE_MODEL_RELAXED, false},
      {{1, 0.3, 0, 1, 0.3, 0}, SCREE_MODEL_RELAXED, false},
      {{1, NAN, 0, 1, 0, 0}, SCREE_MODEL_RELAXED, false},
      {{1, INFINITY, 0, 1, 0, 0}, SCREE_MODEL_RELAXED, false},
  };
  scree_certificate proof;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    assert_int_equal(
        scree_ccp_check_certificate(context, problem, cases[k].model, cases[k].d, &proof),
        SCREE_OK);
    assert_int_equal(proof.holds, cases[k].holds);
  }
  scree_ccp_destroy(problem);
  /* The walls move apart: the same impulses gain nothing. */
  problem = squeezed(context, -0.5, 0.2, 0.0);
  assert_int_equal(
      scree_ccp_check_certificate(context, problem, SCREE_MODEL_COULOMB, cases[0].d, &proof),
      SCREE_OK);
  assert_false(proof.holds);
  scree_ccp_destroy(problem);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* A row of balls of different weight between two walls that close in. */
static void test_row_of_balls(void **state) {
  (void)state;
  enum { BALLS = 30, ROWS = 3 * (BALLS + 1) };
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  for (int k = 0; k < BALLS; k++) {
    const double m = k % 3 == 0 ? 1e-3 : 1.0 + k;
    const scree_ccp_body_def body = {.inverse_mass = m,
                                     .inverse_inertia = {2 * m, 0, 0, 2 * m, 0, 2 * m}};
    assert_int_equal(scree_ccp_add_body(problem, &body, NULL), SCREE_OK);
  }
  for (uint32_t k = 0; k <= BALLS; k++) {
    scree_ccp_contact_def c = scree_ccp_contact_def_default();
    c.body_a = k > 0 ? k - 1 : SCREE_CCP_WORLD;
    c.body_b = k < BALLS ? k : SCREE_CCP_WORLD;
    c.set = scree_set_coulomb(3, 0.4);
    c.normal[0] = 1.0;
    c.normal[1] = c.normal[2] = 0.0;
    if (k > 0) c.arm_a[0] = 1.0;
    if (k < BALLS) c.arm_b[0] = -1.0;
    c.offset[0] = k == BALLS / 2 ? -0.1 : 0.0;
    assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
  }
  for (int model = 0; model < 2; model++) {
    double d[ROWS];
    assert_int_equal(check(context, problem, (scree_model)model, NULL, NULL, d).verdict,
                     SCREE_EXISTENCE_NONE);
    for (int k = 0; k <= BALLS; k++) assert_true(fabs(d[3 * k] - d[0]) < 1e-6 * d[0]);
  }
  scree_ccp_destroy(problem);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  timer_use(TIMER_CPU); /* limits of time are the same on a busy machine */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wedge),        cmocka_unit_test(test_vice),
      cmocka_unit_test(test_packing),      cmocka_unit_test(test_bar),
      cmocka_unit_test(test_unsymmetric),  cmocka_unit_test(test_false_certificates),
      cmocka_unit_test(test_row_of_balls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
