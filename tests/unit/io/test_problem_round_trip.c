/* Problems of every form come back from a file with the same bits; what FCLIB can express is
 * written in its layout alone, the rest also or only in /scree_ccp. */
#include "base/definition.h"
#include "problem_common.h"
#include "problem_file.h"

#ifdef SCREE_WITH_HDF5
#include <hdf5.h>

#include "scree/solver.h"

static void save(const scree_ccp *p, const scree_problem_save_def *def) {
  if (scree_problem_save(context, path, p, def)) fail_msg("%s", scree_context_message(context));
}

static scree_ccp *load(scree_problem_info *info) {
  scree_ccp *p = NULL;
  if (scree_problem_load(context, path, &p, info)) fail_msg("%s", scree_context_message(context));
  return p;
}

static bool has_group(const char *name) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const bool there = H5Lexists(file, name, H5P_DEFAULT) > 0;
  H5Fclose(file);
  return there;
}

/* Consumes p. */
static void check(scree_ccp *p, scree_problem_kind kind, bool native) {
  scree_problem_info info;
  save(p, &(scree_problem_save_def){
              .cookie = DEFINITION_COOKIE, .title = "a title", .math_info = "unique"});
  scree_ccp *again = load(&info);
  assert_same_problem(p, again);
  assert_int_equal(info.kind, kind);
  assert_int_equal(info.form, p->form);
  assert_int_equal(info.native, native);
  assert_int_equal(has_group("/scree_ccp"), native);
  assert_int_equal(info.guesses, 0);
  assert_false(info.has_solution);
  assert_string_equal(info.title, "a title");
  assert_string_equal(info.description, "");
  assert_string_equal(info.math_info, "unique");
  scree_problem_info_clear(&info);
  scree_ccp_destroy(p);
  scree_ccp_destroy(again);
}

enum { BLOCKS = 7 };

/* Contacts of one kind with various coefficients. */
static void fill_contacts(scree_set *sets, size_t count, int dim) {
  for (size_t i = 0; i < count; i++)
    sets[i] = dim == 5 ? scree_set_rolling(5, uniform(0.0, 1.0), uniform(0.0, 0.1), 0.0)
                       : scree_set_coulomb(dim, i ? uniform(0.0, 1.0) : 0.0);
}

static void test_fclib_kinds(void **state) {
  (void)state;
  const int dims[] = {2, 3, 5};
  for (int k = 0; k < 3; k++)
    for (size_t equalities = 0; equalities <= 3; equalities += 3) {
      scree_set sets[BLOCKS];
      fill_contacts(sets, BLOCKS, dims[k]);
      for (size_t i = BLOCKS - equalities; i < BLOCKS; i++) sets[i] = scree_set_free(1);
      const bool rolls = dims[k] == 5;
      check(make_local(context, sets, BLOCKS, NULL),
            rolls ? SCREE_PROBLEM_LOCAL_ROLLING : SCREE_PROBLEM_LOCAL, false);
      check(make_global(context, sets, BLOCKS, 11, NULL),
            rolls ? SCREE_PROBLEM_GLOBAL_ROLLING : SCREE_PROBLEM_GLOBAL, false);
    }
}

/* FCLIB can tell these in another order or without a detail: both groups are written. */
static void test_both_layouts(void **state) {
  (void)state;
  scree_set sets[BLOCKS];
  fill_contacts(sets, BLOCKS, 3);
  sets[2] = scree_set_free(1);
  check(make_local(context, sets, BLOCKS, NULL), SCREE_PROBLEM_LOCAL, true);
  check(make_global(context, sets, BLOCKS, 9, NULL), SCREE_PROBLEM_GLOBAL, true);
  fill_contacts(sets, BLOCKS, 3);
  sets[BLOCKS - 1] = scree_set_free(3);
  check(make_local(context, sets, BLOCKS, NULL), SCREE_PROBLEM_LOCAL, true);
  fill_contacts(sets, BLOCKS, 3);
  scree_ccp *p = make_local(context, sets, BLOCKS, NULL);
  scree_ccp_set_reference_speed(p, 0.0981);
  check(p, SCREE_PROBLEM_LOCAL, true);
  p = make_global(context, sets, BLOCKS, 8, NULL);
  scree_ccp_set_reference_speed(p, 0.0981);
  check(p, SCREE_PROBLEM_GLOBAL, true);
}

