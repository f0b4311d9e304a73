/* Sliding and rolling against closed forms: blocks and balls on an incline, sliding that becomes
 * rolling, resistance to rolling and spinning, and the order of convergence. */
#include "tests/physics/physics.h"

/* A block whose friction is just enough, or just not, in every direction of the slope. */
static void block_sticks_to_the_edge_of_its_cone(void **state) {
  (void)state;
  const double mu = 0.4;
  for (int k = 0; k < 7; k++) {
    lab l = lab_open(atan(mu * 0.9999), 0.9 * k);
    l.law.friction = mu;
    l.def.solver = "nncg";
    lab_add_floor(&l);
    const scree_body_id block = lab_add_box(&l, 0.4, 0.6, 0.1, 0.05);
    lab_run(&l, 0.005, 0.25);
    const scree_body_state s = lab_state(&l, block);
    assert_true(hypot(s.velocity[0], s.velocity[1]) < 1e-9);
    assert_true(hypot(s.position[0], s.position[1]) < 1e-9);
    lab_close(&l);
  }
}

static void block_slides_with_what_is_left(void **state) {
  (void)state;
  const double mu = 0.4;
  const double angles[3] = {atan(mu * 1.0001), 0.5, 1.1};
  for (int k = 0; k < 9; k++) {
    const double angle = angles[k % 3], azimuth = 0.7 * k;
    lab l = lab_open(angle, azimuth);
    l.law.friction = mu;
    l.def.solver = "nncg";
    lab_add_floor(&l);
    const scree_body_id block = lab_add_box(&l, 0.4, 0.6, 0.1, 0.05);
    lab_run(&l, 0.005, 0.25);
    const scree_body_state s = lab_state(&l, block);
    const double speed = 0.25 * earth * (sin(angle) - mu * cos(angle));
    assert_near(s.velocity[0], speed * cos(azimuth), 1e-7 + 1e-6 * speed);
    assert_near(s.velocity[1], speed * sin(azimuth), 1e-7 + 1e-6 * speed);
    assert_near(s.velocity[2], 0.0, 1e-7);
    lab_close(&l);
  }
}

static void sliding_ball_comes_to_roll(void **state) {
  (void)state;
  const double r = 0.1, v0 = 2.0, mu = 0.3, h = 0.001;
  lab l = lab_open(0.0, 0.0);
  l.law.friction = mu;
  lab_add_floor(&l);
  const scree_body_id ball = lab_add_ball(&l, r, r, v0);
  const double when = 2.0 * v0 / (7.0 * mu * earth);
  lab_run(&l, h, when - 10 * h);
  scree_body_state s = lab_state(&l, ball);
  assert_near(s.velocity[0], v0 - mu * earth * scree_world_time(l.world), 1e-8);
  lab_run(&l, h, 20 * h);
  s = lab_state(&l, ball);
  assert_near(s.velocity[0], 5.0 / 7.0 * v0, 1e-8);
  assert_near(s.angular[1], 5.0 / 7.0 * v0 / r, 1e-7);
  lab_close(&l);
}

static void ball_rolls_down_without_slip(void **state) {
  (void)state;
  const double mu = 0.2, angle = atan(3.4 * mu);
  lab l = lab_open(angle, 1.0);
  l.law.friction = mu;
  lab_add_floor(&l);
  const scree_body_id ball = lab_add_ball(&l, 0.1, 0.1, 0.0);
  lab_run(&l, 0.002, 0.5);
  scree_body_state s = lab_state(&l, ball);
  assert_near(hypot(s.velocity[0], s.velocity[1]), 0.5 * 5.0 / 7.0 * earth * sin(angle), 1e-7);
  lab_close(&l);
  /* A steeper slope: it slips, with full friction. */
  const double steep = atan(3.6 * mu);
  l = lab_open(steep, 1.0);
  l.law.friction = mu;
  lab_add_floor(&l);
  const scree_body_id other = lab_add_ball(&l, 0.1, 0.1, 0.0);
  lab_run(&l, 0.002, 0.5);
  s = lab_state(&l, other);
  assert_near(hypot(s.velocity[0], s.velocity[1]), 0.5 * earth * (sin(steep) - mu * cos(steep)),
              1e-7);
  lab_close(&l);
}

