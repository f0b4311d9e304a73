/* Beams and tetrahedra against closed forms: deflection, roll-up, frequencies, patch test, energy.
 */
#include <stdio.h>

#include "tests/physics/physics.h"

typedef struct beam {
  double length, young, shear, radius, density;
  int elements;
  bool timoshenko;
} beam;

static const beam steel = {1.0, 2e11, 8e10, 0.01, 7800.0, 8, false};

static double area(const beam *b) {
  return pi * b->radius * b->radius;
}
static double inertia(const beam *b) {
  return 0.25 * pi * pow(b->radius, 4);
}

static scree_link_def element(const beam *b) {
  scree_link_def d = scree_link_def_default();
  d.kind = SCREE_LINK_BEAM;
  d.young = b->young;
  d.shear = b->shear;
  d.area = area(b);
  d.inertia_y = d.inertia_z = inertia(b);
  d.torsion = 2.0 * inertia(b);
  d.shear_area = b->timoshenko ? 0.9 * area(b) : 0.0;
  return d;
}

/* A rod from `from` to `to` along x as a rigid body. */
static scree_body_id segment(lab *l, const beam *b, double from, double to) {
  scree_body_def d = scree_body_def_default();
  const double length = to - from, mass = b->density * area(b) * length;
  d.position[0] = 0.5 * (from + to);
  d.mass = mass;
  d.inertia[0] = 2.0 * b->density * inertia(b) * length;
  d.inertia[3] = d.inertia[5] = mass * length * length / 12.0 + b->density * inertia(b) * length;
  d.shape = NULL;
  scree_body_id id;
  ok(l, scree_world_add_body(l->world, &d, &id));
  return id;
}

/* Clamped in the world at x = 0, along x. node[i]: body of the node i + 1. */
static void cantilever(lab *l, const beam *b, bool clamped, scree_body_id *node) {
  const double h = b->length / b->elements;
  scree_body_id before = {0};
  int count = 0;
  if (!clamped) node[count++] = before = segment(l, b, 0.0, 0.5 * h);
  for (int k = 1; k <= b->elements; k++) {
    const scree_body_id id = segment(l, b, (k - 0.5) * h, fmin(k + 0.5, b->elements) * h);
    scree_link_def d = element(b);
    d.body[0] = before, d.body[1] = id;
    d.point[0][0] = (k - 1) * h, d.point[1][0] = k * h;
    ok(l, scree_world_add_link(l->world, &d, NULL));
    node[count++] = before = id;
  }
}

static lab weightless(void) {
  lab l = lab_open(0.0, 0.0);
  const double none[3] = {0.0, 0.0, 0.0};
  ok(&l, scree_world_set_gravity(l.world, none));
  return l;
}

static void settle(lab *l) {
  scree_equilibrium_info info;
  ok(l, scree_world_find_equilibrium(l->world, NULL, &info));
  if (!info.converged) fail_msg("residual %g after %ld", info.residual, info.iterations);
}

/* The end of the beam, from the body of its last half element. */
static void tip_of(lab *l, scree_body_id id, double half, double *x) {
  scree_body_state s;
  ok(l, scree_body_get_state(l->world, id, &s));
  const double *q = s.rotation;
  x[0] = s.position[0] + half * (1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]));
  x[1] = s.position[1] + half * 2.0 * (q[1] * q[2] + q[0] * q[3]);
  x[2] = s.position[2] + half * 2.0 * (q[1] * q[3] - q[0] * q[2]);
}

/* F at the end: F L^3 / (3 E I), with shear F L / (G A_s) more; exact with any number of elements.
 */
static void test_tip_force(void **state) {
  (void)state;
  for (int n = 1; n <= 4; n *= 2)
    for (int shear = 0; shear < 2; shear++) {
      beam b = steel;
      b.elements = n;
      b.timoshenko = shear;
      if (shear) b.radius = 0.1;
      lab l = weightless();
      scree_body_id node[16];
      cantilever(&l, &b, true, node);
      const double h = b.length / n, push = 1e-3 * b.young * inertia(&b) * 3.0;
      const double force[3] = {0.0, 0.0, -push}, torque[3] = {0.0, 0.25 * h * push, 0.0};
      ok(&l, scree_body_set_force(l.world, node[n - 1], force, torque));
      settle(&l);
      double tip[3];
      tip_of(&l, node[n - 1], 0.25 * h, tip);
      double exact = push / (3.0 * b.young * inertia(&b));
      if (shear) exact += push / (b.shear * 0.9 * area(&b));
      /* Large by 1e-3 of the length: of the order of 1e-6 in it is not linear. */
      assert_near(tip[2], -exact, 3e-6 * exact);
      lab_close(&l);
    }
}

