/* Steppers of smooth motion on jointed bodies: order in the step, measured against runs of the
 * fourth-order explicit one or closed forms; joints kept at places; energy. */
#include <stdio.h>

#include "tests/physics/physics.h"

static const scree_body_id ground = {0};

static scree_body_id bar(lab *l, const double center[3], const double axis[3], double length,
                         const double velocity[3], const double angular[3]) {
  scree_body_def d = scree_body_def_default();
  scree_shape *s;
  const double half[3] = {0.5 * length, 0.02, 0.03};
  ok(l, scree_shape_create_box(l->context, half, &s));
  /* Turns x to the axis. */
  const double c = 1.0 + axis[0], n = sqrt(c * c + axis[1] * axis[1] + axis[2] * axis[2]);
  d.rotation[0] = c / n;
  d.rotation[2] = -axis[2] / n;
  d.rotation[3] = axis[1] / n;
  memcpy(d.position, center, sizeof d.position);
  if (velocity) memcpy(d.velocity, velocity, sizeof d.velocity);
  if (angular) memcpy(d.angular, angular, sizeof d.angular);
  d.collides_with = 0;
  return lab_add(l, d, s);
}

static void join(lab *l, scree_joint_kind kind, scree_body_id a, scree_body_id b, double x,
                 double y, double z, int axis) {
  scree_joint_def j = scree_joint_def_default();
  j.kind = kind;
  j.body_a = a;
  j.body_b = b;
  j.anchor[0] = x, j.anchor[1] = y, j.anchor[2] = z;
  j.axis[0] = axis == 0, j.axis[1] = axis == 1, j.axis[2] = axis == 2;
  ok(l, scree_world_add_joint(l->world, &j, NULL));
}

/* ---- mechanisms ------------------------------------------------------------------------------ */

static scree_body_id pendulum(lab *l) {
  const scree_body_id a = bar(l, (double[]){0.5, 0, 0}, (double[]){1, 0, 0}, 1.0, NULL, NULL);
  join(l, SCREE_JOINT_HINGE, ground, a, 0, 0, 0, 1);
  return a;
}

static scree_body_id double_pendulum(lab *l) {
  const scree_body_id a = bar(l, (double[]){0.25, 0, 0}, (double[]){1, 0, 0}, 0.5, NULL, NULL);
  const scree_body_id b = bar(l, (double[]){0.5, 0.25, 0}, (double[]){0, 1, 0}, 0.5, NULL, NULL);
  join(l, SCREE_JOINT_BALL, ground, a, 0, 0, 0, 2);
  join(l, SCREE_JOINT_BALL, a, b, 0.5, 0, 0, 2);
  return b;
}

static scree_body_id heavy_top(lab *l) {
  const double tilt = 0.5, arm = 0.06, spin = 60.0;
  scree_body_def d = scree_body_def_default();
  scree_shape *s;
  ok(l, scree_shape_create_cylinder(l->context, 0.05, 0.01, &s));
  d.rotation[0] = cos(0.5 * tilt);
  d.rotation[2] = sin(0.5 * tilt);
  d.position[0] = arm * sin(tilt);
  d.position[2] = arm * cos(tilt);
  d.angular[0] = spin * sin(tilt);
  d.angular[2] = spin * cos(tilt);
  const scree_body_id id = lab_add(l, d, s);
  join(l, SCREE_JOINT_BALL, ground, id, 0, 0, 0, 2);
  return id;
}

/* In 3D its joints hold 3 * 5 + 5 rows on 18 unknowns: one degree of freedom and 3 rows too many.
 */
