/* Tetrahedra of order 1 and 2, Hooke's and Neo-Hookean, and cables, against closed forms and
 * integrations of their own: patch tests, orders, stresses, deflections, roll-up, frequencies,
 * energy, and rigid bodies as their limit. */
#include <stdio.h>

#include "tests/physics/physics.h"

/* ---- solids of any mesh ---------------------------------------------------------------------- */

typedef struct solid {
  int cells, order; /* along an edge of the unit cube */
  scree_elastic law;
  double young, poisson;
} solid;

enum { MOST = 9 * 9 * 9 };

static int side(const solid *s) {
  return s->order * s->cells + 1;
}
static int node_at(const solid *s, const int p[3]) {
  return p[0] + side(s) * (p[1] + side(s) * p[2]);
}
static bool outside(const solid *s, int k) {
  const int n = side(s), p[3] = {k % n, k / n % n, k / n / n};
  for (int i = 0; i < 3; i++)
    if (p[i] == 0 || p[i] == n - 1) return true;
  return false;
}

/* Places at rest: a cube whose inner corners are moved by up to `warp` of a cell, with straight
 * edges. */
static void places(const solid *s, double warp, double (*at)[3]) {
  const int n = side(s);
  unsigned seed = 3;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < n * n * n; k++) {
      const int p[3] = {k % n, k / n % n, k / n / n};
      int low[3], high[3];
      bool corner = true;
      for (int i = 0; i < 3; i++) {
        low[i] = p[i] / s->order * s->order;
        high[i] = low[i] == p[i] ? low[i] : low[i] + s->order;
        corner &= low[i] == p[i];
      }
      for (int i = 0; i < 3; i++) {
        if (corner && pass == 0) {
          at[k][i] = (double)p[i] / (n - 1);
          seed = seed * 1664525u + 1013904223u;
          if (!outside(s, k)) at[k][i] += warp / s->cells * ((double)(seed >> 8) / 8388608.0 - 1.0);
        }
        if (!corner && pass == 1)
          at[k][i] = 0.5 * (at[node_at(s, low)][i] + at[node_at(s, high)][i]);
      }
    }
}

static void element_of(const solid *s, int e, int *node) {
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}};
  const int c = e / 6, n = s->cells;
  int corner[4][3] = {{c % n * s->order, c / n % n * s->order, c / n / n * s->order}};
  for (int k = 0; k < 3; k++) {
    memcpy(corner[k + 1], corner[k], sizeof corner[k]);
    corner[k + 1][order[e % 6][k]] += s->order;
  }
  for (int k = 0; k < 4; k++) node[k] = node_at(s, corner[k]);
  for (int k = 0; k < 6 && s->order == 2; k++) {
    int p[3];
    for (int i = 0; i < 3; i++) p[i] = (corner[edge[k][0]][i] + corner[edge[k][1]][i]) / 2;
    node[4 + k] = node_at(s, p);
  }
}

/* Outer nodes are fixed. */
static lab build(const solid *s, const double (*at)[3], scree_body_id *id, scree_link_id *last) {
  lab l = lab_open(0.0, 0.0);
  const double none[3] = {0.0, 0.0, 0.0};
  ok(&l, scree_world_set_gravity(l.world, none));
  for (int k = 0; k < side(s) * side(s) * side(s); k++) {
    scree_body_def d = scree_body_def_default();
    d.kind = outside(s, k) ? SCREE_BODY_FIXED : SCREE_BODY_DYNAMIC;
    memcpy(d.position, at[k], sizeof d.position);
    d.mass = 1e-3;
    d.inertia[0] = d.inertia[3] = d.inertia[5] = 1e-6;
    d.point = true;
    ok(&l, scree_world_add_body(l.world, &d, &id[k]));
  }
  scree_link_def d = scree_link_def_default();
  d.kind = SCREE_LINK_TETRAHEDRON;
  d.body_count = s->order == 2 ? 10 : 4;
  d.young = s->young;
  d.poisson = s->poisson;
  d.elastic = s->law;
  for (int e = 0; e < 6 * s->cells * s->cells * s->cells; e++) {
    int node[10];
    element_of(s, e, node);
    for (size_t k = 0; k < d.body_count; k++) d.body[k] = id[node[k]];
    ok(&l, scree_world_add_link(l.world, &d, last));
  }
  return l;
}

