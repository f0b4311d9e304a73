/* What coordinates of joints have, against closed forms: limits, friction, springs, dampers, motors
 * on speed, torque and position, brakes, breaking. */
#include "tests/physics/physics.h"

static const double h = 5e-3;
static const scree_body_id ground = {0};

/* A box that turns about z without gravity (its moment of inertia in *inertia), or slides. */
static scree_body_id rotor(lab *l, double *inertia) {
  scree_body_def d = scree_body_def_default();
  scree_shape *s;
  const double half[3] = {0.2, 0.1, 0.05};
  ok(l, scree_shape_create_box(l->context, half, &s));
  d.mass = 3.0;
  if (inertia) *inertia = 3.0 * (0.4 * 0.4 + 0.2 * 0.2) / 12.0;
  return lab_add(l, d, s);
}

static lab open_lab(void) {
  lab l = lab_open(0.0, 0.0);
  l.def.solver = "auto";
  return l;
}

static scree_joint_def on(scree_joint_kind kind, scree_body_id body) {
  scree_joint_def j = scree_joint_def_default();
  j.kind = kind;
  j.body_a = ground;
  j.body_b = body;
  return j;
}

static scree_coordinate_state read_first(lab *l, scree_joint_id id) {
  scree_coordinate_state s;
  ok(l, scree_joint_get_coordinate(l->world, id, 0, &s));
  return s;
}

static void spin(lab *l, scree_body_id id, double speed) {
  scree_body_state s = lab_state(l, id);
  s.angular[2] = speed;
  ok(l, scree_body_set_state(l->world, id, &s));
}

/* A torque of 2 N m against a limit at 0.5 rad: it stays there to rounding and the limit gives the
 * torque back; with turns counted, a limit at 3 turns is reached after three turns. */
static void test_limits(void **state) {
  (void)state;
  static const double at[] = {0.5, 6.0 * 3.141592653589793};
  for (int k = 0; k < 2; k++) {
    lab l = open_lab();
    double inertia;
    const scree_body_id body = rotor(&l, &inertia);
    scree_joint_def j = on(SCREE_JOINT_HINGE, body);
    j.coordinate[0].limits[0] = -1.0;
    j.coordinate[0].limits[1] = at[k];
    j.coordinate[0].motor = SCREE_MOTOR_TORQUE;
    j.coordinate[0].motor_value = 2.0;
    scree_joint_id id;
    ok(&l, scree_world_add_joint(l.world, &j, &id));
    const double arrival = sqrt(2.0 * at[k] * inertia / 2.0);
    const double before = h * floor(0.9 * arrival / h);
    lab_run(&l, h, before);
    assert_near(read_first(&l, id).position, before * before / inertia, 1e-9);
    lab_run(&l, h, 0.5 * arrival + 0.2);
    const scree_coordinate_state s = read_first(&l, id);
    assert_near(s.position, at[k], 1e-9);
    assert_near(s.limit, -2.0, 1e-6);
    assert_near(s.speed, 0.0, 1e-6);
    lab_close(&l);
  }
}

/* A slider falls on its lower limit and bounces with e. */
static void test_restitution(void **state) {
  (void)state;
  lab l = open_lab();
  const scree_body_id body = rotor(&l, NULL);
  scree_joint_def j = on(SCREE_JOINT_SLIDER, body);
  j.coordinate[0].start = 1.0;
  j.coordinate[0].limits[0] = 0.0;
  j.coordinate[0].limit_restitution = 0.6;
  scree_joint_id id;
  double highest = 0.0;
  ok(&l, scree_world_add_joint(l.world, &j, &id));
  lab_run(&l, 1e-3, 0.5);
  for (int k = 0; k < 500; k++) {
    lab_run(&l, 1e-3, 1e-3);
    highest = fmax(highest, read_first(&l, id).position);
  }
  assert_near(highest, 0.36, 0.005);
  lab_run(&l, 1e-3, 4.0);
  assert_near(read_first(&l, id).position, 0.0, 1e-6);
  assert_near(read_first(&l, id).limit, 3.0 * earth, 1e-3);
  lab_close(&l);
}

