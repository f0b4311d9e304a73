/* The interior point method as oracle: every set to 1e-10 in both residuals (which are computed by
 * a function of their own), redundant constraints, extreme mass ratios in few iterations, islands,
 * and both ways of setting up its linear system. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/packing.h"
#include "tests/support/sanitized.h"

static double uniform(uint64_t *state) {
  *state += 0x9e3779b97f4a7c15ull;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53 - 0.5;
}

typedef struct ask {
  scree_model model;
  const char *space;
  double error, residual;
} ask;

static scree_solve_info solve(scree_context *context, const scree_ccp *problem, ask a, double *g) {
  scree_solver *solver = NULL;
  assert_int_equal(scree_solver_create(context, "ipm", &solver), SCREE_OK);
  if (a.space) assert_int_equal(scree_solver_set(solver, "space", a.space), SCREE_OK);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = a.model;
  settings.tolerance_error = a.error;
  settings.tolerance_residual = a.residual;
  scree_solve_info info;
  assert_int_equal(scree_solver_solve(solver, problem, &settings, g, &info), SCREE_OK);
  scree_solver_destroy(solver);
  return info;
}

static const ask oracle = {SCREE_MODEL_RELAXED, NULL, 1e-10, 1e-10};

/* ---- random problems of all sets ------------------------------------------------------------ */

enum { BLOCKS = 24 };

static scree_set set_of(size_t i) {
  scree_set s;
  switch (i % 12) {
  case 0:
    return scree_set_free(2);
  case 1:
    return scree_set_ray();
  case 2:
    return scree_set_interval(-0.3, 0.2);
  case 3:
    return scree_set_coulomb(2, 0.5);
  case 4:
    return scree_set_coulomb(3, 0.3);
  case 5:
    return scree_set_elliptic(0.8, 0.2);
  case 6:
    return scree_set_rolling(4, 0.4, 0.0, 0.1);
  case 7:
    return scree_set_rolling(5, 0.4, 0.05, 0.0);
  case 8:
    return scree_set_rolling(6, 0.4, 0.05, 0.1);
  case 9:
    return scree_set_coulomb(3, 0.0);
  case 10:
    s = scree_set_coulomb(3, 0.6);
    s.cohesion = 0.2;
    s.cap = 0.4;
    return s;
  default:
    s = scree_set_rolling(6, 0.4, 0.0, 0.1);
    s.cap = 0.5;
    return s;
  }
}

/* W = G'G with fewer columns than rows: singular, so that impulses are not unique; q = W g - y with
 * a velocity part in the range, so that a solution exists where normals may push. */
static scree_ccp *random_problem(scree_context *context, uint64_t seed, double asymmetry) {
  scree_set sets[BLOCKS];
  size_t rows = 0;
  for (size_t i = 0; i < BLOCKS; i++) {
    sets[i] = set_of(i);
    rows += (size_t)sets[i].dim;
  }
  const size_t rank = rows * 3 / 4;
  double *g = calloc(rank * rows, sizeof *g), *w = calloc(rows * rows, sizeof *w),
         *q = calloc(rows, sizeof *q);
  size_t *start = calloc(rows + 1, sizeof *start);
  uint32_t *index = calloc(rows * rows, sizeof *index);
  for (size_t k = 0; k < rank * rows; k++) g[k] = uniform(&seed) + uniform(&seed) + uniform(&seed);
  for (size_t j = 0; j < rows; j++) {
    for (size_t i = 0; i < rows; i++) {
      for (size_t k = 0; k < rank; k++) w[j * rows + i] += g[k * rows + i] * g[k * rows + j];
      w[j * rows + i] *= 1.0 + asymmetry * uniform(&seed);
      index[j * rows + i] = (uint32_t)i;
    }
    start[j + 1] = (j + 1) * rows;
    for (size_t k = 0; k < rank; k++) q[j] += g[k * rows + j] * cos((double)(k * k));
  }
  const scree_csc matrix = {rows, rows, start, index, w};
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_local(context, BLOCKS, sets, &matrix, q, NULL, &problem),
                   SCREE_OK);
  free(g);
  free(w);
  free(q);
  free(start);
  free(index);
  return problem;
}

static void test_all_sets(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (uint64_t seed = 1; seed <= 10; seed++) {
    scree_ccp *problem = random_problem(context, seed, 0.0);
    double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
    const scree_solve_info info = solve(context, problem, oracle, g);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    scree_residual judged;
    assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_RELAXED, g, &judged),
                     SCREE_OK);
    assert_true(judged.error <= 1e-10 && judged.scaled <= 1e-10);
    assert_true(info.iterations < 40);
    free(g);
    scree_ccp_destroy(problem);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* ---- closed forms --------------------------------------------------------------------------- */

