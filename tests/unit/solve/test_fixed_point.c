/* s = F(s): Painlevé and Klein's bar over a grid, the bead in a corner with its two solutions, and
 * a packing of 112 contacts by fixed point and by Newton. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/timer.h"
#include "tests/support/bead.h"
#include "tests/support/scenes.h"

static scree_solve_info solve(scree_context *context, const char *name, const char *method,
                              const scree_ccp *problem, scree_model model, double tolerance,
                              double *g) {
  scree_solver *s = NULL;
  scree_solve_info info;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = model;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = tolerance;
  settings.time_limit = 20.0;
  settings.iteration_limit = strcmp(name, "fixed-point") == 0 ? 0 : 3000;
  assert_int_equal(scree_solver_create(context, name, &s), SCREE_OK);
  if (method) assert_int_equal(scree_solver_set(s, "method", method), SCREE_OK);
  assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
  scree_solver_destroy(s);
  return info;
}

/* ---- Painlevé and Klein --------------------------------------------------------------------- */

/* A bar with one degree of freedom v on a conveyor that moves with u0; gravity and mass 1:
 *
 *   v = cos(a) r_x + sin(a) r_y - sin(a),   u_x = cos(a) v + u0,   u_y = sin(a) v
 *
 * Leaving the ground is impossible (u_y = -sin(a)^2 without force) and, for u0 other than 0, so is
 * sticking (u_y = 0 means v = 0 and u_x = u0). Sliding: cos(a) r_x + sin(a) r_y = sin(a) with
 * r_x = -mu sign(u0) r_y. So r_y = tan a / (tan a - sign(u0) mu), which must be positive: there is
 * a solution iff u0 <= 0 or tan a > mu, and for u0 other than 0 only one. */
static planar bar(double u0, double a, double mu) {
  const double h[2] = {sin(a), cos(a)};
  planar p = {.contacts = 1,
              .w = {h[0] * h[0], h[0] * h[1], h[1] * h[0], h[1] * h[1]},
              .q = {-h[0] * h[0], u0 - h[1] * h[0]},
              .mu = {mu}};
  return p;
}

static bool has_solution(double u0, double a, double mu) {
  return u0 <= 0.0 || tan(a) > mu;
}

static const double speeds[] = {-2.0, -0.3, -0.01, 0.01, 0.3, 2.0};
static const double frictions[] = {0.1, 0.3, 0.5, 0.8, 1.2, 2.0};

