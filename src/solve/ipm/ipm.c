/* Primal-dual interior point method with Nesterov–Todd scaling and Mehrotra's predictor and
 * corrector: few iterations at any mass ratio and size, each with a factorisation.
 *
 *   x = A g + a in K,  û(g) = A's,  s in K,  x o s -> 0          (ipm/cone.h; û: u with the shift)
 *   predictor  (J + F'E N F) z = -lambda - F'(û - A's),   dg = F z,  dx = z,  ds = -lambda - dx
 *   corrector  the same + lambda \ (sigma mu e - dx o ds)
 *
 * in scaled unknowns (ipm/kkt.h); dx, ds are the scaled steps W^-1 dx, W ds. Exact Coulomb: û = u +
 * e_n shift(u), with the derivative E = I + e_n slope' of the shift in the matrix. Islands (blocks
 * that are not coupled) are solved apart (islands.h); where one of them is nearly all, together:
 * with their own mu, sigma and step, in one factorisation whose fronts form separate trees. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solve/ipm/kkt.h"
#include "solve/islands.h"
#include "solve/solver.h"

static const scree_option_def ipm_options[] = {
    {"space", SCREE_OPTION_CHOICE, 0, 0, 2, "auto|local|bodies", "",
     "where the linear system is set up: over blocks or over bodies"},
    {"centre", SCREE_OPTION_REAL, 0.1, 1e-10, 0.9, NULL, "",
     "least centring, as a share of the mean complementarity"},
    {"iterations", SCREE_OPTION_INT, 200, 1, 1e6, NULL, "", "most iterations"},
    {"islands", SCREE_OPTION_CHOICE, 1, 0, 1, "together|apart", "",
     "blocks that nothing couples: in one factorisation, or as problems of their own"},
};

/* An island whose worst residual, as a fraction of the reference speed, is below this is left as
 * it is: going on would only spoil the scaling. */
static const double finished = 1e-13;
/* A step with more than this left of its equation is tried again with more regularisation. */
static const double inexact = 1e-6;

/* Exact Coulomb has no potential and no guarantee: starts with more and with less trust in the
 * direction of small sliding velocities, each tried for a while. */
static const double kinks[] = {0.3, 0.0, 3.0};
static const long attempt = 80;
/* So many iterations no better than the best, with x's this far down: rounding has taken over. With
 * eight a packing of 2,600 contacts was given up at R = 1.6e-8 that goes on to 1e-11. */
static const long most_worse = 16;
static const double late = 1e-9;

typedef struct ipm_island {
  size_t cones;
  double speed;
  double mu, first_mu, centre; /* x's per cone; where the corrector aims */
  double step, worst;
  int bad;     /* short steps in a row */
  bool frozen; /* cannot be improved in double precision */
} ipm_island;

typedef struct ipm {
  solve_run *run;
  ccp_operator *op;
  ipm_cones cones;
  ipm_kkt kkt;
  size_t island_count;
  ipm_island *island;
  uint32_t *island_of; /* of each block */
  bool coulomb;
  double least_centre;
  double kink;     /* what of mu/x_0 counts as sticking, for the slope of the shift */
  double progress; /* the largest mu, as a share of the first, of islands at work */
  double *u, *shifted, *slope, *rhs, *z, *step, *trial;
  double (*correction)[3]; /* of each cone: the corrector's part of ds */
} ipm;

/* ---- islands -------------------------------------------------------------------------------- */

static scree_status begin_islands(ipm *p, const islands *found) {
  const size_t n = p->op->block_count;
  p->island_count = found->parts.count;
  p->island = memory_new(p->op->context, p->island_count, sizeof *p->island);
  p->island_of = memory_new(p->op->context, n, sizeof *p->island_of);
  if (!p->island || !p->island_of) return SCREE_ERROR_MEMORY;
  for (size_t c = 0; c < found->parts.count; c++)
    for (size_t k = found->parts.start[c]; k < found->parts.start[c + 1]; k++)
      p->island_of[found->parts.block[k]] = (uint32_t)c;
  for (size_t c = 0; c < p->cones.count; c++) {
    ipm_cone *cone = &p->cones.cone[c];
    cone->island = p->island_of[cone->block];
    p->island[cone->island].cones++;
  }
  for (size_t i = 0; i < n; i++) {
    ipm_island *island = &p->island[p->island_of[i]];
    for (size_t r = p->op->row_start[i]; r < p->op->row_start[i + 1]; r++)
      island->speed = fmax(island->speed, fabs(p->op->r[r]));
  }
  for (size_t i = 0; i < p->island_count; i++)
    if (!(p->island[i].speed > 0.0)) p->island[i].speed = p->op->reference_speed;
  return SCREE_OK;
}

/* ---- one iteration -------------------------------------------------------------------------- */

