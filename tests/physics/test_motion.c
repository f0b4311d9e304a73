/* Free flight and spin, impacts, stacks, springs and joints against closed forms. */
#include "tests/physics/physics.h"

static scree_body_id add_top(lab *l, const double *inertia, const double *angular) {
  scree_body_def d = scree_body_def_default();
  scree_body_id id;
  d.mass = 2.0;
  d.inertia[0] = inertia[0];
  d.inertia[3] = inertia[1];
  d.inertia[5] = inertia[2];
  memcpy(d.angular, angular, sizeof d.angular);
  d.velocity[0] = 3.0;
  d.velocity[2] = 4.0;
  ok(l, scree_world_add_body(l->world, &d, &id));
  return id;
}

/* Angular momentum in the world frame, of a body with principal axes along its frame. */
static void momentum(const scree_body_state *s, const double *inertia, double *out) {
  const double w = s->rotation[0], x = s->rotation[1], y = s->rotation[2], z = s->rotation[3];
  const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  for (int i = 0; i < 3; i++) {
    out[i] = 0.0;
    for (int k = 0; k < 3; k++) {
      double body = 0.0;
      for (int j = 0; j < 3; j++) body += r[j][k] * s->angular[j];
      out[i] += r[i][k] * inertia[k] * body;
    }
  }
}

static void flight_and_spin(void **state) {
  (void)state;
  const double inertia[3] = {1.0, 2.0, 2.7};
  /* About the middle axis: it tumbles; and fast enough to turn by 2.5 rad a step. */
  const double spins[2][3] = {{0.01, 10.0, 0.02}, {0.1, 500.0, 3.0}};
  for (int k = 0; k < 2; k++) {
    lab l = lab_open(0.0, 0.0);
    const double h = 0.005;
    const scree_body_id top = add_top(&l, inertia, spins[k]);
    scree_body_state s = lab_state(&l, top);
    double before[3], after[3];
    momentum(&s, inertia, before);
    const double energy = scree_world_get_energy(l.world).angular;
    double worst = 0.0, turned = 1.0;
    for (int i = 0; i < 400; i++) {
      lab_run(&l, h, 5 * h);
      s = lab_state(&l, top);
      momentum(&s, inertia, after);
      for (int j = 0; j < 3; j++) worst = fmax(worst, fabs(after[j] - before[j]) / fabs(before[1]));
      assert_near(scree_world_get_energy(l.world).angular, energy, 0.01 * energy);
      const double axis_y = 1 - 2 * (s.rotation[1] * s.rotation[1] + s.rotation[3] * s.rotation[3]);
      turned = fmin(turned, axis_y);
    }
    assert_true(worst < 1e-10);
    if (k == 0) assert_true(turned < -0.9);
    const double t = scree_world_time(l.world);
    assert_near(s.position[0], 3.0 * t, 1e-9);
    assert_near(s.velocity[2], 4.0 - earth * t, 1e-9);
    assert_near(s.position[2], 4.0 * t - 0.5 * earth * t * t, 1e-8);
    lab_close(&l);
  }
}

/* Rest at t1 (1 + e) / (1 - e): when the bounces have died, as the step goes to zero. */
static double time_of_rest(double h, double e) {
  lab l = lab_open(0.0, 0.0);
  l.law.restitution = e;
  lab_add_floor(&l);
  const scree_body_id ball = lab_add_ball(&l, 0.1, 0.6, 0.0);
  double rest = 0.0;
  for (int i = 0; (double)i * h < 2.0; i++) {
    lab_run(&l, h, h);
    const scree_body_state s = lab_state(&l, ball);
    if (fabs(s.velocity[2]) > 1e-6) rest = scree_world_time(l.world);
  }
  assert_near(lab_state(&l, ball).position[2], 0.1, 1e-3);
  lab_close(&l);
  return rest;
}

static void bouncing_ball_comes_to_rest(void **state) {
  (void)state;
  const double t1 = sqrt(2.0 * 0.5 / earth);
  for (int k = 0; k < 2; k++) {
    const double e = k ? 0.7 : 0.5, exact = t1 * (1.0 + e) / (1.0 - e);
    assert_near(time_of_rest(0.002, e), exact, 0.08 * exact);
    assert_near(time_of_rest(0.0002, e), exact, 0.01 * exact);
  }
}

/* It rises to e^2 of the height that it fell from. Speeds are known to g h/2 only: they are those
 * of the middle of a step. */
