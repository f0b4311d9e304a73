/* Interoperability with libfclib, both ways: what we write it reads, number for number, and what it
 * writes (compressed columns, compressed rows, triplets; solutions and guesses) we read. */
#include <fclib.h>

#include "tests/unit/io/problem_common.h"
#include "tests/unit/io/problem_file.h"

enum { CONTACTS = 3, EQUALITIES = 2, BLOCKS = CONTACTS + EQUALITIES, VELOCITIES = 7, MAX = 16 };

static void make_sets(int dim, scree_set *sets) {
  for (int i = 0; i < BLOCKS; i++)
    sets[i] = i < CONTACTS ? scree_set_coulomb(dim, 0.1 * (i + 1)) : scree_set_free(1);
}

/* Entry (i, j) of libfclib's matrix in any of its storages; i are rows, p columns of triplets. */
static double entry(const struct fclib_matrix *m, int i, int j) {
  double sum = 0.0;
  if (m->nz >= 0) {
    for (int k = 0; k < m->nz; k++)
      if (m->i[k] == i && m->p[k] == j) sum += m->x[k];
    return sum;
  }
  const int line = m->nz == -1 ? j : i, other = m->nz == -1 ? i : j;
  for (int k = m->p[line]; k < m->p[line + 1]; k++)
    if (m->i[k] == other) sum += m->x[k];
  return sum;
}

static double csc_entry(const ccp_matrix *m, size_t i, size_t j) {
  for (size_t k = m->start[j]; k < m->start[j + 1]; k++)
    if (m->index[k] == i) return m->value[k];
  return 0.0;
}

/* theirs = ours[row …][column …] */
static void assert_part(const struct fclib_matrix *theirs, const ccp_matrix *ours, size_t row,
                        size_t column, int rows, int columns) {
  assert_int_equal(theirs->m, rows);
  assert_int_equal(theirs->n, columns);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      assert_true(entry(theirs, i, j) == csc_entry(ours, row + (size_t)i, column + (size_t)j));
}

static void fill(double *x, size_t n) {
  for (size_t i = 0; i < n; i++) x[i] = uniform(-1.0, 1.0);
}

static void save_with_solution(const scree_ccp *p, double *g, double *u, double *v) {
  fill(g, MAX);
  fill(u, MAX);
  fill(v, MAX);
  scree_problem_save_def def = scree_problem_save_def_default();
  def.title = "title";
  def.description = "words";
  def.math_info = "none";
  def.g = g;
  def.u = u;
  def.v = v;
  if (scree_problem_save(context, path, p, &def)) fail_msg("%s", scree_context_message(context));
}

static void assert_their_solution(const double *g, const double *u, const double *v, size_t rows,
                                  size_t velocities) {
  struct fclib_solution *s = fclib_read_solution(path);
  assert_non_null(s);
  assert_memory_equal(s->r, g, rows * sizeof *g);
  assert_memory_equal(s->u, u, rows * sizeof *u);
  assert_memory_equal(s->l, g + rows, EQUALITIES * sizeof *g);
  if (velocities) assert_memory_equal(s->v, v, velocities * sizeof *v);
  fclib_delete_solutions(s, 1);
}

static void test_they_read_local(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    scree_set sets[BLOCKS];
    double g[MAX], u[MAX], v[MAX];
    make_sets(dim, sets);
    scree_ccp *p = make_local(context, sets, BLOCKS, NULL);
    const int rows = CONTACTS * dim;
    save_with_solution(p, g, u, v);
    struct fclib_local *l = fclib_read_local(path);
    assert_non_null(l);
    assert_int_equal(l->spacedim, dim);
    assert_part(l->W, &p->w, 0, 0, rows, rows);
    assert_part(l->V, &p->w, 0, (size_t)rows, rows, EQUALITIES);
    assert_part(l->R, &p->w, (size_t)rows, (size_t)rows, EQUALITIES, EQUALITIES);
    assert_memory_equal(l->q, p->offset, (size_t)rows * sizeof(double));
    assert_memory_equal(l->s, p->offset + rows, EQUALITIES * sizeof(double));
    for (int i = 0; i < CONTACTS; i++) assert_true(l->mu[i] == sets[i].mu);
    assert_string_equal(l->info->title, "title");
    assert_string_equal(l->info->description, "words");
    assert_string_equal(l->info->math_info, "none");
    assert_their_solution(g, u, v, (size_t)rows, 0);
    fclib_delete_local(l);
    scree_ccp_destroy(p);
  }
}