static void for_the_grid(void (*check)(scree_context *, double, double, double, const planar *)) {
  scree_context *context = scree_context_create(NULL);
  for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
    for (int degrees = 5; degrees < 90; degrees += 8)
      for (size_t k = 0; k < sizeof frictions / sizeof frictions[0]; k++) {
        const double a = degrees * 0.017453292519943295, mu = frictions[k];
        if (fabs(tan(a) - mu) < 0.02) continue;
        const planar p = bar(speeds[i], a, mu);
        check(context, speeds[i], a, mu, &p);
      }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void check_enumeration(scree_context *context, double u0, double a, double mu,
                              const planar *p) {
  (void)context;
  double all[4 * PLANAR_ROWS];
  size_t singular;
  const size_t count = planar_enumerate(p, all, 4, &singular);
  assert_int_equal(count, has_solution(u0, a, mu) ? 1 : 0);
  if (count == 0) return;
  const double expected = tan(a) / (tan(a) + (u0 < 0.0 ? mu : -mu));
  assert_true(fabs(all[0] - expected) <= 1e-10 * expected);
}

static void check_solvers(scree_context *context, double u0, double a, double mu, const planar *p) {
  static const char *const exact[] = {"prox", "lemke", "fixed-point"};
  scree_ccp *problem = NULL;
  double g[2];
  assert_int_equal(planar_create(context, p, &problem), SCREE_OK);
  if (has_solution(u0, a, mu)) {
    const double expected = tan(a) / (tan(a) + (u0 < 0.0 ? mu : -mu));
    for (int k = 0; k < 3; k++) {
      const scree_solve_info info =
          solve(context, exact[k], NULL, problem, SCREE_MODEL_COULOMB, 1e-13, g);
      if (!(fabs(g[0] - expected) <= 1e-10 * expected))
        fail_msg("%s: u0 %g, a %g, mu %g: r_y %.15g, not %.15g (%s: %s)", exact[k], u0, a, mu, g[0],
                 expected, scree_outcome_text(info.outcome), info.detail);
    }
  } else { /* every solver on every sixth of them, the quick ones on all */
    static int turn = 0;
    const bool all = turn++ % 6 == 0;
    for (size_t k = 0; k < scree_solver_count(); k++) {
      const char *name = scree_solver_name(k);
      if (!all && strcmp(name, "prox") != 0 && strcmp(name, "lemke") != 0) continue;
      if (!scree_solver_has_coulomb(k)) continue;
      if (scree_solver_refusal(k, problem, SCREE_MODEL_COULOMB)) continue;
      const scree_solve_info info =
          solve(context, scree_solver_name(k), NULL, problem, SCREE_MODEL_COULOMB, 1e-6, g);
      if (info.outcome == SCREE_OUTCOME_SOLVED)
        fail_msg("%s claims a solution for u0 %g, a %g, mu %g", scree_solver_name(k), u0, a, mu);
    }
  }
  scree_ccp_destroy(problem);
}

static void test_bar_by_enumeration(void **state) {
  (void)state;
  for_the_grid(check_enumeration);
}

static void test_bar_by_solvers(void **state) {
  (void)state;
  for_the_grid(check_solvers);
}

/* With u0 = 0 it sticks: v = 0. */
static void test_bar_at_rest(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (int degrees = 5; degrees < 90; degrees += 8)
    for (size_t k = 0; k < sizeof frictions / sizeof frictions[0]; k++) {
      const planar p = bar(0.0, degrees * 0.017453292519943295, frictions[k]);
      scree_ccp *problem = NULL;
      double g[2], u[2];
      assert_int_equal(planar_create(context, &p, &problem), SCREE_OK);
      solve(context, "prox", NULL, problem, SCREE_MODEL_COULOMB, 1e-13, g);
      planar_velocity(&p, g, u);
      assert_true(fabs(u[0]) < 1e-10 && fabs(u[1]) < 1e-10);
      scree_ccp_destroy(problem);
    }
  scree_context_destroy(context);
}

/* ---- the bead ------------------------------------------------------------------------------- */

/* F(s) by the relaxed problem with q_n + mu s; s = |u_T| here, as in the source document. */
static void map(scree_context *context, const bead *b, const double s[2], double f[2]) {
  planar shifted = b->problem;
  scree_ccp *problem = NULL;
  double g[4], u[4];
  for (int i = 0; i < 2; i++) shifted.q[2 * i] += shifted.mu[i] * s[i];
  assert_int_equal(planar_create(context, &shifted, &problem), SCREE_OK);
  solve(context, "prox", NULL, problem, SCREE_MODEL_RELAXED, 1e-13, g);
  planar_velocity(&b->problem, g, u);
  for (int i = 0; i < 2; i++) f[i] = fabs(u[2 * i + 1]);
  scree_ccp_destroy(problem);
}

static void test_bead(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  const double half = 0.35, mu = 0.6, v[2] = {0.1, 1.0};
  const bead b = bead_in_corner(half, mu, v[0], v[1]);

  /* Free flight: no forces. */
  const double free_flight[4] = {0.0, 0.0, 0.0, 0.0};
  assert_true(planar_violation(&b.problem, free_flight) == 0.0);

  /* Jammed: H'g = -v_free with a normal force p on both walls and friction to match. */
  const double p = 4.0, vertical = v[1] + 2.0 * p * sin(half);
  const double sum = -vertical / cos(half), difference = v[0] / sin(half);
  const double jammed[4] = {p, 0.5 * (sum + difference), p, 0.5 * (sum - difference)};
  double u[4];
  planar_velocity(&b.problem, jammed, u);
  for (int i = 0; i < 4; i++) assert_true(fabs(u[i]) < 1e-14);
  assert_true(planar_violation(&b.problem, jammed) < 1e-14);

  /* Both are fixed points of F; half way between them is none. */
  double s[2] = {0.0, 0.0}, f[2];
  map(context, &b, s, f);
  assert_true(fabs(f[0]) < 1e-9 && fabs(f[1]) < 1e-9);
  for (int i = 0; i < 2; i++) s[i] = fabs(b.problem.q[2 * i + 1]);
  map(context, &b, s, f);
  assert_true(fabs(f[0] - s[0]) < 1e-9 && fabs(f[1] - s[1]) < 1e-9);
  for (int i = 0; i < 2; i++) s[i] *= 0.5;
  map(context, &b, s, f);
  assert_true(hypot(f[0] - s[0], f[1] - s[1]) > 1e-3);

  /* With little friction it cannot jam: 0 is no fixed point. */
  const bead smooth = bead_in_corner(half, 0.2, v[0], v[1]);
  s[0] = s[1] = 0.0;
  map(context, &smooth, s, f);
  assert_true(hypot(f[0], f[1]) > 0.1);

  /* The common residual accepts both, and solvers find one of them. */
  scree_ccp *problem = NULL;
  scree_residual residual;
  assert_int_equal(planar_create(context, &b.problem, &problem), SCREE_OK);
  assert_int_equal(
      scree_ccp_residual(context, problem, SCREE_MODEL_COULOMB, free_flight, &residual), SCREE_OK);
  assert_true(residual.scaled < 1e-14 && residual.error < 1e-14);
  assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_COULOMB, jammed, &residual),
                   SCREE_OK);
  assert_true(residual.scaled < 1e-13 && residual.error < 1e-13);
  scree_ccp_destroy(problem);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* ---- a packing ------------------------------------------------------------------------------ */

