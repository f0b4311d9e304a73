/* Friction that depends on what slides and how fast, against closed forms. */
#include "physics.h"

/* ---- stick and slip ------------------------------------------------------------------------- */

typedef struct spring {
  scree_world *world;
  scree_body_id body;
  double stiffness;
} spring;

static void pull(void *user, scree_world *world, double time, double h) {
  (void)time;
  (void)h;
  const spring *s = user;
  scree_body_state state;
  const double none[3] = {0, 0, 0};
  double force[3] = {0, 0, 0};
  if (scree_body_get_state(world, s->body, &state)) return;
  force[0] = -s->stiffness * state.position[0];
  scree_body_add_force(world, s->body, force, NULL, none);
}

/* A block on a belt of speed V, held by a spring: it sticks up to x_s = mu_s m g / k, slips back to
 * 2 x_k - x_s, and has the period 2 (x_s - x_k) / V + 2 / w (pi - atan((x_s - x_k) w / V)). */
static void a_block_sticks_and_slips(void **state) {
  (void)state;
  const double mu_s = 0.5, mu_k = 0.3, speed = 0.1, h = 5e-4;
  lab l = lab_open(0.0, 0.0);
  l.law.friction = mu_s;
  l.law.friction_kinetic = mu_k;
  l.law.surface_velocity[0] = speed;
  scree_material_id plain;
  scree_material_def block = l.law;
  block.surface_velocity[0] = 0.0;
  ok(&l, scree_world_add_material(l.world, &block, &plain));
  lab_add_floor(&l);
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  d.position[2] = 0.05;
  d.material = plain;
  d.mass = 1.0;
  ok(&l, scree_shape_create_box(l.context, (double[3]){0.2, 0.2, 0.05}, &s));
  spring held = {.stiffness = 60.0};
  held.body = lab_add(&l, d, s);
  scree_world_set_force_function(l.world, pull, &held);
  l.def.tolerance_residual = 1e-6;
  l.def.solver = "auto";
  const double w = sqrt(held.stiffness), top = mu_s * earth / held.stiffness;
  const double middle = mu_k * earth / held.stiffness;
  const double period =
      2.0 * (top - middle) / speed + 2.0 / w * (pi - atan((top - middle) * w / speed));
  double most = 0.0, least = 1.0, last = 0.0, peak = 0.0, before = 0.0;
  int turns = 0;
  for (double t = 0.0; t < 5.0; t += h) {
    lab_run(&l, h, h);
    const double x = lab_state(&l, held.body).position[0];
    if (turns) least = fmin(least, x);
    most = fmax(most, x);
    if (x < before && before > 0.95 * top && t - peak > 0.5 * period) {
      if (turns++) last = t - peak;
      peak = t;
    }
    before = x;
  }
  assert_true(turns >= 3);
  /* The way that is slipped begins at x_s with the belt's speed: v = V + ..., so it overshoots. */
  const double over = sqrt(pow(top - middle, 2) + pow(speed / w, 2));
  assert_near(most, middle + over, 0.01 * top);
  assert_near(least, middle - over, 0.02 * top);
  assert_near(last, period, 0.01 * period);
  lab_close(&l);
}

/* A block set down at rest on a slope between the two coefficients stays; pushed it slides on with
 * the kinetic one. */
static void what_slides_has_the_kinetic_coefficient(void **state) {
  (void)state;
  const double angle = atan(0.4);
  for (int k = 0; k < 2; k++) {
    lab l = lab_open(angle, 0.0);
    l.law.friction = 0.5;
    l.law.friction_kinetic = 0.3;
    l.def.tolerance_residual = 1e-6;
    l.def.solver = "auto";
    lab_add_floor(&l);
    const scree_body_id box = lab_add_box(&l, 0.2, 0.2, 0.1, 0.05);
    if (k) {
      scree_body_state s = lab_state(&l, box);
      s.velocity[0] = 0.1;
      ok(&l, scree_body_set_state(l.world, box, &s));
    }
    lab_run(&l, 1e-3, 1.0);
    const double v = lab_state(&l, box).velocity[0];
    if (k)
      assert_near(v, 0.1 + earth * (sin(angle) - 0.3 * cos(angle)), 1e-4);
    else
      assert_near(v, 0.0, 1e-6);
    lab_close(&l);
  }
}

/* A block on a plate that begins to shake from its turning point: it sticks while the plate's pull
 * stays below mu_s m g, whatever mu_k is, and slides beyond. */
