/* See joined.h. */
#include "solve/newton/joined.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/forms/matrices.h"
#include "ccp/sets/local.h"
#include "ccp/sets/set.h"
#include "math/dense.h"

/* Rows up to which dense matrices pay, and the least of joints: a step with fewer is as quick
 * without. */
enum { MOST_FREE = 120, MOST_OTHER = 180, LEAST_FREE = 6, BODY = 6 };
/* A pivot below this part of its row's own entry: redundant to working precision. */
static const double redundant = 1e-9;
/* A contact whose bodies the joints hold has nothing in S but rounding, this part of what it has in
 * N: sweeps leave it alone. */
static const double held = 1e-9;

void joined_clear(joined *j) {
  void *all[] = {j->is_free, j->at, j->block, j->last, j->before, j->owner, j->l,
                 j->x,       j->s,  j->w,     j->push, j->r,      j->g,     j->u};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) memory_free(j->context, all[k]);
  *j = (joined){.context = j->context};
}

static size_t dim_of(const ccp_operator *op, size_t i) {
  return op->row_start[i + 1] - op->row_start[i];
}

/* ---- N, in three parts ---------------------------------------------------------------------- */

/* Numbers the rows; false: it does not suit. */
static bool number_rows(joined *j, const ccp_operator *op) {
  j->free = j->other = j->block_count = 0;
  for (size_t i = 0; i < op->block_count; i++) {
    const bool is_free = ccp_set(op->problem, i)->kind == SCREE_SET_FREE && op->eta_force[i] > 0.0;
    size_t *rows = is_free ? &j->free : &j->other;
    j->is_free[i] = is_free;
    j->at[i] = (uint32_t)*rows;
    *rows += dim_of(op, i);
    if (!is_free) j->block[j->block_count++] = (uint32_t)i;
    if (j->free > MOST_FREE || j->other > MOST_OTHER) return false;
  }
  return j->free >= LEAST_FREE && j->other > 0;
}

/* Where the block (i, k), k not after i, of N lies, and how far its rows and columns are apart. */
static double *place_of(joined *j, size_t i, size_t k, size_t *down, size_t *right) {
  *down = 1;
  *right = j->is_free[i] && j->is_free[k] ? j->free : j->other;
  if (j->is_free[i] == j->is_free[k])
    return (j->is_free[i] ? j->l : j->s) + j->at[i] + j->at[k] * *right;
  if (j->is_free[k]) return j->x + j->at[i] + j->at[k] * j->other;
  *down = j->other;
  *right = 1;
  return j->x + j->at[k] + j->at[i] * j->other;
}

/* Touches t and s of one body: N of their blocks += B_t' B_s. */
static void add_pair(joined *j, const ccp_operator *op, const formed_jacobian *b, size_t t,
                     size_t s) {
  const size_t i = j->owner[t], k = j->owner[s], rows = dim_of(op, i), columns = dim_of(op, k);
  size_t down, right;
  double *to = place_of(j, i, k, &down, &right);
  const double *one = b->value + b->offset[t], *two = b->value + b->offset[s];
  for (size_t c = 0; c < columns; c++) {
    const double *y = two + BODY * c;
    for (size_t r = 0; r < rows; r++) {
      const double *x = one + BODY * r;
      to[r * down + c * right] +=
          (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) + (x[3] * y[3] + x[4] * y[4] + x[5] * y[5]);
    }
  }
}

static void add_compliance(joined *j, const ccp_operator *op) {
  const double *compliance = op->problem->compliance;
  for (size_t i = 0; compliance && i < op->block_count; i++) {
    size_t down, right;
    double *to = place_of(j, i, i, &down, &right);
    for (size_t r = 0; r < dim_of(op, i); r++)
      to[r * (down + right)] += compliance[op->row_start[i] + r];
  }
}

