/* See active_set.h. */
#include "solve/newton/active_set.h"
#include "ccp/sets/set.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/block_lu.h"
#include "math/dense.h"
#include "solve/newton/condense.h"
#include "solve/newton/joined.h"

/* A block reduced to its unknowns: column-major C and R, dim x count each. */
typedef struct reduced {
  int count;
  bool whole; /* a sticking cone of 3 rows: C and R are the unit matrix */
  double column[SCREE_MAX_DIM * SCREE_MAX_DIM];
  double row[SCREE_MAX_DIM * SCREE_MAX_DIM];
  double beta[SCREE_MAX_DIM]; /* added to the diagonal of the unknown */
} reduced;

struct active_set {
  scree_context *context;
  block_lu *lu;
  reduced *block;          /* block_count */
  uint32_t *node, *active; /* block -> node or UINT32_MAX; node -> block */
  uint32_t *size;
  size_t *start, *offset;
  uint32_t *neighbour;
  double *value, *rhs, *base;
  bool based; /* some base is not zero */
  size_t nodes;
  condense joints;
  bool condensed; /* the system is that of `joints` */
  joined dense;
  bool joins; /* the system is that of `dense` */
  double *matrix, *column;
  int *pivot;
  double dilatancy;
};

scree_status active_set_create(scree_context *context, active_set **out) {
  active_set *s = memory_new(context, 1, sizeof *s);
  *out = s;
  if (!s) return SCREE_ERROR_MEMORY;
  s->context = context;
  s->joints.context = s->dense.context = context;
  return block_lu_create(context, &s->lu);
}

void active_set_destroy(active_set *s) {
  if (!s) return;
  void *all[] = {s->block, s->node, s->active, s->size,   s->start,  s->offset, s->neighbour,
                 s->value, s->rhs,  s->base,   s->matrix, s->column, s->pivot};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) memory_free(s->context, all[k]);
  block_lu_destroy(s->lu);
  condense_clear(&s->joints);
  joined_clear(&s->dense);
  memory_free(s->context, s);
}

scree_status active_set_condense(active_set *s, const ccp_operator *op, const sparse_blocks *n) {
  s->condensed = s->joins = false;
  return n ? condense_build(&s->joints, op, n, &s->condensed) : SCREE_OK;
}

bool active_set_sweep(active_set *s, const ccp_operator *op, scree_model model, int most,
                      double enough, double *g) {
  if (s->joins) joined_sweep(&s->dense, op, model, most, enough, g);
  if (s->condensed) condense_sweep(&s->joints, op, model, most, enough, g);
  return s->joins || s->condensed;
}

bool active_set_drops(const active_set *s, size_t block) {
  return (s->condensed && condense_drops(&s->joints, block)) ||
         (s->joins && s->dense.is_free[block]);
}

