/* Assembled matrices against products with the operator: N by unit vectors, B'B + C = N, and
 * I + B X B' against the sum written out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ccp/forms/matrices.h"
#include "scree/scree.h"
#include "tests/support/packing.h"

/* A packing with a gear over three bodies and a block to the world, and a flat body. */
static scree_ccp *make_problem(scree_context *context, double rolling) {
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = 2;
  def.rolling = rolling;
  def.compliance = 1e-5;
  def.masses = PACKING_RANDOM;
  def.mass_ratio = 100.0;
  scree_ccp *p = NULL;
  assert_int_equal(packing_create(context, &def, &p), SCREE_OK);
  const scree_ccp_body_def flat = {.inverse_mass = 0.5, .inverse_inertia = {0, 0, 0, 0, 0, 2}};
  const scree_ccp_body_def still = {.v_free = {1, 0, 0, 0, 0, 0}};
  uint32_t a, b;
  assert_int_equal(scree_ccp_add_body(p, &flat, &a), SCREE_OK);
  assert_int_equal(scree_ccp_add_body(p, &still, &b), SCREE_OK);
  const scree_ccp_term terms[] = {{0, {1, 2, 0, 0, 0, 1}},
                                  {a, {0, 1, 0, 0.5, 0, 1}},
                                  {b, {1, 0, 0, 0, 0, 0}},
                                  {3, {0, 0, 1, 1, 1, 0}},
                                  {0, {0, 0, 0.5, 0, 0, 0}}};
  const scree_ccp_row_def rows[2] = {{terms, 5, 0.1, 0.0}, {terms + 1, 2, 0.0, 0.2}};
  const scree_set set = scree_set_free(2);
  assert_int_equal(scree_ccp_add_block(p, &set, rows), SCREE_OK);
  return p;
}

static void expect_delassus(ccp_operator *op) {
  formed_matrix n;
  assert_int_equal(form_delassus(op, &n), SCREE_OK);
  const sparse_blocks *a = &n.blocks;
  double *x = calloc(op->row_count, sizeof *x), *y = calloc(op->row_count, sizeof *y),
         *dense = calloc(op->row_count, sizeof *dense);
  for (size_t j = 0; j < op->block_count; j++)
    for (size_t c = op->row_start[j]; c < op->row_start[j + 1]; c++) {
      x[c] = 1.0;
      op_apply(op, x, y);
      x[c] = 0.0;
      memset(dense, 0, op->row_count * sizeof *dense);
      for (size_t i = 0; i < op->block_count; i++)
        for (size_t k = a->start[i]; k < a->start[i + 1]; k++) {
          const size_t width = op->row_start[j + 1] - op->row_start[j];
          if (k > a->start[i]) assert_true(a->column[k] > a->column[k - 1]);
          if (a->column[k] != j) continue;
          for (size_t r = op->row_start[i]; r < op->row_start[i + 1]; r++)
            dense[r] =
                a->value[a->offset[k] + (r - op->row_start[i]) * width + c - op->row_start[j]];
        }
      for (size_t r = 0; r < op->row_count; r++)
        assert_true(fabs(dense[r] - y[r]) <= 1e-12 * (1.0 + fabs(y[r])));
    }
  free(x);
  free(y);
  free(dense);
  formed_matrix_clear(op->context, &n);
}

static void test_delassus(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  for (int rolling = 0; rolling < 2; rolling++) {
    scree_ccp *p = make_problem(context, rolling * 0.05);
    ccp_operator *op = NULL;
    assert_int_equal(op_create(context, p, &op), SCREE_OK);
    expect_delassus(op);
    op_destroy(op);
    scree_ccp_destroy(p);
  }
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* X = diag: I + B X B' times a body vector, by hand from B. */
static void test_bodies(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *p = make_problem(context, 0.05);
  ccp_operator *op = NULL;
  assert_int_equal(op_create(context, p, &op), SCREE_OK);
  formed_jacobian b;
  formed_bodies s;
  assert_int_equal(formed_jacobian_build(op, &b), SCREE_OK);
  assert_int_equal(formed_bodies_build(context, &b, &s), SCREE_OK);
  size_t squares = 0;
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t d = op->row_start[i + 1] - op->row_start[i];
    squares += d * d;
  }
  const size_t nv = 6 * b.body_count;
  double *x = calloc(squares, sizeof *x), *v = calloc(nv, sizeof *v), *y = calloc(nv, sizeof *y),
         *w = calloc(nv, sizeof *w);
  for (size_t k = 0; k < squares; k++) x[k] = sin((double)k);
  for (size_t k = 0; k < nv; k++) v[k] = w[k] = cos(3.0 * (double)k);
  formed_bodies_fill(&b, op->row_start, x, &s);
  size_t square = 0;
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t d = op->row_start[i + 1] - op->row_start[i];
    double u[6] = {0}, xu[6] = {0};
    for (size_t k = b.start[i]; k < b.start[i + 1]; k++)
      for (size_t r = 0; r < d; r++)
        for (size_t j = 0; j < 6; j++)
          u[r] += b.value[b.offset[k] + 6 * r + j] * v[6 * b.body[k] + j];
    for (size_t r = 0; r < d; r++)
      for (size_t c = 0; c < d; c++) xu[r] += x[square + r * d + c] * u[c];
    for (size_t k = b.start[i]; k < b.start[i + 1]; k++)
      for (size_t r = 0; r < d; r++)
        for (size_t j = 0; j < 6; j++)
          w[6 * b.body[k] + j] += b.value[b.offset[k] + 6 * r + j] * xu[r];
    square += d * d;
  }
  for (size_t i = 0; i < b.body_count; i++)
    for (size_t k = s.start[i]; k < s.start[i + 1]; k++)
      for (size_t r = 0; r < 6; r++)
        for (size_t c = 0; c < 6; c++)
          y[6 * i + r] += s.value[s.offset[k] + 6 * r + c] * v[6 * s.column[k] + c];
  for (size_t k = 0; k < nv; k++) assert_true(fabs(y[k] - w[k]) < 1e-12 * (1.0 + fabs(w[k])));
  free(x);
  free(v);
  free(y);
  free(w);
  formed_bodies_clear(context, &s);
  formed_jacobian_clear(context, &b);
  op_destroy(op);
  scree_ccp_destroy(p);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_delassus),
      cmocka_unit_test(test_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
