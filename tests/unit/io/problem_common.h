/* What the tests of problem files share: random problems of every form, and the comparison of two
 * problems bit for bit. */
#ifndef TEST_PROBLEM_COMMON_H
#define TEST_PROBLEM_COMMON_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ccp/problem.h"
#include "scree/io.h"

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static inline double uniform(double low, double high) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

static inline size_t below(size_t n) {
  return (size_t)uniform(0.0, (double)n) % n;
}

/* ---- comparison ---- */

static inline bool same_bytes(const void *a, const void *b, size_t size) {
  return size == 0 || memcmp(a, b, size) == 0;
}

static inline void assert_same_matrix(const ccp_matrix *a, const ccp_matrix *b) {
  assert_int_equal(a->rows, b->rows);
  assert_int_equal(a->columns, b->columns);
  if (!a->start) {
    assert_null(b->start);
    return;
  }
  const size_t entries = a->start[a->columns];
  assert_true(same_bytes(a->start, b->start, (a->columns + 1) * sizeof *a->start));
  assert_true(same_bytes(a->index, b->index, entries * sizeof *a->index));
  assert_true(same_bytes(a->value, b->value, entries * sizeof *a->value));
}

static inline void assert_same_bodies(const ccp_bodies *a, const ccp_bodies *b) {
  assert_int_equal(a->body_count, b->body_count);
  assert_int_equal(a->contact_count, b->contact_count);
  assert_int_equal(a->term_count, b->term_count);
  assert_int_equal(a->generic_row_count, b->generic_row_count);
  assert_true(same_bytes(a->body, b->body, a->body_count * sizeof *a->body));
  assert_true(same_bytes(a->contact, b->contact, a->contact_count * sizeof *a->contact));
  if (a->generic_row_count)
    assert_true(same_bytes(a->term_start, b->term_start,
                           (a->generic_row_count + 1) * sizeof *a->term_start));
  for (size_t i = 0; i < a->term_count; i++) {
    assert_int_equal(a->term[i].body, b->term[i].body);
    assert_true(same_bytes(a->term[i].coefficient, b->term[i].coefficient, 6 * sizeof(double)));
  }
}

static inline void assert_same_sets(const scree_ccp *a, const scree_ccp *b) {
  for (size_t i = 0; i < a->block_count; i++) {
    const scree_set x = scree_ccp_block_set(a, i), y = scree_ccp_block_set(b, i);
    const double p[] = {x.mu, x.mu2, x.rolling, x.spinning, x.lo, x.hi, x.cohesion, x.cap};
    const double q[] = {y.mu, y.mu2, y.rolling, y.spinning, y.lo, y.hi, y.cohesion, y.cap};
    assert_int_equal(x.kind, y.kind);
    assert_int_equal(x.dim, y.dim);
    assert_memory_equal(p, q, sizeof p);
    assert_memory_equal(x.flow, y.flow, sizeof x.flow);
  }
}

static inline void assert_same_problem(const scree_ccp *a, const scree_ccp *b) {
  assert_int_equal(a->form, b->form);
  assert_int_equal(a->block_count, b->block_count);
  assert_int_equal(a->row_count, b->row_count);
  assert_same_sets(a, b);
  assert_true(same_bytes(a->offset, b->offset, a->row_count * sizeof *a->offset));
  for (size_t i = 0; i < a->row_count; i++)
    assert_true((a->compliance ? a->compliance[i] : 0.0) ==
                (b->compliance ? b->compliance[i] : 0.0));
  assert_true(a->reference_speed == b->reference_speed);
  assert_same_bodies(&a->bodies, &b->bodies);
  assert_same_matrix(&a->w, &b->w);
  assert_same_matrix(&a->m, &b->m);
  assert_same_matrix(&a->h, &b->h);
  assert_true(same_bytes(a->f, b->f, a->m.rows * sizeof *a->f));
}

/* ---- random problems ---- */

/* A dense-ish matrix as compressed columns in caller's arrays. */
typedef struct test_matrix {
  size_t *start;
  uint32_t *index;
  double *value;
  scree_csc csc;
} test_matrix;

static inline test_matrix test_matrix_new(size_t rows, size_t columns, const double *dense) {
  test_matrix m = {.start = calloc(columns + 1, sizeof *m.start),
                   .index = calloc(rows * columns + 1, sizeof *m.index),
                   .value = calloc(rows * columns + 1, sizeof *m.value)};
  size_t n = 0;
  for (size_t j = 0; j < columns; j++) {
    for (size_t i = 0; i < rows; i++)
      if (dense[i * columns + j] != 0.0) {
        m.index[n] = (uint32_t)i;
        m.value[n++] = dense[i * columns + j];
      }
    m.start[j + 1] = n;
  }
  m.csc = (scree_csc){rows, columns, m.start, m.index, m.value};
  return m;
}

static inline void test_matrix_free(test_matrix *m) {
  free(m->start);
  free(m->index);
  free(m->value);
}

static inline size_t rows_of(const scree_set *sets, size_t blocks) {
  size_t rows = 0;
  for (size_t i = 0; i < blocks; i++) rows += (size_t)sets[i].dim;
  return rows;
}

/* A random symmetric matrix with dominant diagonal and about half of its places empty. */
static inline double *random_symmetric(size_t n) {
  double *a = calloc(n * n + 1, sizeof *a);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      const double x = i == j ? (double)n + uniform(0.0, 1.0)
                              : (uniform(0.0, 1.0) < 0.5 ? 0.0 : uniform(-1.0, 1.0));
      a[i * n + j] = a[j * n + i] = x;
    }
  return a;
}

