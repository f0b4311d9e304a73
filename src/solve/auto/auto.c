/* The automatic choice: classify (classify.c), plan (plan.c, a table from the class to its stages),
 * run (stages.c). It decides by the problem and its tolerances, and by costs that are estimated
 * from the number of blocks and how densely they are coupled (costs.c, constants.h), never by the
 * clock or the number of threads: the same problem is solved the same way everywhere. The log at
 * level debug names the class and each stage. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/operator_fused.h"
#include "solve/auto/constants.h"
#include "solve/auto/stages.h"

static const scree_option_def auto_options[] = {
    {"sweeps", SCREE_OPTION_INT, 4, 0, 1e6, NULL, "", "sweeps before the first choice"},
    {"newton_blocks", SCREE_OPTION_INT, 40000, 0, 1e9, NULL, "",
     "largest problem given to prox, in blocks"},
    {"islands", SCREE_OPTION_CHOICE, 1, 0, 1, "together|apart", "",
     "blocks that nothing couples: as one problem, or each island by what suits it"},
};

/* ---- stacks --------------------------------------------------------------------------------- */

/* Merits are in units of the tolerance. */
static void change_settings(solve_run *run, const scree_solve_settings *to) {
  const double ratio = run->settings->tolerance_residual / to->tolerance_residual;
  run->settings = to;
  run->merit *= ratio;
  run->best_merit *= ratio;
  run->mark_merit *= ratio;
}

/* What a loose tolerance leaves is added up by a stack from step to step, until it sways and each
 * step costs more than a tight one would have. So a stack at rest goes on to auto_rest_tolerance,
 * and from there by some iterations towards a thousandth of it (see monitor.c); where the first
 * stage does not reach that within its budget, the given tolerance is enough. */
typedef struct stack {
  const scree_solve_settings *asked;
  scree_solve_settings tight;
  bool rests;
} stack;

/* Steps of a simulation that have the time for it. */
static bool auto_may_strive(const auto_work *w) {
  return w->facts.loose && !(w->run->settings->time_limit > 0.0);
}

/* Judges the start: run->ended where that is enough. */
static auto_class begin_stack(auto_work *w, stack *s) {
  solve_run *run = w->run;
  s->tight = *s->asked;
  s->tight.tolerance_residual = auto_rest_tolerance;
  const bool loose =
      s->asked->tolerance_residual > auto_rest_tolerance && s->asked->tolerance_error <= 0.0;
  if (loose) run->settings = &s->tight;
  if (auto_may_strive(w)) run->strives = AUTO_STRIVE_STACK;
  const bool there = solve_check_start(run);
  /* Without impulses to start from a stack may be at rest as well: its first step decides. */
  const bool fresh = op_max_abs(run->op, run->g) == 0.0;
  const bool still = fresh || run->best_residual.scaled < auto_rest;
  s->rests = loose && still;
  if (!still) run->strives = 0;
  if (loose && !s->rests) change_settings(run, s->asked);
  if (there)
    run->settings = s->asked;
  else if (!still && run->best_merit <= 1.0)
    solve_finish(run, SCREE_OUTCOME_SOLVED, NULL);
  return auto_classify_stack(&w->facts, run->best_residual.scaled, fresh, s->rests);
}

/* Back to the given tolerance, which may be met by now. */
static void end_rest(solve_run *run, stack *s) {
  if (s->rests) change_settings(run, s->asked);
  s->rests = false;
  run->strives = 0;
  if (run->ended) return;
  if (run->best_merit <= 1.0)
    solve_finish(run, SCREE_OUTCOME_SOLVED, NULL);
  else
    op_copy(run->op, run->best, run->g);
}

/* ---- plans ---------------------------------------------------------------------------------- */

/* Has an island so many blocks that a problem of its own costs as much as some sweeps of all? */
static bool has_large_island(const auto_work *w) {
  const size_t largest = w->state->islands.parts.largest;
  return largest > AUTO_SMALL && AUTO_LARGE_PART * largest > w->run->op->block_count;
}

/* Sweeps first where there is little time, and the core of a machine among many grains. Sweeps that
 * see through joints belong to the Newton steps (newton/prox.c); nothing is judged before these, as
 * that might end the run. */
static scree_status secure(auto_work *w) {
  bool made = false;
  if (!solve_has_little_time(w->run)) return SCREE_OK;
  if (w->facts.joined && (w->facts.little || (auto_falls_apart(w) && !has_large_island(w))))
    return SCREE_OK;
  scree_status status = SCREE_OK;
  if (w->facts.joined) status = core_secure(w->run, &w->state->core, &made);
  if (!status && !made) solve_secure(w->run);
  return status;
}

