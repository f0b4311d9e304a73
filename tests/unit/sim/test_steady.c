/* No allocation in a steady step, by whatever solver: memory is taken while a run warms up, and
 * kept. Spheres rest on a floor, and a stack of boxes stands beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

static size_t allocations(const char *solver, const char *model, size_t steps) {
  char text[1024];
  snprintf(text, sizeof text,
           "step: 5 ms\nduration: 100 s\nsolver: {name: %s, model: %s, iteration_limit: 200}\n"
           "bodies:\n"
           "  - {kind: fixed, shape: {half_space: {}}}\n"
           "  - {shape: {sphere: {radius: 0.1}}, lattice: {count: [3, 3, 1], pitch: [0.2, 0.2, 1], "
           "origin: [0, 0, 0.1]}}\n"
           "  - {shape: {box: {size: [0.2, 0.2, 0.2]}}, lattice: {count: [1, 1, 3], pitch: [1, 1, "
           "0.2], origin: [2, 0, 0.1]}}\n",
           solver, model);
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  size_t before = 0, after = 0;
  if (scree_scene_load_text(context, "a", text, strlen(text), NULL, &scene) ||
      scree_sim_create(scene, NULL, &sim))
    fail_msg("%s: %s", solver, scree_context_message(context));
  for (size_t i = 0; i < 60 + steps; i++) {
    if (i == 60) before = scree_context_allocations(context);
    if (scree_sim_step(sim, NULL)) break; /* a solver that cannot take it */
    after = scree_context_allocations(context);
  }
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
  return before ? after - before : 0;
}

static void test_no_allocation(void **state) {
  (void)state;
  bool failed = false;
  for (size_t i = 0; i < scree_solver_count(); i++)
    for (int exact = 0; exact <= scree_solver_has_coulomb(i); exact++) {
      const size_t n = allocations(scree_solver_name(i), exact ? "coulomb" : "relaxed", 20);
      if (!n) continue;
      print_error("%s, %s: %zu allocations in 20 steps\n", scree_solver_name(i),
                  exact ? "coulomb" : "relaxed", n);
      failed = true;
    }
  assert_false(failed);
}

int main(void) {
#ifndef SCREE_WITH_YAML
  return 0;
#endif
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
