/* The device of the tests (OpenCL on the processor) beside the host: every first-order solver on
 * every generated problem of bodies, both models, judged by the host; products, velocities and
 * residuals of given impulses; other devices and none, between solves. Skipped where there is no
 * device. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/scenes.h"

static const double asked = 1e-5;
static const char *const first_order[] = {"jacobi", "gs",    "sor",      "ssor", "ags",
                                          "nncg",   "apgd",  "spg",      "nsgs", "fpp",
                                          "admm",   "mprgp", "gpminres", "auto"};
enum { SOLVERS = sizeof first_order / sizeof *first_order };

static scree_context *device_context(void) {
  scree_context *context = scree_context_create(NULL);
  size_t count = 0;
  scree_device_info info[4];
  if (scree_device_list(context, 4, info, &count) || !count) {
    scree_context_destroy(context);
    return NULL;
  }
  /* A device that does not take the kernels is a fault, not a reason to skip. */
  if (scree_context_set_device(context, "any", 0)) fail_msg("%s", scree_context_message(context));
  assert_true(info[0].name[0] != 0 && info[0].memory > 0 && info[0].compute_units > 0);
  assert_non_null(scree_context_device(context));
  return context;
}

static size_t index_of(const char *name) {
  for (size_t i = 0; i < scree_solver_count(); i++)
    if (!strcmp(scree_solver_name(i), name)) return i;
  fail_msg("there is no solver %s", name);
  return 0;
}

static scree_solve_info solve(scree_context *context, const char *name, scree_model model,
                              const scree_ccp *problem, double *g) {
  scree_solver *s = NULL;
  scree_solve_info info;
  assert_int_equal(scree_solver_create(context, name, &s), SCREE_OK);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = model;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = asked;
  settings.iteration_limit = 5000;
  settings.time_limit = 1e6; /* the first call of a kernel compiles it */
  memset(g, 0, scree_ccp_row_count(problem) * sizeof *g);
  assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
  scree_solver_destroy(s);
  return info;
}

static double *velocities(scree_context *context, const scree_ccp *problem, const double *g) {
  double *v = calloc(scree_ccp_velocity_count(problem), sizeof *v);
  assert_int_equal(scree_ccp_velocities(context, problem, g, NULL, v), SCREE_OK);
  return v;
}

/* One scene, one model: whatever the host's solver solves the device's solves too. */
static void compare(scree_context *device, scree_context *host, const scene *one,
                    scree_model model) {
  scree_ccp *there = NULL, *here = NULL;
  assert_int_equal(one->create(device, one->size, &there), SCREE_OK);
  assert_int_equal(one->create(host, one->size, &here), SCREE_OK);
  double *g = calloc(scree_ccp_row_count(here), sizeof *g);
  for (size_t k = 0; scree_ccp_form(here) == SCREE_FORM_BODIES && k < SOLVERS; k++) {
    if (scree_solver_refusal(index_of(first_order[k]), here, model)) continue;
    const scree_solve_info mine = solve(host, first_order[k], model, here, g);
    double *v = velocities(host, here, g);
    const scree_solve_info info = solve(device, first_order[k], model, there, g);
    if (mine.outcome == SCREE_OUTCOME_SOLVED && info.outcome != SCREE_OUTCOME_SOLVED)
      fail_msg("%s on %s, model %d: %s after %ld iterations (host: %ld)", first_order[k], one->name,
               (int)model, scree_outcome_text(info.outcome), info.iterations, mine.iterations);
    scree_residual again;
    assert_int_equal(scree_ccp_residual(host, here, info.model, g, &again), SCREE_OK);
    if (info.outcome == SCREE_OUTCOME_SOLVED && again.scaled > asked * (1.0 + 1e-6))
      fail_msg("%s on %s: R %.2e told, %.2e on the host", first_order[k], one->name,
               info.residual.scaled, again.scaled);
    double *w = velocities(host, here, g);
    if (one->unique && info.model == SCREE_MODEL_RELAXED && info.outcome == SCREE_OUTCOME_SOLVED &&
        mine.outcome == SCREE_OUTCOME_SOLVED)
      for (size_t j = 0; j < scree_ccp_velocity_count(here); j++)
        if (!(fabs(v[j] - w[j]) <= 200.0 * asked * again.reference_speed))
          fail_msg("%s on %s: velocity %zu is %.2e off", first_order[k], one->name, j,
                   fabs(v[j] - w[j]));
    free(v);
    free(w);
  }
  free(g);
  scree_ccp_destroy(there);
  scree_ccp_destroy(here);
}

