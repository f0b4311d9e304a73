/* Elements alone: loads against differences of the energy, K against differences of loads, damping
 * that no rigid motion feels, rigid modes, objectivity, and mass matrices against closed forms. */
#include "math/dense.h"
#include "model/link/link.h"
#include "model/link/stretch.h"
#include "tests/physics/physics.h"

enum { NODES = 10, N = 6 * NODES };

typedef struct element {
  const char *name;
  scree_link_kind kind;
  uint32_t nodes;
  scree_elastic law;
  double rayleigh;
  uint32_t zeros; /* of K at rest, among 3 a node */
} element;

static const element elements[] = {
    {"linear", SCREE_LINK_TETRAHEDRON, 4, SCREE_ELASTIC_LINEAR, 0.0, 6},
    {"linear, rubber", SCREE_LINK_TETRAHEDRON, 4, SCREE_ELASTIC_NEO_HOOKEAN, 0.0, 6},
    {"quadratic", SCREE_LINK_TETRAHEDRON, 10, SCREE_ELASTIC_LINEAR, 0.0, 6},
    {"quadratic, rubber", SCREE_LINK_TETRAHEDRON, 10, SCREE_ELASTIC_NEO_HOOKEAN, 0.0, 6},
    {"quadratic, damped", SCREE_LINK_TETRAHEDRON, 10, SCREE_ELASTIC_LINEAR, 0.01, 6},
    {"rubber, damped", SCREE_LINK_TETRAHEDRON, 4, SCREE_ELASTIC_NEO_HOOKEAN, 0.01, 6},
    {"cable", SCREE_LINK_CABLE, 4, SCREE_ELASTIC_LINEAR, 0.0, 5}, /* it has no torsion */
    {"cable, damped", SCREE_LINK_CABLE, 4, SCREE_ELASTIC_LINEAR, 0.01, 5},
};
enum { ELEMENTS = sizeof elements / sizeof *elements };

static double noise(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static scree_link_def definition(const element *e) {
  scree_link_def d = scree_link_def_default();
  d.kind = e->kind;
  d.body_count = e->nodes;
  d.young = 1e4;
  d.poisson = 0.35;
  d.elastic = e->law;
  d.rayleigh = e->rayleigh;
  d.density = 700.0;
  d.area = 0.01;
  d.inertia_y = 3e-5;
  d.consistent = true;
  return d;
}

/* A crooked tetrahedron, with nodes near the middles of its edges; or a straight cable. */
static void rest_places(const element *e, double bow, double (*at)[3]) {
  static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}};
  static const double corner[4][3] = {{0, 0, 0}, {1, 0.1, 0}, {0.2, 0.9, 0.1}, {0.1, 0.3, 1.1}};
  unsigned seed = 7;
  if (e->kind == SCREE_LINK_CABLE) {
    const double place[4] = {0.0, 0.4, 1.2, 1.7};
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < 3; i++) at[k][i] = place[k] * (i == 0 ? 0.6 : i == 1 ? 0.8 : 0.0);
    return;
  }
  for (int k = 0; k < 4; k++) memcpy(at[k], corner[k], sizeof at[k]);
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 3; i++)
      at[4 + k][i] = 0.5 * (corner[edge[k][0]][i] + corner[edge[k][1]][i]) + bow * noise(&seed);
}

static lab build(const element *e, double bow, scree_link_id *link) {
  lab l = lab_open(0.0, 0.0);
  double at[NODES][3], mass[NODES];
  scree_link_def d = definition(e);
  rest_places(e, bow, at);
  ok(&l, scree_world_get_link_masses(l.world, &d, at[0], mass));
  for (uint32_t k = 0; k < e->nodes; k++) {
    scree_body_def b = scree_body_def_default();
    memcpy(b.position, at[k], sizeof b.position);
    b.mass = mass[k];
    b.inertia[0] = b.inertia[3] = b.inertia[5] = 1.0;
    b.point = true;
    ok(&l, scree_world_add_body(l.world, &b, &d.body[k]));
  }
  ok(&l, scree_world_add_link(l.world, &d, link));
  return l;
}

static double energy(const lab *l) {
  return link_energy(l->world);
}

static double *coordinate(lab *l, uint32_t c) {
  v3 *x = &l->world->bodies.position[c / 3];
  return c % 3 == 0 ? &x->x : c % 3 == 1 ? &x->y : &x->z;
}

static void shake(lab *l, const element *e, double by, double speed, unsigned *seed) {
  for (uint32_t c = 0; c < 3 * e->nodes; c++) *coordinate(l, c) += by * noise(seed);
  for (uint32_t k = 0; k < e->nodes; k++)
    l->world->bodies.linear[k] = v3_scale(speed, v3_make(noise(seed), noise(seed), noise(seed)));
}

