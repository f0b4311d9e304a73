/* What the stages of a plan do: see stages.h. */
#include "solve/auto/stages.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "ccp/operator_fused.h"
#include "ccp/sets/set.h"
#include "solve/auto/constants.h"
#include "solve/auto/costs.h"
#include "solve/direct/direct.h"
#include "solve/elastic/condense.h"
#include "solve/lcp/polyhedral.h"

extern const solver_class solver_prox;
extern const solver_class solver_apgd;
extern const solver_class solver_ags;
extern const solver_class solver_ipm;
extern const solver_class solver_lemke;

enum { MAX_OPTIONS = 24 };

static const solver_class *const methods[AUTO_METHODS] = {
    [AUTO_PROX] = &solver_prox,  [AUTO_APGD] = &solver_apgd,     [AUTO_AGS] = &solver_ags,
    [AUTO_IPM] = &solver_ipm,    [AUTO_DIRECT] = &solver_direct, [AUTO_CONDENSE] = &solver_condense,
    [AUTO_LEMKE] = &solver_lemke};

/* ---- other methods -------------------------------------------------------------------------- */

/* A Newton step as sweeps, which is what limits of work count. With few blocks, where steps come
 * first, it counts as one iteration. */
static double newton_work(const solve_run *run) {
  const auto_costs cost = auto_estimate(run->op);
  return run->op->block_count > AUTO_SMALL ? cost.newton / cost.sweep : 1.0;
}

typedef struct setting {
  const char *key;
  double value;
} setting;

/* Hands the run over to another method, which starts from run->g; the monitor goes on. */
static scree_status delegate(solve_run *run, auto_method method, const setting *set, size_t count) {
  const solver_class *class = methods[method];
  double option[MAX_OPTIONS];
  options_reset(class->options, class->option_count, option);
  for (size_t k = 0; k < class->option_count; k++)
    for (size_t j = 0; j < count; j++)
      if (strcmp(class->options[k].key, set[j].key) == 0) option[k] = set[j].value;
  auto_state *state = *run->state;
  state->vector[0] = run->vector[0];
  for (size_t k = 1; k < class->vector_count; k++)
    if (memory_grow(run->context, &state->vector[k], run->op->row_count, sizeof(double)))
      return SCREE_ERROR_MEMORY;
  solve_run sub = *run;
  sub.vector = state->vector;
  sub.class = class;
  sub.option = option;
  sub.state = &state->kept[method];
  sub.iteration_base = run->iterations;
  sub.next_check = 0;
  sub.iteration_work = method == AUTO_PROX || method == AUTO_IPM ? newton_work(run) : 1.0;
  const scree_status status = class->run(&sub);
  const solve_run outer = *run;
  *run = sub;
  run->class = outer.class;
  run->option = outer.option;
  run->vector = outer.vector;
  run->state = outer.state;
  run->iteration_base = 0;
  run->iteration_work = outer.iteration_work;
  return status;
}

/* A method that may give up, as the interior point method at the limit of its precision where many
 * contacts neither press nor part, or the direct one: the run goes on from the best iterate. */
static scree_status try_method(solve_run *run, auto_method method) {
  const long limit = run->settings->iteration_limit;
  const scree_status status = delegate(run, method, NULL, 0);
  const bool spent = limit > 0 && run->iterations >= limit;
  if (status || !run->ended ||
      !(run->outcome == SCREE_OUTCOME_STALLED ||
        (run->outcome == SCREE_OUTCOME_ITERATION_LIMIT && !spent)))
    return status;
  run->ended = false;
  run->detail[0] = '\0';
  op_copy(run->op, run->best, run->g);
  return SCREE_OK;
}

static auto_method glide_of(const auto_facts *f) {
  return auto_is_swept(f) ? AUTO_AGS : AUTO_APGD;
}

const char *auto_glide_name(const auto_facts *f) {
  return methods[glide_of(f)]->name;
}

