/* Sets of the user's own: Coulomb's cone given by its projection leads to the velocities of the
 * built-in one, by every solver that takes it; a ball of impulses has a closed form; the other
 * solvers refuse with what to take, and files cannot hold it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/timer.h"
#include "scree/scree.h"

enum { SIDE = 4, BOXES = SIDE * SIDE, MOST_ROWS = 3 * 64 };

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 33) / 2147483648.0 - 1.0;
}

/* ---- two sets ------------------------------------------------------------------------------- */

static void project_cone(const scree_user_set *set, int dim, double *x) {
  const double mu = *(const double *)set->data, t = hypot(x[1], x[2]);
  assert_int_equal(dim, 3);
  if (t <= mu * x[0]) return;
  const double n = fmax((x[0] + mu * t) / (1.0 + mu * mu), 0.0);
  x[0] = n;
  for (int k = 1; k < 3; k++) x[k] *= n > 0.0 ? mu * n / t : 0.0;
}

static double shift_cone(const scree_user_set *set, int dim, const double *u) {
  (void)dim;
  return *(const double *)set->data * hypot(u[1], u[2]);
}

static double lack_of_cone(const scree_user_set *set, int dim, const double *u) {
  return fmax(shift_cone(set, dim, u) - u[0], 0.0);
}

static void project_ball(const scree_user_set *set, int dim, double *x) {
  const double r = *(const double *)set->data;
  double size = 0.0;
  for (int k = 0; k < dim; k++) size += x[k] * x[k];
  size = sqrt(size);
  for (int k = 0; size > r && k < dim; k++) x[k] *= r / size;
}

static double lack_of_ball(const scree_user_set *set, int dim, const double *u) {
  (void)set;
  (void)dim;
  (void)u;
  return 0.0;
}

static double mu = 0.5, radius = 0.7;
static const scree_user_set cone = {.name = "cone",
                                    .data = &mu,
                                    .project = project_cone,
                                    .dual_violation = lack_of_cone,
                                    .shift = shift_cone};
static const scree_user_set ball = {
    .name = "ball", .data = &radius, .project = project_ball, .dual_violation = lack_of_ball};

/* ---- a wall of bodies ----------------------------------------------------------------------- */

static void add_contact(scree_ccp *p, uint32_t a, uint32_t b, int axis, bool user) {
  scree_ccp_contact_def d = scree_ccp_contact_def_default();
  d.body_a = a;
  d.body_b = b;
  d.set = user ? scree_set_user(3, &cone) : scree_set_coulomb(3, mu);
  for (int k = 0; k < 3; k++) d.normal[k] = k == axis;
  d.arm_a[axis] = 0.5;
  d.arm_b[axis] = -0.5;
  d.arm_a[(axis + 1) % 3] = d.arm_b[(axis + 1) % 3] = 0.1;
  assert_int_equal(scree_ccp_add_contact(p, &d), SCREE_OK);
}

/* Every contact a user's, or every other one. */
static scree_ccp *make(scree_context *context, int which) {
  scree_ccp *p;
  uint64_t seed = 5;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  for (int i = 0; i < BOXES; i++) {
    scree_ccp_body_def d = {.inverse_mass = 1.0, .v_free = {0.3, 0.1, -0.2}};
    d.inverse_inertia[0] = d.inverse_inertia[3] = d.inverse_inertia[5] = 6.0;
    for (int k = 0; k < 6; k++) d.v_free[k] += 0.2 * uniform(&seed);
    assert_int_equal(scree_ccp_add_body(p, &d, NULL), SCREE_OK);
  }
  for (uint32_t i = 0; i < BOXES; i++) {
    const bool user = which == 2 || (which == 1 && i % 2 == 0);
    if (i < SIDE) add_contact(p, SCREE_CCP_WORLD, i, 2, user);
    if (i % SIDE + 1 < SIDE) add_contact(p, i, i + 1, 0, user);
    if (i + SIDE < BOXES) add_contact(p, i, i + SIDE, 2, user);
  }
  return p;
}

static scree_solve_info solve(scree_context *context, const scree_ccp *p, const char *name,
                              scree_model model, double *g) {
  scree_solver *s;
  scree_solve_settings settings = scree_solve_settings_default();
  scree_solve_info info;
  settings.model = model;
  settings.tolerance_error = 1e-11;
  settings.tolerance_residual = 0.0;
  settings.iteration_limit = 200000;
  settings.time_limit = 20.0;
  assert_int_equal(scree_solver_create(context, name, &s), SCREE_OK);
  const scree_status status = scree_solver_solve(s, p, &settings, g, &info);
  if (status) fail_msg("%s: %s", name, scree_context_message(context));
  scree_solver_destroy(s);
  return info;
}

