/* Machines against closed forms: gears, differential, rack, screw, pulley, cam, universal joint;
 * joints of closed loops and chains that stay together; energy of swinging. */
#include "tests/physics/physics.h"

/* Simulated seconds of loops and chains, and of swinging; test_machines_long.c has longer ones. */
#ifndef LOOP_SECONDS
#define LOOP_SECONDS  4
#define CHAIN_SECONDS 3
#define SWING_SECONDS 10
#endif

static const double h = 5e-3;
static const scree_body_id ground = {0};

static lab machine(bool gravity) {
  lab l = lab_open(0.0, 0.0);
  if (!gravity) scree_world_set_gravity(l.world, (const double[]){0, 0, 0});
  l.def.solver = "auto";
  l.def.tolerance_residual = 1e-6;
  return l;
}

static scree_body_id box_at(lab *l, double x, double y, double z, double mass, const double *size) {
  scree_body_def d = scree_body_def_default();
  scree_shape *s;
  const double half[3] = {0.5 * size[0], 0.5 * size[1], 0.5 * size[2]};
  ok(l, scree_shape_create_box(l->context, half, &s));
  d.mass = mass;
  d.collides_with = 0;
  d.position[0] = x;
  d.position[1] = y;
  d.position[2] = z;
  return lab_add(l, d, s);
}

static scree_joint_def joint_of(scree_joint_kind kind, scree_body_id a, scree_body_id b, double x,
                                double y, double z) {
  scree_joint_def j = scree_joint_def_default();
  j.kind = kind;
  j.body_a = a;
  j.body_b = b;
  j.anchor[0] = x;
  j.anchor[1] = y;
  j.anchor[2] = z;
  return j;
}

static scree_joint_id add(lab *l, const scree_joint_def *j) {
  scree_joint_id id;
  ok(l, scree_world_add_joint(l->world, j, &id));
  return id;
}

static scree_joint_id hinge_y(lab *l, scree_body_id a, scree_body_id b, double x, double z) {
  scree_joint_def j = joint_of(SCREE_JOINT_HINGE, a, b, x, 0.0, z);
  j.axis[1] = 1.0;
  j.axis[2] = 0.0;
  return add(l, &j);
}

static scree_coordinate_state first_of(lab *l, scree_joint_id id) {
  scree_coordinate_state s;
  ok(l, scree_joint_get_coordinate(l->world, id, 0, &s));
  return s;
}

static const double plate[3] = {0.2, 0.2, 0.05};
static double plate_inertia(double mass) {
  return mass * (0.2 * 0.2 + 0.2 * 0.2) / 12.0;
}

/* A torque on the first of two wheels: (I_a + ratio^2 I_b) alpha_a. */
static void test_gear(void **state) {
  (void)state;
  static const double ratio = -2.5;
  lab l = machine(true);
  const scree_body_id a = box_at(&l, 0, 0, 0, 1.0, plate), b = box_at(&l, 1, 0, 0, 3.0, plate);
  scree_joint_def on_a = joint_of(SCREE_JOINT_HINGE, ground, a, 0, 0, 0);
  scree_joint_def on_b = joint_of(SCREE_JOINT_HINGE, ground, b, 1, 0, 0);
  on_a.coordinate[0].motor = SCREE_MOTOR_TORQUE;
  on_a.coordinate[0].motor_value = 2.0;
  const scree_joint_id ja = add(&l, &on_a), jb = add(&l, &on_b);
  scree_joint_def gear = joint_of(SCREE_JOINT_GEAR, a, b, 0, 0, 0);
  gear.ratio = ratio;
  const scree_joint_id jg = add(&l, &gear);
  lab_run(&l, h, 1.0);
  const double alpha = 2.0 / (plate_inertia(1.0) + ratio * ratio * plate_inertia(3.0));
  assert_near(first_of(&l, ja).position, 0.5 * alpha, 1e-6);
  assert_near(first_of(&l, jb).position, ratio * first_of(&l, ja).position, 1e-9);
  scree_joint_state s;
  ok(&l, scree_joint_get_state(l.world, jg, &s));
  assert_near(s.torque[2], ratio * alpha * plate_inertia(3.0), 1e-6);
  lab_close(&l);
}