scree_status active_set_join(active_set *s, const ccp_operator *op, bool *on) {
  scree_context *c = s->context;
  const size_t blocks = op->block_count;
  s->condensed = s->joins = *on = false;
  const scree_status status = joined_build(&s->dense, op, on);
  if (status || !*on) return status;
  const size_t rows = s->dense.other;
  s->joins = true;
  if (memory_grow(c, &s->block, blocks, sizeof *s->block) ||
      memory_grow(c, &s->node, blocks, sizeof *s->node) ||
      memory_grow(c, &s->active, blocks, sizeof *s->active) ||
      memory_grow(c, &s->size, blocks, sizeof *s->size) ||
      memory_grow(c, &s->rhs, op->row_count, sizeof *s->rhs) ||
      memory_grow(c, &s->base, op->row_count, sizeof *s->base) ||
      memory_grow(c, &s->matrix, rows * rows, sizeof *s->matrix) ||
      memory_grow(c, &s->column, rows, sizeof *s->column) ||
      memory_grow(c, &s->pivot, rows, sizeof *s->pivot))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

scree_status active_set_prepare(active_set *s, const ccp_operator *op, const sparse_blocks *given) {
  scree_context *c = s->context;
  const scree_status status = active_set_condense(s, op, given);
  if (status) return status;
  const sparse_blocks *n = s->condensed ? &s->joints.s : given;
  const size_t blocks = op->block_count, rows = op->row_count;
  size_t entries = n->start[blocks], values = n->offset[entries];
  if (given->start[blocks] > entries) entries = given->start[blocks];
  if (given->offset[given->start[blocks]] > values) values = given->offset[given->start[blocks]];
  if (memory_grow(c, &s->block, blocks, sizeof *s->block) ||
      memory_grow(c, &s->node, blocks, sizeof *s->node) ||
      memory_grow(c, &s->active, blocks, sizeof *s->active) ||
      memory_grow(c, &s->size, blocks, sizeof *s->size) ||
      memory_grow(c, &s->start, blocks + 1, sizeof *s->start) ||
      memory_grow(c, &s->offset, entries, sizeof *s->offset) ||
      memory_grow(c, &s->neighbour, entries, sizeof *s->neighbour) ||
      memory_grow(c, &s->value, values, sizeof *s->value) ||
      memory_grow(c, &s->rhs, rows, sizeof *s->rhs) ||
      memory_grow(c, &s->base, rows, sizeof *s->base))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

/* ---- classification ------------------------------------------------------------------------- */

static void add_unit(reduced *b, int dim, int row) {
  double *c = b->column + b->count * dim, *r = b->row + b->count * dim;
  memset(c, 0, (size_t)dim * sizeof *c);
  memset(r, 0, (size_t)dim * sizeof *r);
  c[row] = r[row] = 1.0;
  b->beta[b->count++] = 0.0;
}

static void fix_interval(const set_outline *o, double z, reduced *b, double *base) {
  b->count = 0;
  if (z <= o->lo)
    base[0] = o->lo;
  else if (z >= o->hi)
    base[0] = o->hi;
  else
    add_unit(b, 1, 0);
}

/* Of a set with a flow of its own, in the exact model: u_n = sum lift k |D u_T| where it slides,
 * against D u_T. z has D u then. */
typedef struct cone_flow {
  set_flow_parts part;
  double z_n; /* z of the normal with what the flow adds to it: what the projection is of */
} cone_flow;

/* n + c at the projection of z: what the discs' radii are measured by. */
static double normal_level(const scree_set *set, scree_model model, const cone_flow *flow,
                           double weight, const double *z) {
  double n = z[0];
  if (model == SCREE_MODEL_RELAXED || flow) {
    double p[SCREE_MAX_DIM];
    memcpy(p, z, (size_t)set->dim * sizeof *p);
    if (flow) p[0] = flow->z_n;
    scree_set_project(set, weight, p);
    n = p[0];
  }
  if (n > set->cap) n = set->cap;
  return n + set->cohesion;
}

/* One cone block of round discs: fills its columns, rows and base. d: diagonal of the forces and of
 * the moments, times 1 + a. */
static void reduce_cone(const scree_set *set, const set_outline *o, scree_model model,
                        const cone_flow *flow, double dilatancy, const double *z, double d_force,
                        double d_moment, reduced *b, double *base) {
  const int dim = set->dim;
  const double level = normal_level(set, model, flow, d_moment > 0.0 ? d_moment / d_force : 1.0, z);
  b->count = 0;
  base[0] = -set->cohesion;
  if (!(level > 0.0)) return;
  const bool capped = (flow || z[0] >= set->cap) && level >= set->cap + set->cohesion;
  double *first = b->column, lead[SCREE_MAX_DIM] = {1.0};
  if (!capped) {
    add_unit(b, dim, 0);
  } else {
    base[0] = set->cap;
  }
  for (int j = 0; j < o->disc_count; j++) {
    const set_disc *e = &o->disc[j];
    const double *zj = z + e->first;
    const double length = e->count == 2 ? sqrt(zj[0] * zj[0] + zj[1] * zj[1]) : fabs(zj[0]);
    const double radius = e->size[0] * level;
    if (length <= radius) {
      for (int k = 0; k < e->count; k++) add_unit(b, dim, e->first + k);
      continue;
    }
    if (radius <= 0.0) continue;
    const double n0 = zj[0] / length, n1 = e->count == 2 ? zj[1] / length : 0.0;
    lead[e->first] = e->size[0] * n0;
    if (e->count == 2) {
      lead[e->first + 1] = e->size[0] * n1;
      add_unit(b, dim, e->first);
      double *c = b->column + (b->count - 1) * dim, *r = b->row + (b->count - 1) * dim;
      c[e->first] = r[e->first] = -n1;
      c[e->first + 1] = r[e->first + 1] = n0;
      const double diagonal = rows_is_moment(e->first) ? d_moment : d_force;
      b->beta[b->count - 1] = (length - radius) * diagonal / radius;
    }
  }
  for (int j = capped ? 0 : 1; flow && j < b->count; j++)
    for (int k = 1; k < dim; k++) b->row[j * dim + k] *= flow->part.along[k];
  if (capped) {
    for (int k = 1; k < dim; k++) base[k] = lead[k] * level;
    return;
  }
  memcpy(first, lead, (size_t)dim * sizeof *first);
  if (model == SCREE_MODEL_RELAXED) memcpy(b->row, lead, (size_t)dim * sizeof *lead);
  for (int k = 1; dilatancy != 0.0 && k < dim; k++) b->row[k] = dilatancy * lead[k];
  for (int k = 1; flow && k < dim; k++)
    b->row[k] = flow->part.lift[k] * flow->part.along[k] * lead[k];
}

/* Tangents of an ellipse are measured in units of its half axes: g_k = s_k ĝ_k, û_k = s_k u_k. */
static void row_scale(const set_outline *o, int dim, bool is_ellipse, double *s) {
  for (int k = 0; k < dim; k++) s[k] = 1.0;
  for (int k = 0; is_ellipse && k < 2; k++) s[o->disc[0].first + k] = o->disc[0].size[k];
}

static void reduce_block(active_set *s, const ccp_operator *op, scree_model model, double a,
                         const double *g, const double *u, size_t i) {
  const scree_set *set = ccp_set(op->problem, i);
  const size_t row = op->row_start[i];
  const int dim = set->dim, forces = op_force_rows(op, i);
  reduced *b = &s->block[i];
  b->whole = false;
  double *base = s->base + row, z[SCREE_MAX_DIM], scale[SCREE_MAX_DIM];
  memset(base, 0, (size_t)dim * sizeof *base);
  set_outline o = set_outline_of(set);
  if (o.role == SET_BILATERAL) {
    b->count = 0;
    for (int k = 0; k < dim; k++) add_unit(b, dim, k);
    return;
  }
  const bool is_ellipse = o.disc_count > 0 && !o.disc[0].round;
  const double eta = op->eta_force[i], eta_m = op->eta_moment ? op->eta_moment[i] : 0.0;
  row_scale(&o, dim, is_ellipse, scale);
  for (int k = 0; k < dim; k++)
    z[k] = g[row + (size_t)k] / scale[k] -
           (k < forces ? eta : eta_m) / (1.0 + a) * scale[k] * u[row + (size_t)k];
  if (o.role == SET_BOUNDED) {
    fix_interval(&o, z[0], b, base);
    return;
  }
  cone_flow own;
  const cone_flow *flow = NULL;
  if (model == SCREE_MODEL_COULOMB && set_has_flow(set)) {
    double w[SCREE_MAX_DIM];
    set_flow_split(set, &own.part);
    scree_set_flow(set, u + row, w);
    own.z_n = g[row] - eta / (1.0 + a) * w[0];
    for (int k = 1; k < dim; k++)
      z[k] =
          g[row + (size_t)k] / scale[k] - (k < forces ? eta : eta_m) / (1.0 + a) * scale[k] * w[k];
    flow = &own;
  }
  if (!(eta > 0.0)) { /* no body of the block can move: it has no unknowns */
    b->count = 0;
    return;
  }
  scree_set unit = is_ellipse ? scree_set_coulomb(3, 1.0) : *set;
  unit.cohesion = set->cohesion;
  unit.cap = set->cap;
  if (is_ellipse) o = set_outline_of(&unit);
  reduce_cone(&unit, &o, model, flow, model == SCREE_MODEL_COULOMB ? s->dilatancy : 0.0, z,
              (1.0 + a) / eta, eta_m > 0.0 ? (1.0 + a) / eta_m : 0.0, b, base);
  b->whole = set_is_round_cone(set) && b->count == 3;
  for (int c = 0; is_ellipse && c < b->count; c++)
    for (int k = 0; k < dim; k++) {
      b->column[c * dim + k] *= scale[k];
      b->row[c * dim + k] *= scale[k];
    }
  for (int k = 0; k < dim; k++) base[k] *= scale[k];
}

/* ---- the reduced system --------------------------------------------------------------------- */

static void classify(active_set *s, const ccp_operator *op, scree_model model, const double *a,
                     const double *g, const double *u, size_t *nodes) {
  *nodes = 0;
  s->based = false;
  for (size_t i = 0; i < op->block_count; i++) {
    reduce_block(s, op, model, a[i], g, u, i);
    if (active_set_drops(s, i)) s->block[i].count = 0;
    for (size_t k = op->row_start[i]; k < op->row_start[i + 1]; k++)
      s->based = s->based || s->base[k] != 0.0;
    s->node[i] = UINT32_MAX;
    if (s->block[i].count == 0) continue;
    s->node[i] = (uint32_t)*nodes;
    s->active[*nodes] = (uint32_t)i;
    s->size[(*nodes)++] = (uint32_t)s->block[i].count;
  }
}

/* out (ri x cj) = R_i' N_ij C_j; inlined with sizes known where they are the usual ones. */
static inline void project_sized(int di, int dj, int ri, int cj, const reduced *bi,
                                 const reduced *bj, const double *nij, double *out) {
  double half[SCREE_MAX_DIM * SCREE_MAX_DIM];
  for (int r = 0; r < di; r++)
    for (int c = 0; c < cj; c++) {
      double sum = 0.0;
      for (int k = 0; k < dj; k++) sum += nij[r * dj + k] * bj->column[c * dj + k];
      half[r * cj + c] = sum;
    }
  for (int r = 0; r < ri; r++)
    for (int c = 0; c < cj; c++) {
      double sum = 0.0;
      for (int k = 0; k < di; k++) sum += bi->row[r * di + k] * half[k * cj + c];
      out[r * cj + c] = sum;
    }
}

static void project_block(const reduced *bi, const reduced *bj, int di, int dj, const double *nij,
                          double *out) {
  if (di != 3 || dj != 3) {
    project_sized(di, dj, bi->count, bj->count, bi, bj, nij, out);
  } else if (bi->whole && bj->whole) {
    memcpy(out, nij, 9 * sizeof *out);
  } else if (bi->count == 3 && bj->count == 3) {
    project_sized(3, 3, 3, 3, bi, bj, nij, out);
  } else if (bi->count == 2 && bj->count == 2) {
    project_sized(3, 3, 2, 2, bi, bj, nij, out);
  } else if (bi->count == 2 && bj->count == 3) {
    project_sized(3, 3, 2, 3, bi, bj, nij, out);
  } else if (bi->count == 3 && bj->count == 2) {
    project_sized(3, 3, 3, 2, bi, bj, nij, out);
  } else {
    project_sized(3, 3, bi->count, bj->count, bi, bj, nij, out);
  }
}

/* Adds a R'D C and beta to the diagonal block of node i. */
static void add_prox(const ccp_operator *op, size_t i, double a, const reduced *b, double *out) {
  const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
  const double eta = op->eta_force[i], eta_m = op->eta_moment ? op->eta_moment[i] : 0.0;
  for (int r = 0; r < b->count; r++) {
    for (int c = 0; c < b->count; c++)
      for (int k = 0; k < dim; k++) {
        const double e = k < forces ? eta : eta_m;
        if (e > 0.0) out[r * b->count + c] += a / e * b->row[r * dim + k] * b->column[c * dim + k];
      }
    out[r * b->count + r] += b->beta[r];
  }
}

static void build_matrix(active_set *s, const ccp_operator *op, const sparse_blocks *n,
                         const double *a, size_t nodes) {
  size_t entries = 0, values = 0;
  for (size_t p = 0; p < nodes; p++) {
    const size_t i = s->active[p];
    const int di = ccp_dim(op->problem, i);
    s->start[p] = entries;
    for (size_t k = n->start[i]; k < n->start[i + 1]; k++) {
      const size_t j = n->column[k];
      if (s->node[j] == UINT32_MAX) continue;
      s->neighbour[entries] = s->node[j];
      s->offset[entries++] = values;
      project_block(&s->block[i], &s->block[j], di, ccp_dim(op->problem, j),
                    n->value + n->offset[k], s->value + values);
      if (i == j) add_prox(op, i, a[i], &s->block[i], s->value + values);
      values += (size_t)(s->block[i].count * s->block[j].count);
    }
  }
  s->start[nodes] = entries;
}

/* rhs = R'(a D (centre - base) - r - N base); `work` takes N base. */
static void build_rhs(active_set *s, ccp_operator *op, const double *a, const double *centre,
                      size_t nodes, double *work) {
  const double *r_of = s->condensed ? s->joints.r : op->r;
  if (s->based && s->joins)
    joined_apply(&s->dense, op, s->base, work);
  else if (s->based && s->condensed)
    condense_apply(&s->joints, op, s->base, work);
  else if (s->based)
    op_apply(op, s->base, work);
  size_t at = 0;
  for (size_t p = 0; p < nodes; p++) {
    const size_t i = s->active[p], row = op->row_start[i];
    const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
    const double eta = op->eta_force[i], eta_m = op->eta_moment ? op->eta_moment[i] : 0.0;
    const reduced *b = &s->block[i];
    double full[SCREE_MAX_DIM];
    for (int k = 0; k < dim; k++) {
      const size_t at_row = row + (size_t)k;
      const double e = k < forces ? eta : eta_m;
      const double r = s->joins ? s->dense.r[s->dense.at[i] + (size_t)k] : r_of[at_row];
      full[k] = -r - (s->based ? work[at_row] : 0.0);
      if (e > 0.0) full[k] += a[i] / e * (centre[at_row] - s->base[at_row]);
    }
    for (int r = 0; r < b->count; r++) {
      double sum = 0.0;
      for (int k = 0; k < dim; k++) sum += b->row[r * dim + k] * full[k];
      s->rhs[at++] = sum;
    }
  }
}

static void expand(const active_set *s, const ccp_operator *op, size_t nodes, double *next) {
  memcpy(next, s->base, op->row_count * sizeof *next);
  size_t at = 0;
  for (size_t p = 0; p < nodes; p++) {
    const size_t i = s->active[p];
    const int dim = ccp_dim(op->problem, i);
    const reduced *b = &s->block[i];
    double *to = next + op->row_start[i];
    for (int c = 0; c < b->count; c++, at++)
      for (int k = 0; k < dim; k++) to[k] += b->column[c * dim + k] * s->rhs[at];
  }
}

scree_status active_set_linearise(active_set *s, const ccp_operator *op, const sparse_blocks *n,
                                  scree_model model, const double *a, const double *g,
                                  const double *u_prox) {
  size_t replaced = 0;
  classify(s, op, model, a, g, u_prox, &s->nodes);
  build_matrix(s, op, n, a, s->nodes);
  const scree_status status = block_lu_analyse(s->lu, s->nodes, s->size, s->start, s->neighbour);
  return status ? status : block_lu_factor(s->lu, s->offset, s->value, &replaced);
}

void active_set_dilate(active_set *s, double dilatancy) {
  s->dilatancy = dilatancy;
}

int active_set_sign(const active_set *s) {
  return block_lu_sign(s->lu);
}

void active_set_direction(active_set *s, const ccp_operator *op, const double *push, double *dg) {
  size_t at = 0;
  for (size_t p = 0; p < s->nodes; p++) {
    const size_t i = s->active[p], row = op->row_start[i];
    const int dim = ccp_dim(op->problem, i);
    const reduced *b = &s->block[i];
    for (int r = 0; r < b->count; r++) {
      double sum = 0.0;
      for (int k = 0; k < dim; k++) sum += b->row[r * dim + k] * push[row + (size_t)k];
      s->rhs[at++] = sum;
    }
  }
  block_lu_solve(s->lu, s->rhs);
  memset(s->base, 0, op->row_count * sizeof *s->base);
  expand(s, op, s->nodes, dg);
}

/* Rows of node p of a column of S C. */
static void put_rows(const reduced *b, int dim, const double *column, double *to) {
  if (b->whole) {
    memcpy(to, column, 3 * sizeof *to);
    return;
  }
  for (int r = 0; r < b->count; r++) {
    double sum = 0.0;
    for (int k = 0; k < dim; k++) sum += b->row[r * dim + k] * column[k];
    to[r] = sum;
  }
}

/* The reduced system by columns, R'(S + a D) C; returns how many unknowns. */
static size_t build_dense(active_set *s, const ccp_operator *op, const double *a, size_t nodes) {
  size_t rows = 0, at = 0;
  for (size_t p = 0; p < nodes; p++) rows += s->size[p];
  for (size_t q = 0; q < nodes; q++) {
    const size_t j = s->active[q];
    const reduced *b = &s->block[j];
    const int dim = ccp_dim(op->problem, j);
    double own[SCREE_MAX_DIM * SCREE_MAX_DIM] = {0.0};
    add_prox(op, j, a[j], b, own);
    for (int c = 0; c < b->count; c++) {
      double *to = s->matrix + (at + (size_t)c) * rows;
      memset(s->column, 0, s->dense.other * sizeof *s->column);
      for (int k = 0; k < dim; k++)
        if (b->column[c * dim + k] != 0.0)
          joined_add_column(&s->dense, s->dense.at[j] + (size_t)k, b->column[c * dim + k],
                            s->column);
      for (size_t p = 0, row = 0; p < nodes; row += s->size[p++]) {
        const size_t i = s->active[p];
        put_rows(&s->block[i], ccp_dim(op->problem, i), s->column + s->dense.at[i], to + row);
      }
      for (int r = 0; r < b->count; r++) to[at + (size_t)r] += own[r * b->count + c];
    }
    at += (size_t)b->count;
  }
  return rows;
}

/* A singular system gives no step: the caller sees that it is not finite. */
static void step_dense(active_set *s, ccp_operator *op, const double *a, const double *centre,
                       size_t nodes, double *next) {
  const size_t rows = build_dense(s, op, a, nodes);
  build_rhs(s, op, a, centre, nodes, next);
  if (rows > 0) {
    if (dense_lu(rows, s->matrix, rows, 1e-20, s->pivot) < rows) {
      for (size_t k = 0; k < op->row_count; k++) next[k] = INFINITY;
      return;
    }
    dense_lu_solve(rows, s->matrix, rows, s->pivot, 1, s->rhs, rows);
  }
  expand(s, op, nodes, next);
  joined_recover(&s->dense, op, next);
}

scree_status active_set_step(active_set *s, ccp_operator *op, const sparse_blocks *n,
                             scree_model model, const double *a, const double *centre,
                             const double *g, const double *u_prox, double *next) {
  size_t nodes = 0, replaced = 0;
  classify(s, op, model, a, g, u_prox, &nodes);
  if (s->joins) {
    step_dense(s, op, a, centre, nodes, next);
    return SCREE_OK;
  }
  build_matrix(s, op, s->condensed ? &s->joints.s : n, a, nodes);
  build_rhs(s, op, a, centre, nodes, next);
  scree_status status = block_lu_analyse(s->lu, nodes, s->size, s->start, s->neighbour);
  if (!status) status = block_lu_factor(s->lu, s->offset, s->value, &replaced);
  if (status) return status;
  block_lu_solve(s->lu, s->rhs);
  expand(s, op, nodes, next);
  if (s->condensed) condense_recover(&s->joints, op, next);
  return SCREE_OK;
}
