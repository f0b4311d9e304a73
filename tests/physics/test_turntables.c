/* What lies on something that turns: no creep where it sticks, and the circles of a ball that
 * rolls on a turntable (2/7 of its speed). Tables of every kind, a wide mesh that sees its own
 * bottom in a step among them. */
#include "physics.h"

enum { DRUM, SLAB, FAN, TABLES };
enum { BOX, CYLINDER, HULL, MESH, SOLIDS };

static const double table_radius = 3.0;

/* A disc of slim triangles about its middle, 0.1 m thick, its top at z = 0. */
static scree_shape *fan(lab *l, double radius) {
  enum { N = 48 };
  double p[3 * 2 * (N + 1)];
  uint32_t t[3 * 4 * N], n = 0;
  for (int level = 0; level < 2; level++)
    for (int i = 0; i <= N; i++) { /* the middle is the last */
      double *x = p + 3 * (level * (N + 1) + i);
      x[0] = i < N ? radius * cos(2 * pi * i / N) : 0.0;
      x[1] = i < N ? radius * sin(2 * pi * i / N) : 0.0;
      x[2] = level ? 0.0 : -0.1;
    }
  for (uint32_t i = 0; i < N; i++) {
    const uint32_t b = i, c = (i + 1) % N, up = N + 1;
    const uint32_t corner[12] = {N, c, b, up + N, up + b, up + c, b, c, up + c, b, up + c, up + b};
    memcpy(t + n, corner, sizeof corner);
    n += 12;
  }
  scree_shape *shape;
  ok(l, scree_shape_create_mesh(l->context, 2 * (N + 1), p, n / 3, t, &shape));
  return shape;
}

static scree_shape *table(lab *l, int kind, double radius) {
  const double half[3] = {radius, radius, 0.05};
  scree_shape *s;
  if (kind == DRUM) ok(l, scree_shape_create_cylinder(l->context, radius, 0.05, &s));
  if (kind == SLAB) ok(l, scree_shape_create_box(l->context, half, &s));
  return kind == FAN ? fan(l, radius) : s;
}

static scree_shape *solid(lab *l, int kind) {
  const double half[3] = {0.05, 0.05, 0.025};
  double corner[24];
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) corner[3 * i + k] = i >> k & 1 ? half[k] : -half[k];
  static const uint32_t t[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                 2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
  scree_shape *s;
  if (kind == BOX) ok(l, scree_shape_create_box(l->context, half, &s));
  if (kind == CYLINDER) ok(l, scree_shape_create_cylinder(l->context, half[0], half[2], &s));
  if (kind == HULL) ok(l, scree_shape_create_hull(l->context, 8, corner, &s));
  if (kind == MESH) ok(l, scree_shape_create_mesh(l->context, 8, corner, 12, t, &s));
  return s;
}

static lab lab_of(double friction) {
  lab l = lab_open(0, 0);
  l.law.friction = friction;
  l.def.solver = NULL;
  l.def.tolerance_residual = 1e-6;
  return l;
}

static scree_body_id add_table(lab *l, int kind, double radius, double speed) {
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_PRESCRIBED;
  d.position[2] = kind == FAN ? 0.0 : -0.05;
  d.angular[2] = speed;
  return lab_add(l, d, table(l, kind, radius));
}

/* A body that goes round with the table at 0.92 of what friction bears stays where it is. */
static void what_sticks_does_not_creep(void **state) {
  (void)state;
  const double speed = 2.0, at = 0.9;
  for (int kind = 0; kind < TABLES; kind++)
    for (int s = 0; s < SOLIDS; s++) {
      lab l = lab_of(0.4);
      add_table(&l, kind, table_radius, speed);
      scree_body_def d = scree_body_def_default();
      d.position[0] = at;
      d.position[2] = 0.025;
      d.velocity[1] = speed * at;
      d.angular[2] = speed;
      const scree_body_id id = lab_add(&l, d, solid(&l, s));
      lab_run(&l, 5e-3, 0.1); /* the first step knows no acceleration */
      scree_body_state x = lab_state(&l, id);
      const double begin = hypot(x.position[0], x.position[1]);
      assert_near(begin, at, 3e-4);
      lab_run(&l, 5e-3, 4.0);
      x = lab_state(&l, id);
      const double end = hypot(x.position[0], x.position[1]);
      if (fabs(end - begin) > 1e-6)
        fail_msg("solid %d on table %d creeps by %g m", s, kind, end - begin);
      assert_near(x.position[2], 0.025, 1e-6);
      lab_close(&l);
    }
}

static void rock(void *user, double t, double displacement[3], double rotation[3]) {
  (void)user;
  for (int k = 0; k < 3; k++) displacement[k] = 0.0;
  rotation[0] = 0.3 * (1 - cos(2.0 * t));
  rotation[1] = 0.2 * (1 - cos(3.0 * t));
  rotation[2] = 0.5 * (1 - cos(t));
}

