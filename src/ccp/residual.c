/* The one function that judges every solver's result (METHODS 0b).
 *
 *   E: local   sqrt(sum |g_i - P(g_i - û_i)|^2) / max(|r|, |g|, |u|)
 *      global  the same over max(|u|, |g|), plus |f + H g - M v| / max(|f|, |M v|, |H g|) measured
 *              at the v that is solved for from g
 *   R: max_i |g_i - P(g_i - eta_i û_i)| / eta_i / v_ref, projected in the metric of eta; moment
 * rows count as d / sqrt(eta_force eta_moment), which is a speed too û: u for the relaxed model;
 * with the De Saxcé shift on the normal for exact Coulomb.           */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ccp/operator.h"

typedef struct block_residual {
  double natural2; /* |g - P(g - û)|^2 */
  double scaled;   /* m/s */
  double penetration, gap;
} block_residual;

static bool has_normal(const scree_set *set) {
  return set->kind != SCREE_SET_FREE && set->kind != SCREE_SET_INTERVAL;
}

static block_residual block_judge(const ccp_operator *op, scree_model model, const double *g,
                                  const double *u, size_t i) {
  const scree_set *set = ccp_set(op->problem, i);
  const size_t row = op->row_start[i];
  const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
  const double eta = op->eta_force[i], eta_m = op->eta_moment ? op->eta_moment[i] : 0.0;
  const double *gi = g + row;
  double shifted[SCREE_MAX_DIM], x[SCREE_MAX_DIM];
  block_residual out = {0.0, 0.0, 0.0, 0.0};
  memcpy(shifted, u + row, (size_t)dim * sizeof *shifted);
  const double shift = scree_set_shift(set, shifted);
  if (model == SCREE_MODEL_COULOMB) shifted[0] += shift;

  for (int k = 0; k < dim; k++) x[k] = gi[k] - shifted[k];
  scree_set_project(set, 1.0, x);
  for (int k = 0; k < dim; k++) out.natural2 += (gi[k] - x[k]) * (gi[k] - x[k]);

  const bool moments = dim > forces && eta_m > 0.0;
  if (eta > 0.0) {
    for (int k = 0; k < dim; k++) x[k] = gi[k] - (k < forces ? eta : eta_m) * shifted[k];
    scree_set_project(set, moments ? eta / eta_m : 1.0, x);
    double force = 0.0, moment = 0.0;
    for (int k = 0; k < dim; k++)
      *(k < forces ? &force : &moment) += (gi[k] - x[k]) * (gi[k] - x[k]);
    out.scaled = sqrt(force / (eta * eta) + (moments ? moment / (eta * eta_m) : 0.0));
    /* An impulse beyond 1e16 times what its velocity asks swallows it: g - eta u is g. The residual
     * is no smaller than what it can be told from. */
    double largest = 0.0;
    for (int k = 0; k < forces; k++) largest = fmax(largest, fabs(gi[k]));
    out.scaled = fmax(out.scaled, 0.5 * DBL_EPSILON * largest / eta);
  } else {
    /* No inertia on either side: the block cannot be changed, it is met or it is not. */
    out.scaled =
        set->kind == SCREE_SET_FREE ? sqrt(out.natural2) : scree_set_dual_violation(set, shifted);
  }
  if (has_normal(set)) {
    out.penetration = u[row] < 0.0 ? -u[row] : 0.0;
    if (gi[0] + set->cohesion > 0.0) out.gap = shift;
  }
  return out;
}

/* Sums and maxima over some blocks, in order. */
typedef struct part {
  double natural2, square, worst, penetration, gap;
  bool broken;
} part;

static part judge_blocks(const ccp_operator *op, scree_model model, const double *g,
                         const double *u, size_t first, size_t last) {
  part p = {0};
  for (size_t i = first; i < last; i++) {
    const block_residual b = block_judge(op, model, g, u, i);
    p.natural2 += b.natural2;
    p.square += b.scaled * b.scaled;
    if (b.scaled > p.worst) p.worst = b.scaled;
    if (b.penetration > p.penetration) p.penetration = b.penetration;
    if (b.gap > p.gap) p.gap = b.gap;
    p.broken = p.broken || !isfinite(b.natural2) || !isfinite(b.scaled);
  }
  return p;
}

static void add_part(part *sum, const part *p) {
  sum->natural2 += p->natural2;
  sum->square += p->square;
  sum->worst = p->worst > sum->worst ? p->worst : sum->worst;
  sum->penetration = p->penetration > sum->penetration ? p->penetration : sum->penetration;
  sum->gap = p->gap > sum->gap ? p->gap : sum->gap;
  sum->broken = sum->broken || p->broken;
}

/* Chunks of fixed size, each summed in order, then added in order: the same bits for any number of
 * threads. A single chunk needs no team. */
static part judge_all(const ccp_operator *op, scree_model model, const double *g, const double *u) {
  enum { CHUNK = 1024, GROUP = 64, ALONE = 4 };
  const size_t n = op->block_count;
  part total = {0}, parts[GROUP];
  for (size_t begin = 0; begin < n; begin += CHUNK * GROUP) {
    const size_t stop = begin + CHUNK * GROUP < n ? begin + CHUNK * GROUP : n;
    const size_t chunks = (stop - begin + CHUNK - 1) / CHUNK;
    if (chunks <= ALONE) {
      for (size_t first = begin; first < stop; first += CHUNK) {
        const part p =
            judge_blocks(op, model, g, u, first, first + CHUNK < stop ? first + CHUNK : stop);
        add_part(&total, &p);
      }
      continue;
    }
#pragma omp parallel for schedule(static) num_threads(op->context->threads)
    for (size_t c = 0; c < chunks; c++) {
      const size_t first = begin + c * CHUNK, last = first + CHUNK < stop ? first + CHUNK : stop;
      parts[c] = judge_blocks(op, model, g, u, first, last);
    }
    for (size_t c = 0; c < chunks; c++) add_part(&total, &parts[c]);
  }
  return total;
}

void op_residual_contacts(ccp_operator *op, scree_model model, const double *g, const double *u,
                          double *scratch, scree_residual *out) {
  if (!u) {
    op_local_velocity(op, g, scratch);
    u = scratch;
  }
  const size_t n = op->block_count;
  const part sum = judge_all(op, model, g, u);
  const double g_norm = op_norm(op, g), u_norm = op_norm(op, u), r_norm = op_norm(op, op->r);
  double scale = g_norm > u_norm ? g_norm : u_norm;
  if (op->problem->form != SCREE_FORM_GLOBAL && r_norm > scale) scale = r_norm;
  const double product = g_norm * u_norm;
  *out = (scree_residual){
      .error = sqrt(sum.natural2) / (scale > 2.2e-16 ? scale : 1.0),
      .residual = sum.worst / op->reference_speed,
      .rms = n ? sqrt(sum.square / (double)n) : 0.0,
      .duality_gap = product > 0.0 ? fabs(op_dot(op, g, u)) / product : 0.0,
      .penetration_speed = sum.penetration,
      .relaxation_gap = sum.gap,
      .reference_speed = op->reference_speed,
  };
  /* A NaN must never look like a small residual. */
  if (sum.broken) out->error = out->residual = out->rms = INFINITY;
}

void op_residual(ccp_operator *op, scree_model model, const double *g, const double *u,
                 double *scratch, scree_residual *out) {
  op_residual_contacts(op, model, g, u, scratch, out);
  if (op->class->balance && isfinite(out->error)) out->error += op->class->balance(op, g);
}
