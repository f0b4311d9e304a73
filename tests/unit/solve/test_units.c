/* "Solved" does not depend on units, and no scale is rounding.
 *
 * A problem in other units of mass m, length l and time t has the same solution: speeds times l/t,
 * impulses times m l/t. E, whose step is 1 N s per m/s, changes with them; the outcome of a solve
 * and R, which it asks for too, do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/timer.h"
#include "ccp/problem.h"
#include "scree/scree.h"
#include "tests/support/packing.h"

static void change_units(scree_ccp *p, double m, double l, double t) {
  for (size_t i = 0; i < p->bodies.body_count; i++) {
    scree_ccp_body_def *b = &p->bodies.body[i];
    b->inverse_mass /= m;
    for (int k = 0; k < 6; k++) b->inverse_inertia[k] /= m * l * l;
    for (int k = 0; k < 3; k++) {
      b->v_free[k] *= l / t;
      b->v_free[3 + k] /= t;
    }
  }
  for (size_t i = 0; i < p->bodies.contact_count; i++)
    for (int k = 0; k < 3; k++) {
      p->bodies.contact[i].arm_a[k] *= l;
      p->bodies.contact[i].arm_b[k] *= l;
    }
  for (size_t k = 0; k < p->row_count; k++) p->offset[k] *= l / t;
  p->reference_speed *= l / t;
}

static scree_solve_info solve(scree_context *context, const scree_ccp *p, const char *solver,
                              double tolerance) {
  scree_solver *s = NULL;
  scree_solve_info info;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.tolerance_error = tolerance;
  settings.time_limit = 20.0;
  double *g = calloc(p->row_count, sizeof *g);
  assert_int_equal(scree_solver_create(context, solver, &s), SCREE_OK);
  assert_int_equal(scree_solver_solve(s, p, &settings, g, &info), SCREE_OK);
  scree_solver_destroy(s);
  free(g);
  return info;
}

static void units_change_neither_outcome_nor_accuracy(void **state) {
  (void)state;
  static const double unit[][3] = {{1, 1, 1},    {1e6, 1, 1},     {1e-6, 1, 1}, {1, 1e3, 1},
                                   {1, 1e-3, 1}, {1, 1, 1e-3},    {1, 1, 1e3},  {1e6, 1e3, 1e-3},
                                   {1e3, 1, 1},  {1e-3, 1e3, 1e3}};
  static const char *const solver[] = {"auto", "ags"};
  scree_context *context = scree_context_create(NULL);
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 4;
  for (size_t given = 0; given < 2; given++) /* R over gravity times step, or over |r| */
    for (size_t s = 0; s < 2; s++)
      for (size_t k = 0; k < sizeof unit / sizeof unit[0]; k++) {
        scree_ccp *p = NULL;
        assert_int_equal(packing_create(context, &def, &p), SCREE_OK);
        if (!given) p->reference_speed = 0.0;
        change_units(p, unit[k][0], unit[k][1], unit[k][2]);
        const scree_solve_info info = solve(context, p, solver[s], 1e-8);
        if (info.outcome != SCREE_OUTCOME_SOLVED || !(info.residual.scaled <= 1e-6))
          print_message("%s, units %g %g %g: %s, R %.1e\n", solver[s], unit[k][0], unit[k][1],
                        unit[k][2], scree_outcome_text(info.outcome), info.residual.scaled);
        assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
        assert_true(info.residual.scaled <= 1e-6);
        assert_true(info.residual.error <= 1e-8);
        scree_ccp_destroy(p);
      }
  scree_context_destroy(context);
}

static void add_free_row(scree_ccp *p, const double *coefficient, uint32_t body, double offset) {
  scree_ccp_term term = {.body = body};
  memcpy(term.coefficient, coefficient, sizeof term.coefficient);
  const scree_set set = scree_set_free(1);
  const scree_ccp_row_def row = {.terms = &term, .term_count = 1, .offset = offset};
  assert_int_equal(scree_ccp_add_block(p, &set, &row), SCREE_OK);
}

/* A mechanism that moves without gravity, in a place where two of its rows say the same: their
 * offsets are rounding, and differ. That is no contradiction, and no scale. */
static void rounding_is_no_contradiction(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *p = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  const scree_ccp_body_def body = {
      .inverse_mass = 1.0, .inverse_inertia = {10, 0, 0, 10, 0, 10}, .v_free = {3, 0, 0, 0, 0, 6}};
  uint32_t id;
  assert_int_equal(scree_ccp_add_body(p, &body, &id), SCREE_OK);
  const double row[6] = {1, 0, 0, 0, 0, -0.5}; /* 3 - 0.5 * 6 = 0 */
  add_free_row(p, row, id, 9e-15);
  add_free_row(p, row, id, -9e-15);
  const scree_solve_info info = solve(context, p, "auto", 1e-8);
  assert_int_not_equal(info.outcome, SCREE_OUTCOME_INFEASIBLE);
  assert_true(info.residual.scaled < 1e-6);
  assert_true(info.residual.reference_speed >= 1e-6);
  scree_existence existence;
  double v[6], u[2], certificate[2] = {1, -1};
  assert_int_equal(
      scree_ccp_check_existence(context, p, SCREE_MODEL_COULOMB, v, u, certificate, &existence),
      SCREE_OK);
  assert_int_not_equal(existence.verdict, SCREE_EXISTENCE_NONE);
  scree_certificate check;
  const double d[2] = {-1, 1};
  assert_int_equal(scree_ccp_check_certificate(context, p, SCREE_MODEL_COULOMB, d, &check),
                   SCREE_OK);
  assert_false(check.holds);
  scree_ccp_destroy(p);
  scree_context_destroy(context);
}

int main(void) {
  timer_use(TIMER_CPU); /* limits of time are the same on a busy machine */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_change_neither_outcome_nor_accuracy),
      cmocka_unit_test(rounding_is_no_contradiction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
