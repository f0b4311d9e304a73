/* Witnesses and certificates of existence, checked with nothing but the problem's own numbers:
 * neither operators nor solvers take part, and sums are in long double.
 *
 * Witness: a velocity v with u = D'v + b strictly inside the dual cones.
 * Certificate: d in the recession cones, D d = 0 for all that moves, C d = 0, r'd < 0. In the local
 * form, which has no D, W'd = 0 takes its place (infeasible.c says why it is W').
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
#include "ccp/forms/entries.h"
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
  ccp_entries e;
  scree_status status = ccp_entries_read(context, p, &e);
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
  ccp_entries_clear(context, &e);
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

static void measure(const scree_ccp *p, const ccp_entries *e, const double *d, long double *sum,
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
    const long double given = ccp_entries_given(p, e, c);
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
  ccp_entries e;
  scree_status status = ccp_entries_read(context, p, &e);
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
  ccp_entries_clear(context, &e);
  return status;
}
