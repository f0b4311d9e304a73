/* The one function that judges every solver's result (docs/theory/residuals.md).
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
#include <math.h>
#include <string.h>

#include "ccp/judge_block.h"
#include "ccp/operator.h"
#include "ccp/sets/set.h"

static const double approach_share = 0.1;

void op_judge_block(const ccp_operator *op, scree_model model, size_t i, const double *g,
                    const double *u, op_judged *sum) {
  const double before = sum->impulse2;
  judge_block(ccp_set(op->problem, i), op->eta_force[i], op->eta_moment ? op->eta_moment[i] : 0.0,
              model, g, u, sum);
  if (!op->pull) return;
  const double n = g[0] - op->pull[op->row_start[i]];
  sum->impulse2 = before + n * n;
  for (size_t k = 1; k < op->row_start[i + 1] - op->row_start[i]; k++) sum->impulse2 += g[k] * g[k];
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

void op_judged_finish(const ccp_operator *op, const op_judged *here, scree_residual *out) {
  const op_judged all = judged_by_all(op, here), *sum = &all;
  const size_t n = op->ranks ? op->ranks->blocks : op->block_count;
  const double g_norm = sqrt(sum->impulse2), u_norm = sqrt(sum->velocity2);
  double scale = g_norm > u_norm ? g_norm : u_norm;
  if (!op->error_is_global && op->r_norm > scale) scale = op->r_norm;
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
    op_judged_finish(op, &sum, out);
    return;
  }
  if (!u) {
    op_local_velocity(op, g, scratch);
    u = scratch;
  }
  sum = judge_all(op, model, g, u);
  op_judged_finish(op, &sum, out);
}

void op_residual_each(ccp_operator *op, scree_model model, const double *g, const double *u,
                      scree_residual *out, double *each) {
  const op_judged sum = judge_each(op, model, g, u, each);
  op_judged_finish(op, &sum, out);
}

void op_sweep_residual(ccp_operator *op, scree_model model, const double *g, double *scratch,
                       scree_residual *out) {
  op_judged sum = {0};
  if (!op->class->judge) {
    op_residual_contacts(op, model, g, NULL, scratch, out);
    return;
  }
  op->class->judge(op, model, NULL, g, &sum);
  op_judged_finish(op, &sum, out);
}

void op_sweep_residual_led(ccp_operator *op, scree_model model, const double *g,
                           scree_residual *out) {
  op_judged sum = {0};
  op->class->judge_begun(op, model, g, &sum);
  op_judged_finish(op, &sum, out);
}

void op_sweep_begin_residual(ccp_operator *op, scree_model model, const double *g,
                             scree_residual *out) {
  op_sweep_begin(op, g);
  op_sweep_residual_led(op, model, g, out);
}

void op_residual(ccp_operator *op, scree_model model, const double *g, const double *u,
                 double *scratch, scree_residual *out) {
  op_residual_contacts(op, model, g, u, scratch, out);
  if (op->class->balance && isfinite(out->error)) out->error += op->class->balance(op, g);
}
