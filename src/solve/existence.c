/* Does a problem have a solution? (METHODS 6.7)
 *
 * Sufficient, for the relaxed and for the exact Coulomb model: a velocity with u strictly inside
 * the dual cones,   u = N y + r,  u_n - shift(u) >= margin > 0,  and u = 0 in free rows.
 * The largest margin is a cone program. Its feasibility at a given margin x is that of the relaxed
 * problem with r_n lowered by x, so the interior point method decides it: a solution of the lowered
 * problem is a witness. Margins are tried from large to small.
 *
 * Necessary, by duality: no impulse d in the cones with N d = 0 and r'd < 0 (exact Coulomb: over
 * normals alone). Where no margin is found, the impulses that grew without end are tried as d.
 *
 * Neither answer rests on the solver: witness and certificate are checked from N and r afresh. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/timer.h"
#include "solve/solver.h"

extern const solver_class solver_ipm;

static const double margins[] = {1.0, 1e-1, 1e-2, 1e-4, 1e-6};
/* Free rows of a witness: |u| as a share of the reference speed. */
static const double free_tolerance = 1e-7;

/* Does the set let the normal impulse grow for ever? Only then its u is bound to a dual cone. */
static bool is_unbounded(const scree_set *set) {
  switch (set->kind) {
  case SCREE_SET_FREE:
    return false;
  case SCREE_SET_INTERVAL:
    return set->lo > -INFINITY ? isinf(set->hi) : set->hi < INFINITY;
  default:
    return isinf(set->cap);
  }
}

/* u >= 0 where impulses grow upwards, u <= 0 for an interval without a lower end. */
static double sign_of(const scree_set *set) {
  return set->kind == SCREE_SET_INTERVAL && isinf(set->lo) ? -1.0 : 1.0;
}

static bool is_rigid(const scree_set *set) {
  return set->kind == SCREE_SET_FREE ||
         (set->kind == SCREE_SET_INTERVAL && isinf(set->lo) && isinf(set->hi));
}

/* The margin that u has, from the sets alone; -INFINITY where a free row moves. */
static double margin_of(const ccp_operator *op, const double *u) {
  double least = INFINITY;
  for (size_t i = 0; i < op->block_count; i++) {
    const scree_set *set = ccp_set(op->problem, i);
    const double *ui = u + op->row_start[i];
    if (is_rigid(set))
      for (int k = 0; k < ccp_dim(op->problem, i); k++)
        if (!(fabs(ui[k]) <= free_tolerance * op->reference_speed)) return -INFINITY;
    if (!is_unbounded(set)) continue;
    const double margin = sign_of(set) * ui[0] - scree_set_shift(set, ui);
    if (!(margin >= least)) least = margin;
  }
  return least;
}

static void lower(ccp_operator *op, double x) {
  for (size_t i = 0; i < op->block_count; i++) {
    const scree_set *set = ccp_set(op->problem, i);
    if (is_unbounded(set)) op->r[op->row_start[i]] -= sign_of(set) * x;
  }
}

typedef struct existence_work {
  ccp_operator *op;
  double **vector; /* those of the method, one for the monitor's best */
  double *option, *g, *r, *u;
  infeasible_work infeasible;
  void *state;
} existence_work;

/* The relaxed problem with the operator's present r; g is the best found. */
static scree_status solve(existence_work *w, scree_outcome *outcome) {
  ccp_operator *op = w->op;
  const scree_solve_settings settings = {
      .model = SCREE_MODEL_RELAXED, .tolerance_residual = 0.1 * free_tolerance, .time_limit = 60.0};
  memset(w->g, 0, op->row_count * sizeof *w->g);
  op_project(op, w->g);
  w->infeasible.marked_at = 0;
  solve_run run = {.context = op->context,
                   .op = op,
                   .class = &solver_ipm,
                   .settings = &settings,
                   .model = SCREE_MODEL_RELAXED,
                   .option = w->option,
                   .g = w->g,
                   .vector = w->vector,
                   .state = &w->state,
                   .best = w->vector[solver_ipm.vector_count],
                   .best_merit = INFINITY,
                   .mark_iteration = 1000,
                   .mark_merit = INFINITY,
                   .start_time = timer_now(),
                   .infeasible = &w->infeasible,
                   .suspect_iteration = 1000,
                   .outcome = SCREE_OUTCOME_STALLED};
  scree_status status = SCREE_OK;
  if (!solve_check(&run, 0, w->g, NULL)) status = solver_ipm.run(&run);
  *outcome = run.outcome;
  if (run.outcome == SCREE_OUTCOME_SOLVED) op_copy(op, run.best, w->g);
  return status;
}

