/* Questions to worlds, scenes, steppers, solvers and problems, by a small scene whose answers are
 * known: a ball, a slab and a fixed pillar, a hinge, a spring, two materials. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "scree/scree.h"
#include "tests/support/one_context.h"

static const char text[] =
    "parameters: {k: 2}\n"
    "materials: {steel: {friction: 0.25}}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, material: steel, shape: {half_space: {}}}\n"
    "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1], mass: '${k}'}\n"
    "  - {name: arm, shape: {box: {size: [1, 0.1, 0.1]}}, position: [3, 0, 2], mass: 1}\n"
    "joints: [{name: pin, kind: hinge, bodies: [world, arm], anchor: [2.5, 0, 2], axis: [0, 1, "
    "0]}]\n"
    "probes: [{name: e, kind: energy}]\n"
    "events: [{at: 0.02, end: true}]\n";

static scree_scene *scene;
static scree_world *world;

static int begin(void **state) {
  static const char *const sets[] = {"k=3"};
  scree_scene_def def = scree_scene_def_default();
  def.set_count = 1;
  def.sets = sets;
  return setup(state) ||
         scree_scene_load_text(context, "a/b.yaml", text, sizeof text - 1, &def, &scene) ||
         scree_scene_build(scene, &world);
}

static int end(void **state) {
  scree_world_destroy(world);
  scree_scene_destroy(scene);
  return teardown(state);
}

static void test_scene(void **state) {
  (void)state;
  assert_ptr_equal(scree_scene_context(scene), context);
  assert_int_equal(scree_scene_file_count(scene), 1);
  assert_string_equal(scree_scene_file_path(scene, 0), "a/b.yaml");
  assert_false(scree_scene_reads(scene, "a/b.yaml")); /* no such file is on the disk */
  assert_int_equal(scree_scene_set_count(scene), 1);
  assert_string_equal(scree_scene_set_text(scene, 0), "k=3");
  assert_int_equal(scree_scene_probe_count(scene), 1);
  assert_int_equal(scree_world_material_count(world), 2);
  assert_string_equal(scree_scene_material_name(scene, (scree_material_id){0}), "default");
  assert_string_equal(scree_scene_material_name(scene, (scree_material_id){1}), "steel");
  const scree_joint_id pin = scree_scene_find_joint(scene, "pin");
  assert_true(scree_joint_is_valid(world, pin));
  assert_int_equal(scree_scene_find_joint(scene, "none").generation, 0);
  char name[64];
  scree_scene_describe_joint(scene, pin, name, sizeof name);
  assert_string_equal(name, "a/b.yaml:7:10: 'pin'");
  const scree_scene_flow flow = scree_scene_get_flow(scene);
  assert_int_equal(flow.emitted + flow.drained, 0);
  scree_stepper *stepper;
  assert_int_equal(scree_stepper_create(world, NULL, &stepper), SCREE_OK);
  int steps = 0;
  for (; !scree_scene_has_ended(scene) && steps < 100; steps++) {
    assert_int_equal(scree_scene_before_step(scene, world, 0.005), SCREE_OK);
    assert_int_equal(scree_stepper_step(stepper, 0.005, NULL), SCREE_OK);
    assert_int_equal(scree_scene_after_step(scene, world), SCREE_OK);
  }
  assert_true(steps == 4 || steps == 5); /* the event at 20 ms */
  scree_stepper_destroy(stepper);
}

static void test_units(void **state) {
  (void)state;
  double factor;
  char si[SCREE_UNIT_TEXT];
  size_t count = 0;
  bool found = false;
  for (const char *name; (name = scree_scene_unit(count, &factor, si)); count++)
    if (strcmp(name, "mm") == 0) found = factor == 1e-3 && strcmp(si, "m") == 0;
  assert_true(found && count > 20);
}

