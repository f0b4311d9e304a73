/* Condense: flexible parts beside contacts and joints. Elastic rows are taken into the mass,
 * A = M + h R + h^2 K, by one sparse factorisation (elastic.h); the rest, contacts with any set and
 * joints, is a problem in the local form that `auto` solves; the elastic impulses follow from its
 * velocities. The whole is judged as the problem that was given, so this is the same solution as
 * that with elastic rows as rows.
 *
 * R of the kept problem is not that of the whole: eta of a contact is larger there, as the part
 * gives way. Where the whole has not arrived the kept problem goes on, a hundred times closer. What
 * is stiff by 1e8 and more leaves rounding in the elastic rows, which are refined with the rows as
 * given, and in q, which is set right before the next round. */
#include "solve/elastic/condense.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "solve/elastic/elastic.h"

enum { ROUNDS = 5, REFINEMENTS = 1, FEW = 24 };
static const double closer = 0.01, first_tolerance = 0.3;
static const double least = 1e-14; /* the smallest tolerance on R of the kept problem */

static const scree_option_def condense_options[] = {
    {"rows", SCREE_OPTION_INT, 6000, 1, 1e6, NULL, "",
     "most rows of contacts and joints: each is one solve, and all are coupled"},
};

static const char *refuse(const scree_ccp *problem, scree_model model) {
  (void)model;
  if (problem->form != SCREE_FORM_BODIES) return "it is not made of bodies; take auto or ipm";
  for (size_t i = ccp_contact_count(problem); i < problem->block_count; i++)
    if (elastic_is(problem, i)) return NULL;
  return "it has no elastic rows (free, each with a compliance), as flexible parts have; "
         "take auto, ipm or prox";
}

bool condense_suits(const scree_ccp *problem) {
  if (problem->form != SCREE_FORM_BODIES || !problem->compliance) return false;
  size_t soft = 0;
  for (size_t i = ccp_contact_count(problem); i < problem->block_count; i++)
    if (elastic_is(problem, i)) soft += problem->row_start[i + 1] - problem->row_start[i];
  const size_t rest = problem->row_count - soft;
  return soft >= FEW && 4 * soft >= rest && (double)rest <= condense_options[0].fallback;
}

static scree_status solve_kept(solve_run *run, elastic *e, double tolerance,
                               scree_solve_info *info) {
  const scree_ccp *p = run->op->problem;
  const scree_solve_settings *asked = run->settings;
  scree_solve_settings settings = *asked;
  scree_ccp kept = {.context = p->context,
                    .form = SCREE_FORM_LOCAL,
                    .block_count = e->kept_count,
                    .row_count = e->kept_rows,
                    .row_start = e->kept_row,
                    .set_index = e->kept_set,
                    .set = p->set,
                    .set_count = p->set_count,
                    .offset = e->q,
                    .reference_speed = run->op->reference_speed,
                    .rows = e->w};
  settings.model = run->model;
  settings.warm_start = true;
  settings.progress = NULL;
  settings.tolerance_residual = fmax(tolerance * asked->tolerance_residual, 0.0);
  if (asked->tolerance_residual > 0.0)
    settings.tolerance_residual = fmax(settings.tolerance_residual, least);
  settings.tolerance_error = tolerance * asked->tolerance_error;
  if (asked->iteration_limit > 0) {
    const long left = asked->iteration_limit - run->iterations;
    settings.iteration_limit = left > 1 ? left : 1;
  }
  if (asked->work_limit > 0.0) settings.work_limit = fmax(asked->work_limit - run->work, 1.0);
  if (asked->time_limit > 0.0)
    settings.time_limit = fmax(asked->time_limit - (timer_now() - run->start_time), 1e-3);
  return scree_solver_solve(e->solver, &kept, &settings, e->g, info);
}

static scree_status iterate(solve_run *run, elastic *e) {
  ccp_operator *op = run->op;
  double tolerance = first_tolerance;
  for (size_t a = 0; a < e->kept_count; a++)
    memcpy(e->g + e->kept_row[a], run->g + op->row_start[e->kept[a]],
           (e->kept_row[a + 1] - e->kept_row[a]) * sizeof *e->g);
  for (int round = 0; round < ROUNDS; round++) {
    scree_solve_info info = {.outcome = SCREE_OUTCOME_SOLVED};
    if (e->kept_rows) {
      const scree_status status = solve_kept(run, e, tolerance, &info);
      if (status) return status;
    }
    run->iterations += info.iterations;
    run->work += info.work;
    run->products += info.products;
    elastic_expand(e, op, e->g, run->g);
    for (int k = 0; k < REFINEMENTS; k++) {
      op_local_velocity(op, run->g, run->vector[1]);
      run->products++;
      elastic_refine(e, op, run->vector[1], run->g);
    }
    const long before = run->iteration_base, done = run->iterations;
    run->iteration_base = done;
    const bool ended = solve_check(run, 1, run->g, NULL);
    run->iteration_base = before;
    if (ended) return SCREE_OK;
    if (info.outcome != SCREE_OUTCOME_SOLVED || !e->kept_rows) break;
    op_local_velocity(op, run->g, run->vector[1]);
    elastic_correct(e, op, run->vector[1], e->g);
    tolerance *= closer;
  }
  op_copy(op, run->best, run->g);
  return SCREE_OK;
}

static size_t elastic_kept_rows(const elastic *e, const ccp_operator *op) {
  size_t rows = 0;
  for (size_t i = 0; i < op->block_count; i++)
    if (!e->is_elastic[i]) rows += op->row_start[i + 1] - op->row_start[i];
  return rows;
}

static scree_status run_condense(solve_run *run) {
  if (!*run->state) *run->state = memory_new(run->context, 1, sizeof(elastic));
  elastic *e = *run->state;
  if (!e) return SCREE_ERROR_MEMORY;
  if (solve_is_new(run) && !solve_has_little_time(run) && solve_check_start(run)) return SCREE_OK;
  scree_status status =
      e->solver ? SCREE_OK : scree_solver_create(run->context, "auto", &e->solver);
  if (!status) status = elastic_prepare(e, run->op);
  if (!status && (double)elastic_kept_rows(e, run->op) > run_option(run, "rows")) {
    solve_finish(run, SCREE_OUTCOME_STALLED, "more rows of contacts and joints than `rows`");
    return SCREE_OK;
  }
  if (!status && !e->valid) {
    solve_finish(run, SCREE_OUTCOME_STALLED, "M + h R + h^2 K is not positive definite");
    return SCREE_OK;
  }
  if (!status) status = elastic_reduce(e, run->op);
  if (!status) status = iterate(run, e);
  if (!status && !run->ended)
    solve_finish(run, SCREE_OUTCOME_STALLED, "the contacts of the condensed problem do not arrive");
  return status;
}

static void release(scree_context *context, void *state) {
  elastic_clear(context, state);
  memory_free(context, state);
}

const solver_class solver_condense = {
    .name = "condense",
    .summary = "flexible parts: elastic rows into the mass by one factorisation, the rest by auto",
    .options = condense_options,
    .option_count = sizeof condense_options / sizeof condense_options[0],
    .coulomb = true,
    .flows = true,
    .patient = true,
    .judges_start = true,
    .vector_count = 2,
    .refuse = refuse,
    .run = run_condense,
    .release = release,
};
