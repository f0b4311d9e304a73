/* The state of a run as bytes, and many runs at once: the same bits, and nothing else is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

static const char text[] =
    "step: 5 ms\nduration: 100 s\n"
    "bodies:\n"
    "  - {kind: fixed, shape: {half_space: {}}}\n"
    "  - {name: ball, shape: {sphere: {radius: 0.1}}, lattice: {count: [3, 3, 2], pitch: [0.21, "
    "0.21, 0.25], origin: [0, 0, 0.2]}}\n"
    "emitters:\n"
    "  - {region: {box: {lower: [-1, -1, 2], upper: [1, 1, 3]}}, rate: 40, body: {shape: {sphere: "
    "{radius: 0.1}}}}\n"
    "probes:\n"
    "  - {name: gate, kind: plane, point: [0, 0, 1.9], normal: [0, 0, -1]}\n";

typedef struct run {
  scree_context *context;
  scree_scene *scene;
  scree_sim *sim;
} run;

static run begin(void) {
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  run r = {.context = scree_context_create(&def)};
  if (scree_scene_load_text(r.context, "a", text, strlen(text), NULL, &r.scene) ||
      scree_sim_create(r.scene, NULL, &r.sim))
    fail_msg("%s", scree_context_message(r.context));
  return r;
}

static void end(run *r) {
  scree_sim_destroy(r->sim);
  scree_scene_destroy(r->scene);
  assert_int_equal(scree_context_bytes(r->context), 0);
  scree_context_destroy(r->context);
}

static void steps(run *r, int count) {
  for (int i = 0; i < count; i++) assert_int_equal(scree_sim_step(r->sim, NULL), SCREE_OK);
}

static uint64_t hash(const run *r) {
  return scree_world_hash(scree_sim_world(r->sim));
}

static void test_restore(void **state) {
  (void)state;
  run a = begin(), b = begin();
  steps(&a, 100);
  const size_t size = scree_sim_save_size(a.sim);
  char *blob = malloc(size);
  assert_int_equal(scree_sim_save(a.sim, blob, size - 1), SCREE_ERROR_ARGUMENT);
  assert_int_equal(scree_sim_save(a.sim, blob, size), SCREE_OK);
  steps(&a, 100);
  double wanted[8], found[8];
  size_t count;
  assert_int_equal(scree_sim_get_probe(a.sim, 0, 8, wanted, &count), SCREE_OK);
  assert_int_equal(count, 6);
  assert_true(wanted[4] > 5.0); /* bodies went through the plane */
  assert_int_equal(scree_sim_restore(b.sim, blob, size), SCREE_OK);
  steps(&b, 100);
  assert_true(hash(&a) == hash(&b));
  assert_int_equal(scree_sim_get_probe(b.sim, 0, 8, found, &count), SCREE_OK);
  assert_memory_equal(wanted, found, sizeof *found * count);
  assert_int_equal(scree_sim_get_probe(b.sim, 1, 8, found, &count), SCREE_ERROR_ARGUMENT);
  const uint64_t kept = hash(&b);
  blob[size - 9] ^= 1;
  assert_int_equal(scree_sim_restore(b.sim, blob, size), SCREE_ERROR_INPUT);
  assert_int_equal(scree_sim_restore(b.sim, blob, 20), SCREE_ERROR_INPUT);
  assert_true(hash(&b) == kept);
  free(blob);
  end(&a);
  end(&b);
}

static void test_many(void **state) {
  (void)state;
  enum { N = 5 };
  run one = begin(), many[N];
  scree_sim *sims[N];
  scree_step_info infos[N];
  scree_status statuses[N];
  for (int i = 0; i < N; i++) {
    many[i] = begin();
    sims[i] = many[i].sim;
  }
  steps(&one, 60);
  assert_int_equal(scree_sim_step_many(N, sims, 60, 2, infos, statuses), SCREE_OK);
  for (int i = 0; i < N; i++) assert_true(hash(&many[i]) == hash(&one) && !statuses[i]);
  assert_int_equal(infos[0].contacts, infos[N - 1].contacts);
  sims[1] = sims[0];
  assert_int_equal(scree_sim_step_many(N, sims, 1, 2, NULL, NULL), SCREE_ERROR_ARGUMENT);
  assert_int_equal(scree_sim_step_many(0, NULL, 1, 2, NULL, NULL), SCREE_OK);
  for (int i = 0; i < N; i++) end(&many[i]);
  end(&one);
}

static void test_columns(void **state) {
  (void)state;
  assert_string_equal(scree_probe_column_name(SCREE_PROBE_SURFACE, 3), "slope [rad]");
  assert_null(scree_probe_column_name(SCREE_PROBE_SURFACE, 6));
  assert_null(scree_probe_column_name(SCREE_PROBE_GROUP, 16));
  assert_null(scree_probe_column_name(SCREE_PROBE_KIND_COUNT, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_restore), cmocka_unit_test(test_many),
                                     cmocka_unit_test(test_columns)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
