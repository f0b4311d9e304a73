/* See ipm/kkt.h. */
#include "solve/ipm/kkt.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/dense.h"

enum { BODY = 6, MOST = SCREE_MAX_DIM * SCREE_MAX_DIM, REFINEMENTS = 20 };
static const double regular_least = 1e-15, regular_free = 1e-10, regular_most = 1e-6;
/* Above this, a symmetric matrix that Cholesky refused is tried by LU. */
static const double regular_cholesky = 1e-11;
static const double regular_refine = 1e-7, solved = 1e-10;

static size_t block_dim(const ipm_kkt *k, size_t i) {
  return k->op->row_start[i + 1] - k->op->row_start[i];
}

static bool is_free(const ipm_kkt *k, size_t i) {
  return k->cones->of_block[i] == k->cones->of_block[i + 1] && !k->cones->held[k->op->row_start[i]];
}

/* ---- setup ---------------------------------------------------------------------------------- */

static scree_status init_matrices(ipm_kkt *k) {
  ccp_operator *op = k->op;
  scree_context *context = op->context;
  scree_status status;
  if (k->bodies) {
    status = formed_jacobian_build(op, &k->b);
    if (!status) status = formed_bodies_build(context, &k->b, &k->s);
    if (!status && !(k->body = memory_new(context, BODY * k->b.body_count, sizeof *k->body)))
      status = SCREE_ERROR_MEMORY;
    return status;
  }
  status = form_delassus(op, &k->n);
  if (status) return status;
  const sparse_blocks *n = &k->n.blocks;
  size_t entries = 0;
  for (size_t i = 0; i < op->block_count; i++)
    for (size_t l = n->start[i]; l < n->start[i + 1]; l++)
      entries += block_dim(k, i) * block_dim(k, n->column[l]);
  k->scaled = memory_new(context, entries, sizeof *k->scaled);
  return k->scaled ? SCREE_OK : SCREE_ERROR_MEMORY;
}

/* Bodies where rows are many to a body; small systems over blocks, which keep more digits. */
static bool prefer_bodies(const ccp_operator *op) {
  return op->problem->form == SCREE_FORM_BODIES && op->row_count > 1500 &&
         op->row_count > scree_ccp_velocity_count(op->problem);
}