/* Iterations with extrapolation that cost so many seconds. */
static double patience_for(double seconds, const auto_costs *cost) {
  return ceil(seconds / (auto_glide_sweep * cost->sweep));
}

/* A few blocks that sweeps hardly move, as under a great weight: extrapolation would not either. */
static bool has_hope(const auto_work *w) {
  return w->facts.blocks > AUTO_FEW || w->way.left < auto_hopeless_sweeps;
}

/* What Newton steps, or ipm, are estimated to cost from here on; at most as much again is lost.
 * Large relaxed problems at loose tolerances a multiple of it, as their active sets may churn. */
static double price_of_rest(const auto_work *w, const auto_costs *cost) {
  const solve_run *run = w->run;
  const bool coarse = auto_is_coarse(&w->facts) && w->facts.relaxed;
  const double steps =
      (coarse ? auto_coarse_price : 1.0) * (auto_steps + auto_steps_decade * log10(run->merit));
  const double interior =
      auto_wants_interior(&w->facts, run->op) ? auto_interior_block * (double)w->facts.blocks : 0.0;
  return set_larger(steps * cost->newton, interior);
}

/* Sweeps of a step leave the larger part of its iterations to the Newton steps that come after
 * them, which for small problems count as one each. */
static double leave_some(const solve_run *run, double sweeps) {
  const double most = auto_sweep_part * (double)run->settings->iteration_limit;
  return most > 0.0 && newton_work(run) <= 1.0 && sweeps > most ? most : sweeps;
}

/* Methods that are left after a while are not given up: that is no stall. */
static void lift_mark(auto_work *w) {
  if (w->lifted) return;
  w->lifted = true;
  w->stall = w->run->mark_iteration;
  w->run->mark_iteration = LONG_MAX;
}

scree_status auto_run_method(auto_work *w, const auto_stage *stage) {
  solve_run *run = w->run;
  if (stage->method == AUTO_DIRECT || stage->method == AUTO_CONDENSE)
    return try_method(run, stage->method);
  const auto_method method = stage->method == AUTO_GLIDE ? glide_of(&w->facts) : stage->method;
  if (stage->budget == AUTO_TO_THE_END) return delegate(run, method, NULL, 0);
  if (stage->budget == AUTO_AS_REST && !has_hope(w)) return SCREE_OK;
  setting patience = {"patience", 0.0};
  if (stage->budget == AUTO_FOR_REST) {
    patience.value = auto_rest_patience;
  } else if (stage->budget == AUTO_FOR_STICK) {
    patience.value = auto_stick_patience;
  } else {
    const auto_costs cost = auto_estimate(run->op);
    const bool rest = stage->budget == AUTO_AS_REST;
    const bool rough = w->facts.grains && scree_solve_asked_residual(run->settings) >= auto_rough;
    const double steps = rough ? auto_newton_price_rough : auto_newton_price;
    patience.value = patience_for(rest ? price_of_rest(w, &cost) : steps * cost.newton, &cost);
    if (!rest) patience.value = leave_some(run, patience.value);
    if (!rest) lift_mark(w);
  }
  const scree_status status = delegate(run, method, &patience, 1);
  if (!status && !run->ended) op_copy(run->op, run->best, run->g);
  return status;
}

bool auto_falls_apart(auto_work *w) {
  islands *parts = &w->state->islands;
  ccp_operator *op = w->run->op;
  return run_option(w->run, "islands") > 0.0 && w->facts.blocks <= AUTO_MOST_SPLIT &&
         islands_find(op, parts) == SCREE_OK && islands_apart(op, parts);
}

/* Machines among many grains: sweeps over all end most grains for a fraction of what their islands
 * cost one by one. Machines keep the impulses that they had, which sweeps spoil. */