/* The carrier is driven, one wheel is held: the other turns twice as fast. */
static void test_differential(void **state) {
  (void)state;
  lab l = machine(true);
  const scree_body_id a = box_at(&l, 0, 0, -1, 1.0, plate), b = box_at(&l, 0, 0, 1, 1.0, plate);
  const scree_body_id c = box_at(&l, 0, 0, 0, 1.0, plate);
  scree_joint_def on_a = joint_of(SCREE_JOINT_HINGE, ground, a, 0, 0, -1);
  scree_joint_def on_b = joint_of(SCREE_JOINT_HINGE, ground, b, 0, 0, 1);
  scree_joint_def on_c = joint_of(SCREE_JOINT_HINGE, ground, c, 0, 0, 0);
  on_a.coordinate[0].friction = 100.0;
  on_c.coordinate[0].motor = SCREE_MOTOR_SPEED;
  on_c.coordinate[0].motor_value = 3.0;
  const scree_joint_id ja = add(&l, &on_a), jb = add(&l, &on_b);
  add(&l, &on_c);
  scree_joint_def d = joint_of(SCREE_JOINT_DIFFERENTIAL, a, b, 0, 0, 0);
  d.body_c = c;
  add(&l, &d);
  lab_run(&l, h, 2.0);
  assert_near(first_of(&l, ja).position, 0.0, 1e-9);
  assert_near(first_of(&l, jb).position, 12.0, 1e-6);
  lab_close(&l);
}

/* A rack that falls turns its pinion: (m + I / r^2) a = m g. The same weight on a screw: (m + I /
 * lead^2) a = m g. */
static void test_rack_and_screw(void **state) {
  (void)state;
  lab l = machine(true);
  const scree_body_id wheel = box_at(&l, 0, 0, 0, 1.0, plate);
  const scree_body_id rack = box_at(&l, 1, 0, 0, 2.0, plate);
  const scree_body_id nut = box_at(&l, 3, 0, 0, 2.0, plate);
  scree_joint_def on_wheel = joint_of(SCREE_JOINT_HINGE, ground, wheel, 0, 0, 0);
  scree_joint_def on_rack = joint_of(SCREE_JOINT_SLIDER, ground, rack, 1, 0, 0);
  add(&l, &on_wheel);
  const scree_joint_id slide = add(&l, &on_rack);
  scree_joint_def pair = joint_of(SCREE_JOINT_RACK_PINION, wheel, rack, 0, 0, 0);
  pair.ratio = 0.05;
  add(&l, &pair);
  scree_joint_def screw = joint_of(SCREE_JOINT_SCREW, ground, nut, 3, 0, 0);
  screw.pitch = 0.2;
  const scree_joint_id turn = add(&l, &screw);
  lab_run(&l, h, 1.0);
  const double a = 2.0 * earth / (2.0 + plate_inertia(1.0) / (0.05 * 0.05));
  assert_near(first_of(&l, slide).position, -0.5 * a, 1e-6);
  const double lead = 0.2 / (2.0 * pi),
               b = 2.0 * earth / (2.0 + plate_inertia(2.0) / (lead * lead));
  assert_near(first_of(&l, turn).position, -0.5 * b / lead, 1e-6 / lead);
  lab_close(&l);
}

/* Atwood's machine, and a tackle of 2: m_a g - 2 T ... along the rope. */
static void test_pulley(void **state) {
  (void)state;
  for (int n = 1; n <= 2; n++) {
    lab l = machine(true);
    const scree_body_id a = box_at(&l, 0, 0, -1, 3.0, plate), b = box_at(&l, 1, 0, -1, 2.0, plate);
    scree_joint_def j = joint_of(SCREE_JOINT_PULLEY, a, b, 0, 0, -1);
    j.anchor_b[0] = 1.0;
    j.anchor_b[1] = 0.0;
    j.anchor_b[2] = -1.0;
    j.sheave_b[0] = 1.0;
    j.ratio = n;
    add(&l, &j);
    lab_run(&l, h, 0.4);
    /* a: m_a (g - z'') = T; b: m_b (g - z'') = n T; z_a'' + n z_b'' = 0, downwards. */
    const double down = n == 1 ? earth * (3.0 - 2.0) / 5.0 : earth * (4.0 * 3.0 - 2.0 * 2.0) / 14.0;
    assert_near(lab_state(&l, a).position[2], -1.0 - 0.5 * down * 0.16, 1e-6);
    assert_near(lab_state(&l, b).position[2], -1.0 + 0.5 * down / n * 0.16, 1e-6);
    lab_close(&l);
  }
}

