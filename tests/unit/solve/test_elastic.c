/* Elastic rows condensed into the mass give the solution of the problem as it was given: against
 * the interior point method (relaxed) and Newton steps (exact) with elastic rows as rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <scree/scree.h>

static double uniform(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

enum { POINTS = 20, FRAMES = 6, RIGID = 4, BODIES = POINTS + FRAMES + RIGID };

static void add_bodies(scree_ccp *p, unsigned *seed) {
  for (int i = 0; i < BODIES; i++) {
    scree_ccp_body_def d = {.inverse_mass = 1.0 + 0.5 * uniform(seed)};
    d.inverse_inertia[0] = d.inverse_inertia[3] = d.inverse_inertia[5] = 3.0;
    d.inverse_inertia[1] = 0.4 * uniform(seed);
    for (int k = 0; k < 6; k++) d.v_free[k] = 0.2 * uniform(seed) - (k == 2 ? 1.0 : 0.0);
    assert_int_equal(scree_ccp_add_body(p, &d, NULL), SCREE_OK);
  }
}

static void add_contact(scree_ccp *p, unsigned *seed, uint32_t a, uint32_t b, int dim) {
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  c.body_a = a, c.body_b = b;
  c.set = dim == 3 ? scree_set_coulomb(3, 0.5) : scree_set_rolling(dim, 0.5, 0.02, 0.03);
  for (int k = 0; k < 3; k++) {
    c.arm_a[k] = 0.2 * uniform(seed);
    c.arm_b[k] = 0.2 * uniform(seed);
  }
  c.offset[0] = 0.1 * uniform(seed);
  assert_int_equal(scree_ccp_add_contact(p, &c), SCREE_OK);
}

/* A free block of `dim` rows over some bodies; with turns or without. */
static void add_block(scree_ccp *p, unsigned *seed, const uint32_t *body, size_t bodies, int dim,
                      bool turns, double compliance) {
  scree_ccp_term term[6][4];
  scree_ccp_row_def row[6];
  memset(term, 0, sizeof term);
  for (int r = 0; r < dim; r++) {
    for (size_t b = 0; b < bodies; b++) {
      term[r][b].body = body[b];
      for (int k = 0; k < (turns ? 6 : 3); k++)
        term[r][b].coefficient[k] = b + 1 < bodies ? uniform(seed) : -term[r][0].coefficient[k];
    }
    row[r] = (scree_ccp_row_def){.terms = term[r],
                                 .term_count = bodies,
                                 .offset = 0.3 * uniform(seed),
                                 .compliance = compliance};
  }
  const scree_set set = scree_set_free(dim);
  assert_int_equal(scree_ccp_add_block(p, &set, row), SCREE_OK);
}

/* Two parts: points tied by blocks without turns, frames in a chain with them; rigid bodies beside
 * them; contacts of all with the ground and with each other, and joints. */
static scree_ccp *make(scree_context *context, unsigned seed, double compliance) {
  scree_ccp *p = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  add_bodies(p, &seed);
  const uint32_t frame = POINTS, rigid = POINTS + FRAMES;
  for (uint32_t i = 0; i < POINTS; i += 3) add_contact(p, &seed, SCREE_CCP_WORLD, i, 3);
  add_contact(p, &seed, SCREE_CCP_WORLD, 0, 3); /* twice on one node: its turn is shared */
  add_contact(p, &seed, SCREE_CCP_WORLD, frame + 1, 3);
  add_contact(p, &seed, SCREE_CCP_WORLD, frame + 4, 6);
  add_contact(p, &seed, 5, frame + 2, 3);
  add_contact(p, &seed, 7, 8, 3); /* within a part */
  for (uint32_t i = 0; i < RIGID; i++) {
    add_contact(p, &seed, SCREE_CCP_WORLD, rigid + i, 3);
    add_contact(p, &seed, i, rigid + i, 5);
  }
  for (uint32_t i = 0; i + 3 < POINTS; i++) {
    const uint32_t body[4] = {i, i + 1, i + 2, i + 3};
    add_block(p, &seed, body, 4, 6, false, compliance);
  }
  for (uint32_t i = 0; i + 1 < FRAMES; i++) {
    const uint32_t body[2] = {frame + i, frame + i + 1};
    add_block(p, &seed, body, 2, 6, true, compliance);
  }
  const uint32_t held[2] = {SCREE_CCP_WORLD, frame}, joined[2] = {rigid, rigid + 1};
  add_block(p, &seed, held, 2, 6, true, compliance);
  add_block(p, &seed, joined, 2, 3, true, 0.0); /* a hard joint */
  scree_ccp_set_reference_speed(p, 0.05);
  return p;
}

