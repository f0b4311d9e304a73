/* Does a problem have a solution? (docs/theory/certificates.md)
 *
 * Sufficient, for the relaxed and for the exact Coulomb model: a velocity with u strictly inside
 * the dual cones,   u = N y + r,  u_n - shift(u) >= margin > 0,  and u = 0 in free rows.
 * The largest margin x* is a cone program (phase I):   max x,  u - x a in the dual cones,  a: the
 * normals. Feasibility at a given x is that of the relaxed problem with r - x a, so the interior
 * point method decides it, and either answer is worth something:
 *
 *   solved       its velocity is a witness of a margin of x
 *   infeasible   its certificate d (in the cones, N d = 0, (r - x a)'d < 0) forbids any margin
 *                beyond r'd / a'd: that is where to try next
 *
 * Necessary, by duality: r'd >= 0 for all those d. Exact Coulomb: over normals alone, which is the
 * same search with all friction left out. Planar problems with few contacts are settled by trying
 * every state of them (existence/states.c).
 *
 * No answer rests on the solver: witness and certificate are checked afresh (certificate.c). */
#include "solve/existence/existence.h"

#include <math.h>
#include <string.h>

#include "base/argument.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/timer.h"
#include "ccp/sets/set.h"
#include "solve/existence/certificate.h"
#include "solve/solver.h"

extern const solver_class solver_ipm;

enum { TRIES = 12, MANY = 200 /* blocks: from here on the search takes seconds */ };
/* Free rows of a witness: |u| as a share of the reference speed. */
static const double free_tolerance = 1e-7;
/* Margins below this share of the reference speed are not distinguished from 0. */
static const double least_margin = 1e-6;
/* An unsymmetric W has no D: its symmetric part has a witness, it need not have a solution. */
static const double unsymmetric = 1e-9;

typedef struct existence_work {
  const scree_ccp *problem;
  ccp_operator *op;
  double **vector; /* those of the method, one for the monitor's best */
  double *option, *g, *r, *u, *v, *d;
  infeasible_work infeasible;
  void *state;
} existence_work;

static void lower(ccp_operator *op, double x) {
  for (size_t i = 0; i < op->block_count; i++) {
    const scree_set *set = ccp_set(op->problem, i);
    if (certificate_is_unbounded(set)) op->r[op->row_start[i]] -= certificate_sign(set) * x;
  }
}

/* r'd / a'd: no velocity has a larger margin. */
static double bound_of(const existence_work *w, const double *d) {
  const ccp_operator *op = w->op;
  double normals = 0.0, gain = 0.0;
  for (size_t i = 0; i < op->block_count; i++) {
    const scree_set *set = ccp_set(op->problem, i);
    if (certificate_is_unbounded(set)) normals += certificate_sign(set) * d[op->row_start[i]];
    for (size_t k = op->row_start[i]; k < op->row_start[i + 1]; k++) gain += w->r[k] * d[k];
  }
  return normals > 0.0 ? gain / normals : gain < 0.0 ? -INFINITY : INFINITY;
}

