/* The bodies form against dense matrices: product, velocities, r, diagonal blocks and eta over
 * random problems of every dimension, with generic rows, prescribed bodies and compliance; and the
 * packed sweeps against the sweep a block at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "ccp/bodies/operator.h"
#include "tests/support/packing.h"
#include "tests/unit/ccp/random_bodies.h"

static const random_def cases[] = {
    {.bodies = 9, .contacts = 40, .generic = 6, .seed = 1},
    {.bodies = 9, .contacts = 40, .generic = 6, .compliance = true, .seed = 2},
    {.bodies = 14, .contacts = 60, .spheres = true, .seed = 3},
    {.bodies = 14, .contacts = 60, .generic = 5, .spheres = true, .compliance = true, .seed = 4},
    {.bodies = 30, .contacts = 400, .generic = 3, .spheres = true, .hub = true, .seed = 5},
    {.bodies = 12, .contacts = 300, .generic = 3, .hub = true, .seed = 6},
    {.bodies = 5, .contacts = 0, .generic = 4, .seed = 7},
    {.bodies = 40, .contacts = 90, .rigid = true, .seed = 8},
    {.bodies = 30, .contacts = 80, .generic = 5, .rigid = true, .compliance = true, .seed = 9},
    {.bodies = 40, .contacts = 120, .spheres = true, .rolling = true, .seed = 31},
    {.bodies = 40, .contacts = 120, .spheres = true, .rolling = true, .equal = true, .seed = 32},
    {.bodies = 30,
     .contacts = 300,
     .generic = 5,
     .spheres = true,
     .rolling = true,
     .compliance = true,
     .hub = true,
     .seed = 33},
    {.bodies = 30, .contacts = 90, .generic = 5, .rolling = true, .compliance = true, .seed = 34},
    {.bodies = 40, .contacts = 120, .spheres = true, .capped = true, .seed = 35},
    {.bodies = 30,
     .contacts = 300,
     .generic = 5,
     .spheres = true,
     .compliance = true,
     .hub = true,
     .capped = true,
     .seed = 36},
    {.bodies = 40, .contacts = 120, .rigid = true, .capped = true, .seed = 37},
    {.bodies = 40, .contacts = 120, .rigid = true, .compliance = true, .capped = true, .seed = 38},
    {.bodies = 40, .contacts = 120, .spheres = true, .rolling = true, .capped = true, .seed = 39},
    {.bodies = 30, .contacts = 90, .rolling = true, .compliance = true, .capped = true, .seed = 40},
    {.bodies = 12, .contacts = 300, .generic = 3, .capped = true, .seed = 41},
};
enum { CASES = sizeof cases / sizeof cases[0] };

typedef struct fixture {
  scree_context *context;
  scree_ccp *problem;
  ccp_operator *op;
  dense_problem dense;
  size_t rows;
  double *g, *u, *v, *expected_u, *expected_v;
} fixture;

static fixture open_case(const random_def *def, int threads) {
  fixture f;
  scree_context_def context_def = scree_context_def_default();
  context_def.threads = threads;
  f.context = scree_context_create(&context_def);
  assert_int_equal(random_problem(f.context, def, &f.problem, &f.dense), SCREE_OK);
  assert_int_equal(op_create(f.context, f.problem, &f.op), SCREE_OK);
  f.rows = scree_ccp_row_count(f.problem);
  assert_int_equal(f.rows, f.dense.rows);
  f.g = calloc(f.rows, sizeof *f.g);
  f.u = calloc(f.rows, sizeof *f.u);
  f.expected_u = calloc(f.rows, sizeof *f.u);
  f.v = calloc(f.dense.columns, sizeof *f.v);
  f.expected_v = calloc(f.dense.columns, sizeof *f.v);
  uint64_t state = 99 + def->seed;
  for (size_t i = 0; i < f.rows; i++) f.g[i] = random_in(&state, -1.0, 1.0);
  return f;
}

static void close_case(fixture *f) {
  free(f->g);
  free(f->u);
  free(f->expected_u);
  free(f->v);
  free(f->expected_v);
  dense_free(&f->dense);
  op_destroy(f->op);
  scree_ccp_destroy(f->problem);
  assert_int_equal(scree_context_bytes(f->context), 0);
  scree_context_destroy(f->context);
}

static void assert_near(const double *x, const double *y, size_t n, double tolerance) {
  double scale = 1.0;
  for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs(y[i]));
  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i] - y[i]) <= tolerance * scale))
      fail_msg("entry %zu: %.17g, expected %.17g", i, x[i], y[i]);
}

static void test_products(void **state) {
  (void)state;
  for (size_t k = 0; k < CASES; k++) {
    fixture f = open_case(&cases[k], 2);
    dense_velocity(&f.dense, f.g, true, f.expected_v, f.expected_u);
    op_apply(f.op, f.g, f.u);
    assert_near(f.u, f.expected_u, f.rows, 1e-13);
    dense_velocity(&f.dense, f.g, false, f.expected_v, f.expected_u);
    op_local_velocity(f.op, f.g, f.u);
    assert_near(f.u, f.expected_u, f.rows, 1e-13);
    f.op->class->velocity(f.op, f.g, f.v);
    assert_near(f.v, f.expected_v, f.dense.columns, 1e-13);
    close_case(&f);
  }
}

static void test_diagonal(void **state) {
  (void)state;
  for (size_t k = 0; k < CASES; k++) {
    fixture f = open_case(&cases[k], 1);
    for (size_t i = 0; i < f.op->block_count; i++) {
      const size_t row = scree_ccp_block_row(f.problem, i),
                   dim = (size_t)scree_ccp_block_set(f.problem, i).dim;
      double nii[36], expected[36], force = 0.0, moment = 0.0;
      const size_t forces = (size_t)op_force_rows(f.op, i);
      op_diagonal_block(f.op, i, nii);
      for (size_t c = 0; c < dim; c++) {
        memset(f.g, 0, f.rows * sizeof *f.g);
        f.g[row + c] = 1.0;
        dense_velocity(&f.dense, f.g, true, f.expected_v, f.expected_u);
        for (size_t r = 0; r < dim; r++) expected[r * dim + c] = f.expected_u[row + r];
        *(c < forces ? &force : &moment) += f.expected_u[row + c];
      }
      assert_near(nii, expected, dim * dim, 1e-13);
      const double eta = force > 0.0 ? (double)forces / force : 0.0;
      assert_near(&f.op->eta_force[i], &eta, 1, 1e-12);
      if (dim > forces && moment > 0.0) {
        const double eta_m = (double)(dim - forces) / moment;
        assert_near(&f.op->eta_moment[i], &eta_m, 1, 1e-12);
      }
    }
    close_case(&f);
  }
}

/* Every block once; no moving body twice in a phase of the pack or in a colour. */
static void test_order(void **state) {
  (void)state;
  for (size_t k = 0; k < CASES; k++) {
    fixture f = open_case(&cases[k], 1);
    const ccp_operator *op = f.op;
    const op_bodies *impl = op->impl;
    size_t *seen = calloc(op->block_count, sizeof *seen);
    for (size_t j = 0; j < op->block_count; j++) seen[op->order[j]]++;
    for (size_t i = 0; i < op->block_count; i++) assert_int_equal(seen[i], 1);
    free(seen);
    const size_t bodies = cases[k].bodies;
    size_t *last = calloc(bodies, sizeof *last);
    for (int p = 0; p < BODIES_PACKS; p++) {
      const bodies_pack *pack = bodies_pack_at(impl, p);
      memset(last, 0, bodies * sizeof *last);
      for (size_t g = 0; g < pack->lanes.count; g++)
        for (size_t lane = 0; lane < 2 * PACK_LANES; lane++) {
          const sphere_group *group = &pack->lanes.group[g];
          const uint32_t body = lane < PACK_LANES ? group->a[lane] : group->b[lane - PACK_LANES];
          if (body & PACK_FIXED) continue;
          assert_true(last[body] != g + 1);
          last[body] = g + 1;
        }
    }
    memset(last, 0, bodies * sizeof *last);
    if (cases[k].spheres && cases[k].rolling)
      assert_true(impl->rolled.contact_count > op->block_count / 4);
    for (size_t c = 0; c < op->colour_count; c++)
      for (size_t j = op->colour_start[c]; j < op->colour_start[c + 1]; j++) {
        const size_t i = op->order[j];
        if (i >= f.problem->bodies.contact_count) continue;
        const uint32_t side[2] = {f.problem->bodies.contact[i].body_a,
                                  f.problem->bodies.contact[i].body_b};
        for (int s = 0; s < 2; s++) {
          if (!ccp_body_moves(&f.problem->bodies, side[s])) continue;
          assert_true(last[side[s]] != c + 1);
          last[side[s]] = c + 1;
        }
      }
    free(last);
    if (cases[k].spheres && !cases[k].hub) assert_true(op->head_count > op->block_count / 2);
    close_case(&f);
  }
}

