/* Islands (ccp/islands.h), each solved as a problem of its own: with the number of iterations it
 * needs, with the method that fits it, with a factorisation of its own size.
 *
 * R of the whole is the largest R of an island, as all are measured in the same
 * reference speed. E is not: with e_i <= t max(|q_i|, |g_i|, |u_i|) in each island the sum over all
 * is at most sqrt(3) t max(|q|, |g|, |u|), so each gets the tolerance t / sqrt(3).
 *
 * Islands are taken one after the other in the order of their first blocks: the same bits with any
 * number of threads. */
#include "solve/islands.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"

/* Has an island blocks that are not contacts? */
static bool has_joints(const ccp_operator *op, const islands *w, size_t c) {
  return op->form == SCREE_FORM_BODIES &&
         w->parts.block[w->parts.start[c + 1] - 1] >= ccp_contact_count(op->problem);
}

size_t islands_loose_blocks(const ccp_operator *op, const islands *w) {
  size_t blocks = 0;
  for (size_t c = 0; c < w->parts.count; c++)
    if (!has_joints(op, w, c)) blocks += w->parts.start[c + 1] - w->parts.start[c];
  return blocks;
}

void islands_restore_joined(const ccp_operator *op, const islands *w, const double *from,
                            double *g) {
  for (size_t c = 0; c < w->parts.count; c++)
    for (size_t k = w->parts.start[c]; has_joints(op, w, c) && k < w->parts.start[c + 1]; k++) {
      const size_t block = w->parts.block[k];
      const size_t row = op->row_start[block], end = op->row_start[block + 1];
      memcpy(g + row, from + row, (end - row) * sizeof *g);
    }
}

/* to_whole: g of the island into x; else the other way round. */
static void copy_rows(const ccp_operator *op, const islands *w, size_t c, bool to_whole,
                      double *x) {
  size_t row = 0;
  for (size_t k = w->parts.start[c]; k < w->parts.start[c + 1]; k++) {
    const size_t first = op->row_start[w->parts.block[k]];
    const size_t dim = op->row_start[w->parts.block[k] + 1] - first;
    if (to_whole)
      memcpy(x + first, w->g + row, dim * sizeof *x);
    else
      memcpy(w->g + row, x + first, dim * sizeof *x);
    row += dim;
  }
}

/* With a tolerance on R alone, an island that meets it already is left as it is. `each`: R of every
 * block. */
static bool is_solved(const solve_run *run, const islands *w, size_t c, const double *each) {
  const scree_solve_settings *s = run->settings;
  if (s->tolerance_error > 0.0 || s->tolerance_residual <= 0.0) return false;
  for (size_t k = w->parts.start[c]; k < w->parts.start[c + 1]; k++)
    if (!(each[w->parts.block[k]] <= 0.9 * s->tolerance_residual)) return false;
  return true;
}

/* The most time an island may take, as a multiple of its share by blocks: a hard island must leave
 * time for the others. */
static const double most_of_share = 3.0;

static const double most_foreseen =
    0.05; /* of the time limit, that an island may go beyond it by */

/* How much larger the norms that E is a part of may be in islands, which know nothing of a pull c
 * that was taken out: max(|r|, |g|, |u|) of both differ by max(|r dry|, |c|) at most. */
static double more_by_pull(const solve_run *run) {
  ccp_operator *op = run->op;
  if (!op->pull || !(run->settings->tolerance_error > 0.0)) return 1.0;
  const double more = fmax(op_norm(op, op->r), op_norm(op, op->pull));
  return op->r_norm > 0.0 ? 1.0 + more / op->r_norm : 1e3;
}

/* `share`: of the blocks that are still to be solved; 0: there is no time, which leaves sweeps. */
static scree_solve_settings settings_of(const solve_run *run, double share) {
  scree_solve_settings s = *run->settings;
  s.model = run->model;
  s.tolerance_error /= sqrt(3.0) * more_by_pull(run);
  s.warm_start = true;
  s.progress = NULL;
  if (s.time_limit > 0.0)
    s.time_limit = fmax(1e-5, fmin(1.0, most_of_share * share) *
                                  (s.time_limit - (timer_now() - run->start_time)));
  if (s.iteration_limit > 0) {
    s.iteration_limit -= run->iterations;
    if (s.iteration_limit < 1) s.iteration_limit = 1;
  }
  if (s.work_limit > 0.0) s.work_limit = fmax(1.0, s.work_limit - run->work);
  return s;
}

/* From run->g on, and back into it. A certificate is left in w->g. */
static scree_status solve_island(solve_run *run, islands *w, size_t c, double share,
                                 scree_solve_info *info) {
  ccp_operator *op = run->op;
  const scree_solve_settings settings = settings_of(run, share);
  scree_ccp *problem;
  scree_status status = op_islands_build(op, &w->parts, c, &problem);
  if (!status) {
    scree_ccp_set_reference_speed(problem, op->reference_speed);
    copy_rows(op, w, c, false, run->g);
    status = solver_solve(w->solver, problem, &settings, w->g, info);
  }
  if (!status) copy_rows(op, w, c, true, run->g);
  if (!status && info->outcome == SCREE_OUTCOME_INFEASIBLE)
    memcpy(w->g, scree_solver_certificate(w->solver), problem->row_count * sizeof *w->g);
  return status;
}

