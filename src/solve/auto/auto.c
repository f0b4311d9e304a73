/* The automatic choice. It begins with Gauss–Seidel sweeps that solve each block exactly: nothing
 * is cheaper, and a warm start often needs no more. From their rate of convergence it foresees what
 * the rest would cost, and changes to a method whose foreseen cost is lower:
 *
 *   ags    relaxed problems of grains, bodies that mostly touch in one contact, for what Newton
 *          steps would cost: sweeps with momentum
 *   apgd   the same for bodies that are stacked, and for large relaxed problems of other forms;
 *          exact ones go on with sweeps
 *   prox   while its factorisations are affordable, in both models; when its active set churns, in
 *          turns with sweeps (exact), or followed by ipm (relaxed); cold exact problems whose
 * masses differ widely first take the way of mass_path.h
 *
 * Machines, problems of joints, motors and stops without friction, are the direct solver's at once.
 * The steps of a simulation, problems of bodies that start warm, are another matter. Sweeps leave
 * an error of long wavelength, small in any one contact, that a stack adds up from step to step
 * until it rocks: on a pyramid of 210 boxes a few sweeps first cost twenty times the iterations in
 * the end. So there
 *
 *   small, any tolerance   prox at once: near the solution its steps are few, and where little is
 *                          asked they go on to a thousandth of it; some grains without joints,
 *                          loose: ags before it, a tenth of the time
 *   large, loose, stacked  apgd, judged by the model; with exact friction ags where bodies
 *                          slide: many bodies touch each other in several contacts, as boxes do
 *   the same, tumbling     ags in both models: nothing is left to add up
 *   large, loose, grains   ags in both models
 *
 * A large stack at rest is brought to R = 1e-3 even where less is asked: see solve_stacked.
 *
 * Small are up to 300 blocks, 600 of stacked bodies with exact friction.
 * Islands of the large ones are solved apart, each by what suits it, grains after a few sweeps. Of
 * the large ones those of up to some 2,000 blocks that are not solved for what twenty Newton
 * steps would cost go on with these.
 *
 * The cost of a sweep and of a Newton step is foreseen from the number of blocks and how densely
 * they are coupled, in seconds of the measured machine (docs/solvers.md), never by the clock or the
 * number of threads: the same problem is solved the same way everywhere. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "ccp/operator_fused.h"
#include "ccp/sets/set.h"
#include "solve/auto/classify.h"
#include "solve/auto/costs.h"
#include "solve/direct/direct.h"
#include "solve/islands.h"
#include "solve/newton/mass_path.h"

extern const solver_class solver_prox;
extern const solver_class solver_apgd;
extern const solver_class solver_ags;
extern const solver_class solver_ipm;

static const scree_option_def auto_options[] = {
    {"sweeps", SCREE_OPTION_INT, 4, 0, 1e6, NULL, "", "sweeps before the first choice"},
    {"newton_blocks", SCREE_OPTION_INT, 40000, 0, 1e9, NULL, "",
     "largest problem given to prox, in blocks"},
    {"islands", SCREE_OPTION_CHOICE, 1, 0, 1, "together|apart", "",
     "blocks that nothing couples: as one problem, or each island by what suits it"},
};

enum { MAX_OPTIONS = 24, MAX_VECTORS = 16, METHODS = 5 };
enum { PROX, APGD, AGS, IPM, DIRECT };
enum { first_path = 250 };   /* steps along a path without a gain, more each turn */
enum { first_local = 400 };  /* steps with weights of each block's own, doubled each turn */
enum { least_grains = 30 };  /* blocks: fewer are one cheap factorisation */
enum { most_split = 30000 }; /* blocks: beyond, looking for islands costs as much as some sweeps */
static const double wide_masses = 30.0, extreme_masses = 1e5; /* ratios; see try_masses */
static const double newton_price = 20.0;   /* Newton steps' cost that grains are swept for */
static const double interior_price = 5e-4; /* s a block with moments, of all of ipm's iterations */

/* R of the impulses of the step before, in the units of what gravity adds in a step: above this
 * bodies hit each other; where they rest it is below 0.01, and 1 when there was no step before. */