static void compare(scree_context *context, int which, scree_model model) {
  static double g[MOST_ROWS], u[MOST_ROWS], wanted[MOST_ROWS];
  scree_ccp *plain = make(context, 0), *own = make(context, which);
  const size_t rows = scree_ccp_row_count(plain);
  memset(g, 0, sizeof g);
  const scree_solve_info oracle =
      solve(context, plain, model == SCREE_MODEL_RELAXED ? "ipm" : "nsgs", model, g);
  assert_int_equal(oracle.outcome, SCREE_OUTCOME_SOLVED);
  assert_int_equal(scree_ccp_velocities(context, plain, g, wanted, NULL), SCREE_OK);
  int taken = 0;
  for (size_t i = 0; i < scree_solver_count(); i++) {
    const char *name = scree_solver_name(i);
    const char *refusal = scree_solver_refusal(i, own, model);
    if (refusal) {
      assert_non_null(strstr(refusal, "take auto, gs"));
      continue;
    }
    if (model == SCREE_MODEL_COULOMB && !scree_solver_has_coulomb(i)) continue;
    memset(g, 0, sizeof g);
    const scree_solve_info info = solve(context, own, name, model, g);
    if (!(info.residual.error < 1e-9)) /* some stall at what rounding leaves */
      fail_msg("%s: %s, E %g", name, scree_outcome_text(info.outcome), info.residual.error);
    assert_int_equal(scree_ccp_velocities(context, own, g, u, NULL), SCREE_OK);
    for (size_t k = 0; k < rows; k++)
      if (!(fabs(u[k] - wanted[k]) < 1e-8))
        fail_msg("%s: row %zu: %.12g is not %.12g", name, k, u[k], wanted[k]);
    taken++;
  }
  assert_true(taken >= (model == SCREE_MODEL_RELAXED ? 8 : 5));
  scree_ccp_destroy(plain);
  scree_ccp_destroy(own);
}

static void a_cone_by_its_projection_is_the_cone(void **state) {
  scree_context *context = *state;
  for (int which = 1; which <= 2; which++) {
    compare(context, which, SCREE_MODEL_RELAXED);
    compare(context, which, SCREE_MODEL_COULOMB);
  }
}

/* min g'Ng/2 + q'g over |g| <= r with N diagonal: g_k = -q_k / (N_k + s), s >= 0 with |g| = r. */
static void a_ball_has_a_closed_form(void **state) {
  scree_context *context = *state;
  const double n[5] = {1.0, 2.0, 0.5, 3.0, 1.5}, q[5] = {-2.0, 1.0, 0.7, -1.2, 0.3};
  double lo = 0.0, hi = 100.0;
  for (int k = 0; k < 200; k++) {
    const double s = 0.5 * (lo + hi);
    double size = 0.0;
    for (int i = 0; i < 5; i++) size += pow(q[i] / (n[i] + s), 2);
    *(sqrt(size) > radius ? &lo : &hi) = s;
  }
  const size_t start[6] = {0, 1, 2, 3, 4, 5};
  const uint32_t index[5] = {0, 1, 2, 3, 4};
  const scree_csc w = {5, 5, start, index, n};
  const scree_set set = scree_set_user(5, &ball);
  scree_ccp *p;
  assert_int_equal(scree_ccp_create_local(context, 1, &set, &w, q, NULL, &p), SCREE_OK);
  const char *const names[] = {"auto", "gs", "apgd", "spg", "nsgs", "fpp", "admm"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    double g[5] = {0};
    const scree_solve_info info = solve(context, p, names[i], SCREE_MODEL_COULOMB, g);
    if (!(info.residual.error < 1e-9)) fail_msg("%s: E %g", names[i], info.residual.error);
    for (int k = 0; k < 5; k++)
      if (!(fabs(g[k] + q[k] / (n[k] + lo)) < 1e-8)) fail_msg("%s: %g", names[i], g[k]);
  }
  scree_ccp_destroy(p);
}

static void faults_are_told(void **state) {
  scree_context *context = *state;
  scree_set set = scree_set_user(3, NULL);
  assert_non_null(scree_set_fault(&set));
  set.user = &(scree_user_set){.name = "nothing"};
  assert_string_equal(scree_set_fault(&set), "a user's set needs project and dual_violation");
  set = scree_set_user(7, &ball);
  assert_non_null(scree_set_fault(&set));
  set = scree_set_user(3, &ball);
  assert_null(scree_set_fault(&set));
  set.cohesion = 1.0;
  assert_non_null(scree_set_fault(&set));
  /* A file cannot hold functions; no proof is made of what is not known. */
  scree_ccp *p = make(context, 2);
  remove("test_user_set.hdf5");
  assert_int_not_equal(scree_problem_save(context, "test_user_set.hdf5", p, NULL), SCREE_OK);
  assert_non_null(strstr(scree_context_message(context), "a set of the user's own (cone)"));
  FILE *file = fopen("test_user_set.hdf5", "rb");
  assert_null(file);
  scree_existence existence;
  assert_int_equal(
      scree_ccp_check_existence(context, p, SCREE_MODEL_COULOMB, NULL, NULL, NULL, &existence),
      SCREE_OK);
  assert_int_equal(existence.verdict, SCREE_EXISTENCE_UNKNOWN);
  scree_ccp_destroy(p);
}

static int setup(void **state) {
  *state = scree_context_create(NULL);
  return *state == NULL;
}

static int teardown(void **state) {
  const int left = scree_context_bytes(*state) != 0;
  scree_context_destroy(*state);
  return left;
}

int main(void) {
  timer_use(TIMER_CPU); /* limits of time are the same on a busy machine */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cone_by_its_projection_is_the_cone),
      cmocka_unit_test(a_ball_has_a_closed_form),
      cmocka_unit_test(faults_are_told),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