static const op_sweep_params sweeps[] = {
    {OP_METRIC_EXACT, SCREE_MODEL_RELAXED, 1.0, 1.0, false, NULL, 0.0},
    {OP_METRIC_EXACT, SCREE_MODEL_RELAXED, 1.3, 0.9, true, NULL, 0.0},
    {OP_METRIC_EXACT, SCREE_MODEL_COULOMB, 1.0, 1.0, true, NULL, 0.0},
    {OP_METRIC_EXACT, SCREE_MODEL_COULOMB, 0.8, 1.0, false, NULL, 0.0},
    {OP_METRIC_ISOTROPIC, SCREE_MODEL_RELAXED, 1.0, 1.0, false, NULL, 0.0},
    {OP_METRIC_ISOTROPIC, SCREE_MODEL_RELAXED, 1.2, 0.9, true, NULL, 0.0},
    {OP_METRIC_ISOTROPIC, SCREE_MODEL_COULOMB, 0.7, 0.8, false, NULL, 0.0},
};
enum { SWEEPS = sizeof sweeps / sizeof sweeps[0] };

static void test_sweeps_against_reference(void **state) {
  (void)state;
  for (size_t k = 0; k < CASES; k++)
    for (size_t s = 0; s < SWEEPS; s++)
      for (size_t kernel = 0; bodies_kernels(kernel); kernel++) {
        fixture f = open_case(&cases[k], 1);
        op_bodies *impl = f.op->impl;
        impl->kernels = bodies_kernels(kernel);
        op_project(f.op, f.g);
        double *reference = calloc(f.rows, sizeof *reference);
        memcpy(reference, f.g, f.rows * sizeof *reference);
        double hint = 0.0, expected_hint = 0.0;
        op_sweep_begin(f.op, f.g);
        for (int i = 0; i < 3; i++) hint = op_sweep(f.op, &sweeps[s], f.g);
        memcpy(f.v, impl->state, 6 * sizeof(double));
        op_sweep_begin(f.op, reference);
        for (int i = 0; i < 3; i++) expected_hint = op_sweep_reference(f.op, &sweeps[s], reference);
        assert_near(f.g, reference, f.rows, 1e-12);
        assert_near(&hint, &expected_hint, 1, 1e-11);
        free(reference);
        close_case(&f);
      }
}