static const double impact = 2.0;
/* The same of a stack at rest, what it is then solved to, and the gradient steps for that. */
static const double rest = 0.1, rest_tolerance = 1e-3, rest_patience = 300.0;

/* What the methods keep from one solve to the next, and their vectors: made when first needed, for
 * a simulation whose sweeps always suffice pays for none. */
typedef struct auto_state {
  void *kept[METHODS];
  double *vector[MAX_VECTORS];
  size_t capacity[MAX_VECTORS];
  islands islands;
  mass_path masses;
} auto_state;

static const solver_class *const methods[METHODS] = {[PROX] = &solver_prox,
                                                     [APGD] = &solver_apgd,
                                                     [AGS] = &solver_ags,
                                                     [IPM] = &solver_ipm,
                                                     [DIRECT] = &solver_direct};

/* Hands the run over to another method, which starts from run->g; the monitor goes on. */
typedef struct setting {
  const char *key;
  double value;
} setting;

/* A Newton step as sweeps, which is what limits of work count. With few blocks, where steps come
 * first, it counts as one iteration. */
static double newton_work(const solve_run *run) {
  const auto_costs cost = auto_foresee(run->op);
  return run->op->block_count > AUTO_SMALL ? cost.newton / cost.sweep : 1.0;
}

static scree_status delegate(solve_run *run, int method, const setting *set, size_t count) {
  const solver_class *class = methods[method];
  double option[MAX_OPTIONS];
  options_reset(class->options, class->option_count, option);
  for (size_t k = 0; k < class->option_count; k++)
    for (size_t j = 0; j < count; j++)
      if (strcmp(class->options[k].key, set[j].key) == 0) option[k] = set[j].value;
  auto_state *state = *run->state;
  state->vector[0] = run->vector[0];
  for (size_t k = 1; k < class->vector_count; k++)
    if (memory_grow(run->context, &state->vector[k], &state->capacity[k], run->op->row_count,
                    sizeof(double)))
      return SCREE_ERROR_MEMORY;
  solve_run sub = *run;
  sub.vector = state->vector;
  sub.class = class;
  sub.option = option;
  sub.state = &state->kept[method];
  sub.iteration_base = run->iterations;
  sub.next_check = 0;
  sub.iteration_work = method == PROX || method == IPM ? newton_work(run) : 1.0;
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

typedef enum phase_end { PHASE_SOLVED, PHASE_LEFT, PHASE_APART } phase_end;

/* A residual costs as much as a sweep of a small problem. Where E is asked alone (where R is,
 * solve_due_hint looks after it) the next one is due when most of the sweeps that the rate so far
 * foresees are done, `left` of them, and a sweep's change has shrunk as much as the merit must; or
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
  c->first = iteration + (long)set_larger(1.0, set_smaller(0.7 * left, 25.0));
  c->latest = iteration + 2 + (long)set_smaller(1.5 * left, 50.0);
  if (s->iteration_limit > 0 && c->first > s->iteration_limit) c->first = s->iteration_limit;
  if (s->iteration_limit > 0 && c->latest > s->iteration_limit) c->latest = s->iteration_limit;
}

static bool is_due(solve_run *run, long iteration, double change, const checks *c) {
  if (c->latest == 0) return solve_due_hint(run, iteration, change);
  if (iteration < c->first) return false;
  return iteration >= c->latest || c->merit * change <= c->change;
}

/* What needs the fewer iterations, gradient steps or sweeps, both with momentum. */
static int gentle_method(const solve_run *run) {
  return auto_is_swept(run) ? AGS : APGD;
}

/* Islands are solved apart when the sweeps that are foreseen cost more than setting them up does.
 */
static const double apart_sweeps = 50.0;
enum { few = 100 }; /* blocks: nothing is gained by looking for islands */

/* Sweeps until something else is foreseen to be cheaper. `reason` says why they were left. */
static phase_end sweep(solve_run *run, auto_ways *way, char *reason, size_t room) {
  ccp_operator *op = run->op;
  islands *parts = &((auto_state *)*run->state)->islands;
  const bool split = run_option(run, "islands") > 0.0 && op->block_count > few;
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
    const bool leave = other && auto_should_leave(run, *way, (double)iteration, left);
    if (!leave && !(apart && left > apart_sweeps)) continue;
    run->mark_iteration = stall > iteration ? stall : 2 * iteration;
    number_format(reason, room, "%ld sweeps converge by %.3f each: %.0e more foreseen", iteration,
                  pow(gain, 1.0 / gone), set_smaller(left, 9e9));
    way->left = left;
    /* Where few are left, momentum ends them all together. */
    return apart && !(way->gradient && left <= apart_sweeps) ? PHASE_APART : PHASE_LEFT;
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
    if (k % 25 != 0 && k != count) continue;
    if (solve_check_sweep(run, k)) end = PHASE_SOLVED;
  }
  op_copy(op, run->g, run->vector[1]);
  run->iteration_base = 0;
  return end;
}

