/* Contacts with rolling and spinning resistance in lanes, against the solution of their blocks one
 * by one: contacts that share no body, so that a sweep is their blocks' solutions, in every state
 * that a contact can be in; problems that run on several threads, and in tiles; impulses whose
 * squares vanish. The plain kernels are compiled here once more, to count the lanes that are handed
 * to the solver of single blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define bodies_kernels_plain counted_kernels
#define bodies_roll_single   counted_single
#define set_solve_block      counted_block
#include "ccp/kernels/plain.c"
#undef bodies_kernels_plain
#undef bodies_roll_single
#undef set_solve_block

#include "ccp/bodies/operator.h"
#include "ccp/operator_glide.h"
#include "ccp/operator_gradient.h"
#include "tests/support/packing.h"
#include "tests/unit/ccp/random_bodies.h"

void bodies_roll_single(roll_single *one, bool relaxed);
bool set_solve_block(const scree_set *set, scree_model model, const double *nii, const double *q,
                     double *g);

/* Shared by the threads of a sweep. */
static _Atomic size_t singles;

void counted_single(roll_single *one, bool relaxed) {
  singles++;
  bodies_roll_single(one, relaxed);
}

bool counted_block(const scree_set *set, scree_model model, const double *nii, const double *q,
                   double *g) {
  singles++;
  return set_solve_block(set, model, nii, q, g);
}

static const op_sweep_params exact[2] = {
    {.metric = OP_METRIC_EXACT, .model = SCREE_MODEL_RELAXED, .omega = 1.0, .lambda = 1.0},
    {.metric = OP_METRIC_EXACT, .model = SCREE_MODEL_COULOMB, .omega = 1.0, .lambda = 1.0},
};

enum { PAIRS = 4000, STATES = 9 };

/* Contact i of bodies 2 i and 2 i + 1, or of one and the world; of spheres, or of any shape. */
static scree_ccp *pairs_problem(scree_context *context, bool spheres, bool capped, uint64_t seed) {
  scree_ccp *problem = NULL;
  uint64_t state = seed;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  for (size_t i = 0; i < 2 * PAIRS; i++) {
    scree_ccp_body_def body = {.inverse_mass = random_in(&state, 0.2, 3.0)};
    double *inertia = body.inverse_inertia;
    inertia[0] = inertia[3] = inertia[5] = i % 8 < 4 ? 2.5 : random_in(&state, 0.2, 40.0);
    for (int k = 0, at = 0; !spheres && k < 3; k++)
      for (int l = k; l < 3; l++, at++) inertia[at] += l == k ? random_in(&state, 0.0, 3.0) : 0.2;
    const double fast = i % 3 ? 1.0 : 0.02;
    for (int k = 0; k < 6; k++) body.v_free[k] = fast * random_in(&state, -1.0, 1.0);
    assert_int_equal(scree_ccp_add_body(problem, &body, NULL), SCREE_OK);
  }
  for (size_t i = 0; i < PAIRS; i++) {
    scree_ccp_contact_def c = scree_ccp_contact_def_default();
    c.body_a = i % 5 == 4 ? SCREE_CCP_WORLD : (uint32_t)(2 * i);
    c.body_b = (uint32_t)(2 * i + 1);
    random_direction(&state, c.normal);
    double side[3];
    random_direction(&state, side);
    random_cross(c.normal, side, c.tangent);
    const double ra = i % 4 == 1 ? 0.3 : random_in(&state, 0.1, 0.6);
    const double rb = i % 4 == 1 ? 0.3 : random_in(&state, 0.1, 0.6);
    for (int k = 0; k < 3; k++) {
      c.arm_a[k] = ra * c.normal[k] + (spheres ? 0.0 : random_in(&state, -0.3, 0.3));
      c.arm_b[k] = -rb * c.normal[k] + (spheres ? 0.0 : random_in(&state, -0.3, 0.3));
    }
    c.offset[0] = random_in(&state, -2.0, 0.3);
    const double mu = i % 13 == 5 ? 0.0 : random_in(&state, 0.0, 1.0);
    const double rho = i % 11 == 5 ? 0.0 : random_in(&state, 0.0, i % 2 ? 0.5 : 0.02);
    const double sigma = i % 7 == 5 ? 0.0 : random_in(&state, 0.0, i % 2 ? 0.3 : 0.01);
    c.set = scree_set_rolling(4 + (int)(i % 3), mu, rho, sigma);
    if (capped && i % 4) c.set.cap = i % 31 ? random_in(&state, 0.0, 0.4) : 0.0;
    for (int k = 1; !spheres && i % 9 == 0 && k < c.set.dim; k++) {
      c.offset[k] = random_in(&state, -0.2, 0.2);
      c.compliance[k] = random_in(&state, 0.0, 0.3);
    }
    assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
  }
  return problem;
}

