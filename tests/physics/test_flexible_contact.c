/* Hard contact with flexible parts: the nonsmooth stepper takes the strains of links as compliant
 * rows beside contacts with exact friction. */
#include "tests/physics/physics.h"

static const double length = 1.0, radius = 0.01, density = 1000.0;

/* n + 1 nodes along x from x = 0 at height z, as capsules. */
static void rod(lab *l, double young, double rayleigh, int n, double z, scree_body_id *node) {
  const double h = length / n, area = pi * radius * radius, inertia = 0.25 * area * radius * radius;
  for (int k = 0; k <= n; k++) {
    const double from = fmax(k - 0.5, 0.0) * h, to = fmin(k + 0.5, n) * h, part = to - from;
    scree_body_def d = scree_body_def_default();
    scree_shape *s;
    ok(l, scree_shape_create_capsule(l->context, radius, 0.5 * part, &s));
    d.position[0] = 0.5 * (from + to);
    d.position[2] = z;
    d.rotation[0] = d.rotation[2] = sqrt(0.5); /* z to x */
    d.mass = density * area * part;
    d.inertia[0] = d.inertia[3] = d.mass * part * part / 12.0 + density * inertia * part;
    d.inertia[5] = 2.0 * density * inertia * part;
    node[k] = lab_add(l, d, s);
  }
  for (int k = 0; k < n; k++) {
    scree_link_def d = scree_link_def_default();
    d.kind = SCREE_LINK_BEAM;
    d.body[0] = node[k], d.body[1] = node[k + 1];
    d.point[0][0] = k * h, d.point[1][0] = (k + 1) * h;
    d.point[0][2] = d.point[1][2] = z;
    d.young = young;
    d.shear = young / 2.6;
    d.area = area;
    d.inertia_y = d.inertia_z = inertia;
    d.torsion = 2.0 * inertia;
    d.rayleigh = rayleigh;
    ok(l, scree_world_add_link(l->world, &d, NULL));
  }
}

static void prepare(lab *l) {
  scree_material_id id = {0};
  ok(l, scree_world_set_material(l->world, id, &l->law));
  l->def.solver = NULL; /* auto */
  l->def.tolerance_residual = 1e-8;
  ok(l, scree_stepper_create(l->world, &l->def, &l->stepper));
}

static double residual_of(lab *l, double h, int steps) {
  double worst = 0.0;
  for (int k = 0; k < steps; k++) {
    scree_step_info info;
    ok(l, scree_stepper_step(l->stepper, h, &info));
    assert_true(info.converged);
    worst = fmax(worst, info.residual);
  }
  return worst;
}

/* On two balls below its ends: the middle sags by 5 w L^4 / (384 E I); each ball bears half. */
static void test_supports(void **state) {
  (void)state;
  enum { N = 12 };
  lab l = lab_open(0.0, 0.0);
  l.law.friction = 0.0;
  scree_body_id node[N + 1], ball[2];
  const double young = 2e8, inertia = 0.25 * pi * pow(radius, 4);
  rod(&l, young, 0.05, N, 0.0, node);
  for (int k = 0; k < 2; k++) {
    scree_body_def d = scree_body_def_default();
    scree_shape *s;
    d.kind = SCREE_BODY_FIXED;
    d.position[0] = k * length;
    d.position[2] = -0.02 - radius;
    ok(&l, scree_shape_create_sphere(l.context, 0.02, &s));
    ball[k] = lab_add(&l, d, s);
  }
  prepare(&l);
  assert_true(residual_of(&l, 0.005, 400) <= 1e-8);
  scree_body_state s;
  ok(&l, scree_body_get_state(l.world, node[N / 2], &s));
  const double weight = density * pi * radius * radius * earth;
  const double sag = 5.0 * weight / (384.0 * young * inertia);
  assert_near(s.position[2], -sag, 0.02 * sag);
  for (int k = 0; k < 2; k++) {
    double force[3], torque[3];
    ok(&l, scree_stepper_get_contact_force(l.stepper, ball[k], force, torque));
    assert_near(force[2], -0.5 * weight, 1e-3 * weight);
  }
  lab_close(&l);
}

/* A flexible rod on a slope, friction 0.3: it rests below the angle of friction, and beyond it
 * slides with g (sin - mu cos), as a rigid one. */
