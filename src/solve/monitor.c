/* The monitor: see solver.h.
 *
 * Solved: all tolerances are met. E is relative to the largest of |r|, |g|, |u|, with g in N s and
 * u in m/s, so a huge impulse alone makes it small; an infeasible problem, whose impulses grow
 * without end, would pass, and masses in grams or tonnes change it. R is a speed over the reference
 * speed, free of units, which large impulses do not make smaller. So a tolerance on E alone sets
 * one on R too, 100 times the tolerance of E (1e-8: velocities to a millionth of the reference
 * speed), or its square root where that is less, above 1e-4.
 *
 * Infeasible: only with the certificate of infeasible.c, tried when impulses grow and are large.
 * Stalled: while the iterations tripled the best merit improved by less than 3%. Of a first-order
 * method that another may take over from (hand_over.c): by less than half, with at least three
 * times that to go, and a hundred Newton steps cost no more than what has been spent. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"
#include "base/timer.h"
#include "ccp/operator_fused.h"
#include "ccp/sets/set.h"
#include "solve/auto/costs.h"
#include "solve/solver.h"

enum { STALL_FACTOR = 3, SUSPECT_FACTOR = 2 };
static const double residual_per_error = 100.0; /* the tolerance on R where E alone was given one */
static const double stall_gain = 0.97, strive_part = 0.001;
static const double creep_gain = 0.5, creep_left = 8.0, creep_steps = 100.0;
static const double suspect_growth = 1.2, suspect_size = 300.0, suspect_peak = 10.0;
static const double suspect_gain = 0.9;
/* Of the reference speed: an approach below it cannot be proven to be one (infeasible.c). */
static const double suspect_approach = 1e-6, suspect_tolerance = 1e-5;
/* R of the best iterate at the limit of iterations from which a proof is tried in any case. */
static const double hopeless = 0.5;

double run_option(const solve_run *run, const char *key) {
  return options_get(run->class->options, run->class->option_count, run->option, key);
}

double scree_solve_asked_residual(const scree_solve_settings *s) {
  if (!s) return 0.0;
  if (s->tolerance_residual > 0.0 || s->tolerance_error <= 0.0) return s->tolerance_residual;
  return set_smaller(sqrt(s->tolerance_error), residual_per_error * s->tolerance_error);
}

static double merit_of(const scree_solve_settings *s, const scree_residual *r) {
  double worst = 0.0;
  const double e = s->tolerance_error, t = scree_solve_asked_residual(s);
  if (e > 0.0) worst = set_larger(worst, r->error / e);
  if (t > 0.0) worst = set_larger(worst, r->scaled / t);
  if (e <= 0.0 && t <= 0.0) worst = 2.0 + r->scaled;
  return isnan(worst) ? INFINITY : worst;
}

/* Ranks must stop as one. */
static bool is_stopped(const solve_run *run) {
  return !run->op->ranks && context_stopped(run->context);
}

bool solve_is_over(const solve_run *run) {
  const double limit = run->settings->time_limit;
  if (is_stopped(run)) return true;
  return limit > 0.0 && timer_now() - run->start_time >= limit;
}

/* The work of the run up to an iteration, with that of earlier stages. */
static double work_at(const solve_run *run, long iteration) {
  return run->work + run->iteration_work * (double)(iteration - run->iterations);
}

/* Has the run reached its limit of iterations or work? */
static bool is_spent(const solve_run *run, long iteration) {
  const scree_solve_settings *s = run->settings;
  return (s->iteration_limit > 0 && iteration >= s->iteration_limit) ||
         (s->work_limit > 0.0 && work_at(run, iteration) >= s->work_limit);
}

bool solve_due(const solve_run *run, long iteration) {
  iteration += run->iteration_base;
  return iteration >= run->next_check || solve_is_over(run) || is_spent(run, iteration);
}

/* A residual costs as much as two sweeps of packed contacts, with its impulses put back in rows; of
 * others as much as a few. The last check told how R relates to the change that a sweep makes; the
 * next is due when that estimates R within the tolerance, and now and then in case it misleads. */
