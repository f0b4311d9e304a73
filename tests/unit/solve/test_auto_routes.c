/* A test for each row of auto's plans: a problem of its class, and the stages that the log says it
 * went through, which must be those of the plan in its order, as many as the problem needs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solve/auto/plan.h"
#include "tests/support/solve_packing.h"

typedef struct route {
  char line[16][128];
  size_t count;
} route;

static void note(void *user, scree_log_level level, const char *message) {
  route *r = user;
  if (level != SCREE_LOG_DEBUG || strncmp(message, "auto: ", 6) != 0 || r->count == 16) return;
  snprintf(r->line[r->count++], sizeof r->line[0], "%s", message + 6);
}

/* ---- problems ------------------------------------------------------------------------------- */

/* Towers of boxes of 1 kg and edge 1 m, four contacts between two, pushed aside by `side` m/s. */
static scree_ccp *towers(scree_context *context, int count, int height, double mu, double side) {
  static const double corner[4][2] = {{0.5, 0.5}, {0.5, -0.5}, {-0.5, -0.5}, {-0.5, 0.5}};
  scree_ccp *p;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  const scree_ccp_body_def box = {.inverse_mass = 1.0,
                                  .inverse_inertia = {6.0, 0.0, 0.0, 6.0, 0.0, 6.0},
                                  .v_free = {side, 0.0, -0.0981, 0.0, 0.0, 0.0}};
  uint32_t index;
  for (int i = 0; i < count * height; i++)
    assert_int_equal(scree_ccp_add_body(p, &box, &index), SCREE_OK);
  for (int i = 0; i < count * height; i++)
    for (int k = 0; k < 4; k++) {
      scree_ccp_contact_def c = scree_ccp_contact_def_default();
      c.body_a = i % height ? (uint32_t)i - 1 : SCREE_CCP_WORLD;
      c.body_b = (uint32_t)i;
      c.set = scree_set_coulomb(3, mu);
      c.tangent[0] = 1.0;
      for (int j = 0; j < 2; j++) c.arm_a[j] = c.arm_b[j] = corner[k][j];
      if (i % height) c.arm_a[2] = 0.5;
      c.arm_b[2] = -0.5;
      assert_int_equal(scree_ccp_add_contact(p, &c), SCREE_OK);
    }
  return p;
}

static scree_ccp *grains(scree_context *context, int side, double mu) {
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = side;
  def.mu = mu;
  return packing_make(context, &def);
}

/* A pendulum of two masses: free rows alone. */
static scree_ccp *machine(scree_context *context) {
  scree_ccp *p;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  const scree_ccp_body_def body = {.inverse_mass = 1.0, .v_free = {0.0, 0.0, -0.1, 0, 0, 0}};
  uint32_t index;
  const scree_set held = scree_set_free(1);
  for (uint32_t i = 0; i < 2; i++) assert_int_equal(scree_ccp_add_body(p, &body, &index), SCREE_OK);
  for (uint32_t i = 0; i < 2; i++) {
    const scree_ccp_term term = {.body = i, .coefficient = {0.0, 0.0, 1.0, 0.0, 0.0, 0.0}};
    const scree_ccp_row_def row = {.terms = &term, .term_count = 1};
    assert_int_equal(scree_ccp_add_block(p, &held, &row), SCREE_OK);
  }
  return p;
}

/* A chain of points on springs that hangs from the world, with a contact below. */
static scree_ccp *elastic(scree_context *context) {
  enum { POINTS = 10 };
  scree_ccp *p;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  const scree_ccp_body_def body = {.inverse_mass = 1.0, .v_free = {0.0, 0.0, -0.1, 0, 0, 0}};
  uint32_t index;
  for (uint32_t i = 0; i < POINTS; i++)
    assert_int_equal(scree_ccp_add_body(p, &body, &index), SCREE_OK);
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  c.body_b = POINTS - 1;
  c.set = scree_set_coulomb(3, 0.5);
  c.tangent[0] = 1.0;
  assert_int_equal(scree_ccp_add_contact(p, &c), SCREE_OK);
  const scree_set held = scree_set_free(3);
  for (uint32_t i = 0; i < POINTS; i++) {
    scree_ccp_term term[3][2] = {{{0}}};
    scree_ccp_row_def row[3];
    for (int k = 0; k < 3; k++) {
      term[k][0].body = i ? i - 1 : SCREE_CCP_WORLD;
      term[k][0].coefficient[k] = i ? -1.0 : 0.0;
      term[k][1].body = i;
      term[k][1].coefficient[k] = 1.0;
      row[k] = (scree_ccp_row_def){.terms = term[k], .term_count = 2, .compliance = 0.1};
    }
    assert_int_equal(scree_ccp_add_block(p, &held, row), SCREE_OK);
  }
  return p;
}

