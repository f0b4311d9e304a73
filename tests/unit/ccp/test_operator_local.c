/* The local form against the matrix it was given: product, diagonal blocks, colours and sweeps of a
 * random, slightly unsymmetric W with blocks of every size, with and without compliance. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ccp/operator.h"

enum { BLOCKS = 40 };

typedef struct fixture {
  scree_context *context;
  scree_ccp *problem;
  ccp_operator *op;
  size_t rows;
  double *dense, *compliance, *q; /* dense: without compliance */
  double *x, *y;
} fixture;

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*state >> 11) * 0x1p-53;
}

static scree_set set_of(size_t i) {
  switch (i % 7) {
  case 0:
    return scree_set_coulomb(3, 0.4);
  case 1:
    return scree_set_ray();
  case 2:
    return scree_set_coulomb(2, 0.7);
  case 3:
    return scree_set_rolling(5, 0.5, 0.1, 0.0);
  case 4:
    return scree_set_free(6);
  case 5:
    return scree_set_rolling(4, 0.3, 0.0, 0.1);
  default:
    return scree_set_coulomb(3, 0.0);
  }
}

/* W = B'B + I over a sparse pattern, then entries shifted one by one by up to `skew`. */
static void fill_dense(fixture *f, const size_t *row_of, double skew, uint64_t *state) {
  const size_t n = f->rows;
  for (size_t i = 0; i < BLOCKS; i++)
    for (size_t j = i; j < BLOCKS; j++) {
      if (j != i && j != i + 1 && !(i % 5 == 0 && j % 9 == 0)) continue;
      for (size_t r = row_of[i]; r < row_of[i + 1]; r++)
        for (size_t c = row_of[j]; c < row_of[j + 1]; c++) {
          const double value = r == c ? 8.0 : 0.5 * (uniform(state) - 0.5);
          f->dense[r * n + c] = value;
          if (r != c) f->dense[c * n + r] = value + skew * (uniform(state) - 0.5);
        }
    }
}

static fixture open_fixture(int threads, double skew, bool compliant) {
  fixture f = {0};
  scree_context_def def = scree_context_def_default();
  def.threads = threads;
  f.context = scree_context_create(&def);
  scree_set sets[BLOCKS];
  size_t row_of[BLOCKS + 1] = {0};
  for (size_t i = 0; i < BLOCKS; i++) {
    sets[i] = set_of(i);
    row_of[i + 1] = row_of[i] + (size_t)sets[i].dim;
  }
  const size_t n = f.rows = row_of[BLOCKS];
  uint64_t state = 7;
  f.dense = calloc(n * n, sizeof *f.dense);
  f.compliance = calloc(n, sizeof *f.compliance);
  f.q = calloc(n, sizeof *f.q);
  f.x = calloc(n, sizeof *f.x);
  f.y = calloc(n, sizeof *f.y);
  fill_dense(&f, row_of, skew, &state);
  size_t *start = calloc(n + 1, sizeof *start), entries = 0;
  uint32_t *index = calloc(n * n, sizeof *index);
  double *value = calloc(n * n, sizeof *value);
  for (size_t c = 0; c < n; c++) {
    f.q[c] = uniform(&state) - 0.6;
    f.x[c] = uniform(&state) - 0.5;
    if (compliant) f.compliance[c] = uniform(&state);
    for (size_t r = 0; r < n; r++) {
      if (f.dense[r * n + c] == 0.0) continue;
      index[entries] = (uint32_t)r;
      value[entries++] = f.dense[r * n + c];
    }
    start[c + 1] = entries;
  }
  const scree_csc w = {.rows = n, .columns = n, .start = start, .index = index, .value = value};
  assert_int_equal(scree_ccp_create_local(f.context, BLOCKS, sets, &w, f.q,
                                          compliant ? f.compliance : NULL, &f.problem),
                   SCREE_OK);
  assert_int_equal(op_create(f.context, f.problem, &f.op), SCREE_OK);
  free(start);
  free(index);
  free(value);
  return f;
}

