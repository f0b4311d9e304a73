/* Mechanisms with published results.
 *
 * Simple pendulum (IFToMM library of benchmarks, A01): 1 kg at 1 m, let go at the horizontal, 10 s;
 * its energy is to stay within 5e-5 J.
 *
 * Andrews' squeezer (Schiehlen 1990; Hairer and Wanner, vol. II, VII.7; Test Set for IVP Solvers):
 * seven bodies in a plane, driven by a motor, angles after 0.03 s. Its hinges in space hold 50 rows
 * on 42 unknowns with one degree of freedom: nine rows depend on others. */
#include <stdio.h>

#include "tests/physics/physics.h"

static const scree_body_id ground = {0};

static void set(lab *l, const char *stepper, const char *key, const char *value) {
  l->def.stepper = stepper;
  ok(l, scree_stepper_create(l->world, &l->def, &l->stepper));
  if (key) ok(l, scree_stepper_set(l->stepper, key, value));
}

static scree_body_id body(lab *l, double x, double y, double mass, double inertia) {
  scree_body_def d = scree_body_def_default();
  scree_body_id id;
  d.position[0] = x, d.position[1] = y;
  d.mass = mass;
  d.inertia[0] = d.inertia[3] = d.inertia[5] = inertia;
  ok(l, scree_world_add_body(l->world, &d, &id));
  return id;
}

static void hinge(lab *l, scree_body_id a, scree_body_id b, double x, double y) {
  scree_joint_def j = scree_joint_def_default();
  j.kind = SCREE_JOINT_HINGE;
  j.body_a = a, j.body_b = b;
  j.anchor[0] = x, j.anchor[1] = y;
  ok(l, scree_world_add_joint(l->world, &j, NULL));
}

static void test_pendulum(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  const double down[3] = {0.0, -9.81, 0.0};
  ok(&l, scree_world_set_gravity(l.world, down));
  const scree_body_id id = body(&l, -1.0, 0.0, 1.0, 1e-6);
  hinge(&l, ground, id, 0.0, 0.0);
  set(&l, "hht", "alpha", "0");
  double worst = 0.0;
  for (int k = 0; k < 20000; k++) {
    scree_step_info info;
    ok(&l, scree_stepper_step(l.stepper, 5e-4, &info));
    assert_true(info.converged);
    worst = fmax(worst, fabs(info.energy.linear + info.energy.angular + info.energy.potential));
  }
  if (getenv("SHOW")) printf("pendulum: energy within %g J\n", worst);
  assert_true(worst < 5e-5);
  lab_close(&l);
}

/* ---- Andrews' squeezer ----------------------------------------------------------------------- */

static const double da = 115e-4, d = 28e-3, e = 2e-2, ea = 1421e-5, zf = 2e-2, fa = 1421e-5,
                    rr = 7e-3, ra = 92e-5, ss = 35e-3, sa = 1874e-5, sb = 1043e-5, sc = 18e-3,
                    sd = 2e-2, ta = 2308e-5, tb = 916e-5, u = 4e-2, ua = 1228e-5, ub = 449e-5,
                    zt = 4e-2, xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273,
                    xc = 0.014, yc = 0.072;