static scree_status init_vectors(ipm_kkt *k) {
  scree_context *context = k->op->context;
  double **const squares[] = {&k->f, &k->fe, &k->g, &k->x};
  double **const rows[] = {&k->residual, &k->correction, &k->direction,
                           &k->image,    &k->step,       &k->product};
  const size_t square = k->square[k->op->block_count];
  for (size_t l = 0; l < sizeof squares / sizeof squares[0]; l++)
    if (!(*squares[l] = memory_new(context, square, sizeof(double)))) return SCREE_ERROR_MEMORY;
  for (size_t l = 0; l < sizeof rows / sizeof rows[0]; l++)
    if (!(*rows[l] = memory_new(context, k->op->row_count, sizeof(double))))
      return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

scree_status ipm_kkt_init(ccp_operator *op, ipm_cones *cones, ipm_space space, sparse_factor *keep,
                          ipm_kkt *k) {
  scree_context *context = op->context;
  memset(k, 0, sizeof *k);
  k->op = op;
  k->cones = cones;
  k->regular = regular_least;
  k->bodies = op->problem->form == SCREE_FORM_BODIES &&
              (space == IPM_SPACE_BODIES || (space == IPM_SPACE_AUTO && prefer_bodies(op)));
  k->square = memory_new(context, op->block_count + 1, sizeof *k->square);
  scree_status status = k->square ? init_matrices(k) : SCREE_ERROR_MEMORY;
  for (size_t i = 0; !status && i < op->block_count; i++)
    k->square[i + 1] = k->square[i] + block_dim(k, i) * block_dim(k, i);
  if (!status) status = init_vectors(k);
  k->factor = keep;
  if (!status && !keep) status = sparse_create(context, &k->factor);
  if (!status) status = sparse_analyse(k->factor, k->bodies ? &k->s.blocks : &k->n.blocks);
  if (status) sparse_destroy(ipm_kkt_clear(k));
  return status;
}

sparse_factor *ipm_kkt_clear(ipm_kkt *k) {
  scree_context *context = k->op->context;
  sparse_factor *keep = k->factor;
  formed_matrix_clear(context, &k->n);
  formed_jacobian_clear(context, &k->b);
  formed_bodies_clear(context, &k->s);
  void *const blocks[] = {k->scaled, k->square,   k->f,          k->fe,        k->g,
                          k->x,      k->residual, k->correction, k->direction, k->image,
                          k->step,   k->product,  k->body};
  for (size_t l = 0; l < sizeof blocks / sizeof blocks[0]; l++) memory_free(context, blocks[l]);
  k->factor = NULL;
  return keep;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* c = a b, all dim x dim by rows; a may be given transposed. */
static void multiply_small(size_t rows, size_t inner, size_t columns, const double *a,
                           bool transposed, const double *b, double *c) {
  for (size_t r = 0; r < rows; r++)
    for (size_t l = 0; l < columns; l++) {
      double sum = 0.0;
      for (size_t m = 0; m < inner; m++)
        sum += (transposed ? a[m * rows + r] : a[r * inner + m]) * b[m * columns + l];
      c[r * columns + l] = sum;
    }
}

static void fill_f(ipm_kkt *k, size_t i, const double *slope) {
  ipm_cones *cones = k->cones;
  const size_t dim = block_dim(k, i), first = k->op->row_start[i], begin = cones->of_block[i],
               count = cones->of_block[i + 1] - begin;
  double *f = k->f + k->square[i], *fe = k->fe + k->square[i];
  const double eta = k->op->eta_force[i];
  memset(f, 0, dim * dim * sizeof *f);
  if (count > 0) ipm_cones_factor(cones->cone + begin, count, (uint32_t)first, dim, f);
  for (size_t r = 0; count == 0 && r < dim; r++)
    f[r * dim + r] = cones->held[first + r] ? 0.0 : eta > 0.0 ? sqrt(eta) : 1.0;
  for (size_t r = 0; r < dim; r++)
    for (size_t c = 0; c < dim; c++)
      fe[r * dim + c] = f[c * dim + r] + (slope && c > 0 ? f[r] * slope[first + c] : 0.0);
}

static double block_regular(const ipm_kkt *k, size_t i) {
  const double eta = k->op->eta_force[i];
  if (!(eta > 0.0)) return is_free(k, i) ? 1.0 : 0.0;
  return (is_free(k, i) ? fmax(k->regular, regular_free) : k->regular) / eta;
}

static void fill_local(ipm_kkt *k) {
  const sparse_blocks *n = &k->n.blocks;
  for (size_t i = 0; i < n->count; i++) {
    const size_t rows = block_dim(k, i);
    const double *fe = k->fe + k->square[i], add = block_regular(k, i);
    for (size_t l = n->start[i]; l < n->start[i + 1]; l++) {
      const size_t j = n->column[l], columns = block_dim(k, j);
      double *out = k->scaled + n->offset[l], part[MOST];
      multiply_small(rows, rows, columns, fe, false, n->value + n->offset[l], part);
      multiply_small(rows, columns, columns, part, false, k->f + k->square[j], out);
      if (i != j) continue;
      multiply_small(rows, rows, rows, fe, false, k->f + k->square[i], part);
      for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < rows; c++) out[r * rows + c] += add * part[r * rows + c];
        if (!is_free(k, i)) out[r * rows + r] += 1.0;
      }
    }
  }
}