static bool is_late(const solve_run *run, double estimated) {
  const double limit = run->settings->time_limit;
  return limit > 0.0 && timer_now() - run->start_time + estimated >= limit;
}

/* Interrupted or out of time between two islands? Then those that were solved are kept: no other
 * island depends on them. */
static bool is_over(solve_run *run, double estimated) {
  const scree_solve_settings *s = run->settings;
  const double seconds = timer_now() - run->start_time;
  const scree_progress progress = {run->iterations, seconds, run->best_residual};
  if (s->progress && !s->progress(s->progress_user, &progress))
    solve_finish(run, SCREE_OUTCOME_ITERATION_LIMIT, "stopped by the caller");
  else if (is_late(run, estimated) &&
           !(s->warm_start && solve_adopt(run, run->iterations + 1 - run->iteration_base, run->g)))
    solve_finish(run, SCREE_OUTCOME_TIME_LIMIT, NULL);
  return run->ended;
}

static scree_status prepare(solve_run *run, islands *w) {
  ccp_operator *op = run->op;
  scree_status status = SCREE_OK;
  if (!w->solver) status = scree_solver_create(run->context, run->class->name, &w->solver);
  if (status) return status;
  solver_take_options(w->solver, run->option);
  if (memory_grow(run->context, &w->g, op->row_count, sizeof *w->g) ||
      memory_grow(run->context, &w->d, op->row_count, sizeof *w->d))
    return SCREE_ERROR_MEMORY;
  op_islands_begin(op, &w->parts);
  scree_residual whole;
  op_local_velocity(op, run->g, w->g);
  op_residual_each(op, run->model, run->g, w->g, &whole, w->d);
  return SCREE_OK;
}

scree_status islands_solve(solve_run *run, islands *w) {
  ccp_operator *op = run->op;
  scree_status status = prepare(run, w);
  scree_solve_info info, worst = {.outcome = SCREE_OUTCOME_SOLVED};
  double work = run->work, left = (double)op->block_count;
  long most = 0, failed = 0;
  bool skipped = false;
  w->solved_apart = 0;
  /* The time of one step is over before all are done: the next one begins where it ended. */
  const size_t begin = run->settings->time_limit > 0.0 && w->next < w->parts.count ? w->next : 0;
  for (size_t k = 0; k < w->parts.count && !status; k++) {
    const size_t c = (begin + k) % w->parts.count;
    const double blocks = (double)(w->parts.start[c + 1] - w->parts.start[c]);
    /* A solve ends a little after its time limit, and here even that may be too much. Contacts
     * forgive a missing solve, but joints that get none come apart: so machines are swept all the
     * same. */
    const double expected = fmin(blocks * w->pace, most_foreseen * run->settings->time_limit);
    const bool late = is_late(run, expected);
    if (late && !has_joints(op, w, c)) {
      skipped = true;
      continue;
    }
    if (!late && is_over(run, expected)) break;
    if (!late) w->next = c + 1;
    const double share = blocks / fmax(left, blocks);
    left -= blocks;
    if (is_solved(run, w, c, w->d)) continue;
    const double start = timer_now();
    status = solve_island(run, w, c, late ? 0.0 : share, &info);
    if (status) break;
    const double pace = (timer_now() - start) / blocks;
    w->pace += (pace > w->pace ? 0.3 : 0.1) * (pace - w->pace);
    w->solved_apart++;
    run->products += info.products;
    work +=
        info.work * (double)(w->parts.start[c + 1] - w->parts.start[c]) / (double)op->block_count;
    if (info.iterations > most) most = info.iterations;
    if (info.outcome == SCREE_OUTCOME_SOLVED) continue;
    if (failed++ == 0) worst = info;
    if (info.outcome != SCREE_OUTCOME_INFEASIBLE) continue;
    memset(w->d, 0, op->row_count * sizeof *w->d);
    copy_rows(op, w, c, true, w->d);
    if (solve_prove_infeasible(run, w->d)) return SCREE_OK;
    for (size_t i = 0; i < op->block_count; i++) w->d[i] = INFINITY; /* not known any more */
  }
  if (status || run->ended || (skipped && is_over(run, INFINITY))) return status;
  run->work = work - run->iteration_work * (double)most; /* which the check adds */
  if (!solve_check(run, run->iterations + most - run->iteration_base, run->g, NULL) && failed)
    solve_finish(run,
                 worst.outcome == SCREE_OUTCOME_INFEASIBLE ? SCREE_OUTCOME_STALLED : worst.outcome,
                 "%ld of %zu islands, the first: %.90s", failed, w->parts.count, worst.detail);
  return SCREE_OK;
}

void islands_clear(scree_context *context, islands *w) {
  scree_solver_destroy(w->solver);
  op_islands_clear(context, &w->parts);
  memory_free(context, w->g);
  memory_free(context, w->d);
  *w = (islands){0};
}
