/* A triangle of a shell alone: loads against differences of the energy, K against differences of
 * loads, rigid motions, and the energy of constant strain and constant curvature. */
#include "model/link/link.h"
#include "tests/physics/physics.h"

enum { N = 18 };
static const double corner[3][3] = {{0.1, 0.2, 0.0}, {1.0, 0.1, 0.3}, {0.3, 0.9, -0.2}};
static const double young = 1e4, poisson = 0.3, thickness = 0.05;

static double noise(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static lab build(double rayleigh, const double (*at)[3], scree_link_id *id) {
  lab l = lab_open(0.0, 0.0);
  scree_link_def d = scree_link_def_default();
  unsigned seed = 5;
  d.kind = SCREE_LINK_SHELL;
  d.young = young;
  d.poisson = poisson;
  d.thickness = thickness;
  d.rayleigh = rayleigh;
  for (int k = 0; k < 3; k++) {
    scree_body_def b = scree_body_def_default();
    memcpy(b.position, at[k], sizeof b.position);
    b.mass = 1.0;
    b.inertia[0] = b.inertia[3] = b.inertia[5] = 1.0;
    const quat q = quat_exp(v3_make(noise(&seed), noise(&seed), noise(&seed)));
    const double rotation[4] = {q.w, q.x, q.y, q.z};
    memcpy(b.rotation, rotation, sizeof rotation);
    ok(&l, scree_world_add_body(l.world, &b, &d.body[k]));
  }
  ok(&l, scree_world_add_link(l.world, &d, id));
  return l;
}

static void move(lab *l, int c, double by) {
  world_bodies *b = &l->world->bodies;
  const int axis = c % 3;
  const v3 unit = v3_make(axis == 0, axis == 1, axis == 2);
  if (c % 6 < 3)
    b->position[c / 6] = v3_add_scaled(b->position[c / 6], by, unit);
  else
    b->rotation[c / 6] = quat_mul(quat_exp(v3_scale(by, unit)), b->rotation[c / 6]);
}

static void test_derivatives(void **state) {
  (void)state;
  static const double shakes[] = {0.0, 0.01, 0.1, 0.3};
  unsigned seed = 3;
  for (int m = 0; m < 4; m++)
    for (int damped = 0; damped < 2; damped++) {
      scree_link_id id;
      lab l = build(damped ? 0.01 : 0.0, corner, &id);
      const world_link *link = &l.world->link[id.index];
      double load[N], more[N], less[N], k[N * N], r[N * N], most = 0.0;
      for (int c = 0; c < N; c++) move(&l, c, shakes[m] * noise(&seed));
      for (int i = 0; i < 3 && damped; i++) {
        l.world->bodies.linear[i] = v3_make(noise(&seed), noise(&seed), noise(&seed));
        l.world->bodies.angular[i] = v3_make(noise(&seed), noise(&seed), noise(&seed));
      }
      link_evaluate(l.world, link, load, k, r);
      for (int i = 0; i < N * N; i++) most = fmax(most, fabs(k[i]));
      const double by = 1e-6;
      for (int c = 0; c < N; c++) {
        const pose old = world_pose(l.world, (uint32_t)(c / 6));
        move(&l, c, by);
        const double up = link_energy(l.world);
        link_evaluate(l.world, link, more, NULL, NULL);
        move(&l, c, -2.0 * by);
        const double down = link_energy(l.world);
        link_evaluate(l.world, link, less, NULL, NULL);
        l.world->bodies.position[c / 6] = old.position;
        l.world->bodies.rotation[c / 6] = old.rotation;
        for (int i = 0; i < N; i++)
          assert_near(k[i * N + c], -(more[i] - less[i]) / (2.0 * by), 1e-6 * most);
        if (!damped) assert_near(load[c], -(up - down) / (2.0 * by), 1e-7 * most);
      }
      lab_close(&l);
    }
}

/* Neither energy nor loads by a rigid motion; loads of a strained one turn with it. */
static void test_rigid(void **state) {
  (void)state;
  scree_link_id id;
  lab l = build(0.0, corner, &id);
  world_bodies *b = &l.world->bodies;
  unsigned seed = 9;
  const quat turn = quat_exp(v3_make(1.1, -0.7, 2.0));
  double load[N], turned[N];
  for (int strained = 0; strained < 2; strained++) {
    for (int c = 0; c < N && strained; c++) move(&l, c, 0.05 * noise(&seed));
    link_evaluate(l.world, &l.world->link[id.index], load, NULL, NULL);
    const double energy = link_energy(l.world);
    for (int i = 0; i < 3; i++) {
      b->position[i] = v3_add(quat_rotate(turn, b->position[i]), v3_make(3, -2, 1));
      b->rotation[i] = quat_mul(turn, b->rotation[i]);
    }
    link_evaluate(l.world, &l.world->link[id.index], turned, NULL, NULL);
    assert_near(link_energy(l.world), energy, 1e-12 * young);
    for (int k = 0; k < 6; k++) {
      const v3 p = quat_rotate(turn, v3_load(load + 3 * k)), q = v3_load(turned + 3 * k);
      assert_near(v3_norm(v3_sub(p, q)), 0.0, 1e-10 * young);
      if (!strained) assert_near(v3_norm(q), 0.0, 1e-10 * young);
    }
  }
  assert_true(link_energy(l.world) > 0.0);
  lab_close(&l);
}

/* In the plane: U - I of any size, with nodes that turn along; and w = (a x^2 + b y^2 + c x y)/2.
 */
static void test_constant(void **state) {
  (void)state;
  static const double flat[3][3] = {{0.1, 0.2, 0.0}, {1.0, 0.1, 0.0}, {0.3, 0.9, 0.0}};
  const double area = 0.5 * ((flat[1][0] - flat[0][0]) * (flat[2][1] - flat[0][1]) -
                             (flat[2][0] - flat[0][0]) * (flat[1][1] - flat[0][1]));
  const double e = young / (1.0 - poisson * poisson);
  scree_link_id id;
  lab l = build(0.0, flat, &id);
  world_bodies *b = &l.world->bodies;
  const double u[3] = {0.2, -0.1, 0.05};
  for (int i = 0; i < 3; i++)
    b->position[i] = v3_make((1.0 + u[0]) * flat[i][0] + u[2] * flat[i][1],
                             u[2] * flat[i][0] + (1.0 + u[1]) * flat[i][1], 0.0);
  double exact = 0.5 * area * thickness * e *
                 (u[0] * u[0] + u[1] * u[1] + 2.0 * poisson * u[0] * u[1] +
                  2.0 * (1.0 - poisson) * u[2] * u[2]);
  assert_near(link_energy(l.world), exact, 1e-12 * exact);
  lab_close(&l);
  l = build(0.0, flat, &id);
  b = &l.world->bodies;
  const double small = 1e-6, k[3] = {0.3 * small, -0.2 * small, 0.4 * small};
  for (int i = 0; i < 3; i++) {
    const double x = flat[i][0], y = flat[i][1];
    b->position[i].z = 0.5 * (k[0] * x * x + k[1] * y * y + k[2] * x * y);
    const v3 turn = {k[1] * y + 0.5 * k[2] * x, -k[0] * x - 0.5 * k[2] * y, 0.0};
    b->rotation[i] = quat_mul(quat_exp(turn), b->rotation[i]);
  }
  exact = 0.5 * area * thickness * thickness * thickness / 12.0 * e *
          (k[0] * k[0] + k[1] * k[1] + 2.0 * poisson * k[0] * k[1] +
           0.5 * (1.0 - poisson) * k[2] * k[2]);
  assert_near(link_energy(l.world), exact, 1e-6 * exact);
  lab_close(&l);
}

static void test_refusals(void **state) {
  (void)state;
  scree_link_id id;
  lab l = build(0.0, corner, &id);
  scree_link_def d = scree_link_def_default();
  double masses[3], line[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
  d.kind = SCREE_LINK_SHELL;
  d.young = young;
  d.density = 100.0;
  for (uint32_t k = 0; k < 3; k++) d.body[k] = scree_world_body_at(l.world, k);
  assert_int_equal(scree_world_add_link(l.world, &d, NULL), SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(l.context), "thickness"));
  d.thickness = 0.01;
  assert_int_equal(scree_world_get_link_masses(l.world, &d, line, masses), SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(l.context), "no area"));
  line[7] = 1.0;
  ok(&l, scree_world_get_link_masses(l.world, &d, line, masses));
  assert_near(masses[0] + masses[1] + masses[2], 100.0 * 0.01 * 0.5, 1e-12);
  d.consistent = true;
  assert_int_equal(scree_world_get_link_masses(l.world, &d, line, masses), SCREE_ERROR_INPUT);
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_rigid),
      cmocka_unit_test(test_constant),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
