/* Order two in the step where nothing jolts: a body's place after a fixed time with h, h/2, h/4;
 * differences fall by a factor of four. The study bench/studies/order plots more of it. */
#include "tests/physics/physics.h"

static scree_body_id bar(lab *l, double x, double z, double length, double angle) {
  const double half[3] = {0.5 * length, 0.01, 0.01};
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  ok(l, scree_shape_create_box(l->context, half, &s));
  d.position[0] = x;
  d.position[2] = z;
  d.rotation[0] = cos(0.5 * angle);
  d.rotation[2] = sin(0.5 * angle);
  d.collides_with = 0;
  return lab_add(l, d, s);
}

static void join(lab *l, scree_joint_kind kind, scree_body_id a, scree_body_id b, double x,
                 double z) {
  scree_joint_def j = scree_joint_def_default();
  j.kind = kind;
  j.body_a = a;
  j.body_b = b;
  j.anchor[0] = x;
  j.anchor[2] = z;
  j.axis[0] = kind == SCREE_JOINT_SLIDER;
  j.axis[1] = kind == SCREE_JOINT_HINGE;
  j.axis[2] = kind == SCREE_JOINT_BALL;
  ok(l, scree_world_add_joint(l->world, &j, NULL));
}

static const scree_body_id ground = {0};

static scree_body_id double_pendulum(lab *l) {
  const scree_body_id a = bar(l, 0.25, 0.0, 0.5, 0.0), b = bar(l, 0.75, 0.0, 0.5, 0.0);
  join(l, SCREE_JOINT_HINGE, ground, a, 0.0, 0.0);
  join(l, SCREE_JOINT_HINGE, a, b, 0.5, 0.0);
  return b;
}

static scree_body_id heavy_top(lab *l) {
  const double tilt = 0.5, arm = 0.06, spin = 100.0;
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  ok(l, scree_shape_create_cylinder(l->context, 0.05, 0.01, &s));
  d.rotation[0] = cos(0.5 * tilt);
  d.rotation[2] = sin(0.5 * tilt);
  d.position[0] = arm * sin(tilt);
  d.position[2] = arm * cos(tilt);
  d.angular[0] = spin * sin(tilt);
  d.angular[2] = spin * cos(tilt);
  const scree_body_id id = lab_add(l, d, s);
  join(l, SCREE_JOINT_BALL, ground, id, 0.0, 0.0);
  return id;
}

static scree_body_id rolling_ellipsoid(lab *l) {
  const double r[3] = {0.1, 0.05, 0.05}, tilt = 0.2;
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  l->law.friction = 0.8;
  lab_add_floor(l);
  ok(l, scree_shape_create_ellipsoid(l->context, r, &s));
  d.rotation[0] = cos(0.5 * tilt);
  d.rotation[2] = sin(0.5 * tilt);
  d.position[2] = hypot(r[0] * sin(tilt), r[2] * cos(tilt));
  return lab_add(l, d, s);
}

static void push(lab *l, scree_body_id id, double vx, double spin) {
  scree_body_state s = lab_state(l, id);
  s.velocity[0] = vx;
  s.angular[1] = spin;
  ok(l, scree_body_set_state(l->world, id, &s));
}

static scree_body_id slider_crank(lab *l) {
  const double r = 0.1, length = 0.3, far = sqrt(length * length - r * r), spin = 3.0;
  const scree_body_id crank = bar(l, 0.0, 0.5 * r, r, 0.5 * pi);
  const scree_body_id rod = bar(l, 0.5 * far, 0.5 * r, length, asin(r / length));
  const scree_body_id piston = bar(l, far, 0.0, 0.06, 0.0);
  join(l, SCREE_JOINT_HINGE, ground, crank, 0.0, 0.0);
  join(l, SCREE_JOINT_HINGE, crank, rod, 0.0, r);
  join(l, SCREE_JOINT_HINGE, rod, piston, far, 0.0);
  join(l, SCREE_JOINT_SLIDER, ground, piston, 0.0, 0.0);
  push(l, crank, 0.5 * spin * r, spin);
  push(l, rod, spin * r, 0.0);
  push(l, piston, spin * r, 0.0);
  return piston;
}

static scree_body_id tumbling(lab *l) {
  scree_body_def d = scree_body_def_default();
  scree_body_id id;
  d.mass = 1.0;
  d.inertia[0] = 1.0;
  d.inertia[3] = 2.0;
  d.inertia[5] = 2.7;
  d.angular[0] = 0.3;
  d.angular[1] = 5.0;
  d.angular[2] = 0.4;
  ok(l, scree_world_add_body(l->world, &d, &id));
  return id;
}

typedef scree_body_id scene(lab *l);

static scree_body_state end_of(scene *make, double h, double seconds) {
  lab l = lab_open(0.0, 0.0);
  l.def.solver = "prox";
  l.def.tolerance_residual = 1e-8;
  l.def.iteration_limit = 100000;
  const scree_body_id id = make(&l);
  lab_run(&l, h, seconds);
  const scree_body_state s = lab_state(&l, id);
  lab_close(&l);
  return s;
}

static double apart(const scree_body_state *a, const scree_body_state *b) {
  double sum = 0.0;
  for (int k = 0; k < 3; k++) sum += pow(a->position[k] - b->position[k], 2);
  for (int k = 0; k < 4; k++) sum += pow(0.1 * (a->rotation[k] - b->rotation[k]), 2);
  return sqrt(sum);
}

static void check(scene *make, double h, double seconds) {
  const scree_body_state s[3] = {end_of(make, h, seconds), end_of(make, 0.5 * h, seconds),
                                 end_of(make, 0.25 * h, seconds)};
  const double order = log2(apart(&s[0], &s[1]) / apart(&s[1], &s[2]));
  if (!(order > 1.7 && order < 2.6)) fail_msg("the order is %.2f", order);
}

static void order_is_two(void **state) {
  (void)state;
  check(tumbling, 0.01, 1.6);
  check(double_pendulum, 0.0025, 0.8);
  check(heavy_top, 0.001, 0.4);
  check(rolling_ellipsoid, 0.004, 0.8);
  check(slider_crank, 0.002, 0.64);
}

/* With and without a push on the way: a force that is set acts from then on. */
static void falling_is_exact(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  const double h = 0.01, push_up[3] = {0.0, 0.0, 30.0}, none[3] = {0.0, 0.0, 0.0};
  const scree_body_id ball = lab_add_ball(&l, 0.1, 0.0, 1.0);
  scree_body_info info;
  ok(&l, scree_body_get_info(l.world, ball, &info));
  lab_run(&l, h, 0.5);
  ok(&l, scree_body_set_force(l.world, ball, push_up, none));
  lab_run(&l, h, 0.5);
  const scree_body_state s = lab_state(&l, ball);
  const double a = 30.0 / info.mass;
  assert_near(s.position[0], 1.0, 1e-12);
  assert_near(s.position[2], -0.5 * earth + 0.125 * a, 1e-12);
  assert_near(s.velocity[2], -earth + 0.5 * a, 1e-12);
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(order_is_two),
                                     cmocka_unit_test(falling_is_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