/* A moment 2 pi E I / L at the end makes a circle of the beam. */
static void test_roll_up(void **state) {
  (void)state;
  for (int n = 8; n <= 16; n *= 2) {
    beam b = steel;
    b.elements = n;
    lab l = weightless();
    scree_body_id node[32];
    cantilever(&l, &b, true, node);
    const double moment = 2.0 * pi * b.young * inertia(&b) / b.length;
    const double force[3] = {0.0, 0.0, 0.0}, torque[3] = {0.0, -moment, 0.0};
    ok(&l, scree_body_set_force(l.world, node[n - 1], force, torque));
    settle(&l);
    double tip[3];
    tip_of(&l, node[n - 1], 0.25 * b.length / n, tip);
    assert_near(tip[0], 0.0, 1e-8);
    assert_near(tip[2], 0.0, 1e-8);
    /* Half way up: across the polygon of the elements. */
    scree_body_state s;
    ok(&l, scree_body_get_state(l.world, node[n / 2 - 1], &s));
    const double side = b.length / n;
    assert_near(fabs(s.position[2]), side / sin(pi / n), 1e-8);
    lab_close(&l);
  }
}

/* Clamped and free: (c_k/L)^2 sqrt(E I/(rho A)) / 2 pi, each twice. */
static void test_frequencies(void **state) {
  (void)state;
  const double clamped[3] = {1.8751040687, 4.6940911330, 7.8547574382};
  const double loose[2] = {4.7300407449, 7.8532046241};
  double error[2][2];
  for (int level = 0; level < 2; level++) {
    beam b = steel;
    b.elements = 16 << level;
    b.radius = 0.002; /* slender: the section's own rotary inertia does not count */
    const double unit =
        sqrt(b.young * inertia(&b) / (b.density * area(&b))) / (2.0 * pi * b.length * b.length);
    for (int free_ends = 0; free_ends < 2; free_ends++) {
      lab l = weightless();
      scree_body_id node[64];
      double found[12];
      bool converged;
      cantilever(&l, &b, !free_ends, node);
      ok(&l, scree_world_find_modes(l.world, free_ends ? 10 : 6, found, NULL, &converged));
      assert_true(converged);
      for (int k = 0; free_ends && k < 6; k++) assert_near(found[k], 0.0, 0.01);
      for (int k = 0; k < (free_ends ? 2 : 3); k++) {
        const double exact = unit * (free_ends ? loose[k] * loose[k] : clamped[k] * clamped[k]);
        const double f = found[free_ends ? 6 + 2 * k : 2 * k];
        if (getenv("SHOW")) printf("elements %d mode %d: %g of %g\n", b.elements, k, f, exact);
        assert_near(f, exact, 0.01 * exact);
        if (k == 1) error[level][free_ends] = fabs(f - exact) / exact;
      }
      lab_close(&l);
    }
  }
  assert_near(log2(error[0][0] / error[1][0]), 2.0, 0.3);
}

/* A beam without anything that holds it, spun and bent: energy and momentum stay. */
static void test_flight(void **state) {
  (void)state;
  beam b = steel;
  b.elements = 8;
  b.young = 1e8, b.shear = 4e7;
  lab l = weightless();
  scree_body_id node[16];
  cantilever(&l, &b, false, node);
  for (int k = 0; k <= 8; k++) {
    scree_body_state s;
    ok(&l, scree_body_get_state(l.world, node[k], &s));
    s.velocity[2] = 2.0 * (s.position[0] - 0.5) + (k == 4 ? 1.0 : 0.0);
    s.velocity[1] = k == 8 ? 1.0 : 0.0;
    s.angular[1] = -2.0;
    ok(&l, scree_body_set_state(l.world, node[k], &s));
  }
  l.def.stepper = "trapezoidal";
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  double first = 0.0, most = 0.0, stored = 0.0;
  for (int k = 0; k < 1000; k++) {
    scree_step_info info;
    ok(&l, scree_stepper_step(l.stepper, 2e-4, &info));
    assert_true(info.converged);
    const scree_energy e = info.energy;
    const double all = e.linear + e.angular + e.elastic;
    if (k == 0) first = all;
    most = fmax(most, fabs(all - first));
    stored = fmax(stored, e.elastic);
  }
  assert_true(stored > 0.05 * first);
  assert_true(most < 0.01 * first);
  lab_close(&l);
}

