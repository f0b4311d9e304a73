/* Solutions and guesses. FCLIB's groups hold v, u, r over contacts and l over equality rows;
 * /scree_ccp/solution holds v, u and g of the problem as it is stored there. */
#include "io/problem/store.h"

#ifdef SCREE_WITH_HDF5
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define NATIVE "/scree_ccp/solution"

scree_status guess_count(const hdf5_file *file, size_t *count) {
  hdf5_object object;
  int64_t number = 0;
  *count = 0;
  scree_status status = hdf5_look(file, "/guesses", &object);
  if (status || object == HDF5_ABSENT) return status;
  status = hdf5_read_integer(file, "/guesses/number_of_guesses", 0, INT32_MAX, &number);
  if (!status) *count = (size_t)number;
  return status;
}

/* `rows` of FCLIB's rows from `first` on, scattered to the problem's order. */
static scree_status read_rows(const hdf5_file *file, const char *group, const char *name,
                              const problem_view *view, size_t first, size_t rows, double *out) {
  char path[HDF5_PATH];
  double *x = NULL;
  hdf5_join(path, group, name);
  const scree_status status = hdf5_load_reals(file, path, rows, rows, &x);
  if (status) return status;
  const size_t all = view->contact_rows + view->equalities;
  for (size_t i = 0; i < all; i++)
    if (view->row[i] >= first && view->row[i] < first + rows) out[i] = x[view->row[i] - first];
  memory_free(file->context, x);
  return SCREE_OK;
}

static scree_status read_velocity(const hdf5_file *file, const char *group, const scree_ccp *p,
                                  const problem_view *view, double *out) {
  char path[HDF5_PATH];
  double *x = NULL;
  hdf5_join(path, group, "v");
  const scree_status status =
      hdf5_load_reals(file, path, view->velocity_count, view->velocity_count, &x);
  if (status) return status;
  for (size_t b = 0; view->velocity && b < p->bodies.body_count; b++)
    memcpy(out + 6 * b, p->bodies.body[b].v_free, 6 * sizeof *out);
  for (size_t k = 0; k < view->velocity_count; k++)
    out[view->velocity ? view->velocity[k] : k] = x[k];
  memory_free(file->context, x);
  return SCREE_OK;
}

static scree_status read_fclib(const hdf5_file *file, const char *group, const scree_ccp *p,
                               const problem_view *view, double *v, double *u, double *g) {
  const size_t contact = view->contact_rows, equality = view->equalities;
  scree_status status = hdf5_expect(file, group, HDF5_GROUP);
  if (!status && view->kind == SCREE_PROBLEM_NATIVE)
    status = hdf5_fail(file, group, "belongs to an FCLIB problem; this one has no such form");
  if (!status && v && scree_ccp_velocity_count(p)) status = read_velocity(file, group, p, view, v);
  if (!status && u) {
    if (p->row_count) memset(u, 0, p->row_count * sizeof *u);
    status = read_rows(file, group, "u", view, 0, contact, u);
  }
  if (!status && g) status = read_rows(file, group, "r", view, 0, contact, g);
  if (!status && g && equality) status = read_rows(file, group, "l", view, contact, equality, g);
  return status;
}

static scree_status read_native(const hdf5_file *file, const scree_ccp *p, double *v, double *u,
                                double *g) {
  const size_t n = scree_ccp_velocity_count(p);
  scree_status status = hdf5_expect(file, NATIVE, HDF5_GROUP);
  if (!status && v && n) status = hdf5_read_reals(file, NATIVE "/v", n, v);
  if (!status && u) status = hdf5_read_reals(file, NATIVE "/u", p->row_count, u);
  if (!status && g) status = hdf5_read_reals(file, NATIVE "/g", p->row_count, g);
  return status;
}

scree_status solution_read(const hdf5_file *file, const scree_ccp *p, const problem_view *view,
                           size_t guess, double *v, double *u, double *g) {
  char group[HDF5_PATH] = "/solution";
  hdf5_object object = HDF5_ABSENT;
  size_t guesses = 0;
  scree_status status = guess ? guess_count(file, &guesses) : hdf5_look(file, NATIVE, &object);
  if (!status && guess > guesses)
    status = hdf5_fail(file, "/guesses", "has %zu guesses; there is no guess %zu", guesses, guess);
  if (status) return status;
  if (object != HDF5_ABSENT) return read_native(file, p, v, u, g);
  if (guess) snprintf(group, sizeof group, "/guesses/%zu", guess);
  return read_fclib(file, group, p, view, v, u, g);
}

/* x over the problem's rows: contacts into `contact_name`, equalities into `equality_name`. */
static scree_status write_rows(const hdf5_file *file, const problem_view *view,
                               const char *contact_path, const char *equality_path,
                               const double *x) {
  const size_t rows = view->contact_rows + view->equalities;
  double *sorted = memory_new(file->context, rows, sizeof *sorted);
  if (!sorted) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < rows; i++) sorted[view->row[i]] = x[i];
  scree_status status = hdf5_write_reals(file, contact_path, view->contact_rows, 0, sorted);
  if (!status && equality_path && view->equalities)
    status =
        hdf5_write_reals(file, equality_path, view->equalities, 0, sorted + view->contact_rows);
  memory_free(file->context, sorted);
  return status;
}

static scree_status write_fclib(const hdf5_file *file, const problem_view *view, const double *v,
                                const double *u, const double *g) {
  scree_status status = hdf5_write_group(file, "/solution");
  if (!status && v) {
    double *kept = memory_new(file->context, view->velocity_count, sizeof *kept);
    if (!kept) return SCREE_ERROR_MEMORY;
    for (size_t k = 0; k < view->velocity_count; k++)
      kept[k] = v[view->velocity ? view->velocity[k] : k];
    status = hdf5_write_reals(file, "/solution/v", view->velocity_count, 0, kept);
    memory_free(file->context, kept);
  }
  if (!status) status = write_rows(file, view, "/solution/u", NULL, u);
  if (!status) status = write_rows(file, view, "/solution/r", "/solution/l", g);
  return status;
}

scree_status solution_write(const hdf5_file *file, const scree_ccp *p, const problem_view *view,
                            bool native, const double *v, const double *u, const double *g) {
  const size_t n = scree_ccp_velocity_count(p);
  scree_status status = SCREE_OK;
  if (view->kind != SCREE_PROBLEM_NATIVE) status = write_fclib(file, view, n ? v : NULL, u, g);
  if (status || !native) return status;
  status = hdf5_write_group(file, NATIVE);
  if (!status && n) status = hdf5_write_reals(file, NATIVE "/v", n, 0, v);
  if (!status) status = hdf5_write_reals(file, NATIVE "/u", p->row_count, 0, u);
  if (!status) status = hdf5_write_reals(file, NATIVE "/g", p->row_count, 0, g);
  return status;
}
#endif
