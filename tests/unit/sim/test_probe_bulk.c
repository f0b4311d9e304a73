/* Probes of many bodies against beds whose centre and slope are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sim/sim.h"

static scree_context *context;
static scree_world *world;

static void near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

static int open_world(void **state) {
  (void)state;
  context = scree_context_create(NULL);
  return scree_world_create(context, NULL, &world);
}

static int close_world(void **state) {
  (void)state;
  scree_world_destroy(world);
  int left = (int)scree_context_bytes(context);
  scree_context_destroy(context);
  return left;
}

static scree_body_id add_ball(double x, double y, double z, double radius, scree_body_kind kind) {
  scree_body_def d = scree_body_def_default();
  scree_body_id id;
  assert_int_equal(scree_shape_create_sphere(context, radius, &d.shape), 0);
  d.kind = kind;
  d.position[0] = x;
  d.position[1] = y;
  d.position[2] = z;
  d.velocity[1] = kind == SCREE_BODY_DYNAMIC ? x : 0.0;
  assert_int_equal(scree_world_add_body(world, &d, &id), 0);
  scree_shape_destroy(d.shape);
  return id;
}

static scree_probe_def whole(void) {
  return (scree_probe_def){.lower = {-INFINITY, -INFINITY, -INFINITY},
                           .upper = {INFINITY, INFINITY, INFINITY}};
}

static void group_of_two_sizes(void **state) {
  (void)state;
  double row[PROBE_GROUP_COLUMNS];
  scree_probe_def def = whole();
  assert_int_equal(probe_group(world, &def, row), 0);
  near(row[0], 0.0, 0.0);
  assert_true(isnan(row[2]) && isnan(row[8]));
  scree_body_id ids[] = {add_ball(1, 2, 3, 1.0, SCREE_BODY_DYNAMIC),
                         add_ball(10, 2, -6, 0.5, SCREE_BODY_DYNAMIC)};
  add_ball(50, 50, 50, 1.0, SCREE_BODY_FIXED);
  assert_int_equal(probe_group(world, &def, row), 0);
  near(row[0], 2.0, 0.0);
  near(row[1], 1000.0 * 4.0 / 3.0 * 3.14159265358979 * 1.125, 1e-8);
  near(row[2], 2.0, 1e-14); /* (8 * 1 + 1 * 10) / 9 */
  near(row[3], 2.0, 1e-14);
  near(row[4], 2.0, 1e-14);
  near(row[6], 2.0, 1e-14);
  near(row[8], 1.0, 0.0);
  near(row[10], -6.0, 0.0);
  near(row[11], 10.0, 0.0);
  near(row[13], 3.0, 0.0);
  near(row[14], hypot(10.0, 2.0), 1e-12);
  def.bodies = &ids[1];
  def.body_count = 1;
  assert_int_equal(probe_group(world, &def, row), 0);
  near(row[2], 10.0, 1e-14);
  assert_int_equal(scree_world_remove_body(world, ids[1]), 0);
  assert_int_equal(probe_group(world, &def, row), 0);
  near(row[0], 0.0, 0.0);
  def = whole();
  def.upper[2] = 2.9;
  assert_int_equal(probe_group(world, &def, row), 0);
  near(row[0], 0.0, 0.0);
}

static void reach_leaves_out_the_farthest(void **state) {
  (void)state;
  double row[PROBE_GROUP_COLUMNS];
  scree_probe_def def = whole();
  def.point[1] = 5.0;
  for (int i = 0; i < 201; i++) add_ball(0.1 * (i * 77 % 201), 5.0, 0, 0.01, SCREE_BODY_DYNAMIC);
  assert_int_equal(probe_group(world, &def, row), 0);
  near(row[14], 19.8, 1e-12);
}

/* A bed three deep under z = 7 + a x + b y: only its top counts. */
static void slope_of_a_plane(void **state) {
  (void)state;
  double row[PROBE_SURFACE_COLUMNS], a = 0.3, b = -0.4, r = 0.05;
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 20; j++)
      for (int k = 0; k < 3; k++) {
        double x = 0.1 * i + 0.003 * (i * j % 7), y = 0.1 * j - 4.0;
        add_ball(x, y, 7.0 + a * x + b * y - 0.1 * k, r, SCREE_BODY_DYNAMIC);
      }
  scree_probe_def def = whole();
  def.point[0] = 1.0;
  def.point[1] = 2.0;
  for (int n = 0; n < 2; n++) {
    def.cell = n ? 0.0999 : 0.0;
    assert_int_equal(probe_surface(world, &def, row), 0);
    double scatter = n ? 1e-9 : 1e-3;
    near(row[1], 7.0 + a - 0.8 + r, n ? 1e-9 : 0.05);
    near(row[2], atan(0.5), n ? 1e-9 : 0.01);
    near(row[3], atan2(b, a), n ? 1e-9 : 0.02);
    assert_true(row[4] < (n ? scatter : 0.01));
  }
}

static void slope_of_a_cone(void **state) {
  (void)state;
  double row[PROBE_SURFACE_COLUMNS], s = tan(0.5), r = 0.01;
  for (int i = -30; i <= 30; i++)
    for (int j = -30; j <= 30; j++) {
      double x = 0.02 * i, y = 0.02 * j, z = 0.3 - s * hypot(x, y);
      if (z > 0.0) add_ball(1.0 + x, y, fmin(z, 0.26), r, SCREE_BODY_DYNAMIC); /* a blunt tip */
    }
  scree_probe_def def = whole();
  def.form = SCREE_PROBE_FORM_CONE;
  def.point[0] = 1.0;
  def.cell = 0.0199;
  assert_int_equal(probe_surface(world, &def, row), 0);
  near(row[2], 0.5, 1e-9);
  near(row[1], 0.3 + r, 1e-9);
}

static void too_few_bodies(void **state) {
  (void)state;
  double row[PROBE_SURFACE_COLUMNS];
  scree_probe_def def = whole();
  assert_int_equal(probe_surface(world, &def, row), 0);
  near(row[0], 0.0, 0.0);
  assert_true(isnan(row[2]));
  for (int i = 0; i < 5; i++) add_ball(i, i, i, 0.1, SCREE_BODY_DYNAMIC); /* a line: no plane */
  assert_int_equal(probe_surface(world, &def, row), 0);
  assert_true(isnan(row[2]));
  for (int i = 0; i < 5; i++) add_ball(1e9 * i, -i, i, 0.1, SCREE_BODY_DYNAMIC); /* far apart */
  assert_int_equal(probe_surface(world, &def, row), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(group_of_two_sizes, open_world, close_world),
      cmocka_unit_test_setup_teardown(reach_leaves_out_the_farthest, open_world, close_world),
      cmocka_unit_test_setup_teardown(slope_of_a_plane, open_world, close_world),
      cmocka_unit_test_setup_teardown(slope_of_a_cone, open_world, close_world),
      cmocka_unit_test_setup_teardown(too_few_bodies, open_world, close_world),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
