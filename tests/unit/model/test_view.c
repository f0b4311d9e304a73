/* The world's own arrays: the states of bodies with simple shapes, without a copy; arrays that had
 * to move leave NaN behind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/one_context.h"

static scree_body_id add_ball(scree_world *world, double x) {
  scree_shape *ball;
  scree_body_id id;
  assert_int_equal(scree_shape_create_sphere(context, 0.1, &ball), SCREE_OK);
  scree_body_def def = scree_body_def_default();
  def.shape = ball;
  def.position[0] = x;
  assert_int_equal(scree_world_add_body(world, &def, &id), SCREE_OK);
  scree_shape_destroy(ball);
  return id;
}

static void test_view(void **state) {
  (void)state;
  scree_world *world;
  scree_stepper *stepper;
  scree_world_view old, view;
  assert_int_equal(scree_world_create(context, NULL, &world), SCREE_OK);
  const scree_body_id first = add_ball(world, 1.0);
  assert_int_equal(scree_stepper_create(world, NULL, &stepper), SCREE_OK);
  assert_int_equal(scree_world_get_view(world, &old), SCREE_OK);
  assert_int_equal(scree_stepper_step(stepper, 0.01, NULL), SCREE_OK);
  scree_body_state s;
  assert_int_equal(scree_body_get_state(world, first, &s), SCREE_OK);
  for (int k = 0; k < 3; k++) assert_true(old.positions[k] == s.position[k]);
  assert_true(old.alive[0] == 1 && old.limit == 1);
  const uint64_t revision = scree_world_revision(world);
  for (int i = 0; i < 200; i++) add_ball(world, 3.0 + i);
  assert_true(scree_world_revision(world) > revision);
  for (int k = 0; k < 3; k++) assert_true(isnan(old.positions[k]) && isnan(old.velocities[k]));
  assert_true(old.alive[0] == 0);
  assert_int_equal(scree_world_get_view(world, &view), SCREE_OK);
  assert_int_equal(view.limit, 201);
  for (int k = 0; k < 3; k++) assert_true(view.positions[k] == s.position[k]);
  assert_int_equal(scree_world_get_view(NULL, &view), SCREE_ERROR_ARGUMENT);
  scree_stepper_destroy(stepper);
  scree_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_view)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