static void sweep_loose(auto_work *w) {
  solve_run *run = w->run;
  ccp_operator *op = run->op;
  const islands *parts = &w->state->islands;
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = run->model, .omega = 1.0, .lambda = 1.0};
  if (AUTO_LOOSE_PART * islands_loose_blocks(op, parts) < op->block_count) return;
  op_copy(op, run->g, run->vector[1]);
  op_sweep_begin(op, run->g);
  int k = 0;
  for (; k < AUTO_LOOSE_SWEEPS && (k < AUTO_LOOSE_LEAST || !solve_is_over(run)); k++)
    op_sweep(op, &params, run->g);
  run->products += k;
  islands_restore_joined(op, parts, run->vector[1], run->g);
}

/* Islands of a step: one that is hard, as a heavy body on light grains, would cost the others as
 * many sweeps. Grains are swept a few times first, which is all that most need; sweeps do little
 * for joints, whose islands are often small. */
scree_status auto_run_islands(auto_work *w, const auto_stage *stage) {
  solve_run *run = w->run;
  islands *parts = &w->state->islands;
  const setting first = {"patience", auto_island_patience};
  lift_mark(w);
  if (!(run_option(run, "islands") > 0.0) || w->facts.blocks > AUTO_MOST_SPLIT) return SCREE_OK;
  scree_status status = islands_find(run->op, parts);
  if (status || !islands_apart(run->op, parts)) return status;
  if (stage->method == AUTO_AGS && w->facts.contacts == w->facts.blocks) {
    status = delegate(run, AUTO_AGS, &first, 1);
    if (status || run->ended) return status;
    op_copy(run->op, run->best, run->g);
  }
  if (w->facts.joined && w->facts.bodies) sweep_loose(w);
  return islands_solve(run, parts);
}

/* ---- sweeps --------------------------------------------------------------------------------- */

/* A residual costs as much as a sweep of a small problem. With a tolerance on E alone (with one on
 * R solve_due_hint decides) the next one is due when most of the sweeps that the rate so far
 * estimates are done, `left` of them, and a sweep's change has shrunk as much as the merit must; or
 * when more than all of them are done, in case the changes mislead. */
typedef struct checks {
  long last, first, latest; /* sweeps: the last check, bounds of the next one */
  double merit, change;     /* at the last */
} checks;

static void plan_check(const solve_run *run, long iteration, double change, checks *c) {
  const scree_solve_settings *s = run->settings;
  const double left = auto_sweeps_left(run->merit, c->merit, (double)(iteration - c->last));
  *c = (checks){.last = iteration, .merit = run->merit, .change = change};
  if (s->tolerance_residual > 0.0 || s->check_interval > 0 || s->progress) return;
  c->first =
      iteration + (long)set_larger(1.0, set_smaller(auto_check_part * left, auto_check_first));
  c->latest = iteration + 2 + (long)set_smaller(auto_check_times * left, auto_check_latest);
  if (s->iteration_limit > 0 && c->first > s->iteration_limit) c->first = s->iteration_limit;
  if (s->iteration_limit > 0 && c->latest > s->iteration_limit) c->latest = s->iteration_limit;
}

static bool is_due(solve_run *run, long iteration, double change, const checks *c) {
  if (c->latest == 0) return solve_due_hint(run, iteration, change);
  if (iteration < c->first) return solve_is_over(run);
  return iteration >= c->latest || c->merit * change <= c->change;
}

typedef enum phase_end { PHASE_SOLVED, PHASE_LEFT, PHASE_APART } phase_end;

