/* Ten boxes of 0.1 m, the top one 1,000,000 times as heavy: the stack stands for 10 s in steps of
 * 5 ms and no box sinks by a micrometre, in both models, with default settings. */
#include "tests/physics/physics.h"

enum { BOXES = 10, STEPS = 2000 };

static void stack_stands(scree_model model) {
  const double side = 0.1, h = 0.005;
  lab l = lab_open(0.0, 0.0);
  scree_body_id box[BOXES];
  l.def = scree_stepper_def_default();
  l.def.model = model;
  lab_add_floor(&l);
  for (int k = 0; k < BOXES; k++) {
    scree_shape *shape;
    const double half[3] = {0.5 * side, 0.5 * side, 0.5 * side};
    scree_body_def d = scree_body_def_default();
    d.position[2] = side * (k + 0.5);
    d.density = k == BOXES - 1 ? 1e9 : 1e3;
    ok(&l, scree_shape_create_box(l.context, half, &shape));
    box[k] = lab_add(&l, d, shape);
  }
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  double deepest = 0.0;
  int missed = 0;
  for (int i = 1; i <= STEPS; i++) {
    scree_step_info info;
    ok(&l, scree_stepper_step(l.stepper, h, &info));
    deepest = fmax(deepest, info.penetration);
    missed += !info.converged;
    if (!(deepest < 1e-6)) fail_msg("penetration %g m at %g s", deepest, h * i);
  }
  for (int k = 0; k < BOXES; k++) {
    const scree_body_state s = lab_state(&l, box[k]);
    assert_near(s.position[0], 0.0, 1e-5);
    assert_near(s.position[1], 0.0, 1e-5);
    assert_near(s.position[2], side * (k + 0.5), 1e-5);
  }
  if (missed > STEPS / 100) fail_msg("%d of %d steps did not reach their tolerance", missed, STEPS);
  lab_close(&l);
}

static void relaxed(void **state) {
  (void)state;
  stack_stands(SCREE_MODEL_RELAXED);
}

static void coulomb(void **state) {
  (void)state;
  stack_stands(SCREE_MODEL_COULOMB);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(relaxed), cmocka_unit_test(coulomb)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
