/* The one function that judges every solver's result (METHODS 0b).
 *
 *   E: local   sqrt(sum |g_i - P(g_i - û_i)|^2) / max(|r|, |g|, |u|)
 *      global  the same over max(|u|, |g|), plus |f + H g - M v| / max(|f|, |M v|, |H g|) measured
 *              at the v that is solved for from g
 *   R: max_i |g_i - P(g_i - eta_i û_i)| / eta_i / v_ref, projected in the metric of eta; moment
 * rows count as d / sqrt(eta_force eta_moment), which is a speed too
 *   û: u for the relaxed model; with the De Saxcé shift on the normal for exact Coulomb
 *
 * A small R means -u_n <= sqrt(1 + mu^2) R v_ref, so friction beyond all measure would hide an
 * approach of any speed behind the rounding of u_T. R is no less than a tenth of the worst
 * approach, which says nothing new below mu = 9; where impulses are capped bodies may approach.
 *
 * A block is judged by op_judge_block, or in lanes by the same formulas (kernels/product.inc);
 * what the sums mean is said here alone. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ccp/operator.h"
#include "ccp/sets/set.h"

static const double approach_share = 0.1;

static bool has_normal(const scree_set *set) {
  return set->kind != SCREE_SET_FREE && set->kind != SCREE_SET_INTERVAL &&
         set->kind != SCREE_SET_USER;
}

/* An impulse beyond 1e16 times what its velocity asks swallows it: g - eta u is g. The residual is
 * no smaller than what it can be distinguished from. */
static double least_scaled(int forces, const double *g, double eta) {
  double across = 0.0;
  for (int k = 1; k < forces; k++) across += g[k] * g[k];
  return 0.5 * DBL_EPSILON * set_larger(fabs(g[0]), sqrt(across)) / eta;
}

static double scaled_residual(const ccp_operator *op, const scree_set *set, size_t i,
                              const double *g, const double *shifted) {
  const int dim = set->dim, forces = op_force_rows(op, i);
  const double eta = op->eta_force[i], eta_m = op->eta_moment ? op->eta_moment[i] : 0.0;
  const bool moments = dim > forces && eta_m > 0.0;
  double x[SCREE_MAX_DIM], force = 0.0, moment = 0.0;
  for (int k = 0; k < dim; k++) x[k] = g[k] - (k < forces ? eta : eta_m) * shifted[k];
  scree_set_project(set, moments ? eta / eta_m : 1.0, x);
  for (int k = 0; k < dim; k++) *(k < forces ? &force : &moment) += (g[k] - x[k]) * (g[k] - x[k]);
  const double scaled = sqrt(force / (eta * eta) + (moments ? moment / (eta * eta_m) : 0.0));
  return set_larger(scaled, least_scaled(forces, g, eta));
}

/* |g - P(g - eta u)|^2 on the cone |t| <= mu n. */
static inline double moved_cone2(double mu, double eta, const double *g, double u_n,
                                 const double *u) {
  const double x0 = g[0] - eta * u_n, x1 = g[1] - eta * u[1], x2 = g[2] - eta * u[2];
  const double a2 = x1 * x1 + x2 * x2;
  double d0 = eta * u_n, d1 = eta * u[1], d2 = eta * u[2];
  if (!(x0 >= 0.0 && a2 <= mu * mu * x0 * x0)) {
    const double a = sqrt(a2), n = (x0 + mu * a) / (1.0 + mu * mu);
    const double scale = n > 0.0 && a > 0.0 ? mu * n / a : 0.0;
    d0 = g[0] - (n > 0.0 ? n : 0.0);
    d1 = g[1] - scale * x1;
    d2 = g[2] - scale * x2;
  }
  return d0 * d0 + d1 * d1 + d2 * d2;
}

/* Is the block a plain cone of three rows, of sizes whose squares neither vanish nor overflow? */
static inline bool is_plain(const scree_set *set, double eta, const double *g, const double *u) {
  if (set->kind != SCREE_SET_COULOMB || set->dim != 3 || !(eta > 0.0) || set_is_modified(set) ||
      set->mu > 1e3)
    return false;
  const double u2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  const double g2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
  return u2 > 1e-200 && u2 < 1e200 && g2 < 1e200 && eta < 1e50 && eta > 1e-50;
}

/* The same as op_judge_block does below, for the usual case: most of the time of a small problem is
 * spent in judging it. */