bool solve_due_hint(solve_run *run, long iteration, double change) {
  const scree_solve_settings *s = run->settings;
  const bool due = solve_due(run, iteration);
  if (s->tolerance_residual <= 0.0 || s->check_interval > 0 || s->progress) return due;
  iteration += run->iteration_base;
  run->change = change;
  const long since = iteration - run->iterations;
  if (is_spent(run, iteration) || solve_is_over(run)) return true;
  const double estimated = change * run->change_ratio;
  if (estimated < s->tolerance_residual) return since > 3;
  if (estimated > 3.0 * s->tolerance_residual)
    return since >= (iteration < 200 ? 100 : iteration / 2);
  return since >= (iteration < 100 ? 25 : iteration / 4);
}

static void schedule(solve_run *run, long iteration) {
  long step = run->settings->check_interval;
  if (step <= 0) step = iteration < 10 ? 1 : iteration / 10 < 25 ? iteration / 10 : 25;
  run->next_check = iteration + step;
}

void solve_finish(solve_run *run, scree_outcome outcome, const char *format, ...) {
  run->outcome = outcome;
  run->ended = true;
  run->method = run->iterations > 0 ? run->class->name : "start";
  run->detail[0] = '\0';
  if (!format) return;
  va_list list;
  va_start(list, format);
  number_format_list(run->detail, sizeof run->detail, format, list);
  va_end(list);
}

/* |g| in the metric of eta, in units of what r requires block by block. */
static double impulse_size(solve_run *run, const double *g) {
  const double r = sqrt(op_dot_by_eta(run->op, run->op->r, run->op->r));
  return sqrt(op_dot_over_eta(run->op, g, g)) / set_larger(r, 1e-300);
}

static void finish_infeasible(solve_run *run, const infeasible_certificate *proof) {
  solve_finish(
      run, SCREE_OUTCOME_INFEASIBLE,
      "proof: a set of impulses of norm 1 moves nothing (%.1e) and gains %.1e; any solution "
      "exceeds %.0e times the natural impulses",
      proof->push, proof->drop, proof->bound);
}

/* The largest impulse of a block, as the speed that it gives the block over the reference speed. */
static double impulse_peak(const solve_run *run, const double *g) {
  const ccp_operator *op = run->op;
  double most = 0.0;
  for (size_t i = 0; i < op->block_count; i++)
    if (op->eta_force[i] > 0.0)
      most = set_larger(most, fabs(g[op->row_start[i]]) / op->eta_force[i]);
  return most / op->reference_speed;
}

/* Impulses that grow: all of them, or, with a tolerance on E, one that all others hide; or R that
 * does not fall any more. */
static bool proved_infeasible(solve_run *run, long iteration, const double *g) {
  if (iteration < run->suspect_iteration || run->op->ranks) return false;
  const double size = impulse_size(run, g);
  const double peak = run->settings->tolerance_error > 0.0 ? impulse_peak(run, g) : 0.0;
  const bool suspect = (size > suspect_size && size > suspect_growth * run->suspect_size) ||
                       (peak > suspect_peak && peak > suspect_growth * run->suspect_peak) ||
                       (run->settings->tolerance_error > 0.0 &&
                        run->best_residual.scaled > suspect_gain * run->suspect_residual);
  run->suspect_residual = run->best_residual.scaled;
  run->suspect_size = size;
  run->suspect_peak = peak;
  run->suspect_iteration = SUSPECT_FACTOR * iteration;
  infeasible_certificate proof;
  if (!suspect || !infeasible_prove(run->op, run->model, run->infeasible, iteration, g, &proof))
    return false;
  finish_infeasible(run, &proof);
  return true;
}

/* A proof is about the whole problem and a rank sees only a part of it, so on several ranks nothing
 * is proven. */
