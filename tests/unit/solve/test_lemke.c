/* The LCP of polyhedral cones and Lemke's method as a solver: against enumeration in the plane, on
 * the hexagon whose two solutions have an average that is none, and what it says of round cones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ccp/forms/matrices.h"
#include "solve/lcp/polyhedral.h"
#include "tests/support/planar.h"

static uint64_t seed = 4711;

static double draw(double lo, double hi) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * (double)(seed >> 11) / 9007199254740992.0;
}

static scree_solve_info solve(scree_context *context, const scree_ccp *problem, scree_model model,
                              const char *key, const char *value, double *g) {
  scree_solver *s = NULL;
  scree_solve_info info;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = model;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = 1e-11;
  assert_int_equal(scree_solver_create(context, "lemke", &s), SCREE_OK);
  if (key) assert_int_equal(scree_solver_set(s, key, value), SCREE_OK);
  assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
  scree_solver_destroy(s);
  return info;
}

/* Two planar contacts of random bodies: W = J J' with three degrees of freedom. */
static planar random_planar(void) {
  planar p = {.contacts = 2};
  double j[4][3], v[3];
  for (int k = 0; k < 3; k++) v[k] = draw(-1.0, 1.0);
  for (int i = 0; i < 4; i++) {
    p.q[i] = 0.0;
    for (int k = 0; k < 3; k++) {
      j[i][k] = draw(-1.0, 1.0);
      p.q[i] += j[i][k] * v[k];
    }
  }
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) {
      p.w[a * 4 + b] = a == b ? 0.02 : 0.0;
      for (int k = 0; k < 3; k++) p.w[a * 4 + b] += j[a][k] * j[b][k];
    }
  for (int i = 0; i < 2; i++) p.mu[i] = draw(0.1, 0.9);
  return p;
}