/* Boxes of unit size on each other, four contacts between two: 6 rows too many for each. */
static scree_ccp *stack(scree_context *context, size_t count, double top, double mu) {
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  for (size_t k = 0; k < count; k++) {
    const double m = k + 1 == count ? top : 1.0, i = 6.0 / m;
    const scree_ccp_body_def body = {
        .inverse_mass = 1.0 / m, .inverse_inertia = {i, 0, 0, i, 0, i}, .v_free = {0, 0, -0.05}};
    assert_int_equal(scree_ccp_add_body(problem, &body, NULL), SCREE_OK);
  }
  for (size_t k = 0; k < count; k++)
    for (int corner = 0; corner < 4; corner++) {
      scree_ccp_contact_def c = scree_ccp_contact_def_default();
      c.body_a = k ? (uint32_t)k - 1 : SCREE_CCP_WORLD;
      c.body_b = (uint32_t)k;
      c.set = scree_set_coulomb(3, mu);
      c.arm_a[0] = c.arm_b[0] = corner & 1 ? 0.5 : -0.5;
      c.arm_a[1] = c.arm_b[1] = corner & 2 ? 0.5 : -0.5;
      c.arm_a[2] = 0.5;
      c.arm_b[2] = -0.5;
      assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
    }
  scree_ccp_set_reference_speed(problem, 0.05);
  return problem;
}