static void first_bounce_has_the_right_speed(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  l.law.restitution = 0.8;
  lab_add_floor(&l);
  const scree_body_id ball = lab_add_ball(&l, 0.1, 0.6, 0.0);
  double down = 0.0, up = 0.0, top = 0.0;
  for (int i = 0; i < 1400; i++) {
    lab_run(&l, 0.0005, 0.0005);
    const scree_body_state s = lab_state(&l, ball);
    if (up == 0.0 && s.velocity[2] < 0.0) down = s.velocity[2];
    if (up == 0.0 && s.velocity[2] > 0.0) up = s.velocity[2];
    if (up > 0.0) top = fmax(top, s.position[2] - 0.1);
  }
  assert_near(up, -0.8 * down, earth * 0.0005);
  assert_near(top, 0.64 * 0.5, 1e-4);
  lab_close(&l);
}

static void stack_presses_with_its_weight(void **state) {
  (void)state;
  enum { COUNT = 10 };
  lab l = lab_open(0.0, 0.0);
  scree_body_id box[COUNT], floor = lab_add_floor(&l);
  scree_body_info info;
  l.def.solver = "fpp";
  l.def.tolerance_residual = 1e-6;
  l.def.iteration_limit = 20000;
  for (int i = 0; i < COUNT; i++) box[i] = lab_add_box(&l, 0.2, 0.2, 0.2, 0.1 + 0.2 * i);
  lab_run(&l, 0.005, 10.0);
  double force[3], torque[3];
  ok(&l, scree_stepper_get_contact_force(l.stepper, floor, force, torque));
  ok(&l, scree_body_get_info(l.world, box[0], &info));
  assert_near(force[2], -COUNT * info.mass * earth, 1e-4 * COUNT * info.mass * earth);
  for (int i = 0; i < COUNT; i++) {
    const scree_body_state s = lab_state(&l, box[i]);
    assert_true(hypot(s.position[0], s.position[1]) < 2e-4);
    assert_near(s.position[2], 0.1 + 0.2 * i, 2e-4);
  }
  lab_close(&l);
}

static void spring_sags_and_slip_is_carried(void **state) {
  (void)state;
  const double angle = 0.1, c = 1e-6, ct = 3e-6; /* two of each in series */
  lab l = lab_open(angle, 0.0);
  l.law.compliance = c;
  l.law.compliance_tangent = ct;
  l.law.damping = 0.01;
  lab_add_floor(&l);
  /* A ball that cannot roll: held by resistance. */
  l.law.rolling = 0.5;
  const scree_body_id ball = lab_add_ball(&l, 0.1, 0.1, 0.0);
  scree_body_info info;
  lab_run(&l, 0.002, 2.0);
  ok(&l, scree_body_get_info(l.world, ball, &info));
  const scree_body_state s = lab_state(&l, ball);
  const double weight = info.mass * earth;
  assert_near(s.position[2], 0.1 - 2.0 * c * weight * cos(angle), 1e-3 * c * weight);
  assert_near(s.position[0], 2.0 * ct * weight * sin(angle), 1e-2 * ct * weight);
  assert_near(s.velocity[0], 0.0, 1e-9);
  lab_close(&l);
}

static void cohesion_holds_a_ball_up(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    /* Upside down: gravity pulls away from the floor. */
    lab l = lab_open(pi, 0.0);
    scree_body_info info;
    lab_add_floor(&l);
    const scree_body_id ball = lab_add_ball(&l, 0.1, 0.1, 0.0);
    ok(&l, scree_body_get_info(l.world, ball, &info));
    l.law.cohesion = (k ? 1.1 : 0.9) * info.mass * earth;
    lab_run(&l, 0.005, 0.5);
    const double z = lab_state(&l, ball).position[2];
    if (k)
      assert_near(z, 0.1, 1e-9);
    else
      assert_true(z > 0.5);
    lab_close(&l);
  }
}

/* A box hangs by four points, and by no more than its material says. */
static void cohesion_of_a_box_is_shared_by_its_points(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    lab l = lab_open(pi, 0.0);
    scree_body_info info;
    scree_body_def d = scree_body_def_default();
    scree_shape *s;
    ok(&l, scree_shape_create_box(l.context, (double[3]){0.1, 0.15, 0.05}, &s));
    d.position[2] = 0.05;
    lab_add_floor(&l);
    const scree_body_id box = lab_add(&l, d, s);
    ok(&l, scree_body_get_info(l.world, box, &info));
    l.law.cohesion = (k ? 1.05 : 0.95) * info.mass * earth;
    lab_run(&l, 0.005, 0.5);
    const double z = lab_state(&l, box).position[2];
    if (k)
      assert_near(z, 0.05, 1e-9);
    else
      assert_true(z > 0.5);
    lab_close(&l);
  }
}