/* Dry friction of 0.5 N m takes inertia w / 0.5 s, and then holds against less than that. */
static void test_friction(void **state) {
  (void)state;
  lab l = open_lab();
  double inertia;
  const scree_body_id body = rotor(&l, &inertia);
  scree_joint_def j = on(SCREE_JOINT_HINGE, body);
  j.coordinate[0].friction = 0.5;
  scree_joint_id id;
  ok(&l, scree_world_add_joint(l.world, &j, &id));
  spin(&l, body, 10.0);
  const double stop = inertia * 10.0 / 0.5;
  lab_run(&l, h, 0.5 * stop);
  assert_near(lab_state(&l, body).angular[2], 5.0, 0.1);
  assert_near(read_first(&l, id).friction, -0.5, 1e-9);
  lab_run(&l, h, stop);
  assert_near(read_first(&l, id).speed, 0.0, 1e-9);
  const double held = read_first(&l, id).position;
  ok(&l, scree_joint_set_motor(l.world, id, SCREE_MOTOR_TORQUE, 0.49, INFINITY));
  lab_run(&l, h, 1.0);
  assert_near(read_first(&l, id).position, held, 1e-9);
  assert_near(read_first(&l, id).friction, -0.49, 1e-6);
  ok(&l, scree_joint_set_motor(l.world, id, SCREE_MOTOR_TORQUE, 0.51, INFINITY));
  lab_run(&l, h, 1.0);
  assert_true(read_first(&l, id).position > held + 0.05);
  lab_close(&l);
}

/* A slider on a slope of 0.5 rad: friction by its reaction, mu m g cos. */
static void test_friction_of_reaction(void **state) {
  (void)state;
  static const double mu[] = {0.3, 0.6};
  for (int k = 0; k < 2; k++) {
    lab l = lab_open(0.5, 0.0);
    l.def.solver = "auto";
    scree_joint_def j = on(SCREE_JOINT_SLIDER, rotor(&l, NULL));
    j.axis[0] = 1.0;
    j.axis[2] = 0.0;
    j.coordinate[0].friction_coefficient = mu[k];
    scree_joint_id id;
    ok(&l, scree_world_add_joint(l.world, &j, &id));
    lab_run(&l, h, 1.0);
    const double a = earth * fmax(0.0, sin(0.5) - mu[k] * cos(0.5));
    assert_near(read_first(&l, id).position, 0.5 * a, 0.03);
    lab_close(&l);
  }
}

/* A spring that the step follows keeps its period to order two and its energy; a damper takes it by
 * exp(-d t / 2 m). */
static void test_spring(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    lab l = lab_open(0.0, 0.0);
    scree_world_set_gravity(l.world, (const double[]){0, 0, 0});
    l.def.solver = "auto";
    scree_joint_def j = on(SCREE_JOINT_SLIDER, rotor(&l, NULL));
    const double omega = 10.0, m = 3.0, zeta = k ? 0.05 : 0.0;
    j.coordinate[0].start = 0.1;
    j.coordinate[0].stiffness = m * omega * omega;
    j.coordinate[0].damping = 2.0 * zeta * omega * m;
    scree_joint_id id;
    ok(&l, scree_world_add_joint(l.world, &j, &id));
    double worst = 0.0;
    for (int n = 1; n <= 400; n++) {
      lab_run(&l, h, h);
      const double t = n * h, wd = omega * sqrt(1.0 - zeta * zeta);
      const double q = 0.1 * exp(-zeta * omega * t) *
                       (cos(wd * t) + zeta / sqrt(1.0 - zeta * zeta) * sin(wd * t));
      worst = fmax(worst, fabs(read_first(&l, id).position - q));
    }
    assert_true(worst < 6e-4); /* phase: omega^3 h^2 t / 24 of a radian; 2 s */
    lab_close(&l);
  }
}

