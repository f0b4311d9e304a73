/* Reading the FCLIB layout:
 *
 *   /fclib_local[_rolling]    W [V R]   vectors/q mu [s] [mu_r]     u = W r + V l + q, V'r + R l +
 * s = 0 /fclib_global[_rolling]   M H [G]   vectors/f w mu [b] [mu_r]   M v = f + H r + G l, u =
 * H'v + w, G'v + b = 0 a matrix                  m n nz nzmax p i x nz = -1  compressed columns: p
 * (n + 1) starts, i rows nz = -2  compressed rows:    p (m + 1) starts, i columns nz >= 0 triplets:
 * i rows, p columns, as CSparse has it
 *
 * Lengths of vectors are bounded by what is stored in the file; matrices must agree with them, and
 * are looked at only then, so that no claimed size can ask for memory. */
#include "io/problem/store.h"

#ifdef SCREE_WITH_HDF5
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static const char *const GROUP[] = {
    [SCREE_PROBLEM_LOCAL] = "/fclib_local",
    [SCREE_PROBLEM_GLOBAL] = "/fclib_global",
    [SCREE_PROBLEM_LOCAL_ROLLING] = "/fclib_local_rolling",
    [SCREE_PROBLEM_GLOBAL_ROLLING] = "/fclib_global_rolling",
    [SCREE_PROBLEM_NATIVE] = NULL,
};

const char *fclib_group(scree_problem_kind kind) {
  return GROUP[kind];
}

scree_status fclib_find(const hdf5_file *file, scree_problem_kind *kind) {
  *kind = SCREE_PROBLEM_NATIVE;
  for (int k = 0; k < SCREE_PROBLEM_NATIVE; k++) {
    hdf5_object object;
    const scree_status status = hdf5_look(file, GROUP[k], &object);
    if (status) return status;
    if (object == HDF5_ABSENT) continue;
    if (object != HDF5_GROUP) return hdf5_fail(file, GROUP[k], "is not a group");
    if (*kind != SCREE_PROBLEM_NATIVE)
      return hdf5_fail(file, GROUP[k], "stands beside %s; one problem a file is allowed",
                       GROUP[*kind]);
    *kind = (scree_problem_kind)k;
  }
  return SCREE_OK;
}

scree_status problem_blame(const hdf5_file *file, const char *path, scree_status status) {
  char message[CONTEXT_MESSAGE_SIZE];
  snprintf(message, sizeof message, "%s", file->context->message);
  return context_fail(file->context, status, "%s: %s: %s", file->name, path, message);
}

/* Where a matrix goes: its place in the problem's matrix, and whether transposed. */
typedef struct placing {
  size_t rows, columns; /* expected */
  size_t row, column;   /* of its upper left corner */
  bool transposed;
} placing;

typedef struct stored_matrix {
  int64_t nz, nzmax;
  size_t entries;
  uint32_t *p, *i;
  double *x;
} stored_matrix;

static void stored_clear(scree_context *context, stored_matrix *s) {
  memory_free(context, s->p);
  memory_free(context, s->i);
  memory_free(context, s->x);
}

static scree_status read_sizes(const hdf5_file *file, const char *group, const placing *where,
                               stored_matrix *s) {
  char path[HDF5_PATH];
  int64_t m, n;
  scree_status status = hdf5_expect(file, group, HDF5_GROUP);
  if (status || (status = hdf5_read_integer(file, hdf5_join(path, group, "m"), 0, INT32_MAX, &m)) ||
      (status = hdf5_read_integer(file, hdf5_join(path, group, "n"), 0, INT32_MAX, &n)) ||
      (status = hdf5_read_integer(file, hdf5_join(path, group, "nz"), -2, INT32_MAX, &s->nz)) ||
      (status = hdf5_read_integer(file, hdf5_join(path, group, "nzmax"), 0, INT32_MAX, &s->nzmax)))
    return status;
  if ((size_t)m != where->rows || (size_t)n != where->columns)
    return hdf5_fail(file, group, "is %lld x %lld; %zu x %zu is expected from the vectors",
                     (long long)m, (long long)n, where->rows, where->columns);
  return SCREE_OK;
}