static scree_solve_info solve(scree_context *context, const char *name, const scree_ccp *problem,
                              scree_model model, double tolerance, double *g) {
  scree_solver *s = NULL;
  scree_solve_info info;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = model;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = tolerance;
  assert_int_equal(scree_solver_create(context, name, &s), SCREE_OK);
  assert_int_equal(scree_solver_solve(s, problem, &settings, g, &info), SCREE_OK);
  scree_solver_destroy(s);
  return info;
}

static void compare(scree_model model, unsigned seed, double compliance) {
  scree_context *context = scree_context_create(NULL);
  scree_ccp *p = make(context, seed, compliance);
  const size_t rows = scree_ccp_row_count(p), count = scree_ccp_velocity_count(p);
  double *g = calloc(rows, sizeof *g), *v = calloc(count, sizeof *v), *w = calloc(count, sizeof *w);
  const scree_solve_info ours = solve(context, "condense", p, model, 1e-9, g);
  if (ours.outcome != SCREE_OUTCOME_SOLVED)
    fail_msg("seed %u, compliance %g: %s, R %g: %s", seed, compliance,
             scree_outcome_text(ours.outcome), ours.residual.scaled, ours.detail);
  assert_true(ours.residual.scaled <= 1e-9);
  assert_int_equal(scree_ccp_velocities(context, p, g, NULL, v), SCREE_OK);
  memset(g, 0, rows * sizeof *g);
  const char *const other = model == SCREE_MODEL_RELAXED ? "ipm" : "prox";
  const scree_solve_info exact = solve(context, other, p, model, 1e-8, g);
  assert_int_equal(exact.outcome, SCREE_OUTCOME_SOLVED);
  assert_int_equal(scree_ccp_velocities(context, p, g, NULL, w), SCREE_OK);
  double most = 0.0;
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(v[k] - w[k]));
  if (!(most < 1e-6)) fail_msg("seed %u, compliance %g: off by %g m/s", seed, compliance, most);
  free(g);
  free(v);
  free(w);
  scree_ccp_destroy(p);
  scree_context_destroy(context);
}

static void test_relaxed(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 4; seed++)
    for (int k = 0; k < 3; k++) compare(SCREE_MODEL_RELAXED, seed, pow(10.0, -1.0 - 2.0 * k));
}

static void test_exact(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 4; seed++)
    for (int k = 0; k < 3; k++) compare(SCREE_MODEL_COULOMB, seed, pow(10.0, -1.0 - 2.0 * k));
}

/* Without contacts and joints one factorisation is the solution, and `auto` takes it. */
static void test_alone(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *p = NULL;
  unsigned seed = 3;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  add_bodies(p, &seed);
  for (uint32_t i = 0; i + 1 < BODIES; i++) {
    const uint32_t body[2] = {i, i + 1};
    add_block(p, &seed, body, 2, 6, true, 1e-6);
  }
  double *g = calloc(scree_ccp_row_count(p), sizeof *g);
  const scree_solve_info info = solve(context, "auto", p, SCREE_MODEL_COULOMB, 1e-9, g);
  assert_int_equal(info.outcome, SCREE_OUTCOME_SOLVED);
  assert_string_equal(info.method, "condense");
  free(g);
  scree_ccp_destroy(p);
  scree_context_destroy(context);
}

static void test_refuses(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *p = NULL;
  unsigned seed = 3;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  add_bodies(p, &seed);
  const uint32_t body[2] = {0, 1};
  add_block(p, &seed, body, 2, 6, true, 0.0);
  scree_solver *s = NULL;
  scree_solve_info info;
  scree_solve_settings settings = scree_solve_settings_default();
  double g[6] = {0.0};
  assert_int_equal(scree_solver_create(context, "condense", &s), SCREE_OK);
  assert_int_equal(scree_solver_solve(s, p, &settings, g, &info), SCREE_ERROR_UNSUPPORTED);
  assert_non_null(strstr(scree_context_message(context), "no elastic rows"));
  scree_solver_destroy(s);
  scree_ccp_destroy(p);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_relaxed),
      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_alone),
      cmocka_unit_test(test_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
