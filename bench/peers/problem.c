/* See problem.h. E is |r - P(r - û)| over the largest of |q|, |r|, |u|; a global problem adds its
 * equilibrium error |f + H r - M v| over the largest term. û_n = u_n + mu |u_T| + mu_r |w_T|. */
#include "problem.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *read_array(hid_t group, const char *name, hid_t type, size_t size, long expected) {
  hsize_t extent[2] = {0, 1};
  int rank = 0;
  if (!H5LTfind_dataset(group, name)) return NULL;
  if (H5LTget_dataset_ndims(group, name, &rank) < 0 || rank < 1 || rank > 2) return NULL;
  if (H5LTget_dataset_info(group, name, extent, NULL, NULL) < 0) return NULL;
  const hsize_t count = extent[0] * (rank == 2 ? extent[1] : 1);
  if (expected >= 0 && count < (hsize_t)expected) return NULL;
  void *data = calloc(count + 1, size);
  if (data && H5LTread_dataset(group, name, type, data) < 0) {
    free(data);
    return NULL;
  }
  return data;
}

static double *read_reals(hid_t group, const char *name, long expected) {
  return read_array(group, name, H5T_NATIVE_DOUBLE, sizeof(double), expected);
}

static bool read_whole(hid_t group, const char *name, int *out) {
  int *a = read_array(group, name, H5T_NATIVE_INT, sizeof(int), 1);
  if (a) *out = a[0];
  free(a);
  return a != NULL;
}

static bool read_matrix(hid_t parent, const char *name, matrix *a) {
  if (H5Lexists(parent, name, H5P_DEFAULT) <= 0) return false;
  const hid_t group = H5Gopen2(parent, name, H5P_DEFAULT);
  int nz = 0;
  bool ok = read_whole(group, "m", &a->rows) && read_whole(group, "n", &a->columns) &&
            read_whole(group, "nz", &nz) && nz == -1 && a->rows > 0 && a->columns > 0;
  if (ok) {
    a->start = read_array(group, "p", H5T_NATIVE_INT, sizeof(int), a->columns + 1);
    const long entries = a->start ? a->start[a->columns] : -1;
    a->row = entries < 0 ? NULL : read_array(group, "i", H5T_NATIVE_INT, sizeof(int), entries);
    a->value = entries < 0 ? NULL : read_reals(group, "x", entries);
    ok = a->start && a->row && a->value;
  }
  H5Gclose(group);
  return ok;
}

static bool read_group(hid_t group, problem *p) {
  if (!read_whole(group, "spacedim", &p->dim)) return false;
  bool ok = read_matrix(group, p->global ? "M" : "W", &p->w_or_m);
  if (ok && p->global) ok = read_matrix(group, "H", &p->h);
  if (!ok) return false;
  p->rows = p->global ? p->h.columns : p->w_or_m.rows;
  p->freedoms = p->global ? p->w_or_m.rows : 0;
  p->dim = p->rolling ? 5 : p->dim;
  p->contacts = p->rows / p->dim;
  const hid_t vectors = H5Gopen2(group, "vectors", H5P_DEFAULT);
  if (vectors < 0) return false;
  p->q_or_f = read_reals(vectors, p->global ? "f" : "q", p->global ? p->freedoms : p->rows);
  p->w = p->global ? read_reals(vectors, "w", p->rows) : NULL;
  p->mu = read_reals(vectors, "mu", p->contacts);
  p->mu_rolling = p->rolling ? read_reals(vectors, "mu_r", p->contacts) : NULL;
  H5Gclose(vectors);
  return p->q_or_f && p->mu && (!p->global || p->w) && (!p->rolling || p->mu_rolling) &&
         p->dim * p->contacts == p->rows && (p->dim == 3 || p->dim == 5);
}

bool problem_read(const char *path, problem *p) {
  static const struct {
    const char *group;
    bool global, rolling;
  } kinds[] = {{"fclib_local", false, false},
               {"fclib_global", true, false},
               {"fclib_local_rolling", false, true},
               {"fclib_global_rolling", true, true}};
  memset(p, 0, sizeof *p);
  const char *slash = strrchr(path, '/');
  snprintf(p->name, sizeof p->name, "%s", slash ? slash + 1 : path);
  char *dot = strrchr(p->name, '.');
  if (dot) *dot = '\0';
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  bool ok = false;
  for (size_t k = 0; file >= 0 && k < sizeof kinds / sizeof kinds[0]; k++) {
    if (H5Lexists(file, kinds[k].group, H5P_DEFAULT) <= 0) continue;
    const hid_t group = H5Gopen2(file, kinds[k].group, H5P_DEFAULT);
    p->global = kinds[k].global;
    p->rolling = kinds[k].rolling;
    ok = read_group(group, p);
    H5Gclose(group);
    break;
  }
  if (file >= 0) H5Fclose(file);
  if (!ok) {
    fprintf(stderr, "%s: left out (no 3-D or rolling problem in compressed columns)\n", path);
    problem_clear(p);
  }
  return ok;
}