static void test_solvers(void **state) {
  (void)state;
  scree_context *device = device_context();
  if (!device) skip();
  scree_context *host = scree_context_create(NULL);
  for (size_t k = 0; k < scene_count; k++)
    for (int model = 0; scenes[k].feasible && model < 2; model++)
      compare(device, host, &scenes[k], (scree_model)model);
  scree_context_destroy(host);
  scree_context_destroy(device);
}

static void check_near(double a, double b, double size) {
  if (!(fabs(a - b) <= 1e-11 * (size + fabs(b)))) fail_msg("%.17g is not %.17g", a, b);
}

/* Impulses that solve nothing: u, v and all residuals are those of the host to rounding. */
static void test_verbs(void **state) {
  (void)state;
  scree_context *device = device_context();
  if (!device) skip();
  scree_context *host = scree_context_create(NULL);
  for (size_t k = 0; k < scene_count; k++) {
    scree_ccp *there = NULL, *here = NULL;
    assert_int_equal(scenes[k].create(device, scenes[k].size, &there), SCREE_OK);
    assert_int_equal(scenes[k].create(host, scenes[k].size, &here), SCREE_OK);
    const size_t rows = scree_ccp_row_count(here), n = scree_ccp_velocity_count(here);
    double *g = calloc(rows, sizeof *g), *u[2], *v[2];
    for (size_t j = 0; j < rows; j++) g[j] = 0.01 * sin(1.7 * (double)j + 0.3);
    for (int side = 0; side < 2; side++) {
      u[side] = calloc(rows, sizeof(double));
      v[side] = calloc(n + 1, sizeof(double));
      assert_int_equal(scree_ccp_velocities(side ? device : host, side ? there : here, g, u[side],
                                            n ? v[side] : NULL),
                       SCREE_OK);
    }
    double size = 0.0;
    for (size_t j = 0; j < rows; j++) size = fmax(size, fabs(u[0][j]));
    for (size_t j = 0; j < rows; j++) check_near(u[1][j], u[0][j], size);
    for (size_t j = 0; j < n; j++) check_near(v[1][j], v[0][j], size);
    for (int model = 0; model < 2; model++) {
      scree_residual a, b;
      assert_int_equal(scree_ccp_residual(host, here, (scree_model)model, g, &a), SCREE_OK);
      assert_int_equal(scree_ccp_residual(device, there, (scree_model)model, g, &b), SCREE_OK);
      check_near(b.error, a.error, a.error);
      check_near(b.scaled, a.scaled, a.scaled);
      check_near(b.rms, a.rms, a.rms);
      check_near(b.penetration_speed, a.penetration_speed, size);
      check_near(b.relaxation_gap, a.relaxation_gap, size);
    }
    for (int side = 0; side < 2; side++) {
      free(u[side]);
      free(v[side]);
    }
    free(g);
    scree_ccp_destroy(there);
    scree_ccp_destroy(here);
  }
  scree_context_destroy(host);
  scree_context_destroy(device);
}

/* A solver that goes from the host to a device, to another size and back. */
static void test_changes(void **state) {
  (void)state;
  scree_context *context = device_context();
  if (!context) skip();
  scree_solver *s = NULL;
  assert_int_equal(scree_solver_create(context, "ags", &s), SCREE_OK);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = asked;
  for (int round = 0; round < 6; round++) {
    scree_ccp *problem = NULL;
    scree_solve_info info;
    /* Each other round on the host: by no device, by too few blocks, by a device opened anew. */
    assert_int_equal(
        scree_context_set_device(context, round == 1 ? NULL : "any", round == 3 ? 100000 : 0),
        SCREE_OK);
    assert_int_equal(scene_box_stack(context, 2 + round % 3, &problem), SCREE_OK);
    double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
    assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    free(g);
    scree_ccp_destroy(problem);
  }
  scree_solver_destroy(s);
  assert_int_equal(scree_context_set_device(context, "no such device", 0), SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(context), "no such device"));
  assert_int_equal(scree_context_set_device(context, "", 0), SCREE_ERROR_ARGUMENT);
  assert_int_equal(scree_context_set_device(context, NULL, 0), SCREE_OK);
  assert_null(scree_context_device(context));
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_verbs), cmocka_unit_test(test_solvers),
                                     cmocka_unit_test(test_changes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
