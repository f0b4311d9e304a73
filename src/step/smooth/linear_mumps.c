/* `mumps`: the multifrontal solver MUMPS (Amestoy, Duff, L'Excellent, Koster 2001) in its
 * sequential form: Cholesky where there are no joints and the matrix is symmetric and positive
 * definite, LDL' with 2 x 2 pivots where it is symmetric, LU else, with pivoting across fronts and
 * null pivots detected. Nothing is added to the matrix, so that it judges
 * `direct` from outside.
 *
 * Null vectors of the matrix are (0, y) with D y = 0 and C y = 0: what the rows that depend on
 * others may carry among themselves. MUMPS gives a basis Y of them; the multipliers of least norm
 * |l|^2 = sum l_j'P_j l_j (kkt_joint_norm) are l - Y (Y'P Y)^-1 Y'P l.
 *
 * The library is opened at the first use, not linked: it brings stand-ins of MPI with the names of
 * the real one, which a program that links both would get. Its calls are serialised, as it keeps
 * state of its own; its memory is not the context's. */
#include <math.h>
#include <string.h>

#include "step/smooth/linear.h"

#ifdef SCREE_WITH_MUMPS
#include <dlfcn.h>
#include <dmumps_c.h>
#include <pthread.h>

#include "math/dense.h"

enum { SIDES = 3, CORRECTIONS = 6, ROOM_ROUNDS = 8 };
enum { GENERAL, POSITIVE, SYMMETRIC };     /* as MUMPS numbers them */
static const size_t most_basis = 50000000; /* entries */
static const double enough = 1e-14;
static const int not_positive = -40, singular = -10; /* MUMPS' codes */

/* ---- the library ---------------------------------------------------------------------------- */

/* Sanitizers end a program that opens a library in the way below. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void (*call)(DMUMPS_STRUC_C *);

static void open_library(void) {
#if defined(SANITIZED) || !defined(RTLD_DEEPBIND)
  const int flags = RTLD_NOW | RTLD_LOCAL;
#else
  const int flags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND; /* its own stand-ins, not a host's MPI */
#endif
  dense_library_ready();
  void *library = dlopen(SCREE_MUMPS_LIBRARY, flags);
  void *symbol = library ? dlsym(library, "dmumps_c") : NULL;
  memcpy(&call, &symbol, sizeof call);
}

static void run(DMUMPS_STRUC_C *m, int job) {
  pthread_mutex_lock(&lock);
  m->job = job;
  call(m);
  pthread_mutex_unlock(&lock);
}

/* ---- a factorisation ------------------------------------------------------------------------ */

typedef struct side { /* of one kind of matrices */
  DMUMPS_STRUC_C library;
  bool open;
  uint64_t pattern;
  int *row, *column;
  double *value;
  size_t count;
} side;

typedef struct mumps {
  scree_context *context;
  side side[SIDES];
  side *now;
  double *basis; /* of null vectors: `idle` of them, an entry per row of joints, P-orthonormal */
  double *norm;  /* P_j of all joints */
  double *right, *rest, *room;
  size_t idle;
} mumps;

static void close_side(scree_context *context, side *s) {
  if (s->open) run(&s->library, -2);
  memory_free(context, s->row);
  memory_free(context, s->column);
  memory_free(context, s->value);
  memset(s, 0, sizeof *s);
}

static void destroy(void *self) {
  mumps *d = self;
  for (int k = 0; k < SIDES; k++) close_side(d->context, &d->side[k]);
  memory_free(d->context, d->basis);
  memory_free(d->context, d->norm);
  memory_free(d->context, d->right);
  memory_free(d->context, d->rest);
  memory_free(d->context, d->room);
  memory_free(d->context, d);
}

static scree_status create(scree_context *context, void **self) {
  pthread_once(&once, open_library);
  if (!call)
    return context_fail(context, SCREE_ERROR_UNSUPPORTED,
                        "linear solver mumps: " SCREE_MUMPS_LIBRARY " cannot be opened; install "
                        "the Debian package libmumps-seq-dev, or take 'direct'");
  mumps *d = memory_new(context, 1, sizeof *d);
  if (!d) return SCREE_ERROR_MEMORY;
  d->context = context;
  *self = d;
  return SCREE_OK;
}

