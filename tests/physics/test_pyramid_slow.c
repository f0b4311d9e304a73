/* A pyramid of 210 boxes (base 20) stands still for ten seconds.
 *
 * What could move it is the rocking across its plane: a solve that stops at its tolerance lets it
 * grow, and it takes hundreds of iterations to remove. From a perfect start it comes from rounding
 * and needs seconds to show; here the boxes begin up to 0.05 mm out of the plane, which shows it at
 * once. With the default limit of 100 iterations the steps would not reach their tolerance. */
#include "tests/physics/physics.h"

enum { BASE = 20, COUNT = BASE * (BASE + 1) / 2 };

static void pyramid_stands(void **state) {
  (void)state;
  const double side = 0.2, h = 0.01;
  lab l = lab_open(0.0, 0.0);
  scree_body_id box[COUNT];
  double start[COUNT][3];
  size_t count = 0, stopped = 0;
  l.def = scree_stepper_def_default();
  l.def.solver = "apgd";
  l.def.tolerance_residual = 1e-4;
  l.def.iteration_limit = 1000;
  lab_add_floor(&l);
  for (int row = 0; row < BASE; row++)
    for (int k = 0; k < BASE - row; k++) {
      const scree_body_id id = lab_add_box(&l, side, side, side, side * (row + 0.5));
      scree_body_state s = lab_state(&l, id);
      s.position[0] = 1.1 * side * (k + 0.5 * row);
      s.position[1] = 5e-5 * sin(12.9898 * (double)(count + 1) * (double)(count + 1));
      ok(&l, scree_body_set_state(l.world, id, &s));
      memcpy(start[count], s.position, sizeof s.position);
      box[count++] = id;
    }
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  double worst = 0.0;
  for (int i = 1; i <= 1000; i++) {
    scree_step_info info;
    ok(&l, scree_stepper_step(l.stepper, h, &info));
    stopped += !info.converged;
    for (size_t k = 0; i % 10 == 0 && k < count; k++) {
      const scree_body_state s = lab_state(&l, box[k]);
      for (int j = 0; j < 3; j++) worst = fmax(worst, fabs(s.position[j] - start[k][j]));
    }
    if (!(worst < 1e-3)) fail_msg("drift %g m at %g s", worst, h * i);
  }
  if (stopped > 50) fail_msg("%zu of 1000 steps did not reach their tolerance", stopped);
  lab_close(&l);
}

/* From a perfect start and with default settings. Boxes at rest close a part of their gaps that
 * falls with them (src/assemble/laws/law.c), and solves of stacks at rest go some iterations below
 * their tolerance (solve/auto/auto.c): where each one stops at it, 20 rows sway by 0.5 mm within 5
 * s. */
static void stand(int rows, double seconds) {
  const double side = 0.2, h = 0.005;
  const int steps = (int)(seconds / h + 0.5);
  lab l = lab_open(0.0, 0.0);
  scree_body_id box[COUNT];
  double start[COUNT][3], worst = 0.0;
  size_t count = 0;
  long iterations = 0;
  l.def = scree_stepper_def_default();
  lab_add_floor(&l);
  for (int row = 0; row < rows; row++)
    for (int k = 0; k < rows - row; k++) {
      const scree_body_id id = lab_add_box(&l, side, side, side, side * (row + 0.5));
      scree_body_state s = lab_state(&l, id);
      s.position[0] = 1.1 * side * (k - 0.5 * (rows - row - 1));
      ok(&l, scree_body_set_state(l.world, id, &s));
      memcpy(start[count], s.position, sizeof s.position);
      box[count++] = id;
    }
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  for (int i = 1; i <= steps; i++) {
    scree_step_info info;
    ok(&l, scree_stepper_step(l.stepper, h, &info));
    iterations += (long)info.iterations;
    if (!info.converged) fail_msg("%d rows: R %g at %g s", rows, info.residual, h * i);
  }
  for (size_t k = 0; k < count; k++) {
    const scree_body_state s = lab_state(&l, box[k]);
    for (int j = 0; j < 3; j++) worst = fmax(worst, fabs(s.position[j] - start[k][j]));
  }
  print_message("%d rows: %ld iterations in %d steps, moved by %g m\n", rows, iterations, steps,
                worst);
  if (!(worst < 1e-5)) fail_msg("%d rows: moved by %g m", rows, worst);
  if (iterations > 5L * steps)
    fail_msg("%d rows: %ld iterations in %d steps", rows, iterations, steps);
  lab_close(&l);
}

static void rest_stays_at_rest(void **state) {
  (void)state;
  stand(14, 10.0);
  stand(20, 10.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pyramid_stands),
                                     cmocka_unit_test(rest_stays_at_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