/* `by` 0.05: small strains; 0.2: large ones; 0.8: inside out. */
static void test_derivatives(void **state) {
  (void)state;
  static const double shakes[] = {0.0, 0.05, 0.2, 0.8};
  unsigned seed = 3;
  for (int n = 0; n < ELEMENTS; n++)
    for (int m = 0; m < 4; m++) {
      const element *e = &elements[n];
      scree_link_id id;
      double load[N], more[N], less[N], k[N * N], r[N * N], worst = 0.0, most = 0.0, push = 0.0;
      lab l = build(e, 0.03, &id);
      const world_link *link = &l.world->link[id.index];
      shake(&l, e, shakes[m], 1.0, &seed);
      link_evaluate(l.world, link, load, k, r);
      const uint32_t rows = 6 * e->nodes;
      const double by = 1e-6;
      for (uint32_t c = 0; c < 3 * e->nodes; c++) {
        const uint32_t column = c / 3 * 6 + c % 3;
        double *x = coordinate(&l, c);
        const double old = *x;
        *x = old + by;
        const double up = energy(&l);
        link_evaluate(l.world, link, more, NULL, NULL);
        *x = old - by;
        const double down = energy(&l);
        link_evaluate(l.world, link, less, NULL, NULL);
        *x = old;
        for (uint32_t i = 0; i < rows; i++) {
          most = fmax(most, fabs(k[i * rows + column]));
          worst = fmax(worst, fabs(k[i * rows + column] + (more[i] - less[i]) / (2.0 * by)));
        }
        if (e->rayleigh == 0.0) push = fmax(push, fabs(load[column] + (up - down) / (2.0 * by)));
      }
      /* A folded linear element is near where its turn jumps: differences are poor there. */
      const double allowed = m == 3 ? 1e-4 : 1e-6;
      if (!(worst < allowed * most) || !(push < 1e-6 * most))
        fail_msg("%s, shaken by %g: K is off by %g of %g, loads by %g", e->name, shakes[m], worst,
                 most, push);
      lab_close(&l);
    }
}

static quat some_turn(void) {
  return quat_exp(v3_make(1.1, -0.7, 2.0));
}

/* A rigid motion of a strained element: its dampers take nothing; its loads turn with it. */
static void test_objectivity(void **state) {
  (void)state;
  unsigned seed = 11;
  for (int n = 0; n < ELEMENTS; n++) {
    const element *e = &elements[n];
    scree_link_id id;
    double load[N], turned[N];
    lab l = build(e, 0.03, &id);
    const world_link *link = &l.world->link[id.index];
    shake(&l, e, 0.2, 0.0, &seed);
    link_evaluate(l.world, link, load, NULL, NULL);
    const double before = energy(&l);
    const v3 spin = v3_make(2.0, -3.0, 5.0), shift = v3_make(3.0, 4.0, -1.0);
    double size = 0.0;
    for (uint32_t k = 0; k < e->nodes; k++) {
      v3 *x = &l.world->bodies.position[k];
      *x = v3_add(quat_rotate(some_turn(), *x), shift);
      l.world->bodies.linear[k] = v3_add(v3_make(1.0, 1.0, 2.0), v3_cross(spin, *x));
      size = fmax(size, v3_norm(v3_load(load + 6 * k)));
    }
    link_evaluate(l.world, link, turned, NULL, NULL);
    assert_near(energy(&l), before, 1e-12 * before);
    v3 sum = v3_make(0, 0, 0), moment = v3_make(0, 0, 0);
    for (uint32_t k = 0; k < e->nodes; k++) {
      const v3 f = v3_load(turned + 6 * k), old = quat_rotate(some_turn(), v3_load(load + 6 * k));
      assert_true(v3_norm(v3_sub(f, old)) < 1e-11 * size);
      sum = v3_add(sum, f);
      moment = v3_add(moment, v3_cross(l.world->bodies.position[k], f));
    }
    assert_true(v3_norm(sum) < 1e-11 * size && v3_norm(moment) < 1e-10 * size);
    assert_true(world_link_loss(l.world) < 1e-20 * before);
    lab_close(&l);
  }
}