/* 0: at the apex; else 1 + 1 for slip + 2 for rolling + 4 for spinning. */
static int state_of(const scree_set *set, const double *g) {
  const double at = 1.0 - 1e-9;
  if (!(g[0] > 0.0)) return 0;
  int state = 1;
  if (hypot(g[1], g[2]) >= at * set->mu * g[0]) state += 1;
  if (set->dim > 4 && hypot(g[3], g[4]) >= at * set->rolling * g[0]) state += 2;
  if (set->dim != 5 && fabs(g[set->dim - 1]) >= at * set->spinning * g[0]) state += 4;
  return state;
}

static void compare_blocks(const scree_ccp *problem, const double *g, const double *expected,
                           size_t *states) {
  for (size_t i = 0; i < PAIRS; i++) {
    const double *x = g + problem->row_start[i], *y = expected + problem->row_start[i];
    const scree_set *set = ccp_set(problem, i);
    double size = 0.1;
    for (int k = 0; k < set->dim; k++) size = fmax(size, fabs(y[k]));
    for (int k = 0; k < set->dim; k++)
      if (!(fabs(x[k] - y[k]) <= 2e-11 * size))
        fail_msg("contact %zu, row %d of %d: %.17g, expected %.17g", i, k, set->dim, x[k], y[k]);
    states[state_of(set, y)]++;
  }
}

static void start_at(const scree_ccp *problem, int start, const double *solution, double *g) {
  uint64_t state = 17;
  for (size_t k = 0; k < problem->row_count; k++)
    g[k] = start == 0   ? 0.0
           : start == 1 ? random_in(&state, -1.0, 1.0)
                        : solution[k] * (1.0 + random_in(&state, -0.02, 0.02));
}

