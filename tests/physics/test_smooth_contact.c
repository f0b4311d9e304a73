/* Contacts as springs in every stepper of smooth motion: overlap at rest, bounce, rolling, two
 * balls in flight, and a cantilever that bounces with its tip, with the order of each method. The
 * springs are those of tests/physics/test_penalty.c. */
#include <stdio.h>

#include "tests/physics/physics.h"

static const double radius = 0.05, density = 2000.0, poisson = 0.3;

typedef struct method {
  const char *name, *options;
  double order;
} method;
static const method methods[] = {
    {"hht", "alpha=-0.1", 2.0},
    {"hht", "alpha=0", 2.0},
    {"hht", "alpha=-0.333 form=position newton=modified", 2.0},
    {"generalized-alpha", "rho=0.6", 2.0},
    {"trapezoidal", "linear_solver=minres", 2.0},
    {"newmark", "gamma=0.5 beta=0.25", 2.0},
    {"newmark", "", 1.0},
    {"euler-implicit", "", 1.0},
    {"euler-linearized", "", 1.0},
};
enum { METHODS = sizeof methods / sizeof *methods };

static void prepare(lab *l, const method *m, const char *young) {
  char copy[128], *key = copy;
  ok(l, scree_world_set_material(l->world, (scree_material_id){0}, &l->law));
  l->def.stepper = m->name;
  ok(l, scree_stepper_create(l->world, &l->def, &l->stepper));
  ok(l, scree_stepper_set(l->stepper, "contact", "penalty"));
  ok(l, scree_stepper_set(l->stepper, "young", young));
  snprintf(copy, sizeof copy, "%s", m->options);
  while (*key) {
    char *value = strchr(key, '='), *end = strchr(key, ' ');
    if (end) *end = 0;
    *value++ = 0;
    ok(l, scree_stepper_set(l->stepper, key, value));
    key = end ? end + 1 : value + strlen(value);
  }
}

static scree_body_id ball(lab *l, double x, double z, double vx, double vz) {
  scree_body_def d = scree_body_def_default();
  scree_shape *s;
  ok(l, scree_shape_create_sphere(l->context, radius, &s));
  d.density = density;
  d.position[0] = x, d.position[2] = z;
  d.velocity[0] = vx, d.velocity[2] = vz;
  return lab_add(l, d, s);
}

typedef struct totals {
  scree_ledger sum;
  double iterations, penetration;
  size_t touched;
} totals;

static totals run(lab *l, double h, double time) {
  totals t = {.iterations = 0.0};
  const int steps = (int)lround(time / h);
  for (int k = 0; k < steps; k++) {
    scree_step_info info;
    ok(l, scree_stepper_step(l->stepper, time / steps, &info));
    assert_true(info.converged);
    t.iterations += (double)info.iterations / steps;
    t.penetration = fmax(t.penetration, info.penetration);
    t.touched += info.touching > 0;
    t.sum.error += info.ledger.error;
    t.sum.impacts += info.ledger.impacts;
    t.sum.friction += info.ledger.friction;
  }
  return t;
}

static scree_body_state state_of(lab *l, scree_body_id id) {
  scree_body_state s;
  ok(l, scree_body_get_state(l->world, id, &s));
  return s;
}

/* m g = 4/3 E* sqrt(R) d^(3/2), with steps as long as the swing of the contact. */
static void test_rest(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    lab l = lab_open(0.0, 0.0);
    l.law.restitution = 0.1;
    lab_add_floor(&l);
    const scree_body_id id = ball(&l, 0.0, radius, 0.0, 0.0);
    prepare(&l, &methods[k], "1e7");
    run(&l, 1e-3, 0.6);
    const double mass = density * 4.0 / 3.0 * pi * pow(radius, 3);
    const double soft = 1e7 / (2.0 * (1.0 - poisson * poisson));
    const double depth = pow(0.75 * mass * earth / (soft * sqrt(radius)), 2.0 / 3.0);
    assert_near(radius - state_of(&l, id).position[2], depth, 1e-4 * depth);
    lab_close(&l);
  }
}

/* What the law of Tsuji and others makes of a coefficient e, in units where m, E* and R are such
 * that F = d^(3/2) - c d^(1/4) u: with 4/3 E* sqrt(R) = 1, k = 3/2 sqrt(d), c = 2 sqrt(5/6) b
 * sqrt(k) d^(-1/4). Springs never pull, so bodies part a little faster than told. */