static scree_body_id slider_crank(lab *l) {
  const double r = 0.15, rod = 0.35, angle = 0.7;
  const double x = r * cos(angle), z = r * sin(angle), end = x + sqrt(rod * rod - z * z);
  const double spin = -4.0;
  const scree_body_id crank =
      bar(l, (double[]){0.5 * x, 0, 0.5 * z}, (double[]){cos(angle), 0, sin(angle)}, r, NULL,
          (double[]){0, spin, 0});
  const scree_body_id link = bar(l, (double[]){0.5 * (x + end), 0, 0.5 * z},
                                 (double[]){(end - x) / rod, 0, -z / rod}, rod, NULL, NULL);
  const scree_body_id slide = bar(l, (double[]){end, 0, 0}, (double[]){1, 0, 0}, 0.1, NULL, NULL);
  join(l, SCREE_JOINT_HINGE, ground, crank, 0, 0, 0, 1);
  join(l, SCREE_JOINT_HINGE, crank, link, x, 0, z, 1);
  join(l, SCREE_JOINT_HINGE, link, slide, end, 0, 0, 1);
  join(l, SCREE_JOINT_SLIDER, ground, slide, end, 0, 0, 0);
  return slide;
}

typedef scree_body_id mechanism(lab *l);

typedef struct run {
  double state[10]; /* place, rotation, velocity */
  double joint_error, energy, iterations;
} run;

static run simulate(mechanism *make, const char *stepper, const char *options, double time,
                    int steps) {
  lab l = lab_open(0.0, 0.0);
  run r = {.joint_error = 0.0};
  const scree_body_id id = make(&l);
  l.def.stepper = stepper;
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  char copy[128], *key = copy;
  snprintf(copy, sizeof copy, "%s", options);
  while (*key) {
    char *value = strchr(key, '='), *end = strchr(key, ' ');
    if (end) *end = 0;
    *value++ = 0;
    ok(&l, scree_stepper_set(l.stepper, key, value));
    key = end ? end + 1 : value + strlen(value);
  }
  double first = NAN;
  for (int k = 0; k < steps; k++) {
    scree_step_info info;
    ok(&l, scree_stepper_step(l.stepper, time / steps, &info));
    assert_true(info.converged);
    r.joint_error = fmax(r.joint_error, info.joint_error);
    r.iterations += (double)info.iterations / steps;
    const double e = info.energy.linear + info.energy.angular + info.energy.potential;
    if (k == 0) first = e;
    r.energy = fmax(r.energy, fabs(e - first));
  }
  scree_body_state s;
  ok(&l, scree_body_get_state(l.world, id, &s));
  memcpy(r.state, s.position, sizeof s.position);
  memcpy(r.state + 3, s.rotation, sizeof s.rotation);
  memcpy(r.state + 7, s.velocity, sizeof s.velocity);
  lab_close(&l);
  return r;
}

static double distance(const run *a, const run *b, int from, int to) {
  double sum = 0.0;
  for (int i = from; i < to; i++) sum += (a->state[i] - b->state[i]) * (a->state[i] - b->state[i]);
  return sqrt(sum);
}

static void check_order(mechanism *make, const char *stepper, const char *options, double time,
                        int steps, double order) {
  if (SANITIZED) {
    simulate(make, stepper, options, time / 4.0, steps / 4);
    return;
  }
  const run a = simulate(make, stepper, options, time, steps);
  const run b = simulate(make, stepper, options, time, 2 * steps);
  const run c = simulate(make, stepper, options, time, 4 * steps);
  const double place = log2(distance(&a, &b, 0, 3) / distance(&b, &c, 0, 3));
  const double speed = log2(distance(&a, &b, 7, 10) / distance(&b, &c, 7, 10));
  if (getenv("SHOW"))
    printf("%-14s order %.3f %.3f  joints %.1e  energy %.1e  iterations %.1f  diff %.1e\n", stepper,
           place, speed, c.joint_error, c.energy, c.iterations, distance(&b, &c, 0, 3));
  assert_near(place, order, 0.2);
  if (order > 1.0) assert_true(speed > order - 0.3);
}

static mechanism *const all[] = {pendulum, double_pendulum, heavy_top, slider_crank};
static const double times[] = {0.8, 0.6, 0.3, 0.5};
static const int counts[] = {80, 120, 150, 126};

