/* What solvers keep: at most 250 bytes per contact for Gauss-Seidel, and no new memory when one
 * problem after the other is solved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/packing.h"

typedef struct scene {
  scree_context *context;
  scree_ccp *problem[2];
  scree_solver *solver;
  double *g;
} scene;

static scene open_scene(const char *solver, int size) {
  scene s;
  s.context = scree_context_create(NULL);
  packing_def def = packing_def_default();
  for (int k = 0; k < 2; k++) {
    def.nx = def.ny = def.nz = size - k;
    assert_int_equal(packing_create(s.context, &def, &s.problem[k]), SCREE_OK);
  }
  assert_int_equal(scree_solver_create(s.context, solver, &s.solver), SCREE_OK);
  s.g = calloc(scree_ccp_row_count(s.problem[0]), sizeof *s.g);
  return s;
}

static void solve(scene *s, int which) {
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.iteration_limit = 30;
  scree_solve_info info;
  assert_int_equal(scree_solver_solve(s->solver, s->problem[which], &settings, s->g, &info),
                   SCREE_OK);
}

static void close_scene(scene *s) {
  scree_ccp_destroy(s->problem[0]);
  scree_ccp_destroy(s->problem[1]);
  scree_solver_destroy(s->solver);
  free(s->g);
  assert_int_equal(scree_context_bytes(s->context), 0);
  scree_context_destroy(s->context);
}

static void test_bytes_per_contact(void **state) {
  (void)state;
  scene s = open_scene("gs", 12);
  const size_t before = scree_context_bytes(s.context);
  solve(&s, 0);
  const double bytes = (double)(scree_context_bytes(s.context) - before);
  assert_true(bytes <= 250.0 * (double)scree_ccp_block_count(s.problem[0]));
  close_scene(&s);
}

static void test_no_allocation_in_the_steady_state(void **state) {
  (void)state;
  static const char *const names[] = {"gs", "sor", "ssor", "jacobi", "apgd", "spg", "nncg", "ags"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    scene s = open_scene(names[k], 6);
    solve(&s, 0);
    const size_t after_first = scree_context_allocations(s.context);
    for (int i = 0; i < 6; i++) solve(&s, i % 2);
    if (scree_context_allocations(s.context) != after_first)
      fail_msg("%s took memory %zu times", names[k],
               scree_context_allocations(s.context) - after_first);
    close_scene(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes_per_contact),
      cmocka_unit_test(test_no_allocation_in_the_steady_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
