/* The contract of scree.h: contexts in several threads at once give the bits that one alone gives,
 * and null pointers and handles of bodies that are gone are refused. Run under the thread sanitizer
 * (make tsan) the first looks for races too: the threads come before the run alone, as what is made
 * once is made at its first use, and all of them begin together. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scree/scree.h"

static const char text[] =
    "step: 5 ms\nduration: 0.1 s\nrecording: {every: 20 ms}\n"
    "shapes: {a: {hull: {points: [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}}}\n"
    "bodies:\n"
    "  - {kind: fixed, shape: {half_space: {}}}\n"
    "  - {shape: {sphere: {radius: 0.05}}, random: {number: 20, region: {box: {lower: [0, 0, 0], "
    "upper: [0.6, 0.6, 0.6]}}}}\n"
    "  - {shape: a, position: [2, 0, 0.1]}\n"
    "probes: [{name: e, kind: energy}]\n";

/* A linear solver whose library keeps a state of its own. */
static const char linkage[] =
    "step: 2 ms\nduration: 0.1 s\nstepper: {name: hht, options: {linear_solver: mumps}}\n"
    "bodies:\n"
    "  - {name: a, shape: {box: {size: [0.5, 0.04, 0.04]}}, position: [0.25, 0, 0]}\n"
    "joints:\n"
    "  - {kind: hinge, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 1, 0]}\n";

enum { THREADS = 6, SCENES = 2 };

typedef struct job {
  int number;
  const char *text;
  pthread_barrier_t *begin; /* null: at once */
  bool record;
  uint64_t hash;
  char fault[256];
} job;

static char directory[] = "/tmp/scree_contract_XXXXXX";

static void *run(void *user) {
  job *j = user;
  char out[128];
  snprintf(out, sizeof out, "%s/%d.h5", directory, j->number);
  if (j->begin) pthread_barrier_wait(j->begin);
  scree_context_def context_def = scree_context_def_default();
  context_def.threads = 1;
  scree_context *context = scree_context_create(&context_def);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  scree_sim_def def = scree_sim_def_default();
  if (j->record) def.out = out;
  scree_status status = scree_scene_load_text(context, "a", j->text, strlen(j->text), NULL, &scene);
  if (!status) status = scree_sim_create(scene, &def, &sim);
  while (!status && !scree_sim_done(sim)) status = scree_sim_step(sim, NULL);
  if (!status) status = scree_sim_finish(sim);
  if (status) snprintf(j->fault, sizeof j->fault, "%s", scree_context_message(context));
  if (!status) j->hash = scree_world_hash(scree_sim_world(sim));
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
#ifdef SCREE_WITH_MUMPS
  static const char *const scene[SCENES] = {text, linkage};
#else
  static const char *const scene[SCENES] = {text, text};
  (void)linkage;
#endif
  assert_non_null(mkdtemp(directory));
  pthread_t thread[THREADS];
  pthread_barrier_t begin;
  job jobs[THREADS];
  assert_int_equal(pthread_barrier_init(&begin, NULL, THREADS), 0);
  for (int i = 0; i < THREADS; i++) {
    jobs[i] = (job){.number = i, .text = scene[i % SCENES], .begin = &begin};
#ifdef SCREE_WITH_HDF5
    jobs[i].record = i < THREADS / 2;
#endif
    assert_int_equal(pthread_create(&thread[i], NULL, run, &jobs[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  pthread_barrier_destroy(&begin);
  for (int k = 0; k < SCENES; k++) {
    job alone = {.number = THREADS, .text = scene[k]};
    run(&alone);
    assert_string_equal(alone.fault, "");
    for (int i = k; i < THREADS; i += SCENES) {
      assert_string_equal(jobs[i].fault, "");
      assert_true(jobs[i].hash == alone.hash);
    }
  }
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", directory);
  assert_int_equal(system(command), 0);
}

static void test_null(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_world *world = NULL;
  scree_sim *sim = NULL;
  scree_stepper *stepper = NULL;
  scree_solver *solver = NULL;
  scree_ccp *problem = NULL;
  scree_body_id id;
#define REFUSED(call) assert_int_equal(call, SCREE_ERROR_ARGUMENT)
  REFUSED(scree_scene_load(NULL, "a", NULL, &scene));
  REFUSED(scree_scene_load(context, NULL, NULL, &scene));
  assert_string_equal(scree_context_message(context),
                      "scree_scene_load: an argument is null; expected: context && path && scene");
  REFUSED(scree_scene_load(context, "a", NULL, NULL));
  REFUSED(scree_scene_load_text(context, "a", NULL, 1, NULL, &scene));
  REFUSED(scree_scene_load_files(context, 1, NULL, NULL, NULL, NULL, &scene));
  REFUSED(scree_scene_build(NULL, &world));
  REFUSED(scree_sim_create(NULL, NULL, &sim));
  REFUSED(scree_sim_resume(context, NULL, 0.0, &sim));
  REFUSED(scree_sim_step(NULL, NULL));
  REFUSED(scree_sim_finish(NULL));
  REFUSED(scree_sim_check(NULL, NULL, NULL));
  REFUSED(scree_world_create(NULL, NULL, &world));
  REFUSED(scree_world_create(context, NULL, NULL));
  REFUSED(scree_world_add_body(NULL, NULL, &id));
  REFUSED(scree_stepper_create(NULL, NULL, &stepper));
  REFUSED(scree_stepper_step(NULL, 0.1, NULL));
  REFUSED(scree_solver_create(context, NULL, &solver));
  REFUSED(scree_solver_set(NULL, "a", "b"));
  REFUSED(scree_solver_solve(NULL, NULL, NULL, NULL, NULL));
  REFUSED(scree_problem_load(context, NULL, &problem, NULL));
  REFUSED(scree_problem_save(context, "a", NULL, NULL));

  assert_int_equal(scree_world_create(context, NULL, &world), SCREE_OK);
  REFUSED(scree_world_add_body(world, NULL, &id));
  scree_shape *shape = NULL;
  scree_body_state body;
  scree_body_info info;
  assert_int_equal(scree_shape_create_sphere(context, 1.0, &shape), SCREE_OK);
  scree_body_def def = scree_body_def_default();
  def.shape = shape;
  assert_int_equal(scree_world_add_body(world, &def, &id), SCREE_OK);
  REFUSED(scree_body_get_state(world, id, NULL));
  assert_int_equal(scree_world_remove_body(world, id), SCREE_OK);
  REFUSED(scree_body_get_state(world, id, &body));
  REFUSED(scree_body_get_info(world, id, &info));
  REFUSED(scree_world_remove_body(world, id));
  scree_body_id again;
  assert_int_equal(scree_world_add_body(world, &def, &again), SCREE_OK);
  REFUSED(scree_body_get_state(world, id, &body)); /* in the same place, another body */
  scree_world_destroy(world);
  scree_shape_destroy(shape);
  scree_sim_destroy(NULL);
  scree_scene_destroy(NULL);
  scree_recording_close(NULL);
  scree_context_destroy(context);
  scree_context_destroy(NULL);
}

int main(void) {
#ifndef SCREE_WITH_YAML
  return 0;
#endif
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_null)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