bool solve_prove_infeasible(solve_run *run, const double *d) {
  infeasible_certificate proof;
  if (run->op->ranks) return false;
  if (!infeasible_prove_direction(run->op, run->model, run->infeasible, d, &proof)) return false;
  finish_infeasible(run, &proof);
  return true;
}

static void explain_stall(solve_run *run, long since, const double *g) {
  const double size = impulse_size(run, g);
  const char *const other =
      run->first_order && run->settings->alone && !run->op->ranks ? "; take auto" : "";
  run->creeps = run->first_order;
  if (run->best_residual.error < 1e-13) {
    run->creeps = false;
    solve_finish(run, SCREE_OUTCOME_STALLED, "at the limit of double precision");
  } else if (size > 1.5 * run->mark_size && size > 10.0)
    solve_finish(
        run, SCREE_OUTCOME_STALLED,
        "no progress since iteration %ld while impulses grow (now %.0e times the natural): "
        "probably no solution%s",
        since, size, other);
  else if (run->op->asymmetry > 1e-12)
    solve_finish(run, SCREE_OUTCOME_STALLED,
                 "no progress since iteration %ld; the matrix is unsymmetric by %.1e%s", since,
                 run->op->asymmetry, other);
  else
    solve_finish(run, SCREE_OUTCOME_STALLED,
                 "no progress since iteration %ld: too badly conditioned for this method%s", since,
                 other);
}

static bool creeps(const solve_run *run, long iteration) {
  if (!run->first_order || run->settings->alone || run->op->ranks) return false;
  if (!(run->best_merit > creep_gain * run->mark_merit) || !(run->best_merit > creep_left))
    return false;
  const auto_costs cost = auto_estimate(run->op);
  return creep_steps * cost.newton <= cost.sweep * (double)iteration;
}

static bool stalled(solve_run *run, long iteration, const double *g) {
  if (iteration < run->mark_iteration) return false;
  const bool stuck = !(run->best_merit < stall_gain * run->mark_merit);
  const bool creeping = !stuck && creeps(run, iteration);
  if (stuck || creeping) explain_stall(run, iteration / STALL_FACTOR, g);
  run->mark_merit = run->best_merit;
  run->mark_size = impulse_size(run, g);
  run->mark_iteration = STALL_FACTOR * iteration;
  return stuck || creeping;
}

static bool stopped_by_caller(solve_run *run, long iteration, double seconds,
                              const scree_residual *residual) {
  const scree_solve_settings *s = run->settings;
  if (!s->progress) return false;
  const scree_progress progress = {
      .iteration = iteration, .seconds = seconds, .residual = *residual};
  if (s->progress(s->progress_user, &progress)) return false;
  solve_finish(run, SCREE_OUTCOME_ITERATION_LIMIT, "stopped by the caller");
  return true;
}

bool solve_check(solve_run *run, long iteration, const double *g, const double *u) {
  if (run->ended) return true;
  scree_residual residual;
  op_residual_contacts(run->op, run->model, g, u, run->vector[0], &residual);
  if (!u) run->products++;
  return solve_check_judged(run, iteration, g, &residual);
}

bool solve_adopt(solve_run *run, long iteration, const double *g) {
  if (run->ended) return true;
  run->best_merit = INFINITY;
  run->adopted = true;
  return solve_check(run, iteration, g, NULL);
}

bool solve_has_little_time(const solve_run *run) {
  const double limit = run->settings->time_limit;
  return run->settings->warm_start && limit > 0.0 && limit < 1.0;
}

bool solve_is_new(const solve_run *run) {
  return isinf(run->best_merit) && run->iterations == 0 && !run->ended;
}

bool solve_check_start(solve_run *run) {
  ccp_operator *op = run->op;
  /* At g = 0 the velocities u = r are known. */
  const bool at_zero =
      !run->settings->warm_start && !op->class->judge && op_max_abs(op, run->g) == 0.0;
  return solve_check(run, 0, run->g, at_zero ? op->r : NULL);
}

