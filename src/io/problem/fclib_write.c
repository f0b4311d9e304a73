/* Writing the FCLIB layout (see problem/fclib_read.c), matrices in compressed columns, and the
 * information that both layouts share. */
#include "io/problem/store.h"

#ifdef SCREE_WITH_HDF5

#include "base/memory.h"
#include "ccp/sets/set.h"

static scree_status write_int(const hdf5_file *file, const char *group, const char *name,
                              size_t value) {
  char path[HDF5_PATH];
  const int32_t number = (int32_t)value;
  return hdf5_write_int32(file, hdf5_join(path, group, name), 1, &number);
}

static scree_status write_indices(const hdf5_file *file, const char *group, const ccp_matrix *m) {
  char path[HDF5_PATH];
  const size_t entries = matrix_entries(m), columns = m->columns;
  int32_t *number =
      memory_new(file->context, entries > columns + 1 ? entries : columns + 1, sizeof *number);
  if (!number) return SCREE_ERROR_MEMORY;
  for (size_t j = 0; j <= columns; j++) number[j] = (int32_t)m->start[j];
  scree_status status = hdf5_write_int32(file, hdf5_join(path, group, "p"), columns + 1, number);
  for (size_t k = 0; k < entries; k++) number[k] = (int32_t)m->index[k];
  if (!status) status = hdf5_write_int32(file, hdf5_join(path, group, "i"), entries, number);
  memory_free(file->context, number);
  return status;
}

static scree_status write_matrix(const hdf5_file *file, const char *problem, const char *name,
                                 const ccp_matrix *m) {
  char group[HDF5_PATH], path[HDF5_PATH];
  const size_t entries = matrix_entries(m);
  const int32_t compressed_columns = -1;
  scree_status status = hdf5_write_group(file, hdf5_join(group, problem, name));
  if (!status) status = write_int(file, group, "m", m->rows);
  if (!status) status = write_int(file, group, "n", m->columns);
  if (!status) status = write_int(file, group, "nzmax", entries);
  if (!status)
    status = hdf5_write_int32(file, hdf5_join(path, group, "nz"), 1, &compressed_columns);
  if (!status) status = write_indices(file, group, m);
  if (!status) status = hdf5_write_reals(file, hdf5_join(path, group, "x"), entries, 0, m->value);
  return status;
}

/* The window of a matrix as FCLIB numbers its rows and columns. */
static scree_status write_part(const hdf5_file *file, const char *problem, const char *name,
                               const ccp_matrix *from, const uint32_t *row_map,
                               const uint32_t *column_map, matrix_window window) {
  ccp_matrix part;
  scree_status status = matrix_part(file->context, from, row_map, column_map, window, &part);
  if (status) return status;
  status = write_matrix(file, problem, name, &part);
  matrix_clear(file->context, &part);
  return status;
}

/* A vector over the problem's rows, in FCLIB's order, cut into contacts and equalities. */
static scree_status write_rows(const hdf5_file *file, const char *group, const problem_view *view,
                               const char *contact_name, const char *equality_name,
                               const double *x) {
  char path[HDF5_PATH];
  const size_t rows = view->contact_rows + view->equalities;
  double *sorted = memory_new(file->context, rows, sizeof *sorted);
  if (!sorted) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < rows; i++) sorted[view->row[i]] = x[i];
  scree_status status =
      hdf5_write_reals(file, hdf5_join(path, group, contact_name), view->contact_rows, 0, sorted);
  if (!status && equality_name && view->equalities)
    status = hdf5_write_reals(file, hdf5_join(path, group, equality_name), view->equalities, 0,
                              sorted + view->contact_rows);
  memory_free(file->context, sorted);
  return status;
}

static scree_status write_friction(const hdf5_file *file, const char *group, const char *name,
                                   const scree_ccp *p, const problem_view *view, bool rolling) {
  char path[HDF5_PATH];
  double *mu = memory_new(file->context, view->contacts, sizeof *mu);
  if (!mu) return SCREE_ERROR_MEMORY;
  size_t n = 0;
  for (size_t i = 0; i < p->block_count; i++) {
    const scree_set *set = ccp_set(p, i);
    if (set_role_of(set) != SET_BILATERAL) mu[n++] = rolling ? set->rolling : set->mu;
  }
  const scree_status status =
      hdf5_write_reals(file, hdf5_join(path, group, name), view->contacts, 0, mu);
  memory_free(file->context, mu);
  return status;
}

