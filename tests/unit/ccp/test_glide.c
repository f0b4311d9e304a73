/* Sweeps with extrapolation against what their definition says, block by block from rows: impulses,
 * the hint, and the sum that decides on a restart; for packed, rigid and generic blocks, in both
 * models, with every kernel; and the same bits for any number of threads, and in tiles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ccp/bodies/operator.h"
#include "ccp/operator_glide.h"
#include "tests/support/packing.h"
#include "tests/unit/ccp/random_bodies.h"

static const random_def cases[] = {
    {.bodies = 9, .contacts = 40, .generic = 6, .compliance = true, .seed = 21},
    {.bodies = 14, .contacts = 60, .spheres = true, .seed = 22},
    {.bodies = 14, .contacts = 60, .generic = 5, .spheres = true, .compliance = true, .seed = 23},
    {.bodies = 30, .contacts = 400, .generic = 3, .spheres = true, .hub = true, .seed = 24},
    {.bodies = 40, .contacts = 90, .rigid = true, .seed = 25},
    {.bodies = 40, .contacts = 120, .spheres = true, .rolling = true, .seed = 41},
    {.bodies = 40, .contacts = 120, .spheres = true, .rolling = true, .equal = true, .seed = 42},
    {.bodies = 30,
     .contacts = 300,
     .generic = 5,
     .spheres = true,
     .rolling = true,
     .compliance = true,
     .hub = true,
     .seed = 43},
    {.bodies = 30, .contacts = 90, .generic = 5, .rolling = true, .compliance = true, .seed = 44},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static const double betas[] = {0.0, 0.4, 0.9, 0.0, 1.0};
enum { BETAS = sizeof betas / sizeof betas[0] };

/* One sweep by definition; `before` and g move on. */
static op_glide_sums sweep_by_rows(ccp_operator *op, scree_model model, double beta, double *before,
                                   double *g) {
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = model, .omega = 1.0, .lambda = 1.0};
  double *y = calloc(op->row_count, sizeof *y), *next = calloc(op->row_count, sizeof *next);
  for (size_t k = 0; k < op->row_count; k++) next[k] = y[k] = g[k] + beta * (g[k] - before[k]);
  op_glide_sums sums = {0.0, 0.0, 0.0};
  op_sweep_begin(op, next);
  sums.change = op_sweep_reference(op, &params, next);
  for (size_t i = 0; i < op->block_count; i++)
    for (size_t k = op->row_start[i]; k < op->row_start[i + 1]; k++) {
      const bool force = (int)(k - op->row_start[i]) < op_force_rows(op, i);
      const double eta = force ? op->eta_force[i] : op->eta_moment[i];
      if (!(eta > 0.0)) continue;
      sums.uphill += (y[k] - next[k]) * (next[k] - g[k]) / eta;
      sums.distance2 += (y[k] - next[k]) * (y[k] - next[k]) / eta;
    }
  memcpy(before, g, op->row_count * sizeof *g);
  memcpy(g, next, op->row_count * sizeof *g);
  free(y);
  free(next);
  return sums;
}

static void assert_close(double found, double expected, double scale) {
  if (!(fabs(found - expected) <= 1e-10 * scale))
    fail_msg("%.17g instead of %.17g", found, expected);
}

/* The residuals from the velocities that sweeps have led along are those of afresh. */
static void check_led(ccp_operator *op, scree_model model, const double *g) {
  double *scratch = calloc(op->row_count, sizeof *scratch);
  scree_residual led, fresh;
  op_sweep_residual_led(op, model, g, &led);
  op_sweep_residual(op, model, g, scratch, &fresh);
  assert_true(fresh.scaled > 0.0);
  assert_close(led.scaled, fresh.scaled, fresh.scaled);
  assert_close(led.error, fresh.error, fresh.error);
  assert_close(led.penetration_speed, fresh.penetration_speed, 1.0);
  free(scratch);
}

