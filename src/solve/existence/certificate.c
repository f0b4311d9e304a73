/* Witnesses and certificates of existence, checked with nothing but the problem's own numbers:
 * neither operators nor solvers take part, and sums are in long double.
 *
 * Witness: a velocity v with u = D'v + b strictly inside the dual cones (METHODS 6.7).
 * Certificate: d in the recession cones, D d = 0 for all that moves, C d = 0, r'd < 0. In the local
 * form, which has no D, W'd = 0 takes its place (solve/infeasible.c says why it is W').
 *
 * How well D d = 0 holds is measured against the terms of the sum,
 *
 *   push = max_k w_k |sum_j D_kj d_j| / max_k w_k sum_j |D_kj d_j|,    w_k = 1/sqrt(M_kk)
 *   gain = -r'd / sum_j |r_j d_j|
 *
 * so neither units nor the size of d enter: d is an exact certificate of a problem whose D differs
 * from this one's by the share `push`. The speed that it speaks of, -r'd / sum |d_j|, must be clear
 * of what the terms of r are rounded to (ccp/speed.c). */
#include "solve/existence/certificate.h"

#include <math.h>
#include <string.h>

#include "base/argument.h"
#include "base/memory.h"
#include "ccp/sets/set.h"

static const double cone_asked = 1e-10, push_asked = 1e-8, gain_asked = 1e-7, ratio_asked = 1e5;
static const double speed_asked = 1e-6; /* of the least reference speed */

bool certificate_is_unbounded(const scree_set *set) {
  const set_outline o = set_outline_of(set);
  return o.lo > -INFINITY ? isinf(o.hi) : o.hi < INFINITY;
}

double certificate_sign(const scree_set *set) {
  return isinf(set_outline_of(set).lo) ? -1.0 : 1.0;
}

static bool is_rigid(const scree_set *set) {
  const set_outline o = set_outline_of(set);
  return isinf(o.lo) && isinf(o.hi);
}

/* ---- the matrix as it was given ------------------------------------------------------------- */

/* u_row += value x_column. Bodies, global: D' and v; local: W and the impulses. */
typedef struct entry {
  size_t row, column;
  double value;
} entry;

typedef struct entries {
  entry *entry;
  size_t count;
  size_t columns;
  double *weight; /* of a column: w_k; 0: it cannot move */
} entries;

static scree_status add(scree_context *context, entries *e, size_t row, size_t column,
                        double value) {
  if (value == 0.0) return SCREE_OK;
  if (memory_grow(context, &e->entry, e->count + 1, sizeof *e->entry)) return SCREE_ERROR_MEMORY;
  e->entry[e->count++] = (entry){row, column, value};
  return SCREE_OK;
}

static void cross(const double *a, const double *b, double *out) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static scree_status add_contact(scree_context *context, entries *e, const ccp_contact *c,
                                size_t row, int dim) {
  double frame[3][3];
  memcpy(frame[0], c->normal, sizeof frame[0]);
  memcpy(frame[1], c->tangent, sizeof frame[1]);
  cross(frame[0], frame[1], frame[2]);
  scree_status status = SCREE_OK;
  for (int side = 0; side < 2; side++) {
    const uint32_t body = side ? c->body_b : c->body_a;
    if (body == SCREE_CCP_WORLD) continue;
    const double sign = side ? 1.0 : -1.0;
    for (int k = 0; k < dim; k++) {
      const double *axis = frame[rows_axis(dim, k)];
      double turn[3];
      if (rows_is_moment(k))
        memcpy(turn, axis, sizeof turn);
      else
        cross(side ? c->arm_b : c->arm_a, axis, turn);
      for (size_t j = 0; j < 3 && !status; j++) {
        if (!rows_is_moment(k))
          status = add(context, e, row + (size_t)k, 6 * body + j, sign * axis[j]);
        if (!status) status = add(context, e, row + (size_t)k, 6 * body + 3 + j, sign * turn[j]);
      }
    }
  }
  return status;
}