static scree_status failed(const mumps *d, const char *what) {
  const int code = d->now->library.infog[0], more = d->now->library.infog[1];
  if (code == -13 || code == -7)
    return context_fail(d->context, SCREE_ERROR_MEMORY, "linear solver mumps: no memory for %s",
                        what);
  return context_fail(d->context, SCREE_ERROR_NUMERIC,
                      "linear solver mumps: %s failed with code %d (%d); take 'direct'", what, code,
                      more);
}

/* Scalar entries, counted from 1; of a symmetric matrix the lower half. The places are those of an
 * earlier call with the same pattern, the values are new. */
static size_t list_entries(const kkt_matrix *m, bool half, int *row, int *column, double *value) {
  size_t count = 0;
  for (uint32_t i = 0; i < m->nodes; i++)
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++) {
      const uint32_t j = m->neighbour[k];
      if (half && j > i) break;
      const double *block = m->value + m->offset[k];
      for (uint32_t r = 0; r < m->rows[i]; r++)
        for (uint32_t c = 0; c < m->rows[j]; c++) {
          if (half && i == j && c > r) break;
          if (row) row[count] = (int)(m->first[i] + r) + 1;
          if (column) column[count] = (int)(m->first[j] + c) + 1;
          if (value) value[count] = block[r * m->rows[j] + c];
          count++;
        }
    }
  return count;
}

static scree_status analyse(mumps *d, const kkt_matrix *m, int kind) {
  const bool symmetric = kind != GENERAL;
  side *s = d->now;
  DMUMPS_STRUC_C *l = &s->library;
  s->count = list_entries(m, symmetric, NULL, NULL, NULL);
  if (m->size > INT32_MAX)
    return context_fail(d->context, SCREE_ERROR_UNSUPPORTED,
                        "linear solver mumps: more than 2^31 unknowns");
  if (memory_grow(d->context, &s->row, s->count + 1, sizeof *s->row) ||
      memory_grow(d->context, &s->column, s->count + 1, sizeof *s->column) ||
      memory_grow(d->context, &s->value, s->count + 1, sizeof *s->value))
    return SCREE_ERROR_MEMORY;
  if (!s->open) {
    l->sym = kind;
    l->par = 1;
    l->comm_fortran = -987654; /* the stand-in of all processes */
    run(l, -1);
    if (l->infog[0] < 0) return failed(d, "its start");
    s->open = true;
  }
  list_entries(m, symmetric, s->row, s->column, s->value);
  l->n = (int)m->size;
  l->nnz = (MUMPS_INT8)s->count;
  l->irn = s->row;
  l->jcn = s->column;
  l->a = s->value;
  for (int k = 0; k < 4; k++) l->icntl[k] = k < 3 ? -1 : 0; /* nothing is printed */
  l->icntl[12] = 1;                                         /* the root, too, on one process */
  l->icntl[23] = kind != POSITIVE;                          /* null pivots are looked for, */
  l->icntl[11] = 1;   /* pairs chosen before hand lose rank where rows depend on each other */
  l->cntl[2] = 1e-11; /* below this part of the matrix */
  run(l, 1);
  if (l->infog[0] < 0) return failed(d, "the analysis");
  s->pattern = m->pattern;
  return SCREE_OK;
}