static void test_joints(void **state) {
  (void)state;
  const scree_joint_id pin = scree_scene_find_joint(scene, "pin");
  assert_int_equal(scree_world_joint_limit(world), 1);
  assert_int_equal(scree_joint_kind_coordinates(SCREE_JOINT_HINGE), 1);
  assert_true(scree_joint_kind_turns(SCREE_JOINT_HINGE, 0));
  assert_false(scree_joint_kind_turns(SCREE_JOINT_SLIDER, 0));
  assert_int_equal(scree_joint_coordinates(world, pin), 1);
  assert_int_equal(scree_joint_coordinates(world, (scree_joint_id){0}), 0);
  scree_freedom f;
  assert_int_equal(scree_world_count_freedom(world, NULL, NULL, &f), SCREE_OK);
  assert_int_equal(f.joints, 1);
  /* The arm hangs where its joint is: nothing is moved. */
  scree_fit fit;
  assert_false(scree_scene_get_fit(scene, &fit) && fit.moved > 1e-9);
  assert_int_equal(scree_world_assemble(world, &fit), SCREE_OK);
  assert_true(fit.closed && fit.misfit < 1e-9 && fit.moved < 1e-9);
  assert_int_equal(f.rows, 5);
  assert_int_equal(f.freedom, 2 * 6 - 5);
  /* A motor that holds the arm: it does not fall. */
  scree_coordinate_def motor = scree_joint_def_default().coordinate[0];
  motor.motor = SCREE_MOTOR_SPEED;
  motor.motor_value = 0.0;
  assert_int_equal(scree_joint_set_coordinate_motor(world, pin, 0, &motor), SCREE_OK);
  assert_int_equal(scree_joint_set_coordinate_motor(world, pin, 1, &motor), SCREE_ERROR_ARGUMENT);
  scree_stepper *stepper;
  assert_int_equal(scree_stepper_create(world, NULL, &stepper), SCREE_OK);
  for (int i = 0; i < 20; i++) assert_int_equal(scree_stepper_step(stepper, 0.005, NULL), SCREE_OK);
  const size_t places = scree_world_body_limit(world);
  double at[3 * 8];
  assert_int_equal(scree_world_get_states(world, 8, at, NULL, NULL, NULL), places);
  const scree_body_id arm = scree_scene_find_body(scene, "arm");
  assert_true(fabs(at[3 * arm.index + 2] - 2.0) < 1e-6);
  scree_stepper_destroy(stepper);
}

static void test_links(void **state) {
  (void)state;
  scree_link_def d = scree_link_def_default();
  d.body[0] = scree_scene_find_body(scene, "ball");
  d.point[0][2] = 0.1;
  d.point[1][2] = 1.1;
  d.rest = 0.5;
  scree_link_id link;
  scree_link_state s;
  assert_int_equal(scree_world_add_link(world, &d, &link), SCREE_OK);
  assert_true(scree_link_is_valid(world, link));
  assert_int_equal(scree_world_link_count(world), 1);
  assert_int_equal(scree_world_link_limit(world), 1);
  assert_int_equal(scree_link_get_state(world, link, &s), SCREE_OK);
  assert_int_equal(s.kind, SCREE_LINK_SPRING);
  assert_int_equal(s.rows, 1);
  assert_true(fabs(s.strain[0] - 0.5) < 1e-12 && fabs(s.energy - 125.0) < 1e-9);
  assert_true(fabs(s.load[0][2] - 500.0) < 1e-9);
  /* The ball, 3 kg, hangs where the spring carries its weight: (z - 1.1 + 0.5) 1000 = -3 g. */
  scree_equilibrium_def e = scree_equilibrium_def_default();
  scree_equilibrium_info found;
  scree_body_state at;
  assert_true(e.tolerance == 1e-10);
  assert_int_equal(scree_world_find_equilibrium(world, &e, &found), SCREE_OK);
  assert_true(found.converged);
  assert_int_equal(scree_body_get_state(world, d.body[0], &at), SCREE_OK);
  assert_true(fabs(at.position[2] - (0.6 - 3.0 * 9.81 / 1000.0)) < 1e-6);
  assert_int_equal(scree_world_remove_link(world, link), SCREE_OK);
  assert_false(scree_link_is_valid(world, link));
  assert_int_equal(scree_world_link_count(world), 0);
  assert_int_equal(scree_link_get_state(world, link, &s), SCREE_ERROR_ARGUMENT);
}

static void test_world(void **state) {
  (void)state;
  assert_ptr_equal(scree_world_context(world), context);
  assert_string_equal(scree_law_name(SCREE_LAW_RIGID_COHESIVE), "rigid-cohesive");
  assert_null(scree_law_name(SCREE_LAW_COUNT));
  scree_shape *box;
  const double half[3] = {1, 2, 3}, at[3] = {10, 0, 0}, turn[4] = {1, 0, 0, 0};
  double lower[3], upper[3];
  assert_int_equal(scree_shape_create_box(context, half, &box), SCREE_OK);
  assert_int_equal(scree_world_add_shape(world, box), SCREE_OK);
  scree_shape_get_bounds(box, at, turn, lower, upper);
  assert_true(lower[0] == 9.0 && upper[0] == 11.0 && upper[2] == 3.0);
  scree_shape_destroy(box);
  /* The ball and the floor no longer touch: it falls through. */
  const scree_body_id pair[2] = {scree_scene_find_body(scene, "ball"),
                                 scree_scene_find_body(scene, "floor")};
  assert_int_equal(scree_world_exclude(world, 2, pair), SCREE_OK);
  scree_stepper *stepper;
  scree_step_info info;
  assert_int_equal(scree_stepper_create(world, NULL, &stepper), SCREE_OK);
  assert_int_equal(scree_stepper_step(stepper, 0.005, &info), SCREE_OK);
  assert_int_equal(info.contacts, 0);
  scree_stepper_destroy(stepper);
}