/* A method that may give up, as the interior point method at the limit of its precision where many
 * contacts neither press nor part, or the direct one: the run goes on from the best iterate. */
static scree_status try_method(solve_run *run, int method) {
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

/* Cold exact problems with masses that differ widely: a way that warm steps have no time for. At
 * once where they differ so much that nothing else helps, else when two turns were in vain. */
static scree_status try_masses(solve_run *run, long turns) {
  mass_path *path = &((auto_state *)*run->state)->masses;
  if (run->settings->warm_start || run->op->block_count <= AUTO_COARSE ||
      !(turns == 0   ? mass_path_takes(run->op, run->model, extreme_masses)
        : turns == 2 ? mass_path_takes(run->op, run->model, wide_masses) &&
                           !mass_path_takes(run->op, run->model, extreme_masses)
                     : false))
    return SCREE_OK;
  const scree_status status = mass_path_solve(path, run);
  if (!status && run->ended && run->outcome == SCREE_OUTCOME_SOLVED)
    snprintf(run->detail, sizeof run->detail, "masses grew apart in %ld problems", path->problems);
  return status;
}

/* Newton steps and sweeps in turns. Steps end at once what sweeps have brought near, but on
 * packings with high friction (chains with soft modes) they churn, where sweeps creep on: each turn
 * of sweeps costs what the steps before it did, and goes on from the sweeps before it. Relaxed
 * problems have a method that does not churn. */
static scree_status take_turns(solve_run *run, long *turns) {
  const auto_costs cost = auto_foresee(run->op);
  const double ratio = cost.newton / cost.sweep;
  const bool large = run->model == SCREE_MODEL_COULOMB && run->op->block_count > AUTO_SMALL;
  /* Newton steps; relaxed problems that churn are soon the interior point method's. */
  const double most_patience = set_larger(300.0, set_smaller(0.5 / cost.newton, 2000.0));
  double patience = run->model == SCREE_MODEL_RELAXED ? 60.0 : most_patience;
  double local = 0.0, path = first_path;
  bool interior = auto_wants_interior(run);
  *turns = 0;
  if (interior) {
    const scree_status status = try_method(run, IPM);
    if (status || run->ended) return status;
    patience = most_patience;
  }
  op_copy(run->op, run->g, run->vector[1]);
  for (;;) {
    const long before = run->iterations;
    /* Small ones: every other turn stays near the sweeps' iterate; the rest may start from
     * elsewhere too. Large ones: once with one weight for all, then with a weight for each block.
     */
    const setting settings[] = {{"warmup", 0.0},
                                {"patience", patience},
                                {"failures", large        ? (*turns ? 0.0 : 4.0)
                                             : *turns % 2 ? 60.0
                                                          : 4.0},
                                {"starts", large ? 0.0 : 6.0},
                                {"local", local},
                                {"path", path},
                                {"local_sweeps", set_larger(5.0, set_smaller(ratio, 300.0))}};
    const scree_status status = delegate(run, PROX, settings, sizeof settings / sizeof settings[0]);
    if (status || run->ended) return status;
    if (run->model == SCREE_MODEL_RELAXED) {
      if (interior) {
        solve_finish(run, SCREE_OUTCOME_STALLED,
                     "neither Newton steps nor the interior point method arrive");
        return SCREE_OK;
      }
      interior = true;
      patience = most_patience;
      const scree_status tried = try_method(run, IPM);
      if (tried || run->ended) return tried;
      continue;
    }
    const double sweeps = (double)(run->iterations - before) * ratio;
    const scree_status tried = try_masses(run, *turns);
    if (tried || run->ended) return tried;
    ++*turns;
    patience *= *turns % 2 ? 0.3 : 6.0;
    path *= 1.3;
    if (large) local = set_larger(first_local, 2.0 * local);
    if (sweep_on(run, (long)set_larger(100.0, set_smaller(sweeps, 1e8))) == PHASE_SOLVED)
      return SCREE_OK;
  }
}

/* A few blocks that sweeps hardly move, as under a great weight: momentum would not either. */
static bool has_hope(const solve_run *run, double left) {
  return run->op->block_count > few || left < 1e4;
}

/* Gradient steps get what Newton steps, or ipm, are foreseen to cost, at most as much again is
 * lost; large relaxed problems at loose tolerances ten times that, as their active sets may churn.
 */
static scree_status try_gradient(solve_run *run) {
  const auto_costs cost = auto_foresee(run->op);
  const bool coarse = auto_is_coarse(run) && run->model == SCREE_MODEL_RELAXED;
  const double steps = (coarse ? 10.0 : 1.0) * (15.0 + 2.0 * log10(run->merit));
  const double interior =
      auto_wants_interior(run) ? interior_price * (double)run->op->block_count : 0.0;
  const double price = set_larger(steps * cost.newton, interior);
  const setting patience = {"patience", ceil(price / (1.3 * cost.sweep))};
  const scree_status status = delegate(run, gentle_method(run), &patience, 1);
  if (!status && !run->ended) op_copy(run->op, run->best, run->g);
  return status;
}

/* Islands of a step, each by what suits it: one that is hard, as a heavy body on light grains,
 * would cost the others as many sweeps. Grains are swept a few times first, which is all that most
 * need; sweeps do little for joints, whose islands are often small. */
static scree_status try_islands(solve_run *run, int method) {
  islands *parts = &((auto_state *)*run->state)->islands;
  static const setting first = {"patience", 30.0};
  if (!(run_option(run, "islands") > 0.0) || run->op->block_count > most_split) return SCREE_OK;
  scree_status status = islands_find(run->op, parts);
  if (status || !islands_apart(run->op, parts)) return status;
  if (method == AGS && run->op->problem->bodies.contact_count == run->op->block_count) {
    status = delegate(run, AGS, &first, 1);
    if (status || run->ended) return status;
    op_copy(run->op, run->best, run->g);
  }
  return islands_solve(run, parts);
}

/* A method with momentum for what Newton steps are foreseen to cost, then those. */
static scree_status solve_then_turns(solve_run *run, int method) {
  const auto_costs cost = auto_foresee(run->op);
  const setting patience = {"patience", ceil(newton_price * cost.newton / (1.3 * cost.sweep))};
  const long stall = run->mark_iteration;
  long turns;
  run->mark_iteration = LONG_MAX; /* they are left, not given up */
  scree_status status = run->op->block_count > AUTO_COARSE ? try_islands(run, method) : SCREE_OK;
  if (!status && !run->ended) status = delegate(run, method, &patience, 1);
  if (status || run->ended) return status;
  op_copy(run->op, run->best, run->g);
  run->mark_iteration = stall > 2 * run->iterations ? stall : 2 * run->iterations;
  return take_turns(run, &turns);
}

/* Merits are in units of the tolerance. */
static void change_settings(solve_run *run, const scree_solve_settings *to) {
  const double ratio = run->settings->tolerance_residual / to->tolerance_residual;
  run->settings = to;
  run->merit *= ratio;
  run->best_merit *= ratio;
  run->mark_merit *= ratio;
}

/* R of the start below which relaxed steps are tried first in the exact model, and how many. */
static const double stick = 0.1, stick_patience = 400.0;

/* Stacked bodies. What a loose tolerance leaves is added up by a stack from step to step, until it
 * sways and each step costs more than a tight one would have. So a stack at rest, whose start is
 * better than `rest`, goes on to `rest_tolerance`; where that is not reached for what the first
 * method may cost, what was asked is enough. */
static scree_status solve_stacked(solve_run *run, const char **why) {
  const scree_solve_settings *const asked = run->settings;
  scree_solve_settings tight = *asked;
  tight.tolerance_residual = rest_tolerance;
  const bool loose = asked->tolerance_residual > rest_tolerance && asked->tolerance_error <= 0.0;
  if (loose) run->settings = &tight;
  const bool there = solve_check_start(run);
  /* Without impulses to start from a stack may be at rest as well: its first step decides. */
  const bool fresh = op_max_abs(run->op, run->g) == 0.0;
  const bool rests = loose && (fresh || run->best_residual.residual < rest);
  if (loose && !rests) change_settings(run, asked);
  if (there) {
    run->settings = asked;
    return SCREE_OK;
  }
  scree_status status = SCREE_OK;
  if (loose && !rests && run->best_merit <= 1.0) {
    solve_finish(run, SCREE_OUTCOME_SOLVED, NULL);
  } else if (run->best_residual.residual > impact) {
    status = solve_then_turns(run, AGS);
    *why = "ags: a large problem of bodies that tumble, warm, at a loose tolerance";
  } else if (run->model == SCREE_MODEL_RELAXED) {
    *why = "apgd: a large relaxed problem of stacked bodies, warm, at a loose tolerance";
    const setting patience = {"patience", rest_patience};
    status = rests ? delegate(run, APGD, &patience, 1) : solve_then_turns(run, APGD);
  } else {
    /* Where nothing slides the two models have the same solutions: steps of the relaxed one, judged
     * by the exact law, end there. */
    const setting patience = {"patience", stick_patience};
    *why = "apgd: a large stacked problem in which hardly anything slides, warm";
    if (fresh || run->best_residual.residual < stick) status = delegate(run, APGD, &patience, 1);
  }
  if (rests) change_settings(run, asked);
  if (status || run->ended) return status;
  if (run->best_merit <= 1.0) {
    solve_finish(run, SCREE_OUTCOME_SOLVED, NULL);
    return SCREE_OK;
  }
  op_copy(run->op, run->best, run->g);
  *why = "ags: a large problem of stacked bodies that slide, warm, at a loose tolerance";
  return solve_then_turns(run, AGS);
}

/* A time limit may end the run before a Newton step does any good, or even before the start is
 * judged: some sweeps first, which are better than the impulses of the step before. */
enum { SECURE_SWEEPS = 10 };
static bool secure(solve_run *run) {
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = run->model, .omega = 1.0, .lambda = 1.0};
  if (!solve_has_little_time(run)) return false;
  op_sweep_begin(run->op, run->g);
  for (int k = 0; k < SECURE_SWEEPS; k++) op_sweep(run->op, &params, run->g);
  run->products += SECURE_SWEEPS;
  return solve_adopt(run, SECURE_SWEEPS, run->g);
}