static scree_status analyse_and_factorise(mumps *d, const kkt_matrix *m, int kind) {
  d->now = &d->side[kind];
  DMUMPS_STRUC_C *l = &d->now->library;
  if (!d->now->open || d->now->pattern != m->pattern) {
    const scree_status status = analyse(d, m, kind);
    if (status) return status;
  }
  list_entries(m, kind != GENERAL, NULL, NULL, d->now->value);
  for (int round = 0; round < ROOM_ROUNDS; round++) {
    run(l, 2);
    const int code = l->infog[0];
    if (code != -8 && code != -9 && code != -11 && code != -12 && code != -14 && code != -15) break;
    l->icntl[13] *= 2; /* more room than the analysis estimated */
  }
  if (kind == POSITIVE && (l->infog[0] == not_positive || l->infog[0] == singular))
    return analyse_and_factorise(d, m, SYMMETRIC);
  return l->infog[0] < 0 ? failed(d, "the factorisation") : SCREE_OK;
}

/* ---- null vectors --------------------------------------------------------------------------- */

/* y = P x over the rows of joints. */
static void weigh(const mumps *d, const kkt_matrix *m, const double *x, double *y) {
  const size_t base = m->first[m->bodies];
  for (uint32_t i = (uint32_t)m->bodies; i < m->nodes; i++) {
    const size_t rows = m->rows[i], at = m->first[i] - base;
    const double *block = d->norm + (i - m->bodies) * KKT_MOST_ROWS * KKT_MOST_ROWS;
    for (size_t r = 0; r < rows; r++) {
      y[at + r] = 0.0;
      for (size_t c = 0; c < rows; c++) y[at + r] += block[r * rows + c] * x[at + c];
    }
  }
}

/* Takes from x its part along the first `count` vectors, twice. */
static void take_out(const mumps *d, const kkt_matrix *m, size_t count, double *x) {
  const size_t n = m->size - m->first[m->bodies];
  for (int twice = 0; twice < 2 && count; twice++)
    for (size_t k = 0; k < count; k++) {
      const double *y = d->basis + k * n;
      double part = 0.0;
      weigh(d, m, x, d->room);
      for (size_t i = 0; i < n; i++) part += y[i] * d->room[i];
      for (size_t i = 0; i < n; i++) x[i] -= part * y[i];
    }
}

/* Is D y zero up to the rounding of its terms? */
static bool is_null(const kkt_matrix *m, const double *x) {
  double most = 0.0, worst = 0.0;
  for (uint32_t i = 0; i < m->bodies; i++)
    for (uint32_t r = 0; r < m->rows[i]; r++) {
      double sum = 0.0;
      for (size_t k = m->start[i]; k < m->start[i + 1]; k++) {
        const uint32_t j = m->neighbour[k];
        if (j < m->bodies) continue;
        const double *row = m->value + m->offset[k] + (size_t)r * m->rows[j];
        for (uint32_t c = 0; c < m->rows[j]; c++) {
          sum += row[c] * x[m->first[j] + c];
          most = fmax(most, fabs(row[c] * x[m->first[j] + c]));
        }
      }
      worst = fmax(worst, fabs(sum));
    }
  return worst <= 1e-6 * most;
}

