/* Kinds of joints that test_machines.c has not, against closed forms: bars, ropes, struts, beads on
 * wires, bushings, planes and cones. */
#include "tests/physics/physics.h"

static const double h = 5e-3;

static lab bench(void) {
  lab l = lab_open(0.0, 0.0);
  l.def.solver = "auto";
  return l;
}

static scree_body_id ball_at(lab *l, double x, double z, double vx) {
  scree_body_def d = scree_body_def_default();
  scree_shape *s;
  ok(l, scree_shape_create_sphere(l->context, 0.01, &s));
  d.mass = 2.0;
  d.position[0] = x;
  d.position[2] = z;
  d.velocity[0] = vx;
  return lab_add(l, d, s);
}

static scree_joint_def joint_to(scree_joint_kind kind, scree_body_id b, double x, double z) {
  scree_joint_def j = scree_joint_def_default();
  j.kind = kind;
  j.body_b = b;
  j.anchor_b[0] = x;
  j.anchor_b[1] = 0.0;
  j.anchor_b[2] = z;
  return j;
}

static scree_joint_id add(lab *l, const scree_joint_def *j) {
  scree_joint_id id;
  ok(l, scree_world_add_joint(l->world, j, &id));
  return id;
}

/* The time between two passes through x = 0, from left to right and again. */
static double period_of(lab *l, scree_body_id body) {
  double last = lab_state(l, body).position[0], first = -1.0;
  for (int k = 1; k < 2000; k++) {
    lab_run(l, h, h);
    const double x = lab_state(l, body).position[0];
    if (last < 0.0 && x >= 0.0) {
      const double t = h * (k - x / (x - last));
      if (first >= 0.0) return t - first;
      first = t;
    }
    last = x;
  }
  fail_msg("it does not swing");
  return 0.0;
}

/* A bar, and a bead on a wire in a circle of points, swing as a pendulum does: 2 pi sqrt(L / g)
 * (1 + a^2 / 16). */
static void test_pendulums(void **state) {
  (void)state;
  const double a = 0.2, expected = 2.0 * pi * sqrt(1.0 / earth) * (1.0 + a * a / 16.0);
  double points[3 * 64];
  for (int k = 0; k < 64; k++) {
    const double angle = 2.0 * pi * k / 64.0;
    points[3 * k] = sin(angle);
    points[3 * k + 1] = 0.0;
    points[3 * k + 2] = -cos(angle);
  }
  for (int k = 0; k < 2; k++) {
    lab l = bench();
    const scree_body_id body = ball_at(&l, -sin(a), -cos(a), 0.0);
    const scree_curve_def wire = {points, 64, 3, true};
    scree_joint_def j =
        joint_to(k ? SCREE_JOINT_POINT_ON_CURVE : SCREE_JOINT_DISTANCE, body, -sin(a), -cos(a));
    if (k) ok(&l, scree_world_add_curve(l.world, &wire, &j.curve));
    const scree_joint_id id = add(&l, &j);
    assert_near(period_of(&l, body), expected, 2e-4 * expected);
    const scree_body_state s = lab_state(&l, body);
    assert_near(hypot(s.position[0], s.position[2]), 1.0, k ? 2e-6 : 1e-7);
    scree_joint_state r;
    ok(&l, scree_joint_get_state(l.world, id, &r));
    assert_true(r.error < 1e-7);
    lab_close(&l);
  }
}

/* A rope lets a ball fly until it is taut, and never lets it farther. */
static void test_rope(void **state) {
  (void)state;
  lab l = bench();
  const scree_body_id body = ball_at(&l, 0.2, 0.0, 1.0);
  scree_joint_def j = joint_to(SCREE_JOINT_ROPE, body, 0.2, 0.0);
  j.length = 1.0;
  add(&l, &j);
  lab_run(&l, h, 0.3);
  scree_body_state s = lab_state(&l, body);
  assert_near(s.position[0], 0.5, 1e-9);
  assert_near(s.position[2], -0.5 * earth * 0.09, 1e-9);
  for (int k = 0; k < 600; k++) {
    lab_run(&l, h, h);
    s = lab_state(&l, body);
    assert_true(hypot(s.position[0], s.position[2]) < 1.0 + 1e-4);
  }
  lab_close(&l);
}