static void test_heavy_top(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  static const char *const spaces[] = {"local", "bodies"};
  for (int s = 0; s < 2; s++) {
    scree_ccp *problem = stack(context, 10, 1e6, 0.5);
    double g[120];
    const scree_solve_info info =
        solve(context, problem, (ask){SCREE_MODEL_RELAXED, spaces[s], 1e-8, 1e-8}, g);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    assert_true(info.iterations <= 30);
    for (int level = 0; level < 10; level++) {
      double sum = 0.0;
      for (int k = 0; k < 4; k++) sum += g[12 * level + 3 * k];
      const double weight = 0.05 * (1e6 + (9.0 - level));
      assert_true(fabs(sum - weight) < 1e-6 * weight);
    }
    scree_ccp_destroy(problem);
  }
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 3;
  def.masses = PACKING_TOP_HEAVY;
  def.mass_ratio = 1e4;
  scree_ccp *problem = NULL;
  assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  const scree_solve_info info =
      solve(context, problem, (ask){SCREE_MODEL_RELAXED, NULL, 1e-8, 1e-8}, g);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  assert_true(info.iterations <= 30);
  free(g);
  scree_ccp_destroy(problem);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* A weight on a joint given three times over, one with compliance: the compliant one is slack, as
 * the rigid ones leave it no motion. */
static void test_redundant_joint(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  static const char *const spaces[] = {"local", "bodies"};
  for (int s = 0; s < 2; s++) {
    scree_ccp *problem = NULL;
    assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
    const scree_ccp_body_def body = {
        .inverse_mass = 0.5, .inverse_inertia = {1, 0, 0, 1, 0, 1}, .v_free = {0, 0, -0.1}};
    assert_int_equal(scree_ccp_add_body(problem, &body, NULL), SCREE_OK);
    const scree_ccp_term up = {0, {0, 0, 1, 0, 0, 0}}, tilt = {0, {0, 0, 2, 0, 0, 0}};
    const scree_ccp_row_def rows[3] = {{&up, 1, 0, 0}, {&tilt, 1, 0, 0}, {&up, 1, 0, 1e-3}};
    const scree_set set = scree_set_free(3), one = scree_set_free(1);
    assert_int_equal(scree_ccp_add_block(problem, &set, rows), SCREE_OK);
    assert_int_equal(scree_ccp_add_block(problem, &one, rows), SCREE_OK);
    double g[4], v[6];
    const scree_solve_info info =
        solve(context, problem, (ask){SCREE_MODEL_RELAXED, spaces[s], 1e-10, 1e-10}, g);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    assert_true(fabs(g[0] + 2.0 * g[1] + g[3] - 0.2) < 1e-9);
    assert_true(fabs(g[2]) < 1e-6);
    assert_int_equal(scree_ccp_velocities(context, problem, g, NULL, v), SCREE_OK);
    assert_true(fabs(v[2]) < 1e-10);
    scree_ccp_destroy(problem);
  }
  scree_context_destroy(context);
}

/* Two stacks that do not touch, one a million times heavier: each converges in its own scale. */
static void test_islands(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  static const double mass[4] = {1.0, 2.0, 1e6, 5e6};
  for (int k = 0; k < 4; k++) {
    const scree_ccp_body_def body = {
        .inverse_mass = 1.0 / mass[k], .inverse_inertia = {1, 0, 0, 1, 0, 1}, .v_free = {0, 0, -1}};
    assert_int_equal(scree_ccp_add_body(problem, &body, NULL), SCREE_OK);
  }
  for (uint32_t k = 0; k < 4; k++) {
    scree_ccp_contact_def c = scree_ccp_contact_def_default();
    c.body_a = k % 2 ? k - 1 : SCREE_CCP_WORLD;
    c.body_b = k;
    c.set = scree_set_coulomb(3, 0.2);
    assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
  }
  double g[12];
  const scree_solve_info info = solve(context, problem, oracle, g);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  static const double want[4] = {3.0, 2.0, 6e6, 5e6};
  for (int k = 0; k < 4; k++) assert_true(fabs(g[3 * k] - want[k]) < 1e-8 * want[k]);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

/* Both spaces and another method agree on the velocities of a packing. */
static void test_spaces_agree(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 4;
  def.compliance = 1e-7;
  def.rolling = def.spinning = 0.02;
  scree_ccp *problem = NULL;
  assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
  const size_t nv = scree_ccp_velocity_count(problem);
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g), *v = calloc(2 * nv, sizeof *v);
  static const char *const spaces[] = {"local", "bodies"};
  for (size_t s = 0; s < 2; s++) {
    const scree_solve_info info =
        solve(context, problem, (ask){SCREE_MODEL_RELAXED, spaces[s], 0.0, 1e-9}, g);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    assert_true(info.iterations < 40);
    assert_int_equal(scree_ccp_velocities(context, problem, g, NULL, v + s * nv), SCREE_OK);
  }
  for (size_t k = 0; k < nv; k++) assert_true(fabs(v[k] - v[nv + k]) < 1e-7);
  free(g);
  free(v);
  scree_ccp_destroy(problem);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static long packing_iterations(int edge, double mu, double residual) {
  scree_context *context = scree_context_create(NULL);
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = edge;
  def.mu = mu;
  scree_ccp *problem = NULL;
  assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  const scree_solve_info info =
      solve(context, problem, (ask){SCREE_MODEL_RELAXED, NULL, 0.0, residual}, g);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  free(g);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
  return info.iterations;
}

/* Packings with contacts that neither press nor part, where R falls with the square root of x's:
 * the last digits need x's of 1e-20 and less. Iterations hardly grow with size. */
static void test_packings(void **state) {
  (void)state;
  const int edge = SANITIZED ? 5 : 8;
  assert_true(packing_iterations(edge, 0.8, 1e-10) < 40);
  assert_true(packing_iterations(edge, 0.3, 1e-6) <= 2 * packing_iterations(3, 0.3, 1e-6));
}

/* A slightly unsymmetric matrix is solved as it is given. */
static void test_unsymmetric(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (uint64_t seed = 1; seed <= 5; seed++) {
    scree_ccp *problem = random_problem(context, seed, 1e-4);
    double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
    const scree_solve_info info =
        solve(context, problem, (ask){SCREE_MODEL_RELAXED, NULL, 1e-8, 1e-8}, g);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    free(g);
    scree_ccp_destroy(problem);
  }
  scree_context_destroy(context);
}

/* A sliding block stays down and loses mu g h in the exact model; the relaxed one lifts it. */
static void test_coulomb_slides(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  const scree_ccp_body_def body = {
      .inverse_mass = 0.25, .inverse_inertia = {1, 0, 0, 1, 0, 1}, .v_free = {3, 4, -0.1}};
  assert_int_equal(scree_ccp_add_body(problem, &body, NULL), SCREE_OK);
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  c.body_b = 0;
  c.set = scree_set_coulomb(3, 0.5);
  assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
  double g[3], v[6];
  ask a = {SCREE_MODEL_COULOMB, NULL, 1e-10, 1e-10};
  assert_int_equal(solve(context, problem, a, g).outcome, SCREE_OUTCOME_SOLVED);
  assert_int_equal(scree_ccp_velocities(context, problem, g, NULL, v), SCREE_OK);
  assert_true(fabs(v[2]) < 1e-9 && fabs(g[0] - 0.4) < 1e-9);
  assert_true(fabs(hypot(v[0], v[1]) - (5.0 - 0.5 * 0.1)) < 1e-9);
  assert_true(fabs(v[0] * 4.0 - v[1] * 3.0) < 1e-9);
  assert_int_equal(solve(context, problem, oracle, g).outcome, SCREE_OUTCOME_SOLVED);
  assert_int_equal(scree_ccp_velocities(context, problem, g, NULL, v), SCREE_OK);
  assert_true(fabs(v[2] - 0.5 * hypot(v[0], v[1])) < 1e-9);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

static void test_coulomb_packings(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (int k = 0; k < 4; k++) {
    packing_def def = packing_def_default();
    def.nx = def.ny = def.nz = 3 + (k == 0);
    if (k == 1) def.rolling = def.spinning = 0.03;
    if (k >= 2) {
      def.masses = k == 2 ? PACKING_TOP_HEAVY : PACKING_RANDOM;
      def.mass_ratio = 1e3;
    }
    scree_ccp *problem = NULL;
    assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
    double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
    const scree_solve_info info =
        solve(context, problem, (ask){SCREE_MODEL_COULOMB, NULL, 0.0, 1e-7}, g);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    scree_residual judged;
    assert_int_equal(scree_ccp_residual(context, problem, SCREE_MODEL_COULOMB, g, &judged),
                     SCREE_OK);
    assert_true(judged.scaled <= 1e-7);
    free(g);
    scree_ccp_destroy(problem);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_sets),         cmocka_unit_test(test_heavy_top),
      cmocka_unit_test(test_redundant_joint),  cmocka_unit_test(test_islands),
      cmocka_unit_test(test_spaces_agree),     cmocka_unit_test(test_packings),
      cmocka_unit_test(test_unsymmetric),      cmocka_unit_test(test_coulomb_slides),
      cmocka_unit_test(test_coulomb_packings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
