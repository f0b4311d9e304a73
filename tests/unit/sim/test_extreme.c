/* Flexible parts whose numbers are at the ends of what a number holds: a message, and no crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

/* The run of one part by hht: `why` is in the message of the build or of the first step. */
static void check(const char *part, const char *why) {
  char text[600];
  snprintf(text, sizeof text,
           "step: 1 ms\nduration: 1 ms\nstepper: hht\nflexible:\n  - {name: p, %s}\n", part);
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  const scree_sim_def def = scree_sim_def_default();
  scree_status status = scree_scene_load_text(context, "a", text, strlen(text), NULL, &scene);
  if (!status) status = scree_sim_create(scene, &def, &sim);
  if (!status) status = scree_sim_step(sim, NULL);
  assert_int_not_equal(status, SCREE_OK);
  if (!strstr(scree_context_message(context), why)) fail_msg("%s", scree_context_message(context));
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* Nodes whose mass is rounded to 0 were left out, and their elements asked for them. */
static void test_no_mass(void **state) {
  (void)state;
  check("kind: block, lower: [0, 0, 0], upper: [0.1, 0.1, 0.2], cells: [1, 1, 2], young: 1e6, "
        "density: 1e-308, held: [x-]",
        "a:5:5: density times volume is too small or too large a number");
  check("kind: block, lower: [0, 0, 0], upper: [10, 10, 10], cells: [1, 1, 2], young: 1e6, "
        "density: 1e308",
        "a:5:5: density times volume is too small");
}

/* Gradients without a number gave a matrix of dampers where there are none. */
static void test_no_number(void **state) {
  static const char *const parts[] = {
      "kind: block, lower: [0, 0, 0], upper: [0.1, 0.1, 0.2], cells: [1, 1, 2], young: 1e308, "
      "density: 1000, held: [x-]",
      "kind: beam, start: [0, 0, 0], end: [1, 0, 0], section: [0.02, 0.01], elements: 3, young: "
      "1e9, density: 1e-308, mass: high-order, ends: [world, free], collide: false",
      "kind: cable, start: [0, 0, 0], end: [1, 0, 0], radius: 5e-3, elements: 3, young: 1e308, "
      "density: 1000, ends: [world, free], collide: false",
      "kind: shell, lower: [0, 0, 1], upper: [0.4, 0.2, 1], cells: [2, 2, 1], thickness: 0.01, "
      "young: 2e9, density: 1e-300, held: [x-]"};
  (void)state;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    check(parts[k], "Newton's method does not converge");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_mass),
                                     cmocka_unit_test(test_no_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