static void judge_plain(double mu, double eta, scree_model model, const double *g, const double *u,
                        op_judged *sum) {
  const double shift = mu * sqrt(u[1] * u[1] + u[2] * u[2]);
  const double u_n = model == SCREE_MODEL_COULOMB ? u[0] + shift : u[0];
  const double natural2 = moved_cone2(mu, 1.0, g, u_n, u);
  const double scaled =
      set_larger(sqrt(moved_cone2(mu, eta, g, u_n, u)) / eta, least_scaled(3, g, eta));
  sum->natural2 += natural2;
  sum->impulse2 += g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
  sum->velocity2 += u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  sum->product += g[0] * u[0] + g[1] * u[1] + g[2] * u[2];
  sum->square += scaled * scaled;
  if (scaled > sum->worst) sum->worst = scaled;
  if (-u[0] > sum->penetration) sum->penetration = -u[0];
  if (g[0] > 0.0 && shift > sum->gap) sum->gap = shift;
}

void op_judge_block(const ccp_operator *op, scree_model model, size_t i, const double *g,
                    const double *u, op_judged *sum) {
  const scree_set *set = ccp_set(op->problem, i);
  if (is_plain(set, op->eta_force[i], g, u)) {
    judge_plain(set->mu, op->eta_force[i], model, g, u, sum);
    return;
  }
  const int dim = ccp_dim(op->problem, i);
  double shifted[SCREE_MAX_DIM], x[SCREE_MAX_DIM], natural2 = 0.0;
  memcpy(shifted, u, (size_t)dim * sizeof *shifted);
  const double shift = scree_set_shift(set, shifted);
  if (model == SCREE_MODEL_COULOMB) scree_set_flow(set, u, shifted);
  for (int k = 0; k < dim; k++) x[k] = g[k] - shifted[k];
  scree_set_project(set, 1.0, x);
  for (int k = 0; k < dim; k++) {
    natural2 += (g[k] - x[k]) * (g[k] - x[k]);
    sum->impulse2 += g[k] * g[k];
    sum->velocity2 += u[k] * u[k];
    sum->product += g[k] * u[k];
  }
  /* No inertia on either side: the block cannot be changed, it is met or it is not. */
  const double scaled = op->eta_force[i] > 0.0        ? scaled_residual(op, set, i, g, shifted)
                        : set->kind == SCREE_SET_FREE ? sqrt(natural2)
                                                      : scree_set_dual_violation(set, shifted);
  sum->natural2 += natural2;
  sum->square += scaled * scaled;
  if (scaled > sum->worst) sum->worst = scaled;
  if (!has_normal(set)) return;
  if (-u[0] > sum->penetration) sum->penetration = -u[0];
  if (g[0] + set->cohesion > 0.0 && shift > sum->gap) sum->gap = shift;
}

void op_judged_add(op_judged *sum, const op_judged *part) {
  sum->natural2 += part->natural2;
  sum->square += part->square;
  sum->worst = part->worst > sum->worst ? part->worst : sum->worst;
  sum->penetration = part->penetration > sum->penetration ? part->penetration : sum->penetration;
  sum->gap = part->gap > sum->gap ? part->gap : sum->gap;
  sum->impulse2 += part->impulse2;
  sum->velocity2 += part->velocity2;
  sum->product += part->product;
}

static op_judged judge_blocks(const ccp_operator *op, scree_model model, const double *g,
                              const double *u, size_t first, size_t last) {
  op_judged sum = {0};
  for (size_t i = first; i < last; i++)
    op_judge_block(op, model, i, g + op->row_start[i], u + op->row_start[i], &sum);
  return sum;
}

static op_judged judge_each(const ccp_operator *op, scree_model model, const double *g,
                            const double *u, double *each) {
  op_judged sum = {0};
  for (size_t i = 0; i < op->block_count; i++) {
    op_judged one = {0};
    op_judge_block(op, model, i, g + op->row_start[i], u + op->row_start[i], &one);
    each[i] =
        isfinite(one.natural2) && isfinite(one.square) ? one.worst / op->reference_speed : INFINITY;
    op_judged_add(&sum, &one);
  }
  return sum;
}

/* Chunks of fixed size, each summed in order, then added in order: the same bits for any number of
 * threads. A single chunk needs no team. */