typedef struct history {
  int count;
  double distance[400];
} history;

static void remember(void *user, scree_log_level level, const char *message) {
  history *h = user;
  long evaluation;
  double distance;
  if (level == SCREE_LOG_DEBUG && h->count < 400 &&
      sscanf(message, "fixed-point: evaluation %ld, |F(s) - s| %lf", &evaluation, &distance) == 2)
    h->distance[h->count++] = distance;
}

static void test_packing(void **state) {
  (void)state;
  history log[2] = {{0, {0}}, {0, {0}}};
  static const char *const methods[] = {"fixed", "newton"};
  double *v[3] = {NULL, NULL, NULL};
  size_t nv = 0;
  for (int k = 0; k < 3; k++) {
    scree_context_def def = scree_context_def_default();
    def.log = remember;
    def.log_user = &log[k < 2 ? k : 0];
    scree_context *context = scree_context_create(&def);
    scree_ccp *problem = NULL;
    assert_string_equal(scenes[0].name, "packing");
    assert_int_equal(scenes[0].create(context, 3, &problem), SCREE_OK);
    assert_true(scree_ccp_block_count(problem) >= 100);
    nv = scree_ccp_velocity_count(problem);
    v[k] = calloc(nv, sizeof(double));
    double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
    const scree_solve_info info =
        solve(context, k < 2 ? "fixed-point" : "prox", k < 2 ? methods[k] : NULL, problem,
              SCREE_MODEL_COULOMB, 1e-10, g);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    assert_int_equal(scree_ccp_velocities(context, problem, g, NULL, v[k]), SCREE_OK);
    if (k < 2) assert_non_null(strstr(info.detail, "|F(s) - s|"));
    if (k < 2) assert_int_equal(info.iterations, log[k].count);
    scree_ccp_destroy(problem);
    free(g);
    assert_int_equal(scree_context_bytes(context), 0);
    scree_context_destroy(context);
  }
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < nv; i++) assert_true(fabs(v[k][i] - v[2][i]) < 1e-7);
  const history *fixed = &log[0], *newton = &log[1];
  assert_true(2 * newton->count < fixed->count);
  assert_true(newton->distance[newton->count - 1] < 1e-8 * newton->distance[0]);
  assert_true(fixed->distance[fixed->count - 1] < 1e-8 * fixed->distance[0]);
  for (int k = 0; k < 3; k++) free(v[k]);
}

/* Every inner solver gives the same answer. */
static void test_inner_solvers(void **state) {
  (void)state;
  static const char *const inner[] = {"prox", "ipm", "apgd", "admm", "nsgs"};
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = NULL;
  assert_int_equal(scenes[0].create(context, 2, &problem), SCREE_OK);
  const size_t nv = scree_ccp_velocity_count(problem);
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  double *v = calloc(2 * nv, sizeof *v);
  scree_solver *s = NULL;
  assert_int_equal(scree_solver_create(context, "fixed-point", &s), SCREE_OK);
  for (int k = 0; k < 5; k++) {
    scree_solve_settings settings = scree_solve_settings_default();
    scree_solve_info info;
    settings.tolerance_error = 0.0;
    settings.tolerance_residual = 1e-7;
    assert_int_equal(scree_solver_set(s, "inner", inner[k]), SCREE_OK);
    assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
    if (info.outcome != SCREE_OUTCOME_SOLVED) fail_msg("%s: %s", inner[k], info.detail);
    assert_int_equal(scree_ccp_velocities(context, problem, g, NULL, k ? v + nv : v), SCREE_OK);
    for (size_t i = 0; k && i < nv; i++) assert_true(fabs(v[i] - v[nv + i]) < 1e-5);
  }
  scree_solver_destroy(s);
  scree_ccp_destroy(problem);
  free(g);
  free(v);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  timer_use(TIMER_CPU); /* limits of time are the same on a busy machine */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bar_by_enumeration),
      cmocka_unit_test(test_bar_by_solvers),
      cmocka_unit_test(test_bar_at_rest),
      cmocka_unit_test(test_bead),
      cmocka_unit_test(test_packing),
      cmocka_unit_test(test_inner_solvers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