static double bounce_of(double e) {
  const double b = -log(e) / sqrt(log(e) * log(e) + pi * pi), c = 2.0 * sqrt(1.25) * b, h = 1e-5;
  double d = 0.0, u = 1.0; /* u: of approach */
  do {                     /* the rule of midpoints */
    const double force = d > 0.0 ? fmax(d * sqrt(d) + c * sqrt(sqrt(d)) * u, 0.0) : 0.0;
    const double dm = d + 0.5 * h * u, um = u - 0.5 * h * force;
    u -= h * fmax(dm * sqrt(dm) + c * sqrt(sqrt(dm)) * um, 0.0);
    d += h * um;
  } while (d > 0.0);
  return -u;
}

/* The damping is made for the coefficient of restitution; what it takes is in the ledger, which
 * closes. */
static void test_bounce(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++)
    for (int e = 0; e < (SANITIZED ? 1 : 3); e++) {
      lab l = lab_open(0.0, 0.0);
      ok(&l, scree_world_set_gravity(l.world, (double[3]){0, 0, 0}));
      l.law.restitution = 0.4 + 0.3 * e;
      lab_add_floor(&l);
      const scree_body_id id = ball(&l, 0.0, radius + 1e-4, 0.0, -2.0);
      prepare(&l, &methods[k], "1e7");
      const totals t = run(&l, methods[k].order > 1.0 ? 2e-5 : 5e-6, 0.02);
      const double energy = 0.5 * density * 4.0 / 3.0 * pi * pow(radius, 3) * 4.0;
      const double bounce = bounce_of(l.law.restitution);
      if (getenv("SHOW"))
        printf("%-18s told %.2f, law %.4f, found %.4f\n", methods[k].name, l.law.restitution,
               bounce, state_of(&l, id).velocity[2] / 2.0);
      assert_near(state_of(&l, id).velocity[2] / 2.0, bounce, 4e-3);
      assert_true(t.touched > 0 && t.penetration > 0.0);
      if (methods[k].order > 1.0) {
        assert_near(t.sum.error, 0.0, 2e-4 * energy);
        assert_near(t.sum.impacts, energy * (1.0 - bounce * bounce), 5e-3 * energy);
      }
      lab_close(&l);
    }
}

/* A ball that slides comes to roll with 5/7 of its speed; friction takes the rest. */
static void test_roll(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    lab l = lab_open(0.0, 0.0);
    l.law.friction = 0.4;
    l.law.restitution = 0.1;
    lab_add_floor(&l);
    const scree_body_id id = ball(&l, 0.0, radius, 1.0, 0.0);
    prepare(&l, &methods[k], "1e7");
    const totals t = run(&l, 2e-4, 0.3);
    const scree_body_state s = state_of(&l, id);
    const double energy = 0.5 * density * 4.0 / 3.0 * pi * pow(radius, 3);
    assert_near(s.velocity[0], 5.0 / 7.0, 5e-3);
    assert_near(s.angular[1] * radius, s.velocity[0], 5e-3);
    if (methods[k].order > 1.0) assert_near(t.sum.friction, 2.0 / 7.0 * energy, 0.01 * energy);
    lab_close(&l);
  }
}

/* Both bodies of a contact are unknowns: they exchange momentum, and with it velocities. */
static void test_two_balls(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    lab l = lab_open(0.0, 0.0);
    ok(&l, scree_world_set_gravity(l.world, (double[3]){0, 0, 0}));
    l.law.restitution = 1.0;
    l.law.friction = 0.0;
    const scree_body_id a = ball(&l, 0.0, 0.0, 3.0, 0.0);
    const scree_body_id b = ball(&l, 2.0 * radius + 1e-3, 0.0, -1.0, 0.0);
    prepare(&l, &methods[k], "1e9");
    const totals t = run(&l, methods[k].order > 1.0 ? 1e-5 : 1e-6, 2e-3);
    const double va = state_of(&l, a).velocity[0], vb = state_of(&l, b).velocity[0];
    assert_near(va + vb, 2.0, 1e-12);
    assert_near(va, -1.0, 0.02);
    assert_true(t.iterations < 6.0);
    lab_close(&l);
  }
}

/* ---- the bouncing cantilever ------------------------------------------------------------------
 */

static void element(lab *l, scree_body_id a, scree_body_id b, double from, double to) {
  const double r = 8e-3;
  scree_link_def d = scree_link_def_default();
  d.kind = SCREE_LINK_BEAM;
  d.young = 1e9, d.shear = 4e8;
  d.area = pi * r * r;
  d.inertia_y = d.inertia_z = 0.25 * pi * pow(r, 4);
  d.torsion = 2.0 * d.inertia_y;
  d.body[0] = a, d.body[1] = b;
  d.point[0][0] = from, d.point[1][0] = to;
  ok(l, scree_world_add_link(l->world, &d, NULL));
}

