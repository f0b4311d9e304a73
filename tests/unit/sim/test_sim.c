/* Runs: what is recorded is what happened, a run that goes on ends with the same bits, and damaged
 * files are refused, not followed. */
#include <math.h>
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

/* Bodies come and go: emitter, drain, several sizes, a moving floor. */
static const char scene_text[] =
    "step: 5 ms\nduration: 0.6 s\nrecording: {every: 10 ms, checkpoint: 1000 s}\n"
    "bodies:\n"
    "  - {name: floor, shape: {half_space: {}}, motion: {sine: {amplitude: [0, 0, 0.01], "
    "frequency: "
    "5}}}\n"
    "  - {name: block, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0, 0, 0.1], rotation: "
    "{axis: "
    "[0, 0, 1], angle: 20 deg}}\n"
    "emitters:\n"
    "  - {rate: 100, number: 30, region: {box: {lower: [-0.5, -0.5, 0.3], upper: [0.5, 0.5, "
    "0.8]}},\n"
    "     body: {shape: {sphere: {radius: 0.04}}, sizes: {uniform: [0.5, 1.5]}, velocity: [0, 0, "
    "-3]}}\n"
    "drains: [{lower: [-9, -9, -9], upper: [9, -0.2, 9], start: 0.2}]\n"
    "probes: [{name: gate, kind: plane, point: [0, 0, 0.2]}]\n";

static char path[256];
static scree_context *context;

static int setup(void **state) {
  (void)state;
  snprintf(path, sizeof path, "test_sim_%ld.h5", (long)getpid());
  context = scree_context_create(NULL);
  return 0;
}

static void remove_files(void) {
  char name[512];
  remove(path);
  snprintf(name, sizeof name, "%s.checkpoint", path);
  remove(name);
  snprintf(name, sizeof name, "%s.checkpoint.old", path);
  remove(name);
  snprintf(name, sizeof name, "%.*s_gate.csv", (int)strlen(path) - 3, path);
  remove(name);
}

static int teardown(void **state) {
  (void)state;
  remove_files();
  size_t left = scree_context_bytes(context);
  scree_context_destroy(context);
  return left ? -1 : 0;
}

static scree_scene *load(void) {
  scree_scene *scene;
  if (scree_scene_load_text(context, "scene.yaml", scene_text, strlen(scene_text), NULL, &scene))
    fail_msg("%s", scree_context_message(context));
  return scene;
}

static scree_sim *start(scree_scene *scene) {
  scree_sim_def def = scree_sim_def_default();
  def.out = path;
  scree_sim *sim;
  if (scree_sim_create(scene, &def, &sim)) fail_msg("%s", scree_context_message(context));
  return sim;
}