static void what_begins_to_move_sticks(void **state) {
  (void)state;
  const double frequency = 1.0, mu_s = 0.5;
  for (int k = 0; k < 2; k++) {
    lab l = lab_open(0.0, 0.0);
    l.law.friction = mu_s;
    l.law.friction_kinetic = 0.3;
    l.def.tolerance_residual = 1e-8;
    l.def.solver = "auto";
    scree_motion_def m = scree_motion_def_default();
    scree_motion_id motion;
    scree_shape *s;
    m.kind = SCREE_MOTION_SINE;
    m.frequency = frequency;
    m.phase = 0.5 * pi;
    m.amplitude[0] = (k ? 1.02 : 0.98) * mu_s * earth / pow(2.0 * pi * frequency, 2);
    ok(&l, scree_world_add_motion(l.world, &m, &motion));
    scree_body_def d = scree_body_def_default();
    d.kind = SCREE_BODY_PRESCRIBED;
    d.motion = motion;
    ok(&l, scree_shape_create_half_space(l.context, &s));
    const scree_body_id plate = lab_add(&l, d, s);
    const scree_body_id box = lab_add_box(&l, 0.2, 0.2, 0.1, 0.05);
    double most = 0.0;
    for (int i = 0; i < 500; i++) {
      lab_run(&l, 2e-3, 2e-3);
      const double x = lab_state(&l, box).position[0] - lab_state(&l, plate).position[0];
      most = fmax(most, fabs(x));
    }
    if (k)
      assert_true(most > 1e-3);
    else
      assert_near(most, 0.0, 1e-9);
    lab_close(&l);
  }
}

/* The same without gravity: pressed on by a force beside its middle and drawn harder and harder. A
 * corner that bears little is on its cone at once, and sticks as the others hold it. */
static void what_is_drawn_sticks_without_gravity(void **state) {
  (void)state;
  const double press = 20.0, mu_s = 0.5, h = 2e-3;
  lab l = lab_open(0.0, 0.0);
  ok(&l, scree_world_set_gravity(l.world, (double[3]){0, 0, 0}));
  l.law.friction = mu_s;
  l.law.friction_kinetic = 0.3;
  l.def.tolerance_residual = 1e-6;
  l.def.solver = "auto";
  lab_add_floor(&l);
  const scree_body_id box = lab_add_box(&l, 0.2, 0.2, 0.1, 0.05);
  for (int i = 0; i < 500; i++) {
    const double load = 2e-3 * i * mu_s * press;
    ok(&l, scree_body_set_force(l.world, box, (double[3]){load, 0.0, -press},
                                (double[3]){0.0, 0.07 * press - load * 0.05, 0.0}));
    lab_run(&l, h, h);
  }
  assert_near(lab_state(&l, box).position[0], 0.0, 1e-7);
  const double mass = 1000.0 * 0.2 * 0.2 * 0.1, load = 1.01 * mu_s * press;
  ok(&l, scree_body_set_force(l.world, box, (double[3]){load, 0.0, -press},
                              (double[3]){0.0, 0.07 * press - load * 0.05, 0.0}));
  lab_run(&l, h, 1.0);
  const double v = lab_state(&l, box).velocity[0];
  assert_near(v / ((load - 0.3 * press) / mass), 1.0, 0.01);
  lab_close(&l);
}

/* ---- speed ---------------------------------------------------------------------------------- */

/* Sliding at a given speed on a belt: what the floor bears is mu(v) m g. */
static void mu_follows_stribeck(void **state) {
  (void)state;
  const double mu_s = 0.6, mu_k = 0.2, turn = 0.5, viscous = 0.05;
  for (int k = 1; k <= 4; k++) {
    const double speed = 0.3 * k;
    lab l = lab_open(0.0, 0.0);
    l.law.friction = mu_s;
    l.law.friction_kinetic = mu_k;
    l.law.stribeck_speed = turn;
    l.law.friction_viscous = viscous;
    const scree_body_id floor = lab_add_floor(&l);
    const scree_body_id box = lab_add_box(&l, 0.2, 0.2, 0.1, 0.05);
    scree_body_info info;
    ok(&l, scree_body_get_info(l.world, box, &info));
    scree_joint_def j = scree_joint_def_default();
    scree_joint_id id;
    j.kind = SCREE_JOINT_SLIDER;
    j.body_b = box;
    j.axis[0] = 1.0;
    j.axis[2] = 0.0;
    j.anchor[2] = 0.05;
    j.coordinate[0].motor = SCREE_MOTOR_SPEED;
    j.coordinate[0].motor_value = speed;
    /* The slider would bear the weight: it is left to the floor by a soft hold. */
    j.compliance = 1.0;
    ok(&l, scree_world_add_joint(l.world, &j, &id));
    l.def.solver = "auto";
    l.def.tolerance_residual = 1e-7;
    lab_run(&l, 1e-3, 0.05);
    double force[3], torque[3];
    ok(&l, scree_stepper_get_contact_force(l.stepper, floor, force, torque));
    const double x = speed / turn;
    const double mu = mu_k + (mu_s - mu_k) * exp(-x * x) + viscous * speed;
    assert_near(force[0] / -force[2], mu, 1e-3 * mu);
    lab_close(&l);
  }
}

/* ---- dilatancy ------------------------------------------------------------------------------ */

/* What slides parts with psi |u_T|, as far as a step looks ahead: at h psi v it neither rises nor
 * falls, and is braked by mu g. Below that it is thrown up with psi v. */