/* û and the gradient of its shift. Near u_T = 0 the shift has a kink: the gradient is bounded. */
static void shift_velocity(ipm *p) {
  const ccp_operator *op = p->op;
  op_copy(p->op, p->u, p->shifted);
  if (!p->coulomb) return;
  for (size_t i = 0; i < op->block_count; i++) {
    const scree_set *set = ccp_set(op->problem, i);
    const size_t first = op->row_start[i], dim = op->row_start[i + 1] - first;
    p->shifted[first] += scree_set_shift(set, p->u + first);
    memset(p->slope + first, 0, dim * sizeof *p->slope);
    for (size_t c = p->cones.of_block[i]; c < p->cones.of_block[i + 1]; c++) {
      const ipm_cone *cone = &p->cones.cone[c];
      double norm2 = 0.0;
      for (int k = 1; k < cone->dim; k++) {
        const double a = cone->scale[k] * p->u[cone->row[k]];
        norm2 += a * a;
      }
      /* Sticking contacts have |u_T| of the size mu/x_0: their direction means little yet. */
      const double level = p->kink * cone->product / cone->x[0];
      const double norm = sqrt(norm2), trust = norm2 / (norm2 + level * level);
      for (int k = 1; k < cone->dim && norm > 0.0 && trust > 0.0; k++)
        p->slope[cone->row[k]] =
            trust * cone->scale[k] * cone->scale[k] * p->u[cone->row[k]] / norm;
    }
  }
}

/* Freezes islands that are solved: the residual R block by block. */
static void freeze_solved(ipm *p) {
  ccp_operator *op = p->op;
  for (size_t i = 0; i < p->island_count; i++) p->island[i].worst = 0.0;
  op_project_step(op, p->run->g, 1.0, p->shifted, p->trial);
  for (size_t i = 0; i < op->block_count; i++) {
    if (!(op->eta_force[i] > 0.0)) continue;
    double sum = 0.0;
    for (size_t r = op->row_start[i]; r < op->row_start[i + 1]; r++) {
      const double d = p->run->g[r] - p->trial[r];
      sum += d * d;
    }
    ipm_island *island = &p->island[p->island_of[i]];
    island->worst = fmax(island->worst, sqrt(sum) / op->eta_force[i]);
  }
  for (size_t i = 0; i < p->island_count; i++)
    if (p->island[i].worst < finished * op->reference_speed) p->island[i].frozen = true;
}

static bool scale_cones(ipm *p) {
  bool any = false;
  p->progress = 0.0;
  for (size_t i = 0; i < p->island_count; i++) p->island[i].mu = 0.0;
  for (size_t c = 0; c < p->cones.count; c++) {
    ipm_cone *cone = &p->cones.cone[c];
    ipm_island *island = &p->island[cone->island];
    if (!island->frozen && !ipm_cone_scale(cone)) island->frozen = true;
    island->mu += cone->product;
  }
  for (size_t i = 0; i < p->island_count; i++) {
    ipm_island *island = &p->island[i];
    if (island->cones) island->mu /= (double)island->cones;
    if (!(island->first_mu > 0.0)) island->first_mu = island->mu;
    if (island->frozen) continue;
    any = true;
    if (island->cones) p->progress = fmax(p->progress, island->mu / island->first_mu);
  }
  return any;
}

static void clear_frozen(const ipm *p, double *rhs) {
  for (size_t i = 0; i < p->op->block_count; i++)
    for (size_t r = p->op->row_start[i];
         p->island[p->island_of[i]].frozen && r < p->op->row_start[i + 1]; r++)
      rhs[r] = 0.0;
}

/* rhs of the predictor: sum P'(-lambda) - F'(û - A's). */
static void fill_rhs(ipm *p) {
  op_copy(p->op, p->shifted, p->trial);
  for (size_t c = 0; c < p->cones.count; c++) ipm_cone_subtract_dual(&p->cones.cone[c], p->trial);
  memset(p->rhs, 0, p->op->row_count * sizeof *p->rhs);
  ipm_kkt_add_rhs(&p->kkt, -1.0, p->trial, p->rhs);
  for (size_t c = 0; c < p->cones.count; c++) {
    const double *lambda = p->cones.cone[c].lambda;
    const double y[3] = {-lambda[0], -lambda[1], -lambda[2]};
    ipm_cone_add_rhs(&p->cones.cone[c], y, p->rhs);
  }
  clear_frozen(p, p->rhs);
}

/* Adds the corrector's part to the rhs, which holds the predictor's. */
static void correct_rhs(ipm *p) {
  for (size_t c = 0; c < p->cones.count; c++) {
    const ipm_cone *cone = &p->cones.cone[c];
    ipm_cone_corrector(cone, p->island[cone->island].centre, p->correction[c]);
    ipm_cone_add_rhs(cone, p->correction[c], p->rhs);
  }
  clear_frozen(p, p->rhs);
}

