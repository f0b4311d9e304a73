/* A program may have set a locale whose decimals have a comma: what is read and written stays the
 * same. The locale is made here when the machine has the means, for few have one installed. */
#include <locale.h>
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

static char directory[] = "/tmp/scree_locale_XXXXXX";

static const char scene_text[] =
    "parameters: {r: .05, twice: '${2.5 * r}'}\nduration: 0.05 s\nstep: 5.0 ms\n"
    "solver: {name: apgd, options: {}}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
    "  - {name: 'ball${1.5}', shape: {sphere: {radius: '${r}'}}, position: [.25, 0.5, .125]}\n"
    "  - {csv: {file: table.csv}}\n"
    "probes: [{name: ball, kind: body, body: 'ball1.5'}]\n";
static const char table_text[] = "x,y,z,radius\n1.5,2.5,.75,0.125\n";

static void path_of(const char *name, char path[128]) {
  snprintf(path, 128, "%s/%s", directory, name);
}

/* Runs the scene; the bytes of its probe and of an export in `out`. */
static void run(const char *name, char *out, size_t size) {
  const char *const paths[] = {"scene.yaml", "table.csv"}, *const bytes[] = {scene_text,
                                                                             table_text};
  const size_t sizes[] = {sizeof scene_text - 1, sizeof table_text - 1};
  char recording[128], probe[160], table[160], steps[200];
  path_of(name, recording);
  snprintf(probe, sizeof probe, "%.*s_ball.csv", (int)(strlen(recording) - 3), recording);
  snprintf(table, sizeof table, "%s.table", recording);
  snprintf(steps, sizeof steps, "%s_bodies.csv", table);
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  scree_sim_def def = scree_sim_def_default();
  def.out = recording;
  if (scree_scene_load_files(context, 2, paths, bytes, sizes, NULL, &scene) ||
      scree_sim_create(scene, &def, &sim))
    fail_msg("%s", scree_context_message(context));
  while (!scree_sim_done(sim)) assert_int_equal(scree_sim_step(sim, NULL), SCREE_OK);
  assert_int_equal(scree_sim_finish(sim), SCREE_OK);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_recording *r = NULL;
  scree_export_def export = scree_export_def_default();
  export.format = SCREE_EXPORT_CSV;
  export.parts = SCREE_EXPORT_BODIES;
  export.out = table;
  assert_int_equal(scree_recording_open(context, recording, &r), SCREE_OK);
  assert_int_equal(scree_export(r, &export, NULL), SCREE_OK);
  scree_recording_close(r);
  const char *const files[] = {probe, steps};
  size_t used = 0;
  for (int i = 0; i < 2; i++) {
    FILE *file = fopen(files[i], "r");
    assert_non_null(file);
    used += fread(out + used, 1, size - 1 - used, file);
    fclose(file);
    unlink(files[i]);
  }
  out[used] = 0;
  unlink(recording);
  snprintf(probe, sizeof probe, "%s.checkpoint", recording);
  unlink(probe);
  scree_context_destroy(context);
}

static bool set_comma_locale(void) {
  char command[512];
  if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8")) return true;
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 > /dev/null 2>&1",
           directory);
  (void)!system(command); /* warnings make it return 1 */
  setenv("LOCPATH", directory, 1);
  return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void remove_directory(void) {
  char command[512];
  snprintf(command, sizeof command, "rm -rf %s", directory);
  (void)!system(command);
}

static void test_comma(void **state) {
  (void)state;
  static char plain[1 << 16], comma[1 << 16];
  char half[16];
  assert_non_null(mkdtemp(directory));
  run("plain.h5", plain, sizeof plain);
  assert_non_null(strstr(plain, "0.25"));
  const bool made = set_comma_locale();
  snprintf(half, sizeof half, "%g", 0.5);
  if (!made || strcmp(half, "0,5") != 0) {
    remove_directory();
    print_message("no locale with decimal commas can be made here (localedef): not tested\n");
    skip();
  }
  run("comma.h5", comma, sizeof comma);
  assert_string_equal(comma, plain);

  scree_context *context = scree_context_create(NULL);
  scree_solver *solver = NULL;
  assert_int_equal(scree_solver_create(context, "sor", &solver), SCREE_OK);
  assert_int_equal(scree_solver_set(solver, "omega", "1.25"), SCREE_OK);
  scree_solver_destroy(solver);
  scree_scene *scene = NULL;
  const char *wrong = "step: 12.5\nbodies: []";
  assert_int_equal(scree_scene_load_text(context, "a", wrong, strlen(wrong), NULL, &scene),
                   SCREE_ERROR_INPUT);
  assert_string_equal(scree_context_message(context),
                      "a:1:7: step: 12.5 s is out of range; it must be more than 0 and at most 10");
  scree_context_destroy(context);
  snprintf(half, sizeof half, "%g", 0.5); /* the program's locale is as it was */
  assert_string_equal(half, "0,5");
  setlocale(LC_ALL, "C");
  remove_directory();
}

int main(void) {
#if !defined SCREE_WITH_YAML || !defined SCREE_WITH_HDF5
  return 0;
#endif
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_comma)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