/* A weight on a strut with spring and damper comes to rest at m g / k below; on a bushing too, and
 * a torque turns it by torque / k. */
static void test_springs(void **state) {
  (void)state;
  lab l = bench();
  const scree_body_id a = ball_at(&l, 0.0, -1.0, 0.0), b = ball_at(&l, 3.0, 0.0, 0.0);
  scree_joint_def strut = joint_to(SCREE_JOINT_STRUT, a, 0.0, -1.0);
  strut.coordinate[0].stiffness = 400.0;
  strut.coordinate[0].rest = 1.0;
  strut.coordinate[0].damping = 40.0;
  const scree_joint_id is = add(&l, &strut);
  scree_joint_def bushing = joint_to(SCREE_JOINT_BUSHING, b, 3.0, 0.0);
  bushing.anchor[0] = 3.0;
  for (int k = 0; k < 6; k++) bushing.stiffness[k] = k < 3 ? 1000.0 : 2.0;
  for (int k = 0; k < 6; k++) bushing.damping[k] = k < 3 ? 60.0 : 0.05;
  add(&l, &bushing);
  ok(&l, scree_body_set_force(l.world, b, (const double[]){0, 0, 0}, (const double[]){0, 0.1, 0}));
  lab_run(&l, h, 4.0);
  scree_coordinate_state c;
  ok(&l, scree_joint_get_coordinate(l.world, is, 0, &c));
  assert_near(c.position, 1.0 + 2.0 * earth / 400.0, 1e-6);
  assert_near(c.spring, -2.0 * earth, 1e-3);
  const scree_body_state s = lab_state(&l, b);
  assert_near(s.position[2], -2.0 * earth / 1000.0, 1e-6);
  assert_near(2.0 * s.rotation[2], 0.1 / 2.0, 1e-4);
  lab_close(&l);
}

/* A spring of turns is linear in the angle however far it turns: a torsion pendulum let go at 2.8
 * rad swings as one let go at 0.1 rad, 2 pi sqrt(I/k) to and fro; about an axis askew, too. */
static void test_far_turns(void **state) {
  (void)state;
  for (int askew = 0; askew < 2; askew++) {
    lab l = bench();
    l.def.tolerance_residual = 1e-8;
    const scree_body_id b = ball_at(&l, 0.0, 0.0, 0.0);
    scree_joint_def bushing = joint_to(SCREE_JOINT_BUSHING, b, 0.0, 0.0);
    for (int k = 0; k < 3; k++) bushing.stiffness[k] = 1e4;
    for (int k = 3; k < 6; k++) bushing.stiffness[k] = 0.3;
    add(&l, &bushing);
    scree_body_info info;
    ok(&l, scree_body_get_info(l.world, b, &info));
    const double far = 2.8, period = 2.0 * pi * sqrt(info.principal_inertia[0] / 0.3);
    const double axis[3] = {askew ? 0.6 : 0.0, askew ? 0.0 : 1.0, askew ? 0.8 : 0.0};
    scree_body_state s = lab_state(&l, b);
    s.rotation[0] = cos(0.5 * far);
    for (int k = 0; k < 3; k++) s.rotation[1 + k] = sin(0.5 * far) * axis[k];
    ok(&l, scree_body_set_state(l.world, b, &s));
    const size_t steps = 4 * (size_t)(period / 1e-3 + 0.5);
    lab_run(&l, period / (double)steps, 1.25 * period);
    s = lab_state(&l, b);
    const double turn =
        2.0 * (axis[0] * s.rotation[1] + axis[1] * s.rotation[2] + axis[2] * s.rotation[3]);
    assert_near(turn, 0.0, 2e-3 * far); /* a quarter on: it passes the middle */
    lab_close(&l);
  }
}