/* G^-1 and X of one block. */
static bool fill_bodies(ipm_kkt *k, size_t i) {
  const size_t dim = block_dim(k, i), first = k->op->row_start[i];
  const double *compliance = k->op->problem->compliance, add = block_regular(k, i);
  const double *f = k->f + k->square[i], *fe = k->fe + k->square[i];
  double cf[MOST], g[MOST], columns[MOST], identity[MOST] = {0.0}, part[MOST];
  int pivot[SCREE_MAX_DIM];
  for (size_t r = 0; r < dim; r++)
    for (size_t c = 0; c < dim; c++)
      cf[r * dim + c] = (add + (compliance ? compliance[first + r] : 0.0)) * f[r * dim + c];
  multiply_small(dim, dim, dim, fe, false, cf, g);
  for (size_t r = 0; r < dim; r++) {
    if (!is_free(k, i)) g[r * dim + r] += 1.0;
    identity[r * dim + r] = 1.0;
    for (size_t c = 0; c < dim; c++) columns[c + r * dim] = g[c * dim + r];
  }
  if (dense_lu(dim, columns, dim, 0.0, pivot) < dim) return false;
  dense_lu_solve(dim, columns, dim, pivot, dim, identity, dim);
  double *inverse = k->g + k->square[i];
  for (size_t r = 0; r < dim; r++)
    for (size_t c = 0; c < dim; c++) inverse[r * dim + c] = identity[r + c * dim];
  multiply_small(dim, dim, dim, f, false, inverse, part);
  multiply_small(dim, dim, dim, part, false, fe, k->x + k->square[i]);
  return true;
}

bool ipm_kkt_factor(ipm_kkt *k, const double *slope) {
  const size_t n = k->op->block_count;
  k->lu = slope || k->op->asymmetry > 1e-12;
  for (size_t i = 0; i < n; i++) fill_f(k, i, slope);
  for (; k->regular <= regular_most; k->regular *= 100.0) {
    bool good = true;
    sparse_blocks a = k->s.blocks;
    if (k->bodies) {
      for (size_t i = 0; good && i < n; i++) good = fill_bodies(k, i);
      if (good) formed_bodies_fill(&k->b, k->op->row_start, k->x, &k->s);
    } else {
      fill_local(k);
      a = k->n.blocks;
      a.value = k->scaled;
    }
    k->factorisations++;
    if (k->regular > regular_cholesky) k->lu = true;
    if (good && sparse_factorise(k->factor, &a, k->lu ? SPARSE_LU : SPARSE_CHOLESKY)) return true;
  }
  k->regular = regular_most;
  return false;
}

void ipm_kkt_relax(ipm_kkt *k) {
  k->regular = fmax(regular_least, 1e-2 * k->regular);
}

bool ipm_kkt_regularise(ipm_kkt *k) {
  if (k->regular >= regular_refine) return false;
  k->regular = fmin(100.0 * k->regular, regular_refine);
  return true;
}

/* ---- solution ------------------------------------------------------------------------------- */

/* y = a x block by block, or a'x. */
static void multiply_blocks(const ipm_kkt *k, const double *blocks, bool transposed,
                            const double *x, double *y) {
  for (size_t i = 0; i < k->op->block_count; i++) {
    const size_t dim = block_dim(k, i), first = k->op->row_start[i];
    const double *a = blocks + k->square[i];
    double sum[SCREE_MAX_DIM];
    for (size_t r = 0; r < dim; r++) {
      sum[r] = 0.0;
      for (size_t c = 0; c < dim; c++)
        sum[r] += (transposed ? a[c * dim + r] : a[r * dim + c]) * x[first + c];
    }
    memcpy(y + first, sum, dim * sizeof *y);
  }
}

void ipm_kkt_step(const ipm_kkt *k, const double *z, double *dg) {
  multiply_blocks(k, k->f, false, z, dg);
}

void ipm_kkt_add_rhs(const ipm_kkt *k, double factor, const double *y, double *rhs) {
  multiply_blocks(k, k->f, true, y, k->step);
  for (size_t r = 0; r < k->op->row_count; r++) rhs[r] += factor * k->step[r];
}

static void to_bodies(const ipm_kkt *k, const double *x) {
  const formed_jacobian *b = &k->b;
  memset(k->body, 0, BODY * b->body_count * sizeof *k->body);
  for (size_t i = 0; i < b->block_count; i++)
    for (size_t t = b->start[i]; t < b->start[i + 1]; t++) {
      const double *row = b->value + b->offset[t];
      double *v = k->body + BODY * b->body[t];
      for (size_t r = k->op->row_start[i]; r < k->op->row_start[i + 1]; r++, row += BODY)
        for (size_t j = 0; j < BODY; j++) v[j] += row[j] * x[r];
    }
}

