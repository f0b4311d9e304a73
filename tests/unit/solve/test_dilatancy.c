/* Dilatancy: laws between Coulomb's and the relaxed model. What slides parts with psi |u_T|; with
 * psi = mu that is the relaxed model, whose velocities the interior point method tells. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

enum { SIDE = 4, BOXES = SIDE * SIDE, MOST_ROWS = 3 * 64 };
static const double mu = 0.5;

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 33) / 2147483648.0 - 1.0;
}

static void add_contact(scree_ccp *p, uint32_t a, uint32_t b, int axis, double psi) {
  scree_ccp_contact_def d = scree_ccp_contact_def_default();
  d.body_a = a;
  d.body_b = b;
  d.set = scree_set_coulomb(3, mu);
  d.set.dilatancy = psi;
  for (int k = 0; k < 3; k++) d.normal[k] = k == axis;
  d.arm_a[axis] = 0.5;
  d.arm_b[axis] = -0.5;
  d.arm_a[(axis + 1) % 3] = d.arm_b[(axis + 1) % 3] = 0.1; /* not along the normal */
  assert_int_equal(scree_ccp_add_contact(p, &d), SCREE_OK);
}

/* A wall of bodies on a floor, pushed about. */
static scree_ccp *make(scree_context *context, double psi) {
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
    if (i < SIDE) add_contact(p, SCREE_CCP_WORLD, i, 2, psi);
    if (i % SIDE + 1 < SIDE) add_contact(p, i, i + 1, 0, psi);
    if (i + SIDE < BOXES) add_contact(p, i, i + SIDE, 2, psi);
  }
  return p;
}

static scree_solve_info solve(scree_context *context, const scree_ccp *p, const char *name,
                              scree_model model, double *g, double *u) {
  scree_solver *s;
  scree_solve_settings settings = scree_solve_settings_default();
  scree_solve_info info;
  settings.model = model;
  settings.tolerance_error = 1e-11;
  settings.iteration_limit = 200000;
  memset(g, 0, scree_ccp_row_count(p) * sizeof *g);
  assert_int_equal(scree_solver_create(context, name, &s), SCREE_OK);
  if (scree_solver_solve(s, p, &settings, g, &info))
    fail_msg("%s: %s", name, scree_context_message(context));
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  assert_int_equal(scree_ccp_velocities(context, p, g, u, NULL), SCREE_OK);
  scree_solver_destroy(s);
  return info;
}

static void psi_of_mu_is_the_relaxed_model(void **state) {
  (void)state;
  static const char *const names[] = {"gs", "fpp", "admm", "auto"};
  scree_context *context = scree_context_create(NULL);
  scree_ccp *dilating = make(context, mu), *plain = make(context, 0.0);
  const size_t rows = scree_ccp_row_count(plain);
  double g[MOST_ROWS], u[MOST_ROWS], wanted[MOST_ROWS];
  assert_true(rows <= MOST_ROWS);
  solve(context, plain, "ipm", SCREE_MODEL_RELAXED, g, wanted);
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    solve(context, dilating, names[n], SCREE_MODEL_COULOMB, g, u);
    for (size_t i = 0; i < rows; i++) assert_true(fabs(u[i] - wanted[i]) < 1e-8);
  }
  scree_ccp_destroy(dilating);
  scree_ccp_destroy(plain);
  scree_context_destroy(context);
}

static void what_slides_parts_with_psi(void **state) {
  (void)state;
  static const char *const names[] = {"gs", "fpp", "admm", "auto"};
  const double psi = 0.2;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *p = make(context, psi);
  double g[MOST_ROWS], u[MOST_ROWS];
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    solve(context, p, names[n], SCREE_MODEL_COULOMB, g, u);
    int sliding = 0;
    for (size_t i = 0; i < scree_ccp_block_count(p); i++) {
      const double *gi = g + 3 * i, *ui = u + 3 * i;
      const double slip = hypot(ui[1], ui[2]), t = hypot(gi[1], gi[2]);
      assert_true(gi[0] >= 0.0 && t <= mu * gi[0] + 1e-9 && ui[0] >= psi * slip - 1e-8);
      if (gi[0] < 1e-6 || slip < 1e-6) continue;
      sliding++;
      assert_true(fabs(ui[0] - psi * slip) < 1e-7);
      assert_true(fabs(t - mu * gi[0]) < 1e-7 * gi[0] + 1e-9);
      /* Against the motion. */
      assert_true(gi[1] * ui[1] + gi[2] * ui[2] < -(1.0 - 1e-6) * t * slip);
    }
    assert_true(sliding >= 4);
  }
  scree_ccp_destroy(p);
  scree_context_destroy(context);
}

static void others_say_why_not(void **state) {
  (void)state;
  static const char *const names[] = {"ipm", "prox", "apgd", "ags"};
  scree_context *context = scree_context_create(NULL);
  scree_ccp *p = make(context, 0.2);
  scree_solve_settings settings = scree_solve_settings_default();
  double g[MOST_ROWS] = {0};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    scree_solver *s;
    scree_solve_info info;
    assert_int_equal(scree_solver_create(context, names[n], &s), SCREE_OK);
    const scree_status status = scree_solver_solve(s, p, &settings, g, &info);
    if (status != SCREE_OK) {
      assert_int_equal(status, SCREE_ERROR_UNSUPPORTED);
      assert_non_null(strstr(scree_context_message(context), "take auto, gs, fpp or admm"));
    } else {
      assert_int_equal(info.model, SCREE_MODEL_RELAXED); /* it has no exact model at all */
    }
    scree_solver_destroy(s);
  }
  scree_set bad = scree_set_coulomb(3, 0.3);
  bad.dilatancy = 0.4;
  assert_non_null(scree_set_fault(&bad));
  bad = scree_set_ray();
  bad.dilatancy = 0.1;
  assert_non_null(scree_set_fault(&bad));
  scree_ccp_destroy(p);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(psi_of_mu_is_the_relaxed_model),
      cmocka_unit_test(what_slides_parts_with_psi),
      cmocka_unit_test(others_say_why_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
