/* The door to all solvers: creation by name, options, and the frame around a run: operator,
 * workspace, feasible start, outcome and the final residual. */
#include "solve/solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "base/definition.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/timer.h"
#include "ccp/cohesion.h"
#include "ccp/sets/set.h"
#include "solve/hand_over.h"
#include "solve/solver_list.h"

#define DECLARE(symbol) extern const solver_class symbol;
SOLVER_LIST(DECLARE)
#undef DECLARE

#define ADDRESS(symbol) &symbol,
static const solver_class *const solvers[] = {SOLVER_LIST(ADDRESS)};
#undef ADDRESS

enum { SOLVER_COUNT = sizeof solvers / sizeof solvers[0], STALL_FROM = 1000, SUSPECT_FROM = 64 };
enum { LARGE_ROWS = 65536 };

struct scree_solver {
  scree_context *context;
  const solver_class *class;
  double *option;
  double **vector; /* class->vector_count + 1; the last is the monitor's best */
  size_t vector_rows;
  ccp_operator *op; /* kept for its memory; its problem may be gone */
  infeasible_work infeasible;
  solve_contradiction contradiction;
  cohesion_shift cohesion;
  hand_over heir;
  bool renews; /* the problem is that of the last solve with other offsets */
  bool proved; /* infeasible.d is the certificate of the last solve */
  void *state;
};

const char *scree_outcome_text(scree_outcome outcome) {
  switch (outcome) {
#define OUTCOME_TEXT(name, text)                                                                   \
  case SCREE_OUTCOME_##name:                                                                       \
    return text;
    SCREE_OUTCOME_LIST(OUTCOME_TEXT)
#undef OUTCOME_TEXT
  }
  return "unknown";
}

scree_solve_settings scree_solve_settings_default(void) {
  return (scree_solve_settings){.cookie = DEFINITION_COOKIE,
                                .model = SCREE_MODEL_COULOMB,
                                .tolerance_error = 1e-6,
                                .time_limit = 60.0};
}

size_t scree_solver_count(void) {
  return SOLVER_COUNT;
}

const char *scree_solver_name(size_t i) {
  return i < SOLVER_COUNT ? solvers[i]->name : NULL;
}

const char *scree_solver_summary(size_t i) {
  return i < SOLVER_COUNT ? solvers[i]->summary : NULL;
}

bool scree_solver_has_coulomb(size_t i) {
  return i < SOLVER_COUNT && solvers[i]->coulomb;
}

bool scree_solver_spreads(size_t i) {
  return i < SOLVER_COUNT && solvers[i]->spreads;
}

const scree_option_def *scree_solver_options(size_t i, size_t *count) {
  if (!count) return NULL;
  *count = i < SOLVER_COUNT ? solvers[i]->option_count : 0;
  return i < SOLVER_COUNT ? solvers[i]->options : NULL;
}

scree_status scree_solver_create(scree_context *context, const char *name, scree_solver **out) {
  ARGUMENT_CHECK(context, context && name && out);
  *out = NULL;
  const char *names[SOLVER_COUNT];
  size_t place;
  for (size_t i = 0; i < SOLVER_COUNT; i++) names[i] = solvers[i]->name;
  const scree_status found = options_find(context, "solver", name, names, SOLVER_COUNT, &place);
  if (found) return found;
  const solver_class *class = solvers[place];
  scree_solver *s = memory_new(context, 1, sizeof *s);
  if (!s) return SCREE_ERROR_MEMORY;
  s->context = context;
  s->class = class;
  s->option = memory_new(context, class->option_count, sizeof *s->option);
  s->vector = memory_new(context, class->vector_count + 1, sizeof *s->vector);
  if (!s->option || !s->vector) {
    scree_solver_destroy(s);
    return SCREE_ERROR_MEMORY;
  }
  options_reset(class->options, class->option_count, s->option);
  *out = s;
  return SCREE_OK;
}