static op_judged judge_all(const ccp_operator *op, scree_model model, const double *g,
                           const double *u) {
  enum { CHUNK = 1024, GROUP = 64, ALONE = 4 };
  const size_t n = op->block_count;
  op_judged total = {0}, parts[GROUP];
  for (size_t begin = 0; begin < n; begin += CHUNK * GROUP) {
    const size_t stop = begin + CHUNK * GROUP < n ? begin + CHUNK * GROUP : n;
    const size_t chunks = (stop - begin + CHUNK - 1) / CHUNK;
    if (chunks <= ALONE) {
      for (size_t first = begin; first < stop; first += CHUNK) {
        const op_judged p =
            judge_blocks(op, model, g, u, first, first + CHUNK < stop ? first + CHUNK : stop);
        op_judged_add(&total, &p);
      }
      continue;
    }
#pragma omp parallel for schedule(static) num_threads(context_team(op->context, true))
    for (size_t c = 0; c < chunks; c++) {
      const size_t first = begin + c * CHUNK, last = first + CHUNK < stop ? first + CHUNK : stop;
      parts[c] = judge_blocks(op, model, g, u, first, last);
    }
    for (size_t c = 0; c < chunks; c++) op_judged_add(&total, &parts[c]);
  }
  return total;
}

/* Over the blocks of all ranks. */
static op_judged judged_by_all(const ccp_operator *op, const op_judged *sum) {
  if (!op->ranks) return *sum;
  double total[5] = {sum->natural2, sum->square, sum->impulse2, sum->velocity2, sum->product};
  double most[3] = {sum->worst, sum->penetration, sum->gap};
  op_reduce(op, total, 5, most, 3);
  return (op_judged){.natural2 = total[0],
                     .square = total[1],
                     .impulse2 = total[2],
                     .velocity2 = total[3],
                     .product = total[4],
                     .worst = most[0],
                     .penetration = most[1],
                     .gap = most[2]};
}

void op_judged_finish(const ccp_operator *op, const op_judged *here, double r_norm,
                      scree_residual *out) {
  const op_judged all = judged_by_all(op, here), *sum = &all;
  const size_t n = op->ranks ? op->ranks->blocks : op->block_count;
  const double g_norm = sqrt(sum->impulse2), u_norm = sqrt(sum->velocity2);
  double scale = g_norm > u_norm ? g_norm : u_norm;
  if (!op->error_is_global && r_norm > scale) scale = r_norm;
  const double product = g_norm * u_norm, approach = op->capped ? 0.0 : sum->penetration;
  const double worst = set_larger(sum->worst, approach_share * approach);
  *out = (scree_residual){
      .error = sqrt(sum->natural2) / (scale > 2.2e-16 ? scale : 1.0),
      .scaled = worst / op->reference_speed,
      .rms = n ? sqrt(sum->square / (double)n) : 0.0,
      .duality_gap = product > 0.0 ? fabs(sum->product) / product : 0.0,
      .penetration_speed = sum->penetration,
      .relaxation_gap = sum->gap,
      .reference_speed = op->reference_speed,
  };
  /* A NaN must never look like a small residual; it is in the sums. */
  if (!isfinite(sum->natural2) || !isfinite(sum->square))
    out->error = out->scaled = out->rms = INFINITY;
}

void op_residual_contacts(ccp_operator *op, scree_model model, const double *g, const double *u,
                          double *scratch, scree_residual *out) {
  op_judged sum = {0};
  if (!u && op->class->judge) {
    op->class->judge(op, model, g, NULL, &sum);
    op_judged_finish(op, &sum, op->r_norm, out);
    return;
  }
  if (!u) {
    op_local_velocity(op, g, scratch);
    u = scratch;
  }
  sum = judge_all(op, model, g, u);
  op_judged_finish(op, &sum, op_norm(op, op->r), out);
}

void op_residual_each(ccp_operator *op, scree_model model, const double *g, const double *u,
                      scree_residual *out, double *each) {
  const op_judged sum = judge_each(op, model, g, u, each);
  op_judged_finish(op, &sum, op_norm(op, op->r), out);
}

void op_sweep_residual(ccp_operator *op, scree_model model, const double *g, double *scratch,
                       scree_residual *out) {
  op_judged sum = {0};
  if (!op->class->judge) {
    op_residual_contacts(op, model, g, NULL, scratch, out);
    return;
  }
  op->class->judge(op, model, NULL, g, &sum);
  op_judged_finish(op, &sum, op->r_norm, out);
}

void op_sweep_begin_residual(ccp_operator *op, scree_model model, const double *g,
                             scree_residual *out) {
  op_judged sum = {0};
  op_sweep_begin(op, g);
  op->class->judge_begun(op, model, g, &sum);
  op_judged_finish(op, &sum, op->r_norm, out);
}

void op_residual(ccp_operator *op, scree_model model, const double *g, const double *u,
                 double *scratch, scree_residual *out) {
  op_residual_contacts(op, model, g, u, scratch, out);
  if (op->class->balance && isfinite(out->error)) out->error += op->class->balance(op, g);
}
