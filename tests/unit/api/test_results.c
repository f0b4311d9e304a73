/* What becomes of a run: its recording, pictures, pages, exports and the live view, by the public
 * headers alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/one_context.h"

#if defined(SCREE_WITH_HDF5)
static const char text[] =
    "duration: 0.2 s\nrecording: {every: 0.05}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
    "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1], velocity: [1, 0, 0]}\n"
    "probes: [{name: e, kind: energy}]\n";
static scree_scene *scene;

/* A run of 40 steps, recorded as `path`. */
static void record(const char *path) {
  scree_sim_def def = scree_sim_def_default();
  scree_sim *sim;
  def.out = path;
  def.replace = true;
  if (scree_scene_load_text(context, "run.yaml", text, sizeof text - 1, NULL, &scene) ||
      scree_sim_create(scene, &def, &sim))
    fail_msg("%s", scree_context_message(context));
  assert_ptr_equal(scree_sim_scene(sim), scene);
  while (!scree_sim_done(sim)) assert_int_equal(scree_sim_step(sim, NULL), SCREE_OK);
  assert_int_equal(scree_sim_finish(sim), SCREE_OK);
  scree_sim_destroy(sim);
}

static scree_recording *opened(const char *path) {
  scree_recording *r;
  if (scree_recording_open(context, path, &r)) fail_msg("%s", scree_context_message(context));
  return r;
}

static long long size_of(const char *path) {
  struct stat s;
  return stat(path, &s) ? -1 : (long long)s.st_size;
}

static void test_recording(void **state) {
  (void)state;
  record("results.h5");
  scree_recording *r = opened("results.h5");
  assert_true(scree_recording_has_checksums(r));
  assert_int_equal(scree_recording_unfinished(r), 0);
  assert_int_equal(scree_recording_refresh(r), SCREE_OK);
  assert_int_equal(scree_recording_frame_count(r), 5);
  assert_string_equal(scree_recording_remark(r), "");
  assert_int_equal(scree_recording_verify_probe(r, "e", "results_e.csv"), SCREE_OK);
  bool time = false;
  for (size_t c = 0; c < SCREE_STEP_COLUMNS; c++) {
    assert_true(*scree_step_column_name(c));
    if (strcmp(scree_step_column_name(c), "time") == 0)
      time = strcmp(scree_step_column_unit(c), "s") == 0;
  }
  assert_true(time);
  const scree_salvage_def def = {.out = "salvaged.h5", .replace = true};
  scree_salvage_info info;
  assert_int_equal(scree_recording_salvage(r, &def, &info), SCREE_OK);
  assert_int_equal(info.frames, 5);
  assert_int_equal(info.steps, 40);
  assert_int_equal(info.lost_frames + info.lost_steps + info.lost_bodies, 0);
  /* What the export would write is near what it writes. */
  scree_export_def out = scree_export_def_default();
  scree_export_info estimate, real;
  out.out = "results_table";
  out.format = SCREE_EXPORT_CSV;
  assert_int_equal(scree_export_estimate(r, &out, &estimate), SCREE_OK);
  assert_true(size_of("results_table_bodies.csv") < 0);
  assert_int_equal(scree_export(r, &out, &real), SCREE_OK);
  assert_int_equal(real.frames, 5);
  assert_true(estimate.bytes > 0.3 * real.bytes && estimate.bytes < 3.0 * real.bytes);
  scree_recording_close(r);
  scree_scene_destroy(scene);
  static const char *const files[] = {"salvaged.h5", "results_table_bodies.csv",
                                      "results_table_contacts.csv", "results_table_steps.csv"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove(files[i]);
}

static void test_picture(void **state) {
  (void)state;
  scree_picture_def def = scree_picture_def_default();
  scree_picture *p;
  scree_image image;
  record("results.h5");
  scree_recording *r = opened("results.h5");
  def.colour = "speed";
  if (scree_picture_create(r, "results.h5", &def, &p))
    fail_msg("%s", scree_context_message(context));
  const size_t count = scree_picture_frame_count(p);
  size_t frame;
  double time, least, most;
  assert_int_equal(count, 5);
  assert_int_equal(scree_picture_find_time(p, 0.149, &frame), SCREE_OK);
  assert_int_equal(frame, 3);
  assert_int_equal(scree_picture_frame_time(p, frame, &time), SCREE_OK);
  assert_true(fabs(time - 0.15) < 1e-9);
  assert_int_equal(scree_picture_survey(p, 1, &frame), SCREE_OK);
  assert_int_equal(scree_picture_aim(p, 1, &frame, 64, 48, false), SCREE_OK);
  assert_int_equal(scree_picture_load(p, frame, 0.0), SCREE_OK);
  assert_true(scree_picture_time(p) == time);
  const scree_render_scene drawn = scree_picture_get_scene(p);
  assert_int_equal(drawn.item_count, 2);
  const scree_camera camera = scree_picture_get_camera(p, 0.0);
  assert_true(camera.field > 0.0);
  assert_true(scree_picture_get_range(p, &least, &most) && most >= least);
  scree_legend legend;
  assert_true(scree_picture_get_legend(p, &legend));
  assert_string_equal(legend.unit, "m/s");
  /* The box around the ball alone is seen from nearer than all. */
  scree_framing framing;
  scree_camera near;
  const scree_box box = {.lower = {-0.1, -0.1, 0}, .upper = {0.1, 0.1, 0.2}};
  scree_framing_begin(&framing, 0.3, 0.4, 0.5, 1.0, 0.05);
  scree_framing_add_box(&framing, &box);
  assert_true(scree_framing_end(&framing, &near));
  if (scree_image_create(context, 64, 48, &image) == SCREE_OK &&
      scree_picture_draw(p, 0.0, NULL, &image) == SCREE_OK) {
    scree_picture_put_legend(p, SCREE_BACKGROUND_WHITE, &image);
    assert_int_equal(scree_image_save(&image, "results.png"), SCREE_OK);
    assert_true(size_of("results.png") > 100);
    assert_int_equal(scree_picture_draw_frame(p, 0, 1, false, SCREE_BACKGROUND_WHITE, &image),
                     SCREE_OK);
    remove("results.png");
  }
  scree_image_clear(&image);
  scree_picture_destroy(p);
  /* The same of a world as it is now. */
  scree_world *world;
  assert_int_equal(scree_scene_build(scene, &world), SCREE_OK);
  assert_int_equal(scree_picture_create_world(world, NULL, scene, NULL, &p), SCREE_OK);
  assert_int_equal(scree_picture_frame_count(p), 1);
  scree_picture_destroy(p);
  memset(&def, 0, sizeof def);
  assert_int_equal(scree_picture_create_world(world, NULL, scene, &def, &p), SCREE_ERROR_ARGUMENT);
  scree_world_destroy(world);
  scree_recording_close(r);
  scree_scene_destroy(scene);
}

static void test_page(void **state) {
  (void)state;
  record("results.h5");
  scree_recording *r = opened("results.h5");
  scree_view_def def = scree_view_def_default();
  scree_view_info info;
  def.out = "results.html";
  def.replace = true;
  if (scree_view_is_there()) {
    if (scree_view_export(r, &def, &info)) fail_msg("%s", scree_context_message(context));
    assert_int_equal(info.frames, 5);
    assert_int_equal((long long)info.size, size_of("results.html"));
    remove("results.html");
  } else {
    assert_int_equal(scree_view_export(r, &def, &info), SCREE_ERROR_UNSUPPORTED);
  }
  scree_recording_close(r);
  scree_scene_destroy(scene);
}

/* Without a reader the run goes on as if there were no server; then the recording is shown. */
static void test_server(void **state) {
  (void)state;
  scree_server *server;
  if (!scree_server_is_there()) {
    assert_int_equal(scree_server_create(context, NULL, &server), SCREE_ERROR_UNSUPPORTED);
    return;
  }
  record("results.h5");
  scree_sim *sim;
  scree_step_info info;
  scree_server_wish wish;
  scree_server_def def = scree_server_def_default();
  assert_int_equal(def.port, 0);
  if (scree_server_create(context, &def, &server)) fail_msg("%s", scree_context_message(context));
  assert_int_equal(strncmp(scree_server_address(server), "http://127.0.0.1:", 17), 0);
  assert_int_equal(scree_server_reader_count(server), 0);
  assert_true(scree_server_get_cost(server).states == 0);
  assert_int_equal(scree_sim_create(scene, NULL, &sim), SCREE_OK);
  scree_server_run run = scree_server_run_default();
  run.pace = 0.0;
  assert_int_equal(scree_server_begin_run(server, sim, &run), SCREE_OK);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(scree_server_obey(server, sim, 0.0, &wish), SCREE_OK);
    assert_false(wish.paused || wish.restart || wish.changed);
    assert_int_equal(scree_sim_step(sim, &info), SCREE_OK);
    assert_int_equal(scree_server_after_step(server, sim, &info), SCREE_OK);
  }
  memset(&run, 0, sizeof run);
  assert_int_equal(scree_server_begin_run(server, sim, &run), SCREE_ERROR_ARGUMENT);
  scree_sim_destroy(sim);
  scree_recording *r = opened("results.h5");
  assert_int_equal(scree_server_show(server, r, 0, NULL), SCREE_OK);
  scree_server_destroy(server);
  scree_recording_close(r);
  scree_scene_destroy(scene);
}
#endif