static void settle(lab *l) {
  scree_equilibrium_info info;
  ok(l, scree_world_find_equilibrium(l->world, NULL, &info));
  if (!info.converged) fail_msg("residual %g after %ld", info.residual, info.iterations);
}

static void move_to(lab *l, scree_body_id id, const double *x) {
  scree_body_state s = lab_state(l, id);
  memcpy(s.position, x, 3 * sizeof *x);
  ok(l, scree_body_set_state(l->world, id, &s));
}

static void times(const double f[3][3], const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = f[i][0] * x[0] + f[i][1] * x[1] + f[i][2] * x[2];
}

/* Outer nodes are moved by x -> F x; inner ones must follow from wherever they begin. */
static void test_patch(void **state) {
  (void)state;
  /* A turn by 0.8 about (1, 2, 2)/3 times a stretch of a few percent; of rubber times 40%. */
  const double turn[3][3] = {
      {0.7304, -0.4109, 0.5456}, {0.5456, 0.8315, -0.1044}, {-0.4109, 0.3739, 0.8315}};
  const double stretch[2][3][3] = {{{1.02, 0.01, 0.0}, {0.01, 0.99, 0.005}, {0.0, 0.005, 1.03}},
                                   {{1.4, 0.1, 0.0}, {0.1, 0.8, 0.05}, {0.0, 0.05, 1.1}}};
  for (int order = 1; order <= 2; order++)
    for (int law = 0; law < 2; law++) {
      const solid s = {order == 1 ? 4 : 3, order, (scree_elastic)law, 1e6, 0.3};
      static double at[MOST][3];
      static scree_body_id id[MOST];
      const int count = side(&s) * side(&s) * side(&s);
      places(&s, 0.3, at);
      lab l = build(&s, (const double(*)[3])at, id, NULL);
      double f[3][3];
      for (int i = 0; i < 9; i++) {
        f[i / 3][i % 3] = 0.0;
        for (int k = 0; k < 3; k++) f[i / 3][i % 3] += turn[i / 3][k] * stretch[law][k][i % 3];
      }
      for (int k = 0; k < count; k++) {
        double x[3];
        times((const double(*)[3])f, at[k], x);
        for (int i = 0; i < 3 && !outside(&s, k); i++) x[i] += 0.01 / s.cells * sin(7.0 * k + i);
        move_to(&l, id[k], x);
      }
      settle(&l);
      for (int k = 0; k < count; k++) {
        double x[3];
        times((const double(*)[3])f, at[k], x);
        const scree_body_state now = lab_state(&l, id[k]);
        for (int i = 0; i < 3; i++) assert_near(now.position[i], x[i], 1e-10);
      }
      lab_close(&l);
    }
}

/* Gradients of harmonic functions are displacements without body forces, in any isotropic solid.
 * With the surface moved so, what is wrong inside falls with the order of the element. */
static void field(const double *x, double *u) {
  const double k = 1.3, z = sqrt(2.0) * k * x[2], a = k * x[0] + 0.3, b = k * x[1] - 0.2;
  u[0] = -sin(a) * cos(b) * cosh(z);
  u[1] = -cos(a) * sin(b) * cosh(z);
  u[2] = sqrt(2.0) * cos(a) * cos(b) * sinh(z);
}

static double error_of(int order, int cells, scree_elastic law) {
  const solid s = {cells, order, law, 1e6, 0.3};
  static double at[MOST][3];
  static scree_body_id id[MOST];
  const int count = side(&s) * side(&s) * side(&s);
  const double small = 1e-6;
  double sum = 0.0;
  int inner = 0;
  places(&s, 0.0, at);
  lab l = build(&s, (const double(*)[3])at, id, NULL);
  for (int k = 0; k < count; k++) {
    double u[3], x[3];
    field(at[k], u);
    for (int i = 0; i < 3; i++) x[i] = at[k][i] + (outside(&s, k) ? small * u[i] : 0.0);
    move_to(&l, id[k], x);
  }
  settle(&l);
  for (int k = 0; k < count; k++) {
    double u[3];
    if (outside(&s, k)) continue;
    const scree_body_state now = lab_state(&l, id[k]);
    field(at[k], u);
    for (int i = 0; i < 3; i++) sum += pow((now.position[i] - at[k][i]) / small - u[i], 2.0);
    inner++;
  }
  lab_close(&l);
  return sqrt(sum / inner);
}