/* Any gain is stable at 5 ms, with and without damping, light and heavy; high ones arrive. */
static void test_gains(void **state) {
  (void)state;
  for (int power = 0; power <= 9; power++)
    for (int damped = 0; damped < 2; damped++) {
      lab l = open_lab();
      double inertia, most = 0.0;
      scree_joint_def j = on(SCREE_JOINT_HINGE, rotor(&l, &inertia));
      const double k = pow(10.0, power);
      j.coordinate[0].motor = SCREE_MOTOR_POSITION;
      j.coordinate[0].motor_value = 1.0;
      j.coordinate[0].motor_stiffness = k;
      j.coordinate[0].motor_damping = damped ? 2.0 * sqrt(k * inertia) : 0.0;
      scree_joint_id id;
      ok(&l, scree_world_add_joint(l.world, &j, &id));
      for (int n = 0; n < 400; n++) {
        lab_run(&l, h, h);
        most = fmax(most, read_first(&l, id).position);
      }
      assert_true(most < 2.05);
      if (damped) assert_true(most < 1.1);
      if (damped && power >= 2) assert_near(read_first(&l, id).position, 1.0, 1e-3);
      if (power >= 6) assert_near(read_first(&l, id).position, 1.0, 1e-6);
      lab_close(&l);
    }
}

/* A motor with a limit against a stop gives exactly its limit, and the stop gives it back. */
static void test_motor_against_stop(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    lab l = open_lab();
    scree_joint_def j = on(SCREE_JOINT_HINGE, rotor(&l, NULL));
    j.coordinate[0].limits[1] = 0.3;
    j.coordinate[0].motor = kind == 0 ? SCREE_MOTOR_SPEED : SCREE_MOTOR_POSITION;
    j.coordinate[0].motor_value = 2.0;
    j.coordinate[0].motor_limit = 0.7;
    j.coordinate[0].motor_stiffness = kind == 2 ? 1e5 : 0.0;
    scree_joint_id id;
    ok(&l, scree_world_add_joint(l.world, &j, &id));
    lab_run(&l, h, 2.0);
    const scree_coordinate_state s = read_first(&l, id);
    assert_near(s.position, 0.3, 1e-9);
    assert_near(s.motor, 0.7, 1e-9);
    assert_near(s.limit, -0.7, 1e-6);
    assert_near(s.power, 0.0, 1e-6);
    lab_close(&l);
  }
}

/* A brake, a speed motor of 0, holds an arm against gravity up to its limit and slips beyond. */
static void test_brake(void **state) {
  (void)state;
  static const double part[] = {1.01, 0.9};
  for (int k = 0; k < 2; k++) {
    lab l = open_lab();
    const scree_body_id body = rotor(&l, NULL);
    scree_joint_def j = on(SCREE_JOINT_HINGE, body);
    j.anchor[0] = -0.2;
    j.axis[1] = 1.0;
    j.axis[2] = 0.0;
    j.coordinate[0].motor = SCREE_MOTOR_SPEED;
    j.coordinate[0].motor_limit = part[k] * 3.0 * earth * 0.2;
    scree_joint_id id;
    ok(&l, scree_world_add_joint(l.world, &j, &id));
    lab_run(&l, h, 2.0);
    if (k == 0) assert_near(read_first(&l, id).position, 0.0, 1e-9);
    if (k == 0) assert_near(read_first(&l, id).motor, -3.0 * earth * 0.2, 1e-6);
    if (k == 1) assert_true(read_first(&l, id).position > 0.1);
    lab_close(&l);
  }
}

/* A target that moves is followed exactly at the ends of steps. */
static void test_moving_target(void **state) {
  (void)state;
  lab l = open_lab();
  scree_joint_def j = on(SCREE_JOINT_HINGE, rotor(&l, NULL));
  j.coordinate[0].motor = SCREE_MOTOR_POSITION;
  scree_joint_id id;
  ok(&l, scree_world_add_joint(l.world, &j, &id));
  for (int n = 0; n < 400; n++) {
    const double t = n * h, now = sin(3.0 * t), next = sin(3.0 * (t + h));
    ok(&l, scree_joint_set_target(l.world, id, 0, now, (next - now) / h));
    lab_run(&l, h, h);
    assert_near(read_first(&l, id).position, next, 1e-9);
  }
  lab_close(&l);
}

