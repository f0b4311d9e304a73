/* What a run may claim: infeasible only with a proof, solved never by a huge impulse, and a stall
 * with its reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/timer.h"
#include "ccp/operator.h"
#include "scree/scree.h"
#include "solve/existence/infeasible.h"
#include "tests/support/packing.h"

/* A ball between a floor and a ceiling that both ask for a speed of separation: d = (1, 0, 0) on
 * both pushes nothing and r'd = -2 speed. Units are scaled to show that none enters. */
static scree_ccp *squeezed(scree_context *context, double mass, double speed, double compliance) {
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  const double inertia = 0.1 * mass;
  const scree_ccp_body_def body = {
      .inverse_mass = 1.0 / mass,
      .inverse_inertia = {1 / inertia, 0, 0, 1 / inertia, 0, 1 / inertia},
      .v_free = {0.1 * speed, 0, -speed, 0, 0, 0}};
  uint32_t index;
  assert_int_equal(scree_ccp_add_body(problem, &body, &index), SCREE_OK);
  for (int side = 0; side < 2; side++) {
    scree_ccp_contact_def c = scree_ccp_contact_def_default();
    c.body_b = index;
    c.normal[2] = side ? -1.0 : 1.0;
    c.arm_b[2] = side ? 0.5 : -0.5;
    c.offset[0] = -speed;
    c.compliance[0] = compliance / mass;
    c.set = scree_set_coulomb(3, 0.3);
    assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
  }
  return problem;
}

static scree_solve_info solve(scree_context *context, const char *name, const scree_ccp *problem,
                              double tolerance_error, double tolerance_residual, double *g) {
  scree_solver *solver = NULL;
  assert_int_equal(scree_solver_create(context, name, &solver), SCREE_OK);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = tolerance_error;
  settings.tolerance_residual = tolerance_residual;
  settings.time_limit = 60.0;
  scree_solve_info info;
  assert_int_equal(scree_solver_solve(solver, problem, &settings, g, &info), SCREE_OK);
  scree_solver_destroy(solver);
  return info;
}

