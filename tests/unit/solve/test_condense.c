/* Joints eliminated: S g + r' is the velocity of contacts with the joints held, for any g of the
 * contacts; Newton's method on it ends in the solution of the whole; redundant joints have none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ccp/forms/matrices.h"
#include "scree/scree.h"
#include "solve/newton/condense.h"
#include "solve/newton/joined.h"

enum { BODIES = 8, ROWS = 400, FEW = 3, MANY = 8 }; /* with MANY contacts joined.h does not suit */

static double real(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static void add_body(scree_ccp *p, uint64_t *seed) {
  scree_ccp_body_def body = {.inverse_mass = 1.0 + 0.5 * real(seed)};
  body.inverse_inertia[0] = body.inverse_inertia[3] = body.inverse_inertia[5] =
      5.0 + 2.0 * real(seed);
  body.inverse_inertia[1] = 0.5 * real(seed);
  for (int k = 0; k < 6; k++) body.v_free[k] = real(seed);
  body.v_free[2] -= 2.0;
  assert_int_equal(scree_ccp_add_body(p, &body, NULL), SCREE_OK);
}

static void add_contact(scree_ccp *p, uint32_t on, uint32_t body, uint64_t *seed) {
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  c.body_a = on;
  c.body_b = body;
  c.set = scree_set_coulomb(3, 0.4);
  c.normal[2] = 1.0;
  for (int k = 0; k < 3; k++) c.arm_b[k] = 0.3 * real(seed);
  for (int k = 0; k < 3 && on != SCREE_CCP_WORLD; k++) c.arm_a[k] = 0.3 * real(seed);
  assert_int_equal(scree_ccp_add_contact(p, &c), SCREE_OK);
}

/* Three rows: the points x of two bodies stay together; and one row of an interval: a brake. */
static void add_joint(scree_ccp *p, uint32_t a, uint32_t b, uint64_t *seed) {
  const double x[2] = {0.5 + 0.1 * real(seed), -0.5 + 0.1 * real(seed)};
  scree_ccp_term term[3][2] = {0};
  scree_ccp_row_def row[3] = {0};
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 2; s++) {
      const double sign = s ? 1.0 : -1.0;
      term[r][s].body = s ? b : a;
      term[r][s].coefficient[r] = sign;
      /* e_r . (w x (x, 0, 0)): w_z x along y, -w_y x along z */
      if (r == 1) term[r][s].coefficient[5] = sign * x[s];
      if (r == 2) term[r][s].coefficient[4] = -sign * x[s];
    }
    row[r] = (scree_ccp_row_def){.terms = term[r], .term_count = 2, .offset = 0.1 * real(seed)};
  }
  const scree_set held = scree_set_free(3), brake = scree_set_interval(-0.05, 0.05);
  assert_int_equal(scree_ccp_add_block(p, &held, row), SCREE_OK);
  scree_ccp_term turn[2] = {{.body = a, .coefficient = {0, 0, 0, 0, -1, 0}},
                            {.body = b, .coefficient = {0, 0, 0, 0, 1, 0}}};
  const scree_ccp_row_def braked = {.terms = turn, .term_count = 2};
  assert_int_equal(scree_ccp_add_block(p, &brake, &braked), SCREE_OK);
}

/* `machines` chains: every so many joints one is a contact instead. */
static scree_ccp *chain(scree_context *context, uint64_t seed, bool redundant, uint32_t machines,
                        int contacts) {
  scree_ccp *p = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  for (int k = 0; k < BODIES; k++) add_body(p, &seed);
  for (uint32_t k = 0; k < BODIES; k++)
    for (int c = 0; c < contacts; c++) add_contact(p, SCREE_CCP_WORLD, k, &seed);
  const uint32_t each = (BODIES + machines - 1) / machines;
  for (uint32_t k = each; k < BODIES; k += each) add_contact(p, k - 1, k, &seed);
  for (uint32_t k = 0; k + 1 < BODIES; k++) {
    if ((k + 1) % each == 0) continue;
    uint64_t same = seed;
    add_joint(p, k, k + 1, &seed);
    if (redundant) add_joint(p, k, k + 1, &same);
  }
  return p;
}