static void fill_native(scree_set *sets) {
  sets[0] = scree_set_ray();
  sets[1] = scree_set_interval(-INFINITY, 0.25);
  sets[2] = scree_set_elliptic(0.3, 0.7);
  sets[3] = scree_set_rolling(6, 0.3, 0.01, 0.02);
  sets[4] = scree_set_rolling(4, 0.3, 0.0, 0.02);
  sets[5] = scree_set_coulomb(2, 0.4);
  sets[5].cohesion = 0.125;
  sets[6] = scree_set_coulomb(3, 0.4);
  sets[6].cap = 12.5;
  sets[6].flow[0] = sets[6].flow[1] = 0.25;
  sets[3].flow[4] = 0.5;
}

static void test_native_only(void **state) {
  (void)state;
  scree_set sets[BLOCKS];
  double compliance[6 * BLOCKS];
  fill_native(sets);
  check(make_local(context, sets, BLOCKS, NULL), SCREE_PROBLEM_NATIVE, true);
  check(make_global(context, sets, BLOCKS, 9, NULL), SCREE_PROBLEM_NATIVE, true);
  /* one at a time among plain contacts: each alone must keep FCLIB out */
  scree_set odd[BLOCKS];
  fill_native(odd);
  for (size_t i = 0; i < BLOCKS; i++) {
    fill_contacts(sets, BLOCKS, 3);
    sets[1] = odd[i];
    check(make_local(context, sets, BLOCKS, NULL), SCREE_PROBLEM_NATIVE, true);
  }
  for (size_t i = 0; i < 6 * BLOCKS; i++) compliance[i] = i == 4 ? 1e-3 : 0.0;
  fill_contacts(sets, BLOCKS, 3);
  check(make_local(context, sets, BLOCKS, compliance), SCREE_PROBLEM_NATIVE, true);
  check(make_global(context, sets, BLOCKS, 9, compliance), SCREE_PROBLEM_NATIVE, true);
  sets[3] = scree_set_coulomb(2, 0.1);
  check(make_local(context, sets, BLOCKS, NULL), SCREE_PROBLEM_NATIVE, true);
}

/* V' must be below V: an unsymmetric coupling to equality rows cannot be expressed. */
static void test_unsymmetric_equality(void **state) {
  (void)state;
  const double dense[16] = {4, 1, 0, 2, 1, 4, 0, 3, 0, 0, 4, 0, 2, 3.0000001, 0, 4};
  const double q[4] = {1, 2, 3, 4};
  const scree_set sets[2] = {scree_set_coulomb(3, 0.5), scree_set_free(1)};
  test_matrix w = test_matrix_new(4, 4, dense);
  scree_ccp *p = NULL;
  assert_int_equal(scree_ccp_create_local(context, 2, sets, &w.csc, q, NULL, &p), SCREE_OK);
  check(p, SCREE_PROBLEM_NATIVE, true);
  /* within W itself asymmetry is fine */
  const double skew[9] = {4, 1, 0, 1.001, 4, 0, 0, 0, 4};
  test_matrix w3 = test_matrix_new(3, 3, skew);
  assert_int_equal(scree_ccp_create_local(context, 1, sets, &w3.csc, q, NULL, &p), SCREE_OK);
  check(p, SCREE_PROBLEM_LOCAL, false);
  test_matrix_free(&w);
  test_matrix_free(&w3);
}

