/* A run that is stopped within a step goes on as if it had not been: in the same process, and from
 * the checkpoint that is written then. The scene has what happens before a step: an emitter and a
 * force, which must not act twice. */
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

static const char scene_text[] =
    "step: 5 ms\nduration: 0.25 s\nrecording: {every: 10 ms, checkpoint: 1000 s}\n"
    "solver: {tolerance_residual: 1.0e-9, iteration_limit: 300}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
    "  - {name: block, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0, 0, 0.1]}\n"
    "emitters:\n"
    "  - {rate: 200, number: 30, region: {box: {lower: [-0.4, -0.4, 0.3], upper: [0.4, 0.4, "
    "0.8]}},\n"
    "     body: {shape: {sphere: {radius: 0.04}}, velocity: [0, 0, -3]}}\n"
    "forces: [{body: block, force: [3, 0, 0]}]\n";

typedef struct watch {
  long calls, stop_at; /* 0: never */
} watch;

static bool stop(void *user) {
  watch *w = user;
  return w->stop_at && ++w->calls >= w->stop_at;
}

static char path[256];

static void remove_files(void) {
  static const char *const ends[] = {"", ".checkpoint", ".checkpoint.old"};
  char name[512];
  for (int k = 0; k < 3; k++) {
    snprintf(name, sizeof name, "%s%s", path, ends[k]);
    remove(name);
  }
}

static scree_context *open_context(watch *w) {
  scree_context_def d = scree_context_def_default();
  d.threads = 1;
  d.stop = stop;
  d.stop_user = w;
  return scree_context_create(&d);
}

static void ok(scree_context *context, scree_status status) {
  if (status) fail_msg("%s", scree_context_message(context));
}

/* To the end; returns the hash. Every `every` calls of the function a step is stopped, and with
 * `leave` the run is left there and resumed. */
static uint64_t run(long every, bool leave, int *stops) {
  watch w = {0, 0};
  scree_context *context = open_context(&w);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  scree_sim_def def = scree_sim_def_default();
  def.out = path;
  remove_files();
  ok(context,
     scree_scene_load_text(context, "s.yaml", scene_text, strlen(scene_text), NULL, &scene));
  ok(context, scree_sim_create(scene, &def, &sim));
  w.stop_at = every;
  *stops = 0;
  while (!scree_sim_done(sim)) {
    const uint64_t before = scree_world_hash(scree_sim_world(sim));
    const double time = scree_world_time(scree_sim_world(sim));
    const size_t bodies = scree_world_body_count(scree_sim_world(sim));
    const scree_status status = scree_sim_step(sim, NULL);
    if (status != SCREE_ERROR_STOPPED) {
      ok(context, status);
      continue;
    }
    ++*stops;
    assert_true(scree_world_time(scree_sim_world(sim)) == time);
    if (scree_world_body_count(scree_sim_world(sim)) == bodies)
      assert_true(scree_world_hash(scree_sim_world(sim)) == before);
    w = (watch){0, 0};
    if (leave) {
      ok(context, scree_sim_finish(sim));
      scree_sim_destroy(sim);
      scree_scene_destroy(scene);
      scene = NULL;
      ok(context, scree_sim_resume(context, path, 0.0, &sim));
    }
    ok(context, scree_sim_step(sim, NULL)); /* at least one step between two stops */
    w.stop_at = every;
  }
  const uint64_t hash = scree_world_hash(scree_sim_world(sim));
  w.stop_at = 0;
  ok(context, scree_sim_finish(sim));
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
  remove_files();
  return hash;
}

static void a_stopped_step_is_made_again(void **state) {
  (void)state;
  int stops;
  const uint64_t straight = run(0, false, &stops);
  assert_int_equal(stops, 0);
  for (int leave = 0; leave < 2; leave++)
    for (long every = 3; every < 60; every = 2 * every + 1) {
      assert_true(run(every, leave, &stops) == straight);
      assert_true(stops > 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_stopped_step_is_made_again)};
  snprintf(path, sizeof path, "test_stop_%ld.h5", (long)getpid());
  return cmocka_run_group_tests(tests, NULL, NULL);
}