/* ---- tetrahedra ------------------------------------------------------------------------------ */

typedef struct block {
  int cells[3];
  double size[3], young, poisson, density;
} block;

static int corner(const block *b, int x, int y, int z) {
  return x + (b->cells[0] + 1) * (y + (b->cells[1] + 1) * z);
}

/* Nodes; a node is fixed where `held` says so. `at` (3 a node) are their places. */
static void add_block(lab *l, const block *b, bool (*held)(const block *, int, int, int),
                      scree_body_id *id, double *at) {
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const int *n = b->cells;
  double mass[1000] = {0.0}, cell = b->density;
  for (int i = 0; i < 3; i++) cell *= b->size[i] / n[i];
  int list[6000][4], count = 0;
  for (int z = 0; z < n[2]; z++)
    for (int y = 0; y < n[1]; y++)
      for (int x = 0; x < n[0]; x++)
        for (int t = 0; t < 6; t++) {
          int p[3] = {x, y, z};
          list[count][0] = corner(b, x, y, z);
          for (int i = 0; i < 3; i++) {
            p[order[t][i]]++;
            list[count][i + 1] = corner(b, p[0], p[1], p[2]);
          }
          for (int i = 0; i < 4; i++) mass[list[count][i]] += cell / 24.0;
          count++;
        }
  for (int z = 0; z <= n[2]; z++)
    for (int y = 0; y <= n[1]; y++)
      for (int x = 0; x <= n[0]; x++) {
        const int k = corner(b, x, y, z);
        scree_body_def d = scree_body_def_default();
        d.kind = held(b, x, y, z) ? SCREE_BODY_FIXED : SCREE_BODY_DYNAMIC;
        for (int i = 0; i < 3; i++) d.position[i] = at[3 * k + i];
        d.mass = mass[k];
        d.inertia[0] = d.inertia[3] = d.inertia[5] = 1e-4 * mass[k];
        ok(l, scree_world_add_body(l->world, &d, &id[k]));
      }
  scree_link_def d = scree_link_def_default();
  d.kind = SCREE_LINK_TETRAHEDRON;
  d.young = b->young;
  d.poisson = b->poisson;
  for (int e = 0; e < count; e++) {
    for (int i = 0; i < 4; i++) d.body[i] = id[list[e][i]];
    ok(l, scree_world_add_link(l->world, &d, NULL));
  }
}

static void places(const block *b, double *at) {
  for (int z = 0; z <= b->cells[2]; z++)
    for (int y = 0; y <= b->cells[1]; y++)
      for (int x = 0; x <= b->cells[0]; x++) {
        double *p = at + 3 * corner(b, x, y, z);
        p[0] = b->size[0] * x / b->cells[0];
        p[1] = b->size[1] * y / b->cells[1];
        p[2] = b->size[2] * z / b->cells[2];
      }
}

static bool outside(const block *b, int x, int y, int z) {
  return x == 0 || y == 0 || z == 0 || x == b->cells[0] || y == b->cells[1] || z == b->cells[2];
}

/* Patch test: nodes inside are displaced at random; the outer ones are moved by a turn and a
 * stretch; then all elements have the same strain, so that the inner ones follow exactly. */