static void test_frames(void **state) {
  (void)state;
  scree_scene *scene = load();
  scree_sim *sim = start(scene);
  scree_world *world = scree_sim_world(sim);
  enum { FRAMES = 61, BODIES = 64 };
  static double positions[FRAMES][BODIES][3];
  static double radius[FRAMES][BODIES], masses[FRAMES][BODIES];
  size_t counts[FRAMES] = {0};
  for (size_t frame = 0; frame < FRAMES; frame++) {
    size_t limit = scree_world_body_limit(world);
    for (size_t i = 0; i < limit; i++) {
      scree_body_id id = scree_world_body_at(world, i);
      scree_body_state s;
      scree_body_info info;
      if (!id.generation) continue;
      scree_body_get_state(world, id, &s);
      scree_body_get_info(world, id, &info);
      memcpy(positions[frame][counts[frame]], s.position, sizeof s.position);
      masses[frame][counts[frame]] = info.mass;
      radius[frame][counts[frame]++] = info.diameter;
    }
    for (int k = 0; k < 2 && !scree_sim_done(sim); k++)
      assert_int_equal(scree_sim_step(sim, NULL), SCREE_OK);
  }
  assert_true(scree_sim_done(sim));
  scree_sim_summary summary;
  scree_sim_get_summary(sim, &summary);
  assert_int_equal(summary.flow.emitted, 30);
  assert_true(summary.flow.drained > 0);
  assert_int_equal(scree_sim_finish(sim), SCREE_OK);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);

  scree_recording *r;
  if (scree_recording_open(context, path, &r)) fail_msg("%s", scree_context_message(context));
  assert_int_equal(scree_recording_frame_count(r), FRAMES);
  assert_int_equal(scree_recording_step_count(r), 120);
  assert_string_equal(scree_recording_version(r), scree_version());
  assert_int_equal(scree_recording_get_scene(r, &scene, &world), SCREE_OK);
  size_t contacts = 0;
  for (size_t i = 0; i < FRAMES; i++) {
    scree_frame f;
    assert_int_equal(scree_recording_get_frame(r, i, &f), SCREE_OK);
    assert_int_equal(f.step, 2 * i);
    assert_true(fabs(f.time - 0.01 * (double)i) < 1e-12);
    assert_int_equal(f.body_count, counts[i]);
    contacts += f.contact_count;
    for (size_t k = 0; k < f.body_count; k++) {
      assert_memory_equal(&f.poses[7 * k], positions[i][k], sizeof positions[i][k]);
      const scree_shape *shape = scree_recording_shape(r, f.ids[3 * k + 2]);
      assert_non_null(shape);
      scree_recorded_body body;
      const scree_body_id id = {f.ids[3 * k], f.ids[3 * k + 1]};
      assert_int_equal(scree_recording_get_body(r, id, &body), SCREE_OK);
      assert_int_equal(body.shape, f.ids[3 * k + 2]);
      assert_true(body.mass == masses[i][k] && body.diameter == radius[i][k]);
      assert_int_equal(body.kind, id.index ? SCREE_BODY_DYNAMIC : SCREE_BODY_PRESCRIBED);
      if (scree_shape_get_kind(shape) != SCREE_SHAPE_SPHERE) continue;
      scree_mass mass;
      scree_shape_get_mass(shape, 1.0, &mass);
      double diameter = 2.0 * cbrt(mass.volume / (4.0 / 3.0 * 3.14159265358979324));
      assert_true(fabs(diameter - radius[i][k]) < 1e-12);
    }
  }
  assert_true(contacts > 100);
  double rows[2 * SCREE_STEP_COLUMNS];
  assert_int_equal(scree_recording_get_steps(r, 118, 2, rows), SCREE_OK);
  assert_true(fabs(rows[SCREE_STEP_COLUMNS + SCREE_STEP_time] - 0.6) < 1e-12);
  assert_int_equal(scree_recording_get_steps(r, 119, 2, rows), SCREE_ERROR_INPUT);
  scree_frame f;
  assert_int_equal(scree_recording_get_frame(r, FRAMES, &f), SCREE_ERROR_ARGUMENT);
  scree_recorded_body body;
  assert_int_equal(scree_recording_get_body(r, (scree_body_id){0, 99}, &body), SCREE_ERROR_INPUT);
  assert_int_equal(scree_recording_get_body(r, (scree_body_id){9999, 1}, &body), SCREE_ERROR_INPUT);
  double times[2];
  assert_int_equal(scree_recording_get_times(r, FRAMES - 2, 2, times), SCREE_OK);
  assert_true(fabs(times[0] - 0.59) < 1e-12 && fabs(times[1] - 0.6) < 1e-12);
  scree_recording_close(r);
}

static uint64_t finish(scree_sim *sim, uint64_t *emitted) {
  while (!scree_sim_done(sim)) assert_int_equal(scree_sim_step(sim, NULL), SCREE_OK);
  assert_int_equal(scree_sim_finish(sim), SCREE_OK);
  scree_sim_summary s;
  scree_sim_get_summary(sim, &s);
  *emitted = s.flow.emitted;
  scree_sim_destroy(sim);
  return s.state_hash;
}

static size_t read_gate(char *text, size_t size) {
  char name[512];
  snprintf(name, sizeof name, "%.*s_gate.csv", (int)strlen(path) - 3, path);
  FILE *file = fopen(name, "rb");
  assert_non_null(file);
  size_t n = fread(text, 1, size - 1, file);
  text[n] = 0;
  fclose(file);
  return n;
}

/* Left at many moments, with and without a checkpoint; emitters and sums of probes go on too. */
static void test_resume(void **state) {
  (void)state;
  static char straight_gate[1 << 16], gate[1 << 16];
  scree_scene *scene = load();
  uint64_t emitted, again;
  uint64_t straight = finish(start(scene), &emitted);
  scree_scene_destroy(scene);
  read_gate(straight_gate, sizeof straight_gate);
  for (int stop = 0; stop < 120; stop += 17) {
    remove_files();
    scene = load();
    scree_sim *sim = start(scene);
    for (int i = 0; i < stop; i++) {
      assert_int_equal(scree_sim_step(sim, NULL), SCREE_OK);
      if (i == stop / 2) assert_int_equal(scree_sim_checkpoint(sim, NULL), SCREE_OK);
    }
    scree_sim_destroy(sim);
    scree_scene_destroy(scene);
    if (scree_sim_resume(context, path, 0.0, &sim)) fail_msg("%s", scree_context_message(context));
    assert_int_equal(finish(sim, &again), straight);
    assert_int_equal(again, emitted);
    read_gate(gate, sizeof gate);
    assert_string_equal(gate, straight_gate);
  }
}

