/* Contacts that would stay wide open without impulses are left out of iterations until one is hit
 * (ccp/bodies/pack.h). Here a sphere runs into a row of spheres at rest: all contacts but the first
 * look open, and the first half of them must take impulses all the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

enum { ROWS = 500, SPHERES = 12, CONTACTS = ROWS * (SPHERES - 1) };
static const double reference_speed = 0.05, opening = 0.15, radius = 0.05;

static scree_ccp_body_def sphere(double speed) {
  scree_ccp_body_def def = {.inverse_mass = 1.0, .v_free = {speed, 0, 0, 0, 0, 0}};
  def.inverse_inertia[0] = def.inverse_inertia[3] = def.inverse_inertia[5] =
      2.5 / (radius * radius);
  return def;
}

/* Rows differ in the speed of the first sphere; every other row stays at rest. */
static scree_ccp *make(scree_context *context) {
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  for (int row = 0; row < ROWS; row++)
    for (int k = 0; k < SPHERES; k++) {
      const scree_ccp_body_def def = sphere(k == 0 && row % 2 == 0 ? 1.0 + 0.001 * row : 0.0);
      assert_int_equal(scree_ccp_add_body(problem, &def, NULL), SCREE_OK);
    }
  for (int row = 0; row < ROWS; row++)
    for (int k = 0; k + 1 < SPHERES; k++) {
      scree_ccp_contact_def def = scree_ccp_contact_def_default();
      def.body_a = (uint32_t)(row * SPHERES + k);
      def.body_b = def.body_a + 1;
      def.set = scree_set_coulomb(3, 0.3);
      def.normal[0] = 1.0;
      def.normal[2] = 0.0;
      def.arm_a[0] = radius;
      def.arm_b[0] = -radius;
      def.offset[0] = opening;
      assert_int_equal(scree_ccp_add_contact(problem, &def), SCREE_OK);
    }
  scree_ccp_set_reference_speed(problem, reference_speed);
  return problem;
}

static void solve(scree_context *context, const scree_ccp *problem, const char *name,
                  scree_model model, double *g) {
  scree_solver *s = NULL;
  scree_solve_info info;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = model;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = 1e-9;
  settings.iteration_limit = 100000;
  settings.warm_start = true;
  assert_int_equal(scree_solver_create(context, name, &s), SCREE_OK);
  assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
  if (info.outcome != SCREE_OUTCOME_SOLVED || !(info.residual.scaled <= 1e-9))
    fail_msg("%s: R = %g", name, info.residual.scaled);
  scree_solver_destroy(s);
}

/* u = N g + r of the normal rows, from the row's own chain. */
static double normal_velocity(const double *g, int row, int k) {
  const double *at = g + 3 * (row * (SPHERES - 1));
  const double first = row % 2 == 0 ? 1.0 + 0.001 * row : 0.0;
  const double va = (k == 0 ? first : at[3 * (k - 1)]) - at[3 * k];
  const double vb = at[3 * k] - (k + 2 < SPHERES ? at[3 * (k + 1)] : 0.0);
  return vb - va + opening;
}

static void test_hit_contacts_wake(void **state) {
  (void)state;
  static const char *const names[] = {"gs", "sor", "ssor", "nsgs", "nncg", "ags", "apgd", "auto"};
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = make(context);
  for (size_t s = 0; s < sizeof names / sizeof names[0]; s++) {
    double *g = calloc(3 * CONTACTS, sizeof *g);
    size_t woken = 0;
    solve(context, problem, names[s], SCREE_MODEL_RELAXED, g);
    for (int row = 0; row < ROWS; row++)
      for (int k = 0; k + 1 < SPHERES; k++) {
        const double n = g[3 * (row * (SPHERES - 1) + k)], u = normal_velocity(g, row, k);
        woken += k > 0 && n > 0.0;
        if (n < 0.0 || u < -1e-9 || n * u > 1e-9)
          fail_msg("%s: row %d contact %d: g = %g, u = %g", names[s], row, k, n, u);
      }
    assert_true(woken >= ROWS && woken <= ROWS / 2 * (SPHERES - 2));
    free(g);
  }
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

static void test_same_bits(void **state) {
  (void)state;
  static const char *const names[] = {"gs", "nsgs", "ags", "apgd"};
  for (size_t s = 0; s < sizeof names / sizeof names[0]; s++) {
    double *g[2];
    for (int t = 0; t < 2; t++) {
      scree_context *context = scree_context_create(NULL);
      scree_context_set_threads(context, t + 1);
      scree_ccp *problem = make(context);
      g[t] = calloc(3 * CONTACTS, sizeof *g[t]);
      solve(context, problem, names[s],
            strcmp(names[s], "nsgs") == 0 ? SCREE_MODEL_COULOMB : SCREE_MODEL_RELAXED, g[t]);
      scree_ccp_destroy(problem);
      scree_context_destroy(context);
    }
    assert_memory_equal(g[0], g[1], 3 * CONTACTS * sizeof **g);
    free(g[0]);
    free(g[1]);
  }
}

/* A contact that had an impulse in the step before takes part at once, and loses it. */
static void test_warm_impulses_leave(void **state) {
  (void)state;
  static const char *const names[] = {"gs", "ags", "apgd"};
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = make(context);
  for (size_t s = 0; s < sizeof names / sizeof names[0]; s++) {
    double *g = calloc(3 * CONTACTS, sizeof *g), *cold = calloc(3 * CONTACTS, sizeof *cold);
    for (size_t i = 0; i < CONTACTS; i++) g[3 * i] = 0.3;
    solve(context, problem, names[s], SCREE_MODEL_RELAXED, g);
    solve(context, problem, names[s], SCREE_MODEL_RELAXED, cold);
    for (size_t i = 0; i < 3 * CONTACTS; i++) assert_true(fabs(g[i] - cold[i]) < 1e-8);
    free(g);
    free(cold);
  }
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hit_contacts_wake),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_warm_impulses_leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