/* From nothing, from anything, from near the solution. */
static void check_blocks(bool spheres, bool capped) {
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = pairs_problem(context, spheres, capped, 5);
  for (int model = 0; model < 2; model++) {
    double *g = calloc(problem->row_count, sizeof *g);
    double *expected = calloc(problem->row_count, sizeof *g);
    double *first = calloc(problem->row_count, sizeof *g);
    size_t states[STATES] = {0};
    for (int start = 0; start < 3; start++)
      for (size_t kernel = 0; kernel == 0 || bodies_kernels(kernel - 1); kernel++) {
        ccp_operator *op = NULL;
        assert_int_equal(op_create(context, problem, &op), SCREE_OK);
        op_bodies *impl = op->impl;
        impl->kernels = kernel ? bodies_kernels(kernel - 1) : &counted_kernels;
        assert_int_equal(impl->rolled.contact_count, spheres ? PAIRS : 0);
        assert_true(spheres || impl->rigid.turning_count == PAIRS / PACK_LANES);
        if (!kernel) {
          start_at(problem, start, expected, g);
          op_project(op, g);
          memcpy(expected, g, problem->row_count * sizeof *g);
          op_sweep_begin(op, expected);
          op_sweep_reference(op, &exact[model], expected);
        }
        start_at(problem, start, expected, g);
        op_project(op, g);
        singles = 0;
        op_sweep_begin(op, g);
        op_sweep(op, &exact[model], g);
        /* Where there are caps the block without them comes first, far from the solution. */
        const bool near = start == 2 && !capped;
        if (!kernel && singles > (near ? PAIRS / 1000 : PAIRS / 30))
          fail_msg("start %d: %zu lanes are handed over", start, singles);
        compare_blocks(problem, g, expected, states);
        /* The vector kernels have the same bits. */
        if (strcmp(impl->kernels->name, "plain")) {
          if (kernel > 1) assert_memory_equal(g, first, problem->row_count * sizeof *g);
          memcpy(first, g, problem->row_count * sizeof *g);
        }
        op_destroy(op);
      }
    for (int s = 0; s < STATES; s++) assert_true(states[s] > 200);
    free(g);
    free(expected);
    free(first);
  }
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

static void test_blocks(void **state) {
  (void)state;
  check_blocks(true, false);
  check_blocks(true, true);
}

static void test_blocks_of_any_shape(void **state) {
  (void)state;
  check_blocks(false, false);
  check_blocks(false, true);
}

static scree_ccp *rolling_packing(scree_context *context, int edge) {
  packing_def def = packing_def_default();
  scree_ccp *problem = NULL;
  def.nx = def.ny = def.nz = edge;
  def.rolling = 0.02;
  def.spinning = 0.01;
  assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
  scree_ccp_set_reference_speed(problem, 0.0);
  return problem;
}

/* Sweeps, with extrapolation too, gradient steps and residuals on one, two and four threads; the
 * larger problem is in tiles. */
static double run_all(ccp_operator *op, double *g, double *u) {
  double sum = 0.0;
  scree_residual residual;
  op_sweep_begin(op, g);
  for (int k = 0; k < 4; k++) sum += op_sweep_inside(op, &exact[k % 2], g);
  op_sweep_store(op, g);
  op_sweep_residual(op, SCREE_MODEL_COULOMB, g, u, &residual);
  sum += residual.error + residual.rms;
  op_sweep_begin(op, g);
  assert_int_equal(op_glide_begin(op, g), SCREE_OK);
  for (int k = 0; k < 4; k++) {
    const op_glide_params params = {.model = k % 2 ? SCREE_MODEL_COULOMB : SCREE_MODEL_RELAXED,
                                    .beta = 0.2 * k,
                                    .follow = k % 2 ? 0.3 : 0.0};
    sum += op_glide_sweep(op, &params, g).uphill;
  }
  op_sweep_store(op, g);
  assert_int_equal(op_gradient_begin(op, g), SCREE_OK);
  for (int k = 0; k < 4; k++) {
    const op_gradient_sums sums = op_gradient_step(op, 0.2 * k, 0.5);
    sum += sums.distance2 + sums.uphill + sums.curvature + sums.objective;
    op_gradient_accept(op);
  }
  op_gradient_get(op, g, u);
  return sum;
}

static void same_bits(int edge, size_t kernel, bool tiled) {
  double *first = NULL, first_sum = 0.0;
  for (int threads = 1; threads <= 4; threads *= 2) {
    scree_context_def def = scree_context_def_default();
    def.threads = threads;
    scree_context *context = scree_context_create(&def);
    scree_ccp *problem = rolling_packing(context, edge);
    ccp_operator *op = NULL;
    assert_int_equal(op_create(context, problem, &op), SCREE_OK);
    op_bodies *impl = op->impl;
    impl->kernels = bodies_kernels(kernel);
    assert_true(impl->rolled.contact_count > BODIES_PARALLEL && impl->rolled.plan.tiled == tiled);
    double *g = calloc(op->row_count, sizeof *g), *u = calloc(op->row_count, sizeof *u);
    const double sum = run_all(op, g, u);
    assert_true(isfinite(sum));
    if (first) {
      assert_memory_equal(g, first, op->row_count * sizeof *g);
      assert_true(sum == first_sum);
      free(g);
    } else {
      first = g;
      first_sum = sum;
    }
    free(u);
    op_destroy(op);
    scree_ccp_destroy(problem);
    scree_context_destroy(context);
  }
  free(first);
}

static void test_same_bits(void **state) {
  (void)state;
  for (size_t kernel = 0; bodies_kernels(kernel); kernel++) same_bits(11, kernel, false);
  same_bits(21, 0, true);
}

static void test_tiles(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = rolling_packing(context, 21);
  ccp_operator *op = NULL;
  assert_int_equal(op_create(context, problem, &op), SCREE_OK);
  double *g = calloc(op->row_count, sizeof *g), *expected = calloc(op->row_count, sizeof *g);
  op_sweep_begin(op, g);
  for (int k = 0; k < 2; k++) op_sweep(op, &exact[k], g);
  op_sweep_begin(op, expected);
  for (int k = 0; k < 2; k++) op_sweep_reference(op, &exact[k], expected);
  for (size_t k = 0; k < op->row_count; k++)
    if (!(fabs(g[k] - expected[k]) <= 1e-10)) fail_msg("row %zu: %g, %g", k, g[k], expected[k]);
  free(g);
  free(expected);
  op_destroy(op);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

/* Bodies at rest leave impulses whose squares vanish; a velocity that is no number shows. */
static void check_vanishing(bool spheres) {
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = pairs_problem(context, spheres, false, 6);
  for (size_t i = 0; i < PAIRS; i++)
    problem->offset[problem->row_start[i]] = i % 3 == 0 ? -1e-196 : i % 3 == 1 ? -1e-300 : 0.0;
  for (size_t i = 0; i < problem->bodies.body_count; i++)
    for (int k = 0; k < 6; k++) problem->bodies.body[i].v_free[k] *= i % 4 < 2 ? 0.0 : 1e-200;
  for (int model = 0; model < 2; model++)
    for (size_t kernel = 0; bodies_kernels(kernel); kernel++) {
      ccp_operator *op = NULL;
      assert_int_equal(op_create(context, problem, &op), SCREE_OK);
      ((op_bodies *)op->impl)->kernels = bodies_kernels(kernel);
      double *g = calloc(op->row_count, sizeof *g);
      for (size_t k = 0; k < op->row_count; k++) g[k] = k % 3 ? 1e-199 : 4e-199;
      op_sweep_begin(op, g);
      for (int k = 0; k < 3; k++) op_sweep_inside(op, &exact[model], g);
      op_sweep_store(op, g);
      for (size_t k = 0; k < op->row_count; k++) assert_true(isfinite(g[k]));
      g[2] = NAN;
      op_sweep_begin(op, g);
      op_sweep(op, &exact[model], g);
      bool shows = false;
      for (int k = 0; k < 4; k++) shows = shows || isnan(g[k]);
      assert_true(shows);
      free(g);
      op_destroy(op);
    }
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

static void test_vanishing(void **state) {
  (void)state;
  check_vanishing(true);
  check_vanishing(false);
}

/* Contacts of any shape that share bodies, among others without moments: as one by one, and with
 * the same bits on any number of threads. */
static scree_ccp *any_shape(scree_context *context, const random_def *def) {
  scree_ccp *problem = NULL;
  uint64_t random = def->seed;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  for (size_t i = 0; i < def->bodies; i++) {
    const scree_ccp_body_def body = random_body(&random, def, i);
    assert_int_equal(scree_ccp_add_body(problem, &body, NULL), SCREE_OK);
  }
  for (size_t i = 0; i < def->contacts; i++) {
    const scree_ccp_contact_def c = random_contact(&random, def, i);
    assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
  }
  return problem;
}

static void check_any_shape(size_t kernel) {
  const random_def def = {.bodies = 1500, .contacts = 5000, .rolling = true, .seed = 12};
  double *first = NULL;
  for (int threads = 1; threads <= 4; threads *= 2) {
    scree_context_def context_def = scree_context_def_default();
    context_def.threads = threads;
    scree_context *context = scree_context_create(&context_def);
    scree_ccp *problem = any_shape(context, &def);
    ccp_operator *op = NULL;
    assert_int_equal(op_create(context, problem, &op), SCREE_OK);
    op_bodies *impl = op->impl;
    impl->kernels = bodies_kernels(kernel);
    assert_true(impl->rigid.turning_count * PACK_LANES > def.contacts / 2);
    double *g = calloc(op->row_count, sizeof *g), *u = calloc(op->row_count, sizeof *u);
    op_sweep_begin(op, g);
    for (int k = 0; k < 6; k++) op_sweep_inside(op, &exact[k % 2], g);
    op_sweep_store(op, g);
    if (!first) {
      first = calloc(op->row_count, sizeof *first);
      op_sweep_begin(op, u);
      for (int k = 0; k < 6; k++) op_sweep_reference(op, &exact[k % 2], u);
      for (size_t k = 0; k < op->row_count; k++)
        if (!(fabs(g[k] - u[k]) <= 1e-9)) fail_msg("row %zu: %g, expected %g", k, g[k], u[k]);
      memcpy(first, g, op->row_count * sizeof *g);
    }
    assert_memory_equal(g, first, op->row_count * sizeof *g);
    free(g);
    free(u);
    op_destroy(op);
    scree_ccp_destroy(problem);
    scree_context_destroy(context);
  }
  free(first);
}

static void test_any_shape(void **state) {
  (void)state;
  for (size_t kernel = 0; bodies_kernels(kernel); kernel++) check_any_shape(kernel);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks),    cmocka_unit_test(test_blocks_of_any_shape),
      cmocka_unit_test(test_same_bits), cmocka_unit_test(test_tiles),
      cmocka_unit_test(test_vanishing), cmocka_unit_test(test_any_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