/* The steps of a simulation: see the head. */
static scree_status solve_step(solve_run *run, bool *chosen) {
  const scree_ccp *p = run->op->problem;
  const bool few_blocks = run->op->block_count <= AUTO_COARSE ||
                          (run->model == SCREE_MODEL_COULOMB &&
                           run->op->block_count <= AUTO_SMALL && auto_is_stacked(p));
  scree_status status = SCREE_OK;
  const char *why = "";
  long turns;
  *chosen = p->form == SCREE_FORM_BODIES && run->settings->warm_start &&
            (few_blocks || auto_is_loose(run));
  if (!*chosen || secure(run)) return SCREE_OK;
  const bool swept =
      few_blocks && p->block_count > least_grains && auto_is_loose(run) && auto_has_grains_alone(p);
  run->strives = few_blocks && auto_is_loose(run) && !swept;
  if (swept) {
    status = solve_then_turns(run, AGS);
    why = "ags: some grains, warm, at a loose tolerance";
  } else if (few_blocks) {
    if (solve_check_start(run)) return SCREE_OK;
    status = take_turns(run, &turns);
    why = "prox: a small problem of bodies, warm";
  } else if (!auto_is_stacked(p)) {
    status = solve_then_turns(run, AGS);
    why = "ags: a large problem of grains, warm, at a loose tolerance";
  } else
    status = solve_stacked(run, &why);
  if (*chosen && !status && !run->detail[0]) snprintf(run->detail, sizeof run->detail, "%s", why);
  return status;
}