void scree_solver_destroy(scree_solver *s) {
  if (!s) return;
  op_destroy(s->op);
  if (s->class->release && s->state) s->class->release(s->context, s->state);
  for (size_t k = 0; s->vector && k < s->class->vector_count + 1; k++)
    memory_free(s->context, s->vector[k]);
  infeasible_clear(s->context, &s->infeasible);
  memory_free(s->context, s->contradiction.u);
  memory_free(s->context, s->contradiction.d);
  cohesion_clear(s->context, &s->cohesion);
  hand_over_clear(s->context, &s->heir);
  memory_free(s->context, s->vector);
  memory_free(s->context, s->option);
  memory_free(s->context, s);
}

scree_status scree_solver_set(scree_solver *s, const char *key, const char *value) {
  ARGUMENT_CHECK(s ? s->context : NULL, s && key && value);
  char owner[64];
  snprintf(owner, sizeof owner, "solver %s", s->class->name);
  return options_set(s->context, owner, s->class->options, s->class->option_count, s->option, key,
                     value);
}

void solver_take_options(scree_solver *s, const double *option) {
  if (s->class->option_count) memcpy(s->option, option, s->class->option_count * sizeof *option);
}

static scree_status grow_vectors(scree_solver *s, size_t rows) {
  if (rows <= s->vector_rows && s->vector[0]) return SCREE_OK;
  /* Half as much again; less where that is much. */
  enum { MANY = 16384 };
  const size_t ahead = s->vector_rows + s->vector_rows / (s->vector_rows < MANY ? 2 : 32);
  const size_t room = ahead > rows ? ahead : rows;
  for (size_t k = 0; k < s->class->vector_count + 1; k++) {
    memory_free(s->context, s->vector[k]);
    s->vector[k] = memory_new(s->context, room, sizeof(double));
    if (!s->vector[k]) return SCREE_ERROR_MEMORY;
  }
  s->vector_rows = room;
  return SCREE_OK;
}

/* Between Coulomb's law and the relaxed model nothing is minimised, and derivatives differ. */
static const char *refuse(const solver_class *class, const scree_ccp *problem, scree_model model) {
  bool flows = false, user = false;
  for (size_t s = 0; s < problem->set_count; s++) {
    flows = flows || set_has_flow(&problem->set[s]);
    user = user || set_role_of(&problem->set[s]) == SET_OPAQUE;
  }
  if (user && !class->projects)
    return "it needs to know more of a set than its projection, so it does not take a user's own; "
           "take auto, gs, jacobi, apgd, spg, nsgs, fpp or admm";
  if (flows && model == SCREE_MODEL_COULOMB && !class->flows)
    return "it does not take a flow of the set's own (dilatancy), which has no potential; take "
           "auto, "
           "gs, nsgs, fpp, prox or admm, or the relaxed model";
  if (problem->ranks && !class->spreads)
    return "it does not run on several ranks; take ags, gs, sor, ssor, nsgs or apgd";
  return class->refuse ? class->refuse(problem, model) : NULL;
}

const char *scree_solver_refusal(size_t i, const scree_ccp *problem, scree_model model) {
  if (!problem) return "there is no problem";
  if (i >= SOLVER_COUNT) return "there is no such solver";
  return refuse(solvers[i], problem, solvers[i]->coulomb ? model : SCREE_MODEL_RELAXED);
}

static scree_status check_settings(scree_context *context, const scree_solve_settings *s) {
  if (!(s->tolerance_error >= 0.0) || !(s->tolerance_residual >= 0.0) || !(s->time_limit >= 0.0) ||
      s->iteration_limit < 0 || !(s->work_limit >= 0.0))
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "tolerances and limits of a solve must not be negative or NaN");
  return SCREE_OK;
}

/* A start far from any solution, that nothing improved, is worse than no impulses at all: a run
 * that goes on with it would hand it from step to step. */
