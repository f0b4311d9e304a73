/* Definitions carry a cookie: one that is all zeros, or that was made by another minor version, is
 * refused by every call that takes one, with its name in the message; the default is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/one_context.h"

static scree_world *world;

static void expect(scree_status status, scree_status wanted, const char *type) {
  if (status != wanted)
    fail_msg("%s: status %d: %s", type, (int)status, scree_context_message(context));
  if (wanted != SCREE_ERROR_ARGUMENT) return;
  char text[128];
  snprintf(text, sizeof text, "scree_%s: it was not made by scree_%s_default()", type, type);
  if (!strstr(scree_context_message(context), text))
    fail_msg("%s: %s", type, scree_context_message(context));
}

/* Zeros, then the cookie of the next minor version, then the default itself. */
#define REFUSED(type, call)                                                                        \
  do {                                                                                             \
    scree_##type def;                                                                              \
    memset(&def, 0, sizeof def);                                                                   \
    expect(call, SCREE_ERROR_ARGUMENT, #type);                                                     \
    def = scree_##type##_default();                                                                \
    def.cookie++;                                                                                  \
    expect(call, SCREE_ERROR_ARGUMENT, #type);                                                     \
  } while (0)
#define TAKEN(type, call)                                                                          \
  do {                                                                                             \
    scree_##type def = scree_##type##_default();                                                   \
    expect(call, SCREE_OK, #type);                                                                 \
  } while (0)

static void test_model(void **state) {
  (void)state;
  scree_body_id body;
  scree_joint_id joint;
  scree_link_id link;
  scree_material_id material;
  scree_motion_id motion;
  scree_world *other;
  assert_int_equal(scree_world_create(context, NULL, &world), SCREE_OK);
  REFUSED(world_def, scree_world_create(context, &def, &other));
  REFUSED(body_def, scree_world_add_body(world, &def, &body));
  REFUSED(joint_def, scree_world_add_joint(world, &def, &joint));
  REFUSED(link_def, scree_world_add_link(world, &def, &link));
  REFUSED(material_def, scree_world_add_material(world, &def, &material));
  REFUSED(motion_def, scree_world_add_motion(world, &def, &motion));
  REFUSED(equilibrium_def, scree_world_find_equilibrium(world, &def, NULL));
  TAKEN(material_def, scree_world_add_material(world, &def, &material));
  TAKEN(motion_def, scree_world_add_motion(world, &def, &motion));
  REFUSED(material_def, scree_world_set_material(world, material, &def));
  REFUSED(material_def, scree_world_set_pair(world, material, material, &def));
  /* What the world answers can be given back to it. */
  scree_material_def law;
  assert_int_equal(scree_world_get_pair(world, material, material, &law), SCREE_OK);
  assert_int_equal(scree_world_set_pair(world, material, material, &law), SCREE_OK);
  scree_stepper *stepper;
  REFUSED(stepper_def, scree_stepper_create(world, &def, &stepper));
  assert_null(stepper);
  scree_world_destroy(world);
}

static void test_problem(void **state) {
  (void)state;
  scree_ccp *problem;
  scree_solver *solver;
  scree_solve_info info;
  double g[3] = {0};
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  assert_int_equal(scree_solver_create(context, "auto", &solver), SCREE_OK);
  REFUSED(ccp_contact_def, scree_ccp_add_contact(problem, &def));
  REFUSED(solve_settings, scree_solver_solve(solver, problem, &def, g, &info));
  REFUSED(problem_save_def, scree_problem_save(context, "definitions.hdf5", problem, &def));
  scree_solver_destroy(solver);
  scree_ccp_destroy(problem);
}

static void test_scene(void **state) {
  (void)state;
  static const char text[] = "bodies: [{shape: {sphere: {radius: 1}}}]\n";
  scree_scene *scene;
  scree_sim *sim;
  REFUSED(scene_def, scree_scene_load_text(context, "a", text, sizeof text - 1, &def, &scene));
  assert_null(scene);
  REFUSED(scene_def, scree_scene_load(context, "a.yaml", &def, &scene));
  REFUSED(import_def,
          scree_scene_import(context, "a.urdf", &def, NULL,
                             (scree_write_function)(void (*)(void))test_scene, NULL, NULL));
  assert_int_equal(scree_scene_load_text(context, "a", text, sizeof text - 1, NULL, &scene),
                   SCREE_OK);
  REFUSED(sim_def, scree_sim_create(scene, &def, &sim));
  if (scree_server_is_there()) {
    scree_server *server;
    REFUSED(server_def, scree_server_create(context, &def, &server));
    assert_null(server);
  }
  scree_scene_destroy(scene);
}

static void test_context(void **state) {
  (void)state;
  scree_context_def def;
  memset(&def, 0, sizeof def);
  assert_null(scree_context_create(&def));
  assert_true(SCREE_VERSION ==
              SCREE_VERSION_OF(SCREE_VERSION_MAJOR, SCREE_VERSION_MINOR, SCREE_VERSION_PATCH));
  assert_true(SCREE_VERSION_OF(0, 2, 0) < SCREE_VERSION_OF(0, 10, 0));
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", SCREE_VERSION_MAJOR, SCREE_VERSION_MINOR,
           SCREE_VERSION_PATCH);
  assert_string_equal(scree_version(), text);
  assert_int_equal(strlen(scree_headers_hash()), 64);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_model, setup, teardown),
      cmocka_unit_test_setup_teardown(test_problem, setup, teardown),
      cmocka_unit_test_setup_teardown(test_scene, setup, teardown),
      cmocka_unit_test(test_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
