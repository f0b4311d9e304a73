/* Bounds l <= g <= h: what sets ray (cohesion: l = -c, cap: h), interval and free come to. The
 * variables are z = g / s with s = sqrt(eta) (1 for a row that eta does not know), which scales the
 * diagonal of S N S to about one and keeps bounds what they are:
 *
 *   min 1/2 z'(S N S) z + (S r)'z,   l/s <= z <= h/s */
#include "solve/existence/bounds.h"
#include "ccp/sets/set.h"

#include <math.h>

enum { POWER = 15 };

const char *bounds_refuse(const scree_ccp *problem, scree_model model) {
  (void)model;
  for (size_t i = 0; i < problem->set_count; i++) {
    const set_outline o = set_outline_of(&problem->set[i]);
    if (o.disc_count > 0 || o.role == SET_OPAQUE)
      return "it takes problems without friction only (sets free, ray and interval); use apgd or "
             "gs, or model the contacts as rays";
  }
  return NULL;
}

void bounds_begin(solve_run *run, bounds *b, double *z) {
  ccp_operator *op = run->op;
  *b = (bounds){
      .run = run,
      .n = op->row_count,
      .scale = run->vector[1],
      .lo = run->vector[2],
      .hi = run->vector[3],
      .x = run->vector[4],
      .q = run->vector[5],
  };
  for (size_t i = 0; i < op->block_count; i++) {
    const set_outline o = set_outline_of(ccp_set(op->problem, i));
    const double s = sqrt(op->eta_force[i]);
    for (size_t row = op->row_start[i]; row < op->row_start[i + 1]; row++) {
      b->scale[row] = s;
      b->lo[row] = s > 0.0 ? o.lo / s : 0.0;
      b->hi[row] = s > 0.0 ? o.hi / s : 0.0;
      b->q[row] = s * op->r[row];
      z[row] = s > 0.0 ? bounds_clamp(b, row, run->g[row] / s) : 0.0;
    }
  }
}

void bounds_apply(bounds *b, const double *z, double *out) {
  for (size_t i = 0; i < b->n; i++) b->x[i] = b->scale[i] * z[i];
  op_apply(b->run->op, b->x, out);
  b->run->products++;
  for (size_t i = 0; i < b->n; i++) out[i] *= b->scale[i];
}

void bounds_gradient(bounds *b, const double *z, double *gradient) {
  bounds_apply(b, z, gradient);
  op_combine(b->run->op, 1.0, gradient, 1.0, b->q, gradient);
}

bool bounds_check(bounds *b, long iteration, const double *z) {
  for (size_t i = 0; i < b->n; i++) b->x[i] = b->scale[i] * z[i];
  op_project(b->run->op, b->x); /* rounding of s (l / s) */
  return solve_check(b->run, iteration, b->x, NULL);
}

double bounds_clamp(const bounds *b, size_t i, double z) {
  return z < b->lo[i] ? b->lo[i] : z > b->hi[i] ? b->hi[i] : z;
}

bool bounds_is_free(const bounds *b, size_t i, double z) {
  return z > b->lo[i] && z < b->hi[i];
}

double bounds_projected(const bounds *b, size_t i, double z, double gradient) {
  if (z <= b->lo[i] && gradient > 0.0) return 0.0;
  if (z >= b->hi[i] && gradient < 0.0) return 0.0;
  return gradient;
}

double bounds_largest(bounds *b, double *v, double *w) {
  ccp_operator *op = b->run->op;
  for (size_t i = 0; i < b->n; i++) v[i] = 1.0 + 0.5 * (double)((i * 7919) % 101) / 101.0;
  double largest = 0.0;
  for (int k = 0; k < POWER; k++) {
    const double size = op_norm(op, v);
    if (!(size > 0.0)) break;
    op_combine(op, 1.0 / size, v, 0.0, v, v);
    bounds_apply(b, v, w);
    largest = op_norm(op, w);
    op_copy(op, w, v);
  }
  return largest > 0.0 ? largest : 1.0;
}