/* Balls on top of each other, as a matrix: sweeps carry a load from one to the next only. */
static scree_ccp *matrix(scree_context *context) {
  enum { N = 60 };
  size_t start[N + 1], count = 0;
  uint32_t index[3 * N];
  double value[3 * N], q[N];
  scree_set sets[N];
  for (size_t j = 0; j < N; j++) {
    start[j] = count;
    for (size_t i = j ? j - 1 : 0; i <= j + 1 && i < N; i++) {
      index[count] = (uint32_t)i;
      value[count++] = i == j ? 2.0 : -1.0;
    }
    q[j] = -1.0;
    sets[j] = scree_set_ray();
  }
  start[N] = count;
  const scree_csc w = {.rows = N, .columns = N, .start = start, .index = index, .value = value};
  scree_ccp *p;
  assert_int_equal(scree_ccp_create_local(context, N, sets, &w, q, NULL, &p), SCREE_OK);
  return p;
}

/* ---- rows ----------------------------------------------------------------------------------- */

typedef struct row {
  auto_class class;
  scree_ccp *(*make)(scree_context *context);
  scree_model model;
  bool warm;
  double error, residual; /* tolerances */
  double start;           /* normal impulses at the start, N s */
  const char *newton_blocks;
  const char *stages; /* the least that it goes through */
} row;

static scree_ccp *one_ball(scree_context *context, const scree_set *set) {
  scree_ccp *p = grains(context, 2, 0.5);
  const scree_ccp_body_def ball = {.inverse_mass = 1.0, .v_free = {0.1, 0.0, -0.1, 0, 0, 0}};
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  scree_ccp_clear(p);
  assert_int_equal(scree_ccp_add_body(p, &ball, &c.body_b), SCREE_OK);
  c.tangent[0] = 1.0;
  c.set = *set;
  assert_int_equal(scree_ccp_add_contact(p, &c), SCREE_OK);
  return p;
}
static scree_ccp *dilatant(scree_context *context) {
  scree_set set = scree_set_coulomb(3, 0.5);
  set.flow[0] = set.flow[1] = 0.4;
  return one_ball(context, &set);
}

/* Any impulse of at most 1 N s. */
static void project_ball(const scree_user_set *set, int dim, double *x) {
  (void)set;
  double sum = 0.0;
  for (int k = 0; k < dim; k++) sum += x[k] * x[k];
  for (int k = 0; k < dim && sum > 1.0; k++) x[k] /= sqrt(sum);
}
static double lack_of_ball(const scree_user_set *set, int dim, const double *u) {
  (void)set;
  (void)dim;
  (void)u;
  return 0.0;
}
static scree_ccp *opaque(scree_context *context) {
  static const scree_user_set ball = {
      .name = "ball", .project = project_ball, .dual_violation = lack_of_ball};
  const scree_set set = scree_set_user(3, &ball);
  return one_ball(context, &set);
}
static scree_ccp *some_grains(scree_context *context) {
  return grains(context, 3, 0.3);
}
static scree_ccp *many_grains(scree_context *context) {
  return grains(context, 6, 0.3);
}
static scree_ccp *rough_grains(scree_context *context) {
  return grains(context, 7, 0.8);
}
static scree_ccp *tower(scree_context *context) {
  return towers(context, 1, 5, 0.5, 0.0);
}
/* Whose highest boxes cannot turn about the vertical. */
static scree_ccp *joined_towers(scree_context *context) {
  scree_ccp *p = towers(context, 4, 3, 0.5, 0.0);
  const scree_set held = scree_set_free(1);
  for (uint32_t i = 2; i < 12; i += 3) {
    const scree_ccp_term term = {.body = i, .coefficient = {0.0, 0.0, 0.0, 0.0, 0.0, 1.0}};
    const scree_ccp_row_def def = {.terms = &term, .term_count = 1};
    assert_int_equal(scree_ccp_add_block(p, &held, &def), SCREE_OK);
  }
  return p;
}
static scree_ccp *many_towers(scree_context *context) {
  return towers(context, 40, 5, 0.5, 0.0);
}
static scree_ccp *sliding_towers(scree_context *context) {
  return towers(context, 40, 5, 0.1, 0.5);
}

