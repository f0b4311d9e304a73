/* Impacts: restitution is what the material says, elastic bodies keep their energy, and no impact
 * makes energy, with friction or without, of bodies of any shape, alone or many at once. */
#include "tests/physics/impacts.h"

/* The ratio of two heights in a row is e^2, by parabolas through three positions at the top. */
static double measure(double e, double h, double from) {
  lab l = open_lab(e, 0.5, true);
  lab_add_floor(&l);
  const scree_body_id ball = lab_add_ball(&l, 0.05, 0.05 + from, 0.0);
  double z[3] = {0.05 + from, 0.05 + from, 0.05 + from}, top = 0.0, worst = 0.0, last = from;
  int bounces = 0;
  for (int i = 0; i < 3000 && bounces < 3; i++) {
    lab_run(&l, h, h);
    z[0] = z[1];
    z[1] = z[2];
    z[2] = lab_state(&l, ball).position[2];
    if (z[1] > z[0] && z[1] >= z[2]) {
      const double slope = 0.5 * (z[2] - z[0]), bend = z[2] - 2.0 * z[1] + z[0];
      top = z[1] - 0.5 * slope * slope / bend - 0.05;
      const double ratio = sqrt(top / last);
      if (fabs(ratio / e - 1.0) > fabs(worst / e - 1.0) || worst == 0.0) worst = ratio;
      last = top;
      bounces++;
    }
  }
  assert_int_equal(bounces, 3);
  lab_close(&l);
  return worst;
}

static void restitution_is_measured(void **state) {
  (void)state;
  for (int k = 0; k < 12; k++) {
    const double e = k % 3 == 0 ? 0.5 : k % 3 == 1 ? 0.8 : 1.0, from = 0.7 + 0.05 * k;
    const double found = measure(e, 0.005, from);
    if (fabs(found / e - 1.0) > 0.005) fail_msg("e = %g from %g m: %g", e, from, found);
  }
}

/* 100 balls in a box. */
static void gas_keeps_its_energy(void **state) {
  (void)state;
  lab l = open_lab(1.0, 0.0, false);
  scree_shape *s;
  const double half[3] = {0.5, 0.5, 0.5};
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  ok(&l, scree_shape_create_box_container(l.context, half, 0, &s));
  lab_add(&l, d, s);
  random_state = 7;
  for (int k = 0; k < 100; k++) {
    d = scree_body_def_default();
    for (int m = 0; m < 3; m++) d.velocity[m] = even(-1.0, 1.0);
    d.position[0] = 0.2 * (k % 5) - 0.4;
    d.position[1] = 0.2 * (k / 5 % 5) - 0.4;
    d.position[2] = 0.2 * (k / 25) - 0.3;
    ok(&l, scree_shape_create_sphere(l.context, 0.03 + 0.0005 * (k % 40), &s));
    lab_add(&l, d, s);
  }
  double before = 0.0;
  for (int i = 0; i < 1000; i++) {
    lab_run(&l, 0.005, 0.005);
    if (i == 0) before = kinetic(&l);
  }
  assert_near(kinetic(&l) / before, 1.0, 1e-6);
  lab_close(&l);
}

static void cradle_hands_on(void **state) {
  (void)state;
  for (int gap = 0; gap < 2; gap++) {
    lab l = open_lab(1.0, 0.0, false);
    scree_body_id ball[5];
    for (int k = 0; k < 5; k++) {
      scree_shape *s;
      scree_body_def d = scree_body_def_default();
      d.position[0] = (0.1 + 1e-3 * gap) * k - (k == 0 ? 0.012 : 0.0);
      d.velocity[0] = k == 0 ? 1.0 : 0.0;
      ok(&l, scree_shape_create_sphere(l.context, 0.05, &s));
      ball[k] = lab_add(&l, d, s);
    }
    lab_run(&l, 0.005, 0.1);
    for (int k = 0; k < 5; k++) assert_near(lab_state(&l, ball[k]).velocity[0], k == 4, 1e-6);
    lab_close(&l);
  }
}

/* Boxes that bounce on a floor for 3 s: what they have of energy, height and spin, does not grow.
 */
static void boxes_bounce(void **state) {
  (void)state;
  random_state = 11;
  for (int k = 0; k < 25; k++) {
    lab l = open_lab(1.0, even(0.0, 1.0), true);
    lab_add_floor(&l);
    scree_body_def d = scree_body_def_default();
    for (int m = 0; m < 3; m++) d.velocity[m] = even(-1.0, 1.0);
    for (int m = 0; m < 3; m++) d.angular[m] = even(-5.0, 5.0);
    for (int m = 0; m < 4; m++) d.rotation[m] = even(-1.0, 1.0);
    d.position[2] = 0.7;
    scree_shape *s;
    const double half[3] = {even(0.05, 0.1), even(0.05, 0.1), even(0.05, 0.1)};
    ok(&l, scree_shape_create_box(l.context, half, &s));
    const scree_body_id box = lab_add(&l, d, s);
    scree_body_info info;
    ok(&l, scree_body_get_info(l.world, box, &info));
    double first = 0.0, most = 0.0;
    for (int i = 0; i < 600; i++) {
      lab_run(&l, 0.005, 0.005);
      const double now = kinetic(&l) + info.mass * earth * lab_state(&l, box).position[2];
      if (i == 0) first = now;
      most = fmax(most, now);
    }
    if (!(most < 1.03 * first)) fail_msg("box %d: energy %g becomes %g", k, first, most);
    lab_close(&l);
  }
}

/* What bounces comes to rest, and then rests. */
static void bounces_end(void **state) {
  (void)state;
  lab l = open_lab(0.5, 0.5, true);
  lab_add_floor(&l);
  lab_add_box(&l, 0.1, 0.2, 0.1, 0.5);
  lab_run(&l, 0.005, 5.0);
  assert_true(kinetic(&l) < 1e-14);
  lab_close(&l);
}

static void no_impact_makes_energy(void **state) {
  (void)state;
  throw_many(200);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(restitution_is_measured),
                                     cmocka_unit_test(gas_keeps_its_energy),
                                     cmocka_unit_test(cradle_hands_on),
                                     cmocka_unit_test(boxes_bounce),
                                     cmocka_unit_test(bounces_end),
                                     cmocka_unit_test(no_impact_makes_energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