static inline scree_ccp *make_local(scree_context *context, const scree_set *sets, size_t blocks,
                                    const double *compliance) {
  const size_t n = rows_of(sets, blocks);
  double *dense = random_symmetric(n), *q = calloc(n + 1, sizeof *q);
  for (size_t i = 0; i < n; i++) q[i] = uniform(-1.0, 1.0);
  test_matrix w = test_matrix_new(n, n, dense);
  scree_ccp *p = NULL;
  assert_int_equal(scree_ccp_create_local(context, blocks, sets, &w.csc, q, compliance, &p),
                   SCREE_OK);
  test_matrix_free(&w);
  free(dense);
  free(q);
  return p;
}

static inline scree_ccp *make_global(scree_context *context, const scree_set *sets, size_t blocks,
                                     size_t n, const double *compliance) {
  const size_t rows = rows_of(sets, blocks);
  double *dense = random_symmetric(n), *directions = calloc(n * rows + 1, sizeof *directions);
  double *f = calloc(n + 1, sizeof *f), *w = calloc(rows + 1, sizeof *w);
  for (size_t i = 0; i < n * rows; i++)
    directions[i] = uniform(0.0, 1.0) < 0.4 ? 0.0 : uniform(-1.0, 1.0);
  for (size_t i = 0; i < n; i++) f[i] = uniform(-1.0, 1.0);
  for (size_t i = 0; i < rows; i++) w[i] = uniform(-1.0, 1.0);
  test_matrix m = test_matrix_new(n, n, dense), h = test_matrix_new(n, rows, directions);
  scree_ccp *p = NULL;
  assert_int_equal(
      scree_ccp_create_global(context, blocks, sets, &m.csc, &h.csc, f, w, compliance, &p),
      SCREE_OK);
  test_matrix_free(&m);
  test_matrix_free(&h);
  free(dense);
  free(directions);
  free(f);
  free(w);
  return p;
}

static inline void random_unit(double *x) {
  double norm = 0.0;
  for (int k = 0; k < 3; k++) {
    x[k] = uniform(-1.0, 1.0);
    norm += x[k] * x[k];
  }
  norm = sqrt(norm);
  for (int k = 0; k < 3; k++) x[k] /= norm;
}

/* A moving body with a full inertia, a fixed one, a prescribed one, a point mass and a planar body,
 * in turn. */
static inline void add_random_body(scree_ccp *p, size_t i) {
  scree_ccp_body_def body = {.inverse_mass = uniform(0.1, 2.0)};
  const double full[6] = {uniform(2.0, 3.0), uniform(-0.5, 0.5), uniform(-0.5, 0.5),
                          uniform(2.0, 3.0), uniform(-0.5, 0.5), uniform(2.0, 3.0)};
  if (i % 5 == 0) memcpy(body.inverse_inertia, full, sizeof full);
  if (i % 5 == 4) body.inverse_inertia[5] = uniform(0.5, 1.0);
  if (i % 5 == 1 || i % 5 == 2) body.inverse_mass = 0.0;
  for (int k = 0; k < 6 && i % 5 != 1; k++) body.v_free[k] = uniform(-1.0, 1.0);
  assert_int_equal(scree_ccp_add_body(p, &body, NULL), SCREE_OK);
}

static inline void add_random_contact(scree_ccp *p, size_t bodies, scree_set set, bool compliant) {
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  c.set = set;
  c.body_a = (uint32_t)below(bodies);
  c.body_b = (uint32_t)((c.body_a + 1 + below(bodies - 1)) % bodies);
  if (uniform(0.0, 1.0) < 0.2) c.body_a = SCREE_CCP_WORLD;
  random_unit(c.normal);
  for (int k = 0; k < 3; k++) {
    c.arm_a[k] = uniform(-1.0, 1.0);
    c.arm_b[k] = uniform(-1.0, 1.0);
  }
  for (int k = 0; k < set.dim; k++) {
    c.offset[k] = uniform(-1.0, 1.0);
    c.compliance[k] = compliant ? uniform(0.0, 0.1) : 0.0;
  }
  assert_int_equal(scree_ccp_add_contact(p, &c), SCREE_OK);
}

static inline void add_random_block(scree_ccp *p, size_t bodies, scree_set set) {
  scree_ccp_term terms[SCREE_MAX_DIM][3];
  scree_ccp_row_def rows[SCREE_MAX_DIM];
  for (int k = 0; k < set.dim; k++) {
    rows[k] = (scree_ccp_row_def){
        .terms = terms[k], .term_count = 1 + below(3), .offset = uniform(-1.0, 1.0)};
    for (size_t t = 0; t < 3; t++) {
      terms[k][t].body = (uint32_t)((t * 2 + (size_t)k) % bodies);
      for (int e = 0; e < 6; e++) terms[k][t].coefficient[e] = uniform(-1.0, 1.0);
    }
  }
  assert_int_equal(scree_ccp_add_block(p, &set, rows), SCREE_OK);
}

/* ---- files ---- */

static inline const char *shared_problems(void) {
  static char path[1024];
  const char *shared = getenv("SCREE_SHARED");
  if (shared)
    snprintf(path, sizeof path, "%s/problems", shared);
  else
    snprintf(path, sizeof path, "%s/../shared/problems", SCREE_SOURCE_DIR);
  return access(path, R_OK) == 0 ? path : NULL;
}

#endif
