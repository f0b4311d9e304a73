/* The primal Newton method against the interior point method, and what it refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/packing.h"
#include "tests/support/scenes.h"

static scree_solve_info solve(scree_context *context, const char *name, const scree_ccp *problem,
                              double tolerance, double *g) {
  scree_solver *s = NULL;
  scree_solve_info info;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = tolerance;
  assert_int_equal(scree_solver_create(context, name, &s), SCREE_OK);
  assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
  scree_solver_destroy(s);
  return info;
}

/* Impulses are unique in rows with compliance, velocities always. */
static void compare(scree_context *context, const scree_ccp *problem, const char *what) {
  const size_t rows = scree_ccp_row_count(problem), count = scree_ccp_velocity_count(problem);
  double *g = calloc(rows, sizeof *g), *exact = calloc(rows, sizeof *exact);
  double *v = calloc(count, sizeof *v), *w = calloc(count, sizeof *w), most = 0.0;
  const scree_solve_info ours = solve(context, "sap", problem, 1e-10, g);
  if (ours.outcome != SCREE_OUTCOME_SOLVED)
    fail_msg("%s: %s, R %g: %s", what, scree_outcome_text(ours.outcome), ours.residual.scaled,
             ours.detail);
  assert_true(ours.residual.scaled <= 1e-10);
  assert_int_equal(solve(context, "ipm", problem, 1e-9, exact).outcome, SCREE_OUTCOME_SOLVED);
  assert_int_equal(scree_ccp_velocities(context, problem, g, NULL, v), SCREE_OK);
  assert_int_equal(scree_ccp_velocities(context, problem, exact, NULL, w), SCREE_OK);
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(v[k] - w[k]));
  if (!(most < 1e-7)) fail_msg("%s: velocities differ by %g", what, most);
  free(g);
  free(exact);
  free(v);
  free(w);
}

static void test_packings(void **state) {
  (void)state;
  static const double compliance[] = {1e-1, 1e-3, 1e-5}, friction[] = {0.0, 0.3, 0.8};
  scree_context *context = scree_context_create(NULL);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      packing_def def = packing_def_default();
      def.nx = def.ny = def.nz = 3;
      def.mu = friction[j];
      def.compliance = compliance[i];
      scree_ccp *problem = NULL;
      assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
      compare(context, problem, "packing");
      scree_ccp_destroy(problem);
    }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* One block on a floor, compliant in all rows: closed forms of sticking, sliding and leaving. */
static void test_one_block(void **state) {
  (void)state;
  static const struct {
    double normal, tangent, g_n, g_t;
  } cases[] = {
      /* u = g (1 + c) + r, c = 0.5: alone they would be r / -1.5 */
      {-3.0, 0.3, 2.0, -0.2},
      /* |g_t| = mu g_n: the projection of (2, -4) on the cone of slope 0.5 */
      {-3.0, 6.0, (2.0 + 0.5 * 4.0) / 1.25, -0.5 * (2.0 + 0.5 * 4.0) / 1.25},
      {1.0, 0.4, 0.0, 0.0},
  };
  scree_context *context = scree_context_create(NULL);
  for (size_t k = 0; k < 3; k++) {
    scree_ccp *problem = NULL;
    assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
    const scree_ccp_body_def body = {.inverse_mass = 1.0};
    assert_int_equal(scree_ccp_add_body(problem, &body, NULL), SCREE_OK);
    scree_ccp_contact_def c = scree_ccp_contact_def_default();
    c.body_b = 0;
    c.set = scree_set_coulomb(3, 0.5);
    c.offset[0] = cases[k].normal;
    c.offset[1] = cases[k].tangent;
    for (int i = 0; i < 3; i++) c.compliance[i] = 0.5;
    assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
    double g[3] = {0.0};
    assert_int_equal(solve(context, "sap", problem, 1e-10, g).outcome, SCREE_OUTCOME_SOLVED);
    assert_true(fabs(g[0] - cases[k].g_n) < 1e-9 && fabs(g[1] - cases[k].g_t) < 1e-9);
    scree_ccp_destroy(problem);
  }
  scree_context_destroy(context);
}

static void test_refusals(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  size_t sap = 0, taken = 0;
  while (strcmp(scree_solver_name(sap), "sap") != 0) sap++;
  for (size_t k = 0; k < scene_count; k++) {
    scree_ccp *problem = NULL;
    assert_int_equal(scenes[k].create(context, scenes[k].size, &problem), SCREE_OK);
    const char *why = scree_solver_refusal(sap, problem, SCREE_MODEL_RELAXED);
    if (!why) {
      taken++;
      compare(context, problem, scenes[k].name);
    }
    if (strcmp(scenes[k].name, "packing") == 0) {
      assert_non_null(why);
      assert_non_null(strstr(why, "no compliance"));
    }
    scree_ccp_destroy(problem);
  }
  assert_true(taken >= 2);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_block),
      cmocka_unit_test(test_packings),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
