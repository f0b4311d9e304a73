/* The real problems of the shared directory, when they are there, relaxed model, one thread:
 * every 3-D problem is solved by apgd to E = 1e-8 and R = 1e-6, by gs and nncg to 1e-4 and 1e-3,
 * and all solvers that solve one to R = 1e-5 agree on its velocities u. Rolling and planar ones are
 * solved by apgd to the same tolerances. Tests are not timed: the limits here only end what hangs.
 */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/timer.h"
#include "scree/io.h"
#include "tests/support/bed.h"

typedef void (*visit)(scree_context *context, const char *path, const scree_ccp *problem);

/* Whatever is skipped is skipped before anything is created. */
static DIR *open_directory(const char *kind, char *directory, size_t room) {
  const char *shared = shared_directory(SCREE_SOURCE_DIR);
  if (!shared) skip();
  snprintf(directory, room, "%s/problems/%s", shared, kind);
  DIR *d = opendir(directory);
  if (!d) skip();
  return d;
}

static void each_file(scree_context *context, DIR *d, const char *directory, visit function) {
  for (const struct dirent *entry = readdir(d); entry; entry = readdir(d)) {
    if (!strstr(entry->d_name, ".hdf5")) continue;
    char path[1500];
    snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    scree_ccp *problem = NULL;
    const scree_status status = scree_problem_load(context, path, &problem, NULL);
    if (status == SCREE_ERROR_UNSUPPORTED) break;
    if (status) fail_msg("%s", scree_context_message(context));
    function(context, path, problem);
    scree_ccp_destroy(problem);
  }
  closedir(d);
}

static void solve(scree_context *context, const char *path, const scree_ccp *problem,
                  const char *name, double error, double residual, double *g) {
  scree_solver *s = NULL;
  assert_int_equal(scree_solver_create(context, name, &s), SCREE_OK);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = error;
  settings.tolerance_residual = residual;
  settings.time_limit = 60.0;
  scree_solve_info info;
  assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
  if (info.outcome != SCREE_OUTCOME_SOLVED)
    fail_msg("%s on %s: %s after %ld iterations, E %.1e R %.1e (%s)", name, path,
             scree_outcome_text(info.outcome), info.iterations, info.residual.error,
             info.residual.scaled, info.detail);
  scree_residual again;
  assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_RELAXED, g, &again), SCREE_OK);
  assert_true(again.error <= error * (1.0 + 1e-6) && again.scaled <= residual * (1.0 + 1e-6));
  scree_solver_destroy(s);
}

static void check_three(scree_context *context, const char *path, const scree_ccp *problem) {
  const size_t n = scree_ccp_row_count(problem);
  static const char *const names[] = {"apgd", "gs", "nncg", "spg"};
  double *g = calloc(n, sizeof *g), *u = calloc(n, sizeof *u), *first = calloc(n, sizeof *first);
  for (int k = 0; k < 4; k++) {
    solve(context, path, problem, names[k], k ? 1e-4 : 1e-8, k ? 1e-3 : 1e-6, g);
    assert_int_equal(scree_ccp_velocities(context, problem, g, k ? u : first, NULL), SCREE_OK);
    /* u is unique where N is symmetric; R bounds no block's u alone, so only a coarse agreement
     * can be asked: a tenth of the largest speed. */
    double most = 0.0, worst = 0.0;
    for (size_t i = 0; k && i < n; i++) {
      most = fmax(most, fabs(first[i]));
      worst = fmax(worst, fabs(u[i] - first[i]));
    }
    scree_residual residual;
    assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_RELAXED, g, &residual),
                     SCREE_OK);
    if (!(worst <= 0.1 * fmax(most, residual.reference_speed)))
      fail_msg("%s on %s: u is %.1e off", names[k], path, worst);
  }
  free(g);
  free(u);
  free(first);
}

static void check_other(scree_context *context, const char *path, const scree_ccp *problem) {
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  solve(context, path, problem, "apgd", 1e-8, 1e-6, g);
  free(g);
}

static void run(const char *kind, visit function) {
  char directory[1200];
  DIR *d = open_directory(kind, directory, sizeof directory);
  scree_context *context = scree_context_create(NULL);
  scree_context_set_threads(context, 1);
  each_file(context, d, directory, function);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void test_local(void **state) {
  (void)state;
  run("local", check_three);
}

static void test_global(void **state) {
  (void)state;
  run("global", check_three);
}

static void test_rolling(void **state) {
  (void)state;
  run("rolling", check_other);
}

static void test_planar(void **state) {
  (void)state;
  run("2d", check_other);
}

int main(void) {
  timer_use(TIMER_CPU); /* limits of time are the same on a busy machine */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_local),
      cmocka_unit_test(test_global),
      cmocka_unit_test(test_rolling),
      cmocka_unit_test(test_planar),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