static scree_status sum_up(joined *j, const ccp_operator *op) {
  formed_jacobian b;
  scree_status status = formed_jacobian_build(op, &b);
  if (status) return status;
  const size_t touches = b.start[b.block_count];
  if (memory_grow(j->context, &j->last, b.body_count + 1, sizeof *j->last) ||
      memory_grow(j->context, &j->before, touches + 1, sizeof *j->before) ||
      memory_grow(j->context, &j->owner, touches + 1, sizeof *j->owner)) {
    formed_jacobian_clear(j->context, &b);
    return SCREE_ERROR_MEMORY;
  }
  memset(j->l, 0, j->free * j->free * sizeof *j->l);
  memset(j->x, 0, j->other * j->free * sizeof *j->x);
  memset(j->s, 0, j->other * j->other * sizeof *j->s);
  for (size_t k = 0; k < b.body_count; k++) j->last[k] = UINT32_MAX;
  for (size_t i = 0; i < b.block_count; i++)
    for (size_t t = b.start[i]; t < b.start[i + 1]; t++) {
      j->owner[t] = (uint32_t)i;
      j->before[t] = j->last[b.body[t]];
      j->last[b.body[t]] = (uint32_t)t;
      for (uint32_t s = (uint32_t)t; s != UINT32_MAX; s = j->before[s]) add_pair(j, op, &b, t, s);
    }
  add_compliance(j, op);
  formed_jacobian_clear(j->context, &b);
  return SCREE_OK;
}

/* ---- the elimination ------------------------------------------------------------------------ */

static bool factorise(joined *j, const ccp_operator *op) {
  const size_t f = j->free, c = j->other;
  for (size_t k = 0; k < f; k++) j->push[k] = j->l[k + k * f];
  if (dense_cholesky(f, j->l, f) < f) return false;
  for (size_t k = 0; k < f; k++)
    if (!(j->l[k + k * f] * j->l[k + k * f] > redundant * j->push[k])) return false;
  dense_right_lower_transposed(c, f, j->l, f, j->x, c);
  dense_subtract_square(c, f, j->x, c, j->s, c);
  for (size_t k = 0; k < c; k++)
    for (size_t i = k + 1; i < c; i++) j->s[k + i * c] = j->s[i + k * c];
  for (size_t i = 0; i < op->block_count; i++)
    memcpy((j->is_free[i] ? j->w : j->r) + j->at[i], op->r + op->row_start[i],
           dim_of(op, i) * sizeof *j->w);
  for (size_t k = 0; k < f; k++) {
    j->w[k] /= j->l[k + k * f];
    for (size_t i = k + 1; i < f; i++) j->w[i] -= j->l[i + k * f] * j->w[k];
    for (size_t i = 0; i < c; i++) j->r[i] -= j->x[i + k * c] * j->w[k];
  }
  return true;
}

scree_status joined_build(joined *j, const ccp_operator *op, bool *on) {
  scree_context *context = j->context;
  const size_t blocks = op->block_count;
  *on = false;
  if (op->form != SCREE_FORM_BODIES || blocks > MOST_FREE + MOST_OTHER) return SCREE_OK;
  if (memory_grow(context, &j->is_free, blocks, sizeof *j->is_free) ||
      memory_grow(context, &j->at, blocks, sizeof *j->at) ||
      memory_grow(context, &j->block, blocks, sizeof *j->block))
    return SCREE_ERROR_MEMORY;
  if (!number_rows(j, op)) return SCREE_OK;
  if (memory_grow(context, &j->l, j->free * j->free, sizeof *j->l) ||
      memory_grow(context, &j->x, j->other * j->free, sizeof *j->x) ||
      memory_grow(context, &j->s, j->other * j->other, sizeof *j->s) ||
      memory_grow(context, &j->w, j->free, sizeof *j->w) ||
      memory_grow(context, &j->push, j->free, sizeof *j->push) ||
      memory_grow(context, &j->r, j->other, sizeof *j->r) ||
      memory_grow(context, &j->g, j->other, sizeof *j->g) ||
      memory_grow(context, &j->u, j->other, sizeof *j->u))
    return SCREE_ERROR_MEMORY;
  const scree_status status = sum_up(j, op);
  if (!status) *on = factorise(j, op);
  return status;
}

/* ---- products and sweeps -------------------------------------------------------------------- */

static void gather(const joined *j, const ccp_operator *op, const double *x, double *to) {
  for (size_t k = 0; k < j->block_count; k++) {
    const size_t i = j->block[k];
    memcpy(to + j->at[i], x + op->row_start[i], dim_of(op, i) * sizeof *to);
  }
}