static void test_they_read_global(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    scree_set sets[BLOCKS];
    double g[MAX], u[MAX], v[MAX];
    make_sets(dim, sets);
    scree_ccp *p = make_global(context, sets, BLOCKS, VELOCITIES, NULL);
    const int rows = CONTACTS * dim;
    save_with_solution(p, g, u, v);
    struct fclib_global *l = fclib_read_global(path);
    assert_non_null(l);
    assert_int_equal(l->spacedim, dim);
    assert_part(l->M, &p->m, 0, 0, VELOCITIES, VELOCITIES);
    assert_part(l->H, &p->h, 0, 0, VELOCITIES, rows);
    assert_part(l->G, &p->h, 0, (size_t)rows, VELOCITIES, EQUALITIES);
    assert_memory_equal(l->f, p->f, VELOCITIES * sizeof(double));
    assert_memory_equal(l->w, p->offset, (size_t)rows * sizeof(double));
    assert_memory_equal(l->b, p->offset + rows, EQUALITIES * sizeof(double));
    for (int i = 0; i < CONTACTS; i++) assert_true(l->mu[i] == sets[i].mu);
    assert_their_solution(g, u, v, (size_t)rows, VELOCITIES);
    fclib_delete_global(l);
    scree_ccp_destroy(p);
  }
}

/* A problem of bodies is a global one to them; /scree_ccp beside it does no harm. */
static void test_they_read_bodies(void **state) {
  (void)state;
  scree_ccp *p = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  for (size_t i = 0; i < 5; i++) add_random_body(p, i);
  for (size_t i = 0; i < 4; i++) add_random_contact(p, 5, scree_set_coulomb(3, 0.5), false);
  add_random_block(p, 5, scree_set_free(2));
  assert_int_equal(scree_problem_save(context, path, p, NULL), SCREE_OK);
  struct fclib_global *l = fclib_read_global(path);
  assert_non_null(l);
  /* 6 of the full body, none of the fixed and the prescribed, 3 of the point mass, 3 + 1 planar */
  assert_int_equal(l->M->m, 6 + 3 + 4);
  assert_int_equal(l->H->n, 12);
  assert_int_equal(l->G->n, 2);
  fclib_delete_global(l);
  scree_ccp_destroy(p);
}

/* ---- they write ---- */

/* A part of our matrix in one of libfclib's storages: -1, -2 or 0 for triplets. */
static struct fclib_matrix *their_matrix(const ccp_matrix *ours, size_t row, size_t column,
                                         int rows, int columns, int storage) {
  struct fclib_matrix *m = calloc(1, sizeof *m);
  const int lines = storage == -2 ? rows : columns, others = storage == -2 ? columns : rows;
  m->m = rows;
  m->n = columns;
  m->p = calloc((size_t)(rows * columns + rows + columns + 1), sizeof *m->p);
  m->i = calloc((size_t)(rows * columns + 1), sizeof *m->i);
  m->x = calloc((size_t)(rows * columns + 1), sizeof *m->x);
  for (int line = 0; line < lines; line++) {
    for (int k = 0; k < others; k++) {
      const int other = storage ? k : others - 1 - k; /* triplets in no order */
      const int i = storage == -2 ? line : other, j = storage == -2 ? other : line;
      const double x = csc_entry(ours, row + (size_t)i, column + (size_t)j);
      if (x == 0.0) continue;
      m->x[m->nzmax] = x;
      m->i[m->nzmax] = storage ? other : i;
      if (!storage) m->p[m->nzmax] = j;
      m->nzmax++;
    }
    if (storage) m->p[line + 1] = m->nzmax;
  }
  m->nz = storage ? storage : m->nzmax;
  return m;
}

static void free_matrix(struct fclib_matrix *m) {
  free(m->p);
  free(m->i);
  free(m->x);
  free(m);
}

static void write_their_solutions(double *g, double *u, double *v, size_t rows) {
  struct fclib_solution s[2] = {{v, u, g, g + rows}, {v, u, g, g + rows}};
  assert_int_equal(fclib_write_solution(s, path), 1);
  assert_int_equal(fclib_write_guesses(2, s, path), 1);
}