static void squeezer(lab *l, scree_body_id *k) {
  const double beta = -0.0617138900142764496, theta = 0.0, gamma = 0.455279819163070380,
               phi = 0.222668390165885884, delta = 0.487364979543842550,
               omega = -0.222668390165885884, eps = 1.23054744454982119;
  const double none[3] = {0.0, 0.0, 0.0}, torque[3] = {0.0, 0.0, 0.033};
  ok(l, scree_world_set_gravity(l->world, none));
  const double px = rr * cos(beta), py = rr * sin(beta);
  const double fx = px - d * cos(beta + theta), fy = py - d * sin(beta + theta);
  /* The start closes all loops. */
  assert_near(fx, ss * sin(gamma) + xb, 1e-15);
  assert_near(fy, -ss * cos(gamma) + yb, 1e-15);
  assert_near(fx, e * sin(phi + delta) + zt * cos(delta) + xa, 1e-15);
  assert_near(fy, -e * cos(phi + delta) + zt * sin(delta) + ya, 1e-15);
  assert_near(fx, zf * cos(omega + eps) + u * sin(eps) + xa, 1e-15);
  assert_near(fy, zf * sin(omega + eps) - u * cos(eps) + ya, 1e-15);
  k[0] = body(l, ra * cos(beta), ra * sin(beta), 0.04325, 2.194e-6);
  k[1] = body(l, px - da * cos(beta + theta), py - da * sin(beta + theta), 0.00365, 4.410e-7);
  k[2] = body(l, xb + sa * sin(gamma) + sb * cos(gamma), yb - sa * cos(gamma) + sb * sin(gamma),
              0.02373, 5.255e-6);
  k[3] = body(l, xa + zt * cos(delta) + (e - ea) * sin(phi + delta),
              ya + zt * sin(delta) - (e - ea) * cos(phi + delta), 0.00706, 5.667e-7);
  k[4] = body(l, xa + ta * cos(delta) - tb * sin(delta), ya + ta * sin(delta) + tb * cos(delta),
              0.07050, 1.169e-5);
  k[5] = body(l, xa + u * sin(eps) + (zf - fa) * cos(omega + eps),
              ya - u * cos(eps) + (zf - fa) * sin(omega + eps), 0.00706, 5.667e-7);
  k[6] = body(l, xa + ua * sin(eps) - ub * cos(eps), ya - ua * cos(eps) - ub * sin(eps), 0.05498,
              1.912e-5);
  hinge(l, ground, k[0], 0.0, 0.0);
  hinge(l, k[0], k[1], px, py);
  hinge(l, k[1], k[2], fx, fy);
  hinge(l, k[1], k[3], fx, fy);
  hinge(l, k[1], k[5], fx, fy);
  hinge(l, ground, k[2], xb, yb);
  hinge(l, k[3], k[4], xa + zt * cos(delta), ya + zt * sin(delta));
  hinge(l, ground, k[4], xa, ya);
  hinge(l, k[5], k[6], xa + u * sin(eps), ya - u * cos(eps));
  hinge(l, ground, k[6], xa, ya);
  ok(l, scree_body_set_force(l->world, k[0], none, torque));
  scree_link_def s = scree_link_def_default();
  s.body[1] = k[2];
  s.point[0][0] = xc, s.point[0][1] = yc;
  s.point[1][0] = xb + sd * cos(gamma) + sc * sin(gamma);
  s.point[1][1] = yb + sd * sin(gamma) - sc * cos(gamma);
  s.stiffness = 4530.0;
  s.rest = 0.07785;
  ok(l, scree_world_add_link(l->world, &s, NULL));
}

/* Turns of the bodies since the start, counted, rad. */
static void drive(const char *stepper, const char *key, const char *value, int steps,
                  double turn[7], double *joints) {
  lab l = lab_open(0.0, 0.0);
  scree_body_id k[7];
  double last[7] = {0.0};
  squeezer(&l, k);
  set(&l, stepper, key, value);
  for (int i = 0; i < 7; i++) turn[i] = 0.0;
  *joints = 0.0;
  for (int n = 0; n < steps; n++) {
    scree_step_info info;
    ok(&l, scree_stepper_step(l.stepper, 0.03 / steps, &info));
    assert_true(info.converged);
    *joints = fmax(*joints, info.joint_error);
    for (int i = 0; i < 7; i++) {
      scree_body_state s;
      ok(&l, scree_body_get_state(l.world, k[i], &s));
      const double now = 2.0 * atan2(s.rotation[3], s.rotation[0]);
      turn[i] += remainder(now - last[i], 2.0 * pi);
      last[i] = now;
    }
  }
  lab_close(&l);
}

static void test_squeezer(void **state) {
  (void)state;
  const double start[7] = {-0.0617138900142764496, 0.0,
                           0.455279819163070380,   0.222668390165885884,
                           0.487364979543842550,   -0.222668390165885884,
                           1.23054744454982119};
  const double end[7] = {15.81077119629904,   -15.75637105984298, 0.04082224013073101,
                         -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                         1.048080741042263};
  /* Of the bodies: beta, beta + theta, gamma, phi + delta, delta, omega + eps, eps. */
  const double exact[7] = {end[0] - start[0], end[0] + end[1] - start[0] - start[1],
                           end[2] - start[2], end[3] + end[4] - start[3] - start[4],
                           end[4] - start[4], end[5] + end[6] - start[5] - start[6],
                           end[6] - start[6]};
  double fine[7], rough[7], finer[7], joints;
  drive("explicit", "method", "rk4", 1500, fine, &joints);
  for (int i = 0; i < 7; i++) {
    if (getenv("SHOW")) printf("rk4 %d: %.9f of %.9f\n", i, fine[i], exact[i]);
    assert_near(fine[i], exact[i], 1e-5);
  }
  drive("hht", "alpha", "-0.05", 1500, rough, &joints);
  assert_true(joints < 1e-13);
  drive("hht", "alpha", "-0.05", 3000, finer, &joints);
  const double order = log2((rough[0] - exact[0]) / (finer[0] - exact[0]));
  if (getenv("SHOW")) printf("hht: error %g, order %g\n", finer[0] - exact[0], order);
  assert_near(order, 2.0, 0.3);
  for (int i = 0; i < 7; i++) assert_near((4.0 * finer[i] - rough[i]) / 3.0, exact[i], 2e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_squeezer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
