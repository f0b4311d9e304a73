/* Bodies in one place by the thousand: refused with a count and some of them, in little memory. A
 * body so far away that its energy is no number is refused too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

static void count(void *user, const char *message) {
  char *last = user;
  last[0]++;
  snprintf(last + 1, 255, "%s", message);
}

static void check(int bodies, int told, const char *end) {
  char text[256], last[256] = "";
  snprintf(text, sizeof text,
           "bodies: [{shape: {sphere: {radius: 0.1}}, lattice: {count: [%d, 1, 1], pitch: [0, 0, "
           "0]}}]",
           bodies);
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  assert_int_equal(scree_scene_load_text(context, "a", text, strlen(text), NULL, &scene), SCREE_OK);
  assert_int_equal(scree_sim_check(scene, count, last), SCREE_ERROR_INPUT);
  assert_int_equal(last[0], told);
  assert_non_null(strstr(told ? last + 1 : scree_context_message(context), end));
  scree_scene_destroy(scene);
  assert_true(scree_context_peak_bytes(context) < (size_t)100 << 20);
  scree_context_destroy(context);
}

static void test_crowd(void **state) {
  (void)state;
  check(3, 3, "a:1:10: 'body[1]' overlaps a:1:10: 'body[2]' at the start by 0.2 m, 100 %");
  check(100, 21, "4950 overlaps in all; the first 20 are reported");
  check(2000, 21, "at least 1000000 overlaps in all; the first 20 are reported");
  check(100000, 0, "100000 bodies have more than");
}

/* Where overlaps are allowed the contacts are counted, by the check and by a step without one. */
static void test_allowed(void **state) {
  (void)state;
  const char *text = "overlap: 1\nbodies: [{shape: {box: {size: [0.1, 0.1, 0.1]}}, lattice: "
                     "{count: [3000, 1, 1], pitch: [1.0e-6, 0, 0]}}]";
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  char last[256] = "";
  assert_int_equal(scree_scene_load_text(context, "a", text, strlen(text), NULL, &scene), SCREE_OK);
  assert_int_equal(scree_sim_check(scene, count, last), SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(context), "more than 1600000 contacts"));
  assert_true(scree_context_peak_bytes(context) < (size_t)100 << 20);
  scree_sim_def def = scree_sim_def_default();
  def.check_overlap = false;
  assert_int_equal(scree_sim_create(scene, &def, &sim), SCREE_OK);
  assert_int_equal(scree_sim_step(sim, NULL), SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(context), "more than 1600000 contacts"));
  print_message("%zu bytes at most\n", scree_context_peak_bytes(context));
  assert_true(scree_context_peak_bytes(context) < (size_t)1000 << 20);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void test_far(void **state) {
  (void)state;
  const char *text = "bodies: [{shape: {sphere: {radius: 0.1}}, position: [0, 0, 1.0e+308]}]";
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  char last[256] = "";
  assert_int_equal(scree_scene_load_text(context, "a", text, strlen(text), NULL, &scene), SCREE_OK);
  assert_int_equal(scree_sim_check(scene, count, last), SCREE_ERROR_INPUT);
  assert_int_equal(scree_sim_create(scene, NULL, &sim), SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(context), "energy of the start is not finite"));
  scree_scene_destroy(scene);
  scree_context_destroy(context);
}

int main(void) {
#ifndef SCREE_WITH_YAML
  return 0;
#endif
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_crowd), cmocka_unit_test(test_allowed),
                                     cmocka_unit_test(test_far)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