static void close_fixture(fixture *f) {
  free(f->dense);
  free(f->compliance);
  free(f->q);
  free(f->x);
  free(f->y);
  op_destroy(f->op);
  scree_ccp_destroy(f->problem);
  assert_int_equal(scree_context_bytes(f->context), 0);
  scree_context_destroy(f->context);
}

static double entry(const fixture *f, size_t r, size_t c) {
  return f->dense[r * f->rows + c] + (r == c ? f->compliance[r] : 0.0);
}

static void test_products_and_diagonal(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    fixture f = open_fixture(1 + k % 2, k < 2 ? 0.0 : 1e-3, k % 2);
    op_local_velocity(f.op, f.x, f.y);
    double difference = 0.0, total = 0.0;
    for (size_t r = 0; r < f.rows; r++) {
      double expected = f.q[r];
      for (size_t c = 0; c < f.rows; c++) {
        expected += entry(&f, r, c) * f.x[c];
        difference += pow(entry(&f, r, c) - entry(&f, c, r), 2.0);
        total += pow(entry(&f, r, c), 2.0);
      }
      assert_true(fabs(f.y[r] - expected) < 1e-13);
    }
    assert_true(fabs(f.op->asymmetry - sqrt(difference / total)) < 1e-12);
    for (size_t i = 0; i < BLOCKS; i++) {
      double nii[36];
      const size_t row = scree_ccp_block_row(f.problem, i), dim = (size_t)set_of(i).dim;
      op_diagonal_block(f.op, i, nii);
      for (size_t r = 0; r < dim; r++)
        for (size_t c = 0; c < dim; c++)
          assert_true(nii[r * dim + c] == entry(&f, row + r, row + c));
    }
    close_fixture(&f);
  }
}

static void test_colours(void **state) {
  (void)state;
  fixture f = open_fixture(1, 1e-3, false);
  size_t seen[BLOCKS] = {0};
  for (size_t j = 0; j < BLOCKS; j++) seen[f.op->order[j]]++;
  for (size_t i = 0; i < BLOCKS; i++) assert_int_equal(seen[i], 1);
  assert_int_equal(f.op->colour_start[f.op->colour_count], BLOCKS);
  for (size_t c = 0; c < f.op->colour_count; c++)
    for (size_t a = f.op->colour_start[c]; a < f.op->colour_start[c + 1]; a++)
      for (size_t b = a + 1; b < f.op->colour_start[c + 1]; b++) {
        const size_t i = scree_ccp_block_row(f.problem, f.op->order[a]),
                     j = scree_ccp_block_row(f.problem, f.op->order[b]);
        assert_true(entry(&f, i, j) == 0.0 && entry(&f, j, i) == 0.0);
      }
  close_fixture(&f);
}

static void test_sweeps(void **state) {
  (void)state;
  static const op_sweep_params sweeps[] = {
      {OP_METRIC_EXACT, SCREE_MODEL_RELAXED, 1.0, 1.0, false, NULL, 0.0},
      {OP_METRIC_ISOTROPIC, SCREE_MODEL_COULOMB, 0.9, 0.9, true, NULL, 0.0},
  };
  for (int s = 0; s < 2; s++) {
    double *first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
      fixture f = open_fixture(threads, 1e-3, true);
      double *g = calloc(f.rows, sizeof *g), *reference = calloc(f.rows, sizeof *g);
      op_sweep_begin(f.op, g);
      for (int k = 0; k < 3; k++) op_sweep(f.op, &sweeps[s], g);
      op_sweep_begin(f.op, reference);
      for (int k = 0; k < 3; k++) op_sweep_reference(f.op, &sweeps[s], reference);
      for (size_t i = 0; i < f.rows; i++) assert_true(fabs(g[i] - reference[i]) < 1e-12);
      if (first) assert_memory_equal(g, first, f.rows * sizeof *g);
      free(reference);
      if (first)
        free(g);
      else
        first = g;
      close_fixture(&f);
    }
    free(first);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_products_and_diagonal),
      cmocka_unit_test(test_colours),
      cmocka_unit_test(test_sweeps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