static scree_status find_null_vectors(mumps *d, const kkt_matrix *m) {
  DMUMPS_STRUC_C *l = &d->now->library;
  const size_t base = m->first[m->bodies], n = m->size - base, idle = (size_t)l->infog[27];
  d->idle = 0;
  if (!idle || d->now == &d->side[POSITIVE]) return SCREE_OK;
  if (idle * m->size > most_basis)
    return context_fail(d->context, SCREE_ERROR_UNSUPPORTED,
                        "linear solver mumps: %zu of %zu rows depend on others, too many to find "
                        "the multipliers of least norm; take 'direct'",
                        idle, n);
  if (memory_grow(d->context, &d->basis, idle * m->size, sizeof(double)) ||
      memory_grow(d->context, &d->norm, (m->nodes - m->bodies) * KKT_MOST_ROWS * KKT_MOST_ROWS,
                  sizeof(double)))
    return SCREE_ERROR_MEMORY;
  memset(d->basis, 0, idle * m->size * sizeof(double));
  l->rhs = d->basis;
  l->nrhs = (int)idle;
  l->lrhs = (int)m->size;
  l->icntl[24] = -1;
  run(l, 3);
  l->icntl[24] = 0;
  l->nrhs = 1;
  if (l->infog[0] < 0) return failed(d, "the search for null vectors");
  for (uint32_t i = (uint32_t)m->bodies; i < m->nodes; i++)
    kkt_joint_norm(m, i, d->norm + (i - m->bodies) * KKT_MOST_ROWS * KKT_MOST_ROWS);
  for (size_t k = 0; k < idle; k++)
    if (!is_null(m, d->basis + k * m->size))
      return context_fail(d->context, SCREE_ERROR_NUMERIC,
                          "linear solver mumps: a vector that it calls null is none; take "
                          "'direct'");
  for (size_t k = 0; k < idle; k++) {
    double *y = d->basis + d->idle * n, size = 0.0, before = 0.0;
    memmove(y, d->basis + k * m->size + base, n * sizeof *y);
    weigh(d, m, y, d->room);
    for (size_t i = 0; i < n; i++) before += y[i] * d->room[i];
    take_out(d, m, d->idle, y);
    weigh(d, m, y, d->room);
    for (size_t i = 0; i < n; i++) size += y[i] * d->room[i];
    if (!(size > 1e-20 * before)) continue; /* nothing new */
    for (size_t i = 0; i < n; i++) y[i] /= sqrt(size);
    d->idle++;
  }
  return SCREE_OK;
}

static scree_status prepare(void *self, const kkt_matrix *m) {
  mumps *d = self;
  if (memory_grow(d->context, &d->right, m->size + 1, sizeof *d->right) ||
      memory_grow(d->context, &d->rest, m->size + 1, sizeof *d->rest) ||
      memory_grow(d->context, &d->room, m->size + 1, sizeof *d->room))
    return SCREE_ERROR_MEMORY;
  d->now = &d->side[GENERAL];
  if (!m->size) return SCREE_OK;
  const int kind = !kkt_symmetric(m, 1e-14) ? GENERAL : m->nodes > m->bodies ? SYMMETRIC : POSITIVE;
  const scree_status status = analyse_and_factorise(d, m, kind);
  return status ? status : find_null_vectors(d, m);
}

static scree_status solve(void *self, const kkt_matrix *m, double *x, double *residual) {
  mumps *d = self;
  DMUMPS_STRUC_C *l = &d->now->library;
  const size_t n = m->size;
  double last = INFINITY;
  *residual = 0.0;
  if (!n) return SCREE_OK;
  memcpy(d->right, x, n * sizeof *x);
  memcpy(d->rest, x, n * sizeof *x);
  memset(x, 0, n * sizeof *x);
  for (int k = 0; k < CORRECTIONS; k++) {
    l->rhs = d->rest;
    l->nrhs = 1;
    l->lrhs = (int)n;
    run(l, 3);
    if (l->infog[0] < 0) return failed(d, "a solution");
    for (size_t i = 0; i < n; i++) x[i] += d->rest[i];
    take_out(d, m, d->idle, x + m->first[m->bodies]);
    *residual = kkt_residual(m, d->right, x, d->rest);
    if (!isfinite(*residual) || *residual <= enough || *residual > 0.5 * last) break;
    last = *residual;
  }
  return SCREE_OK;
}

#else

static void destroy(void *self) {
  (void)self;
}
static scree_status create(scree_context *context, void **self) {
  *self = NULL;
  return context_fail(context, SCREE_ERROR_UNSUPPORTED,
                      "linear solver mumps: this build is without MUMPS; take 'direct'");
}
static scree_status prepare(void *self, const kkt_matrix *m) {
  (void)self, (void)m;
  return SCREE_ERROR_UNSUPPORTED;
}
static scree_status solve(void *self, const kkt_matrix *m, double *x, double *residual) {
  (void)self, (void)m, (void)x, (void)residual;
  return SCREE_ERROR_UNSUPPORTED;
}

#endif

const linear_class linear_mumps = {
    .name = "mumps",
    .summary = "MUMPS, sequential; an independent judge, for large systems",
    .large = true,
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .solve = solve,
};