/* The cones' scaled steps from z; corrected: with the corrector's part of ds. */
static void take_steps(ipm *p, bool corrected) {
  for (size_t c = 0; c < p->cones.count; c++) {
    ipm_cone *cone = &p->cones.cone[c];
    ipm_cone_take_step(cone, p->z);
    for (int k = 0; k < cone->dim; k++)
      cone->ds[k] = -cone->lambda[k] - cone->dx[k] + (corrected ? p->correction[c][k] : 0.0);
  }
}

static void longest_steps(ipm *p, double most) {
  for (size_t i = 0; i < p->island_count; i++) p->island[i].step = most;
  for (size_t c = 0; c < p->cones.count; c++) {
    ipm_island *island = &p->island[p->cones.cone[c].island];
    island->step = ipm_cone_longest(&p->cones.cone[c], island->step);
  }
}

/* Mehrotra: aim lower the further the predictor could go. */
static void choose_centres(ipm *p) {
  longest_steps(p, 1.0);
  for (size_t i = 0; i < p->island_count; i++) p->island[i].centre = 0.0;
  for (size_t c = 0; c < p->cones.count; c++) {
    ipm_island *island = &p->island[p->cones.cone[c].island];
    island->centre += ipm_cone_product(&p->cones.cone[c], island->step);
  }
  for (size_t i = 0; i < p->island_count; i++) {
    ipm_island *island = &p->island[i];
    if (!island->cones) continue;
    const double reached = fmax(island->centre / (double)island->cones, 0.0);
    const double share = reached / island->mu, sigma = fmin(1.0, share * share * share);
    island->centre = fmax(sigma, p->least_centre) * island->mu;
  }
}

static bool predict_and_correct(ipm *p) {
  double left;
  ipm_kkt_relax(&p->kkt);
  do {
    if (!ipm_kkt_factor(&p->kkt, p->coulomb ? p->slope : NULL)) return false;
    fill_rhs(p);
    left = ipm_kkt_solve(&p->kkt, p->rhs, p->z);
  } while (!(left < inexact) && ipm_kkt_regularise(&p->kkt));
  take_steps(p, false);
  choose_centres(p);
  correct_rhs(p);
  ipm_kkt_solve(&p->kkt, p->rhs, p->z);
  take_steps(p, true);
  ipm_kkt_step(&p->kkt, p->z, p->step);
  return true;
}

static void advance(ipm *p) {
  longest_steps(p, 1e3);
  for (size_t i = 0; i < p->island_count; i++) {
    ipm_island *island = &p->island[i];
    const double limit = fmin(1.0, island->step);
    island->step = fmin(1.0, (0.9 + 0.09 * limit) * island->step);
    if (island->frozen || !isfinite(island->step)) island->step = 0.0;
    island->bad = island->step < 1e-3 ? island->bad + 1 : 0;
    if (island->bad > 2) island->frozen = true;
  }
  for (size_t i = 0; i < p->op->block_count; i++) {
    const double step = p->island[p->island_of[i]].step;
    for (size_t r = p->op->row_start[i]; r < p->op->row_start[i + 1]; r++)
      p->run->g[r] += step * p->step[r];
  }
  for (size_t c = 0; c < p->cones.count; c++)
    ipm_cone_advance(&p->cones.cone[c], p->island[p->cones.cone[c].island].step, p->run->g);
}

/* ---- the run -------------------------------------------------------------------------------- */

/* From a new start. Returns when the run has ended, or with what stopped it. */
static const char *iterate(ipm *p, long limit, long *k) {
  solve_run *run = p->run;
  long best_at = *k;
  const long first = *k;
  double best = INFINITY; /* of this start: the run's may be another method's */
  for (;; ++*k) {
    op_local_velocity(p->op, run->g, p->u);
    run->products++;
    if (*k > first && solve_check(run, *k, run->g, p->u)) return NULL;
    if (*k > first && run->merit <= best) {
      best = run->merit;
      best_at = *k;
    }
    if (*k - best_at >= most_worse && p->progress < late) return "at the limit of double precision";
    if (*k - first >= limit) return "no convergence";
    shift_velocity(p);
    if (*k > first) freeze_solved(p);
    if (!scale_cones(p)) return "steps have become too short";
    if (!predict_and_correct(p)) return "the linear system has no factorisation";
    advance(p);
  }
}

static void begin(ipm *p, const double *speed) {
  ipm_cones_start(p->op, &p->cones, speed, p->run->g);
  for (size_t c = 0; c < p->cones.count; c++) ipm_cone_begin(&p->cones.cone[c], p->run->g);
  for (size_t i = 0; i < p->island_count; i++) {
    p->island[i].first_mu = 0.0;
    p->island[i].frozen = false;
    p->island[i].bad = 0;
  }
  p->progress = 1.0;
}