static scree_status run_stage(auto_work *w, auto_class class, const auto_stage *stage) {
  context_log(w->run->context, SCREE_LOG_DEBUG, "auto: %s: %s", auto_class_text(class),
              auto_stage_text(stage));
  switch (stage->kind) {
  case AUTO_SWEEP_ALL:
    return sweeps_run(w->run);
  case AUTO_SWEEP:
    return auto_run_sweeps(w);
  case AUTO_SWEEP_AGAIN:
    auto_run_sweeps_again(w);
    return SCREE_OK;
  case AUTO_ISLANDS:
    return auto_run_islands(w, stage);
  case AUTO_METHOD_RUN:
    return auto_run_method(w, stage);
  case AUTO_TURNS:
    return auto_run_turns(w);
  case AUTO_END:
    break;
  }
  return SCREE_OK;
}

/* Stage by stage until one ends the run; `last` is the one that ran last, null: none. */
static scree_status run_plan(auto_work *w, auto_class class, stack *s, const auto_stage **last,
                             const char **reason) {
  solve_run *run = w->run;
  scree_status status = SCREE_OK;
  *last = NULL;
  *reason = "";
  for (const auto_stage *stage = auto_plan(class); stage->kind != AUTO_END; stage++) {
    if (stage->as_asked) end_rest(run, s);
    if (status || run->ended) break;
    if (stage->reason) *reason = stage->reason;
    *last = stage;
    status = run_stage(w, class, stage);
    if (status) break;
  }
  if (s->rests) change_settings(run, s->asked);
  return status;
}

static bool is_step(auto_class class) {
  return class >= AUTO_STEP_FEW_GRAINS && class <= AUTO_STEP_SLIDING;
}

/* The steps of a simulation. */
static scree_status run_step(auto_work *w, auto_class class) {
  solve_run *run = w->run;
  const auto_stage *last;
  const char *reason;
  stack s = {.asked = run->settings};
  const scree_status secured = secure(w);
  if (secured || w->run->ended) return secured;
  const bool small = class == AUTO_STEP_SMALL || class == AUTO_STEP_JOINED;
  if (small && auto_may_strive(w))
    run->strives = w->facts.joined ? AUTO_STRIVE_JOINED : AUTO_STRIVE;
  const bool hurried = w->facts.joined && solve_has_little_time(run);
  if (small && !hurried && solve_check_start(run)) return SCREE_OK;
  if (class == AUTO_STEP_STACK) class = begin_stack(w, &s);
  if (run->ended) return SCREE_OK;
  const scree_status status = run_plan(w, class, &s, &last, &reason);
  if (!status && !run->detail[0]) snprintf(run->detail, sizeof run->detail, "%s", reason);
  return status;
}

/* All others, which are swept first: what ended them, and why the sweeps were left. */
static scree_status run_swept(auto_work *w, auto_class class) {
  solve_run *run = w->run;
  const auto_stage *last;
  const char *reason;
  stack s = {.asked = run->settings};
  char note[sizeof run->detail], turns[48] = "";
  if (solve_check_start(run)) return SCREE_OK;
  w->way =
      (auto_ways){.newton = w->facts.newton,
                  .gradient = !w->facts.dilates && (!w->facts.newton || auto_is_gentle(&w->facts))};
  const scree_status status = run_plan(w, class, &s, &last, &reason);
  if (status || last->kind == AUTO_SWEEP) return status;
  if (w->turns > 0) snprintf(turns, sizeof turns, " and sweeps in turns, %ld", w->turns);
  const char *const by = last->method == AUTO_GLIDE                ? auto_glide_name(&w->facts)
                         : auto_wants_interior(&w->facts, run->op) ? "ipm"
                                                                   : "prox";
  snprintf(note, sizeof note, "%s%s: %.100s", by, turns, run->detail[0] ? run->detail : w->reason);
  memcpy(run->detail, note, sizeof note);
  return SCREE_OK;
}

static scree_status run_auto(solve_run *run) {
  if (!*run->state) *run->state = memory_new(run->context, 1, sizeof(auto_state));
  if (!*run->state) return SCREE_ERROR_MEMORY;
  auto_work w = {.run = run, .state = *run->state, .facts = auto_look(run)};
  auto_class class = auto_classify(&w.facts);
  /* These three plans consist of one method; elastic and machine may give up. */
  while (class == AUTO_OPAQUE || class == AUTO_ELASTIC || class == AUTO_MACHINE) {
    const scree_status status = run_stage(&w, class, auto_plan(class));
    if (status || run->ended || class == AUTO_OPAQUE) return status;
    if (run->contradiction->found) {
      solve_finish(run, SCREE_OUTCOME_STALLED, "rows contradict each other");
      return SCREE_OK;
    }
    *(class == AUTO_ELASTIC ? &w.facts.elastic : &w.facts.machine) = false;
    class = auto_classify(&w.facts);
  }
  return is_step(class) ? run_step(&w, class) : run_swept(&w, class);
}

static void release(scree_context *context, void *state) {
  auto_clear(context, state);
}

const solver_class solver_auto = {
    .name = "auto",
    .summary = "sweeps first, then what is estimated to be cheapest; the default",
    .options = auto_options,
    .option_count = sizeof auto_options / sizeof auto_options[0],
    .coulomb = true,
    .projects = true,
    .flows = true,
    .patient = true,
    .judges_start = true,
    .vector_count = 2,
    .run = run_auto,
    .release = release,
};