static void test_order(void **state) {
  (void)state;
  if (SANITIZED) return; /* test_patch passes the same code */
  for (int law = 0; law < 2; law++) {
    const double linear =
        log2(error_of(1, 4, (scree_elastic)law) / error_of(1, 8, (scree_elastic)law));
    const double quadratic =
        log2(error_of(2, 2, (scree_elastic)law) / error_of(2, 4, (scree_elastic)law));
    if (getenv("SHOW")) printf("orders, law %d: %.2f and %.2f\n", law, linear, quadratic);
    assert_true(linear > 1.7 && linear < 2.5);
    assert_true(quadratic > 2.7);
  }
}

/* Stresses of the Neo-Hookean law in closed form: sigma J = mu (F F' - I) + lambda ln J I. */
static void test_rubber(void **state) {
  (void)state;
  const double gradients[4][3][3] = {{{2.0, 0, 0}, {0, 0.75, 0}, {0, 0, 0.75}},
                                     {{0.5, 0, 0}, {0, 1.2, 0}, {0, 0, 1.3}},
                                     {{1.0, 1.0, 0}, {0, 1.0, 0}, {0, 0, 1.0}},
                                     {{0.3, -1.4, 0.2}, {1.1, 0.4, 0}, {0.1, 0.3, 0.9}}};
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {2, 0}, {0, 1}};
  for (int order = 1; order <= 2; order++)
    for (int n = 0; n < 4; n++) {
      const solid s = {1, order, SCREE_ELASTIC_NEO_HOOKEAN, 3e5, 0.45};
      static double at[MOST][3];
      static scree_body_id id[MOST];
      scree_link_id link;
      const double(*f)[3] = gradients[n];
      places(&s, 0.0, at);
      lab l = build(&s, (const double(*)[3])at, id, &link);
      for (int k = 0; k < side(&s) * side(&s) * side(&s); k++) {
        double x[3];
        times(f, at[k], x);
        move_to(&l, id[k], x);
      }
      const double mu = s.young / (2.0 * 1.45), lambda = s.young * 0.45 / (1.45 * 0.1);
      const double j = f[0][0] * (f[1][1] * f[2][2] - f[1][2] * f[2][1]) -
                       f[0][1] * (f[1][0] * f[2][2] - f[1][2] * f[2][0]) +
                       f[0][2] * (f[1][0] * f[2][1] - f[1][1] * f[2][0]);
      double trace = 0.0;
      scree_link_state st;
      ok(&l, scree_link_get_state(l.world, link, &st));
      for (int m = 0; m < 6; m++) {
        double b = 0.0;
        for (int k = 0; k < 3; k++) b += f[pair[m][0]][k] * f[pair[m][1]][k];
        if (m < 3) trace += b;
        const double exact = (mu * (b - (m < 3)) + (m < 3 ? lambda * log(j) : 0.0)) / j;
        assert_near(st.stress[m], exact, 1e-9 * s.young);
      }
      const double energy = 0.5 * mu * (trace - 3.0) - mu * log(j) + 0.5 * lambda * log(j) * log(j);
      assert_near(scree_world_get_energy(l.world).elastic, energy, 1e-9 * s.young);
      lab_close(&l);
    }
}

/* ---- parts of scenes ------------------------------------------------------------------------- */

typedef struct part {
  lab lab;
  scree_scene *scene;
} part;

static part open_part(const char *gravity, const char *flexible) {
  char text[2000];
  part p = {.lab = {.def = scree_stepper_def_default()}};
  scree_context_def c = scree_context_def_default();
  c.threads = 1;
  p.lab.context = scree_context_create(&c);
  snprintf(text, sizeof text, "gravity: %s\nflexible:\n  - {name: part, %s}\n", gravity, flexible);
  ok(&p.lab, scree_scene_load_text(p.lab.context, "part", text, strlen(text), NULL, &p.scene));
  ok(&p.lab, scree_scene_build(p.scene, &p.lab.world));
  return p;
}

static void close_part(part *p) {
  scree_scene_destroy(p->scene);
  lab_close(&p->lab);
}

