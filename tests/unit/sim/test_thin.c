/* Plates thinner than any way that they make in a step: what it costs to follow them is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "sim/sim.h"
#include "step/stepper.h"

/* Deep in a cone and through each other from the start: there is no side to keep. */
static const char through[] =
    "step: 0.005\n"
    "bodies:\n"
    "- {kind: fixed, shape: {cone: {radius: 3, height: 3}}}\n"
    "- {shape: {ellipsoid: {radii: [0.3, 1e-09, 0.3]}},"
    " position: [-0.207,-0.26,0.241],"
    " rotation: {axis: [0.836,0.601,1], angle: 2.3}, angular: [-1.67,0.22,-1.34]}\n"
    "- {shape: {ellipsoid: {radii: [1e-09, 0.3, 0.3]}},"
    " position: [0.196,-0.143,0.566],"
    " rotation: {axis: [-0.949,0.281,1], angle: 0.781}, angular: [-1.37,-2.01,-1.26]}\n"
    "- {shape: {ellipsoid: {radii: [0.3, 0.3, 1e-09]}},"
    " position: [0.277,0.209,0.223],"
    " rotation: {axis: [0.69,-0.325,1], angle: 1.16}, angular: [-1.51,-1.52,-1.32]}\n"
    "- {shape: {ellipsoid: {radii: [0.3, 0.3, 1e-09]}},"
    " position: [0.204,-0.296,0.175],"
    " rotation: {axis: [0.41,-0.376,1], angle: 2.3}, angular: [-1.83,-0.458,-1.27]}\n"
    "- {shape: {ellipsoid: {radii: [0.3, 1e-09, 0.3]}},"
    " position: [-0.203,-0.117,0.488],"
    " rotation: {axis: [-0.914,-0.907,1], angle: 1.88}, angular: [-1.32,0.208,-0.173]}\n"
    "- {shape: {ellipsoid: {radii: [0.3, 1e-09, 0.3]}},"
    " position: [-0.213,0.104,0.0399],"
    " rotation: {axis: [0.827,0.27,1], angle: 1.32}, angular: [-1.9,-0.384,0.533]}\n"
    "- {shape: {ellipsoid: {radii: [0.3, 0.3, 1e-09]}},"
    " position: [0.0351,0.243,0.0606],"
    " rotation: {axis: [-0.877,-0.542,1], angle: 2.3}, angular: [0.693,-1.58,-1.01]}\n";

/* Turning on a plane: parts of the step that are short enough to follow them there are none. */
static const char turning[] =
    "step: 0.1\n"
    "bodies:\n"
    "- {kind: fixed, shape: {half_space: {}}}\n"
    "- {shape: {cylinder: {radius: 0.3, length: 2e-9}},"
    " position: [0.246,0.181,0.356],"
    " rotation: {axis: [0.304,0.332,1], angle: 2.61}, angular: [0.846,-1.88,-2.58]}\n"
    "- {shape: {box: {size: [0.6,0.6,2e-9]}},"
    " position: [0.147,-0.282,0.0505],"
    " rotation: {axis: [0.368,0.996,1], angle: 2.98}, angular: [2.01,-2.49,1.76]}\n"
    "- {shape: {ellipsoid: {radii: [0.3, 0.3, 1e-9]}},"
    " position: [0.196,0.147,0.38],"
    " rotation: {axis: [0.588,-0.487,1], angle: 2.55}, angular: [-0.0793,1.53,0.385]}\n";

static void check(const char *text, size_t most) {
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  scree_sim_def def = scree_sim_def_default();
  def.check_overlap = false;
  assert_int_equal(scree_scene_load_text(context, "a", text, strlen(text), NULL, &scene), SCREE_OK);
  assert_int_equal(scree_sim_create(scene, &def, &sim), SCREE_OK);
  for (int k = 0; k < 3; k++) {
    scree_step_info info;
    assert_int_equal(scree_sim_step(sim, &info), SCREE_OK);
    print_message("%zu distances beyond the usual, %d of %d parts unresolved\n",
                  sim->stepper->advances, info.unresolved, info.parts);
    assert_true(sim->stepper->advances <= most);
    assert_true(info.parts < 300);
  }
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
}

static void test_through(void **state) {
  (void)state;
  check(through, 0);
}

static void test_turning(void **state) {
  (void)state;
  check(turning, 20000);
}

int main(void) {
#ifndef SCREE_WITH_YAML
  return 0;
#endif
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_through),
                                     cmocka_unit_test(test_turning)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