static void test_planar_against_enumeration(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  int several = 0, touching = 0;
  for (int trial = 0; trial < 500; trial++) {
    const planar p = random_planar();
    double all[16 * PLANAR_ROWS], g[4], nearest = INFINITY;
    size_t singular;
    const size_t count = planar_enumerate(&p, all, 16, &singular);
    scree_ccp *problem = NULL;
    assert_int_equal(planar_create(context, &p, &problem), SCREE_OK);
    const scree_solve_info info = solve(context, problem, SCREE_MODEL_COULOMB, NULL, NULL, g);
    scree_ccp_destroy(problem);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    assert_true(count > 0);
    for (size_t k = 0; k < count; k++) {
      double off = 0.0;
      for (int i = 0; i < 4; i++) off = fmax(off, fabs(g[i] - all[k * PLANAR_ROWS + (size_t)i]));
      nearest = fmin(nearest, off);
    }
    assert_true(nearest < 1e-8);
    several += count > 1;
    touching += info.iterations > 2;
  }
  assert_true(several > 0 && touching > 100);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* A plate on six feet at the corners of a hexagon, at rest under gravity. */
static scree_ccp *hexagon(scree_context *context) {
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  const scree_ccp_body_def plate = {.inverse_mass = 1.0,
                                    .inverse_inertia = {4.0, 0.0, 0.0, 4.0, 0.0, 2.0},
                                    .v_free = {0.0, 0.0, -0.0981}};
  uint32_t body;
  assert_int_equal(scree_ccp_add_body(problem, &plate, &body), SCREE_OK);
  for (int k = 0; k < 6; k++) {
    scree_ccp_contact_def c = scree_ccp_contact_def_default();
    c.body_a = SCREE_CCP_WORLD;
    c.body_b = body;
    c.set = scree_set_coulomb(3, 0.4);
    c.normal[2] = 1.0;
    c.arm_b[0] = cos(1.0471975511965976 * k);
    c.arm_b[1] = sin(1.0471975511965976 * k);
    assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
  }
  return problem;
}

static double lcp_residual(const polyhedral *p, const double *z) {
  double worst = 0.0;
  for (size_t i = 0; i < p->n; i++) {
    double w = p->q[i];
    for (size_t j = 0; j < p->n; j++) w += p->m[i * p->n + j] * z[j];
    worst = fmax(worst, fabs(fmin(w, z[i])));
  }
  return worst;
}

/* Feet 0, 2, 4 carry, or feet 1, 3, 5; those that do not carry have lambda = 1, which is allowed as
 * their cone is empty. Both solve the LCP and leave the plate at rest. Half of both does not: a
 * carrying foot then has lambda = 1/2. The relaxed LCP is a convex program: its solutions are
 * convex, and the same points with lambda = 0 and their average are among them. */
static void test_hexagon(void **state) {
  (void)state;
  enum { CORNERS = 8, EACH = CORNERS + 2, SIZE = 6 * EACH };
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = hexagon(context);
  ccp_operator *op = NULL;
  formed_matrix n = {.start = NULL};
  polyhedral lcp = {0};
  assert_int_equal(op_create(context, problem, &op), SCREE_OK);
  assert_int_equal(form_delassus(op, &n), SCREE_OK);
  assert_int_equal(polyhedral_prepare(&lcp, op, &n.blocks), SCREE_OK);
  for (int model = 0; model < 2; model++) {
    const bool coulomb = model == SCREE_MODEL_COULOMB;
    assert_int_equal(polyhedral_build(&lcp, op, (scree_model)model, CORNERS), SCREE_OK);
    assert_int_equal(lcp.n, SIZE);
    double z[3][SIZE] = {{0}}, g[18], u[18];
    for (int k = 0; k < 6; k++)
      for (int half = 0; half < 2; half++) {
        const bool carries = k % 2 == half;
        if (carries)
          z[half][k * EACH] = 0.0981 / 3.0 / lcp.unit / lcp.variable[k * EACH].direction[0];
        else if (coulomb)
          z[half][k * EACH + EACH - 1] = 1.0;
      }
    for (int k = 0; k < SIZE; k++) z[2][k] = 0.5 * (z[0][k] + z[1][k]);
    assert_true(lcp_residual(&lcp, z[0]) < 1e-14 && lcp_residual(&lcp, z[1]) < 1e-14);
    if (coulomb)
      assert_true(lcp_residual(&lcp, z[2]) > 0.1);
    else
      assert_true(lcp_residual(&lcp, z[2]) < 1e-14);
    for (int k = 0; k < 3; k++) {
      polyhedral_impulses(&lcp, op, z[k], false, g);
      op_local_velocity(op, g, u);
      for (int i = 0; i < 18; i++) assert_true(fabs(u[i]) < 1e-15);
    }
    const scree_solve_info info = solve(context, problem, (scree_model)model, NULL, NULL, g);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  }
  polyhedral_clear(context, &lcp);
  formed_matrix_clear(context, &n);
  op_destroy(op);
  scree_ccp_destroy(problem);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* One point mass sliding in a direction between two corners, mu = 0.5, W = 1, v = (-1; 3 (cos a,
 * sin a)). Polygon: friction mu along the corner nearest to -u_T, or what chords allow; round:
 * exactly against u_T. */
static void test_round_cones_are_not_claimed(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  const size_t start[4] = {0, 1, 2, 3};
  const uint32_t index[3] = {0, 1, 2};
  const double one[3] = {1.0, 1.0, 1.0}, a = 0.27, q[3] = {-1.0, 3.0 * cos(a), 3.0 * sin(a)};
  const scree_csc w = {3, 3, start, index, one};
  const scree_set set = scree_set_coulomb(3, 0.5);
  scree_ccp *problem = NULL;
  double g[3];
  assert_int_equal(scree_ccp_create_local(context, 1, &set, &w, q, NULL, &problem), SCREE_OK);

  scree_solve_info info = solve(context, problem, SCREE_MODEL_COULOMB, NULL, NULL, g);
  assert_int_equal(info.outcome, SCREE_OUTCOME_STALLED);
  assert_non_null(strstr(info.detail, "polyhedral cones of 8 facets"));
  assert_true(fabs(g[0] - 1.0) < 1e-14 && fabs(g[1] + 0.5) < 1e-14 && fabs(g[2]) < 1e-14);
  assert_true(info.residual.scaled > 1e-2);

  info = solve(context, problem, SCREE_MODEL_COULOMB, "judge", "polyhedral", g);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  assert_non_null(strstr(info.detail, "polyhedral"));
  assert_true(info.residual.scaled > 1e-2);

  const double before = info.residual.scaled;
  info = solve(context, problem, SCREE_MODEL_COULOMB, "turns", "8", g);
  assert_true(info.residual.scaled < 1e-3 * before);
  assert_true(fabs(g[1] + 0.5 * cos(a)) < 1e-4 && fabs(g[2] + 0.5 * sin(a)) < 1e-4);

  /* The relaxed cone's contact lifts at mu |u_T|. */
  info = solve(context, problem, SCREE_MODEL_RELAXED, "facets", "64", g);
  assert_true(fabs(g[0] - 1.0 - 0.5 * hypot(g[1] + q[1], g[2] + q[2])) < 1e-2);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

static void test_limits(void **state) {
  (void)state;
  enum { MANY = 2100 };
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = NULL;
  static size_t start[MANY + 1];
  static uint32_t index[MANY];
  static double one[MANY], q[MANY];
  static scree_set sets[MANY];
  for (size_t i = 0; i < MANY; i++) {
    start[i + 1] = i + 1;
    index[i] = (uint32_t)i;
    one[i] = 1.0;
    sets[i] = scree_set_ray();
  }
  const scree_csc w = {MANY, MANY, start, index, one};
  assert_int_equal(scree_ccp_create_local(context, MANY, sets, &w, q, NULL, &problem), SCREE_OK);
  for (size_t k = 0; k < scree_solver_count(); k++)
    if (strcmp(scree_solver_name(k), "lemke") == 0)
      assert_non_null(scree_solver_refusal(k, problem, SCREE_MODEL_RELAXED));
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_planar_against_enumeration),
      cmocka_unit_test(test_hexagon),
      cmocka_unit_test(test_round_cones_are_not_claimed),
      cmocka_unit_test(test_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
