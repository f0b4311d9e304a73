/* Any bytes as a problem file: a message or a sound problem, never a crash, a leak or a hang. HDF5
 * opens them in memory. Seeds are written by the first run into the corpus directory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SCREE_WITH_HDF5
#include <hdf5.h>
#endif

#include "scree/io.h"
#include "scree/solver.h"

/* HDF5 asks for what a damaged header says and takes a refusal well, as from any malloc. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

static void *limited_allocate(void *user, size_t size) {
  (void)user;
  return size > (size_t)1 << 28 ? NULL : malloc(size);
}

static void limited_release(void *user, void *block, size_t size) {
  (void)user;
  (void)size;
  free(block);
}

static scree_context *new_context(void) {
  scree_context_def def = scree_context_def_default();
  def.allocator = (scree_allocator){limited_allocate, limited_release, NULL};
  return scree_context_create(&def);
}

static scree_ccp *seed_matrix_problem(scree_context *context, bool global, int dim, bool free_row) {
  const scree_set sets[2] = {dim == 5   ? scree_set_rolling(5, 0.5, 0.1, 0.0)
                             : dim == 6 ? scree_set_rolling(6, 0.5, 0.1, 0.1)
                                        : scree_set_coulomb(dim, 0.5),
                             scree_set_free(1)};
  const size_t n = (size_t)dim + free_row;
  size_t start[8];
  uint32_t index[7];
  double value[7], q[7] = {-1.0, 0.5, 0.25};
  for (size_t i = 0; i <= n; i++) start[i] = i;
  for (size_t i = 0; i < n; i++) {
    index[i] = (uint32_t)i;
    value[i] = 1.0 + (double)i;
  }
  const scree_csc m = {n, n, start, index, value};
  scree_ccp *p = NULL;
  if (global)
    scree_ccp_create_global(context, 1 + (size_t)free_row, sets, &m, &m, q, q, NULL, &p);
  else
    scree_ccp_create_local(context, 1 + (size_t)free_row, sets, &m, q, NULL, &p);
  return p;
}

static scree_ccp *seed_bodies(scree_context *context) {
  scree_ccp *p = NULL;
  scree_ccp_create_bodies(context, &p);
  const scree_ccp_body_def body = {.inverse_mass = 1.0, .inverse_inertia = {1, 0, 0, 1, 0, 1}};
  scree_ccp_add_body(p, &body, NULL);
  scree_ccp_contact_def contact = scree_ccp_contact_def_default();
  contact.body_b = 0;
  scree_ccp_add_contact(p, &contact);
  const scree_ccp_term term = {.body = 0, .coefficient = {1, 2, 3, 4, 5, 6}};
  const scree_ccp_row_def row = {.terms = &term, .term_count = 1};
  const scree_set set = scree_set_interval(-1.0, 1.0);
  scree_ccp_add_block(p, &set, &row);
  return p;
}

static void save_seed(scree_context *context, const char *directory, const char *name,
                      scree_ccp *p) {
  char path[4096];
  const double g[8] = {0};
  snprintf(path, sizeof path, "%s/%s", directory, name);
  scree_problem_save_def def = scree_problem_save_def_default();
  def.title = name;
  def.g = def.u = def.v = g;
  if (p && access(path, F_OK) != 0) scree_problem_save(context, path, p, &def);
  scree_ccp_destroy(p);
}

#ifdef SCREE_WITH_HDF5
/* A seed whose matrix is in chunks, deflated or not. */
static void save_chunked_seed(scree_context *context, const char *directory, const char *name,
                              bool deflated) {
  char path[4096];
  const double x[3] = {1.0, 2.0, 3.0};
  const hsize_t size = 3, chunk = 2;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  if (access(path, F_OK) == 0) return;
  save_seed(context, directory, name, seed_matrix_problem(context, false, 3, false));
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t create = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &size, NULL);
  H5Pset_chunk(create, 1, &chunk);
  if (deflated) {
    H5Pset_shuffle(create);
    H5Pset_deflate(create, 6);
    H5Pset_fletcher32(create);
  }
  H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT);
  const hid_t set =
      H5Dcreate2(file, "/fclib_local/W/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, create, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(create);
  H5Fclose(file);
}
#endif

/* The first argument that is a directory is where libFuzzer keeps its corpus. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const char *directory = NULL;
  for (int i = 1; i < *argc && !directory; i++)
    if ((*argv)[i][0] != '-' && access((*argv)[i], W_OK | X_OK) == 0) directory = (*argv)[i];
  if (!directory) return 0;
  scree_context *context = scree_context_create(NULL);
  const int dims[] = {2, 3, 5, 6};
  for (int k = 0; k < 4; k++)
    for (int global = 0; global < 2; global++) {
      char name[32];
      snprintf(name, sizeof name, "seed-%d-%d", dims[k], global);
      save_seed(context, directory, name,
                seed_matrix_problem(context, global, dims[k], dims[k] < 5));
    }
  save_seed(context, directory, "seed-bodies", seed_bodies(context));
#ifdef SCREE_WITH_HDF5
  save_chunked_seed(context, directory, "seed-chunked", false);
  save_chunked_seed(context, directory, "seed-deflated", true);
#endif
  scree_context_destroy(context);
  return 0;
}

/* Small ones are solved too, by each solver in turn: any outcome is right, if its numbers are. */
static void solve(scree_context *context, const scree_ccp *p, size_t turn) {
  const size_t rows = scree_ccp_row_count(p);
  if (rows > 60 || scree_ccp_block_count(p) > 20) return;
  scree_solver *solver = NULL;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.iteration_limit = 10;
  settings.model = turn / 7 % 2 ? SCREE_MODEL_COULOMB : SCREE_MODEL_RELAXED;
  double *g = calloc(rows + 1, sizeof *g);
  if (g && scree_solver_create(context, scree_solver_name(turn % scree_solver_count()), &solver) ==
               SCREE_OK) {
    scree_solve_info out;
    if (scree_solver_solve(solver, p, &settings, g, &out) == SCREE_OK)
      for (size_t i = 0; i < rows; i++)
        if (!(g[i] - g[i] == 0.0)) abort();
  }
  scree_solver_destroy(solver);
  free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  scree_context *context = new_context();
  scree_ccp *p = NULL;
  scree_problem_info info;
  const scree_status status = scree_problem_load_image(context, "fuzz", data, size, &p, &info);
  if (status == SCREE_OK) {
    for (size_t i = 0; i < scree_ccp_block_count(p); i++) {
      const scree_set set = scree_ccp_block_set(p, i);
      if (scree_set_fault(&set)) abort();
    }
    scree_problem_info_clear(&info);
    solve(context, p, size);
    scree_ccp_destroy(p);
  } else if (p || !*scree_context_message(context)) {
    abort();
  }
  if (scree_context_bytes(context) != 0) abort();
  scree_context_destroy(context);
  return 0;
}
