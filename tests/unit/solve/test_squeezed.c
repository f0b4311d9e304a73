/* What has no solution is recognised soon, also where it is a small part of a large problem, and
 * what has one is not doubted for long.
 *
 *   wall | ball | wall    a ball between walls that come together, beside a packing
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/timer.h"
#include "scree/scree.h"
#include "tests/support/packing.h"

static scree_ccp *packing(scree_context *context, int size, double mu) {
  scree_ccp *p = NULL;
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = size;
  def.mu = mu;
  assert_int_equal(packing_create(context, &def, &p), SCREE_OK);
  return p;
}

/* A ball of 1 kg and 0.1 m; each wall approaches it at `speed`. */
static void add_squeezed_ball(scree_ccp *p, double speed, double mu) {
  uint32_t ball;
  const scree_ccp_body_def body = {.inverse_mass = 1.0,
                                   .inverse_inertia = {250, 0, 0, 250, 0, 250},
                                   .v_free = {0, 0, -0.0981, 0, 0, 0}};
  assert_int_equal(scree_ccp_add_body(p, &body, &ball), SCREE_OK);
  for (int side = -1; side <= 1; side += 2) {
    scree_ccp_contact_def c = scree_ccp_contact_def_default();
    c.set = scree_set_coulomb(3, mu);
    c.body_a = SCREE_CCP_WORLD;
    c.body_b = ball;
    c.normal[0] = side;
    c.normal[1] = c.normal[2] = 0.0;
    c.tangent[0] = c.tangent[2] = 0.0;
    c.tangent[1] = 1.0;
    c.arm_b[0] = -0.1 * side;
    c.arm_b[1] = c.arm_b[2] = 0.0;
    c.offset[0] = -speed;
    assert_int_equal(scree_ccp_add_contact(p, &c), SCREE_OK);
  }
}

static scree_solve_info solve_by(scree_context *context, const char *solver, const scree_ccp *p,
                                 double tolerance, long limit) {
  scree_solver *s = NULL;
  scree_solve_info info;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.tolerance_error = tolerance;
  settings.time_limit = 60.0;
  settings.iteration_limit = limit;
  double *g = calloc(scree_ccp_row_count(p), sizeof *g);
  assert_int_equal(scree_solver_create(context, solver, &s), SCREE_OK);
  const scree_status status = scree_solver_solve(s, p, &settings, g, &info);
  if (status == SCREE_ERROR_UNSUPPORTED) /* of planar problems alone */
    info = (scree_solve_info){.outcome = SCREE_OUTCOME_ITERATION_LIMIT};
  else
    assert_int_equal(status, SCREE_OK);
  scree_solver_destroy(s);
  free(g);
  return info;
}

static scree_solve_info solve(scree_context *context, const scree_ccp *p, double tolerance,
                              long limit) {
  return solve_by(context, "auto", p, tolerance, limit);
}

static void squeezed_ball_in_a_packing(void **state) {
  (void)state;
  static const double speed[] = {1e-1, 1e-3, 1e-5};
  scree_context *context = scree_context_create(NULL);
  for (size_t k = 0; k < 3; k++) {
    scree_ccp *p = packing(context, 5, 0.5);
    add_squeezed_ball(p, speed[k], 0.5);
    const scree_solve_info info = solve(context, p, 1e-8, 0);
    print_message("squeezed by %g m/s: %s after %.2f s, %ld iterations, R %.1e, %s\n", speed[k],
                  scree_outcome_text(info.outcome), info.seconds, info.iterations,
                  info.residual.scaled, info.detail);
    assert_int_equal(info.outcome, SCREE_OUTCOME_INFEASIBLE);
    scree_existence answer;
    assert_int_equal(
        scree_ccp_check_existence(context, p, SCREE_MODEL_COULOMB, NULL, NULL, NULL, &answer),
        SCREE_OK);
    assert_int_equal(answer.verdict, SCREE_EXISTENCE_NONE);
    scree_ccp_destroy(p);
  }
  scree_context_destroy(context);
}

static void ordinary_packing_is_not_doubted(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *p = packing(context, 5, 0.3);
  scree_existence answer;
  assert_int_equal(
      scree_ccp_check_existence(context, p, SCREE_MODEL_COULOMB, NULL, NULL, NULL, &answer),
      SCREE_OK);
  assert_int_equal(answer.verdict, SCREE_EXISTENCE_EXISTS);
  scree_ccp_destroy(p);
  scree_context_destroy(context);
}

/* With friction beyond all measure the shift mu |u_T| of rounding hides any approach from the
 * natural map; R sees it. By every solver: what is called solved does not approach. */
static void boundless_friction_hides_nothing(void **state) {
  (void)state;
  static const double mu[] = {1e2, 1e6, 1e9, 1e12, 1e15};
  int failed = 0;
  scree_context *context = scree_context_create(NULL);
  for (size_t k = 0; k < sizeof mu / sizeof *mu; k++)
    for (size_t i = 0; i < scree_solver_count(); i++) {
      if (!scree_solver_has_coulomb(i)) continue;
      scree_ccp *p = packing(context, 2, mu[k]);
      const scree_solve_info info = solve_by(context, scree_solver_name(i), p, 1e-6, 2000);
      const double approach = info.residual.penetration_speed / info.residual.reference_speed;
      if (info.outcome == SCREE_OUTCOME_SOLVED)
        print_message("mu %g, %s: solved, R %.1e, approach %.1e\n", mu[k], scree_solver_name(i),
                      info.residual.scaled, approach);
      if (info.outcome == SCREE_OUTCOME_SOLVED && approach > 1e-3) failed++;
      scree_ccp_destroy(p);
    }
  scree_context_destroy(context);
  assert_int_equal(failed, 0);
}

int main(void) {
  timer_use(TIMER_CPU); /* limits of time are the same on a busy machine */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(squeezed_ball_in_a_packing),
      cmocka_unit_test(ordinary_packing_is_not_doubted),
      cmocka_unit_test(boundless_friction_hides_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
