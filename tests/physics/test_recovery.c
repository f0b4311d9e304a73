/* Overlap at the start is removed slowly where no gravity takes the speed away again: it had thrown
 * bodies apart by all of it in one step. */
#include "tests/physics/physics.h"

static const double radius = 0.1, h = 0.002;

static scree_body_id add_ball(lab *l, double x) {
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  d.position[0] = x;
  ok(l, scree_shape_create_sphere(l->context, radius, &s));
  return lab_add(l, d, s);
}

static void balls_in_each_other_part_slowly(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  const double none[3] = {0, 0, 0};
  ok(&l, scree_world_set_gravity(l.world, none));
  l.def.solver = NULL;
  l.def.tolerance_residual = 1e-6;
  const scree_body_id a = add_ball(&l, 0.0), b = add_ball(&l, 0.75 * 2.0 * radius);
  /* No faster than a ten-thousandth of a diameter a step, and what that brings along. */
  const double bound = 1.2e-4 * 2.0 * radius / h;
  double before = 0.0;
  for (int k = 0; k < 20; k++) {
    lab_run(&l, h, 0.3);
    const scree_body_state p = lab_state(&l, a), q = lab_state(&l, b);
    const double speed = q.velocity[0] - p.velocity[0], apart = q.position[0] - p.position[0];
    assert_true(speed > 0.0 && speed <= bound);
    assert_true(apart > before);
    before = apart;
  }
  assert_true(before >= 2.0 * radius); /* 25% of it at a ten-thousandth a step: 2,500 steps */
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(balls_in_each_other_part_slowly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
