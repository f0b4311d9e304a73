/* The passes of a setup that go eight contacts at a time give the bits of the loops over single
 * contacts, with every kernel: r, groups, and impulses between rows and lanes. A problem with one
 * ray among its contacts, which fills its groups one by one, is the reference. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ccp/bodies/operator.h"
#include "ccp/operator_glide.h"
#include "ccp/operator_gradient.h"
#include "tests/support/packing.h"

typedef struct fixture {
  scree_context *context;
  scree_ccp *problem;
  ccp_operator *op;
  op_bodies *impl;
} fixture;

static fixture make(double mass_ratio, bool ray, double reference_speed) {
  fixture f = {.context = scree_context_create(NULL)};
  packing_def def = packing_def_default();
  def.nx = def.ny = 5;
  def.nz = 6;
  def.masses = PACKING_RANDOM;
  def.mass_ratio = mass_ratio;
  assert_int_equal(packing_create(f.context, &def, &f.problem), SCREE_OK);
  if (ray) {
    scree_ccp_contact_def contact = scree_ccp_contact_def_default();
    contact.body_a = SCREE_CCP_WORLD;
    contact.body_b = 0;
    contact.set = scree_set_ray();
    contact.normal[0] = contact.normal[1] = 0.0;
    contact.normal[2] = 1.0;
    assert_int_equal(scree_ccp_add_contact(f.problem, &contact), SCREE_OK);
  }
  for (size_t i = 0; i < f.problem->bodies.contact_count; i += 3) /* which no packing has */
    for (size_t k = 1; k < (size_t)ccp_dim(f.problem, i); k++)
      f.problem->offset[f.problem->row_start[i] + k] = 0.01 * (double)(i % 17) - 0.03 * (double)k;
  scree_ccp_set_reference_speed(f.problem, reference_speed);
  assert_int_equal(op_create(f.context, f.problem, &f.op), SCREE_OK);
  f.impl = f.op->impl;
  return f;
}

static void drop(fixture *f) {
  op_destroy(f->op);
  scree_ccp_destroy(f->problem);
  scree_context_destroy(f->context);
}

/* The slot of each block, or UINT32_MAX. */
static uint32_t *slots_of(const fixture *f) {
  const bodies_pack *pack = &f->impl->pack;
  uint32_t *slot = malloc(f->op->block_count * sizeof *slot);
  memset(slot, 0xff, f->op->block_count * sizeof *slot);
  for (size_t s = 0; s < pack->lanes.count * PACK_LANES; s++)
    if (pack->lanes.block[s] != PACK_NO_BLOCK) slot[pack->lanes.block[s]] = (uint32_t)s;
  return slot;
}

static void test_velocities(void **state) {
  (void)state;
  fixture f = make(100.0, false, 0.05);
  for (size_t i = 0; i < f.op->block_count; i++) {
    double u[SCREE_MAX_DIM];
    bodies_read_block(f.op, i, f.impl->state, u);
    for (size_t k = 0; k < 3; k++) {
      const size_t row = f.op->row_start[i] + k;
      u[k] += f.problem->offset[row];
      assert_memory_equal(&u[k], &f.op->r[row], sizeof u[k]);
    }
  }
  drop(&f);
}

enum { FIELDS = (sizeof(sphere_group) - offsetof(sphere_group, normal)) / sizeof(double[8]) };

static const char *lane_of(const sphere_group *g, size_t field, size_t lane) {
  const size_t at = offsetof(sphere_group, normal) + (field * PACK_LANES + lane) * sizeof(double);
  return (const char *)g + at;
}