void problem_clear(problem *p) {
  matrix *both[] = {&p->w_or_m, &p->h};
  for (int k = 0; k < 2; k++) {
    free(both[k]->start);
    free(both[k]->row);
    free(both[k]->value);
  }
  free(p->q_or_f);
  free(p->w);
  free(p->mu);
  free(p->mu_rolling);
}

static double norm(const double *x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* y += A x */
static void multiply(const matrix *a, const double *x, double *y) {
  for (int j = 0; j < a->columns; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++) y[a->row[k]] += a->value[k] * x[j];
}

/* y += A'x */
static void multiply_transposed(const matrix *a, const double *x, double *y) {
  for (int j = 0; j < a->columns; j++)
    for (int k = a->start[j]; k < a->start[j + 1]; k++) y[j] += a->value[k] * x[a->row[k]];
}

/* Nearest n of the cone |t| <= mu n, |m| <= mu_r n: the root of a rising, piecewise linear
 * derivative, found among the four cases of which discs hold back. */
static double nearest_normal(double n, double t, double mu, double m, double mu_r) {
  for (int held = 0; held < 4; held++) {
    const double a = held & 1 ? mu : 0.0, b = held & 2 ? mu_r : 0.0;
    const double root = (n + a * t + b * m) / (1.0 + a * a + b * b);
    if (root < 0.0) continue;
    if ((t > mu * root) == (bool)(held & 1) && (m > mu_r * root) == (bool)(held & 2)) return root;
  }
  return 0.0;
}

static void shorten(double *x, double length, double most) {
  if (length <= most) return;
  x[0] *= most / length;
  x[1] *= most / length;
}

static void project(double *z, int dim, double mu, double mu_r) {
  const double t = hypot(z[1], z[2]), m = dim == 5 ? hypot(z[3], z[4]) : 0.0;
  z[0] = nearest_normal(z[0], t, mu, m, mu_r);
  shorten(z + 1, t, mu * z[0]);
  if (dim == 5) shorten(z + 3, m, mu_r * z[0]);
}

static double natural_map(const problem *p, const double *r, const double *u) {
  double sum = 0.0;
  for (int i = 0; i < p->contacts; i++) {
    const double *ri = r + i * p->dim, *ui = u + i * p->dim;
    const double mu = p->mu[i], mu_r = p->rolling ? p->mu_rolling[i] : 0.0;
    double z[5];
    for (int k = 0; k < p->dim; k++) z[k] = ri[k] - ui[k];
    z[0] -= mu * hypot(ui[1], ui[2]);
    if (p->dim == 5) z[0] -= mu_r * hypot(ui[3], ui[4]);
    project(z, p->dim, mu, mu_r);
    for (int k = 0; k < p->dim; k++) sum += (ri[k] - z[k]) * (ri[k] - z[k]);
  }
  return sqrt(sum);
}

static double over(double x, double scale) {
  return scale < 2.2e-16 ? x : x / scale;
}

double problem_error(const problem *p, const double *r, const double *v) {
  double *u = calloc((size_t)p->rows, sizeof *u), error = 0.0;
  const double *start = p->global ? p->w : p->q_or_f;
  if (!u) return INFINITY;
  memcpy(u, start, (size_t)p->rows * sizeof *u);
  if (p->global) {
    double *hr = calloc((size_t)p->freedoms, sizeof *hr);
    double *mv = calloc((size_t)p->freedoms, sizeof *mv);
    double *rest = calloc((size_t)p->freedoms, sizeof *rest);
    multiply(&p->h, r, hr);
    multiply(&p->w_or_m, v, mv);
    for (int i = 0; i < p->freedoms; i++) rest[i] = p->q_or_f[i] + hr[i] - mv[i];
    const double scale =
        fmax(norm(p->q_or_f, p->freedoms), fmax(norm(mv, p->freedoms), norm(hr, p->freedoms)));
    error = over(norm(rest, p->freedoms), scale);
    free(hr);
    free(mv);
    free(rest);
    multiply_transposed(&p->h, v, u);
  } else {
    multiply(&p->w_or_m, r, u);
  }
  double scale = fmax(norm(r, p->rows), norm(u, p->rows));
  if (!p->global) scale = fmax(scale, norm(p->q_or_f, p->rows));
  error += over(natural_map(p, r, u), scale);
  free(u);
  return isfinite(error) ? error : INFINITY;
}