static scree_body_id node_of(part *p, int k) {
  char name[32];
  snprintf(name, sizeof name, "part[%d]", k);
  return scree_scene_find_body(p->scene, name);
}

/* The deflection of bars under their weight: w L^4/8EI + w L^2/(2 G 5/6 A). */
static void test_bar(void **state) {
  (void)state;
  const double i = pow(0.1, 4) / 12.0;
  const double exact = 1000.0 * 0.01 * earth / 100.0 * pow(0.6, 4) / (8.0 * 1e7 * i) +
                       1000.0 * earth / 100.0 * 0.36 / (2.0 * 5e6 * 5.0 / 6.0);
  for (int law = 0; law < 2; law++) {
    char text[300];
    snprintf(text, sizeof text,
             "kind: block, lower: [0, 0, 0], upper: [0.6, 0.1, 0.1], cells: [6, 1, 1], order: 2, "
             "law: %s, mass: consistent, young: 1e7, poisson: 0, density: 1000, held: [x-]",
             law ? "neo-hookean" : "linear");
    part p = open_part("[0, 0, -0.0981]", text);
    settle(&p.lab);
    const double found = -lab_state(&p.lab, node_of(&p, 12)).position[2];
    if (getenv("SHOW")) printf("bar: %g of %g\n", found, exact);
    assert_near(found, exact, 0.01 * exact);
    close_part(&p);
  }
}

/* A force across the end of a clamped rod without stretch, P L^2/EI = 5: the elastica
 * th'' = -(P/EI) cos th, th(0) = 0, th'(L) = 0, by shooting. */
static void elastica(double load, double *x, double *y) {
  double lower = 0.0, upper = 10.0;
  for (int n = 0; n < 60; n++) {
    const double slope = 0.5 * (lower + upper), h = 1e-3;
    double th = 0.0, k = slope;
    *x = *y = 0.0;
    for (int m = 0; m < 1000; m++) {
      const double k1 = -load * cos(th), th2 = th + 0.5 * h * k, k2 = k + 0.5 * h * k1;
      const double middle = -load * cos(th2);
      *x += h * cos(th2);
      *y += h * sin(th2);
      th += h * k2;
      k += h * middle;
    }
    if (k > 0.0)
      upper = slope;
    else
      lower = slope;
  }
}

static const char *rope =
    "kind: cable, start: [0, 0, 0], end: [1, 0, 0], elements: %d, radius: 0.004, "
    "young: 1e9, density: 1000, ends: [world, free], collide: false";
static const double rope_inertia = 0.25 * 3.141592653589793 * 0.004 * 0.004 * 0.004 * 0.004;

static void test_large_bend(void **state) {
  (void)state;
  double x, y, error[2];
  elastica(5.0, &x, &y);
  for (int level = 0; level < 2; level++) {
    const int n = 8 << level;
    char text[300];
    snprintf(text, sizeof text, rope, n);
    part p = open_part("[0, 0, 0]", text);
    const double force[3] = {0.0, 0.0, 5.0 * 1e9 * rope_inertia}, none[3] = {0, 0, 0};
    ok(&p.lab, scree_body_set_force(p.lab.world, node_of(&p, n), force, none));
    settle(&p.lab);
    const scree_body_state end = lab_state(&p.lab, node_of(&p, n));
    error[level] = hypot(end.position[0] - x, end.position[2] - y);
    if (getenv("SHOW")) printf("bent to %g %g, error %g\n", x, y, error[level]);
    close_part(&p);
  }
  assert_true(error[0] < 2e-3 && error[1] < 1e-4);
}

/* A moment about -y on the end of a cable, as forces on its end and handle. */
static bool moment(void *user, double time, const scree_link_body *b, double *load, double *k,
                   double *r) {
  const double m = *(const double *)user;
  double a[3];
  (void)time, (void)k, (void)r;
  for (int i = 0; i < 3; i++) a[i] = b[1].center[i] - b[0].center[i];
  const double by = m / (a[0] * a[0] + a[2] * a[2]);
  const double push[3] = {-by * a[2], 0.0, by * a[0]};
  for (int i = 0; i < 3; i++) {
    load[6 + i] = push[i];
    load[i] = -push[i];
  }
  return false;
}