typedef struct bytes {
  unsigned char data[1 << 16];
  size_t count;
} bytes;

static scree_status take(void *user, const void *data, size_t size) {
  bytes *b = user;
  if (b->count + size > sizeof b->data) return SCREE_ERROR_MEMORY;
  memcpy(b->data + b->count, data, size);
  b->count += size;
  return SCREE_OK;
}

static void test_stepper(void **state) {
  (void)state;
  scree_stepper *stepper;
  size_t count;
  assert_int_equal(scree_stepper_create(world, NULL, &stepper), SCREE_OK);
  assert_string_equal(scree_stepper_get_name(stepper), "nonsmooth");
  assert_string_equal(scree_stepper_solver_name(stepper), "auto");
  assert_int_equal(scree_stepper_set_solver(stepper, "no such key", "1"), SCREE_ERROR_ARGUMENT);
  assert_int_equal(scree_stepper_step(stepper, 0.005, NULL), SCREE_OK);
  /* One contact: the floor carries the weight of the ball, 3 kg, in this step. */
  scree_contact all[4];
  assert_int_equal(scree_stepper_get_contacts(stepper, 4, all), 1);
  const scree_contact one = scree_stepper_get_contact(stepper, 0);
  assert_memory_equal(&one, &all[0], sizeof one);
  const scree_ccp *problem = scree_stepper_problem(stepper);
  const double *g = scree_stepper_impulses(stepper);
  assert_int_equal(scree_ccp_form(problem), SCREE_FORM_BODIES);
  assert_true(fabs(g[0] - fabs(one.impulse[2])) < 1e-9 && g[0] > 0.05);
  scree_ccp_facts facts;
  assert_int_equal(scree_ccp_get_facts(context, problem, &facts), SCREE_OK);
  assert_true(facts.bodies >= 1 && facts.entries == 0 && facts.asymmetry < 1e-12);
  assert_true(facts.largest_offset > 0.0);
  /* What is written piece by piece is what is saved at once. */
  bytes *b = calloc(1, sizeof *b);
  void *blob = malloc(scree_stepper_save_size(stepper));
  assert_int_equal(scree_stepper_write(stepper, take, b), SCREE_OK);
  assert_int_equal(b->count, scree_stepper_save_size(stepper));
  assert_int_equal(scree_stepper_save(stepper, blob, b->count), SCREE_OK);
  assert_memory_equal(blob, b->data, b->count);
  free(blob);
  free(b);
  scree_stepper_destroy(stepper);
  for (size_t i = 0; i < scree_stepper_count(); i++) {
    assert_true(strlen(scree_stepper_summary(i)) > 10);
    assert_true(scree_stepper_options(i, &count) || !count);
  }
  for (size_t i = 0; i < scree_linear_solver_count(); i++)
    assert_true(strlen(scree_linear_solver_summary(i)) > 10);
  size_t spreads = 0;
  for (size_t i = 0; i < scree_solver_count(); i++) {
    assert_true(strlen(scree_solver_summary(i)) > 10);
    spreads += scree_solver_spreads(i);
    assert_true(scree_solver_options(i, &count) || !count);
  }
  assert_true(spreads < scree_solver_count() && !scree_solver_spreads(1000));
}

static void test_problem(void **state) {
  (void)state;
  scree_solve_settings s = scree_solve_settings_default();
  s.tolerance_residual = 1e-4;
  assert_true(scree_solve_asked_residual(&s) == 1e-4);
  s.tolerance_residual = s.tolerance_error = 0.0;
  assert_true(scree_solve_asked_residual(&s) == 0.0);
  /* Exact friction adds mu |u_T| to u_n, and psi |u_T| less where there is dilatancy. */
  const double u[3] = {0.0, 0.3, 0.4};
  double w[3];
  scree_set set = scree_set_coulomb(3, 0.5);
  scree_set_flow(&set, u, w);
  assert_true(fabs(w[0] - 0.25) < 1e-15 && w[1] == 0.3 && w[2] == 0.4);
  set.flow[0] = set.flow[1] = 0.2 / 0.5;
  scree_set_flow(&set, u, w);
  assert_true(fabs(w[0] - 0.15) < 1e-15 && w[1] == 0.3 && w[2] == 0.4);
  scree_ccp *problem;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  const scree_ccp_body_def body = {.inverse_mass = 1.0};
  uint32_t index;
  scree_ccp_contact_def contact = scree_ccp_contact_def_default();
  for (int k = 0; k < 2; k++) {
    assert_int_equal(scree_ccp_add_body(problem, &body, &index), SCREE_OK);
    assert_int_equal(index, 0);
    contact.body_b = index;
    contact.tangent[0] = 1.0;
    assert_int_equal(scree_ccp_add_contact(problem, &contact), SCREE_OK);
    assert_int_equal(scree_ccp_row_count(problem), 3);
    scree_ccp_clear(problem);
    assert_int_equal(scree_ccp_row_count(problem), 0);
  }
  scree_ccp_destroy(problem);
  assert_string_equal(scree_problem_kind_text(SCREE_PROBLEM_LOCAL), "local");
}