/* The path leads to the middle of all solutions. Glue in closed loops bears any load on itself up
 * to its strength, so that the middle may be a million times the impulses that are asked for, and
 * rounding, 1e-16 of them, more than what u may be. So strong glue is first taken to bear a part of
 * its strength; what is found so is judged by the sets as they are. */
static const double enough = 1e4;

static const char *run_limited(ipm *p, const double *speed, long most, long *k) {
  const char *reason = NULL;
  if (ipm_cones_limit(p->op, &p->cones, speed, enough)) {
    p->kink = kinks[0];
    begin(p, speed);
    reason = iterate(p, attempt < most ? attempt : most, k);
  }
  ipm_cones_free(&p->cones);
  return reason;
}

static void run_attempts(ipm *p, const double *speed) {
  const long most = (long)run_option(p->run, "iterations");
  const size_t attempts = p->coulomb ? sizeof kinks / sizeof kinks[0] : 1;
  long k = 0;
  const char *reason = run_limited(p, speed, most, &k);
  for (size_t a = 0; !p->run->ended && a < attempts && k < most; a++) {
    const long limit = a + 1 < attempts && attempt < most - k ? attempt : most - k;
    p->kink = kinks[a];
    begin(p, speed);
    reason = iterate(p, limit, &k);
    if (p->run->ended) return;
  }
  if (p->run->ended) return;
  /* Impulses that grew without end point along a certificate, if there is one. */
  infeasible_certificate proof;
  if (infeasible_prove_direction(p->op, p->run->model, p->run->infeasible, p->run->g, &proof)) {
    solve_finish(p->run, SCREE_OUTCOME_INFEASIBLE,
                 "impulses of size 1 push nothing (%.1e) and gain %.1e", proof.push, proof.drop);
    return;
  }
  solve_finish(p->run, k >= most ? SCREE_OUTCOME_ITERATION_LIMIT : SCREE_OUTCOME_STALLED,
               "%s after %ld iterations%s", reason, k,
               p->coulomb ? "; exact friction is no cone program, large ones need auto or prox"
                          : "");
}

typedef struct ipm_state {
  sparse_factor *factor; /* kept while the pattern is the same */
  islands islands;
} ipm_state;

static scree_status run_whole(solve_run *run, ipm_state *state) {
  ccp_operator *op = run->op;
  scree_context *context = run->context;
  ipm p = {.run = run,
           .op = op,
           .coulomb = run->model == SCREE_MODEL_COULOMB,
           .least_centre = run_option(run, "centre"),
           .u = run->vector[1],
           .shifted = run->vector[2],
           .slope = run->vector[3],
           .rhs = run->vector[4],
           .step = run->vector[5],
           .trial = run->vector[6],
           .z = run->vector[7]};
  sparse_factor *keep = state->factor;
  state->factor = NULL;
  scree_status status = ipm_cones_init(op, &p.cones);
  if (status) {
    sparse_destroy(keep);
    return status;
  }
  status = ipm_kkt_init(op, &p.cones, (ipm_space)run_option(run, "space"), keep, &p.kkt);
  if (!status) {
    status = begin_islands(&p, &state->islands);
    double *speed = memory_new(context, p.island_count, sizeof *speed);
    p.correction = memory_new(context, p.cones.count, sizeof *p.correction);
    if (!speed || !p.correction) status = SCREE_ERROR_MEMORY;
    for (size_t i = 0; !status && i < p.island_count; i++) speed[i] = p.island[i].speed;
    if (!status) run_attempts(&p, speed);
    memory_free(context, speed);
    state->factor = ipm_kkt_clear(&p.kkt);
  }
  memory_free(context, p.correction);
  memory_free(context, p.island);
  memory_free(context, p.island_of);
  ipm_cones_clear(context, &p.cones);
  return status;
}

static scree_status run_ipm(solve_run *run) {
  if (!*run->state) *run->state = memory_new(run->context, 1, sizeof(ipm_state));
  ipm_state *state = *run->state;
  if (!state) return SCREE_ERROR_MEMORY;
  scree_status status = islands_find(run->op, &state->islands);
  if (!status && run_option(run, "islands") > 0.0 && islands_apart(run->op, &state->islands))
    status = islands_solve(run, &state->islands);
  return status || run->ended ? status : run_whole(run, state);
}

static void release(scree_context *context, void *state) {
  ipm_state *s = state;
  sparse_destroy(s->factor);
  islands_clear(context, &s->islands);
  memory_free(context, s);
}

const solver_class solver_ipm = {
    .name = "ipm",
    .summary = "interior point with a sparse factorisation: exact, flat in mass ratio and size",
    .options = ipm_options,
    .option_count = sizeof ipm_options / sizeof ipm_options[0],
    .coulomb = true,
    .vector_count = 8,
    .run = run_ipm,
    .release = release,
};