/* 2 pi E I/L makes a circle of it. */
static void test_roll_up(void **state) {
  (void)state;
  double error[2];
  for (int level = 0; level < 2; level++) {
    const int n = 16 << level;
    double m = 2.0 * pi * 1e9 * rope_inertia;
    char text[300];
    snprintf(text, sizeof text, rope, n);
    part p = open_part("[0, 0, 0]", text);
    scree_link_def d = scree_link_def_default();
    d.kind = SCREE_LINK_USER;
    d.body_count = 2;
    d.body[0] = node_of(&p, n);
    d.body[1] = node_of(&p, 2 * n + 1);
    d.function = moment;
    d.user = &m;
    ok(&p.lab, scree_world_add_link(p.lab.world, &d, NULL));
    settle(&p.lab);
    const scree_body_state end = lab_state(&p.lab, node_of(&p, n));
    const scree_body_state half = lab_state(&p.lab, node_of(&p, n / 2));
    error[level] = hypot(end.position[0], end.position[2]);
    if (getenv("SHOW"))
      printf("rolled up: open by %g, wide %g of %g\n", error[level], half.position[2], 1.0 / pi);
    assert_near(half.position[2], 1.0 / pi, 1e-3);
    close_part(&p);
  }
  assert_true(error[0] < 5e-3 && error[1] < error[0] / 10.0);
}

/* Of slender bars: (c_k/L)^2 sqrt(EI/(rho A))/2 pi. */
static void test_frequencies(void **state) {
  (void)state;
  const double clamped[3] = {1.8751040687, 4.6940911330, 7.8547574382};
  double error[2] = {0.0, 0.0}, found[12];
  bool converged;
  for (int level = 0; level < 2; level++) {
    char text[300];
    snprintf(text, sizeof text, rope, 4 << level);
    part p = open_part("[0, 0, 0]", text);
    ok(&p.lab, scree_world_find_modes(p.lab.world, 6, found, NULL, &converged));
    assert_true(converged);
    for (int k = 0; k < 3; k++) {
      const double exact = clamped[k] * clamped[k] / (2.0 * pi) *
                           sqrt(1e9 * rope_inertia / (1000.0 * pi * 0.004 * 0.004));
      assert_near(found[2 * k], exact, 0.01 * exact);
      error[level] = fabs(found[2 * k] - exact) / exact;
    }
    close_part(&p);
  }
  if (getenv("SHOW")) printf("cable: errors %g, %g of the third\n", error[0], error[1]);
  assert_true(log2(error[0] / error[1]) > 3.5);
  part p = open_part(
      "[0, 0, 0]", "kind: block, lower: [0, 0, 0], upper: [1, 0.04, 0.04], cells: [12, 1, 1], "
                   "order: 2, mass: consistent, young: 1e9, poisson: 0, density: 1000, held: [x-]");
  ok(&p.lab, scree_world_find_modes(p.lab.world, 4, found, NULL, &converged));
  const double exact =
      clamped[0] * clamped[0] / (2.0 * pi) * sqrt(1e9 / 1000.0 * 0.04 * 0.04 / 12.0);
  if (getenv("SHOW")) printf("quadratic: %g, %g of %g\n", found[0], found[1], exact);
  for (int k = 0; k < 2; k++) assert_near(found[k], exact, 0.01 * exact);
  close_part(&p);
}

