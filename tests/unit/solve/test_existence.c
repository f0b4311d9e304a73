/* Existence: witnesses and certificates are checked here once more, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/packing.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wedge),
      cmocka_unit_test(test_vice),
      cmocka_unit_test(test_packing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