bool solve_check_sweep(solve_run *run, long iteration) {
  if (run->ended) return true;
  scree_residual residual;
  op_sweep_residual(run->op, run->model, run->g, run->vector[0], &residual);
  run->products++;
  op_sweep_store(run->op, run->g);
  return solve_check_judged(run, iteration, run->g, &residual);
}

/* Sets the merit of iterate g. True: it is the best so far, and noted as such but for its place. */
static bool weigh(solve_run *run, long iteration, const double *g, scree_residual *residual) {
  const scree_solve_settings *s = run->settings;
  run->work = work_at(run, iteration);
  run->iterations = iteration;
  schedule(run, iteration);
  run->merit = merit_of(s, residual);
  if (run->change > 0.0) run->change_ratio = residual->scaled / run->change;
  const bool balanced = run->op->class->balance && run->merit <= 1.0;
  if (balanced) {
    residual->error += run->op->class->balance(run->op, g);
    run->merit = merit_of(s, residual);
  }
  if (!(run->merit < run->best_merit)) return false;
  if (run->merit <= 1.0 && run->best_merit > 1.0) run->met_iteration = iteration;
  run->best_merit = run->merit;
  run->best_residual = *residual;
  run->best_balanced = balanced;
  return true;
}

/* Is nothing more to be gained? Striving runs iterate up to STRIVE_ITERATIONS more times after
 * meeting the tolerance, aiming at strive_part of it: the error of a warm step is the next one's
 * start, and a tolerance that is only just met every time adds up. */
static bool is_solved(const solve_run *run, long iteration, double seconds) {
  const scree_solve_settings *s = run->settings;
  if (!(run->best_merit <= 1.0)) return false;
  return !run->strives || run->best_merit <= strive_part ||
         iteration >= run->met_iteration + run->strives || isinf(run->merit) ||
         is_spent(run, iteration) || (s->time_limit > 0.0 && seconds >= s->time_limit);
}

/* A loose tolerance may be met by what has no solution at all: bodies that are squeezed a little
 * still approach each other, all at the speed that is left over. With a tolerance on E, that is
 * where a problem is solved for its own sake, and to better than a percent in R, a proof is looked
 * for along that approach. */
static bool is_suspect(const solve_run *run) {
  const double e = run->settings->tolerance_error;
  return e > 0.0 && e <= suspect_tolerance && run->best_merit <= 1.0 &&
         run->best_residual.penetration_speed > suspect_approach * run->op->reference_speed;
}

static bool solved_what_has_no_solution(solve_run *run, const double *g) {
  ccp_operator *op = run->op;
  if (!is_suspect(run)) return false;
  double *d = run->vector[0];
  op_local_velocity(op, g, d);
  run->products++;
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t row = op->row_start[i];
    const bool free = set_role_of(ccp_set(op->problem, i)) == SET_BILATERAL;
    d[row] = free || d[row] < 0.0 ? -op->eta_force[i] * d[row] : 0.0;
    for (size_t k = row + 1; k < op->row_start[i + 1]; k++) d[k] = 0.0;
  }
  return solve_prove_infeasible(run, d);
}

/* Will the end of a check look at the impulses? */
static bool looks_at_impulses(const solve_run *run, long iteration) {
  return is_suspect(run) || iteration >= run->suspect_iteration ||
         iteration >= run->mark_iteration ||
         (is_spent(run, iteration) && run->best_residual.scaled > hopeless);
}