/* Eigenvalues of K at rest: as many zeros as rigid motions, all others above 0. */
static void test_rigid_modes(void **state) {
  (void)state;
  for (int n = 0; n < ELEMENTS; n++) {
    const element *e = &elements[n];
    const uint32_t size = 3 * e->nodes;
    scree_link_id id;
    double load[N], k[N * N], r[N * N], a[30 * 30], v[30 * 30], most = 0.0;
    lab l = build(e, 0.03, &id);
    link_evaluate(l.world, &l.world->link[id.index], load, k, r);
    for (uint32_t i = 0; i < size; i++)
      for (uint32_t j = 0; j < size; j++)
        a[i * size + j] = k[(i / 3 * 6 + i % 3) * 6 * e->nodes + j / 3 * 6 + j % 3];
    dense_eigen(size, a, 1e-34, v);
    uint32_t zeros = 0;
    for (uint32_t i = 0; i < size; i++) most = fmax(most, a[i * (size + 1)]);
    for (uint32_t i = 0; i < size; i++) {
      assert_true(a[i * (size + 1)] > -1e-13 * most);
      zeros += fabs(a[i * (size + 1)]) < 1e-13 * most;
      if (fabs(a[i * (size + 1)]) >= 1e-13 * most) assert_true(a[i * (size + 1)] > 1e-6 * most);
    }
    assert_int_equal(zeros, e->zeros);
    lab_close(&l);
  }
}

/* Bodies and link together: the textbook's matrices (rho V/20 (1 + [i = j]); rho V/420 times 6, 1,
 * -4, -6, 32, 16, 8; the Hermite beam's rho A L/420 times 156, 22 L, 54, -13 L, 4 L^2, -3 L^2). */
static void test_mass(void **state) {
  (void)state;
  for (int n = 0; n < ELEMENTS; n++) {
    const element *e = &elements[n];
    scree_link_id id;
    lab l = build(e, 0.0, &id);
    const world_link *link = &l.world->link[id.index];
    double m[NODES][NODES], at[NODES][3];
    for (uint32_t i = 0; i < e->nodes; i++)
      for (uint32_t j = 0; j < e->nodes; j++)
        m[i][j] = link_inertia(link, i, j) + (i == j ? l.world->bodies.mass[i] : 0.0);
    rest_places(e, 0.0, at);
    if (e->kind == SCREE_LINK_CABLE) {
      /* As a function of P0, L r0', P1, L r1': S = P + l r', so N_slope = N_S l/L and
       * N_place = N_P + N_S. */
      const double length = 1.2, all = 700.0 * 0.01 * length / 420.0;
      const double ratio[2] = {0.4 / length, 0.5 / length};
      const double exact[4][4] = {
          {156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
          double sum = 0.0;
          for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
              const double ca = a / 2 != i / 2 ? 0.0 : i % 2 == 0 ? 1.0 : a % 2 * ratio[i / 2];
              const double cb = b / 2 != j / 2 ? 0.0 : j % 2 == 0 ? 1.0 : b % 2 * ratio[j / 2];
              sum += ca * cb * m[a][b];
            }
          assert_near(sum, all * exact[i][j], 1e-12 * all * 156.0);
        }
      lab_close(&l);
      continue;
    }
    v3 d[3];
    for (int k = 0; k < 3; k++) d[k] = v3_sub(v3_load(at[k + 1]), v3_load(at[0]));
    const double whole = 700.0 * v3_dot(d[0], v3_cross(d[1], d[2])) / 6.0;
    static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}};
    for (uint32_t i = 0; i < e->nodes; i++)
      for (uint32_t j = 0; j <= i; j++) {
        double exact = (i == j ? 2.0 : 1.0) / 20.0;
        if (e->nodes == 10 && i < 4) exact = (i == j ? 6.0 : 1.0) / 420.0;
        if (i >= 4) {
          const int *p = edge[i - 4], *q = j >= 4 ? edge[j - 4] : NULL;
          if (!q) exact = (p[0] == (int)j || p[1] == (int)j ? -4.0 : -6.0) / 420.0;
          const bool meet = q && (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]);
          if (q) exact = (i == j ? 32.0 : meet ? 16.0 : 8.0) / 420.0;
        }
        assert_near(m[i][j], whole * exact, 1e-12 * whole);
      }
    /* Lumped: the whole mass. */
    scree_link_def lumped = definition(e);
    double mass[NODES], sum = 0.0;
    lumped.consistent = false;
    ok(&l, scree_world_get_link_masses(l.world, &lumped, at[0], mass));
    for (uint32_t k = 0; k < e->nodes; k++) sum += mass[k];
    assert_near(sum, whole, 1e-12 * whole);
    assert_near(mass[0], whole * (e->nodes == 4 ? 0.25 : 1.0 / 36.0), 1e-12 * whole);
    lab_close(&l);
  }
}