static scree_status count_bytes(void *user, const void *data, size_t size) {
  (void)data;
  *(size_t *)user += size;
  return SCREE_OK;
}

static void test_files(void **state) {
  (void)state;
  scree_mesh_report report;
  FILE *file = fopen("queries.obj", "w");
  assert_non_null(file);
  fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n", file);
  fclose(file);
  assert_int_equal(scree_mesh_examine_file(context, "queries.obj", &report), SCREE_OK);
  assert_true(report.closed && report.triangles == 4 && fabs(report.volume - 1.0 / 6.0) < 1e-12);
  remove("queries.obj");
  scree_import_def def = scree_import_def_default();
  scree_import_summary summary = {0};
  size_t size = 0;
  const scree_status status = scree_scene_import(context, SCREE_SOURCE_DIR "/tests/models/arm.urdf",
                                                 &def, NULL, count_bytes, &size, &summary);
  if (status == SCREE_ERROR_UNSUPPORTED) return; /* built without expat */
  if (status) fail_msg("%s", scree_context_message(context));
  assert_true(size > 100 && summary.bodies > 0 && summary.joints > 0);
}

/* A macro step that is repeated from a saved state gives the same bits. */
static void test_coupling(void **state) {
  (void)state;
  static const char box[] = "step: 5 ms\nbodies: [{name: box, shape: {box: {size: [1, 1, 1]}}, "
                            "mass: 2}]\n";
  scree_scene *coupled;
  scree_sim *sim;
  scree_coupling *c;
  size_t lift, z;
  double force = 2.0 * 9.81 + 4.0, height[2];
  assert_int_equal(scree_scene_load_text(context, "c", box, sizeof box - 1, NULL, &coupled),
                   SCREE_OK);
  assert_int_equal(scree_sim_create(coupled, NULL, &sim), SCREE_OK);
  if (scree_coupling_create(sim, &c)) fail_msg("%s", scree_context_message(context));
  assert_true(scree_coupling_count(c) >= 19);
  assert_int_equal(scree_coupling_find(c, "box.force.z", &lift), SCREE_OK);
  assert_int_equal(scree_coupling_find(c, "box.position.z", &z), SCREE_OK);
  assert_int_equal(scree_coupling_find(c, "box.forc.z", &z), SCREE_ERROR_ARGUMENT);
  scree_coupling_variable v;
  assert_int_equal(scree_coupling_get_variable(c, lift, &v), SCREE_OK);
  const size_t size = scree_coupling_save_size(c);
  void *blob = calloc(1, size);
  assert_int_equal(scree_coupling_save(c, blob, size), SCREE_OK);
  for (int k = 0; k < 2; k++) {
    assert_int_equal(scree_coupling_restore(c, blob, size), SCREE_OK);
    assert_int_equal(scree_coupling_set(c, 1, &lift, &force), SCREE_OK);
    assert_int_equal(scree_coupling_advance(c, 0.1), SCREE_OK);
    assert_int_equal(scree_coupling_find(c, "box.position.z", &z), SCREE_OK);
    assert_int_equal(scree_coupling_get(c, 1, &z, &height[k]), SCREE_OK);
  }
  assert_true(fabs(scree_coupling_time(c) - 0.1) < 1e-12);
  assert_true(height[0] == height[1] && fabs(height[0] - 0.01) < 1e-3); /* a t^2 / 2, a = 2 */
  free(blob);
  scree_coupling_destroy(c);
  scree_sim_destroy(sim);
  scree_scene_destroy(coupled);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_scene, begin, end),
      cmocka_unit_test(test_units),
      cmocka_unit_test_setup_teardown(test_joints, begin, end),
      cmocka_unit_test_setup_teardown(test_links, begin, end),
      cmocka_unit_test_setup_teardown(test_world, begin, end),
      cmocka_unit_test_setup_teardown(test_stepper, begin, end),
      cmocka_unit_test_setup_teardown(test_problem, setup, teardown),
      cmocka_unit_test_setup_teardown(test_files, setup, teardown),
      cmocka_unit_test_setup_teardown(test_coupling, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
