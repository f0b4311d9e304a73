/* A machine of 220 kg on a row of 200 stones of 0.2 kg, of which ten bear it, where time is over at
 * once: `auto` then solves the core, the machine and what bears it, between two sweeps over all. A
 * run of steps at rest, each from the impulses of the one before. The speed at which the machine
 * still sinks in is compared with that of four sweeps a step, which is what such a step got before:
 * a sweep takes m/(M + m) of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/one_context.h"

enum { STONES = 200, BEARING = 10, STEPS = 20, SWEEPS = 4 };
static const double stone = 0.2, radius = 0.05, fall = 0.05; /* kg, m, m/s: g h of 5 ms */

static uint32_t add_body(scree_ccp *p, double mass, double inertia) {
  scree_ccp_body_def b = {.inverse_mass = 1.0 / mass, .v_free = {0.0, 0.0, -fall}};
  b.inverse_inertia[0] = b.inverse_inertia[3] = b.inverse_inertia[5] = 1.0 / inertia;
  uint32_t body;
  assert_int_equal(scree_ccp_add_body(p, &b, &body), SCREE_OK);
  return body;
}

/* b above a, or beside it; x: how far the point is from b along x. */
static void add_contact(scree_ccp *p, uint32_t a, uint32_t b, bool beside, double x) {
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  const int axis = beside ? 0 : 2;
  c.body_a = a;
  c.body_b = b;
  c.set = scree_set_coulomb(3, 0.5);
  c.normal[0] = c.normal[1] = c.normal[2] = 0.0;
  c.normal[axis] = 1.0;
  if (a != SCREE_CCP_WORLD) c.arm_a[axis] = radius;
  c.arm_b[axis] = -radius;
  c.arm_b[0] += x;
  assert_int_equal(scree_ccp_add_contact(p, &c), SCREE_OK);
}

/* The wheel, 20 kg, and what stands on it, 200 kg, in one piece. */
static void add_joint(scree_ccp *p, uint32_t a, uint32_t b) {
  scree_ccp_term terms[6][2];
  scree_ccp_row_def rows[6];
  const scree_set set = scree_set_free(6);
  for (int k = 0; k < 6; k++) {
    terms[k][0] = (scree_ccp_term){.body = a};
    terms[k][1] = (scree_ccp_term){.body = b};
    terms[k][0].coefficient[k] = -1.0;
    terms[k][1].coefficient[k] = 1.0;
    rows[k] = (scree_ccp_row_def){.terms = terms[k], .term_count = 2};
  }
  assert_int_equal(scree_ccp_add_block(p, &set, rows), SCREE_OK);
}

static scree_ccp *machine_on_stones(void) {
  scree_ccp *p;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  const uint32_t wheel = add_body(p, 20.0, 1.0), top = add_body(p, 200.0, 20.0);
  uint32_t before = 0;
  for (int k = 0; k < STONES; k++) {
    const uint32_t now = add_body(p, stone, 0.4 * stone * radius * radius);
    add_contact(p, SCREE_CCP_WORLD, now, false, 0.0);
    if (k > 0) add_contact(p, before, now, true, 0.0);
    if (k < BEARING) add_contact(p, now, wheel, false, (k - 0.5 * (BEARING - 1)) * 2.0 * radius);
    before = now;
  }
  add_joint(p, wheel, top);
  scree_ccp_set_reference_speed(p, fall);
  return p;
}

/* How fast bodies still approach after all steps. */
static double sinks(const char *name, double time_limit, long iteration_limit) {
  scree_ccp *p = machine_on_stones();
  scree_solver *solver;
  assert_int_equal(scree_solver_create(context, name, &solver), SCREE_OK);
  scree_solve_settings s = scree_solve_settings_default();
  s.model = SCREE_MODEL_COULOMB;
  s.tolerance_error = 0.0;
  s.tolerance_residual = 1e-3;
  s.warm_start = true;
  s.time_limit = time_limit;
  s.iteration_limit = iteration_limit;
  double g[3 * (2 * STONES + BEARING) + 6] = {0.0};
  assert_true(scree_ccp_row_count(p) <= sizeof g / sizeof g[0]);
  scree_solve_info info;
  for (int k = 0; k < STEPS; k++)
    assert_int_equal(scree_solver_solve(solver, p, &s, g, &info), SCREE_OK);
  scree_solver_destroy(solver);
  scree_ccp_destroy(p);
  return info.residual.penetration_speed;
}

static void test_core_bears(void **state) {
  (void)state;
  const double swept = sinks("gs", 0.0, SWEEPS), core = sinks("auto", 1e-9, 0);
  print_message("%g after sweeps, %g after the core\n", swept, core);
  assert_true(swept > 0.3 * fall); /* else there is nothing to show */
  assert_true(core < 0.1 * swept);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_core_bears)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