/* A follower on a cam of lift 0.05 (1 - cos turn). */
static void test_cam(void **state) {
  (void)state;
  enum { POINTS = 49 };
  lab l = machine(true);
  double points[2 * POINTS];
  for (int k = 0; k < POINTS; k++) {
    points[2 * k] = 2.0 * pi * k / (POINTS - 1);
    points[2 * k + 1] = k + 1 == POINTS ? points[1] : 0.05 * (1.0 - cos(points[2 * k]));
  }
  const scree_curve_def curve = {points, POINTS, 2, true};
  const scree_body_id cam = box_at(&l, 0, 0, 0, 1.0, plate);
  const scree_body_id rod = box_at(&l, 0, 0, 1, 1.0, plate);
  scree_joint_def on_cam = joint_of(SCREE_JOINT_HINGE, ground, cam, 0, 0, 0);
  on_cam.axis[1] = 1.0;
  on_cam.axis[2] = 0.0;
  on_cam.coordinate[0].motor = SCREE_MOTOR_SPEED;
  on_cam.coordinate[0].motor_value = 4.0;
  scree_joint_def on_rod = joint_of(SCREE_JOINT_SLIDER, ground, rod, 0, 0, 1);
  const scree_joint_id turn = add(&l, &on_cam), lift = add(&l, &on_rod);
  scree_joint_def j = joint_of(SCREE_JOINT_CAM, cam, rod, 0, 0, 0);
  j.axis[1] = 1.0;
  j.axis[2] = 0.0;
  j.axis_b[2] = 1.0;
  ok(&l, scree_world_add_curve(l.world, &curve, &j.curve));
  add(&l, &j);
  for (int k = 0; k < 400; k++) {
    lab_run(&l, h, h);
    assert_near(first_of(&l, lift).position, 0.05 * (1.0 - cos(first_of(&l, turn).position)), 2e-7);
  }
  assert_near(first_of(&l, turn).position, 8.0, 1e-6);
  lab_close(&l);
}

/* Two shafts at an angle of 0.6: the driven one runs by cos 0.6 / (1 - sin^2 0.6 cos^2 turn). */
static void test_universal(void **state) {
  (void)state;
  static const double angle = 0.6, speed = 3.0;
  lab l = machine(true);
  const double size[3] = {0.1, 0.1, 0.1};
  const scree_body_id a = box_at(&l, -1, 0, 0, 1.0, size);
  const scree_body_id b = box_at(&l, cos(angle), sin(angle), 0, 1.0, size);
  scree_joint_def drive = joint_of(SCREE_JOINT_HINGE, ground, a, -1, 0, 0);
  drive.axis[0] = 1.0;
  drive.axis[2] = 0.0;
  drive.coordinate[0].motor = SCREE_MOTOR_SPEED;
  drive.coordinate[0].motor_value = speed;
  scree_joint_def driven = joint_of(SCREE_JOINT_HINGE, ground, b, cos(angle), sin(angle), 0);
  driven.axis[0] = cos(angle);
  driven.axis[1] = sin(angle);
  driven.axis[2] = 0.0;
  const scree_joint_id in = add(&l, &drive), out = add(&l, &driven);
  /* Bars of the cross: z on a; across it and across the driven shaft on b. */
  scree_joint_def j = joint_of(SCREE_JOINT_UNIVERSAL, a, b, 0, 0, 0);
  j.axis_b[0] = -sin(angle);
  j.axis_b[1] = cos(angle);
  add(&l, &j);
  for (int k = 0; k < 400; k++) {
    lab_run(&l, h, h);
    const double turn = first_of(&l, in).position;
    /* tan out = cos(angle) tan in, with the bar of a across the plane of the shafts at the start.
     */
    const double expected = atan2(sin(turn), cos(turn) / cos(angle));
    const double error = first_of(&l, out).position - expected;
    assert_near(error - 2.0 * pi * round(error / (2.0 * pi)), 0.0, 1e-6);
  }
  assert_near(first_of(&l, in).position, 6.0, 1e-6);
  lab_close(&l);
}

/* ---- joints that stay together -------------------------------------------------------------- */

static scree_body_id link_of(lab *l, double x0, double z0, double x1, double z1, double mass) {
  scree_body_def d = scree_body_def_default();
  scree_shape *s;
  const double length = hypot(x1 - x0, z1 - z0), angle = -atan2(z1 - z0, x1 - x0);
  const double half[3] = {0.5 * length, 0.02, 0.02};
  ok(l, scree_shape_create_box(l->context, half, &s));
  d.mass = mass;
  d.collides_with = 0;
  d.position[0] = 0.5 * (x0 + x1);
  d.position[2] = 0.5 * (z0 + z1);
  d.rotation[0] = cos(0.5 * angle);
  d.rotation[2] = sin(0.5 * angle);
  return lab_add(l, d, s);
}