static scree_status write_local(const hdf5_file *file, const char *group, const char *vectors,
                                const scree_ccp *p, const problem_view *view) {
  const size_t m = view->contact_rows, all = p->row_count;
  const uint32_t *map = view->row;
  scree_status status = write_part(file, group, "W", &p->w, map, map, (matrix_window){0, m, 0, m});
  if (!status && view->equalities)
    status = write_part(file, group, "V", &p->w, map, map, (matrix_window){0, m, m, all});
  if (!status && view->equalities)
    status = write_part(file, group, "R", &p->w, map, map, (matrix_window){m, all, m, all});
  return status ? status : write_rows(file, vectors, view, "q", "s", p->offset);
}

/* M, H, f and w of a global problem or of one of bodies. */
typedef struct global_parts {
  const ccp_matrix *m, *h;
  const double *f, *w;
} global_parts;

static scree_status write_global(const hdf5_file *file, const char *group, const char *vectors,
                                 const global_parts *parts, const problem_view *view) {
  char path[HDF5_PATH];
  const size_t n = parts->m->rows, m = view->contact_rows, all = parts->h->columns;
  scree_status status = write_matrix(file, group, "M", parts->m);
  if (!status)
    status = write_part(file, group, "H", parts->h, NULL, view->row, (matrix_window){0, n, 0, m});
  if (!status && view->equalities)
    status = write_part(file, group, "G", parts->h, NULL, view->row, (matrix_window){0, n, m, all});
  if (!status) status = hdf5_write_reals(file, hdf5_join(path, vectors, "f"), n, 0, parts->f);
  return status ? status : write_rows(file, vectors, view, "w", "b", parts->w);
}

static scree_status write_bodies(const hdf5_file *file, const char *group, const char *vectors,
                                 const scree_ccp *p, const problem_view *view) {
  view_bodies bodies;
  scree_status status = view_bodies_init(file->context, p, view, &bodies);
  if (status) return status;
  const global_parts parts = {&bodies.m, &bodies.h, bodies.f, bodies.w};
  status = write_global(file, group, vectors, &parts, view);
  view_bodies_clear(file->context, &bodies);
  return status;
}

scree_status fclib_write(const hdf5_file *file, const scree_ccp *p, const problem_view *view) {
  char vectors[HDF5_PATH];
  const char *group = fclib_group(view->kind);
  const bool rolls = view->dimension == 5;
  const global_parts parts = {&p->m, &p->h, p->f, p->offset};
  scree_status status = hdf5_write_group(file, group);
  if (!status)
    status = write_int(file, group, "spacedim", view->contacts ? (size_t)view->dimension : 3);
  if (!status) status = hdf5_write_group(file, hdf5_join(vectors, group, "vectors"));
  if (!status) status = write_friction(file, vectors, "mu", p, view, false);
  if (!status && rolls) status = write_friction(file, vectors, "mu_r", p, view, true);
  if (status) return status;
  switch (p->form) {
  case SCREE_FORM_LOCAL:
    return write_local(file, group, vectors, p, view);
  case SCREE_FORM_GLOBAL:
    return write_global(file, group, vectors, &parts, view);
  case SCREE_FORM_BODIES:
    break;
  }
  return write_bodies(file, group, vectors, p, view);
}

/* ---- information ------------------------------------------------------------------------------
 */

enum { TEXTS = 3 };
static const char *const TEXT[TEXTS] = {"info/title", "info/description", "info/math_info"};

scree_status problem_info_write(const hdf5_file *file, const char *group,
                                const scree_problem_save_def *def) {
  char path[HDF5_PATH];
  const char *text[TEXTS] = {def->title, def->description, def->math_info};
  scree_status status = hdf5_write_group(file, hdf5_join(path, group, "info"));
  for (int k = 0; !status && k < TEXTS; k++)
    status = hdf5_write_string(file, hdf5_join(path, group, TEXT[k]), text[k] ? text[k] : "");
  return status;
}

scree_status problem_info_read(const hdf5_file *file, const char *group, scree_problem_info *info) {
  char path[HDF5_PATH];
  char **text[TEXTS] = {&info->title, &info->description, &info->math_info};
  for (int k = 0; k < TEXTS; k++) {
    hdf5_object object;
    scree_status status = hdf5_look(file, hdf5_join(path, group, TEXT[k]), &object);
    if (!status && object != HDF5_ABSENT) status = hdf5_load_string(file, path, text[k]);
    if (status) return status;
    if (!*text[k] && !(*text[k] = memory_new(file->context, 1, 1))) return SCREE_ERROR_MEMORY;
  }
  return SCREE_OK;
}
#endif
