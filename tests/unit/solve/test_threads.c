/* The same bits for any number of threads, for every solver that takes the problem, with enough
 * blocks for parallel passes to be taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/packing.h"
#include "tests/support/sanitized.h"

static void run(bool frictionless) {
  double *first = NULL;
  static const int threads[] = {1, 2, 4};
  for (size_t solver = 0; solver < scree_solver_count(); solver++) {
    const char *name = scree_solver_name(solver);
    /* More threads than cores wait for each other: two solvers will do for four. */
    const int counts = strcmp(name, "gs") == 0 || strcmp(name, "apgd") == 0 ? 3 : 2;
    for (int t = 0; t < counts; t++) {
      scree_context *context = scree_context_create(NULL);
      scree_context_set_threads(context, threads[t]);
      packing_def def = packing_def_default();
      def.nx = def.ny = def.nz = SANITIZED ? 7 : 10;
      def.frictionless = frictionless;
      scree_ccp *problem = NULL;
      assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
      const size_t n = scree_ccp_row_count(problem);
      const bool taken = !scree_solver_refusal(solver, problem, SCREE_MODEL_RELAXED);
      scree_solver *s = NULL;
      assert_int_equal(scree_solver_create(context, name, &s), SCREE_OK);
      scree_solve_settings settings = scree_solve_settings_default();
      settings.model = SCREE_MODEL_RELAXED;
      settings.tolerance_error = 1e-12;
      settings.iteration_limit = 5;
      settings.time_limit = 0.0;
      double *g = calloc(n, sizeof *g);
      scree_solve_info info;
      if (taken) assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
      if (t == 0) {
        free(first);
        first = g;
      } else {
        if (memcmp(first, g, n * sizeof *g) != 0)
          fail_msg("%s differs with %d threads", name, threads[t]);
        free(g);
      }
      scree_solver_destroy(s);
      scree_ccp_destroy(problem);
      scree_context_destroy(context);
      if (!taken) break;
    }
  }
  free(first);
}

static void test_friction(void **state) {
  (void)state;
  run(false);
}

static void test_rays(void **state) {
  (void)state;
  run(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_friction),
      cmocka_unit_test(test_rays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