static void write_bytes(const char *name, const char *bytes, size_t size) {
  FILE *file = fopen(name, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

/* Any byte of the checkpoint may be wrong, its head's too: refused; with an older one that is used.
 */
static void test_damaged_checkpoint(void **state) {
  (void)state;
  scree_scene *scene = load();
  uint64_t emitted;
  finish(start(scene), &emitted);
  scree_scene_destroy(scene);
  char name[512], older[520];
  snprintf(name, sizeof name, "%s.checkpoint", path);
  snprintf(older, sizeof older, "%s.old", name);
  FILE *file = fopen(name, "rb");
  assert_non_null(file);
  static char bytes[1 << 20];
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  assert_in_range(size, 1000, sizeof bytes - 1);
  scree_sim *sim;
  static char old[1 << 20];
  file = fopen(older, "rb");
  assert_non_null(file);
  const size_t old_size = fread(old, 1, sizeof old, file);
  fclose(file);
  assert_int_equal(remove(older), 0);
  for (size_t cut = 0; cut < 6; cut++) {
    write_bytes(name, bytes, size * cut / 6);
    assert_int_equal(scree_sim_resume(context, path, 0.0, &sim), SCREE_ERROR_INPUT);
    assert_null(sim);
  }
  for (size_t i = 0; i < 60; i++) {
    const size_t at = i < 56 ? i : (i * 2654435761u) % size;
    bytes[at] ^= (char)(1 << i % 7);
    write_bytes(name, bytes, size);
    bytes[at] ^= (char)(1 << i % 7);
    assert_int_equal(scree_sim_resume(context, path, 0.0, &sim), SCREE_ERROR_INPUT);
    assert_null(sim);
  }
  write_bytes(name, bytes, size);
  assert_int_equal(scree_sim_resume(context, path, 0.0, &sim), SCREE_OK);
  assert_string_equal(scree_sim_remark(sim), "");
  scree_sim_destroy(sim);
  write_bytes(older, old, old_size);
  bytes[30] ^= 4;
  write_bytes(name, bytes, size);
  bytes[30] ^= 4;
  assert_int_equal(scree_sim_resume(context, path, 0.0, &sim), SCREE_OK);
  assert_non_null(strstr(scree_sim_remark(sim), "damaged; the one before is used"));
  scree_sim_destroy(sim);
}

/* Results are kept, one's own live recording can be read, and stays locked. */
static void test_one_writer(void **state) {
  (void)state;
  scree_scene *scene = load(), *again = load();
  scree_sim *sim = start(scene), *other = NULL;
  scree_sim_def def = scree_sim_def_default();
  def.out = path;
  def.replace = true;
  for (int i = 0; i < 2; i++) {
    scree_recording *r;
    assert_int_equal(scree_recording_open(context, path, &r), SCREE_OK);
    assert_true(scree_recording_is_live(r));
    scree_recording_close(r);
    assert_int_equal(scree_sim_create(again, &def, &other), SCREE_ERROR_IO);
    assert_int_equal(scree_sim_resume(context, path, 0.0, &other), SCREE_ERROR_IO);
  }
  assert_int_equal(scree_sim_finish(sim), SCREE_OK);
  scree_sim_destroy(sim);
  def.replace = false;
  assert_int_equal(scree_sim_create(again, &def, &other), SCREE_ERROR_IO);
  assert_non_null(strstr(scree_context_message(context), "is there already"));
  def.replace = true;
  assert_int_equal(scree_sim_create(again, &def, &other), SCREE_OK);
  scree_sim_destroy(other);
  scree_scene_destroy(scene);
  scree_scene_destroy(again);
}

int main(void) {
#if !defined(SCREE_WITH_YAML) || !defined(SCREE_WITH_HDF5)
  return 0;
#endif
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_frames, setup, teardown),
      cmocka_unit_test_setup_teardown(test_resume, setup, teardown),
      cmocka_unit_test_setup_teardown(test_damaged_checkpoint, setup, teardown),
      cmocka_unit_test_setup_teardown(test_one_writer, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