static scree_status add_bodies(scree_context *context, const scree_ccp *p, entries *e) {
  const ccp_bodies *bodies = &p->bodies;
  static const int diagonal[] = {0, 3, 5};
  for (size_t b = 0; b < bodies->body_count; b++)
    for (size_t k = 0; k < 3; k++) {
      e->weight[6 * b + k] = sqrt(bodies->body[b].inverse_mass);
      e->weight[6 * b + 3 + k] = sqrt(fmax(0.0, bodies->body[b].inverse_inertia[diagonal[k]]));
    }
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < bodies->contact_count && !status; i++)
    status = add_contact(context, e, &bodies->contact[i], p->row_start[i], ccp_dim(p, i));
  const size_t first = p->row_start[bodies->contact_count];
  for (size_t r = 0; r < bodies->generic_row_count && !status; r++)
    for (size_t t = bodies->term_start[r]; t < bodies->term_start[r + 1]; t++)
      for (size_t k = 0; k < 6 && !status; k++)
        if (bodies->term[t].body != SCREE_CCP_WORLD)
          status = add(context, e, first + r, 6 * bodies->term[t].body + k,
                       bodies->term[t].coefficient[k]);
  return status;
}

static double diagonal_of(const ccp_matrix *m, size_t j) {
  for (size_t k = m->start[j]; k < m->start[j + 1]; k++)
    if (m->index[k] == j) return m->value[k];
  return 0.0;
}

/* H is stored by columns, one a row of the problem; W by columns as well. */
static scree_status add_matrix(scree_context *context, const scree_ccp *p, entries *e) {
  const bool local = p->form == SCREE_FORM_LOCAL;
  const ccp_matrix *m = local ? &p->w : &p->h;
  scree_status status = SCREE_OK;
  for (size_t j = 0; j < m->columns && !status; j++)
    for (size_t k = m->start[j]; k < m->start[j + 1] && !status; k++)
      status = local ? add(context, e, m->index[k], j, m->value[k])
                     : add(context, e, j, m->index[k], m->value[k]);
  double most = 0.0;
  for (size_t k = 0; k < e->columns; k++)
    most = fmax(most, fabs(diagonal_of(local ? &p->w : &p->m, k)));
  for (size_t k = 0; k < e->columns; k++) {
    const double d = fabs(diagonal_of(local ? &p->w : &p->m, k));
    e->weight[k] = 1.0 / sqrt(fmax(d, 1e-30 * most + 1e-300));
  }
  return status;
}

static scree_status read_entries(scree_context *context, const scree_ccp *p, entries *e) {
  *e = (entries){.columns =
                     p->form == SCREE_FORM_LOCAL ? p->row_count : scree_ccp_velocity_count(p)};
  e->weight = memory_new(context, e->columns, sizeof *e->weight);
  if (!e->weight) return SCREE_ERROR_MEMORY;
  return p->form == SCREE_FORM_BODIES ? add_bodies(context, p, e) : add_matrix(context, p, e);
}

static void clear_entries(scree_context *context, entries *e) {
  memory_free(context, e->entry);
  memory_free(context, e->weight);
}

/* ---- witness -------------------------------------------------------------------------------- */

static double margin_of(const scree_ccp *p, const double *u, double still) {
  double least = INFINITY;
  for (size_t i = 0; i < p->block_count; i++) {
    const scree_set *set = ccp_set(p, i);
    const double *ui = u + p->row_start[i];
    if (is_rigid(set))
      for (int k = 0; k < ccp_dim(p, i); k++)
        if (!(fabs(ui[k]) <= still)) return -INFINITY;
    if (!certificate_is_unbounded(set)) continue;
    const double margin = certificate_sign(set) * ui[0] - scree_set_shift(set, ui);
    if (!(margin >= least)) least = margin;
  }
  return least;
}

scree_status certificate_witness(scree_context *context, const scree_ccp *p, const double *v,
                                 const double *y, double still, double *u, double *margin) {
  entries e;
  scree_status status = read_entries(context, p, &e);
  long double *sum = memory_new(context, p->row_count, sizeof *sum);
  if (!sum) status = SCREE_ERROR_MEMORY;
  if (!status) {
    const double *x = p->form == SCREE_FORM_LOCAL ? y : v;
    for (size_t i = 0; i < p->row_count; i++) {
      sum[i] = p->offset[i];
      if (p->compliance) sum[i] += (long double)p->compliance[i] * y[i];
    }
    for (size_t k = 0; k < e.count; k++)
      sum[e.entry[k].row] += (long double)e.entry[k].value * x[e.entry[k].column];
    for (size_t i = 0; i < p->row_count; i++) u[i] = (double)sum[i];
    *margin = margin_of(p, u, still);
  }
  memory_free(context, sum);
  clear_entries(context, &e);
  return status;
}

/* ---- certificate ---------------------------------------------------------------------------- */