static void test_groups(void **state) {
  (void)state;
  const double speed[] = {0.0, 0.05};
  for (size_t s = 0; s < 2; s++) {
    fixture f = make(100.0, false, speed[s]), one = make(100.0, true, speed[s]);
    assert_true(f.impl->pack.uniform && !one.impl->pack.uniform);
    assert_int_equal(f.op->head_count, f.op->block_count);
    uint32_t *slot = slots_of(&f), *other = slots_of(&one);
    for (size_t i = 0; i < f.op->block_count; i++) {
      assert_true(slot[i] != UINT32_MAX && other[i] != UINT32_MAX);
      const sphere_group *a = &f.impl->pack.lanes.group[slot[i] / PACK_LANES],
                         *b = &one.impl->pack.lanes.group[other[i] / PACK_LANES];
      const size_t k = slot[i] % PACK_LANES, l = other[i] % PACK_LANES;
      assert_int_equal(a->a[k], b->a[l]);
      assert_int_equal(a->b[k], b->b[l]);
      for (size_t field = 0; field < FIELDS; field++)
        assert_memory_equal(lane_of(a, field, k), lane_of(b, field, l), sizeof(double));
      const sphere_scale *of_a = &f.impl->pack.lanes.scale[slot[i] / PACK_LANES],
                         *of_b = &one.impl->pack.lanes.scale[other[i] / PACK_LANES];
      for (size_t d = 0; d < 3; d++)
        assert_memory_equal(&f.impl->pack.lanes.across[slot[i] / PACK_LANES].offset[d][k],
                            &one.impl->pack.lanes.across[other[i] / PACK_LANES].offset[d][l],
                            sizeof(double));
      assert_memory_equal(&of_a->mu[k], &of_b->mu[l], sizeof(double));
      assert_memory_equal(&of_a->weight[k], &of_b->weight[l], sizeof(double));
      assert_memory_equal(&of_a->inverse_nn[k], &of_b->inverse_nn[l], sizeof(double));
      assert_memory_equal(&of_a->inverse_tt[k], &of_b->inverse_tt[l], sizeof(double));
      assert_memory_equal(&of_a->beta[k], &of_b->beta[l], sizeof(double));
      assert_memory_equal(&f.op->eta_force[i], &one.op->eta_force[i], sizeof(double));
    }
    free(slot);
    free(other);
    drop(&f);
    drop(&one);
  }
}

/* Blocks that sweeps and residuals of large problems make of masses and arms have the bits of those
 * that are kept, as has the scale that gradient steps make of them. */
static void test_made_blocks(void **state) {
  (void)state;
  fixture f = make(100.0, false, 0.05);
  pack_lanes *lanes = &f.impl->pack.lanes;
  const size_t rows = f.op->row_count, groups = lanes->count;
  double *g[2] = {malloc(rows * sizeof **g), malloc(rows * sizeof **g)};
  double *scratch = malloc(rows * sizeof *scratch);
  sphere_scale *kept = malloc(groups * sizeof *kept);
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = SCREE_MODEL_RELAXED, .omega = 1.0, .lambda = 1.0};
  const op_glide_params glide = {.model = SCREE_MODEL_COULOMB, .beta = 0.4, .follow = 0.3};
  assert_true(lanes->same_mu && lanes->has_scale);
  memcpy(kept, lanes->scale, groups * sizeof *kept);
  for (size_t kernel = 0; bodies_kernels(kernel); kernel++) {
    f.impl->kernels = bodies_kernels(kernel);
    scree_residual residual[2];
    for (int made = 0; made < 2; made++) {
      lanes->has_scale = !made;
      if (made) memset(lanes->scale, 0xff, groups * sizeof *kept);
      memset(g[made], 0, rows * sizeof **g);
      op_sweep_begin(f.op, g[made]);
      for (int k = 0; k < 3; k++) op_sweep_inside(f.op, &params, g[made]);
      op_sweep_store(f.op, g[made]);
      assert_int_equal(op_glide_begin(f.op, g[made]), SCREE_OK);
      for (int k = 0; k < 3; k++) op_glide_sweep(f.op, &glide, g[made]);
      op_sweep_residual(f.op, SCREE_MODEL_COULOMB, g[made], scratch, &residual[made]);
      op_sweep_store(f.op, g[made]);
    }
    assert_memory_equal(g[0], g[1], rows * sizeof **g);
    assert_memory_equal(&residual[0], &residual[1], sizeof residual[0]);
    assert_true(residual[0].scaled > 0.0);
    assert_int_equal(bodies_pack_make_scale(&f.impl->pack, f.op, f.impl->state), SCREE_OK);
    for (size_t s = 0; s < groups * PACK_LANES; s++) {
      const sphere_scale *a = &kept[s / PACK_LANES], *b = &lanes->scale[s / PACK_LANES];
      const size_t k = s % PACK_LANES;
      if (lanes->block[s] == PACK_NO_BLOCK) continue;
      assert_memory_equal(&a->mu[k], &b->mu[k], sizeof(double));
      assert_memory_equal(&a->weight[k], &b->weight[k], sizeof(double));
      assert_memory_equal(&a->inverse_nn[k], &b->inverse_nn[k], sizeof(double));
      assert_memory_equal(&a->inverse_tt[k], &b->inverse_tt[k], sizeof(double));
      assert_memory_equal(&a->beta[k], &b->beta[k], sizeof(double));
    }
  }
  for (int made = 0; made < 2; made++) free(g[made]);
  free(scratch);
  free(kept);
  drop(&f);
}