#define RELAXED SCREE_MODEL_RELAXED
#define COULOMB SCREE_MODEL_COULOMB
static const row rows[] = {
    {AUTO_DILATANT, dilatant, COULOMB, true, 0, 1e-6, 0, NULL, "sweeps"},
    {AUTO_OPAQUE, opaque, COULOMB, true, 0, 1e-6, 0, NULL, "sweeps to the end"},
    {AUTO_ELASTIC, elastic, COULOMB, true, 0, 1e-6, 0, NULL, "condense"},
    {AUTO_MACHINE, machine, COULOMB, true, 0, 1e-6, 0, NULL, "direct"},
    {AUTO_STEP_FEW_GRAINS, some_grains, COULOMB, true, 0, 1e-3, 0, NULL, "ags"},
    {AUTO_STEP_SMALL, tower, COULOMB, true, 0, 1e-6, 0, NULL, "turns"},
    {AUTO_STEP_SMALL, some_grains, COULOMB, true, 0, 1e-8, 0, NULL, "turns"},
    {AUTO_STEP_JOINED, joined_towers, COULOMB, true, 0, 1e-6, 0, NULL, "islands"},
    {AUTO_STEP_GRAINS, many_grains, COULOMB, true, 0, 1e-3, 0, NULL, "islands ags"},
    {AUTO_STEP_TUMBLING, many_towers, RELAXED, true, 0, 1e-4, 10.0, NULL, "islands"},
    {AUTO_STEP_RESTING, many_towers, RELAXED, true, 0, 0.1, 0, NULL, "apgd"},
    {AUTO_STEP_SWAYING, many_towers, RELAXED, true, 0, 1e-4, 0.02, NULL, "islands"},
    {AUTO_STEP_STICKING, many_towers, COULOMB, true, 0, 0.1, 0, NULL, "apgd"},
    {AUTO_STEP_SLIDING, sliding_towers, COULOMB, true, 0, 1e-4, 0.02, NULL, "islands"},
    {AUTO_HUGE_RELAXED, some_grains, RELAXED, false, 1e-9, 0, 0, "10", "sweeps extrapolation"},
    {AUTO_HARD, rough_grains, COULOMB, false, 1e-6, 0, 0, NULL, "sweeps extrapolation"},
    {AUTO_GENTLE, many_grains, RELAXED, false, 1e-8, 0, 0, NULL, "sweeps extrapolation"},
    {AUTO_PLAIN, matrix, COULOMB, false, 1e-10, 0, 0, NULL, "sweeps turns"},
};

static void check(const row *r, const route *found) {
  char stages[256] = "";
  const char *class = auto_class_text(r->class);
  const auto_stage *plan = auto_plan(r->class);
  assert_true(found->count > 0);
  for (size_t k = 0, of_class = 0; k < found->count; k++) {
    const char *text = found->line[k];
    if (strncmp(text, class, strlen(class)) != 0 || text[strlen(class)] != ':') {
      if (!of_class) fail_msg("'%s' was taken for '%s'", class, text);
      continue; /* an island, which is a problem of its own */
    }
    const char *stage = text + strlen(class) + 2;
    if (strcmp(stage, auto_stage_text(&plan[of_class])) != 0)
      fail_msg("%s: stage %zu was %s, not %s", class, of_class, stage,
               auto_stage_text(&plan[of_class]));
    if (of_class++) strcat(stages, " ");
    strcat(stages, stage);
  }
  if (strncmp(stages, r->stages, strlen(r->stages)) != 0)
    fail_msg("%s: went through '%s', not '%s'", class, stages, r->stages);
}

static void test_rows(void **state) {
  (void)state;
  bool seen[AUTO_CLASS_COUNT] = {[AUTO_STEP_STACK] = true};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const row *r = &rows[i];
    route found = {.count = 0};
    scree_context_def def = scree_context_def_default();
    def.log = note;
    def.log_user = &found;
    scree_context *context = scree_context_create(&def);
    scree_ccp *p = r->make(context);
    double *g = calloc(scree_ccp_row_count(p), sizeof *g);
    for (size_t k = 0; k < scree_ccp_row_count(p) && r->start > 0.0; k += 3) g[k] = r->start;
    scree_solve_settings s = scree_solve_settings_default();
    s.model = r->model;
    s.warm_start = r->warm;
    s.tolerance_error = r->error;
    s.tolerance_residual = r->residual;
    s.iteration_limit = 3000;
    const solver_option option = {"newton_blocks", r->newton_blocks};
    packing_solve(context, p, "auto", &option, r->newton_blocks ? 1 : 0, &s, g);
    check(r, &found);
    seen[r->class] = true;
    free(g);
    scree_ccp_destroy(p);
    scree_context_destroy(context);
  }
  for (int c = 0; c < AUTO_CLASS_COUNT; c++)
    if (!seen[c]) fail_msg("no problem is of the class '%s'", auto_class_text((auto_class)c));
}

/* Each plan ends, and says why it chose what it did where it does not sweep first. */
static void test_plans(void **state) {
  (void)state;
  for (int c = 0; c < AUTO_CLASS_COUNT; c++) {
    const auto_stage *plan = auto_plan((auto_class)c);
    int count = 0;
    while (count < AUTO_STAGES && plan[count].kind != AUTO_END) count++;
    assert_true(count < AUTO_STAGES);
    if (c == AUTO_STEP_STACK) continue;
    assert_true(count > 0);
    if (c >= AUTO_STEP_FEW_GRAINS && c <= AUTO_STEP_SLIDING) assert_non_null(plan[0].reason);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_plans)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
