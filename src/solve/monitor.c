/* The monitor: see solver.h. A run is solved when everything asked (E, R or both) is met; it has
 * stalled when twice the iterations improved the best merit by less than a tenth. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "base/timer.h"
#include "solve/solver.h"

double run_option(const solve_run *run, const char *key) {
  return options_get(run->class->options, run->class->option_count, run->option, key);
}

static double merit(const scree_solve_settings *s, const scree_residual *r) {
  double worst = 0.0;
  if (s->tolerance_error > 0.0) worst = fmax(worst, r->error / s->tolerance_error);
  if (s->tolerance_residual > 0.0) worst = fmax(worst, r->residual / s->tolerance_residual);
  if (s->tolerance_error <= 0.0 && s->tolerance_residual <= 0.0) worst = 2.0 + r->residual;
  return isnan(worst) ? INFINITY : worst;
}

bool solve_due(const solve_run *run, long iteration) {
  return iteration >= run->next_check ||
         (run->settings->iteration_limit > 0 && iteration >= run->settings->iteration_limit);
}

static void schedule(solve_run *run, long iteration) {
  long step = run->settings->check_interval;
  if (step <= 0) step = iteration < 10 ? 1 : iteration / 10 < 25 ? iteration / 10 : 25;
  run->next_check = iteration + step;
}

void solve_finish(solve_run *run, scree_outcome outcome, const char *format, ...) {
  run->outcome = outcome;
  run->ended = true;
  va_list list;
  va_start(list, format);
  vsnprintf(run->detail, sizeof run->detail, format, list);
  va_end(list);
}

static bool stalled(solve_run *run, long iteration) {
  if (iteration < run->mark_iteration) return false;
  const bool stuck = !(run->best_merit < 0.9 * run->mark_merit);
  run->mark_merit = run->best_merit;
  run->mark_iteration = 2 * iteration;
  return stuck;
}

bool solve_check(solve_run *run, long iteration, const double *g, const double *u) {
  const scree_solve_settings *s = run->settings;
  if (run->ended) return true;
  scree_residual residual;
  op_residual(run->op, run->model, g, u, run->vector[0], &residual);
  if (!u) run->products++;
  run->iterations = iteration;
  schedule(run, iteration);
  const double m = merit(s, &residual);
  if (m < run->best_merit) {
    run->best_merit = m;
    run->best_residual = residual;
    op_copy(run->op, g, run->best);
  }
  const double seconds = timer_now() - run->start_time;
  if (s->progress) {
    const scree_progress progress = {
        .iteration = iteration, .seconds = seconds, .residual = residual};
    if (!s->progress(s->progress_user, &progress)) {
      solve_finish(run, SCREE_OUTCOME_ITERATION_LIMIT, "stopped by the caller");
      return true;
    }
  }
  if (run->best_merit <= 1.0)
    solve_finish(run, SCREE_OUTCOME_SOLVED, "%s", "");
  else if (s->iteration_limit > 0 && iteration >= s->iteration_limit)
    solve_finish(run, SCREE_OUTCOME_ITERATION_LIMIT, "%s", "");
  else if (s->time_limit > 0.0 && seconds >= s->time_limit)
    solve_finish(run, SCREE_OUTCOME_TIME_LIMIT, "%s", "");
  else if (stalled(run, iteration))
    solve_finish(run, SCREE_OUTCOME_STALLED, "no progress since iteration %ld", iteration / 2);
  return run->ended;
}