/* What a large problem comes to by sweeps and gradient steps; `keeps`: with blocks that it would
 * else make. */
static void run_large(int threads, bool keeps, double **g, size_t *rows, scree_residual *residual) {
  enum { EDGE = 29 };
  scree_context_def def = scree_context_def_default();
  packing_def packing = packing_def_default();
  scree_ccp *problem;
  ccp_operator *op;
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = SCREE_MODEL_COULOMB, .omega = 1.0, .lambda = 1.0};
  def.threads = threads;
  packing.nx = packing.ny = packing.nz = EDGE;
  packing.curve = true;
  scree_context *context = scree_context_create(&def);
  assert_int_equal(packing_create(context, &packing, &problem), SCREE_OK);
  assert_int_equal(op_create(context, problem, &op), SCREE_OK);
  op_bodies *impl = op->impl;
  assert_true(impl->pack.contact_count > PACK_STREAMED && !impl->pack.lanes.has_scale);
  if (keeps) assert_int_equal(bodies_pack_make_scale(&impl->pack, op, impl->state), SCREE_OK);
  *rows = op->row_count;
  *g = calloc(*rows, sizeof **g);
  op_sweep_begin(op, *g);
  for (int k = 0; k < 2; k++) op_sweep_inside(op, &params, *g);
  op_sweep_store(op, *g);
  assert_int_equal(op_gradient_begin(op, *g), SCREE_OK);
  for (int k = 0; k < 2; k++) {
    op_gradient_step(op, 0.5 * k, 0.2);
    op_gradient_accept(op);
  }
  op_gradient_residual(op, SCREE_MODEL_COULOMB, *g, NULL, residual);
  assert_true(impl->pack.lanes.has_scale && isfinite(residual->scaled));
  op_gradient_get(op, *g, NULL);
  op_destroy(op);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

static void test_large(void **state) {
  (void)state;
  double *g[3];
  size_t rows[3];
  scree_residual residual[3];
  for (int k = 0; k < 3; k++) run_large(k == 1 ? 2 : 1, k == 2, &g[k], &rows[k], &residual[k]);
  for (int k = 1; k < 3; k++) {
    assert_int_equal(rows[k], rows[0]);
    assert_memory_equal(g[k], g[0], rows[0] * sizeof **g);
    assert_memory_equal(&residual[k], &residual[0], sizeof *residual);
  }
  for (int k = 0; k < 3; k++) free(g[k]);
}

static void test_kernels(void **state) {
  (void)state;
  fixture f = make(1e4, false, 0.05);
  const bodies_pack *pack = &f.impl->pack;
  const scree_ccp *p = f.problem;
  double *g = malloc(f.op->row_count * sizeof *g), *back = malloc(f.op->row_count * sizeof *g);
  double *eta = malloc(f.op->block_count * sizeof *eta);
  for (size_t k = 0; k < f.op->row_count; k++) g[k] = 0.01 * (double)((k * 7919) % 101) - 0.3;
  const contact_fill work = {.contact = p->bodies.contact,
                             .pair = pack->pair,
                             .lines = f.impl->state,
                             .world = f.impl->state + p->bodies.body_count,
                             .row_start = p->row_start,
                             .set_index = p->set_index,
                             .set = p->set,
                             .offset = p->offset,
                             .eta = eta};
  const contact_rows_at rows = {p->bodies.contact, p->row_start};
  for (size_t kernel = 0; bodies_kernels(kernel); kernel++) {
    const body_kernels *kernels = bodies_kernels(kernel);
    for (size_t j = 0; j < pack->lanes.count; j++) {
      const uint32_t *block = pack->lanes.block + j * PACK_LANES;
      if (block[PACK_LANES - 1] == PACK_NO_BLOCK) continue;
      _Alignas(64) sphere_group group;
      _Alignas(64) sphere_scale scale;
      _Alignas(64) sphere_across across;
      _Alignas(64) double lanes[3][PACK_LANES], first[3][PACK_LANES];
      kernels->fill(&work, block, &group, &scale, &across);
      assert_memory_equal(&group, &pack->lanes.group[j], sizeof group);
      assert_memory_equal(&scale, &pack->lanes.scale[j], sizeof scale);
      assert_memory_equal(&across, &pack->lanes.across[j], sizeof across);
      kernels->load(&rows, block, g, lanes);
      bodies_kernels(0)->load(&rows, block, g, first);
      assert_memory_equal(lanes, first, sizeof lanes);
      kernels->store(&rows, block, (const double(*)[PACK_LANES])lanes, back);
      for (size_t k = 0; k < PACK_LANES; k++) {
        assert_memory_equal(&eta[block[k]], &f.op->eta_force[block[k]], sizeof(double));
        for (size_t d = 0; d < 3; d++) {
          const size_t row = p->row_start[block[k]] + d;
          assert_true(fabs(back[row] - g[row]) < 1e-14);
        }
      }
    }
  }
  free(g);
  free(back);
  free(eta);
  drop(&f);
}