/* Four hinges, three of whose rows say nothing new; driven by its crank. */
static void test_four_bar(void **state) {
  (void)state;
  lab l = machine(true);
  const scree_body_id crank = link_of(&l, 0, 0, 0, 0.3, 1.0);
  const scree_body_id coupler = link_of(&l, 0, 0.3, 0.8, 0.6, 1.0);
  const scree_body_id rocker = link_of(&l, 0.8, 0.6, 0.8, 0, 1.0);
  scree_joint_def drive = joint_of(SCREE_JOINT_HINGE, ground, crank, 0, 0, 0);
  drive.axis[1] = 1.0;
  drive.axis[2] = 0.0;
  drive.coordinate[0].motor = SCREE_MOTOR_SPEED;
  drive.coordinate[0].motor_value = 5.0;
  const scree_joint_id turn = add(&l, &drive);
  hinge_y(&l, crank, coupler, 0, 0.3);
  hinge_y(&l, coupler, rocker, 0.8, 0.6);
  hinge_y(&l, ground, rocker, 0.8, 0);
  double worst = 0.0;
  for (int k = 0; k < 200 * LOOP_SECONDS; k++) worst = fmax(worst, lab_run(&l, h, h).joint_error);
  assert_near(first_of(&l, turn).position, 5.0 * LOOP_SECONDS, 1e-6);
  assert_true(worst < 1e-6 * 0.8);
  lab_close(&l);
}

/* 20 links of 0.1 kg and 0.1 m with 10 kg at their end, let go at 30 degrees. */
static void test_heavy_end(void **state) {
  (void)state;
  lab l = machine(true);
  const double s = sin(0.5), c = cos(0.5);
  scree_body_id above = ground;
  for (int k = 0; k <= 20; k++) {
    const double from = 0.1 * k, to = 0.1 * (k + 1);
    const scree_body_id id =
        link_of(&l, from * s, -from * c, to * s, -to * c, k == 20 ? 10.0 : 0.1);
    scree_joint_def j = joint_of(SCREE_JOINT_BALL, above, id, from * s, 0.0, -from * c);
    add(&l, &j);
    above = id;
  }
  double worst = 0.0;
  for (int k = 0; k < 200 * CHAIN_SECONDS; k++) worst = fmax(worst, lab_run(&l, h, h).joint_error);
  assert_true(worst < 1e-6);
  lab_close(&l);
}

static double total(const lab *l) {
  const scree_energy e = scree_world_get_energy(l->world);
  return e.linear + e.angular + e.potential;
}

/* A double pendulum and a slider-crank without friction, let go from the horizontal, keep their
 * energy: means over a second within 1 % of the energy exchanged, and a quarter of that at half the
 * step. The pendulum is chaotic: starts that differ by rounding have 0.35 to 0.51 %, and 0.07 to
 * 0.10 %. In a flip by half a radian a step what is shown is off for a moment, which goes with the
 * square of the step. */
static void test_energy(void **state) {
  (void)state;
  double spike[2] = {0.0, 0.0};
  for (int k = 0; k < 3; k++) {
    lab l = machine(true);
    const double step = k == 1 ? 0.5 * h : h;
    const bool crank = k == 2;
    const scree_body_id a = link_of(&l, 0, 0, 0.5, 0, 1.0);
    const scree_body_id b = link_of(&l, 0.5, 0, crank ? 1.5 : 1.0, 0, 1.0);
    hinge_y(&l, ground, a, 0, 0);
    hinge_y(&l, a, b, 0.5, 0);
    if (crank) {
      scree_joint_def rail = joint_of(SCREE_JOINT_POINT_ON_LINE, ground, b, 1.5, 0, 0);
      rail.axis[0] = 1.0;
      rail.axis[2] = 0.0;
      add(&l, &rail);
    }
    const double start = total(&l), turned = crank ? 4.905 : 9.81;
    const int second = (int)(1.0 / step + 0.5);
    for (int n = 0; n < SWING_SECONDS; n++) {
      double mean = 0.0;
      for (int m = 0; m < second; m++) {
        lab_run(&l, step, step);
        const double off = total(&l) - start;
        mean += off / second;
        if (k < 2) spike[k] = fmax(spike[k], fabs(off));
        if (crank) assert_near(off, 0.0, 1e-3 * turned);
      }
      assert_near(mean, 0.0, (k == 0 ? 1e-2 : 2.5e-3) * turned);
    }
    lab_close(&l);
  }
  assert_true(spike[0] < 0.06 * 9.81 && spike[1] < 0.4 * spike[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gear),
                                     cmocka_unit_test(test_differential),
                                     cmocka_unit_test(test_rack_and_screw),
                                     cmocka_unit_test(test_pulley),
                                     cmocka_unit_test(test_cam),
                                     cmocka_unit_test(test_universal),
                                     cmocka_unit_test(test_four_bar),
                                     cmocka_unit_test(test_heavy_end),
                                     cmocka_unit_test(test_energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