/* Sweeps until something else is estimated to be cheaper; w->reason says why they were left. */
static phase_end sweep(auto_work *w, auto_ways *way) {
  solve_run *run = w->run;
  ccp_operator *op = run->op;
  islands *parts = &w->state->islands;
  const bool split = run_option(run, "islands") > 0.0 && op->block_count > AUTO_FEW;
  bool apart = false, looked = false;
  const long first = (long)run_option(run, "sweeps");
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = run->model, .omega = 1.0, .lambda = 1.0};
  const bool other = way->newton || run->model == SCREE_MODEL_RELAXED;
  long since = 0;
  double merit_since = run->merit;
  checks next = {.merit = run->merit};
  const long stall = run->mark_iteration;
  if (other) run->mark_iteration = LONG_MAX; /* they are left, not given up */
  op_sweep_begin(op, run->g);
  for (long iteration = 1;; iteration++) {
    const double change = op_sweep_inside(op, &params, run->g);
    run->products++;
    if (split && !looked && iteration >= first) {
      looked = true;
      apart = islands_find(op, parts) == SCREE_OK && islands_apart(op, parts);
    }
    const bool choice = (other || apart) && iteration >= first && iteration >= 2 * since;
    if (!choice && !is_due(run, iteration, change, &next)) continue;
    if (solve_check_sweep(run, iteration)) return PHASE_SOLVED;
    plan_check(run, iteration, change, &next);
    if (!choice) continue;
    const double gone = (double)(iteration - since), gain = run->merit / merit_since;
    const double left = auto_sweeps_left(run->merit, merit_since, gone);
    since = iteration;
    merit_since = run->merit;
    const bool leave = other && auto_should_leave(run, &w->facts, *way, (double)iteration, left);
    if (!leave && !(apart && left > auto_apart_sweeps)) continue;
    run->mark_iteration = stall > iteration ? stall : 2 * iteration;
    number_format(w->reason, sizeof w->reason,
                  "%ld sweeps converge by %.3f each: %.0e more expected", iteration,
                  pow(gain, 1.0 / gone), set_smaller(left, 9e9));
    way->left = left;
    /* If few sweeps are left, extrapolation over all islands together is cheaper. */
    return apart && !(way->gradient && left <= auto_apart_sweeps) ? PHASE_APART : PHASE_LEFT;
  }
}

/* A given number of sweeps from where the last turn of them ended, vector[1]. */
static phase_end sweep_on(solve_run *run, long count) {
  ccp_operator *op = run->op;
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = run->model, .omega = 1.0, .lambda = 1.0};
  op_copy(op, run->vector[1], run->g);
  op_sweep_begin(op, run->g);
  run->iteration_base = run->iterations;
  run->mark_iteration += count; /* they begin far behind the best iterate: that is no stall */
  phase_end end = PHASE_LEFT;
  for (long k = 1; k <= count && end == PHASE_LEFT; k++) {
    op_sweep_inside(op, &params, run->g);
    run->products++;
    if (k % 25 != 0 && k != count && !solve_is_over(run)) continue;
    if (solve_check_sweep(run, k)) end = PHASE_SOLVED;
  }
  op_copy(op, run->g, run->vector[1]);
  run->iteration_base = 0;
  return end;
}

/* "solved by %ld sweeps", without the printer: its first call costs as much as a small problem. */
static void say_sweeps(long count, char *to) {
  char digit[24];
  size_t digits = 0;
  memcpy(to, "solved by ", sizeof "solved by ");
  do digit[digits++] = (char)('0' + count % 10);
  while ((count /= 10) > 0);
  for (size_t k = 0; k < digits; k++) to[10 + k] = digit[digits - 1 - k];
  memcpy(to + 10 + digits, " sweeps", sizeof " sweeps");
}

scree_status auto_run_sweeps(auto_work *w) {
  solve_run *run = w->run;
  const phase_end end = sweep(w, &w->way);
  if (end == PHASE_APART) {
    islands *parts = &w->state->islands;
    const scree_status status = islands_solve(run, parts);
    if (!status && run->ended && run->outcome == SCREE_OUTCOME_SOLVED)
      snprintf(run->detail, sizeof run->detail, "%ld of %zu islands apart: %.80s",
               parts->solved_apart, parts->parts.count, w->reason);
    return status;
  }
  if (end == PHASE_SOLVED && !run->detail[0] && run->outcome == SCREE_OUTCOME_SOLVED)
    say_sweeps(run->iterations, run->detail);
  return SCREE_OK;
}