static void test_infeasible(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  static const double mass[] = {1.0, 1e-6, 1e6}, speed[] = {1.0, 1e3, 1e-4};
  for (int k = 0; k < 3; k++) {
    scree_ccp *problem = squeezed(context, mass[k], speed[k], 0.0);
    for (size_t i = 0; i < scree_solver_count(); i++) {
      if (scree_solver_refusal(i, problem, SCREE_MODEL_RELAXED)) continue;
      double g[6];
      const scree_solve_info info =
          solve(context, scree_solver_name(i), problem, 1e-4, k == 1 ? 1e-3 : 0.0, g);
      assert_true(info.outcome == SCREE_OUTCOME_INFEASIBLE ||
                  info.outcome == SCREE_OUTCOME_STALLED);
      assert_true(info.residual.scaled > 0.1);
      assert_true(strlen(info.detail) > 0);
      const char *name = scree_solver_name(i);
      if (strcmp(name, "gs") == 0 || strcmp(name, "apgd") == 0)
        assert_int_equal(info.outcome, SCREE_OUTCOME_INFEASIBLE);
    }
    scree_ccp_destroy(problem);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* The steps of a run have few iterations: at their end a proof is tried all the same; and a wild
 * start that they cannot mend is not handed on. */
static void test_infeasible_in_few(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = squeezed(context, 1.0, 1.0, 0.0);
  static const char *const names[] = {"ags", "apgd", "auto"};
  scree_residual none;
  const double zero[6] = {0.0};
  assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_RELAXED, zero, &none),
                   SCREE_OK);
  for (int k = 0; k < 3; k++)
    for (int wild = 0; wild < 2; wild++) {
      double g[6] = {wild ? 1e20 : 0.0};
      scree_solver *solver = NULL;
      scree_solve_info info;
      assert_int_equal(scree_solver_create(context, names[k], &solver), SCREE_OK);
      scree_solve_settings settings = scree_solve_settings_default();
      settings.model = SCREE_MODEL_RELAXED;
      settings.tolerance_error = 0.0;
      settings.tolerance_residual = 1e-3;
      settings.iteration_limit = wild ? 1 : k < 2 ? 20 : 200;
      settings.warm_start = true;
      assert_int_equal(scree_solver_solve(solver, problem, &settings, g, &info), SCREE_OK);
      if (!wild) assert_int_equal(info.outcome, SCREE_OUTCOME_INFEASIBLE);
      assert_true(info.residual.scaled <= none.scaled);
      scree_solver_destroy(solver);
    }
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

/* A plate between many supports: the largest eigenvalue is the number of contacts, and a proof that
 * begins a little off its direction must not move away from it. */
static void test_infeasible_plate(void **state) {
  (void)state;
  enum { SIDE = 5, CONTACTS = 2 * SIDE * SIDE };
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  const scree_ccp_body_def body = {.inverse_mass = 1.0,
                                   .inverse_inertia = {3.0, 0, 0, 3.0, 0, 3.0},
                                   .v_free = {0.1, 0.0, -1.0, 0.2, -0.1, 0.3}};
  uint32_t index;
  assert_int_equal(scree_ccp_add_body(problem, &body, &index), SCREE_OK);
  for (int i = 0; i < CONTACTS; i++) {
    const int top = i % 2, x = i / 2 % SIDE, y = i / 2 / SIDE;
    scree_ccp_contact_def c = scree_ccp_contact_def_default();
    c.body_b = index;
    c.normal[2] = top ? -1.0 : 1.0;
    c.arm_b[0] = 0.25 * (x - SIDE / 2);
    c.arm_b[1] = 0.25 * (y - SIDE / 2);
    c.arm_b[2] = top ? 0.05 : -0.05;
    c.offset[0] = -1.0 - 0.01 * i;
    c.set = scree_set_coulomb(3, 0.3);
    assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
  }
  ccp_operator *op = NULL;
  infeasible_work work = {0};
  infeasible_certificate proof;
  double d[3 * CONTACTS] = {0.0};
  for (int i = 0; i < CONTACTS; i++) d[3 * i] = 1.0 + 1e-3 * (i % 7);
  assert_int_equal(op_create(context, problem, &op), SCREE_OK);
  assert_true(infeasible_prove_direction(op, SCREE_MODEL_RELAXED, &work, d, &proof));
  assert_true(proof.bound >= 1e10);
  infeasible_clear(context, &work);
  op_destroy(op);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

/* With compliance the same scene has a solution, however large its impulses: nobody may claim the
 * contrary. g_n = speed mass / compliance and more. */
static void test_stiff_is_feasible(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = squeezed(context, 2.0, 1.0, 1e-4);
  static const char *const names[] = {"apgd", "gs"};
  for (int k = 0; k < 2; k++) {
    double g[6];
    const scree_solve_info info = solve(context, names[k], problem, 0.0, 1e-8, g);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    /* Sum of both rows: the ball cannot satisfy either, so C (g1 + g2) = 2 speed. */
    assert_true(fabs(1e-4 / 2.0 * (g[0] + g[3]) - 2.0) < 1e-4);
  }
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

/* E = |natural residual| / max(|q|, |g|, |u|): with W = 1e-9 the impulses are 1e9 and E is tiny
 * from the start of the way; the velocities must be right all the same. */
static void test_huge_impulse_is_not_solved(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  static const size_t start[] = {0, 2, 4};
  static const uint32_t index[] = {0, 1, 0, 1};
  static const double value[] = {1e-9, 0.9e-9, 0.9e-9, 1e-9}, q[] = {-1.0, -0.5};
  const scree_csc w = {2, 2, start, index, value};
  const scree_set sets[] = {scree_set_ray(), scree_set_ray()};
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_local(context, 2, sets, &w, q, NULL, &problem), SCREE_OK);
  for (size_t i = 0; i < scree_solver_count(); i++) {
    if (scree_solver_refusal(i, problem, SCREE_MODEL_RELAXED)) continue;
    double g[2];
    const scree_solve_info info = solve(context, scree_solver_name(i), problem, 1e-6, 0.0, g);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    assert_true(fabs(1e-9 * g[0] + 0.9e-9 * g[1] - 1.0) <= 1e-3);
    assert_true(0.9e-9 * g[0] + 1e-9 * g[1] - 0.5 >= -1e-3);
  }
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

/* A run cut short returns the best iterate it has judged, wherever that was kept: impulses have the
 * residual that is reported, and more iterations never report a larger one. Blends that overshoot
 * make R go up and down; a bound on checks lets the best lie before the last. */
static void test_cut_short(void **state) {
  (void)state;
  static const char *const names[] = {"gs", "sor", "ssor", "nsgs", "apgd"};
  scree_context *context = scree_context_create(NULL);
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 4;
  def.mu = 0.8;
  for (int rays = 0; rays < 2; rays++) {
    scree_ccp *problem = NULL;
    assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
    if (rays) { /* not all contacts are inside */
      scree_ccp_contact_def c = scree_ccp_contact_def_default();
      c.body_b = 0;
      c.normal[0] = 1.0;
      c.normal[2] = 0.0;
      c.arm_b[1] = 0.01;
      c.set = scree_set_ray();
      assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
    }
    double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
      scree_solver *solver = NULL;
      assert_int_equal(scree_solver_create(context, names[k], &solver), SCREE_OK);
      if (k < 4) assert_int_equal(scree_solver_set(solver, "omega", "1.95"), SCREE_OK);
      double last = INFINITY;
      size_t behind = 0;
      for (long limit = 3; limit < 200; limit += 3) {
        scree_solve_settings settings = scree_solve_settings_default();
        settings.model = SCREE_MODEL_RELAXED;
        settings.tolerance_error = 0.0;
        settings.tolerance_residual = 1e-9;
        settings.check_interval = 3;
        settings.iteration_limit = limit;
        scree_solve_info info;
        assert_int_equal(scree_solver_solve(solver, problem, &settings, g, &info), SCREE_OK);
        scree_residual residual;
        assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_RELAXED, g, &residual),
                         SCREE_OK);
        assert_true(fabs(residual.scaled - info.residual.scaled) <= 1e-9 * residual.scaled);
        assert_true(info.residual.scaled <= last);
        behind += info.residual.scaled == last;
        last = info.residual.scaled;
      }
      assert_true(behind > 0);
      scree_solver_destroy(solver);
    }
    free(g);
    scree_ccp_destroy(problem);
  }
  scree_context_destroy(context);
}

int main(void) {
  timer_use(TIMER_CPU); /* limits of time are the same on a busy machine */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_infeasible),
      cmocka_unit_test(test_infeasible_in_few),
      cmocka_unit_test(test_infeasible_plate),
      cmocka_unit_test(test_stiff_is_feasible),
      cmocka_unit_test(test_huge_impulse_is_not_solved),
      cmocka_unit_test(test_cut_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