/* On a tilted plane, free of friction, a ball slides by g sin; along a tilted line too. */
static void test_planes(void **state) {
  (void)state;
  static const scree_joint_kind kinds[] = {SCREE_JOINT_PLANAR, SCREE_JOINT_POINT_ON_PLANE,
                                           SCREE_JOINT_CYLINDRICAL, SCREE_JOINT_POINT_ON_LINE};
  const double tilt = 0.4;
  for (int k = 0; k < 4; k++) {
    lab l = bench();
    const scree_body_id body = ball_at(&l, 0.0, 0.0, 0.0);
    scree_joint_def j = joint_to(kinds[k], body, 0.0, 0.0);
    /* The normal of the plane; or the line, downwards. */
    j.axis[0] = k < 2 ? sin(tilt) : cos(tilt);
    j.axis[2] = k < 2 ? cos(tilt) : -sin(tilt);
    add(&l, &j);
    lab_run(&l, h, 1.0);
    const scree_body_state s = lab_state(&l, body);
    const double way = 0.5 * earth * sin(tilt);
    assert_near(s.position[0], way * cos(tilt), 1e-6);
    assert_near(s.position[2], -way * sin(tilt), 1e-6);
    lab_close(&l);
  }
}

/* A rod on a ball joint leans against its cone: it stays there, and the cone bears its moment. */
static void test_cone(void **state) {
  (void)state;
  lab l = bench();
  scree_body_def d = scree_body_def_default();
  scree_shape *s;
  const double half[3] = {0.02, 0.02, 0.5};
  ok(&l, scree_shape_create_box(l.context, half, &s));
  d.mass = 1.0;
  d.position[2] = 0.5;
  d.angular[1] = 0.1;
  d.velocity[0] = 0.05;
  const scree_body_id rod = lab_add(&l, d, s);
  scree_joint_def j = scree_joint_def_default();
  j.body_b = rod;
  j.coordinate[0].limits[0] = 0.0;
  j.coordinate[0].limits[1] = 0.5;
  j.coordinate[1].limits[0] = -0.1;
  j.coordinate[1].limits[1] = 0.1;
  const scree_joint_id id = add(&l, &j);
  double most = 0.0;
  for (int k = 0; k < 800; k++) {
    lab_run(&l, h, h);
    scree_coordinate_state c;
    ok(&l, scree_joint_get_coordinate(l.world, id, 0, &c));
    most = fmax(most, c.position);
  }
  scree_coordinate_state c;
  ok(&l, scree_joint_get_coordinate(l.world, id, 0, &c));
  assert_true(most < 0.5 + 1e-3);
  assert_near(c.position, 0.5, 1e-6);
  assert_near(c.limit, -0.5 * earth * sin(0.5), 1e-3);
  lab_close(&l);
}

/* Bodies whose axes stay parallel: a torque across the axis turns both or none. */
static void test_parallel(void **state) {
  (void)state;
  lab l = bench();
  scree_world_set_gravity(l.world, (const double[]){0, 0, 0});
  const scree_body_id a = ball_at(&l, 0.0, 0.0, 0.0), b = ball_at(&l, 1.0, 0.0, 0.5);
  scree_joint_def j = joint_to(SCREE_JOINT_PARALLEL, b, 1.0, 0.0);
  j.body_a = a;
  add(&l, &j);
  const double torque[3] = {1e-4, 0.0, 1e-4}, inertia = 0.4 * 2.0 * 1e-4;
  ok(&l, scree_body_set_force(l.world, b, (const double[]){0, 0, 0}, torque));
  lab_run(&l, h, 0.4);
  const double alone = 1e-4 * 0.4 / inertia;
  assert_near(lab_state(&l, a).angular[0], 0.5 * alone, 0.02 * alone);
  assert_near(lab_state(&l, a).angular[2], 0.0, 0.02 * alone);
  assert_near(lab_state(&l, b).position[0], 1.2, 1e-9);
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulums), cmocka_unit_test(test_rope),
      cmocka_unit_test(test_springs),   cmocka_unit_test(test_far_turns),
      cmocka_unit_test(test_planes),    cmocka_unit_test(test_cone),
      cmocka_unit_test(test_parallel)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
