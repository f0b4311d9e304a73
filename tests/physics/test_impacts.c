/* Impacts: restitution is what the material says, elastic bodies keep their energy, and no impact
 * makes energy, with friction or without, of bodies of any shape, alone or many at once. */
#include <string.h>

#include "scree/scree.h"
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

/* Ellipsoids that turn by tenths of a radian in a step: their turns lead them into walls that they
 * did not come near to at its start. They bounce there all the same. */
static void turning_gas_keeps_its_energy(void **state) {
  (void)state;
  lab l = open_lab(1.0, 0.0, false);
  scree_shape *s;
  const double half[3] = {0.5, 0.5, 0.5}, radii[3] = {0.06, 0.04, 0.02};
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  ok(&l, scree_shape_create_box_container(l.context, half, 0, &s));
  lab_add(&l, d, s);
  random_state = 5;
  for (int k = 0; k < 18; k++) {
    d = scree_body_def_default();
    for (int m = 0; m < 3; m++) d.velocity[m] = even(-3.0, 3.0);
    for (int m = 0; m < 3; m++) d.angular[m] = even(-15.0, 15.0);
    for (int m = 0; m < 4; m++) d.rotation[m] = even(-1.0, 1.0);
    d.position[0] = 0.3 * (k % 3) - 0.3;
    d.position[1] = 0.3 * (k / 3 % 3) - 0.3;
    d.position[2] = 0.3 * (k / 9) - 0.15;
    ok(&l, scree_shape_create_ellipsoid(l.context, radii, &s));
    lab_add(&l, d, s);
  }
  double before = 0.0;
  for (int i = 0; i < 500; i++) {
    lab_run(&l, 0.01, 0.01);
    if (i == 0) before = kinetic(&l);
  }
  print_message("energy %.4f\n", kinetic(&l) / before);
  assert_near(kinetic(&l) / before, 1.0, 0.04);
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

/* Two links in space whose end hits the floor, with 8 steps from start to hit: the impulses of the
 * joints in a bounce are far above those of the motion, and did work by what the turn bends (0.37
 * of all energy exchanged). */
static void joints_give_no_energy_in_a_bounce(void **state) {
  (void)state;
  static const char text[] =
      "step: ${h}\nparameters: {h: 5 ms}\nduration: 0.3 s\n"
      "materials: {m: {friction: 0, restitution: 0.77}}\n"
      "bodies:\n"
      "  - {kind: fixed, material: m, shape: {half_space: {}}}\n"
      "  - {name: a, shape: {sphere: {radius: 1.4 mm}}, mass: 14 mg, material: m, position: [-7.1 "
      "mm, "
      "-5.6 mm, 7.4 mm]}\n"
      "  - {name: b, shape: {sphere: {radius: 1 mm}}, mass: 13 mg, material: m, position: [6.7 mm, "
      "-6.8 mm, 6.8 mm]}\n"
      "joints:\n"
      "  - {kind: hinge, bodies: [a, b], anchor: [-0.2 mm, -6.2 mm, 7.1 mm], axis: [0.15, 0.69, "
      "0.7]}\n"
      "  - {kind: hinge, bodies: [b, world], anchor: [6.7 mm, -6.8 mm, 6.8 mm], axis: [0.03, 0.71, "
      "-0.7]}\n";
  for (int k = 0; k < 3; k++) {
    static const char *const steps[] = {"h=5 ms", "h=3 ms", "h=1 ms"};
    scree_context *context = scree_context_create(NULL);
    scree_scene_def def = scree_scene_def_default();
    def.set_count = 1;
    def.sets = &steps[k];
    scree_scene *scene = NULL;
    scree_sim *sim = NULL;
    if (scree_scene_load_text(context, "links", text, strlen(text), &def, &scene) ||
        scree_sim_create(scene, NULL, &sim))
      fail_msg("%s", scree_context_message(context));
    while (!scree_sim_done(sim)) assert_int_equal(scree_sim_step(sim, NULL), SCREE_OK);
    scree_sim_summary sum;
    scree_sim_get_summary(sim, &sum);
    assert_true(sum.ledger.impacts > 1e-7);
    if (!(sum.energy_error < 1e-9))
      fail_msg("%s: error %g of the energy", steps[k], sum.energy_error);
    scree_sim_destroy(sim);
    scree_scene_destroy(scene);
    scree_context_destroy(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(restitution_is_measured),
                                     cmocka_unit_test(gas_keeps_its_energy),
                                     cmocka_unit_test(turning_gas_keeps_its_energy),
                                     cmocka_unit_test(cradle_hands_on),
                                     cmocka_unit_test(boxes_bounce),
                                     cmocka_unit_test(bounces_end),
                                     cmocka_unit_test(joints_give_no_energy_in_a_bounce),
                                     cmocka_unit_test(no_impact_makes_energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