static void test_patch(void **state) {
  (void)state;
  const block b = {{3, 3, 3}, {0.3, 0.4, 0.5}, 1e6, 0.3, 1000.0};
  lab l = weightless();
  scree_body_id id[64];
  double at[3 * 64];
  unsigned seed = 3;
  places(&b, at);
  for (int z = 1; z < 3; z++)
    for (int y = 1; y < 3; y++)
      for (int x = 1; x < 3; x++)
        for (int i = 0; i < 3; i++) {
          seed = seed * 1664525u + 1013904223u;
          at[3 * corner(&b, x, y, z) + i] += 0.03 * ((double)(seed >> 8) / 8388608.0 - 1.0);
        }
  add_block(&l, &b, outside, id, at);
  /* F = R (I + E): a turn by 0.8 about (1, 2, 2)/3 and a strain of a few percent. */
  const double c = cos(0.8), s = sin(0.8), u[3] = {1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0};
  const double e[3][3] = {{1.02, 0.01, 0.0}, {0.01, 0.99, 0.005}, {0.0, 0.005, 1.03}};
  double f[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      f[i][j] = 0.0;
      for (int k = 0; k < 3; k++) {
        const double cross = i == k ? 0.0 : ((k - i + 3) % 3 == 1 ? -1.0 : 1.0) * u[3 - i - k];
        f[i][j] += ((i == k) * c + s * cross + (1.0 - c) * u[i] * u[k]) * e[k][j];
      }
    }
  for (int k = 0; k < 64; k++) {
    scree_body_state st;
    ok(&l, scree_body_get_state(l.world, id[k], &st));
    const bool inside = !outside(&b, k % 4, k / 4 % 4, k / 16);
    for (int i = 0; i < 3; i++) {
      st.position[i] = 0.0;
      for (int j = 0; j < 3; j++) st.position[i] += f[i][j] * at[3 * k + j];
      if (inside) st.position[i] += 0.004 * sin(7.0 * k + i);
    }
    ok(&l, scree_body_set_state(l.world, id[k], &st));
  }
  settle(&l);
  for (int k = 0; k < 64; k++) {
    scree_body_state st;
    ok(&l, scree_body_get_state(l.world, id[k], &st));
    for (int i = 0; i < 3; i++) {
      double exact = 0.0;
      for (int j = 0; j < 3; j++) exact += f[i][j] * at[3 * k + j];
      assert_near(st.position[i], exact, 1e-9);
    }
  }
  /* The energy is that of the strain, exact in S - I. */
  const double lambda = b.young * 0.3 / (1.3 * 0.4), mu = b.young / 2.6;
  const double trace = 0.02 - 0.01 + 0.03;
  const double square = 0.0004 + 0.0001 + 0.0009 + 2.0 * (0.0001 + 0.000025);
  const double exact = 0.3 * 0.4 * 0.5 * (0.5 * lambda * trace * trace + mu * square);
  assert_near(scree_world_get_energy(l.world).elastic, exact, 1e-9 * exact);
  lab_close(&l);
}

static bool root(const block *b, int x, int y, int z) {
  (void)b, (void)y, (void)z;
  return x == 0;
}

/* A bar under its weight along z: linear tetrahedra are too stiff, and less so with finer ones. */
static void test_bar(void **state) {
  (void)state;
  double error[2];
  for (int level = 0; level < 2; level++) {
    const block b = {{6 << level, 1 << level, 1 << level}, {0.6, 0.1, 0.1}, 1e7, 0.0, 1000.0};
    lab l = lab_open(0.0, 0.0);
    scree_body_id id[200];
    double at[600];
    places(&b, at);
    add_block(&l, &b, root, id, at);
    settle(&l);
    scree_body_state s;
    ok(&l, scree_body_get_state(l.world, id[corner(&b, b.cells[0], 0, 0)], &s));
    /* rho A g L^4 / 8 E I, and shear: rho g L^2 / (2 G 5/6) */
    const double i = pow(0.1, 4) / 12.0;
    const double exact = 1000.0 * 0.01 * earth * pow(0.6, 4) / (8.0 * 1e7 * i) +
                         1000.0 * earth * 0.36 / (2.0 * 5e6 * 5.0 / 6.0);
    error[level] = 1.0 + s.position[2] / exact;
    lab_close(&l);
  }
  if (getenv("SHOW")) printf("bar: too stiff by %g, %g\n", error[0], error[1]);
  assert_true(error[0] > error[1] && error[1] > 0.0);
  /* Of order 2 in the deflection: what is left falls by about 4; stiff ones begin slower. */
  assert_true(error[1] / (1.0 - error[1]) < 0.4 * error[0] / (1.0 - error[0]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tip_force),   cmocka_unit_test(test_roll_up),
      cmocka_unit_test(test_frequencies), cmocka_unit_test(test_flight),
      cmocka_unit_test(test_patch),       cmocka_unit_test(test_bar),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