/* Small swings of a bob on a ball joint: the period, and the joint's drift. */
static void pendulum_swings(void **state) {
  (void)state;
  for (int kind = SCREE_JOINT_BALL; kind <= SCREE_JOINT_HINGE; kind++) {
    lab l = lab_open(0.0, 0.0);
    const double length = 1.0, r = 0.05, theta = 0.1;
    scree_body_def d = scree_body_def_default();
    scree_shape *s;
    ok(&l, scree_shape_create_sphere(l.context, r, &s));
    d.position[0] = length * sin(theta);
    d.position[2] = -length * cos(theta);
    scree_joint_def j = scree_joint_def_default();
    scree_joint_id joint;
    scree_joint_state js;
    j.kind = (scree_joint_kind)kind;
    j.body_b = lab_add(&l, d, s);
    j.axis[1] = 1.0;
    j.axis[2] = 0.0;
    ok(&l, scree_world_add_joint(l.world, &j, &joint));
    const double h = 0.001;
    double last = d.position[0], crossing[4] = {0};
    int count = 0;
    for (int i = 0; i < 4000 && count < 4; i++) {
      lab_run(&l, h, h);
      const double x = lab_state(&l, j.body_b).position[0];
      if (x * last < 0.0) crossing[count++] = scree_world_time(l.world) - h * x / (x - last);
      last = x;
      ok(&l, scree_joint_get_state(l.world, joint, &js));
      assert_true(js.error < 1e-5);
    }
    const double inertia = length * length + 0.4 * r * r;
    const double period =
        2.0 * pi * sqrt(inertia / (earth * length)) * (1.0 + theta * theta / 16.0);
    assert_near(crossing[3] - crossing[1], period, 1e-3 * period);
    lab_close(&l);
  }
}

static void motor_turns_a_hinge(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  const scree_body_id arm = lab_add_box(&l, 1.0, 0.1, 0.1, 0.0);
  scree_joint_def j = scree_joint_def_default();
  scree_joint_id joint;
  scree_joint_state s;
  scree_body_info info;
  j.kind = SCREE_JOINT_HINGE;
  j.body_b = arm;
  j.coordinate[0].motor = SCREE_MOTOR_SPEED;
  j.coordinate[0].motor_value = 3.0;
  j.coordinate[0].motor_limit = 5.0;
  ok(&l, scree_world_add_joint(l.world, &j, &joint));
  ok(&l, scree_body_get_info(l.world, arm, &info));
  const double inertia = info.mass * (1.0 + 0.01) / 12.0;
  lab_run(&l, 0.001, 0.1);
  ok(&l, scree_joint_get_state(l.world, joint, &s));
  assert_near(s.speed, 0.1 * 5.0 / inertia, 1e-6);
  assert_near(s.motor, 5.0, 1e-9);
  lab_run(&l, 0.001, 10.0 * inertia / 5.0);
  ok(&l, scree_joint_get_state(l.world, joint, &s));
  assert_near(s.speed, 3.0, 1e-9);
  assert_near(s.motor, 0.0, 1e-6);
  assert_near(s.force[2], info.mass * earth, 1e-6 * info.mass * earth);
  ok(&l, scree_joint_set_motor(l.world, joint, SCREE_MOTOR_TORQUE, -2.0, INFINITY));
  lab_run(&l, 0.001, 0.1);
  ok(&l, scree_joint_get_state(l.world, joint, &s));
  assert_near(s.speed, 3.0 - 0.1 * 2.0 / inertia, 1e-6);
  lab_close(&l);
}