static void test_slope(void **state) {
  (void)state;
  enum { N = 8 };
  for (int steep = 0; steep < 2; steep++) {
    const double angle = steep ? 0.5 : 0.25, mu = 0.3, time = 0.5;
    lab l = lab_open(angle, 0.0);
    scree_body_id node[N + 1];
    l.law.friction = mu;
    lab_add_floor(&l);
    rod(&l, 1e7, 0.01, N, radius, node);
    prepare(&l);
    residual_of(&l, 0.005, 100);
    const double rate = steep ? earth * (sin(angle) - mu * cos(angle)) : 0.0;
    for (int k = 0; k <= N; k++) {
      scree_body_state s;
      ok(&l, scree_body_get_state(l.world, node[k], &s));
      assert_near(s.velocity[0], rate * time, 2e-3 * earth * time);
      assert_near(s.position[2], radius, 1e-5);
    }
    lab_close(&l);
  }
}

/* A stiff rod is a rigid one: dropped on one end it turns as a rod does, whose other end speeds up
 * to more than g; both as links of 1e11 Pa and as one body. */
static void test_rigid_limit(void **state) {
  (void)state;
  enum { N = 4 };
  double end[2];
  for (int rigid = 0; rigid < 2; rigid++) {
    lab l = lab_open(0.0, 0.0);
    scree_body_id node[N + 1], first, last;
    if (rigid) {
      scree_body_def d = scree_body_def_default();
      scree_shape *s;
      ok(&l, scree_shape_create_capsule(l.context, radius, 0.5 * length, &s));
      const double area = pi * radius * radius, mass = density * area * length;
      d.position[0] = 0.5 * length;
      d.rotation[0] = d.rotation[2] = sqrt(0.5);
      d.mass = mass;
      d.inertia[0] = d.inertia[3] = mass / 12.0 * (1.0 + 3.0 * radius * radius);
      d.inertia[5] = 0.5 * mass * radius * radius;
      first = last = lab_add(&l, d, s);
    } else {
      rod(&l, 1e11, 0.0, N, 0.0, node);
      first = node[0], last = node[N];
    }
    scree_joint_def j = scree_joint_def_default();
    j.kind = SCREE_JOINT_HINGE;
    j.body_b = first;
    j.axis[1] = 1.0, j.axis[2] = 0.0;
    ok(&l, scree_world_add_joint(l.world, &j, NULL));
    prepare(&l);
    residual_of(&l, 0.002, 100);
    scree_body_state s;
    ok(&l, scree_body_get_state(l.world, last, &s));
    end[rigid] = s.angular[1];
    lab_close(&l);
  }
  assert_near(end[0], end[1], 1e-3 * fabs(end[1]));
}

/* A cube of six tetrahedra whose nodes are balls, on a slope: nodes do not roll, so that it rests
 * below the angle of friction and slides with g (sin - mu cos) beyond it, as a box. */
static void test_block_on_slope(void **state) {
  (void)state;
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const double side = 0.1, ball = 0.01, mu = 0.3, time = 0.5;
  for (int steep = 0; steep < 2; steep++) {
    const double angle = steep ? 0.5 : 0.25;
    lab l = lab_open(angle, 0.0);
    scree_body_id node[8];
    l.law.friction = mu;
    lab_add_floor(&l);
    for (int k = 0; k < 8; k++) {
      scree_body_def d = scree_body_def_default();
      scree_shape *s;
      ok(&l, scree_shape_create_sphere(l.context, ball, &s));
      for (int i = 0; i < 3; i++) d.position[i] = k >> i & 1 ? side : 0.0;
      d.position[2] += ball;
      d.mass = 0.125;
      d.inertia[0] = d.inertia[3] = d.inertia[5] = 0.4 * d.mass * ball * ball;
      d.point = true;
      node[k] = lab_add(&l, d, s);
    }
    for (int t = 0; t < 6; t++) {
      scree_link_def d = scree_link_def_default();
      int at = 0;
      d.kind = SCREE_LINK_TETRAHEDRON;
      d.young = 1e6;
      d.poisson = 0.3;
      d.rayleigh = 0.005;
      d.body[0] = node[0];
      for (int i = 0; i < 3; i++) {
        at |= 1 << order[t][i];
        d.body[i + 1] = node[at];
      }
      ok(&l, scree_world_add_link(l.world, &d, NULL));
    }
    prepare(&l);
    residual_of(&l, 0.005, 100);
    const double rate = steep ? earth * (sin(angle) - mu * cos(angle)) : 0.0;
    for (int k = 0; k < 8; k++) {
      scree_body_state s;
      ok(&l, scree_body_get_state(l.world, node[k], &s));
      assert_near(s.velocity[0], rate * time, 2e-3 * earth * time);
      for (int i = 0; i < 3; i++) assert_true(s.angular[i] == 0.0);
      if (!(k & 4)) assert_near(s.position[2], ball, 1e-5);
    }
    lab_close(&l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_supports),
      cmocka_unit_test(test_slope),
      cmocka_unit_test(test_rigid_limit),
      cmocka_unit_test(test_block_on_slope),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