/* F = U diag(s) V', turns both, for any F. */
static void test_decompose(void **state) {
  (void)state;
  unsigned seed = 5;
  for (int n = 0; n < 400; n++) {
    double f[3][3], u[3][3], s[3], v[3][3], most = 0.0;
    for (int i = 0; i < 9; i++) f[i / 3][i % 3] = noise(&seed);
    const int kind = n % 8;
    for (int i = 0; i < 3; i++) {
      if (kind == 1) f[i][2] = f[i][1];                           /* rank 2 */
      if (kind == 2) f[i][1] = 3.0 * f[i][0], f[i][2] = -f[i][0]; /* rank 1 */
      for (int j = 0; j < 3; j++) {
        if (kind == 3) f[i][j] = 0.0;
        if (kind == 4) f[i][j] = (i == j) * (i == 2 ? -1.0 : 1.0); /* a mirror */
        if (kind == 5) f[i][j] = i == j;
        if (kind == 6) f[i][j] *= j == 1 ? 1e-9 : 1e6;
        most = fmax(most, fabs(f[i][j]));
      }
    }
    stretch_decompose((const double(*)[3])f, u, s, v);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double back = 0.0, uu = 0.0, vv = 0.0;
        for (int k = 0; k < 3; k++) {
          back += u[i][k] * s[k] * v[j][k];
          uu += u[k][i] * u[k][j];
          vv += v[k][i] * v[k][j];
        }
        assert_near(back, f[i][j], 1e-14 * most);
        assert_near(uu, i == j, 1e-14);
        assert_near(vv, i == j, 1e-14);
      }
    for (int m = 0; m < 2; m++) {
      double(*t)[3] = m ? u : v;
      const v3 x = v3_make(t[0][0], t[1][0], t[2][0]), y = v3_make(t[0][1], t[1][1], t[2][1]);
      assert_near(v3_dot(v3_cross(x, y), v3_make(t[0][2], t[1][2], t[2][2])), 1.0, 1e-13);
    }
  }
}

static void refused(lab *l, const scree_link_def *d, const char *why) {
  assert_int_equal(scree_world_add_link(l->world, d, NULL), SCREE_ERROR_INPUT);
  if (!strstr(scree_context_message(l->context), why))
    fail_msg("'%s' has no '%s'", scree_context_message(l->context), why);
}

static void test_refusals(void **state) {
  (void)state;
  const element *e = &elements[2];
  scree_link_id id;
  lab l = build(e, 0.03, &id);
  scree_link_def d = definition(e);
  for (uint32_t k = 0; k < e->nodes; k++) d.body[k] = (scree_body_id){k, 1};
  for (uint32_t k = 0; k < e->nodes; k++) d.body[k].generation = l.world->bodies.generation[k];
  ok(&l, scree_world_add_link(l.world, &d, NULL));
  scree_link_def bad = d;
  bad.body_count = 7;
  refused(&l, &bad, "four or ten");
  bad = d, bad.poisson = 0.5;
  refused(&l, &bad, "poisson");
  bad = d, bad.young = -1.0;
  refused(&l, &bad, "young");
  bad = d, bad.density = 0.0;
  refused(&l, &bad, "density");
  bad = d, bad.elastic = SCREE_ELASTIC_COUNT;
  refused(&l, &bad, "law");
  bad = d, bad.elastic = SCREE_ELASTIC_NEO_HOOKEAN, bad.poisson = -0.2;
  refused(&l, &bad, "poisson");
  const v3 old = l.world->bodies.position[4];
  l.world->bodies.position[4] = v3_scale(0.1, old); /* beyond a quarter of the edge */
  refused(&l, &d, "folded");
  l.world->bodies.position[4] = old;
  l.world->bodies.position[3] = l.world->bodies.position[2];
  refused(&l, &d, "no volume");
  lab_close(&l);
  e = &elements[6];
  l = build(e, 0.0, &id);
  d = definition(e);
  for (uint32_t k = 0; k < e->nodes; k++)
    d.body[k] = (scree_body_id){k, l.world->bodies.generation[k]};
  l.world->bodies.position[1].z += 0.1;
  refused(&l, &d, "handles");
  bad = d, bad.kind = SCREE_LINK_SPRING;
  double at[NODES][3], mass[NODES];
  rest_places(e, 0.0, at);
  assert_int_equal(scree_world_get_link_masses(l.world, &bad, at[0], mass), SCREE_ERROR_INPUT);
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_derivatives), cmocka_unit_test(test_objectivity),
      cmocka_unit_test(test_rigid_modes), cmocka_unit_test(test_mass),
      cmocka_unit_test(test_decompose),   cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