static void test_identity(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (uint64_t seed = 1; seed < 20; seed++) {
    scree_ccp *p = chain(context, seed, false, 1 + (uint32_t)(seed % 3), FEW);
    ccp_operator *op = NULL;
    formed_matrix n = {.start = NULL};
    condense c = {.context = context};
    bool on = false;
    double g[ROWS], u[ROWS], s[ROWS];
    assert_int_equal(op_create(context, p, &op), SCREE_OK);
    assert_int_equal(form_delassus(op, &n), SCREE_OK);
    assert_int_equal(condense_build(&c, op, &n.blocks, &on), SCREE_OK);
    assert_true(on && op->row_count <= ROWS);
    assert_int_equal(c.machine_count, 1 + seed % 3);
    uint64_t other = seed;
    for (size_t k = 0; k < op->row_count; k++) g[k] = real(&other);
    condense_recover(&c, op, g);
    op_local_velocity(op, g, u);
    condense_apply(&c, op, g, s);
    for (size_t i = 0; i < op->block_count; i++)
      for (size_t k = op->row_start[i]; k < op->row_start[i + 1]; k++)
        assert_true(fabs(condense_drops(&c, i) ? u[k] : s[k] + c.r[k] - u[k]) < 1e-11);
    condense_clear(&c);
    formed_matrix_clear(context, &n);
    op_destroy(op);
    scree_ccp_destroy(p);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* The same of the dense form; sweeps over it leave joints held and make contacts better. */
static void test_joined(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (uint64_t seed = 1; seed < 20; seed++) {
    scree_ccp *p = chain(context, seed, false, 1 + (uint32_t)(seed % 3), FEW);
    ccp_operator *op = NULL;
    joined j = {.context = context};
    bool on = false;
    double g[ROWS], u[ROWS], s[ROWS];
    scree_residual before, after;
    assert_int_equal(op_create(context, p, &op), SCREE_OK);
    assert_int_equal(joined_build(&j, op, &on), SCREE_OK);
    assert_true(on && op->row_count <= ROWS && j.free + j.other == op->row_count);
    uint64_t other = seed;
    for (size_t k = 0; k < op->row_count; k++) g[k] = real(&other);
    joined_recover(&j, op, g);
    op_local_velocity(op, g, u);
    joined_apply(&j, op, g, s);
    for (size_t i = 0; i < op->block_count; i++)
      for (size_t k = op->row_start[i]; k < op->row_start[i + 1]; k++) {
        const double r = j.is_free[i] ? 0.0 : j.r[j.at[i] + k - op->row_start[i]];
        assert_true(fabs(j.is_free[i] ? u[k] : s[k] + r - u[k]) < 1e-11);
      }
    op_project(op, g);
    op_residual_contacts(op, SCREE_MODEL_COULOMB, g, NULL, s, &before);
    joined_sweep(&j, op, SCREE_MODEL_COULOMB, 50, 0.0, g);
    op_residual_contacts(op, SCREE_MODEL_COULOMB, g, NULL, s, &after);
    op_local_velocity(op, g, u);
    for (size_t i = 0; i < op->block_count; i++)
      for (size_t k = op->row_start[i]; j.is_free[i] && k < op->row_start[i + 1]; k++)
        assert_true(fabs(u[k]) < 1e-11);
    assert_true(after.scaled < 0.05 * before.scaled);
    joined_clear(&j);
    op_destroy(op);
    scree_ccp_destroy(p);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void solve(scree_context *context, const scree_ccp *p, const char *name, scree_model model,
                  double *u) {
  scree_solver *solver = NULL;
  scree_solve_info info;
  double g[ROWS] = {0};
  assert_int_equal(scree_solver_create(context, name, &solver), SCREE_OK);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = model;
  settings.tolerance_error = 1e-11;
  assert_int_equal(scree_solver_solve(solver, p, &settings, g, &info), SCREE_OK);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  assert_int_equal(scree_ccp_velocities(context, p, g, u, NULL), SCREE_OK);
  scree_solver_destroy(solver);
}

/* The relaxed problem has one set of velocities, whatever finds them. */
static void test_same_answer(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (uint64_t seed = 1; seed < 12; seed++) {
    scree_ccp *p =
        chain(context, seed, seed % 3 == 0, 1 + (uint32_t)(seed % 4) / 2, seed % 2 ? FEW : MANY);
    double a[ROWS], b[ROWS];
    solve(context, p, "prox", SCREE_MODEL_RELAXED, a);
    solve(context, p, "ipm", SCREE_MODEL_RELAXED, b);
    for (size_t k = 0; k < scree_ccp_row_count(p); k++) assert_true(fabs(a[k] - b[k]) < 1e-7);
    solve(context, p, "prox", SCREE_MODEL_COULOMB, a);
    scree_ccp_destroy(p);
  }
  scree_context_destroy(context);
}

static void test_redundant(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *p = chain(context, 5, true, 1, FEW);
  ccp_operator *op = NULL;
  formed_matrix n = {.start = NULL};
  condense c = {.context = context};
  joined j = {.context = context};
  bool on = true;
  assert_int_equal(op_create(context, p, &op), SCREE_OK);
  assert_int_equal(form_delassus(op, &n), SCREE_OK);
  assert_int_equal(condense_build(&c, op, &n.blocks, &on), SCREE_OK);
  assert_false(on);
  on = true;
  assert_int_equal(joined_build(&j, op, &on), SCREE_OK);
  assert_false(on);
  condense_clear(&c);
  joined_clear(&j);
  formed_matrix_clear(context, &n);
  op_destroy(op);
  scree_ccp_destroy(p);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_identity), cmocka_unit_test(test_joined),
                                     cmocka_unit_test(test_same_answer),
                                     cmocka_unit_test(test_redundant)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
