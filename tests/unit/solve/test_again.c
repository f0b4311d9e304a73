/* A problem solved again with other offsets takes what was made of its matrix, and no other
 * problem does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ccp/problem.h"
#include "solve/solver.h"

enum { LINKS = 12, ROWS = 3 * LINKS + 2 };

static double uniform(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

/* A chain by points, with a load at its end, a motor of bounded force and a stop; `masses` changes
 * the values of N, not its pattern; `contact` adds one that is not free. */
static void fill(scree_ccp *p, double masses, bool contact) {
  unsigned seed = 7;
  scree_ccp_clear(p);
  for (int i = 0; i < LINKS; i++) {
    const double w = i + 1 == LINKS ? 0.01 : 1.0 + masses * (1.0 + uniform(&seed));
    scree_ccp_body_def d = {.inverse_mass = w, .v_free = {0, 0, -0.05}};
    d.inverse_inertia[0] = d.inverse_inertia[3] = d.inverse_inertia[5] = 40.0 * w;
    assert_int_equal(scree_ccp_add_body(p, &d, NULL), SCREE_OK);
  }
  if (contact) {
    scree_ccp_contact_def c = scree_ccp_contact_def_default();
    c.body_a = SCREE_CCP_WORLD;
    c.body_b = LINKS / 2;
    c.set = scree_set_coulomb(3, 0.4);
    assert_int_equal(scree_ccp_add_contact(p, &c), SCREE_OK);
  }
  for (uint32_t i = 0; i < LINKS; i++) {
    scree_ccp_term term[3][2];
    scree_ccp_row_def row[3];
    memset(term, 0, sizeof term);
    for (int k = 0; k < 3; k++) {
      const double arm = 0.3 + 0.1 * uniform(&seed);
      const size_t count = i ? 2 : 1;
      for (size_t s = 0; s < count; s++) {
        term[k][s].body = s ? i - 1 : i;
        term[k][s].coefficient[k] = s ? -1.0 : 1.0;
        term[k][s].coefficient[3 + (k + 1) % 3] = arm;
      }
      row[k] = (scree_ccp_row_def){
          .terms = term[k], .term_count = count, .offset = 0.01 * uniform(&seed)};
    }
    const scree_set held = scree_set_free(3);
    assert_int_equal(scree_ccp_add_block(p, &held, row), SCREE_OK);
  }
  const scree_ccp_term motor = {.body = 1, .coefficient = {0, 0, 0, 0, 1, 0}};
  const scree_ccp_term stop = {.body = 2, .coefficient = {0, 0, 0, 1, 0, 0}};
  const scree_ccp_row_def rows[2] = {{.terms = &motor, .term_count = 1, .offset = 0.4},
                                     {.terms = &stop, .term_count = 1, .offset = -0.02}};
  const scree_set weak = scree_set_interval(-1e-3, 1e-3), pushes = scree_set_ray();
  assert_int_equal(scree_ccp_add_block(p, &weak, &rows[0]), SCREE_OK);
  assert_int_equal(scree_ccp_add_block(p, &pushes, &rows[1]), SCREE_OK);
}

static void move_offsets(scree_ccp *p, unsigned seed) {
  for (size_t k = 0; k < p->row_count; k++) p->offset[k] += 0.02 * uniform(&seed);
}

typedef struct solved {
  double g[ROWS + 3];
  scree_solve_info info;
} solved;

static scree_solve_settings settings_of(void) {
  scree_solve_settings s = scree_solve_settings_default();
  s.tolerance_error = 0.0;
  s.tolerance_residual = 1e-9;
  s.warm_start = true;
  return s;
}

static void solve(scree_context *context, scree_solver *solver, const scree_ccp *p, bool again,
                  solved *x) {
  const scree_solve_settings s = settings_of();
  scree_residual judged;
  assert_int_equal((again ? solver_solve_again : solver_solve)(solver, p, &s, x->g, &x->info),
                   SCREE_OK);
  assert_int_equal(x->info.outcome, SCREE_OUTCOME_SOLVED);
  assert_int_equal(scree_ccp_residual(context, p, SCREE_MODEL_COULOMB, x->g, &judged), SCREE_OK);
  assert_true(judged.scaled < 1e-9);
  assert_true(fabs(judged.scaled - x->info.residual.scaled) < 1e-12);
}

/* By a solver that has seen nothing before, from the same start. */
static solved solve_fresh(scree_context *context, const char *name, const scree_ccp *p,
                          const solved *start) {
  scree_solver *solver;
  solved x = *start;
  assert_int_equal(scree_solver_create(context, name, &solver), SCREE_OK);
  solve(context, solver, p, false, &x);
  scree_solver_destroy(solver);
  return x;
}

static void agree(const solved *a, const solved *b) {
  for (size_t k = 0; k < ROWS; k++)
    assert_true(fabs(a->g[k] - b->g[k]) < 1e-9 * (1.0 + fabs(b->g[k])));
}

static void other_offsets(const char *name, bool contact) {
  scree_context_def def = scree_context_def_default();
  scree_context *context = scree_context_create(&def);
  scree_ccp *p = NULL;
  scree_solver *solver;
  solved x = {0};
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  assert_int_equal(scree_solver_create(context, name, &solver), SCREE_OK);
  fill(p, 0.2, contact);
  solve(context, solver, p, false, &x);
  for (unsigned k = 1; k < 4; k++) {
    move_offsets(p, k);
    const solved start = x;
    solve(context, solver, p, true, &x);
    assert_true(x.info.iterations > 0); /* the start did not do */
    const solved fresh = solve_fresh(context, name, p, &start);
    agree(&x, &fresh);
  }
  /* Another problem in the same place, with the same pattern. */
  fill(p, 0.9, contact);
  const solved start = x;
  solve(context, solver, p, false, &x);
  const solved fresh = solve_fresh(context, name, p, &start);
  assert_memory_equal(x.g, fresh.g, p->row_count * sizeof *x.g);
  /* One that the method at hand never saw: it was good from the start. */
  fill(p, 0.5, contact);
  x = solve_fresh(context, name, p, &x);
  solve(context, solver, p, false, &x);
  assert_int_equal(x.info.iterations, 0);
  move_offsets(p, 9);
  const solved before = x;
  solve(context, solver, p, true, &x);
  const solved last = solve_fresh(context, name, p, &before);
  agree(&x, &last);
  scree_solver_destroy(solver);
  scree_ccp_destroy(p);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void by_direct(void **state) {
  (void)state;
  other_offsets("direct", false);
}

static void by_auto(void **state) {
  (void)state;
  other_offsets("auto", false);
}

/* Offsets of contacts are held in more places: all is made anew. */
static void with_a_contact(void **state) {
  (void)state;
  other_offsets("gs", true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_direct), cmocka_unit_test(by_auto),
                                     cmocka_unit_test(with_a_contact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