void auto_run_sweeps_again(auto_work *w) {
  char kept[sizeof w->reason];
  auto_ways way = {.newton = true};
  memcpy(kept, w->reason, sizeof kept);
  w->run->iteration_base = w->run->iterations;
  sweep(w, &way);
  w->run->iteration_base = 0;
  memcpy(w->reason, kept, sizeof kept);
}

/* ---- Newton steps --------------------------------------------------------------------------- */

/* Cold exact problems with masses that differ widely: a way that warm steps have no time for. At
 * once where they differ so much that nothing else helps, else when two turns were in vain. */
static scree_status try_masses(auto_work *w) {
  solve_run *run = w->run;
  mass_path *path = &w->state->masses;
  const double ratio = w->turns == 0 ? auto_extreme_masses : auto_wide_masses;
  if (w->facts.dilates || w->facts.warm || w->facts.blocks <= AUTO_COARSE ||
      (w->turns != 0 && w->turns != 2) || !mass_path_takes(run->op, run->model, ratio) ||
      (w->turns == 2 && mass_path_takes(run->op, run->model, auto_extreme_masses)))
    return SCREE_OK;
  const scree_status status = mass_path_solve(path, run);
  if (!status && run->ended && run->outcome == SCREE_OUTCOME_SOLVED)
    snprintf(run->detail, sizeof run->detail, "masses grew apart in %ld problems", path->problems);
  return status;
}

/* The Newton steps of one turn. Small problems: every other turn stays near the sweeps' iterate;
 * the rest may start from elsewhere too. Large ones: once with one weight for all, then with a
 * weight for each block. */
typedef struct turn {
  bool large;
  double ratio; /* a Newton step over a sweep */
  double patience, local, path;
} turn;

static scree_status newton_steps(auto_work *w, const turn *t) {
  const bool odd = w->turns % 2, dilates = t->large && odd && !w->facts.dilates;
  const double failures = t->large ? (w->turns ? 0.0 : auto_failures)
                          : odd    ? auto_failures_patient
                                   : auto_failures;
  const setting settings[] = {
      {"warmup", 0.0},
      {"patience", t->patience},
      {"failures", failures},
      {"starts", t->large ? 0.0 : auto_starts},
      {"local", t->local},
      {"path", t->path},
      {"dilate", dilates ? auto_dilate : 0.0},
      {"dilate_prox", w->turns > 1 ? auto_dilate_light : auto_dilate_heavy},
      {"local_sweeps",
       set_larger(auto_local_sweeps_least, set_smaller(t->ratio, auto_local_sweeps_most))}};
  return delegate(w->run, AUTO_PROX, settings, sizeof settings / sizeof settings[0]);
}

/* Relaxed problems have a method whose active set does not churn: Newton steps, ipm, and Newton
 * steps from where that gave up; with many moments ipm first. */
static scree_status relaxed_turns(auto_work *w, turn *t, double most_patience) {
  solve_run *run = w->run;
  bool interior = auto_wants_interior(&w->facts, run->op);
  scree_status status = SCREE_OK;
  t->patience = auto_patience_interior;
  if (interior) {
    status = try_method(run, AUTO_IPM);
    t->patience = most_patience;
  }
  if (!status && !run->ended) op_copy(run->op, run->g, run->vector[1]);
  while (!status && !run->ended) {
    status = newton_steps(w, t);
    if (status || run->ended) break;
    if (interior) {
      solve_finish(run, SCREE_OUTCOME_STALLED,
                   "neither Newton steps nor the interior point method arrive");
      break;
    }
    interior = true;
    t->patience = most_patience;
    status = try_method(run, AUTO_IPM);
  }
  return status;
}