/* Energy of what flies, spins and swings: kept to the square of the step. */
static void test_flight(void **state) {
  (void)state;
  static const char *const parts[] = {
      "kind: block, lower: [0, 0, 0], upper: [0.2, 0.1, 0.1], cells: [2, 1, 1], order: 2, law: "
      "neo-hookean, mass: consistent, young: 1e5, density: 1000, angular: [2, 5, 12], "
      "velocity: [1, 0, 3]",
      "kind: block, lower: [0, 0, 0], upper: [0.2, 0.1, 0.1], cells: [4, 2, 2], law: neo-hookean, "
      "young: 1e5, density: 1000, angular: [2, 5, 12], velocity: [1, 0, 3]",
      "kind: cable, start: [0, 0, 0], end: [0.4, 0, 0], elements: 6, radius: 0.01, young: 1e6, "
      "density: 1000, angular: [2, 5, 12], velocity: [1, 0, 3], collide: false"};
  for (int n = 0; n < 3; n++) {
    double worst[2] = {0.0, 0.0}, stored = 0.0;
    for (int level = 0; level < (SANITIZED ? 1 : 2); level++) {
      part p = open_part("[0, 0, -9.81]", parts[n]);
      p.lab.def.stepper = "trapezoidal";
      const scree_energy before = scree_world_get_energy(p.lab.world);
      const double first = before.linear + before.potential + before.elastic;
      ok(&p.lab, scree_stepper_create(p.lab.world, &p.lab.def, &p.lab.stepper));
      for (int k = 0; k < 250 << level; k++) {
        scree_step_info info;
        ok(&p.lab, scree_stepper_step(p.lab.stepper, 8e-4 / (1 << level), &info));
        assert_true(info.converged);
        const scree_energy e = info.energy;
        stored = fmax(stored, e.elastic);
        worst[level] = fmax(worst[level], fabs(e.linear + e.potential + e.elastic - first));
      }
      assert_true(stored > 1e-4 * first);
      close_part(&p);
    }
    if (getenv("SHOW")) printf("flight %d: %g, %g of %g\n", n, worst[0], worst[1], stored);
    if (SANITIZED) continue;
    assert_true(worst[1] < 3e-3 * stored && worst[1] < 0.3 * worst[0]);
  }
}

/* A stiff block tumbles as the rigid box of its size does: its consistent masses have just the
 * box's inertia. */
static void test_rigid(void **state) {
  (void)state;
  for (int order = 1; order <= 2; order++) {
    char text[400];
    snprintf(text, sizeof text,
             "kind: block, lower: [-0.2, -0.1, -0.05], upper: [0.2, 0.1, 0.05], cells: [2, 1, 1], "
             "order: %d, mass: consistent, young: 1e10, density: 1000, angular: [0.3, 6, 0.2], "
             "velocity: [0, 0, 1]",
             order);
    part p = open_part("[0, 0, -9.81]", text);
    scree_body_def d = scree_body_def_default();
    scree_body_id box;
    d.mass = 1000.0 * 0.4 * 0.2 * 0.1;
    d.inertia[0] = d.mass * (0.2 * 0.2 + 0.1 * 0.1) / 12.0;
    d.inertia[3] = d.mass * (0.4 * 0.4 + 0.1 * 0.1) / 12.0;
    d.inertia[5] = d.mass * (0.4 * 0.4 + 0.2 * 0.2) / 12.0;
    d.velocity[2] = 1.0;
    d.angular[0] = 0.3, d.angular[1] = 6.0, d.angular[2] = 0.2;
    ok(&p.lab, scree_world_add_body(p.lab.world, &d, &box));
    const double corner[3] = {-0.2, -0.1, -0.05};
    p.lab.def.stepper = "hht";
    ok(&p.lab, scree_stepper_create(p.lab.world, &p.lab.def, &p.lab.stepper));
    double worst = 0.0;
    for (int k = 0; k < 400; k++) {
      scree_step_info info;
      ok(&p.lab, scree_stepper_step(p.lab.stepper, 5e-4, &info));
      const scree_body_state b = lab_state(&p.lab, box), c = lab_state(&p.lab, node_of(&p, 0));
      const double *q = b.rotation, w = q[0], u[3] = {q[1], q[2], q[3]};
      double t[3], x[3];
      for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, m = (i + 2) % 3;
        t[i] = 2.0 * (u[j] * corner[m] - u[m] * corner[j]);
      }
      for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, m = (i + 2) % 3;
        x[i] = b.position[i] + corner[i] + w * t[i] + u[j] * t[m] - u[m] * t[j];
        worst = fmax(worst, fabs(x[i] - c.position[i]));
      }
    }
    if (getenv("SHOW")) printf("rigid, order %d: %g m apart after 0.2 s\n", order, worst);
    assert_true(worst < 1e-5);
    close_part(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patch),       cmocka_unit_test(test_order),
      cmocka_unit_test(test_rubber),      cmocka_unit_test(test_bar),
      cmocka_unit_test(test_large_bend),  cmocka_unit_test(test_roll_up),
      cmocka_unit_test(test_frequencies), cmocka_unit_test(test_flight),
      cmocka_unit_test(test_rigid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