static void rolling_resistance_brakes(void **state) {
  (void)state;
  const double r = 0.1, v0 = 1.0, rho = 0.004;
  lab l = lab_open(0.0, 0.0);
  l.law.rolling = rho;
  lab_add_floor(&l);
  const scree_body_id ball = lab_add_ball(&l, r, r, v0);
  scree_body_state s = lab_state(&l, ball);
  s.angular[1] = v0 / r;
  ok(&l, scree_body_set_state(l.world, ball, &s));
  lab_run(&l, 0.002, 0.5);
  s = lab_state(&l, ball);
  assert_near(s.velocity[0], v0 - 0.5 * 5.0 / 7.0 * earth * rho / r, 1e-6);
  /* It stops, and stays. */
  lab_run(&l, 0.002, v0 / (5.0 / 7.0 * earth * rho / r));
  s = lab_state(&l, ball);
  assert_near(s.velocity[0], 0.0, 1e-8);
  assert_near(s.angular[1], 0.0, 1e-7);
  lab_close(&l);
}

static void spinning_resistance_stops_a_top(void **state) {
  (void)state;
  const double r = 0.1, w0 = 20.0, sigma = 0.003, h = 0.002;
  lab l = lab_open(0.0, 0.0);
  l.law.spinning = sigma;
  lab_add_floor(&l);
  const scree_body_id ball = lab_add_ball(&l, r, r, 0.0);
  scree_body_state s = lab_state(&l, ball);
  s.angular[2] = w0;
  ok(&l, scree_body_set_state(l.world, ball, &s));
  const double stop = 0.4 * r * r * w0 / (sigma * earth);
  lab_run(&l, h, 0.5 * stop);
  s = lab_state(&l, ball);
  assert_near(s.angular[2], w0 * (1.0 - scree_world_time(l.world) / stop), 1e-6);
  lab_run(&l, h, 0.5 * stop + 4 * h);
  s = lab_state(&l, ball);
  assert_near(s.angular[2], 0.0, 1e-8);
  lab_close(&l);
}

/* Where a ball is that slides and then rolls, by the closed form. */
static double slide_error(double h, double seconds) {
  const double r = 0.1, v0 = 2.0, mu = 0.3;
  lab l = lab_open(0.0, 0.0);
  l.law.friction = mu;
  lab_add_floor(&l);
  const scree_body_id ball = lab_add_ball(&l, r, r, v0);
  lab_run(&l, h, seconds);
  const double when = 2.0 * v0 / (7.0 * mu * earth), far = 12.0 * v0 * v0 / (49.0 * mu * earth);
  const double exact = seconds < when ? v0 * seconds - 0.5 * mu * earth * seconds * seconds
                                      : far + 5.0 / 7.0 * v0 * (seconds - when);
  const double error = fabs(lab_state(&l, ball).position[0] - exact);
  lab_close(&l);
  return error;
}

/* Sliding is exact. The moment when it ends lies within a step: order two on the whole. */
static void order_is_two_in_the_step(void **state) {
  (void)state;
  const double when[2] = {0.16, 0.64}; /* sliding still; rolling */
  assert_true(slide_error(0.008, when[0]) < 1e-9);
  assert_true(slide_error(0.008, when[1]) < 2e-4);
  assert_true(slide_error(0.002, when[1]) < 2e-4 / 16.0);
}

/* On a curved path the linearised gap is wrong by (v h)^2 / 2 (R - r): order two. */
static double worst_overlap(double h) {
  const double far = 1.0, r = 0.1;
  lab l = lab_open(0.0, 0.0);
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  l.law.friction = 0.0;
  d.kind = SCREE_BODY_FIXED;
  d.rotation[0] = d.rotation[1] = sqrt(0.5); /* its axis lies */
  ok(&l, scree_shape_create_cylinder_container(l.context, far, 2.0, SCREE_OPEN_NONE, &s));
  lab_add(&l, d, s);
  lab_add_ball(&l, r, -(far - r), 2.5);
  double worst = 0.0;
  for (double t = 0.0; t < 0.3; t += h) worst = fmax(worst, lab_run(&l, h, h).penetration);
  lab_close(&l);
  return worst;
}

static void infeasibility_is_of_order_two(void **state) {
  (void)state;
  const double coarse = worst_overlap(0.004), fine = worst_overlap(0.001);
  assert_near(coarse, 2.5 * 2.5 * 0.004 * 0.004 / (2.0 * 0.9), 0.3 * coarse);
  assert_true(coarse / fine > 12.0 && coarse / fine < 20.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(block_sticks_to_the_edge_of_its_cone),
      cmocka_unit_test(block_slides_with_what_is_left),
      cmocka_unit_test(sliding_ball_comes_to_roll),
      cmocka_unit_test(ball_rolls_down_without_slip),
      cmocka_unit_test(rolling_resistance_brakes),
      cmocka_unit_test(spinning_resistance_stops_a_top),
      cmocka_unit_test(order_is_two_in_the_step),
      cmocka_unit_test(infeasibility_is_of_order_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