/* Sweeps as far as Newton steps of many contacts with exact friction want them. */
static void sweep_again(solve_run *run) {
  char reason[100];
  auto_ways way = {.newton = true};
  if (run->ended) return;
  run->iteration_base = run->iterations;
  sweep(run, &way, reason, sizeof reason);
  run->iteration_base = 0;
}

/* "solved by %ld sweeps", without the printer: its first call costs as much as a small problem. */
static void say_sweeps(long count, char *to) {
  char digit[24];
  size_t digits = 0;
  memcpy(to, "solved by ", 10);
  do digit[digits++] = (char)('0' + count % 10);
  while ((count /= 10) > 0);
  for (size_t k = 0; k < digits; k++) to[10 + k] = digit[digits - 1 - k];
  memcpy(to + 10 + digits, " sweeps", 8);
}

static scree_status run_auto(solve_run *run) {
  if (auto_dilates(run)) return sweeps_run(run);
  if (!*run->state) *run->state = memory_new(run->context, 1, sizeof(auto_state));
  if (!*run->state) return SCREE_ERROR_MEMORY;
  bool chosen;
  if (direct_suits(run->op->problem)) {
    const scree_status direct = try_method(run, DIRECT);
    if (direct || run->ended) return direct;
  }
  const scree_status step_status = solve_step(run, &chosen);
  if (step_status || chosen || solve_check_start(run)) return step_status;
  const bool newton = (double)run->op->block_count <= run_option(run, "newton_blocks");
  char reason[100] = "", note[sizeof run->detail], turns_note[48] = "";
  const bool gentle = auto_is_gentle(run);
  auto_ways way = {.newton = newton, .gradient = !newton || gentle};
  const phase_end end = sweep(run, &way, reason, sizeof reason);
  if (end == PHASE_APART) {
    islands *parts = &((auto_state *)*run->state)->islands;
    const scree_status status = islands_solve(run, parts);
    if (status) return status;
    if (run->ended && run->outcome == SCREE_OUTCOME_SOLVED)
      snprintf(run->detail, sizeof run->detail, "%ld of %zu islands apart: %.80s",
               parts->solved_apart, parts->count, reason);
    if (run->ended) return SCREE_OK;
  }
  if (end == PHASE_SOLVED) {
    if (!run->detail[0] && run->outcome == SCREE_OUTCOME_SOLVED)
      say_sweeps(run->iterations, run->detail);
    return SCREE_OK;
  }
  long turns = 0;
  scree_status status = SCREE_OK;
  const bool convex = run->model == SCREE_MODEL_RELAXED;
  bool gradient = convex && !newton;
  if (gradient) {
    status = delegate(run, gentle_method(run), NULL, 0);
  } else {
    if (gentle && has_hope(run, way.left)) status = try_gradient(run);
    gradient = run->ended;
    if (!status && gentle && auto_is_hard(run)) sweep_again(run);
    if (!status && !run->ended) status = take_turns(run, &turns);
  }
  if (status) return status;
  if (turns > 0) snprintf(turns_note, sizeof turns_note, " and sweeps in turns, %ld", turns);
  const char *const by = gradient                   ? methods[gentle_method(run)]->name
                         : auto_wants_interior(run) ? "ipm"
                                                    : "prox";
  snprintf(note, sizeof note, "%s%s: %.100s", by, turns_note,
           run->detail[0] ? run->detail : reason);
  memcpy(run->detail, note, sizeof note);
  return status;
}

static void release(scree_context *context, void *state) {
  auto_state *s = state;
  for (int k = 0; k < METHODS; k++)
    if (s->kept[k] && methods[k]->release) methods[k]->release(context, s->kept[k]);
  for (int k = 1; k < MAX_VECTORS; k++) memory_free(context, s->vector[k]);
  islands_clear(context, &s->islands);
  mass_path_clear(context, &s->masses);
  memory_free(context, s);
}

const solver_class solver_auto = {
    .name = "auto",
    .summary = "sweeps first, then what is foreseen to be cheapest; the default",
    .options = auto_options,
    .option_count = sizeof auto_options / sizeof auto_options[0],
    .coulomb = true,
    .projects = true,
    .dilates = true,
    .patient = true,
    .judges_start = true,
    .vector_count = 2,
    .run = run_auto,
    .release = release,
};