static scree_status search(existence_work *w, scree_existence *out) {
  ccp_operator *op = w->op;
  out->margin = -INFINITY;
  for (size_t k = 0; k < sizeof margins / sizeof margins[0]; k++) {
    scree_outcome outcome;
    lower(op, margins[k] * op->reference_speed);
    const scree_status status = solve(w, &outcome);
    op_copy(op, w->r, op->r);
    if (status) return status;
    if (outcome != SCREE_OUTCOME_SOLVED) continue;
    op_local_velocity(op, w->g, w->u);
    out->margin = margin_of(op, w->u);
    if (out->margin > 0.0) {
      out->verdict = SCREE_EXISTENCE_EXISTS;
      return SCREE_OK;
    }
  }
  return SCREE_OK;
}

/* The impulses of the problem as it is, which grow along a certificate if there is one. */
static scree_status refute(existence_work *w, scree_model model, scree_existence *out) {
  scree_outcome outcome;
  const scree_status status = solve(w, &outcome);
  if (status || outcome == SCREE_OUTCOME_SOLVED) return status;
  infeasible_certificate proof;
  if (!infeasible_prove_direction(w->op, model, &w->infeasible, w->g, &proof)) return SCREE_OK;
  out->verdict = SCREE_EXISTENCE_NONE;
  out->drop = proof.drop;
  out->push = proof.push;
  out->bound = proof.bound;
  op_copy(w->op, w->infeasible.d, w->g);
  return SCREE_OK;
}

static scree_status prepare(scree_context *context, const scree_ccp *problem, existence_work *w) {
  const size_t vectors = solver_ipm.vector_count + 1;
  scree_status status = op_create(context, problem, &w->op);
  if (status) return status;
  const size_t rows = w->op->row_count;
  w->vector = memory_new(context, vectors, sizeof *w->vector);
  w->option = memory_new(context, solver_ipm.option_count, sizeof *w->option);
  w->g = memory_new(context, rows, sizeof *w->g);
  w->r = memory_new(context, rows, sizeof *w->r);
  w->u = memory_new(context, rows, sizeof *w->u);
  if (!w->vector || !w->option || !w->g || !w->r || !w->u) return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < vectors; k++)
    if (!(w->vector[k] = memory_new(context, rows, sizeof(double)))) return SCREE_ERROR_MEMORY;
  options_reset(solver_ipm.options, solver_ipm.option_count, w->option);
  op_copy(w->op, w->op->r, w->r);
  return SCREE_OK;
}

static void clear(scree_context *context, existence_work *w) {
  if (w->state) solver_ipm.release(context, w->state);
  infeasible_clear(context, &w->infeasible);
  for (size_t k = 0; w->vector && k <= solver_ipm.vector_count; k++)
    memory_free(context, w->vector[k]);
  memory_free(context, w->vector);
  memory_free(context, w->option);
  memory_free(context, w->g);
  memory_free(context, w->r);
  memory_free(context, w->u);
  op_destroy(w->op);
}

scree_status scree_ccp_check_existence(scree_context *context, const scree_ccp *problem,
                                       scree_model model, double *v, double *u, double *certificate,
                                       scree_existence *out) {
  existence_work w = {.op = NULL};
  memset(out, 0, sizeof *out);
  out->verdict = SCREE_EXISTENCE_UNKNOWN;
  scree_status status = prepare(context, problem, &w);
  if (!status) status = search(&w, out);
  if (!status && out->verdict == SCREE_EXISTENCE_EXISTS) {
    if (u) op_copy(w.op, w.u, u);
    if (v && w.op->class->velocity) w.op->class->velocity(w.op, w.g, v);
  } else if (!status) {
    status = refute(&w, model, out);
    if (!status && out->verdict == SCREE_EXISTENCE_NONE && certificate)
      op_copy(w.op, w.g, certificate);
  }
  clear(context, &w);
  return status;
}