static void local(const scree_body_state *table, const scree_body_state *s, double out[3]) {
  const double *q = table->rotation;
  double d[3];
  for (int k = 0; k < 3; k++) d[k] = s->position[k] - table->position[k];
  /* The inverse rotation: v + 2 w (v x u) ... of the conjugate. */
  const double w = q[0], u[3] = {-q[1], -q[2], -q[3]};
  const double c[3] = {u[1] * d[2] - u[2] * d[1], u[2] * d[0] - u[0] * d[2],
                       u[0] * d[1] - u[1] * d[0]};
  const double e[3] = {u[1] * c[2] - u[2] * c[1], u[2] * c[0] - u[0] * c[2],
                       u[0] * c[1] - u[1] * c[0]};
  for (int k = 0; k < 3; k++) out[k] = d[k] + 2 * (w * c[k] + e[k]);
}

/* A table that tilts to and fro about all axes. */
static void what_sticks_stays_on_a_rocking_table(void **state) {
  (void)state;
  for (int kind = 0; kind < TABLES; kind++)
    for (int s = 0; s < SOLIDS; s++) {
      lab l = lab_of(3.0);
      scree_motion_def m = scree_motion_def_default();
      m.kind = SCREE_MOTION_FUNCTION;
      m.function = rock;
      scree_motion_id motion;
      ok(&l, scree_world_add_motion(l.world, &m, &motion));
      scree_body_def t = scree_body_def_default();
      t.kind = SCREE_BODY_PRESCRIBED;
      t.motion = motion;
      t.position[2] = kind == FAN ? 0.0 : -0.05;
      const scree_body_id ground = lab_add(&l, t, table(&l, kind, table_radius));
      scree_body_def d = scree_body_def_default();
      d.position[0] = -0.6;
      d.position[1] = 1.1;
      d.position[2] = 0.025;
      const scree_body_id id = lab_add(&l, d, solid(&l, s));
      double begin[3], end[3];
      scree_body_state a = lab_state(&l, ground), b = lab_state(&l, id);
      local(&a, &b, begin);
      lab_run(&l, 5e-3, 10.0);
      a = lab_state(&l, ground), b = lab_state(&l, id);
      local(&a, &b, end);
      for (int k = 0; k < 3; k++)
        if (fabs(end[k] - begin[k]) > 1e-4)
          fail_msg("solid %d on table %d is off by %g m along %d", s, kind, end[k] - begin[k], k);
      lab_close(&l);
    }
}

/* A ball that rolls goes round a circle with 2/7 of the table's speed, for ever: radius
 * v / (2/7 speed), whatever the ball is. */
static void a_ball_goes_round(void **state) {
  (void)state;
  const double speed = 2.0, v = 0.5, r = 0.05, round = v / (2.0 / 7.0 * speed);
  for (int kind = 0; kind < TABLES; kind++) {
    lab l = lab_of(0.8);
    add_table(&l, kind, 20.0, speed);
    scree_shape *ball;
    ok(&l, scree_shape_create_sphere(l.context, r, &ball));
    scree_body_def d = scree_body_def_default();
    d.position[2] = r;
    d.velocity[0] = v;
    d.angular[1] = v / r;
    const scree_body_id id = lab_add(&l, d, ball);
    lab_run(&l, 5e-3, 33.0);
    const scree_body_state x = lab_state(&l, id);
    const double angle = 2.0 / 7.0 * speed * 33.0;
    assert_near(hypot(x.position[0], x.position[1] - round), round, 5e-4);
    assert_near(x.position[0], round * sin(angle), 3e-3);
    assert_near(x.position[1], round * (1 - cos(angle)), 3e-3);
    lab_close(&l);
  }
}

/* Without friction nothing moves what lies on the table, however wide it is: the rim of this one
 * runs 0.2 m in a step, so that its bottom is within reach as well as its top. */
static void the_bottom_does_not_carry(void **state) {
  (void)state;
  for (int s = 0; s < SOLIDS; s++) {
    lab l = lab_of(0.0);
    add_table(&l, FAN, 20.0, 2.0);
    scree_body_def d = scree_body_def_default();
    d.position[0] = 0.9;
    d.position[2] = 0.025;
    const scree_body_id id = lab_add(&l, d, solid(&l, s));
    for (int i = 0; i < 40; i++) {
      lab_run(&l, 5e-3, 5e-3);
      const scree_body_state x = lab_state(&l, id);
      assert_near(x.position[2], 0.025, 1e-7);
      for (int k = 0; k < 2; k++) assert_near(x.angular[k], 0.0, 1e-4);
    }
    lab_close(&l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_sticks_does_not_creep),
      cmocka_unit_test(what_sticks_stays_on_a_rocking_table),
      cmocka_unit_test(a_ball_goes_round),
      cmocka_unit_test(the_bottom_does_not_carry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