static scree_ccp *make_bodies(bool plain, int dim) {
  enum { BODIES = 10, CONTACTS = 14 };
  scree_ccp *p = NULL;
  scree_set odd[BLOCKS];
  fill_native(odd);
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  for (size_t i = 0; i < BODIES; i++) add_random_body(p, i);
  for (size_t i = 0; i < CONTACTS; i++) {
    scree_set set = scree_set_coulomb(dim, 0.5);
    if (dim == 5) set = scree_set_rolling(5, 0.5, 0.01, 0.0);
    if (!plain) set = odd[i % BLOCKS];
    if (!plain && i % BLOCKS == 1) set = scree_set_ray();
    add_random_contact(p, BODIES, set, !plain);
  }
  add_random_block(p, BODIES, scree_set_free(3));
  if (!plain) add_random_block(p, BODIES, scree_set_interval(-1.0, INFINITY));
  add_random_block(p, BODIES, scree_set_free(1));
  return p;
}

static void test_bodies(void **state) {
  (void)state;
  check(make_bodies(true, 3), SCREE_PROBLEM_GLOBAL, true);
  check(make_bodies(true, 2), SCREE_PROBLEM_GLOBAL, true);
  check(make_bodies(true, 5), SCREE_PROBLEM_GLOBAL_ROLLING, true);
  check(make_bodies(false, 3), SCREE_PROBLEM_NATIVE, true);
  scree_ccp *p = NULL;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  check(p, SCREE_PROBLEM_GLOBAL, true);
}

/* A rod that cannot turn about its own, slanted axis: M^-1 has no inverse on any choice of axes. */
static void test_singular_inertia(void **state) {
  (void)state;
  scree_ccp *p = NULL;
  const scree_ccp_body_def rod = {.inverse_mass = 1.0,
                                  .inverse_inertia = {0.5, -0.5, 0.0, 0.5, 0.0, 1.0}};
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  assert_int_equal(scree_ccp_add_body(p, &rod, NULL), SCREE_OK);
  add_random_body(p, 0);
  add_random_contact(p, 2, scree_set_coulomb(3, 0.5), false);
  check(p, SCREE_PROBLEM_NATIVE, true);
}

/* The global problem beside a problem of bodies gives the same velocities for the same impulses. */
static void test_bodies_as_global(void **state) {
  (void)state;
  const int dims[] = {2, 3, 5};
  for (int k = 0; k < 3; k++) {
    scree_ccp *p = make_bodies(true, dims[k]);
    const size_t n = scree_ccp_velocity_count(p), rows = scree_ccp_row_count(p);
    double *g = calloc(rows, sizeof *g), *u = calloc(rows, sizeof *u), *v = calloc(n, sizeof *v);
    for (size_t i = 0; i < rows; i++) g[i] = uniform(-1.0, 1.0);
    assert_int_equal(scree_ccp_velocities(context, p, g, u, v), SCREE_OK);
    save(p, &(scree_problem_save_def){.cookie = DEFINITION_COOKIE, .g = g});

    double *v_read = calloc(n, sizeof *v), *u_read = calloc(rows, sizeof *u);
    assert_int_equal(scree_problem_load_solution(context, path, p, 0, v_read, u_read, NULL),
                     SCREE_OK);
    assert_memory_equal(v, v_read, n * sizeof *v);
    assert_memory_equal(u, u_read, rows * sizeof *u);

    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "/scree_ccp", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    scree_problem_info info;
    scree_ccp *global = load(&info);
    assert_int_equal(info.form, SCREE_FORM_GLOBAL);
    assert_true(info.has_solution);
    /* the solution of the FCLIB group, through the bodies' eyes: given motions come back too */
    double *g_read = calloc(rows, sizeof *g);
    assert_int_equal(scree_problem_load_solution(context, path, p, 0, v_read, u_read, g_read),
                     SCREE_OK);
    assert_memory_equal(v, v_read, n * sizeof *v);
    assert_memory_equal(g, g_read, rows * sizeof *g);
    const size_t moving = scree_ccp_velocity_count(global);
    double *v_global = calloc(moving, sizeof *v), *v_stored = calloc(moving, sizeof *v);
    assert_int_equal(scree_problem_load_solution(context, path, global, 0, v_stored, NULL, NULL),
                     SCREE_OK);
    const scree_status status = scree_ccp_velocities(context, global, g, u_read, v_global);
    if (status != SCREE_ERROR_UNSUPPORTED) {
      assert_int_equal(status, SCREE_OK);
      for (size_t i = 0; i < rows; i++) assert_true(fabs(u[i] - u_read[i]) < 1e-12);
      for (size_t i = 0; i < moving; i++) assert_true(fabs(v_stored[i] - v_global[i]) < 1e-12);
    }
    scree_problem_info_clear(&info);
    scree_ccp_destroy(p);
    scree_ccp_destroy(global);
    free(g), free(u), free(v), free(v_read), free(u_read), free(g_read), free(v_global);
    free(v_stored);
  }
}