static void look_with(const fixture *f, const body_kernels *kernels, size_t i, double *r,
                      contact_class *seen) {
  const scree_ccp *p = f->problem;
  contact_classify work = {.contact = p->bodies.contact,
                           .lines = f->impl->state,
                           .row = p->row_start[i],
                           .offset = p->offset,
                           .r = r,
                           .open = 0.1};
  for (size_t k = 0; k < PACK_LANES; k++) {
    work.a[k] = f->impl->pack.pair[i + k].a & ~PACK_FIXED;
    work.b[k] = f->impl->pack.pair[i + k].b & ~PACK_FIXED;
    work.mu[k] = ccp_set(p, i + k)->mu;
  }
  kernels->classify(&work, i, seen);
}

static void test_look(void **state) {
  (void)state;
  fixture f = make(1e4, false, 0.05);
  double *r = calloc(f.op->row_count, sizeof *r);
  size_t across = 0, open = 0;
  for (size_t i = 0; i < f.op->block_count; i++) { /* what the packing does not have */
    ccp_contact *c = &f.problem->bodies.contact[i];
    for (size_t k = 0; i % 5 == 0 && k < 3; k++) c->arm_b[k] += 1e-6 * c->tangent[k];
    if (i % 7 == 0) f.problem->offset[f.op->row_start[i] + 2] = 0.25;
  }
  for (size_t i = 0; i + PACK_LANES <= f.op->block_count; i += PACK_LANES) {
    contact_class first, seen;
    look_with(&f, bodies_kernels(0), i, r, &first);
    memcpy(f.op->r + f.op->row_start[i], r + f.op->row_start[i], 24 * sizeof *r);
    for (size_t kernel = 1; bodies_kernels(kernel); kernel++) {
      look_with(&f, bodies_kernels(kernel), i, r, &seen);
      assert_memory_equal(&seen, &first, sizeof seen);
      assert_memory_equal(r + f.op->row_start[i], f.op->r + f.op->row_start[i], 24 * sizeof *r);
    }
    for (unsigned k = 0; k < PACK_LANES; k++) {
      const double *u = r + f.op->row_start[i] + 3 * k;
      const double slip = ccp_set(f.problem, i + k)->mu * sqrt(u[1] * u[1] + u[2] * u[2]);
      assert_int_equal(first.along_b >> k & 1u, (i + k) % 5 != 0);
      assert_int_equal(first.across >> k & 1u,
                       f.problem->offset[f.op->row_start[i] + 3 * k + 1] != 0.0 ||
                           f.problem->offset[f.op->row_start[i] + 3 * k + 2] != 0.0);
      assert_int_equal(first.open >> k & 1u, u[0] - slip > 0.1);
      across += first.across >> k & 1u;
      open += first.open >> k & 1u;
    }
  }
  assert_true(across > 0 && across < f.op->block_count && open > 0);
  free(r);
  drop(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_velocities),  cmocka_unit_test(test_groups),
      cmocka_unit_test(test_made_blocks), cmocka_unit_test(test_large),
      cmocka_unit_test(test_kernels),     cmocka_unit_test(test_look)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