/* Cut short, it is opened for salvage with what is left of it, and a remark says so. */
static void test_cut_short(void **state) {
  (void)state;
  record("cut.h5");
  scree_recording *r;
  assert_int_equal(scree_recording_open_damaged(context, "cut.h5", &r), SCREE_OK);
  assert_string_equal(scree_recording_remark(r), "");
  assert_int_equal(scree_recording_frame_count(r), 5);
  scree_recording_close(r);

  assert_int_equal(truncate("cut.h5", size_of("cut.h5") * 6 / 10), 0);
  assert_int_equal(scree_recording_open_damaged(context, "cut.h5", &r), SCREE_OK);
  assert_non_null(strstr(scree_recording_remark(r), "cut short"));
  size_t left = 0;
  for (size_t i = 0; i < scree_recording_frame_count(r); i++) {
    scree_frame frame;
    const scree_status status = scree_recording_get_frame(r, i, &frame);
    assert_true(status == SCREE_OK || status == SCREE_ERROR_INPUT);
    if (!status) left++;
  }
  assert_true(left < 5);
  scree_recording_close(r);
  assert_int_equal(scree_recording_open_damaged(context, "none.h5", &r), SCREE_ERROR_IO);
  scree_scene_destroy(scene);
  static const char *const files[] = {"cut.h5", "cut.h5.checkpoint", "cut.h5.checkpoint.old",
                                      "cut_e.csv"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove(files[i]);
}

int main(void) {
#if defined(SCREE_WITH_HDF5)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_recording, setup, teardown),
      cmocka_unit_test_setup_teardown(test_cut_short, setup, teardown),
      cmocka_unit_test_setup_teardown(test_picture, setup, teardown),
      cmocka_unit_test_setup_teardown(test_page, setup, teardown),
      cmocka_unit_test_setup_teardown(test_server, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
#else
  (void)setup, (void)teardown;
  return 0;
#endif
}
