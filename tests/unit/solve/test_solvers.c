/* Every solver on small problems: closed forms, and agreement of velocities on a packing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/packing.h"

/* A ball of mass 2 kg on the floor, one step of gravity: g_n = m g h, and with a sideways speed the
 * relaxed solution slides with u_n = mu |u_T|. */
static void test_ball_on_floor(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  const double h = 0.01, inertia = 0.4 * 2.0 * 0.25;
  const scree_ccp_body_def body = {
      .inverse_mass = 0.5,
      .inverse_inertia = {1 / inertia, 0, 0, 1 / inertia, 0, 1 / inertia},
      .v_free = {0, 0, -9.81 * h, 0, 0, 0}};
  uint32_t index;
  assert_int_equal(scree_ccp_add_body(problem, &body, &index), SCREE_OK);
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  c.body_b = index;
  c.arm_b[2] = -0.5;
  c.set = scree_set_coulomb(3, 0.3);
  assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
  for (size_t i = 0; i < scree_solver_count(); i++) {
    if (scree_solver_refusal(i, problem, SCREE_MODEL_RELAXED)) continue;
    scree_solver *solver = NULL;
    assert_int_equal(scree_solver_create(context, scree_solver_name(i), &solver), SCREE_OK);
    scree_solve_settings settings = scree_solve_settings_default();
    settings.model = SCREE_MODEL_RELAXED;
    settings.tolerance_error = 1e-12;
    double g[3];
    scree_solve_info info;
    assert_int_equal(scree_solver_solve(solver, problem, &settings, g, &info), SCREE_OK);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    assert_true(fabs(g[0] - 2.0 * 9.81 * h) < 1e-10);
    assert_true(fabs(g[1]) + fabs(g[2]) < 1e-10);
    scree_solver_destroy(solver);
  }
  scree_ccp_destroy(problem);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void test_packing_agreement(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 3;
  scree_ccp *problem = NULL;
  assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
  const size_t rows = scree_ccp_row_count(problem), nv = scree_ccp_velocity_count(problem);
  double *g = calloc(rows, sizeof *g), *v = calloc(nv, sizeof *v), *reference = NULL;
  for (size_t i = 0; i < scree_solver_count(); i++) {
    if (scree_solver_refusal(i, problem, SCREE_MODEL_RELAXED)) continue;
    scree_solver *solver = NULL;
    assert_int_equal(scree_solver_create(context, scree_solver_name(i), &solver), SCREE_OK);
    scree_solve_settings settings = scree_solve_settings_default();
    settings.model = SCREE_MODEL_RELAXED;
    settings.tolerance_error = 0.0;
    settings.tolerance_residual = 1e-6;
    scree_solve_info info;
    assert_int_equal(scree_solver_solve(solver, problem, &settings, g, &info), SCREE_OK);
    if (strncmp(info.detail, "polyhedral", 10) == 0) { /* its cones are not round */
      assert_int_equal(info.outcome, SCREE_OUTCOME_STALLED);
      scree_solver_destroy(solver);
      continue;
    }
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    assert_true(info.residual.scaled <= 1e-6);
    assert_int_equal(scree_ccp_velocities(context, problem, g, NULL, v), SCREE_OK);
    if (!reference) {
      reference = calloc(nv, sizeof *reference);
      memcpy(reference, v, nv * sizeof *v);
    }
    for (size_t k = 0; k < nv; k++) assert_true(fabs(v[k] - reference[k]) < 1e-4 * 0.0981);
    scree_solver_destroy(solver);
  }
  free(g);
  free(v);
  free(reference);
  scree_ccp_destroy(problem);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball_on_floor),
      cmocka_unit_test(test_packing_agreement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
