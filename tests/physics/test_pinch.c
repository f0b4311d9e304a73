/* A block that is pinched between two jaws hangs by friction alone for 600 s, 120,000 steps: it
 * must not creep. What it sinks by is what the residual of its steps leaves: 2e-9 m where they end
 * at 1e-6, 1e-12 m at 1e-9. */
#include <string.h>

#include "scree/scree.h"
#include "tests/physics/physics.h"

static const char text[] =
    "step: 5 ms\nduration: 600 s\nmaterials: {default: {friction: 0.5}}\n"
    "solver: {tolerance_residual: 1.0e-9}\n"
    "bodies:\n"
    "  - {kind: fixed, shape: {box: {size: [0.1, 0.4, 0.4]}}, position: [-0.15, 0, 0]}\n"
    "  - {name: block, shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, position: [0, 0, 0]}\n"
    "  - {name: jaw, shape: {box: {size: [0.1, 0.4, 0.4]}}, mass: 2, position: [0.15, 0, 0]}\n"
    "joints: [{kind: slider, bodies: [world, jaw], anchor: [0.15, 0, 0], axis: [1, 0, 0]}]\n"
    "forces: [{body: jaw, force: [-50, 0, 0]}]\n";

static void a_pinched_block_does_not_creep(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  if (scree_scene_load_text(context, "pinch", text, strlen(text), NULL, &scene) ||
      scree_sim_create(scene, NULL, &sim))
    fail_msg("%s", scree_context_message(context));
  for (int k = 0; !scree_sim_done(sim) && (!SANITIZED || k < 2000); k++)
    assert_int_equal(scree_sim_step(sim, NULL), SCREE_OK);
  scree_body_state s;
  assert_int_equal(
      scree_body_get_state(scree_sim_world(sim), scree_scene_find_body(scene, "block"), &s),
      SCREE_OK);
  for (int k = 0; k < 3; k++)
    if (!(fabs(s.position[k]) < 1e-9)) fail_msg("coordinate %d: %g m", k, s.position[k]);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_pinched_block_does_not_creep)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
