/* A scene of very many bodies that its caller stops while it is built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

static bool wanted;

static bool stop(void *user) {
  (void)user;
  return wanted;
}

static const char text[] =
    "step: 5 ms\nduration: 1 s\nbodies:\n"
    "  - {shape: {sphere: {radius: 0.1}}, lattice: {count: [20, 20, 20], pitch: [1, 1, 1]}}\n";

static void test_build(void **state) {
  (void)state;
  scree_context_def def = scree_context_def_default();
  def.stop = stop;
  scree_context *context = scree_context_create(&def);
  scree_scene *scene = NULL;
  scree_world *world = NULL;
  assert_int_equal(scree_scene_load_text(context, "many", text, strlen(text), NULL, &scene),
                   SCREE_OK);
  wanted = true;
  assert_int_equal(scree_scene_build(scene, &world), SCREE_ERROR_STOPPED);
  assert_null(world);
  wanted = false;
  assert_int_equal(scree_scene_build(scene, &world), SCREE_OK);
  assert_int_equal(scree_world_body_count(world), 8000);
  scree_world_destroy(world);
  scree_scene_destroy(scene);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_build)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