static void a_dilatant_block_floats(void **state) {
  (void)state;
  const double psi = 0.2, h = 1e-3;
  lab l = lab_open(0.0, 0.0);
  l.law.friction = 0.5;
  l.law.dilatancy = psi;
  l.def.solver = "auto";
  l.def.tolerance_residual = 1e-8;
  l.def.iteration_limit = 20000;
  lab_add_floor(&l);
  const scree_body_id ball = lab_add_ball(&l, 0.05, 0.05 + h * psi * 2.0, 0.0);
  scree_body_state s = lab_state(&l, ball);
  s.velocity[0] = 2.0;
  ok(&l, scree_body_set_state(l.world, ball, &s));
  lab_run(&l, h, 0.05);
  s = lab_state(&l, ball);
  const double slip = s.velocity[0] - 0.05 * s.angular[1];
  assert_near(s.velocity[0], 2.0 - 0.5 * earth * 0.05, 2e-3);
  assert_near(s.position[2] - 0.05, h * psi * slip, 0.02 * h * psi * slip);
  lab_close(&l);
}

/* ---- direction of sliding ------------------------------------------------------------------- */

/* Friction with two axes, pushed at 45 degrees: with the flow (mu/mu2)^2 the force is against the
 * motion, so that the way is straight; braked by mu_e g, 1/mu_e^2 = (cos/mu)^2 + (sin/mu2)^2. Along
 * the normal of the ellipse, the default, it turns. */
static void what_slides_against_its_friction(void **state) {
  (void)state;
  const double mu = 0.6, mu2 = 0.2, c = sqrt(0.5);
  const double mu_e = 1.0 / hypot(c / mu, c / mu2);
  for (int k = 0; k < 2; k++) {
    lab l = lab_open(0.0, 0.0);
    l.law.friction = mu;
    l.law.friction_across = mu2;
    l.law.direction[0] = 1.0;
    l.law.flow_across = k ? mu * mu / (mu2 * mu2) : 0.0;
    l.def.solver = "auto";
    l.def.tolerance_residual = 1e-7;
    l.def.iteration_limit = 20000;
    lab_add_floor(&l);
    const scree_body_id ball = lab_add_ball(&l, 0.05, 0.05, 0.0);
    scree_body_state s = lab_state(&l, ball);
    s.velocity[0] = s.velocity[1] = 3.0 * c;
    ok(&l, scree_body_set_state(l.world, ball, &s));
    /* A ball's spin would change the slip: only the first moment is looked at. */
    lab_run(&l, 1e-4, 1e-4);
    const double dx = (lab_state(&l, ball).velocity[0] - 3.0 * c) / 1e-4;
    const double dy = (lab_state(&l, ball).velocity[1] - 3.0 * c) / 1e-4;
    const double normal = hypot(mu * c, mu2 * c); /* of the ellipse: A^2 u / |A u| */
    assert_near(dx, -earth * (k ? mu_e * c : mu * mu * c / normal), 1e-3 * earth);
    assert_near(dy, -earth * (k ? mu_e * c : mu2 * mu2 * c / normal), 1e-3 * earth);
    lab_close(&l);
  }
}

/* ---- restitution ---------------------------------------------------------------------------- */

/* Five balls in a row: one after the other, or all at once. */
static void rows_of_balls(void **state) {
  (void)state;
  const double wanted[2][5] = {{0, 0, 0, 0, 1}, {-0.6, 0.4, 0.4, 0.4, 0.4}};
  for (int law = 0; law < 2; law++) {
    lab l = lab_open(0.0, 0.0);
    const double none[3] = {0, 0, 0};
    scree_body_id ball[5];
    ok(&l, scree_world_set_gravity(l.world, none));
    l.law.friction = 0.0;
    l.law.restitution = 1.0;
    l.law.restitution_law = law ? SCREE_RESTITUTION_NEWTON : SCREE_RESTITUTION_POISSON;
    for (int i = 0; i < 5; i++) {
      scree_shape *s;
      scree_body_def d = scree_body_def_default();
      d.position[0] = 0.1 * i - (i ? 0.0 : 0.01);
      d.velocity[0] = i ? 0.0 : 1.0;
      ok(&l, scree_shape_create_sphere(l.context, 0.05, &s));
      ball[i] = lab_add(&l, d, s);
    }
    lab_run(&l, 1e-3, 0.05);
    for (int i = 0; i < 5; i++)
      assert_near(lab_state(&l, ball[i]).velocity[0], wanted[law][i], 1e-9);
    lab_close(&l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_sticks_and_slips),
      cmocka_unit_test(what_slides_has_the_kinetic_coefficient),
      cmocka_unit_test(what_begins_to_move_sticks),
      cmocka_unit_test(what_is_drawn_sticks_without_gravity),
      cmocka_unit_test(mu_follows_stribeck),
      cmocka_unit_test(a_dilatant_block_floats),
      cmocka_unit_test(what_slides_against_its_friction),
      cmocka_unit_test(rows_of_balls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