/* y = B'(body) */
static void from_bodies(const ipm_kkt *k, double *y) {
  const formed_jacobian *b = &k->b;
  memset(y, 0, k->op->row_count * sizeof *y);
  for (size_t i = 0; i < b->block_count; i++)
    for (size_t t = b->start[i]; t < b->start[i + 1]; t++) {
      const double *row = b->value + b->offset[t], *v = k->body + BODY * b->body[t];
      for (size_t r = k->op->row_start[i]; r < k->op->row_start[i + 1]; r++, row += BODY)
        for (size_t j = 0; j < BODY; j++) y[r] += row[j] * v[j];
    }
}

/* x <- approximate inverse of x, in place. */
static void apply_factor(ipm_kkt *k, double *x) {
  k->solves++;
  if (!k->bodies) {
    sparse_solve(k->factor, x);
    return;
  }
  multiply_blocks(k, k->g, false, x, k->step);
  multiply_blocks(k, k->f, false, k->step, k->step);
  to_bodies(k, k->step);
  sparse_solve(k->factor, k->body);
  from_bodies(k, k->step);
  multiply_blocks(k, k->fe, false, k->step, k->step);
  for (size_t r = 0; r < k->op->row_count; r++) x[r] -= k->step[r];
  multiply_blocks(k, k->g, false, x, x);
}

/* y <- (J + F'E N F) x */
static void multiply(ipm_kkt *k, const double *x, double *y) {
  multiply_blocks(k, k->f, false, x, k->step);
  op_apply(k->op, k->step, k->product);
  multiply_blocks(k, k->fe, false, k->product, y);
  for (size_t i = 0; i < k->op->block_count; i++)
    for (size_t r = k->op->row_start[i]; !is_free(k, i) && r < k->op->row_start[i + 1]; r++)
      y[r] += x[r];
}

static double dot(const double *x, const double *y, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Refinement as conjugate gradients with the factorisation as preconditioner: directions that the
 * regularisation or rounding has spoilt are few, and each costs about a step. What is left is
 * measured in the energy of the system: rows of closed contacts are large, and rounding alone
 * leaves much of them in any other norm. */
static double refine_symmetric(ipm_kkt *k, double *out) {
  const size_t n = k->op->row_count;
  double *r = k->residual, *z = k->correction, *d = k->direction, *ad = k->image;
  double left = 1.0, rz = 0.0, first = 0.0;
  for (int step = 0; step < REFINEMENTS; step++) {
    memcpy(z, r, n * sizeof *z);
    apply_factor(k, z);
    const double next = dot(r, z, n), beta = step ? next / rz : 0.0;
    if (step == 0) first = next;
    if (!(next >= 0.0) || !isfinite(next)) return left;
    if (step > 0) left = sqrt(next / first);
    if (left <= solved || next == 0.0) return left;
    for (size_t i = 0; i < n; i++) d[i] = z[i] + beta * d[i];
    multiply(k, d, ad);
    const double length = next / dot(d, ad, n);
    if (!(length > 0.0) || !isfinite(length)) return left;
    rz = next;
    for (size_t i = 0; i < n; i++) {
      out[i] += length * d[i];
      r[i] -= length * ad[i];
    }
  }
  return left;
}

/* Plain refinement, for unsymmetric systems, measured by the size of its corrections. */
static double refine(ipm_kkt *k, double *out) {
  const size_t n = k->op->row_count;
  double *r = k->residual, *z = k->correction, *az = k->image;
  double left = 1.0, last = INFINITY;
  for (int step = 0; step < REFINEMENTS; step++) {
    memcpy(z, r, n * sizeof *z);
    apply_factor(k, z);
    const double size = sqrt(dot(z, z, n));
    if (!(size < 0.5 * last)) return left;
    last = size;
    for (size_t i = 0; i < n; i++) out[i] += z[i];
    if (step > 0) left = size / sqrt(dot(out, out, n));
    if (left <= solved || size == 0.0) return left;
    multiply(k, z, az);
    for (size_t i = 0; i < n; i++) r[i] -= az[i];
  }
  return left;
}

double ipm_kkt_solve(ipm_kkt *k, const double *rhs, double *z) {
  const size_t n = k->op->row_count;
  memcpy(k->residual, rhs, n * sizeof *rhs);
  memset(z, 0, n * sizeof *z);
  return k->lu ? refine(k, z) : refine_symmetric(k, z);
}
