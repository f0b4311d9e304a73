/* Cohesion taken out of a problem: what a solver finds on the dry one is a solution of the problem
 * as given, judged by the one function that judges all, and its residuals are the ones that are
 * told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

enum { SIDE = 5, BALLS = SIDE * SIDE * SIDE };

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 33) / 2147483648.0 - 1.0;
}

static scree_set set_of(uint64_t *seed, bool moments) {
  const double kind = uniform(seed);
  scree_set set = scree_set_coulomb(3, 0.4);
  if (moments && kind < 0.0) set = scree_set_rolling(6, 0.4, 0.05, 0.02);
  if (kind > 0.8) set = scree_set_ray();
  if (uniform(seed) > -0.5) set.cohesion = 0.05 * (1.0 + uniform(seed));
  if (uniform(seed) > 0.8) set.cap = 0.2;
  return set;
}

static double low_cap;    /* of all contacts; 0: as made */
static double glue = 1.0; /* times the cohesion */

static void add_contact(scree_ccp *p, uint64_t *seed, uint32_t a, uint32_t b, int axis,
                        bool moments) {
  scree_ccp_contact_def d = scree_ccp_contact_def_default();
  d.body_a = a;
  d.body_b = b;
  d.set = set_of(seed, moments);
  if (low_cap > 0.0) d.set.cap = low_cap * (1.0 + 0.5 * (double)(b % 3));
  d.set.cohesion *= glue;
  for (int k = 0; k < 3; k++) d.normal[k] = k == axis;
  d.arm_a[axis] = 0.5;
  d.arm_b[axis] = -0.5;
  d.offset[0] = 0.02 * uniform(seed);
  if (uniform(seed) > 0.0) d.compliance[0] = 0.1;
  assert_int_equal(scree_ccp_add_contact(p, &d), SCREE_OK);
}

/* A lattice of balls on a floor, each with a push of its own. */
static scree_ccp *make(scree_context *context, uint64_t seed, bool moments) {
  scree_ccp *p;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  for (int i = 0; i < BALLS; i++) {
    scree_ccp_body_def d = {.inverse_mass = 1.0, .v_free = {0, 0, -0.1}};
    d.inverse_inertia[0] = d.inverse_inertia[3] = d.inverse_inertia[5] = 10.0;
    for (int k = 0; k < 6; k++) d.v_free[k] += 0.1 * uniform(&seed);
    assert_int_equal(scree_ccp_add_body(p, &d, NULL), SCREE_OK);
  }
  for (uint32_t i = 0; i < BALLS; i++) {
    const uint32_t x = i % SIDE, y = i / SIDE % SIDE, z = i / (SIDE * SIDE);
    if (z == 0) add_contact(p, &seed, SCREE_CCP_WORLD, i, 2, moments);
    if (x + 1 < SIDE) add_contact(p, &seed, i, i + 1, 0, moments);
    if (y + 1 < SIDE) add_contact(p, &seed, i, i + SIDE, 1, moments);
    if (z + 1 < SIDE) add_contact(p, &seed, i, i + SIDE * SIDE, 2, moments);
  }
  return p;
}

static void solutions_are_those_of_the_problem(void **state) {
  (void)state;
  static const char *const names[] = {"gs", "ags", "apgd", "auto"};
  for (int moments = 0; moments < 2; moments++)
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
      for (int model = 0; model < 2; model++) {
        scree_context *context = scree_context_create(NULL);
        scree_ccp *p = make(context, 7 + n, moments);
        scree_solver *s;
        scree_solve_settings settings = scree_solve_settings_default();
        scree_solve_info info;
        scree_residual judged;
        double *g = calloc(scree_ccp_row_count(p), sizeof *g);
        settings.model = model ? SCREE_MODEL_COULOMB : SCREE_MODEL_RELAXED;
        settings.tolerance_error = 0.0;
        settings.tolerance_residual = 1e-7;
        settings.iteration_limit = 20000;
        assert_int_equal(scree_solver_create(context, names[n], &s), SCREE_OK);
        assert_int_equal(scree_solver_solve(s, p, &settings, g, &info), SCREE_OK);
        assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
        assert_int_equal(scree_ccp_residual(context, p, info.model, g, &judged), SCREE_OK);
        if (!(judged.scaled <= 1.01e-7))
          fail_msg("%s %d %d: R %g, told %g", names[n], model, moments, judged.scaled,
                   info.residual.scaled);
        /* R and E are reported as they are, to the rounding of impulses that are moved by c. */
        assert_true(fabs(judged.scaled - info.residual.scaled) <= 1e-11);
        assert_true(fabs(judged.error / info.residual.error - 1.0) <= 1e-3);
        scree_solver_destroy(s);
        scree_ccp_destroy(p);
        free(g);
        scree_context_destroy(context);
      }
}

/* Caps that the start does not come near to are left out: where the solution reaches them after all
 * it is the one with them, from no impulses and from those of other caps. */