static void test_solution_in_any_order(void **state) {
  (void)state;
  scree_set sets[BLOCKS];
  fill_contacts(sets, BLOCKS, 3);
  sets[2] = scree_set_free(2);
  scree_ccp *p = make_global(context, sets, BLOCKS, 9, NULL);
  double g[20], u[20], v[9], g2[20], u2[20], v2[9];
  for (int i = 0; i < 20; i++) {
    g[i] = uniform(-1.0, 1.0);
    u[i] = i == 6 || i == 7 ? 0.0 : uniform(-1.0, 1.0);
  }
  for (int i = 0; i < 9; i++) v[i] = uniform(-1.0, 1.0);
  save(p, &(scree_problem_save_def){.cookie = DEFINITION_COOKIE, .g = g, .u = u, .v = v});
  for (int k = 0; k < 2; k++) {
    memset(g2, 0xff, sizeof g2);
    assert_int_equal(scree_problem_load_solution(context, path, p, 0, v2, u2, g2), SCREE_OK);
    assert_memory_equal(g, g2, sizeof g);
    assert_memory_equal(u, u2, sizeof u);
    assert_memory_equal(v, v2, sizeof v);
    /* again from FCLIB's group, whose order differs */
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (!k) assert_true(H5Ldelete(file, "/scree_ccp/solution", H5P_DEFAULT) >= 0);
    H5Fclose(file);
  }
  g[3] = NAN;
  assert_int_equal(
      scree_problem_save(context, path, p,
                         &(scree_problem_save_def){.cookie = DEFINITION_COOKIE, .g = g}),
      SCREE_ERROR_ARGUMENT);
  scree_ccp_destroy(p);
}