static void assert_we_read(const scree_ccp *p, double *g, double *u, const double *v) {
  scree_ccp *again = NULL;
  scree_problem_info info;
  double g2[MAX], u2[MAX], v2[MAX];
  if (scree_problem_load(context, path, &again, &info))
    fail_msg("%s", scree_context_message(context));
  assert_same_problem(p, again);
  assert_string_equal(info.title, "t");
  assert_int_equal(info.guesses, 2);
  assert_true(info.has_solution);
  const size_t rows = scree_ccp_row_count(p);
  for (size_t k = 0; k <= 2; k++) {
    if (scree_problem_load_solution(context, path, again, k, v2, u2, g2))
      fail_msg("%s", scree_context_message(context));
    assert_memory_equal(g, g2, rows * sizeof *g);
    assert_memory_equal(u, u2, (rows - EQUALITIES) * sizeof *u);
    assert_true(u2[rows - 1] == 0.0);
    assert_true(same_bytes(v, v2, scree_ccp_velocity_count(p) * sizeof *v));
  }
  scree_problem_info_clear(&info);
  scree_ccp_destroy(again);
}

static void test_we_read_local(void **state) {
  (void)state;
  for (int storage = -2; storage <= 0; storage++) {
    scree_set sets[BLOCKS];
    double g[MAX], u[MAX], mu[CONTACTS];
    make_sets(3, sets);
    for (int i = 0; i < CONTACTS; i++) mu[i] = sets[i].mu;
    scree_ccp *p = make_local(context, sets, BLOCKS, NULL);
    const int rows = 3 * CONTACTS;
    const size_t m = (size_t)rows;
    struct fclib_info info = {"t", "d", "m"};
    struct fclib_local l = {.W = their_matrix(&p->w, 0, 0, rows, rows, storage),
                            .V = their_matrix(&p->w, 0, m, rows, EQUALITIES, storage),
                            .R = their_matrix(&p->w, m, m, EQUALITIES, EQUALITIES, storage),
                            .mu = mu,
                            .q = p->offset,
                            .s = p->offset + rows,
                            .spacedim = 3,
                            .info = &info};
    unlink(path);
    assert_int_equal(fclib_write_local(&l, path), 1);
    fill(g, MAX);
    fill(u, MAX);
    write_their_solutions(g, u, NULL, m);
    assert_we_read(p, g, u, NULL);
    free_matrix(l.W);
    free_matrix(l.V);
    free_matrix(l.R);
    scree_ccp_destroy(p);
  }
}

static void test_we_read_global(void **state) {
  (void)state;
  for (int storage = -2; storage <= 0; storage++) {
    scree_set sets[BLOCKS];
    double g[MAX], u[MAX], v[MAX], mu[CONTACTS];
    make_sets(2, sets);
    for (int i = 0; i < CONTACTS; i++) mu[i] = sets[i].mu;
    scree_ccp *p = make_global(context, sets, BLOCKS, VELOCITIES, NULL);
    const int rows = 2 * CONTACTS;
    struct fclib_info info = {"t", "d", "m"};
    struct fclib_global l = {
        .M = their_matrix(&p->m, 0, 0, VELOCITIES, VELOCITIES, storage),
        .H = their_matrix(&p->h, 0, 0, VELOCITIES, rows, storage),
        .G = their_matrix(&p->h, 0, (size_t)rows, VELOCITIES, EQUALITIES, storage),
        .mu = mu,
        .f = p->f,
        .b = p->offset + rows,
        .w = p->offset,
        .spacedim = 2,
        .info = &info};
    unlink(path);
    assert_int_equal(fclib_write_global(&l, path), 1);
    fill(g, MAX);
    fill(u, MAX);
    fill(v, MAX);
    write_their_solutions(g, u, v, (size_t)rows);
    assert_we_read(p, g, u, v);
    free_matrix(l.M);
    free_matrix(l.H);
    free_matrix(l.G);
    scree_ccp_destroy(p);
  }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_they_read_local), TEST(test_they_read_global),
                                     TEST(test_they_read_bodies), TEST(test_we_read_local),
                                     TEST(test_we_read_global)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