/* Starts of compressed columns or rows: from 0, never down, the last is the number of entries. */
static scree_status read_starts(const hdf5_file *file, const char *group, size_t lines,
                                stored_matrix *s) {
  char path[HDF5_PATH];
  scree_status status =
      hdf5_load_indices(file, hdf5_join(path, group, "p"), lines + 1, lines + 1, s->nzmax, &s->p);
  if (status) return status;
  if (s->p[0] != 0) return hdf5_fail(file, path, "begins with %u; 0 is expected", s->p[0]);
  for (size_t k = 0; k < lines; k++)
    if (s->p[k + 1] < s->p[k])
      return hdf5_fail(file, path, "element %zu is %u after %u; the starts must not descend", k + 1,
                       s->p[k + 1], s->p[k]);
  s->entries = s->p[lines];
  return SCREE_OK;
}

/* libfclib stores nzmax indices and values of a compressed matrix, of which p may use fewer, and nz
 * of a triplet one. */
static scree_status read_entries(const hdf5_file *file, const char *group, const placing *where,
                                 stored_matrix *s) {
  char path[HDF5_PATH];
  const bool by_rows = s->nz == -2, is_triplet = s->nz >= 0;
  const size_t lines = by_rows ? where->rows : where->columns;
  const size_t other = by_rows ? where->columns : where->rows;
  size_t stored = (size_t)s->nzmax;
  scree_status status = SCREE_OK;
  if (is_triplet) {
    stored = s->entries = (size_t)s->nz;
    if (s->nz > s->nzmax)
      return hdf5_fail(file, group, "has nz = %lld above nzmax = %lld", (long long)s->nz,
                       (long long)s->nzmax);
    status = hdf5_load_indices(file, hdf5_join(path, group, "p"), stored, stored,
                               (int64_t)where->columns - 1, &s->p);
  } else {
    status = read_starts(file, group, lines, s);
  }
  if (!status)
    status = hdf5_load_indices(file, hdf5_join(path, group, "i"), stored, s->entries,
                               (int64_t)other - 1, &s->i);
  if (!status)
    status = hdf5_load_reals(file, hdf5_join(path, group, "x"), stored, s->entries, &s->x);
  return status;
}

static void place_entry(triplets *t, const placing *where, size_t row, size_t column,
                        double value) {
  if (where->transposed)
    triplets_push(t, where->row + column, where->column + row, value);
  else
    triplets_push(t, where->row + row, where->column + column, value);
}

static void place_entries(triplets *t, const placing *where, const stored_matrix *s) {
  if (s->nz >= 0) {
    for (size_t k = 0; k < s->entries; k++) place_entry(t, where, s->i[k], s->p[k], s->x[k]);
    return;
  }
  const size_t lines = s->nz == -2 ? where->rows : where->columns;
  for (size_t line = 0; line < lines; line++)
    for (size_t k = s->p[line]; k < s->p[line + 1]; k++)
      place_entry(t, where, s->nz == -2 ? line : s->i[k], s->nz == -2 ? s->i[k] : line, s->x[k]);
}

static scree_status read_matrix(const hdf5_file *file, const char *problem, const char *name,
                                placing where, triplets *t) {
  char group[HDF5_PATH];
  stored_matrix s = {0};
  hdf5_join(group, problem, name);
  scree_status status = read_sizes(file, group, &where, &s);
  if (!status) status = read_entries(file, group, &where, &s);
  if (!status) status = triplets_reserve(t, s.entries);
  if (!status) place_entries(t, &where, &s);
  stored_clear(file->context, &s);
  return status;
}

/* ---- the problem ------------------------------------------------------------------------------
 */

/* What both kinds have in common, read first: it bounds everything else. */
typedef struct frame {
  const char *group;
  bool rolls;
  size_t dimension, contacts, equalities, rows, blocks;
  size_t velocities; /* global */
  double *offset;    /* q then s, or w then b */
  scree_set *sets;
} frame;

static const char *vector_path(char *path, const frame *f, const char *name) {
  char vectors[HDF5_PATH];
  hdf5_join(vectors, f->group, "vectors");
  return hdf5_join(path, vectors, name);
}

static scree_status read_dimension(const hdf5_file *file, frame *f) {
  char path[HDF5_PATH];
  int64_t dimension = 0;
  const scree_status status = hdf5_read_integer(file, hdf5_join(path, f->group, "spacedim"),
                                                f->rolls ? 5 : 2, f->rolls ? 5 : 3, &dimension);
  f->dimension = (size_t)dimension;
  return status;
}