static void prefer_none(solve_run *run) {
  ccp_operator *op = run->op;
  scree_residual none;
  if (!(run->best_residual.scaled > 1.0) && isfinite(run->best_merit)) return;
  op_copy(op, run->g, run->best);
  memset(run->g, 0, op->row_count * sizeof *run->g);
  op_project(op, run->g);
  op_residual_contacts(op, run->model, run->g, NULL, run->vector[0], &none);
  if (none.scaled < run->best_residual.scaled || !isfinite(run->best_merit)) {
    run->best_residual = none;
    run->best_merit = none.scaled;
    run->best_balanced = false;
  } else {
    op_copy(op, run->best, run->g);
  }
}

/* What the run has come to; its impulses are in run->g. */
static void report(const solve_run *run, scree_solve_info *info) {
  ccp_operator *op = run->op;
  info->outcome = run->outcome;
  info->model = run->model;
  info->method = !run->method                       ? run->class->name
                 : strcmp(run->method, "auto") == 0 ? "gs"
                                                    : run->method;
  info->iterations = run->iterations;
  info->products = run->products;
  info->work = run->work;
  info->residual = run->best_residual;
  if (op->class->balance && isfinite(run->best_merit) && !run->best_balanced)
    info->residual.error += op->class->balance(op, run->g);
  if (!isfinite(run->best_merit)) info->residual.error = info->residual.scaled = INFINITY;
}

scree_status scree_solver_solve(scree_solver *s, const scree_ccp *problem,
                                const scree_solve_settings *settings, double *g,
                                scree_solve_info *info) {
  ARGUMENT_CHECK(s ? s->context : NULL, s && problem && settings && g && info);
  context_begin(s->context);
  return solver_solve(s, problem, settings, g, info);
}

/* `caps`: which of them stay, where cohesion is taken out. */
static scree_status solve_once(scree_solver *s, const scree_ccp *problem,
                               const scree_solve_settings *settings, cohesion_caps caps, double *g,
                               scree_solve_info *info) {
  scree_context *context = s->context;
  const double start_time = timer_now();
  memset(info, 0, sizeof *info);
  s->proved = s->contradiction.found = false;
  DEFINITION_CHECK(context, settings, solve_settings);
  scree_status status = check_settings(context, settings);
  if (status) return status;
  const scree_model model = s->class->coulomb ? settings->model : SCREE_MODEL_RELAXED;
  const cohesion_goal goal = {settings->tolerance_residual, settings->tolerance_error};
  status =
      cohesion_take(&s->cohesion, context, goal, caps, settings->warm_start ? g : NULL, &problem);
  if (status) return status;
  const bool shifted = s->cohesion.used;
  const char *refusal = refuse(s->class, problem, model);
  if (refusal)
    return context_fail(context, SCREE_ERROR_UNSUPPORTED, "solver %s: %s", s->class->name, refusal);
  status = !s->op      ? op_create(context, problem, &s->op)
           : s->renews ? op_renew(s->op, problem)
                       : op_prepare(s->op, problem);
  if (status) return status;
  ccp_operator *op = s->op;
  const size_t room = s->class->judges_start ? op_sweep_room(op) : 0;
  status = grow_vectors(s, room > op->row_count ? room : op->row_count);
  if (status) return status;

  if (!settings->warm_start) memset(g, 0, op->row_count * sizeof *g);
  for (size_t i = 0; i < op->row_count; i++)
    if (!isfinite(g[i])) g[i] = 0.0;
  if (shifted) cohesion_add(&s->cohesion, 1.0, g);
  op_project(op, g);
  s->infeasible.marked_at = 0;
  solve_run run = {
      .context = context,
      .op = op,
      .class = s->class,
      .settings = settings,
      .model = model,
      .option = s->option,
      .g = g,
      .vector = s->vector,
      .state = &s->state,
      .best = s->vector[s->class->vector_count],
      .best_room = s->vector_rows,
      .best_merit = INFINITY,
      .mark_iteration = s->class->patient ? 5 * STALL_FROM : STALL_FROM,
      .mark_merit = INFINITY,
      .iteration_work = 1.0,
      .start_time = start_time,
      .infeasible = &s->infeasible,
      .contradiction = &s->contradiction,
      .suspect_iteration = SUSPECT_FROM,
      .first_order = !s->class->patient && s->class != &solver_ipm,
      .outcome = SCREE_OUTCOME_STALLED,
  };
  info->setup_seconds = timer_now() - start_time;
  if (s->class->judges_start || !solve_check_start(&run)) status = s->class->run(&run);
  if (!status) status = hand_over_run(&s->heir, &run);
  if (isfinite(run.best_merit) && run.best_place == BEST_IN_ROWS) op_copy(op, run.best, g);
  if (run.outcome != SCREE_OUTCOME_SOLVED && settings->warm_start && !run.adopted)
    prefer_none(&run);
  s->proved = run.outcome == SCREE_OUTCOME_INFEASIBLE;
  /* What a suspicion needed and did not prove is kept for the next one, but not by large problems:
   * a bed would hold it to the end. */
  if (!s->proved && s->infeasible.rows > LARGE_ROWS) infeasible_clear(context, &s->infeasible);
  report(&run, info);
  op_fill_caps(op, g);
  if (shifted) cohesion_add(&s->cohesion, -1.0, g);
  memcpy(info->detail, run.detail, sizeof info->detail);
  info->seconds = timer_now() - start_time;
  return status;
}