static void *read_all(const char *name, size_t *size) {
  FILE *file = fopen(name, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

static void test_same_bytes_and_image(void **state) {
  (void)state;
  scree_ccp *p = make_bodies(false, 3), *again = NULL;
  size_t size_a, size_b;
  save(p, NULL);
  void *a = read_all(path, &size_a);
  sleep(1); /* no time stamps */
  save(p, NULL);
  void *b = read_all(path, &size_b);
  assert_int_equal(size_a, size_b);
  assert_memory_equal(a, b, size_a);
  assert_int_equal(scree_problem_load_image(context, "image", a, size_a, &again, NULL), SCREE_OK);
  assert_same_problem(p, again);
  scree_ccp_destroy(p);
  scree_ccp_destroy(again);
  free(a);
  free(b);
}

/* ---- storages that others may choose ---- */

static void put(hid_t file, const char *name, hid_t type, hsize_t count, hid_t create,
                const void *data) {
  const hid_t space = H5Screate_simple(1, &count, NULL);
  H5Ldelete(file, name, H5P_DEFAULT);
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
  assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Dclose(set);
  H5Sclose(space);
}

static void assert_loads_as(const double *dense) {
  test_matrix expected = test_matrix_new(3, 3, dense);
  scree_ccp *p = load(NULL);
  const size_t entries = expected.start[3];
  assert_int_equal(p->w.start[3], entries);
  assert_memory_equal(p->w.start, expected.start, 4 * sizeof(size_t));
  assert_memory_equal(p->w.index, expected.index, entries * sizeof(uint32_t));
  assert_memory_equal(p->w.value, expected.value, entries * sizeof(double));
  test_matrix_free(&expected);
  scree_ccp_destroy(p);
}

static void test_other_storages(void **state) {
  (void)state;
  const double dense[9] = {4, 1, 0, 2, 5, 0, 0, 3, 6}, transposed[9] = {4, 2, 0, 1, 5, 3, 0, 0, 6};
  const double summed[9] = {7, 0, 0, 0, 0, 2, 0, 0, 0}, q[3] = {1, 2, 3};
  const scree_set set = scree_set_coulomb(3, 0.5);
  test_matrix w = test_matrix_new(3, 3, dense);
  scree_ccp *p = NULL;
  assert_int_equal(scree_ccp_create_local(context, 1, &set, &w.csc, q, NULL, &p), SCREE_OK);
  save(p, &(scree_problem_save_def){.cookie = DEFINITION_COOKIE, .title = "a title"});
  scree_ccp_destroy(p);
  assert_loads_as(dense);

  /* chunks, deflated; and a title as h5py would write it: left out, not refused */
  const hsize_t chunk = 2;
  const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(create, 1, &chunk);
  H5Pset_shuffle(create);
  H5Pset_deflate(create, 9);
  H5Pset_fletcher32(create);
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, H5T_VARIABLE);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const char *const title = "in a heap";
  put(file, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, w.start[3], create, w.value);
  put(file, "/fclib_local/info/title", text, 1, H5P_DEFAULT, &title);
  H5Fclose(file);
  assert_loads_as(dense);
  scree_problem_info info;
  scree_ccp_destroy(load(&info));
  assert_string_equal(info.title, "");
  scree_problem_info_clear(&info);

  /* the same arrays read as compressed rows */
  const int by_rows = -2, count = 4, row[4] = {1, 0, 0, 0}, column[4] = {2, 0, 0, 0};
  const double value[4] = {2, 3, 1, 3};
  file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  put(file, "/fclib_local/W/nz", H5T_NATIVE_INT, 1, H5P_DEFAULT, &by_rows);
  H5Fclose(file);
  assert_loads_as(transposed);

  /* triplets in any order; equal places add up */
  file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  put(file, "/fclib_local/W/nz", H5T_NATIVE_INT, 1, H5P_DEFAULT, &count);
  put(file, "/fclib_local/W/i", H5T_NATIVE_INT, 4, H5P_DEFAULT, row);
  put(file, "/fclib_local/W/p", H5T_NATIVE_INT, 4, H5P_DEFAULT, column);
  put(file, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, 4, H5P_DEFAULT, value);
  H5Fclose(file);
  assert_loads_as(summed);
  H5Pclose(create);
  H5Tclose(text);
  test_matrix_free(&w);
}

static void test_failed_save(void **state) {
  (void)state;
  scree_ccp *p = make_bodies(true, 3);
  assert_int_equal(scree_problem_save(context, "no/such/directory/p.hdf5", p, NULL),
                   SCREE_ERROR_IO);
  assert_non_null(strstr(scree_context_message(context), "no/such/directory/p.hdf5: cannot be"));
  /* a directory in the way: rename fails, nothing is left behind */
  char directory[64], command[256];
  snprintf(directory, sizeof directory, "in-the-way-%ld", (long)getpid());
  snprintf(command, sizeof command, "mkdir %s && touch %s/x", directory, directory);
  assert_int_equal(system(command), 0);
  assert_int_equal(scree_problem_save(context, directory, p, NULL), SCREE_ERROR_IO);
  snprintf(command, sizeof command, "test -z \"$(ls -d %s.*part 2>/dev/null)\"", directory);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "rm -r %s", directory);
  assert_int_equal(system(command), 0);
  scree_ccp_destroy(p);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_fclib_kinds),
                                     TEST(test_both_layouts),
                                     TEST(test_native_only),
                                     TEST(test_unsymmetric_equality),
                                     TEST(test_bodies),
                                     TEST(test_singular_inertia),
                                     TEST(test_bodies_as_global),
                                     TEST(test_solution_in_any_order),
                                     TEST(test_same_bytes_and_image),
                                     TEST(test_other_storages),
                                     TEST(test_failed_save)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
  return 0;
}
#endif