/* The relaxed problem with the operator's present r; g is the best found. */
static scree_status solve(existence_work *w, scree_outcome *outcome) {
  ccp_operator *op = w->op;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = 0.1 * free_tolerance;
  settings.time_limit = 60.0;
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

/* Is the velocity of g a witness? Keeps the best margin, with its velocities. */
static scree_status witness(existence_work *w, scree_existence *out) {
  ccp_operator *op = w->op;
  double margin = -INFINITY;
  if (op->class->velocity) op->class->velocity(op, w->g, w->v);
  const scree_status status = certificate_witness(
      op->context, w->problem, w->v, w->g, free_tolerance * op->reference_speed, w->u, &margin);
  out->margin = fmax(out->margin, margin);
  return status;
}

/* Is the certificate of the lowered problem one of the problem itself? Keeps it in d. */
static scree_status refutes(existence_work *w, scree_model model, bool *yes) {
  scree_certificate check;
  const scree_status status =
      scree_ccp_check_certificate(w->op->context, w->problem, model, w->infeasible.d, &check);
  *yes = !status && check.holds;
  if (*yes) op_copy(w->op, w->infeasible.d, w->d);
  return status;
}

/* Phase I: ends with a positive margin (EXISTS), a certificate in d (NONE), or bounds of x*. */
static scree_status search(existence_work *w, scree_model model, scree_existence *out) {
  ccp_operator *op = w->op;
  const double speed = op->reference_speed;
  double x = speed, step = 1e-4 * speed;
  out->margin = -INFINITY;
  out->margin_bound = INFINITY;
  for (int k = 0; k < TRIES; k++) {
    scree_outcome outcome;
    lower(op, x);
    scree_status status = solve(w, &outcome);
    op_copy(op, w->r, op->r);
    if (!status && outcome == SCREE_OUTCOME_SOLVED) status = witness(w, out);
    if (status) return status;
    if (out->margin > 0.0) {
      out->verdict = SCREE_EXISTENCE_EXISTS;
      return SCREE_OK;
    }
    if (outcome == SCREE_OUTCOME_INFEASIBLE) {
      const double bound = bound_of(w, w->infeasible.d);
      bool none = false;
      if (bound < 0.0) status = refutes(w, model, &none);
      if (status) return status;
      out->margin_bound = fmin(out->margin_bound, bound);
      if (none) {
        out->verdict = SCREE_EXISTENCE_NONE;
        return SCREE_OK;
      }
    } else if (outcome == SCREE_OUTCOME_SOLVED && x <= 0.0) {
      return SCREE_OK;
    }
    /* Half of the bound on the margin; if the solver gave up, a smaller margin, which is easier. */
    const double easier = outcome == SCREE_OUTCOME_INFEASIBLE ? 0.5 * out->margin_bound : 0.03 * x;
    x = fmin(0.5 * x, easier);
    if (!(x > least_margin * speed)) {
      x = fmin(out->margin_bound, 0.0) - step;
      step *= 10.0;
    }
    if (!(x > -1e3 * speed)) return SCREE_OK;
  }
  return SCREE_OK;
}

static scree_status prepare(scree_context *context, const scree_ccp *problem, existence_work *w) {
  const size_t vectors = solver_ipm.vector_count + 1;
  w->problem = problem;
  scree_status status = op_create(context, problem, &w->op);
  if (status) return status;
  const size_t rows = w->op->row_count;
  w->vector = memory_new(context, vectors, sizeof *w->vector);
  w->option = memory_new(context, solver_ipm.option_count, sizeof *w->option);
  w->g = memory_new(context, rows, sizeof *w->g);
  w->r = memory_new(context, rows, sizeof *w->r);
  w->u = memory_new(context, rows, sizeof *w->u);
  w->d = memory_new(context, rows, sizeof *w->d);
  w->v = memory_new(context, scree_ccp_velocity_count(problem), sizeof *w->v);
  if (!w->vector || !w->option || !w->g || !w->r || !w->u || !w->d || !w->v)
    return SCREE_ERROR_MEMORY;
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
  memory_free(context, w->d);
  memory_free(context, w->v);
  op_destroy(w->op);
}

/* The problem without any friction: its certificates are those of normals alone. The sets are its
 * own, the rest is the problem's. */
static scree_status take_friction_away(scree_context *context, const scree_ccp *problem,
                                       scree_ccp *smooth) {
  *smooth = *problem;
  smooth->taken = NULL;
  smooth->set = memory_new(context, problem->set_count, sizeof *smooth->set);
  if (!smooth->set) return SCREE_ERROR_MEMORY;
  for (size_t s = 0; s < problem->set_count; s++) {
    smooth->set[s] = problem->set[s];
    smooth->set[s].mu = smooth->set[s].mu2 = 0.0;
    smooth->set[s].rolling = smooth->set[s].spinning = 0.0;
  }
  return SCREE_OK;
}

static scree_status refute_normals(scree_context *context, const scree_ccp *problem,
                                   double *certificate, scree_existence *out) {
  scree_ccp smooth;
  existence_work w = {.op = NULL};
  scree_existence answer = {.verdict = SCREE_EXISTENCE_UNKNOWN};
  scree_status status = take_friction_away(context, problem, &smooth);
  if (status) return status;
  status = prepare(context, &smooth, &w);
  if (!status) status = search(&w, SCREE_MODEL_COULOMB, &answer);
  if (!status && answer.verdict == SCREE_EXISTENCE_NONE) {
    out->verdict = SCREE_EXISTENCE_NONE;
    out->reason = "impulses along the normals alone move nothing, and gain: no solution";
    if (certificate) op_copy(w.op, w.d, certificate);
  }
  clear(context, &w);
  memory_free(context, smooth.set);
  return status;
}

static scree_status enumerate(scree_context *context, const scree_ccp *problem,
                              scree_existence *out) {
  existence_states answer;
  const scree_status status = existence_enumerate(context, problem, &answer);
  if (status || !answer.tried) return status;
  out->states = answer.tried;
  if (answer.found) {
    out->verdict = SCREE_EXISTENCE_EXISTS;
    out->reason = "a state of the contacts that solves it was found by trying all";
  } else if (answer.undecided == 0) {
    out->verdict = SCREE_EXISTENCE_NONE;
    out->states_refuted = true;
    out->reason = "every state of the contacts contradicts itself: no solution";
  }
  return SCREE_OK;
}

static void report_witness(existence_work *w, double *v, double *u, scree_existence *out) {
  if (w->op->form == SCREE_FORM_LOCAL && out->asymmetry > unsymmetric) {
    out->verdict = SCREE_EXISTENCE_UNKNOWN;
    out->reason = "the witness is one of the symmetric part of W; W itself is not symmetric";
    return;
  }
  out->witness = true;
  out->reason = "a velocity lies strictly inside all dual cones";
  if (u) op_copy(w->op, w->u, u);
  if (v && w->op->class->velocity)
    memcpy(v, w->v, scree_ccp_velocity_count(w->problem) * sizeof *v);
}

/* A solve by another method: its certificate, if it proves that there is none, or a solution. */
static scree_status attempt(scree_context *context, const scree_ccp *problem, const char *method,
                            scree_model model, const scree_solve_settings *settings, double *g,
                            double *certificate, scree_existence *out) {
  scree_solver *solver = NULL;
  scree_solve_info info;
  scree_status status = scree_solver_create(context, method, &solver);
  if (!status) status = solver_solve(solver, problem, settings, g, &info);
  const double *d = status ? NULL : scree_solver_certificate(solver);
  if (d) {
    scree_certificate check;
    status = scree_ccp_check_certificate(context, problem, model, d, &check);
    if (!status && check.holds) {
      out->verdict = SCREE_EXISTENCE_NONE;
      if (certificate) memcpy(certificate, d, problem->row_count * sizeof *certificate);
    }
  } else if (!status && info.outcome == SCREE_OUTCOME_SOLVED) {
    out->verdict = SCREE_EXISTENCE_EXISTS;
  }
  scree_solver_destroy(solver);
  return status;
}

/* Before the search, whose cost grows with the cube of the size: sweeps without friction, whose
 * impulses grow without end where bodies are squeezed, and then the solve itself. What it finds to
 * FOUND_RESIDUAL is a solution but for rounding; that is no velocity inside all cones, which
 * packings between walls do not have. */
static scree_status look_first(scree_context *context, const scree_ccp *problem, scree_model model,
                               double *certificate, scree_existence *out) {
  enum { SWEEPS = 3000 };
  static const double found_residual = 1e-8;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = 1e-12;
  settings.tolerance_residual = 1e-3;
  settings.iteration_limit = SWEEPS;
  settings.time_limit = 5.0;
  scree_ccp smooth;
  scree_existence without = {.verdict = SCREE_EXISTENCE_UNKNOWN};
  double *g = memory_new(context, problem->row_count, sizeof *g);
  scree_status status = take_friction_away(context, problem, &smooth);
  if (!g) status = SCREE_ERROR_MEMORY;
  if (!status)
    status = attempt(context, &smooth, "ags", model, &settings, g, certificate, &without);
  if (!status && without.verdict == SCREE_EXISTENCE_NONE) {
    out->verdict = SCREE_EXISTENCE_NONE;
    out->reason = "impulses along the normals alone move nothing, and gain: no solution";
  } else if (!status) {
    settings.model = model;
    settings.tolerance_error = found_residual;
    settings.tolerance_residual = found_residual;
    settings.iteration_limit = 0;
    settings.time_limit = 10.0;
    status = attempt(context, problem, "auto", model, &settings, g, certificate, out);
    if (out->verdict == SCREE_EXISTENCE_EXISTS)
      out->reason = "a solution was found, to R = 1e-8";
    else if (out->verdict == SCREE_EXISTENCE_NONE)
      out->reason = "impulses in the cones move nothing, and gain: no solution";
  }
  memory_free(context, smooth.set);
  memory_free(context, g);
  return status;
}

scree_status scree_ccp_check_existence(scree_context *context, const scree_ccp *problem,
                                       scree_model model, double *v, double *u, double *certificate,
                                       scree_existence *out) {
  ARGUMENT_CHECK(context, context && problem && out);
  existence_work w = {.op = NULL};
  *out = (scree_existence){.verdict = SCREE_EXISTENCE_UNKNOWN,
                           .reason = "no velocity is strictly inside all dual cones, and no "
                                     "certificate forbids a solution"};
  for (size_t s = 0; s < problem->set_count; s++)
    if (set_role_of(&problem->set[s]) == SET_OPAQUE) {
      out->reason = "it has a set of the user's own, of which nobody knows where it has no end";
      return SCREE_OK;
    }
  scree_status status = prepare(context, problem, &w);
  if (!status) {
    out->asymmetry = w.op->asymmetry;
    out->reference_speed = w.op->reference_speed;
    out->margin = -INFINITY;
    out->margin_bound = INFINITY;
    if (problem->block_count > MANY) status = look_first(context, problem, model, certificate, out);
    if (status || out->verdict != SCREE_EXISTENCE_UNKNOWN) {
      clear(context, &w);
      return status;
    }
    status = search(&w, model, out);
  }
  if (!status && out->verdict == SCREE_EXISTENCE_EXISTS) report_witness(&w, v, u, out);
  if (!status && out->verdict == SCREE_EXISTENCE_NONE) {
    out->reason = "impulses in the cones move nothing, and gain: no solution";
    if (certificate) op_copy(w.op, w.d, certificate);
  }
  clear(context, &w);
  if (model != SCREE_MODEL_COULOMB) return status;
  if (!status && out->verdict == SCREE_EXISTENCE_UNKNOWN && out->margin <= 0.0)
    status = refute_normals(context, problem, certificate, out);
  if (!status && out->verdict == SCREE_EXISTENCE_UNKNOWN) status = enumerate(context, problem, out);
  return status;
}