/* The solution with polygons in place of discs, as a start; the run goes on whatever it is. */
static scree_status start_from_polygons(solve_run *run, double facets) {
  const setting set = {"facets", facets};
  const scree_status status = delegate(run, AUTO_LEMKE, &set, 1);
  if (status || !run->ended || run->outcome != SCREE_OUTCOME_STALLED) return status;
  run->ended = false;
  run->detail[0] = '\0';
  return SCREE_OK;
}

/* The few contacts that one or two bodies have with what they hit: an active set may churn there
 * for thousands of steps, and sweeps creep. The interior point method solves most of them, and from
 * the solution with polygons, whose states of contacts are nearly those of the discs, two to seven
 * Newton steps solve nearly all others. */
static scree_status solve_tiny(auto_work *w, turn *t) {
  static const double facets[] = {12.0, 24.0};
  solve_run *run = w->run;
  t->patience = auto_patience_tiny;
  scree_status status = newton_steps(w, t);
  if (!status && !run->ended) status = try_method(run, AUTO_IPM);
  for (size_t k = 0; k < sizeof facets / sizeof facets[0] && !status && !run->ended; k++) {
    if (polyhedral_size(run->op->problem, (int)facets[k]) > AUTO_MOST_POLYHEDRAL) break;
    status = start_from_polygons(run, facets[k]);
    if (!status && !run->ended) status = newton_steps(w, t);
  }
  return status;
}

/* Newton steps and sweeps in turns. Steps end at once what sweeps have brought near, but on
 * packings with high friction (chains with soft modes) they churn, where sweeps creep on: each turn
 * of sweeps costs what the steps before it did, and goes on from the sweeps before it. */
static scree_status exact_turns(auto_work *w, turn *t, double most_patience) {
  solve_run *run = w->run;
  op_copy(run->op, run->g, run->vector[1]);
  if (w->facts.blocks <= AUTO_TINY && !w->facts.dilates) {
    const scree_status status = solve_tiny(w, t);
    if (status || run->ended) return status;
  }
  t->patience = most_patience;
  for (;;) {
    const long before = run->iterations;
    scree_status status = newton_steps(w, t);
    if (status || run->ended) return status;
    const double sweeps = (double)(run->iterations - before) * t->ratio;
    status = try_masses(w);
    if (status || run->ended) return status;
    w->turns++;
    t->patience *= w->turns % 2 ? auto_patience_odd : auto_patience_even;
    t->path *= auto_path_growth;
    if (t->large) t->local = set_larger(auto_first_local, 2.0 * t->local);
    const double count =
        set_larger(auto_turn_sweeps_least, set_smaller(sweeps, auto_turn_sweeps_most));
    if (sweep_on(run, (long)count) == PHASE_SOLVED) return SCREE_OK;
  }
}

scree_status auto_run_turns(auto_work *w) {
  solve_run *run = w->run;
  if (w->lifted) {
    if (!solve_is_new(run)) op_copy(run->op, run->best, run->g);
    run->mark_iteration = w->stall > 2 * run->iterations ? w->stall : 2 * run->iterations;
  }
  const auto_costs cost = auto_estimate(run->op);
  const double most = set_larger(auto_patience_least,
                                 set_smaller(auto_patience_time / cost.newton, auto_patience_most));
  turn t = {.large = !w->facts.relaxed && w->facts.blocks > AUTO_SMALL,
            .ratio = cost.newton / cost.sweep,
            .path = auto_first_path};
  w->turns = 0;
  return w->facts.relaxed ? relaxed_turns(w, &t, most) : exact_turns(w, &t, most);
}

/* ---- the end -------------------------------------------------------------------------------- */

void auto_clear(scree_context *context, auto_state *s) {
  for (int k = 0; k < AUTO_METHODS; k++)
    if (s->kept[k] && methods[k]->release) methods[k]->release(context, s->kept[k]);
  for (int k = 1; k < AUTO_VECTORS; k++) memory_free(context, s->vector[k]);
  islands_clear(context, &s->islands);
  core_clear(context, &s->core);
  mass_path_clear(context, &s->masses);
  memory_free(context, s);
}