static void scatter(const joined *j, const ccp_operator *op, const double *x, double *to) {
  for (size_t k = 0; k < j->block_count; k++) {
    const size_t i = j->block[k];
    memcpy(to + op->row_start[i], x + j->at[i], dim_of(op, i) * sizeof *to);
  }
}

void joined_add_column(const joined *j, size_t k, double factor, double *column) {
  const double *restrict s = j->s + k * j->other;
  double *restrict to = column;
  for (size_t i = 0; i < j->other; i++) to[i] += factor * s[i];
}

void joined_apply(joined *j, const ccp_operator *op, const double *x, double *out) {
  gather(j, op, x, j->g);
  memset(j->u, 0, j->other * sizeof *j->u);
  for (size_t k = 0; k < j->other; k++)
    if (j->g[k] != 0.0) joined_add_column(j, k, j->g[k], j->u);
  scatter(j, op, j->u, out);
}

/* One block alone; returns by how much its velocity changes. */
static double sweep_block(joined *j, const ccp_operator *op, scree_model model, size_t i) {
  const size_t rows = dim_of(op, i), at = j->at[i];
  double nii[SCREE_MAX_DIM * SCREE_MAX_DIM] = {0.0}, q[SCREE_MAX_DIM] = {0.0};
  double next[SCREE_MAX_DIM], change = 0.0;
  double *g = j->g + at;
  for (size_t r = 0; r < rows; r++) {
    q[r] = j->u[at + r];
    for (size_t s = 0; s < rows; s++) {
      nii[r * rows + s] = j->s[at + r + (at + s) * j->other];
      q[r] -= nii[r * rows + s] * g[s];
    }
  }
  double most = 0.0;
  for (size_t r = 0; r < rows; r++) most = set_larger(most, nii[r * rows + r]);
  if (!(most * op->eta_force[i] > held)) return 0.0;
  memcpy(next, g, rows * sizeof *next);
  set_solve_block(ccp_set(op->problem, i), model, nii, q, next);
  for (size_t r = 0; r < rows; r++) {
    const double dg = next[r] - g[r];
    change = set_larger(change, fabs(nii[r * rows + r] * dg));
    if (dg != 0.0) joined_add_column(j, at + r, dg, j->u);
  }
  memcpy(g, next, rows * sizeof *g);
  return change;
}

void joined_sweep(joined *j, const ccp_operator *op, scree_model model, int most, double enough,
                  double *g) {
  gather(j, op, g, j->g);
  memcpy(j->u, j->r, j->other * sizeof *j->u);
  for (size_t k = 0; k < j->other; k++)
    if (j->g[k] != 0.0) joined_add_column(j, k, j->g[k], j->u);
  for (int sweep = 0; sweep < most; sweep++) {
    double change = 0.0;
    for (size_t k = 0; k < j->block_count; k++)
      change = set_larger(change, sweep_block(j, op, model, j->block[k]));
    if (change <= enough) break;
  }
  scatter(j, op, j->g, g);
  joined_recover(j, op, g);
}

void joined_recover(joined *j, const ccp_operator *op, double *g) {
  const size_t f = j->free, c = j->other;
  gather(j, op, g, j->g);
  for (size_t k = 0; k < f; k++) {
    const double *x = j->x + k * c;
    double sum[2] = {j->w[k], 0.0};
    for (size_t i = 0; i + 1 < c; i += 2) {
      sum[0] += x[i] * j->g[i];
      sum[1] += x[i + 1] * j->g[i + 1];
    }
    if (c % 2) sum[0] += x[c - 1] * j->g[c - 1];
    j->push[k] = sum[0] + sum[1];
  }
  for (size_t k = f; k-- > 0;) {
    const double *column = j->l + k * f;
    double sum = j->push[k];
    for (size_t i = k + 1; i < f; i++) sum -= column[i] * j->push[i];
    j->push[k] = sum / column[k];
  }
  for (size_t i = 0; i < op->block_count; i++)
    for (size_t d = 0; j->is_free[i] && d < dim_of(op, i); d++)
      g[op->row_start[i] + d] = -j->push[j->at[i] + d];
}