/* A problem without its dense matrices: a large one. */
static scree_ccp *sparse_problem(scree_context *context, const random_def *def) {
  uint64_t state = def->seed;
  scree_ccp *problem = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  for (size_t i = 0; i < def->bodies; i++) {
    const scree_ccp_body_def body = random_body(&state, def, i);
    assert_int_equal(scree_ccp_add_body(problem, &body, NULL), SCREE_OK);
  }
  for (size_t i = 0; i < def->contacts; i++) {
    const scree_ccp_contact_def c = random_contact(&state, def, i);
    assert_int_equal(scree_ccp_add_contact(problem, &c), SCREE_OK);
  }
  return problem;
}

/* Contacts of any shape in lanes end in the same solution as one by one, in both models, with many
 * blocks slipping; whatever the kernel, and with the same bits for any number of threads. */
static void test_rigid_lanes(void **state) {
  (void)state;
  for (size_t s = 0; s <= 3; s++)
    for (size_t kernel = 0; bodies_kernels(kernel); kernel++) {
      const random_def def = {
          .bodies = 1500, .contacts = 4000, .rigid = true, .capped = s % 2, .seed = 10};
      const op_sweep_params *params = &sweeps[s - s % 2];
      double *first = NULL;
      for (int threads = 1; threads <= 4; threads *= 2) {
        scree_context_def context_def = scree_context_def_default();
        context_def.threads = threads;
        scree_context *context = scree_context_create(&context_def);
        scree_ccp *problem = sparse_problem(context, &def);
        ccp_operator *op = NULL;
        assert_int_equal(op_create(context, problem, &op), SCREE_OK);
        op_bodies *impl = op->impl;
        impl->kernels = bodies_kernels(kernel);
        assert_true(impl->rigid.group_count * PACK_LANES > op->block_count * 4 / 5);
        double *g = calloc(op->row_count, sizeof *g), *u = calloc(op->row_count, sizeof *u);
        op_sweep_begin(op, g);
        for (int i = 0; i < 10; i++) op_sweep_inside(op, params, g);
        if (!first) {
          size_t slips = 0, full = 0;
          first = calloc(op->row_count, sizeof *first);
          op_sweep_begin(op, u);
          for (int i = 0; i < 10; i++) op_sweep_reference(op, params, u);
          assert_near(g, u, op->row_count, 1e-10);
          for (size_t i = 0; i < op->block_count; i++) {
            const double *x = g + 3 * i, mu = ccp_set(problem, i)->mu;
            slips += x[0] > 0.0 && hypot(x[1], x[2]) > (1.0 - 1e-9) * mu * x[0];
            full += x[0] > 0.0 && x[0] == ccp_set(problem, i)->cap;
          }
          assert_true(def.capped ? full > op->block_count / 10 : full == 0);
          assert_true(slips > op->block_count / 10);
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
}

/* The twists that a sweep carries along stay those of its impulses. */
/* Bodies at rest leave impulses whose squares vanish. */
static void test_rigid_vanishing(void **state) {
  (void)state;
  const random_def def = {.bodies = 1500, .contacts = 4000, .rigid = true, .seed = 11};
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = sparse_problem(context, &def);
  for (size_t i = 0; i < problem->block_count; i++) {
    double *offset = problem->offset + problem->row_start[i];
    offset[0] = i % 2 ? -1e-196 : -1e-300;
    offset[1] = 0.3;
    offset[2] = 0.0;
  }
  for (size_t i = 0; i < def.bodies; i++)
    memset(problem->bodies.body[i].v_free, 0, sizeof problem->bodies.body[i].v_free);
  for (size_t s = 0; s <= 2; s += 2)
    for (size_t kernel = 0; bodies_kernels(kernel); kernel++) {
      ccp_operator *op = NULL;
      assert_int_equal(op_create(context, problem, &op), SCREE_OK);
      ((op_bodies *)op->impl)->kernels = bodies_kernels(kernel);
      double *g = calloc(op->row_count, sizeof *g);
      for (size_t i = 0; i < op->row_count; i++) g[i] = (i % 3 ? 1e-199 : 4e-199);
      op_sweep_begin(op, g);
      for (int i = 0; i < 3; i++) op_sweep_inside(op, &sweeps[s], g);
      op_sweep_store(op, g);
      for (size_t i = 0; i < op->row_count; i++) assert_true(isfinite(g[i]));
      free(g);
      op_destroy(op);
    }
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
}

static void test_sweep_state(void **state) {
  (void)state;
  for (size_t k = 0; k < CASES; k++) {
    fixture f = open_case(&cases[k], 1);
    op_project(f.op, f.g);
    op_sweep_begin(f.op, f.g);
    for (int i = 0; i < 4; i++) op_sweep_inside(f.op, &sweeps[0], f.g);
    op_sweep_store(f.op, f.g);
    dense_velocity(&f.dense, f.g, false, f.expected_v, f.expected_u);
    const op_bodies *impl = f.op->impl;
    for (size_t b = 0; b < cases[k].bodies; b++) {
      assert_near(impl->state[b].linear, f.expected_v + 6 * b, 3, 1e-12);
      assert_near(impl->state[b].angular, f.expected_v + 6 * b + 3, 3, 1e-12);
    }
    close_case(&f);
  }
}

static void assert_residuals_near(const scree_residual *x, const scree_residual *y) {
  const double a[] = {x->error,         x->scaled, x->rms, x->duality_gap, x->penetration_speed,
                      x->relaxation_gap};
  const double b[] = {y->error,         y->scaled, y->rms, y->duality_gap, y->penetration_speed,
                      y->relaxation_gap};
  for (size_t k = 0; k < sizeof a / sizeof a[0]; k++)
    if (!(fabs(a[k] - b[k]) <= 1e-11 * fmax(1.0, fabs(b[k]))))
      fail_msg("figure %zu: %.17g, expected %.17g", k, a[k], b[k]);
}

/* Residuals over lanes, of impulses in rows, inside a sweep and of a gradient step, are those of
 * the blocks one by one at a dense u; also of impulses far outside their sets. */
static void test_residuals(void **state) {
  (void)state;
  for (size_t k = 0; k < CASES; k++)
    for (size_t kernel = 0; bodies_kernels(kernel); kernel++)
      for (int round = 0; round < 8; round++) {
        const scree_model model = round % 2 ? SCREE_MODEL_COULOMB : SCREE_MODEL_RELAXED;
        fixture f = open_case(&cases[k], 2);
        ((op_bodies *)f.op->impl)->kernels = bodies_kernels(kernel);
        double *scratch = calloc(f.rows, sizeof *scratch);
        scree_residual found, expected;
        if (round >= 2) op_project(f.op, f.g);
        if (round >= 4 && round < 6) {
          op_sweep_begin(f.op, f.g);
          for (int i = 0; i < 3; i++) op_sweep_inside(f.op, &sweeps[0], f.g);
          op_sweep_residual(f.op, model, f.g, scratch, &found);
          op_sweep_store(f.op, f.g);
        } else if (round >= 6) {
          assert_int_equal(op_gradient_begin(f.op, f.g), SCREE_OK);
          for (int i = 0; i < 3; i++) {
            op_gradient_step(f.op, 0.2 * i, 0.2);
            op_gradient_accept(f.op);
          }
          op_gradient_residual(f.op, model, f.g, scratch, &found);
        } else {
          op_residual(f.op, model, f.g, NULL, scratch, &found);
        }
        dense_velocity(&f.dense, f.g, false, f.expected_v, f.expected_u);
        op_residual(f.op, model, f.g, f.expected_u, NULL, &expected);
        assert_residuals_near(&found, &expected);
        if (f.op->head_count) {
          f.g[f.op->row_start[f.op->order[0]]] = NAN;
          op_residual(f.op, model, f.g, NULL, scratch, &found);
          assert_true(isinf(found.scaled) && isinf(found.error));
        }
        free(scratch);
        close_case(&f);
      }
}

/* Steps with extrapolation: what the passes over lanes and bodies give is what products give. */
static void test_gradient(void **state) {
  (void)state;
  for (size_t k = 0; k < CASES; k++)
    for (size_t kernel = 0; bodies_kernels(kernel); kernel++) {
      fixture f = open_case(&cases[k], 2), h = open_case(&cases[k], 1);
      op_class by_products = *h.op->class;
      by_products.gradient = NULL;
      const op_class *class = h.op->class;
      h.op->class = &by_products;
      ((op_bodies *)f.op->impl)->kernels = bodies_kernels(kernel);
      op_project(f.op, f.g);
      assert_int_equal(op_gradient_begin(f.op, f.g), SCREE_OK);
      assert_int_equal(op_gradient_begin(h.op, f.g), SCREE_OK);
      double beta = 0.0;
      for (int i = 0; i < 12; i++) {
        op_gradient_sums x = op_gradient_step(f.op, beta, 0.4), y;
        x = op_gradient_step(f.op, beta, 0.2); /* a second try of the same step */
        y = op_gradient_step(h.op, beta, 0.2);
        assert_near(&x.distance2, &y.distance2, 1, 1e-11);
        assert_near(&x.uphill, &y.uphill, 1, 1e-11);
        assert_near(&x.curvature, &y.curvature, 1, 1e-11);
        assert_near(&x.objective, &y.objective, 1, 1e-11);
        op_gradient_accept(f.op);
        op_gradient_accept(h.op);
        beta = i % 4 == 3 ? 0.0 : 0.3 + 0.1 * i / 2;
      }
      op_gradient_get(f.op, f.g, f.u);
      op_gradient_get(h.op, h.g, h.u);
      assert_near(f.g, h.g, f.rows, 1e-11);
      assert_near(f.u, h.u, f.rows, 1e-11);
      dense_velocity(&f.dense, f.g, false, f.expected_v, f.expected_u);
      assert_near(f.u, f.expected_u, f.rows, 1e-13);
      op_gradient_get(f.op, NULL, f.u);
      assert_near(f.u, f.expected_u, f.rows, 1e-13);
      h.op->class = class;
      close_case(&h);
      close_case(&f);
    }
}

/* Impulses, products and sums have the same bits for any number of threads. */
static void same_bits_of(size_t kernel) {
  double *first = NULL, *first_u = NULL, first_dot = 0.0;
  for (int run = 0; run < 3; run++) {
    static const int threads[] = {1, 2, 4};
    scree_context_def context_def = scree_context_def_default();
    context_def.threads = threads[run];
    scree_context *context = scree_context_create(&context_def);
    packing_def def = packing_def_default();
    def.nx = def.ny = def.nz = 11;
    def.compliance = 1e-6;
    scree_ccp *problem = NULL;
    ccp_operator *op = NULL;
    assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
    assert_int_equal(op_create(context, problem, &op), SCREE_OK);
    ((op_bodies *)op->impl)->kernels = bodies_kernels(kernel);
    double *g = calloc(op->row_count, sizeof *g), *u = calloc(op->row_count, sizeof *u);
    op_sweep_begin(op, g);
    for (int i = 0; i < 5; i++) op_sweep_inside(op, &sweeps[i % 2], g);
    op_sweep_store(op, g);
    scree_residual inside, rows;
    op_sweep_residual(op, SCREE_MODEL_COULOMB, g, u, &inside);
    op_residual(op, SCREE_MODEL_RELAXED, g, NULL, u, &rows);
    op_local_velocity(op, g, u);
    double dot = op_dot(op, g, u) + inside.error + inside.rms + rows.error + rows.duality_gap;
    assert_int_equal(op_gradient_begin(op, g), SCREE_OK);
    for (int i = 0; i < 5; i++) {
      const op_gradient_sums sums = op_gradient_step(op, 0.2 * i, 0.5);
      dot += sums.distance2 + sums.uphill + sums.curvature + sums.objective;
      op_gradient_accept(op);
    }
    op_gradient_get(op, g, u);
    if (!first) {
      first = g;
      first_u = u;
      first_dot = dot;
    } else {
      assert_memory_equal(g, first, op->row_count * sizeof *g);
      assert_memory_equal(u, first_u, op->row_count * sizeof *u);
      assert_true(dot == first_dot);
      free(g);
      free(u);
    }
    op_destroy(op);
    scree_ccp_destroy(problem);
    scree_context_destroy(context);
  }
  free(first);
  free(first_u);
}

static void test_same_bits(void **state) {
  (void)state;
  for (size_t kernel = 0; bodies_kernels(kernel); kernel++) same_bits_of(kernel);
}

/* Preparing again for problems that are no larger takes no memory, and gives what a new operator
 * gives. */
static void test_prepare_again(void **state) {
  (void)state;
  fixture big = open_case(&cases[4], 1);
  const random_def order[] = {cases[2], cases[4], cases[3], cases[0], cases[4]};
  for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
    fixture f = open_case(&order[k], 1);
    const bool fits = order[k].spheres && !order[k].compliance;
    const size_t before = scree_context_allocations(big.context);
    assert_int_equal(op_prepare(big.op, f.problem), SCREE_OK);
    if (fits) assert_int_equal(scree_context_allocations(big.context), before);
    double *g = calloc(f.rows, sizeof *g);
    op_sweep_begin(f.op, g);
    for (int i = 0; i < 3; i++) op_sweep(f.op, &sweeps[0], g);
    op_local_velocity(f.op, g, f.u);
    memset(f.g, 0, f.rows * sizeof *f.g);
    op_sweep_begin(big.op, f.g);
    for (int i = 0; i < 3; i++) op_sweep(big.op, &sweeps[0], f.g);
    op_local_velocity(big.op, f.g, f.expected_u);
    assert_memory_equal(g, f.g, f.rows * sizeof *g);
    assert_memory_equal(f.u, f.expected_u, f.rows * sizeof *f.u);
    free(g);
    assert_int_equal(op_prepare(big.op, big.problem), SCREE_OK);
    close_case(&f);
  }
  close_case(&big);
}

/* A problem large enough for tiles: parts of a phase share no moving body, the sweep is that of
 * the reference, and the bits do not depend on threads. */
static void test_tiles(void **state) {
  (void)state;
  double *first = NULL;
  for (int threads = 1; threads <= 3; threads++) {
    scree_context_def context_def = scree_context_def_default();
    context_def.threads = threads;
    scree_context *context = scree_context_create(&context_def);
    packing_def def = packing_def_default();
    def.nx = 60;
    def.ny = 24;
    def.nz = 20;
    scree_ccp *problem = NULL;
    ccp_operator *op = NULL;
    assert_int_equal(packing_create(context, &def, &problem), SCREE_OK);
    scree_ccp_set_reference_speed(problem, 0.0); /* no contact is left out */
    assert_int_equal(op_create(context, problem, &op), SCREE_OK);
    const op_bodies *impl = op->impl;
    const bodies_pack *pack = &impl->pack;
    double *g = calloc(op->row_count, sizeof *g);
    op_sweep_begin(op, g);
    op_sweep(op, &sweeps[0], g);
    op_sweep(op, &sweeps[2], g);
    if (first) {
      assert_memory_equal(g, first, op->row_count * sizeof *g);
      free(g);
    } else {
      first = g;
      assert_true(pack->plan.tiled && pack->plan.unit_count >= 32);
      assert_true(pack->plan.unit_start[1] - pack->plan.unit_start[0] > 100);
      size_t *part_of = calloc(problem->bodies.body_count, sizeof *part_of);
      size_t *phase_of = calloc(problem->bodies.body_count, sizeof *phase_of);
      for (size_t phase = 0; phase < pack->plan.phase_count; phase++)
        for (size_t h = 0; h < bodies_pack_parts(pack, phase); h++)
          for (size_t slot = 8 * pack->plan.unit_start[bodies_pack_part(pack, phase, h)];
               slot < 8 * pack->plan.unit_start[bodies_pack_part(pack, phase, h + 1)]; slot++) {
            if (pack->lanes.block[slot] == PACK_NO_BLOCK) continue;
            const ccp_contact *c = &problem->bodies.contact[pack->lanes.block[slot]];
            const uint32_t side[2] = {c->body_a, c->body_b};
            for (int s = 0; s < 2; s++) {
              if (side[s] == SCREE_CCP_WORLD) continue;
              if (phase_of[side[s]] == phase + 1) assert_int_equal(part_of[side[s]], h);
              phase_of[side[s]] = phase + 1;
              part_of[side[s]] = h;
            }
          }
      free(part_of);
      free(phase_of);
      double *reference = calloc(op->row_count, sizeof *reference);
      op_sweep_begin(op, reference);
      op_sweep_reference(op, &sweeps[0], reference);
      op_sweep_reference(op, &sweeps[2], reference);
      assert_near(g, reference, op->row_count, 1e-12);
      free(reference);
    }
    op_destroy(op);
    scree_ccp_destroy(problem);
    scree_context_destroy(context);
  }
  free(first);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_products),      cmocka_unit_test(test_diagonal),
      cmocka_unit_test(test_order),         cmocka_unit_test(test_sweeps_against_reference),
      cmocka_unit_test(test_sweep_state),   cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_prepare_again), cmocka_unit_test(test_gradient),
      cmocka_unit_test(test_tiles),         cmocka_unit_test(test_residuals),
      cmocka_unit_test(test_rigid_lanes),   cmocka_unit_test(test_rigid_vanishing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