static void test_order_two(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    check_order(all[k], "hht", "alpha=-0.3", times[k], 2 * counts[k], 2.0);
    check_order(all[k], "trapezoidal", "", times[k], counts[k], 2.0);
    check_order(all[k], "generalized-alpha", k % 2 ? "rho=0" : "", times[k], 2 * counts[k], 2.0);
    check_order(all[k], "newmark", "gamma=0.5 beta=0.25", times[k], counts[k], 2.0);
    check_order(all[k], "hht", "newton=modified linear_solver=minres", times[k], counts[k], 2.0);
  }
}

static void test_order_one(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    check_order(all[k], "newmark", "", times[k], 4 * counts[k], 1.0);
    check_order(all[k], "euler-implicit", "", times[k], 12 * counts[k], 1.0);
    check_order(all[k], "euler-linearized", "", times[k], 12 * counts[k], 1.0);
    check_order(all[k], "explicit", "", times[k], 12 * counts[k], 1.0);
  }
}

static void test_order_four(void **state) {
  (void)state;
  check_order(pendulum, "explicit", "method=rk4", 0.8, 40, 4.0);
  check_order(double_pendulum, "explicit", "method=rk4", 0.6, 150, 4.0);
  check_order(heavy_top, "explicit", "method=rk4", 0.3, 60, 4.0);
}

/* Methods that share nothing but forces and rows agree. */
static void test_agreement(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    const run fine = simulate(all[k], "explicit", "method=rk4", times[k], 400);
    const run rough = simulate(all[k], "trapezoidal", "", times[k], 1000);
    assert_true(distance(&fine, &rough, 0, 7) < 3e-5);
  }
}

/* A bar let go at the horizontal: at a quarter of its period, 4 sqrt(2 L/(3 g)) K(1/sqrt(2)), it
 * hangs, with the speed of all its fall. */
static void test_pendulum_period(void **state) {
  (void)state;
  const double elliptic = 1.8540746773013719, quarter = sqrt(2.0 / (3.0 * earth)) * elliptic;
  /* I = m (1/3 + thickness^2/12), about the hinge. */
  const double more = sqrt((1.0 / 3.0 + 0.06 * 0.06 / 12.0) * 3.0);
  const run r = simulate(pendulum, "explicit", "method=rk4", quarter * more, 200);
  assert_near(r.state[0], 0.0, 1e-9);
  assert_near(r.state[2], -0.5, 1e-9);
  const run t = simulate(pendulum, "hht", "alpha=0", quarter * more, 2000);
  assert_near(t.state[0], 0.0, 2e-6);
}

/* Joints stay at places over many steps, also where rows depend on each other. */
static void test_drift(void **state) {
  (void)state;
  const double part = SANITIZED ? 0.1 : 1.0;
  const int steps = SANITIZED ? 400 : 4000;
  const run a = simulate(double_pendulum, "hht", "", 20.0 * part, steps);
  const run b = simulate(slider_crank, "hht", "", 10.0 * part, steps);
  assert_true(a.joint_error < 1e-12);
  assert_true(b.joint_error < 1e-12);
}

/* The step is given, the error decides on its parts. */
static void test_error_control(void **state) {
  (void)state;
  const run fine = simulate(double_pendulum, "explicit", "method=rk4", 0.6, 400);
  double before = INFINITY;
  for (int k = 0; k < 3; k++) {
    char options[64];
    snprintf(options, sizeof options, "error=%g", pow(10.0, -5.0 - k));
    const run r = simulate(double_pendulum, "hht", options, 0.6, 6);
    const double error = distance(&fine, &r, 0, 3);
    assert_true(error < before / 2.0);
    before = error;
  }
  assert_true(before < 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_two),       cmocka_unit_test(test_order_one),
      cmocka_unit_test(test_order_four),      cmocka_unit_test(test_agreement),
      cmocka_unit_test(test_pendulum_period), cmocka_unit_test(test_drift),
      cmocka_unit_test(test_error_control),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