static void caps_that_are_reached_hold(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (int model = 0; model < 2; model++) {
    scree_ccp *p = make(context, 11, false);
    low_cap = 0.02;
    scree_ccp *low = make(context, 11, false);
    low_cap = 0.0;
    const size_t rows = scree_ccp_row_count(p), blocks = scree_ccp_block_count(p);
    double *g = calloc(rows, sizeof *g);
    scree_solver *s;
    scree_solve_settings settings = scree_solve_settings_default();
    settings.model = model ? SCREE_MODEL_COULOMB : SCREE_MODEL_RELAXED;
    settings.tolerance_error = 0.0;
    settings.tolerance_residual = 1e-8;
    settings.iteration_limit = 50000;
    assert_int_equal(scree_solver_create(context, "gs", &s), SCREE_OK);
    for (int round = 0; round < 4; round++) { /* cold, with other caps, back, again */
      const scree_ccp *now = round % 3 == 1 ? p : low;
      scree_solve_info info;
      scree_residual judged;
      settings.warm_start = round > 0;
      assert_int_equal(scree_solver_solve(s, now, &settings, g, &info), SCREE_OK);
      assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
      assert_int_equal(scree_ccp_residual(context, now, info.model, g, &judged), SCREE_OK);
      if (!(judged.scaled <= 1.01e-8)) fail_msg("round %d: R %g", round, judged.scaled);
      if (now == p) continue;
      int full = 0;
      for (size_t i = 0; i < blocks; i++) {
        const size_t row = scree_ccp_block_row(low, i);
        const double cap = scree_ccp_block_set(low, i).cap;
        assert_true(g[row] <= cap);
        full += g[row] == cap;
      }
      assert_true(full > 10);
    }
    scree_solver_destroy(s);
    scree_ccp_destroy(p);
    scree_ccp_destroy(low);
    free(g);
  }
  scree_context_destroy(context);
}

/* A tolerance on E is met by the problem as it was given, and E is reported as it is: that of the
 * dry problem is a part of other norms. */
static void errors_are_those_of_the_problem(void **state) {
  (void)state;
  static const char *const names[] = {"gs", "apgd", "ipm"};
  glue = 30.0; /* |c| beyond |r| and |u| */
  for (int moments = 0; moments < 2; moments++)
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
      scree_context *context = scree_context_create(NULL);
      scree_ccp *p = make(context, 5, moments);
      scree_solver *s;
      scree_solve_settings settings = scree_solve_settings_default();
      scree_solve_info info;
      scree_residual judged;
      double *g = calloc(scree_ccp_row_count(p), sizeof *g);
      settings.model = SCREE_MODEL_RELAXED;
      settings.tolerance_error = 1e-6;
      settings.iteration_limit = 20000;
      assert_int_equal(scree_solver_create(context, names[n], &s), SCREE_OK);
      assert_int_equal(scree_solver_solve(s, p, &settings, g, &info), SCREE_OK);
      assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
      assert_int_equal(scree_ccp_residual(context, p, info.model, g, &judged), SCREE_OK);
      if (!(judged.error <= 1.001e-6 && fabs(judged.error / info.residual.error - 1.0) <= 1e-3))
        fail_msg("%s %d: E %g, reported %g", names[n], moments, judged.error, info.residual.error);
      scree_solver_destroy(s);
      scree_ccp_destroy(p);
      free(g);
      scree_context_destroy(context);
    }
  glue = 1.0;
}

/* Velocities of the relaxed model are unique: the same by the interior point method, which is asked
 * for E. */
static void velocities_are_those_of_ipm(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *p = make(context, 3, false);
  const size_t rows = scree_ccp_row_count(p);
  double *g[2], *u[2];
  for (int k = 0; k < 2; k++) {
    scree_solver *s;
    scree_solve_settings settings = scree_solve_settings_default();
    scree_solve_info info;
    g[k] = calloc(rows, sizeof *g[k]);
    u[k] = calloc(rows, sizeof *u[k]);
    settings.model = SCREE_MODEL_RELAXED;
    settings.tolerance_error = k ? 1e-10 : 0.0;
    settings.tolerance_residual = k ? 0.0 : 1e-10;
    settings.iteration_limit = 100000;
    assert_int_equal(scree_solver_create(context, k ? "ipm" : "ags", &s), SCREE_OK);
    assert_int_equal(scree_solver_solve(s, p, &settings, g[k], &info), SCREE_OK);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    assert_int_equal(scree_ccp_velocities(context, p, g[k], u[k], NULL), SCREE_OK);
    scree_solver_destroy(s);
  }
  for (size_t i = 0; i < rows; i++) assert_true(fabs(u[0][i] - u[1][i]) < 1e-8);
  for (int k = 0; k < 2; k++) {
    free(g[k]);
    free(u[k]);
  }
  scree_ccp_destroy(p);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_are_those_of_the_problem),
      cmocka_unit_test(caps_that_are_reached_hold),
      cmocka_unit_test(errors_are_those_of_the_problem),
      cmocka_unit_test(velocities_are_those_of_ipm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
