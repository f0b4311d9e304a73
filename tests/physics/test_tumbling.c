/* What turns far in a step does not run into what it meets: contacts that are linear in the
 * velocities would leave overlaps of h^2 w^2 r / 2 and, of solids whose features turn into touch,
 * of h w r. None may be deeper than a hundredth of the smaller body. */
#include "tests/physics/physics.h"

static lab open_lab(void) {
  lab l = lab_open(0.0, 0.0);
  l.def.solver = NULL;
  l.def.tolerance_residual = 1e-6;
  return l;
}

static void without_gravity(lab *l) {
  const double none[3] = {0, 0, 0};
  ok(l, scree_world_set_gravity(l->world, none));
}

/* The worst overlap of all steps, percent of the smaller body. */
static double worst_of(lab *l, double h, double seconds) {
  double worst = 0.0;
  for (int i = 0; i < (int)(seconds / h + 0.5); i++)
    worst = fmax(worst, lab_run(l, h, h).penetration_percent);
  return worst;
}

/* A blade of radius 0.5 m that turns by 0.2 a step meets a ball at rest. */
static void blade_hits_a_ball(void **state) {
  (void)state;
  lab l = open_lab();
  without_gravity(&l);
  scree_shape *s;
  const double half[3] = {0.5, 0.005, 0.05};
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_PRESCRIBED;
  d.angular[2] = 100.0;
  ok(&l, scree_shape_create_box(l.context, half, &s));
  lab_add(&l, d, s);
  d = scree_body_def_default();
  d.position[0] = 0.3;
  d.position[1] = 0.15;
  ok(&l, scree_shape_create_sphere(l.context, 0.02, &s));
  const scree_body_id ball = lab_add(&l, d, s);
  assert_true(worst_of(&l, 0.002, 0.04) < 1.0);
  const scree_body_state end = lab_state(&l, ball);
  assert_true(hypot(end.velocity[0], end.velocity[1]) > 20.0);
  lab_close(&l);
}

/* A ball that runs round in a drum at 10 rad/s. */
static void ball_runs_round(void **state) {
  (void)state;
  lab l = open_lab();
  without_gravity(&l);
  l.law.friction = 0.0;
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  ok(&l, scree_shape_create_cylinder_container(l.context, 1.0, 1.0, SCREE_OPEN_NONE, &s));
  lab_add(&l, d, s);
  d = scree_body_def_default();
  d.position[0] = 0.98;
  d.velocity[1] = 10.0;
  ok(&l, scree_shape_create_sphere(l.context, 0.02, &s));
  lab_add(&l, d, s);
  assert_true(worst_of(&l, 0.005, 0.5) < 1.0);
  lab_close(&l);
}

typedef struct whole {
  double p[3], l[3];
} whole;

/* Momentum, and its moment about the origin, of bodies that are round about their z axis. */
static void add_momentum(lab *l, scree_body_id id, whole *w) {
  const scree_body_state s = lab_state(l, id);
  scree_body_info info;
  ok(l, scree_body_get_info(l->world, id, &info));
  const double mass = info.mass, *inertia = info.principal_inertia;
  const double q = s.rotation[0], x = s.rotation[1], y = s.rotation[2], z = s.rotation[3];
  const double axis[3] = {2 * (x * z + q * y), 2 * (y * z - q * x), 1 - 2 * (x * x + y * y)};
  double along = 0.0;
  for (int k = 0; k < 3; k++) along += axis[k] * s.angular[k];
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    w->p[k] += mass * s.velocity[k];
    w->l[k] += mass * (s.position[i] * s.velocity[j] - s.position[j] * s.velocity[i]) +
               inertia[0] * s.angular[k] + (inertia[2] - inertia[0]) * along * axis[k];
  }
}

/* Rods tumble and meet in free space; momentum and its moment are kept. */
static void rods_tumble(void **state) {
  (void)state;
  lab l = open_lab();
  without_gravity(&l);
  l.law.friction = 0.3;
  scree_shape *s;
  scree_body_id rod[8];
  for (int k = 0; k < 8; k++) {
    scree_body_def d = scree_body_def_default();
    for (int m = 0; m < 3; m++) {
      const double side = k >> m & 1 ? 1.0 : -1.0;
      d.position[m] = 0.1 * side;
      d.velocity[m] = -2.0 * side;
      d.angular[m] = 20.0 * ((3 * k + 5 * m) % 7) - 60.0;
    }
    if (k % 3 == 2)
      ok(&l, scree_shape_create_cylinder(l.context, 0.01, 0.08, &s));
    else
      ok(&l, scree_shape_create_capsule(l.context, 0.01, 0.08, &s));
    rod[k] = lab_add(&l, d, s);
  }
  whole before = {{0}, {0}}, after = {{0}, {0}};
  for (int k = 0; k < 8; k++) add_momentum(&l, rod[k], &before);
  assert_true(worst_of(&l, 0.003, 0.15) < 1.0);
  for (int k = 0; k < 8; k++) add_momentum(&l, rod[k], &after);
  for (int k = 0; k < 3; k++) {
    assert_near(after.p[k], before.p[k], 1e-12);
    assert_near(after.l[k], before.l[k], 1e-12);
  }
  lab_close(&l);
}

/* Solids of many kinds thrown on a floor, spinning. */
static void solids_are_thrown(void **state) {
  (void)state;
  lab l = open_lab();
  l.law.friction = 0.5;
  scree_shape *s;
  lab_add_floor(&l);
  for (int k = 0; k < 24; k++) {
    scree_body_def d = scree_body_def_default();
    d.position[0] = 0.2 * (k % 4);
    d.position[1] = 0.2 * (k / 4 % 3);
    d.position[2] = 0.15 + 0.2 * (k / 12);
    d.velocity[2] = -3.0 * (1 + k / 12);
    d.velocity[0] = 0.3 - 0.2 * (k % 4);
    d.angular[k % 3] = 60.0;
    d.angular[(k + 1) % 3] = 25.0 - 2.0 * k;
    const double half[3] = {0.05, 0.03, 0.02};
    switch (k % 4) {
    case 0:
      ok(&l, scree_shape_create_cone(l.context, 0.05, 0.08, &s));
      break;
    case 1:
      ok(&l, scree_shape_create_box(l.context, half, &s));
      break;
    case 2:
      ok(&l, scree_shape_create_cylinder(l.context, 0.04, 0.03, &s));
      break;
    default:
      ok(&l, scree_shape_create_ellipsoid(l.context, half, &s));
    }
    lab_add(&l, d, s);
  }
  assert_true(worst_of(&l, 0.004, 0.3) < 1.0);
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blade_hits_a_ball),
      cmocka_unit_test(ball_runs_round),
      cmocka_unit_test(rods_tumble),
      cmocka_unit_test(solids_are_thrown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
