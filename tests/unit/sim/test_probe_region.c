/* The region probe against closed forms: cut balls, and a column of balls in a box that fits it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sim/sim.h"

static void near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

static void test_cuts(void **state) {
  (void)state;
  const double lower[3] = {0, 0, 0}, upper[3] = {1, 1, 1};
  const double inside[3] = {0.5, 0.5, 0.5}, face[3] = {0, 0.5, 0.5}, corner[3] = {1, 1, 0},
               outside[3] = {-0.2, 0.5, 0.5}, quarter[3] = {-0.05, 0.5, 0.5};
  near(probe_part_within(inside, 0.1, lower, upper), 1.0, 1e-15);
  near(probe_part_within(face, 0.1, lower, upper), 0.5, 1e-15);
  near(probe_part_within(corner, 0.1, lower, upper), 0.125, 1e-15);
  near(probe_part_within(outside, 0.1, lower, upper), 0.0, 1e-15);
  /* A cap of height r/2: pi h^2 (3 r - h) / 3 = 5/24 pi r^3. */
  near(probe_part_within(quarter, 0.1, lower, upper), 5.0 / 32.0, 1e-15);
}

static void test_column(void **state) {
  (void)state;
  static const char text[] =
      "step: 5 ms\nduration: 10 s\nsolver: {tolerance_residual: 1e-9}\n"
      "bodies:\n"
      "  - {kind: fixed, shape: {half_space: {}}}\n"
      "  - {shape: {sphere: {radius: 0.1}}, density: 1000, lattice: {count: [1, 1, 5], pitch: "
      "[1, 1, 0.2], origin: [0, 0, 0.1]}}\n"
      "probes:\n"
      "  - {name: bed, kind: region, lower: [-0.1, -0.1, -0.001], upper: [0.1, 0.1, 0.999]}\n";
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  if (scree_scene_load_text(context, "a", text, strlen(text), NULL, &scene) ||
      scree_sim_create(scene, NULL, &sim))
    fail_msg("%s", scree_context_message(context));
  for (int i = 0; i < 20; i++) assert_int_equal(scree_sim_step(sim, NULL), SCREE_OK);
  double row[16];
  size_t count;
  assert_int_equal(scree_sim_get_probe(sim, 0, 16, row, &count), SCREE_OK);
  assert_int_equal(count, 1 + PROBE_REGION_COLUMNS);
  const double pi = 3.14159265358979323846, volume = 0.2 * 0.2;
  near(row[1], pi / 6.0, 1e-4);
  near(row[1] + row[2], 1.0, 1e-15);
  near(row[3], 1000.0 * row[1], 1e-9);
  near(row[4], row[3] * volume, 1e-12);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cuts), cmocka_unit_test(test_column)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
