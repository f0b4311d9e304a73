/* A packing of bodies as a plain global problem, M and H alone, is worked as one of bodies: the
 * same products, r and v. What is not exactly that is worked as before, with nearly the same
 * products.
 */
#include "ccp/forms/recognise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "ccp/operator.h"
#include "io/problem/view.h"
#include "tests/support/packing.h"

static scree_csc csc_of(const ccp_matrix *m) {
  return (scree_csc){m->rows, m->columns, m->start, m->index, m->value};
}

/* The packing, and the same as M, H, f, w. */
static void make(scree_context *context, const packing_def *def, scree_ccp **bodies,
                 scree_ccp **global) {
  problem_view view;
  view_bodies parts;
  assert_int_equal(packing_create(context, def, bodies), SCREE_OK);
  assert_int_equal(view_init(context, *bodies, &view), SCREE_OK);
  bool invertible = true; /* FCLIB has no rays and no spinning: then it is left to be asked */
  if (!view.velocity)
    assert_int_equal(view_bodies_freedom(context, *bodies, &view, &invertible), SCREE_OK);
  assert_true(invertible);
  assert_int_equal(view_bodies_init(context, *bodies, &view, &parts), SCREE_OK);
  const size_t n = (*bodies)->block_count;
  scree_set *set = calloc(n, sizeof *set);
  for (size_t i = 0; i < n; i++) set[i] = *ccp_set(*bodies, i);
  const scree_csc m = csc_of(&parts.m), h = csc_of(&parts.h);
  assert_int_equal(scree_ccp_create_global(context, n, set, &m, &h, parts.f, parts.w, NULL, global),
                   SCREE_OK);
  free(set);
  view_bodies_clear(context, &parts);
  view_clear(context, &view);
}

static double compare(scree_context *context, const scree_ccp *a, const scree_ccp *b,
                      scree_form *form) {
  ccp_operator *p = NULL, *q = NULL;
  assert_int_equal(op_create(context, a, &p), SCREE_OK);
  assert_int_equal(op_create(context, b, &q), SCREE_OK);
  const size_t n = p->row_count;
  assert_int_equal(n, q->row_count);
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *z = calloc(n, sizeof *z);
  for (size_t i = 0; i < n; i++) x[i] = sin(1.0 + 17.0 * (double)i);
  op_local_velocity(p, x, y);
  op_local_velocity(q, x, z);
  double worst = 0.0, size = 0.0;
  for (size_t i = 0; i < n; i++) {
    worst = fmax(worst, fabs(y[i] - z[i]));
    size = fmax(size, fabs(y[i]));
  }
  *form = q->form;
  free(x);
  free(y);
  free(z);
  op_destroy(p);
  op_destroy(q);
  return worst / size;
}

static void packings_are_recognised(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (int k = 0; k < 4; k++) {
    packing_def def = packing_def_default();
    scree_ccp *bodies = NULL, *global = NULL;
    scree_form form;
    def.nx = def.ny = def.nz = 3;
    def.frictionless = k == 1;
    def.rolling = k >= 2 ? 0.01 : 0.0;
    def.spinning = k == 3 ? 0.02 : 0.0;
    make(context, &def, &bodies, &global);
    assert_true(compare(context, bodies, global, &form) < 1e-13);
    assert_int_equal(form, SCREE_FORM_BODIES);
    scree_ccp_destroy(global);
    scree_ccp_destroy(bodies);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* A row of H that is a little off, a mass that is not the same in all directions, a frame of the
 * other hand: no rigid bodies. */
static void others_are_not(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (int k = 0; k < 3; k++) {
    packing_def def = packing_def_default();
    scree_ccp *bodies = NULL, *global = NULL;
    scree_form form;
    def.nx = def.ny = def.nz = 3;
    make(context, &def, &bodies, &global);
    const ccp_matrix *h = &global->h;
    const size_t last = h->columns - 1;
    if (k == 0) h->value[h->start[last]] += 1e-9;
    if (k == 1) global->m.value[0] *= 1.0 + 1e-9;
    if (k == 2)
      for (size_t e = h->start[last]; e < h->start[last + 1]; e++) h->value[e] = -h->value[e];
    const double apart = compare(context, bodies, global, &form);
    assert_int_equal(form, SCREE_FORM_GLOBAL);
    assert_true(k == 2 || (apart > 1e-13 && apart < 1e-7));
    scree_ccp_destroy(global);
    scree_ccp_destroy(bodies);
  }
  scree_context_destroy(context);
}

/* E is that of global problems: nothing is divided by |r|. Both forms solve alike. */
static void solved_alike(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  packing_def def = packing_def_default();
  scree_ccp *bodies = NULL, *global = NULL;
  def.nx = def.ny = def.nz = 4;
  make(context, &def, &bodies, &global);
  const size_t n = bodies->row_count;
  double *g = calloc(n, sizeof *g);
  scree_residual r;
  assert_int_equal(scree_ccp_residual(context, global, SCREE_MODEL_COULOMB, g, &r), SCREE_OK);
  const double start = r.error;
  scree_ccp_set_reference_speed(bodies, 0.0);
  assert_int_equal(scree_ccp_residual(context, bodies, SCREE_MODEL_COULOMB, g, &r), SCREE_OK);
  assert_true(fabs(r.error - start) < 1e-12); /* |u| = |r| at g = 0 */
  for (int k = 0; k < 2; k++) {
    scree_solver *solver = NULL;
    scree_solve_info info;
    scree_solve_settings settings = scree_solve_settings_default();
    settings.tolerance_error = 1e-8;
    assert_int_equal(scree_solver_create(context, "auto", &solver), SCREE_OK);
    assert_int_equal(scree_solver_solve(solver, k ? bodies : global, &settings, g, &info),
                     SCREE_OK);
    assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
    scree_solver_destroy(solver);
    assert_int_equal(scree_ccp_residual(context, k ? global : bodies, SCREE_MODEL_COULOMB, g, &r),
                     SCREE_OK);
    assert_true(r.error <= 2e-8 && r.scaled <= 2e-6);
  }
  free(g);
  scree_ccp_destroy(global);
  scree_ccp_destroy(bodies);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packings_are_recognised),
      cmocka_unit_test(others_are_not),
      cmocka_unit_test(solved_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
