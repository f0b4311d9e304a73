/* From a method that creeps to one that arrives.
 *
 * The gain of a first-order step is eta u. Where velocities are small and the impulses that belong
 * to them are far away, as in a heap that creeps at the limit of what its bonds can bear, one with
 * rows that depend on each other, or a stack of widely different masses, such a method needs some
 * |g* - g| / (eta |u|) steps and ends as stalled: nine glued balls that creep by 1e-6 m/s move
 * their impulses by a ten-thousandth of the bonds' strength in each of 3,000 sweeps, and have
 * nearly all of the way to go. No polish of the bounds that were found helps, as they are not those
 * of the solution. Newton steps and the interior point method need some ten to some hundred steps.
 *
 * So a run that the stall rule of the monitor ends is handed over, from its best iterate, to
 * `auto`, which knows what suits the problem. What it spends is bounded by what was spent before.
 * The same monitor goes on: an iterate counts only if its residual is smaller, and what is not
 * found stays stalled. `method` and `detail` of the answer say who has found it. */
#include "solve/hand_over.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/options.h"

extern const solver_class solver_auto;

/* Work of what goes on over that of the method before it. */
static const double most_work = 10.0;
/* Work of the method before it that counts at least: an iteration of some is much more than a
 * sweep. */
static const double least_work = 3000.0;

static scree_status prepare(hand_over *h, const solve_run *run) {
  scree_context *c = run->context;
  if (memory_grow(c, &h->option, solver_auto.option_count, sizeof *h->option))
    return SCREE_ERROR_MEMORY;
  options_reset(solver_auto.options, solver_auto.option_count, h->option);
  for (int k = 0; k < HAND_OVER_VECTORS; k++)
    if (memory_grow(c, &h->vector[k], run->op->row_count, sizeof *h->vector[k]))
      return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

/* A limit of its own, of which the caller knows nothing, is a stall. */
static bool by_own_limit(const solve_run *run, const scree_solve_settings *asked) {
  return run->outcome == SCREE_OUTCOME_ITERATION_LIMIT &&
         !(asked->iteration_limit > 0 && run->iterations >= asked->iteration_limit) &&
         !(asked->work_limit > 0.0 && run->work >= asked->work_limit);
}

static void say(solve_run *run, const scree_solve_settings *asked, long since,
                const solve_run *before) {
  char by[sizeof run->detail];
  memcpy(by, run->detail, sizeof by);
  if (run->outcome == SCREE_OUTCOME_SOLVED)
    snprintf(run->detail, sizeof run->detail, "%s stalled at iteration %ld, auto went on: %.100s",
             run->class->name, since, by);
  else if (run->outcome == SCREE_OUTCOME_STALLED || by_own_limit(run, asked)) {
    run->outcome = SCREE_OUTCOME_STALLED;
    run->method = before->method;
    snprintf(run->detail, sizeof run->detail, "%.110s; auto did not arrive either", before->detail);
  }
}

static void begin_at_best(solve_run *run) {
  solve_end_sweeps(run);
  if (run->best_place == BEST_IN_ROWS)
    op_copy(run->op, run->best, run->g);
  else
    op_copy(run->op, run->g, run->best);
  run->best_place = BEST_IN_ROWS;
}

scree_status hand_over_run(hand_over *h, solve_run *run) {
  const scree_solve_settings *asked = run->settings;
  if (!run->creeps || asked->alone || run->op->ranks || solve_is_over(run)) return SCREE_OK;
  if (solver_auto.vector_count > HAND_OVER_VECTORS)
    return context_fail(run->context, SCREE_ERROR_INTERNAL,
                        "auto has more vectors than it is lent");
  scree_status status = prepare(h, run);
  if (status) return status;
  const long since = run->iterations;
  scree_solve_settings bounded = *asked;
  const double work = run->work + most_work * fmax(run->work, least_work);
  if (!(asked->work_limit > 0.0 && asked->work_limit < work)) bounded.work_limit = work;
  begin_at_best(run);
  solve_run next = *run;
  next.class = &solver_auto;
  next.first_order = next.creeps = false;
  next.option = h->option;
  next.vector = h->vector;
  next.state = &h->state;
  next.settings = &bounded;
  next.ended = false;
  next.detail[0] = '\0';
  next.iteration_base = run->iterations;
  next.next_check = 0;
  status = solver_auto.run(&next);
  const solve_run before = *run;
  *run = next;
  run->class = before.class;
  run->option = before.option;
  run->vector = before.vector;
  run->state = before.state;
  run->settings = before.settings;
  run->creeps = false;
  if (!status) say(run, asked, since, &before);
  return status;
}

void hand_over_clear(scree_context *context, hand_over *h) {
  memory_free(context, h->option);
  for (int k = 0; k < HAND_OVER_VECTORS; k++) memory_free(context, h->vector[k]);
  if (h->state) solver_auto.release(context, h->state);
}