static bool conclude(solve_run *run, long iteration, const double *g,
                     const scree_residual *residual) {
  const scree_solve_settings *s = run->settings;
  const double seconds = timer_now() - run->start_time;
  if (stopped_by_caller(run, iteration, seconds, residual)) return true;
  if (is_stopped(run)) {
    solve_finish(run, SCREE_OUTCOME_TIME_LIMIT, "stopped by the caller");
    return true;
  }
  if (is_solved(run, iteration, seconds)) {
    if (!solved_what_has_no_solution(run, g)) solve_finish(run, SCREE_OUTCOME_SOLVED, NULL);
  } else if (isinf(run->merit))
    solve_finish(run, SCREE_OUTCOME_STALLED, "impulses are no longer finite at iteration %ld",
                 iteration);
  else if (is_spent(run, iteration)) {
    if (!(run->best_residual.scaled > hopeless) || !solve_prove_infeasible(run, g))
      solve_finish(run, SCREE_OUTCOME_ITERATION_LIMIT, NULL);
  } else if (s->time_limit > 0.0 && seconds >= s->time_limit)
    solve_finish(run, SCREE_OUTCOME_TIME_LIMIT, NULL);
  else if (run->best_merit > 1.0 && !proved_infeasible(run, iteration, g))
    stalled(run, iteration, g);
  return run->ended;
}

bool solve_check_judged(solve_run *run, long iteration, const double *g,
                        const scree_residual *contacts) {
  if (run->ended) return true;
  scree_residual residual = *contacts;
  iteration += run->iteration_base;
  if (weigh(run, iteration, g, &residual)) {
    op_copy(run->op, g, run->best);
    run->best_place = BEST_IN_ROWS;
  }
  return conclude(run, iteration, g, &residual);
}

/* ---- sweeps that keep impulses inside -------------------------------------------------------- */

/* Puts the impulses of the sweep in run->g. */
static void store(solve_run *run) {
  if (run->best_place == BEST_IN_G) {
    op_copy(run->op, run->g, run->best);
    run->best_place = BEST_IN_ROWS;
  }
  op_sweep_store(run->op, run->g);
}

static bool keeps_inside(const solve_run *run) {
  const size_t room = op_sweep_room(run->op);
  return room && room <= run->best_room;
}

bool solve_begin_sweeps(solve_run *run) {
  ccp_operator *op = run->op;
  if (!solve_is_new(run) || !op->class->judge_begun) {
    op_sweep_begin(op, run->g);
    return solve_is_new(run) && solve_check_start(run);
  }
  scree_residual residual;
  op_sweep_begin_residual(op, run->model, run->g, &residual);
  run->products++;
  if (!keeps_inside(run)) return solve_check_judged(run, 0, run->g, &residual);
  if (weigh(run, 0, run->g, &residual)) run->best_place = BEST_IN_G;
  return conclude(run, 0, run->g, &residual);
}

/* Velocities that sweeps lead along lose a rounding in each: far from what a loose tolerance asks.
 */
static const double loose_residual = 1e-3;
enum { LED_SWEEPS = 1000 };

static bool may_judge_led(const solve_run *run, long iteration) {
  const scree_solve_settings *s = run->settings;
  return run->op->class->judge_begun && !run->op->ranks && s->tolerance_error <= 0.0 &&
         s->tolerance_residual >= loose_residual && iteration <= LED_SWEEPS;
}

bool solve_check_inside(solve_run *run, long iteration) {
  ccp_operator *op = run->op;
  if (run->ended) return true;
  if (!keeps_inside(run)) return solve_check_sweep(run, iteration);
  scree_residual residual;
  if (may_judge_led(run, iteration))
    op_sweep_residual_led(op, run->model, run->g, &residual);
  else
    op_sweep_residual(op, run->model, run->g, run->vector[0], &residual);
  run->products++;
  iteration += run->iteration_base;
  const bool best = weigh(run, iteration, run->g, &residual);
  if (looks_at_impulses(run, iteration)) store(run);
  const bool ended = conclude(run, iteration, run->g, &residual);
  if (best && ended) {
    op_sweep_store(op, run->g);
    run->best_place = BEST_IN_G;
  } else if (best) {
    op_sweep_keep(op, run->best);
    run->best_place = BEST_IN_LANES;
  }
  return ended;
}

void solve_end_sweeps(solve_run *run) {
  if (run->best_place != BEST_IN_LANES) return;
  op_sweep_take(run->op, run->best, run->g);
  run->best_place = BEST_IN_G;
}