scree_status solver_solve(scree_solver *s, const scree_ccp *problem,
                          const scree_solve_settings *settings, double *g, scree_solve_info *info) {
  enum { NEAR_ROUNDS = 3 };
  scree_solve_settings again = {0};
  scree_solve_info before = {0};
  for (int round = 0;; round++) {
    const cohesion_caps caps = round < NEAR_ROUNDS ? COHESION_NEAR_CAPS : COHESION_ALL_CAPS;
    const scree_status status = solve_once(s, problem, round ? &again : settings, caps, g, info);
    info->iterations += before.iterations;
    info->products += before.products;
    info->work += before.work;
    info->seconds += before.seconds;
    info->setup_seconds += before.setup_seconds;
    if (status || !s->cohesion.loose) return status;
    /* With caps there is always a solution. */
    const bool none = info->outcome == SCREE_OUTCOME_INFEASIBLE;
    if (!none && !cohesion_exceeds(&s->cohesion, problem, g)) return status;
    before = *info;
    if (none) round = NEAR_ROUNDS - 1;
    again = *settings;
    again.warm_start = true;
    if (settings->time_limit > 0.0)
      again.time_limit = fmax(settings->time_limit - info->seconds, 1e-9);
  }
}

scree_status solver_solve_again(scree_solver *s, const scree_ccp *problem,
                                const scree_solve_settings *settings, double *g,
                                scree_solve_info *info) {
  s->renews = true;
  const scree_status status = solver_solve(s, problem, settings, g, info);
  s->renews = false;
  return status;
}

const double *scree_solver_certificate(const scree_solver *s) {
  if (!s) return NULL;
  return s->proved ? s->infeasible.d : NULL;
}

const solve_contradiction *solver_contradiction(const scree_solver *s) {
  return s->contradiction.found ? &s->contradiction : NULL;
}

scree_status scree_ccp_velocities(scree_context *context, const scree_ccp *problem, const double *g,
                                  double *u, double *v) {
  ARGUMENT_CHECK(context, context && problem && g);
  ccp_operator *op = NULL;
  const scree_status status = op_create(context, problem, &op);
  if (status) return status;
  if (u) op_local_velocity(op, g, u);
  if (v && op->class->velocity) op->class->velocity(op, g, v);
  op_destroy(op);
  return SCREE_OK;
}

scree_status scree_ccp_residual(scree_context *context, const scree_ccp *problem, scree_model model,
                                const double *g, scree_residual *residual) {
  ARGUMENT_CHECK(context, context && problem && g && residual);
  ccp_operator *op = NULL;
  scree_status status = op_create(context, problem, &op);
  if (status) return status;
  double *scratch = memory_new(context, op->row_count, sizeof *scratch);
  if (scratch)
    op_residual(op, model, g, NULL, scratch, residual);
  else
    status = SCREE_ERROR_MEMORY;
  memory_free(context, scratch);
  op_destroy(op);
  return status;
}