/* A load on a fixed joint: it breaks when the load is above, and not before. */
static void test_break(void **state) {
  (void)state;
  lab l = open_lab();
  const scree_body_id body = rotor(&l, NULL);
  scree_joint_def j = on(SCREE_JOINT_FIXED, body);
  scree_joint_id id;
  scree_joint_state s;
  j.break_force = 50.0;
  ok(&l, scree_world_add_joint(l.world, &j, &id));
  lab_run(&l, h, 0.5);
  ok(&l, scree_joint_get_state(l.world, id, &s));
  assert_false(s.broken);
  assert_near(s.force[2], 3.0 * earth, 1e-6);
  ok(&l,
     scree_body_set_force(l.world, body, (const double[]){0, 0, -25.0}, (const double[]){0, 0, 0}));
  lab_run(&l, h, 0.5);
  ok(&l, scree_joint_get_state(l.world, id, &s));
  assert_true(s.broken);
  assert_true(lab_state(&l, body).position[2] < -1.0);
  lab_close(&l);
}

/* A rotor of inertia J at the joint: a torque T gives T / (I + J), and a spring swings with
 * sqrt(k / (I + J)). */
static void test_armature(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    lab l = open_lab();
    double inertia;
    const scree_body_id body = rotor(&l, &inertia);
    scree_joint_def j = on(SCREE_JOINT_HINGE, body);
    scree_coordinate_def *c = &j.coordinate[0];
    c->armature = 7.0 * inertia;
    if (k == 0) {
      c->motor = SCREE_MOTOR_TORQUE;
      c->motor_value = 0.5;
    } else {
      c->start = 0.2;
      c->stiffness = 8.0 * inertia * 9.869604401089358; /* pi rad/s */
    }
    scree_joint_id id;
    ok(&l, scree_world_add_joint(l.world, &j, &id));
    lab_run(&l, h, 1.0);
    const scree_coordinate_state s = read_first(&l, id);
    if (k == 0)
      assert_near(s.speed, 0.5 / (8.0 * inertia), 1e-9);
    else
      assert_near(s.position, -0.2, 1e-4);
    lab_close(&l);
  }
}

/* A wheel that hangs at its centre and turns by 3 rad in the first step: its joint holds to
 * rounding, which is no error that a step must be made in parts for, whatever weight it carries. */
static void test_wheel_at_centre(void **state) {
  (void)state;
  lab l = open_lab();
  double inertia;
  scree_joint_def j = on(SCREE_JOINT_HINGE, rotor(&l, &inertia));
  j.coordinate[0].motor = SCREE_MOTOR_POSITION;
  j.coordinate[0].motor_value = 3.0;
  j.coordinate[0].motor_stiffness = 1e4;
  scree_joint_id id;
  ok(&l, scree_world_add_joint(l.world, &j, &id));
  for (int n = 0; n < 20; n++) {
    const scree_step_info info = lab_run(&l, h, h);
    if (n == 0) assert_true(read_first(&l, id).position > 1.0);
    assert_int_equal(info.parts, 1);
    assert_true(info.joint_error < 1e-15);
  }
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits),
                                     cmocka_unit_test(test_restitution),
                                     cmocka_unit_test(test_friction),
                                     cmocka_unit_test(test_friction_of_reaction),
                                     cmocka_unit_test(test_spring),
                                     cmocka_unit_test(test_gains),
                                     cmocka_unit_test(test_motor_against_stop),
                                     cmocka_unit_test(test_brake),
                                     cmocka_unit_test(test_moving_target),
                                     cmocka_unit_test(test_break),
                                     cmocka_unit_test(test_armature),
                                     cmocka_unit_test(test_wheel_at_centre)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