static void check_case(const random_def *def, scree_model model, size_t kernel) {
  scree_context_def context_def = scree_context_def_default();
  scree_context *context = scree_context_create(&context_def);
  scree_ccp *problem = NULL;
  dense_problem dense;
  ccp_operator *op = NULL, *slow = NULL;
  assert_int_equal(random_problem(context, def, &problem, &dense), SCREE_OK);
  assert_int_equal(op_create(context, problem, &op), SCREE_OK);
  assert_int_equal(op_create(context, problem, &slow), SCREE_OK);
  ((op_bodies *)op->impl)->kernels = bodies_kernels(kernel);
  double *g = calloc(op->row_count, sizeof *g), *expected = calloc(op->row_count, sizeof *g),
         *before = calloc(op->row_count, sizeof *g);
  uint64_t state = def->seed;
  for (size_t k = 0; k < op->row_count; k++) g[k] = random_in(&state, -1.0, 1.0);
  op_project(op, g);
  memcpy(expected, g, op->row_count * sizeof *g);
  memcpy(before, g, op->row_count * sizeof *g);
  op_sweep_begin(op, g);
  assert_int_equal(op_glide_begin(op, g), SCREE_OK);
  for (size_t j = 0; j < BETAS; j++) {
    /* A shift that follows all of the way is the exact law. */
    const op_glide_params params = {.model = model,
                                    .beta = betas[j],
                                    .follow = model == SCREE_MODEL_COULOMB && j % 2 ? 1.0 : 0.0};
    const op_glide_sums found = op_glide_sweep(op, &params, g);
    const op_glide_sums sums = sweep_by_rows(slow, model, betas[j], before, expected);
    op_sweep_store(op, g);
    for (size_t k = 0; k < op->row_count; k++) assert_close(g[k], expected[k], 1.0);
    assert_close(found.change, sums.change, 1.0 + sums.change);
    assert_close(found.uphill, sums.uphill, 10.0 + fabs(sums.uphill));
    assert_close(found.distance2, sums.distance2, 1.0 + sums.distance2);
  }
  check_led(op, model, g);
  free(g);
  free(expected);
  free(before);
  dense_free(&dense);
  op_destroy(op);
  op_destroy(slow);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

static void test_by_definition(void **state) {
  (void)state;
  for (size_t k = 0; k < CASES; k++)
    for (size_t kernel = 0; bodies_kernels(kernel); kernel++) {
      check_case(&cases[k], SCREE_MODEL_RELAXED, kernel);
      check_case(&cases[k], SCREE_MODEL_COULOMB, kernel);
    }
}

static void test_same_bits(void **state) {
  (void)state;
  double *first = NULL, uphill = 0.0;
  for (int threads = 1; threads <= 4; threads *= 2) {
    scree_context_def context_def = scree_context_def_default();
    context_def.threads = threads;
    scree_context *context = scree_context_create(&context_def);
    scree_ccp *problem = NULL;
    ccp_operator *op = NULL;
    packing_def def = packing_def_default();
    def.nx = def.ny = def.nz = 11;
    assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
    assert_int_equal(op_create(context, problem, &op), SCREE_OK);
    assert_true(op->block_count > BODIES_PARALLEL);
    double *g = calloc(op->row_count, sizeof *g);
    op_glide_sums sums = {0.0, 0.0, 0.0};
    op_sweep_begin(op, g);
    assert_int_equal(op_glide_begin(op, g), SCREE_OK);
    for (int k = 0; k < 12; k++) {
      const op_glide_params params = {.model = k < 6 ? SCREE_MODEL_RELAXED : SCREE_MODEL_COULOMB,
                                      .beta = k % 5 ? 0.8 : 0.0,
                                      .follow = k < 6 ? 0.0 : 0.4};
      sums = op_glide_sweep(op, &params, g);
    }
    op_sweep_store(op, g);
    if (!first) {
      first = g;
      uphill = sums.uphill;
    } else {
      assert_memory_equal(g, first, op->row_count * sizeof *g);
      assert_memory_equal(&sums.uphill, &uphill, sizeof uphill);
      free(g);
    }
    op_destroy(op);
    scree_ccp_destroy(problem);
    scree_context_destroy(context);
  }
  free(first);
}

/* Lines are carried on by all kernels in the same bits, and as one number after the other is. */
static void test_lines(void **state) {
  (void)state;
  enum { LINES = 5, NUMBERS = 8 * LINES };
  for (size_t kernel = 0; bodies_kernels(kernel); kernel++) {
    _Alignas(64) body_line line[LINES], before[LINES];
    double x[NUMBERS], last[NUMBERS];
    for (int k = 0; k < NUMBERS; k++) {
      x[k] = sin(1.0 + k) * pow(10.0, k % 7 - 3);
      last[k] = cos(3.0 * k) / 3.0;
    }
    memcpy(line, x, sizeof line);
    memcpy(before, last, sizeof before);
    bodies_kernels(kernel)->extrapolate(line, before, 0.7, LINES);
    assert_memory_equal(before, x, sizeof before);
    for (int k = 0; k < NUMBERS; k++) {
      const double apart = x[k] - last[k], more = 0.7 * apart;
      x[k] = x[k] + more;
    }
    assert_memory_equal(line, x, sizeof line);
  }
}

/* In tiles a group may be begun before the one before it has ended, but where they share a body:
 * the same bits as one after the other. */
static double *sweep_tiles(size_t kernel, bool one_by_one, size_t *rows) {
  scree_context_def context_def = scree_context_def_default();
  scree_context *context = scree_context_create(&context_def);
  scree_ccp *problem = NULL;
  ccp_operator *op = NULL;
  packing_def def = packing_def_default();
  def.nx = 60;
  def.ny = 24;
  def.nz = 20;
  assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
  scree_ccp_set_reference_speed(problem, 0.0); /* no contact is left out */
  assert_int_equal(op_create(context, problem, &op), SCREE_OK);
  op_bodies *impl = op->impl;
  pack_plan *plan = &impl->pack.plan;
  impl->kernels = bodies_kernels(kernel);
  assert_true(plan->tiled);
  *rows = op->row_count;
  double *g = calloc(op->row_count, sizeof *g);
  if (one_by_one) memset(plan->joins, 1, impl->pack.lanes.count);
  op_sweep_begin(op, g);
  assert_int_equal(op_glide_begin(op, g), SCREE_OK);
  for (int k = 0; k < 6; k++) {
    const op_glide_params params = {.model = k < 3 ? SCREE_MODEL_RELAXED : SCREE_MODEL_COULOMB,
                                    .beta = k % 3 ? 0.8 : 0.0,
                                    .follow = k < 3 ? 0.0 : 0.4};
    op_glide_sweep(op, &params, g);
  }
  op_sweep_store(op, g);
  op_destroy(op);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
  return g;
}

static void test_tiles(void **state) {
  (void)state;
  for (size_t kernel = 0; bodies_kernels(kernel); kernel++) {
    size_t rows, same;
    double *ahead = sweep_tiles(kernel, false, &rows), *after = sweep_tiles(kernel, true, &same);
    assert_int_equal(rows, same);
    assert_memory_equal(ahead, after, rows * sizeof *ahead);
    free(ahead);
    free(after);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_definition),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_tiles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