static void slider_slides_and_fixed_holds(void **state) {
  (void)state;
  const double angle = 0.3;
  lab l = lab_open(angle, 0.0);
  const scree_body_id block = lab_add_box(&l, 0.2, 0.2, 0.2, 0.0),
                      rider = lab_add_box(&l, 0.2, 0.2, 0.2, 0.5);
  scree_joint_def j = scree_joint_def_default();
  scree_joint_id slider, fixed;
  scree_joint_state s;
  j.kind = SCREE_JOINT_SLIDER;
  j.body_b = block;
  j.axis[0] = 1.0;
  j.axis[2] = 0.0;
  ok(&l, scree_world_add_joint(l.world, &j, &slider));
  j.kind = SCREE_JOINT_FIXED;
  j.body_a = block;
  j.body_b = rider;
  ok(&l, scree_world_add_joint(l.world, &j, &fixed));
  lab_run(&l, 0.002, 0.5);
  ok(&l, scree_joint_get_state(l.world, slider, &s));
  assert_near(s.speed, 0.5 * earth * sin(angle), 1e-6);
  assert_near(s.position, 0.5 * earth * sin(angle) * 0.5 * 0.5, 1e-6);
  assert_true(s.error < 1e-8 && s.angle_error < 1e-8);
  ok(&l, scree_joint_get_state(l.world, fixed, &s));
  assert_true(s.error < 1e-8 && s.angle_error < 1e-8);
  assert_near(lab_state(&l, rider).velocity[0], 0.5 * earth * sin(angle), 1e-6);
  lab_close(&l);
}

/* A plate that shakes carries a ball that keeps touch while the plate's pull stays below gravity.
 */
static void ball_follows_a_moving_floor(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  scree_motion_def m = scree_motion_def_default();
  scree_motion_id motion;
  scree_shape *s;
  const double f = 2.0, a = 0.8 * earth / (4.0 * pi * pi * f * f), h = 0.001;
  m.kind = SCREE_MOTION_SINE;
  m.amplitude[2] = a;
  m.frequency = f;
  ok(&l, scree_world_add_motion(l.world, &m, &motion));
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_PRESCRIBED;
  d.motion = motion;
  ok(&l, scree_shape_create_half_space(l.context, &s));
  lab_add(&l, d, s);
  const scree_body_id ball = lab_add_ball(&l, 0.1, 0.1, 0.0);
  for (int i = 0; i < 1000; i++) {
    lab_run(&l, h, h);
    const double z = a * sin(2.0 * pi * f * scree_world_time(l.world));
    assert_near(lab_state(&l, ball).position[2], 0.1 + z, 2e-4);
  }
  lab_close(&l);
}

/* Two plates that nothing can stop close on a ball: no velocities satisfy that. It is said, and the
 * ball stays where numbers are finite. */
static void squeeze_a_ball(scree_on_nonconverged policy) {
  lab l = lab_open(0.0, 0.0);
  l.law.friction = 0.3;
  l.def = scree_stepper_def_default();
  l.def.iteration_limit = 2000;
  l.def.on_nonconverged = policy;
  for (int k = 0; k < 2; k++) {
    scree_shape *s;
    scree_body_def d = scree_body_def_default();
    d.kind = SCREE_BODY_PRESCRIBED;
    d.rotation[0] = k ? 0.0 : 1.0;
    d.rotation[1] = k ? 1.0 : 0.0;
    d.position[2] = k ? 0.2 : 0.0;
    d.velocity[2] = k ? -0.1 : 0.1;
    ok(&l, scree_shape_create_half_space(l.context, &s));
    lab_add(&l, d, s);
  }
  const scree_body_id ball = lab_add_ball(&l, 0.1, 0.1, 0.0);
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  scree_step_info info;
  for (int i = 0; i < 5; i++) {
    ok(&l, scree_stepper_step(l.stepper, 0.005, &info));
    assert_false(info.converged);
    assert_int_equal(info.outcome, SCREE_OUTCOME_INFEASIBLE);
    assert_int_equal(info.solves, 1);
    assert_true(info.advanced);
  }
  assert_true(fabs(lab_state(&l, ball).position[2] - 0.1) < 0.01);
  lab_close(&l);
}

/* What is proven to have no solution is not tried again. */
static void squeezed_ball_is_reported(void **state) {
  (void)state;
  squeeze_a_ball(SCREE_ON_NONCONVERGED_CONTINUE);
  squeeze_a_ball(SCREE_ON_NONCONVERGED_RETRY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flight_and_spin),
      cmocka_unit_test(bouncing_ball_comes_to_rest),
      cmocka_unit_test(first_bounce_has_the_right_speed),
      cmocka_unit_test(stack_presses_with_its_weight),
      cmocka_unit_test(spring_sags_and_slip_is_carried),
      cmocka_unit_test(cohesion_holds_a_ball_up),
      cmocka_unit_test(cohesion_of_a_box_is_shared_by_its_points),
      cmocka_unit_test(pendulum_swings),
      cmocka_unit_test(motor_turns_a_hinge),
      cmocka_unit_test(slider_slides_and_fixed_holds),
      cmocka_unit_test(ball_follows_a_moving_floor),
      cmocka_unit_test(squeezed_ball_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