/* Three elements, clamped at x = 0, with a ball of 2 cm at the tip over a floor 1 cm below it. */
static scree_body_id cantilever(lab *l) {
  scree_body_id before = {0};
  scree_body_def ground = scree_body_def_default();
  scree_shape *s;
  ground.kind = SCREE_BODY_FIXED;
  ground.position[2] = -0.03;
  ok(l, scree_shape_create_half_space(l->context, &s));
  lab_add(l, ground, s);
  for (int k = 1; k <= 3; k++) {
    scree_body_def d = scree_body_def_default();
    d.position[0] = k / 6.0;
    d.density = density;
    d.collides_with = k == 3 ? d.collides_with : 0;
    ok(l, scree_shape_create_sphere(l->context, k == 3 ? 0.02 : 0.015, &s));
    const scree_body_id id = lab_add(l, d, s);
    element(l, before, id, (k - 1) / 6.0, k / 6.0);
    before = id;
  }
  return before;
}

static scree_body_state fall(const method *m, int steps, double *part) {
  lab l = lab_open(0.0, 0.0);
  l.law.restitution = 1.0;
  l.law.friction = 0.0;
  const scree_body_id tip = cantilever(&l);
  prepare(&l, m, "1e6");
  const totals t = run(&l, 0.2 / steps, 0.2);
  const scree_body_state s = state_of(&l, tip);
  *part = (double)t.touched / steps;
  lab_close(&l);
  return s;
}

static double apart(const scree_body_state *a, const scree_body_state *b) {
  double sum = 0.0;
  for (int i = 0; i < 3; i++) sum += pow(a->position[i] - b->position[i], 2);
  return sqrt(sum);
}

/* Without dampers the force of a contact has a derivative where it begins, d^(3/2), and methods of
 * order 2 stay so. */
static void test_bouncing_cantilever(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    const method *m = &methods[k];
    if (k == 1 || k == 2 || k == 5) continue; /* the same as others */
    const int steps = m->order > 1.0 ? 1000 : 4000;
    scree_body_state s[3];
    double part;
    if (SANITIZED) {
      fall(m, steps, &part);
      continue;
    }
    for (int n = 0; n < 3; n++) s[n] = fall(m, steps << (m->order > 1.0 ? 2 * n : n), &part);
    const double order = log2(apart(&s[0], &s[1]) / apart(&s[1], &s[2])) / m->order;
    if (getenv("SHOW"))
      printf("%-18s %-28s order %.2f, differs by %.1e m, touches %.2f of the time\n", m->name,
             m->options, order, apart(&s[1], &s[2]), part);
    assert_near(order, m->order, 0.15);
    assert_true(part > 0.05 && part < 0.9);
  }
}

/* ---- checkpoints ------------------------------------------------------------------------------
 */

/* Slips, rates and the start of the next part are in a checkpoint. */
static void test_same_bits_after_restore(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    uint64_t hash[2];
    for (int cut = 0; cut < 2; cut++) {
      lab l = lab_open(0.3, 0.0);
      void *bytes = NULL;
      size_t size = 0;
      for (int half = 0; half < 2; half++) {
        if (half && !cut) {
          for (int n = 0; n < 30; n++) ok(&l, scree_stepper_step(l.stepper, 1e-3, NULL));
          break;
        }
        if (half) {
          size = scree_stepper_save_size(l.stepper);
          bytes = malloc(size);
          ok(&l, scree_stepper_save(l.stepper, bytes, size));
          lab_close(&l);
          l = lab_open(0.3, 0.0);
        }
        lab_add_floor(&l);
        ball(&l, 0.0, radius - 1e-5, 0.2, 0.0);
        ball(&l, 2.0 * radius - 1e-5, radius, 0.1, 0.0);
        prepare(&l, &methods[k], "1e7");
        if (half) ok(&l, scree_stepper_restore(l.stepper, bytes, size));
        for (int n = 0; n < 30; n++) ok(&l, scree_stepper_step(l.stepper, 1e-3, NULL));
      }
      free(bytes);
      hash[cut] = scree_world_hash(l.world);
      lab_close(&l);
    }
    assert_true(hash[0] == hash[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest),
      cmocka_unit_test(test_bounce),
      cmocka_unit_test(test_roll),
      cmocka_unit_test(test_two_balls),
      cmocka_unit_test(test_bouncing_cantilever),
      cmocka_unit_test(test_same_bits_after_restore),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
