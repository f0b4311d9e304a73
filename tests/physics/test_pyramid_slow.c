/* A pyramid of 210 boxes (base 20) stands still for ten seconds at the default tolerance of a run.
 */
#include "tests/physics/physics.h"

static void pyramid_stands(void **state) {
  (void)state;
  enum { BASE = 20 };
  const double side = 0.2;
  lab l = lab_open(0.0, 0.0);
  scree_body_id box[BASE * (BASE + 1) / 2];
  double start[BASE * (BASE + 1) / 2][3];
  size_t count = 0;
  l.def = scree_stepper_def_default();
  l.def.solver = "apgd";
  lab_add_floor(&l);
  for (int row = 0; row < BASE; row++)
    for (int k = 0; k < BASE - row; k++) {
      const scree_body_id id = lab_add_box(&l, side, side, side, side * (row + 0.5));
      scree_body_state s = lab_state(&l, id);
      s.position[0] = 1.1 * side * (k + 0.5 * row);
      ok(&l, scree_body_set_state(l.world, id, &s));
      memcpy(start[count], s.position, sizeof s.position);
      box[count++] = id;
    }
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  scree_step_info info;
  double worst = 0.0;
  for (int i = 0; i < 1000; i++) {
    ok(&l, scree_stepper_step(l.stepper, 0.01, &info));
    for (size_t k = 0; i % 100 == 99 && k < count; k++) {
      const scree_body_state s = lab_state(&l, box[k]);
      for (int j = 0; j < 3; j++) worst = fmax(worst, fabs(s.position[j] - start[k][j]));
    }
    if (getenv("SCREE_VERBOSE") && i % 100 == 99)
      print_message(
          "t %.1f contacts %zu iterations %ld R %.2e percent %.4f drift %.3e kinetic %.2e\n",
          scree_world_time(l.world), info.contacts, info.iterations, info.residual,
          info.penetration_percent, worst, info.energy.linear);
  }
  if (!(worst < 1e-3)) fail_msg("drift %g m", worst);
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pyramid_stands)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
