/* Rolling where the place of touch moves over curved surfaces or triangles: in closed form, with
 * its order in the step, and the same on a floor of triangles as on a plane. */
#include "physics.h"

static lab lab_of(double friction, bool gravity) {
  lab l = lab_open(0.0, 0.0);
  const double none[3] = {0, 0, 0};
  if (!gravity) ok(&l, scree_world_set_gravity(l.world, none));
  l.law.friction = friction;
  return l;
}

/* A ball that rolls round in a tube goes up and down along it, with sqrt(2/7) of the rate with
 * which it goes round: the spin about the normal is turned by the wall. Largest distance from that,
 * m. */
static double off_in_tube(double h) {
  const double tube = 1.0, r = 0.1, v = 2.0, up = 0.5;
  const double rate = v / (tube - r) * sqrt(2.0 / 7.0);
  lab l = lab_of(20.0, false);
  scree_shape *wall, *ball;
  scree_body_def fixed = scree_body_def_default(), d = scree_body_def_default();
  fixed.kind = SCREE_BODY_FIXED;
  ok(&l, scree_shape_create_cylinder_container(l.context, tube, 5.0, 0, &wall));
  lab_add(&l, fixed, wall);
  ok(&l, scree_shape_create_sphere(l.context, r, &ball));
  d.position[0] = tube - r;
  d.velocity[1] = v;
  d.velocity[2] = up;
  d.angular[1] = up / r;
  d.angular[2] = -v / r;
  const scree_body_id id = lab_add(&l, d, ball);
  double off = 0.0;
  for (double t = 0.1; t < 10.05; t += 0.1) {
    lab_run(&l, h, 0.1);
    off = fmax(off, fabs(lab_state(&l, id).position[2] - up / rate * sin(rate * t)));
  }
  lab_close(&l);
  return off;
}

static void a_ball_in_a_tube_goes_up_and_down(void **state) {
  (void)state;
  const double coarse = off_in_tube(5e-3), fine = off_in_tube(2.5e-3);
  assert_near(coarse, 0.0, 5e-4);
  assert_near(log2(coarse / fine), 2.0, 0.1);
}

/* A ball that spins fast on the top of another one stays there and goes round slowly. */
static scree_body_state spin_on(bool ball_below, double h, double *taken) {
  const double below = 0.5, r = 0.1, tilt = 0.1, spin = 300.0;
  const double radii[3] = {below, below, below};
  lab l = lab_of(3.0, true);
  scree_shape *s;
  scree_body_def fixed = scree_body_def_default(), d = scree_body_def_default();
  fixed.kind = SCREE_BODY_FIXED;
  if (ball_below)
    ok(&l, scree_shape_create_sphere(l.context, below, &s));
  else
    ok(&l, scree_shape_create_ellipsoid(l.context, radii, &s));
  lab_add(&l, fixed, s);
  ok(&l, scree_shape_create_sphere(l.context, r, &s));
  d.position[0] = (below + r) * sin(tilt);
  d.position[2] = (below + r) * cos(tilt);
  d.angular[0] = spin * sin(tilt);
  d.angular[2] = spin * cos(tilt);
  const scree_body_id id = lab_add(&l, d, s);
  *taken = 0.0;
  lab_run(&l, h, 2.0);
  const scree_body_state x = lab_state(&l, id);
  double sum = 0.0;
  for (int k = 0; k < 3; k++) sum += x.angular[k] * x.angular[k];
  *taken = 1.0 - sum / (spin * spin);
  lab_close(&l);
  return x;
}

static void a_ball_spins_on_a_ball(void **state) {
  (void)state;
  double taken;
  const scree_body_state best = spin_on(false, 5e-4, &taken);
  const double where = hypot(best.position[0], best.position[1]);
  assert_near(where, 0.6 * sin(0.1), 1e-4);
  for (int ball = 0; ball < 2; ball++) {
    const scree_body_state x = spin_on(ball, 4e-3, &taken);
    for (int k = 0; k < 3; k++) assert_near(x.position[k], best.position[k], 2e-3 * where);
    assert_near(taken, 0.0, 1e-6);
  }
}

/* Triangles about a point beside the way: seams run across it. */
static void add_triangles(lab *l) {
  static const double p[15] = {-3, -2, 0, 4, -2, 0, 4, 3, 0, -3, 3, 0, 0.02, 0.01, 0};
  static const uint32_t t[12] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  ok(l, scree_shape_create_mesh(l->context, 5, p, 4, t, &s));
  lab_add(l, d, s);
}

/* A thin coin that leans by 0.3 rad and rolls round in a circle of 1 m, nearly steadily. */
static scree_body_state roll_coin(bool triangles, double h) {
  const double r = 0.2, half = 0.001, lean = 0.3, rate = 1.474, v = rate * (1.0 - r * sin(lean));
  lab l = lab_of(1.0, true);
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  if (triangles)
    add_triangles(&l);
  else
    lab_add_floor(&l);
  ok(&l, scree_shape_create_cylinder(l.context, r, half, &s));
  const double turn = 0.5 * pi - lean; /* of the axis from z towards x */
  d.rotation[0] = cos(0.5 * turn);
  d.rotation[2] = sin(0.5 * turn);
  d.position[0] = 1.0 - r * sin(lean);
  d.position[2] = r * cos(lean) + half * sin(lean);
  d.velocity[1] = v;
  d.angular[0] = -v / r * cos(lean) - rate * cos(lean) * sin(lean);
  d.angular[2] = -v / r * sin(lean) + rate * cos(lean) * cos(lean);
  const scree_body_id id = lab_add(&l, d, s);
  lab_run(&l, h, 8.0);
  const scree_body_state x = lab_state(&l, id);
  lab_close(&l);
  return x;
}

static void a_coin_rolls_on_triangles_as_on_a_plane(void **state) {
  (void)state;
  static const double step[2] = {2e-3, 8e-3};
  const scree_body_state fine = roll_coin(false, 5e-4);
  for (int m = 0; m < 2; m++) {
    const scree_body_state plane = roll_coin(false, step[m]), mesh = roll_coin(true, step[m]);
    for (int k = 0; k < 3; k++) {
      assert_near(mesh.position[k], plane.position[k], 1e-6);
      assert_near(plane.position[k], fine.position[k], 120.0 * step[m] * step[m]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_in_a_tube_goes_up_and_down),
      cmocka_unit_test(a_ball_spins_on_a_ball),
      cmocka_unit_test(a_coin_rolls_on_triangles_as_on_a_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