static scree_status is_there(const hdf5_file *file, const char *path, bool *there) {
  hdf5_object object;
  const scree_status status = hdf5_look(file, path, &object);
  *there = object != HDF5_ABSENT;
  return status;
}

/* Equality rows: when one of `names` is there, all of them must be; the last is their vector. */
static scree_status count_equalities(const hdf5_file *file, frame *f, const char *const *names,
                                     size_t count) {
  char path[HDF5_PATH];
  bool any = false, there = false;
  for (size_t k = 0; k < count; k++) {
    hdf5_join(path, f->group, names[k]);
    const scree_status status = is_there(file, path, &there);
    if (status) return status;
    any = any || there;
  }
  if (!any) return SCREE_OK;
  for (size_t k = 0; k < count; k++) {
    hdf5_join(path, f->group, names[k]);
    scree_status status = is_there(file, path, &there);
    if (status) return status;
    if (!there)
      return hdf5_fail(file, path, "is missing; equality rows need all of %s, %s%s%s", names[0],
                       names[1], count > 2 ? ", " : "", count > 2 ? names[2] : "");
  }
  return hdf5_count(file, path, &f->equalities);
}

static scree_status read_friction(const hdf5_file *file, const frame *f, const char *name,
                                  double **out) {
  char path[HDF5_PATH];
  scree_status status =
      hdf5_load_reals(file, vector_path(path, f, name), f->contacts, f->contacts, out);
  for (size_t i = 0; !status && i < f->contacts; i++)
    if ((*out)[i] < 0.0) {
      status = hdf5_fail(file, path, "element %zu is %g; it must not be negative", i, (*out)[i]);
      memory_free(file->context, *out);
      *out = NULL;
    }
  return status;
}

static scree_status read_sets(const hdf5_file *file, frame *f) {
  scree_context *context = file->context;
  double *mu = NULL, *mu_r = NULL;
  scree_status status = read_friction(file, f, "mu", &mu);
  if (!status && f->rolls) status = read_friction(file, f, "mu_r", &mu_r);
  if (!status) f->sets = memory_new(context, f->blocks, sizeof *f->sets);
  if (!status && !f->sets) status = SCREE_ERROR_MEMORY;
  for (size_t i = 0; !status && i < f->blocks; i++) {
    if (i >= f->contacts)
      f->sets[i] = scree_set_free(1);
    else if (f->rolls)
      f->sets[i] = scree_set_rolling(5, mu[i], mu_r[i], 0.0);
    else
      f->sets[i] = scree_set_coulomb((int)f->dimension, mu[i]);
  }
  memory_free(context, mu);
  memory_free(context, mu_r);
  return status;
}

/* Everything but the matrices; `offset` and `equality` are the names of their vectors. */
static scree_status read_frame(const hdf5_file *file, frame *f, const char *offset,
                               const char *equality) {
  char path[HDF5_PATH];
  size_t contact_rows = 0;
  scree_status status = read_dimension(file, f);
  if (!status) status = hdf5_count(file, vector_path(path, f, offset), &contact_rows);
  if (status) return status;
  if (contact_rows % f->dimension)
    return hdf5_fail(file, path, "has %zu elements; a multiple of spacedim = %zu is expected",
                     contact_rows, f->dimension);
  f->contacts = contact_rows / f->dimension;
  f->blocks = f->contacts + f->equalities;
  f->rows = contact_rows + f->equalities;
  if (f->rows > INT32_MAX)
    return hdf5_fail(file, path, "makes %zu rows; %d are allowed", f->rows, INT32_MAX);
  double *part = NULL, *rest = NULL;
  status = hdf5_load_reals(file, path, contact_rows, contact_rows, &part);
  if (!status && f->equalities)
    status =
        hdf5_load_reals(file, vector_path(path, f, equality), f->equalities, f->equalities, &rest);
  if (!status && !(f->offset = memory_new(file->context, f->rows, sizeof *f->offset)))
    status = SCREE_ERROR_MEMORY;
  if (!status && contact_rows) memcpy(f->offset, part, contact_rows * sizeof *part);
  if (!status && f->equalities)
    memcpy(f->offset + contact_rows, rest, f->equalities * sizeof *rest);
  memory_free(file->context, part);
  memory_free(file->context, rest);
  return status ? status : read_sets(file, f);
}