/* How far d is from the recession cone of the set; exact Coulomb: from normals alone. */
static double outside(const scree_set *set, scree_model model, const double *d) {
  double x[SCREE_MAX_DIM], worst = 0.0;
  memcpy(x, d, (size_t)set->dim * sizeof *x);
  const set_outline o = set_outline_of(set);
  if (o.role == SET_BILATERAL) return 0.0;
  if (o.role == SET_BOUNDED) {
    if ((o.lo > -INFINITY && d[0] < 0.0) || (o.hi < INFINITY && d[0] > 0.0)) x[0] = 0.0;
  } else if (o.hi < INFINITY) {
    memset(x, 0, sizeof x);
  } else if (model == SCREE_MODEL_COULOMB) {
    memset(x, 0, sizeof x);
    x[0] = fmax(d[0], 0.0);
  } else {
    scree_set plain = *set;
    plain.cohesion = 0.0;
    scree_set_project(&plain, 1.0, x);
  }
  for (int k = 0; k < set->dim; k++) worst = fmax(worst, fabs(x[k] - d[k]));
  return worst;
}

/* What does not move adds its given velocity to r; what does is left out, as its sum vanishes. */
static long double given_velocity(const scree_ccp *p, const entries *e, size_t column) {
  if (p->form != SCREE_FORM_BODIES || e->weight[column] > 0.0) return 0.0L;
  return p->bodies.body[column / 6].v_free[column % 6];
}

static void measure(const scree_ccp *p, const entries *e, const double *d, long double *sum,
                    long double *size, double *speed, scree_certificate *out) {
  const bool local = p->form == SCREE_FORM_LOCAL;
  long double gain = 0.0L, terms = 0.0L, impulses = 0.0L;
  for (size_t i = 0; i < p->row_count; i++) {
    gain -= (long double)p->offset[i] * d[i];
    terms += fabsl((long double)p->offset[i] * d[i]);
    impulses += fabsl((long double)d[i]);
  }
  for (size_t k = 0; k < e->count; k++) {
    const long double term = (long double)e->entry[k].value * d[e->entry[k].row];
    sum[e->entry[k].column] += term;
    size[e->entry[k].column] += fabsl(term);
  }
  for (size_t c = 0; !local && c < e->columns; c++) {
    const long double given = given_velocity(p, e, c);
    gain -= sum[c] * given;
    terms += size[c] * fabsl(given);
  }
  long double push = 0.0L, most = 0.0L;
  for (size_t c = 0; c < e->columns; c++) {
    push = fmaxl(push, e->weight[c] * fabsl(sum[c]));
    most = fmaxl(most, e->weight[c] * size[c]);
  }
  out->push = most > 0.0L ? (double)(push / most) : 0.0;
  out->gain = terms > 0.0L ? (double)(gain / terms) : 0.0;
  *speed = (double)(gain / impulses);
}

scree_status scree_ccp_check_certificate(scree_context *context, const scree_ccp *p,
                                         scree_model model, const double *d,
                                         scree_certificate *out) {
  ARGUMENT_CHECK(context, context && p && out);
  *out = (scree_certificate){.cone = INFINITY, .push = INFINITY};
  for (size_t s = 0; s < p->set_count; s++)
    if (set_role_of(&p->set[s]) == SET_OPAQUE)
      return context_fail(context, SCREE_ERROR_UNSUPPORTED,
                          "certificate: the problem has a set of the user's own, of which nobody "
                          "knows where it has no end");
  double most = 0.0, off = 0.0, soft = 0.0;
  for (size_t i = 0; i < p->row_count; i++) {
    if (!isfinite(d[i])) return SCREE_OK;
    most = fmax(most, fabs(d[i]));
    if (p->compliance && p->compliance[i] > 0.0) soft = fmax(soft, fabs(d[i]));
  }
  if (!(most > 0.0)) return SCREE_OK;
  for (size_t i = 0; i < p->block_count; i++)
    off = fmax(off, outside(ccp_set(p, i), model, d + p->row_start[i]));
  entries e;
  scree_status status = read_entries(context, p, &e);
  long double *sum = memory_new(context, e.columns, sizeof *sum);
  long double *size = memory_new(context, e.columns, sizeof *size);
  if (!sum || !size) status = SCREE_ERROR_MEMORY;
  if (!status) {
    double speed;
    measure(p, &e, d, sum, size, &speed, out);
    out->cone = off / most;
    out->holds = out->cone <= cone_asked && soft <= cone_asked * most && out->push <= push_asked &&
                 out->gain >= gain_asked && out->gain >= ratio_asked * out->push &&
                 speed >= speed_asked * ccp_least_speed(p);
  }
  memory_free(context, sum);
  memory_free(context, size);
  clear_entries(context, &e);
  return status;
}