static void frame_clear(scree_context *context, frame *f) {
  memory_free(context, f->offset);
  memory_free(context, f->sets);
}

static scree_status read_local(const hdf5_file *file, frame *f, scree_ccp **problem) {
  static const char *const EQUALITY[] = {"V", "R", "vectors/s"};
  scree_context *context = file->context;
  triplets t = {.context = context};
  ccp_matrix w = {0};
  scree_status status = count_equalities(file, f, EQUALITY, 3);
  if (!status) status = read_frame(file, f, "q", "s");
  const size_t p = f->equalities, m = f->rows - p;
  if (!status) status = read_matrix(file, f->group, "W", (placing){m, m, 0, 0, false}, &t);
  if (!status && p) {
    if ((status = read_matrix(file, f->group, "V", (placing){m, p, 0, m, false}, &t)) == SCREE_OK &&
        (status = read_matrix(file, f->group, "V", (placing){m, p, m, 0, true}, &t)) == SCREE_OK)
      status = read_matrix(file, f->group, "R", (placing){p, p, m, m, false}, &t);
  }
  if (!status) status = triplets_compress(&t, f->rows, f->rows, &w);
  triplets_clear(&t);
  if (!status) {
    const scree_csc csc = matrix_csc(&w);
    status = scree_ccp_create_local(context, f->blocks, f->sets, &csc, f->offset, NULL, problem);
    if (status) status = problem_blame(file, f->group, status);
  }
  matrix_clear(context, &w);
  return status;
}

static scree_status read_global_matrices(const hdf5_file *file, const frame *f, ccp_matrix *mass,
                                         ccp_matrix *h) {
  const size_t n = f->velocities, p = f->equalities, m = f->rows - p;
  triplets t = {.context = file->context};
  scree_status status = read_matrix(file, f->group, "M", (placing){n, n, 0, 0, false}, &t);
  if (!status) status = triplets_compress(&t, n, n, mass);
  t.count = 0;
  if (!status) status = read_matrix(file, f->group, "H", (placing){n, m, 0, 0, false}, &t);
  if (!status && p) status = read_matrix(file, f->group, "G", (placing){n, p, 0, m, false}, &t);
  if (!status) status = triplets_compress(&t, n, f->rows, h);
  triplets_clear(&t);
  return status;
}

static scree_status read_global(const hdf5_file *file, frame *f, scree_ccp **problem) {
  static const char *const EQUALITY[] = {"G", "vectors/b"};
  scree_context *context = file->context;
  char path[HDF5_PATH];
  ccp_matrix mass = {0}, h = {0};
  double *force = NULL;
  scree_status status = count_equalities(file, f, EQUALITY, 2);
  if (!status) status = read_frame(file, f, "w", "b");
  if (!status) status = hdf5_count(file, vector_path(path, f, "f"), &f->velocities);
  if (!status && f->velocities > INT32_MAX)
    status = hdf5_fail(file, path, "has %zu elements; %d are allowed", f->velocities, INT32_MAX);
  if (!status) status = hdf5_load_reals(file, path, f->velocities, f->velocities, &force);
  if (!status) status = read_global_matrices(file, f, &mass, &h);
  if (!status) {
    const scree_csc csc_m = matrix_csc(&mass), csc_h = matrix_csc(&h);
    status = scree_ccp_create_global(context, f->blocks, f->sets, &csc_m, &csc_h, force, f->offset,
                                     NULL, problem);
    if (status) status = problem_blame(file, f->group, status);
  }
  memory_free(context, force);
  matrix_clear(context, &mass);
  matrix_clear(context, &h);
  return status;
}

scree_status fclib_read(const hdf5_file *file, scree_problem_kind kind, scree_ccp **problem) {
  frame f = {.group = GROUP[kind],
             .rolls = kind == SCREE_PROBLEM_LOCAL_ROLLING || kind == SCREE_PROBLEM_GLOBAL_ROLLING};
  const bool local = kind == SCREE_PROBLEM_LOCAL || kind == SCREE_PROBLEM_LOCAL_ROLLING;
  const scree_status status =
      local ? read_local(file, &f, problem) : read_global(file, &f, problem);
  frame_clear(file->context, &f);
  return status;
}
#endif
