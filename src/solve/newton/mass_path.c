/* See mass_path.h.
 *
 * Under a heavy layer the light bodies are links without weight: Newton steps from elsewhere change
 * the state of most contacts at once, and their active set churns. With masses all alike the
 * problem is a packing like others. In between,
 *
 *   m_i(t) = m (m_i / m)^t,   m the least mass,   t from 0 to 1
 *
 * and inertia with its mass: each body keeps its size. v_free and the offsets are those of the
 * problem, so r is too. Impulses carry weights, so the start of the next problem is the solution of
 * the last one times the ratio of the sums of masses. A step of t that succeeds lets the next be
 * longer. Where one fails the next is tried from where it stopped: friction has no potential, a
 * problem may be hard at one ratio alone. If that fails too both are taken back and steps are made
 * shorter. As the ratio grows the states of contacts
 * tend to those of links without weight, and steps need not become shorter.
 *
 * Only the last problem is judged as the run's: what is found on the way counts for nothing. */
#include "solve/newton/mass_path.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"

static const double first_factor = 6.0;  /* of the ratio in one step */
static const double least_factor = 1.25; /* a step this short that fails ends the path */
static const double cut = 0.4, regain = 1.2;
static const double on_the_way = 1e-6; /* tolerance on R of problems along the path; none on E */
enum { MOST_FAILURES = 16 };
enum { FIRST_ITERATIONS = 30000 }; /* limit of auto on the problem with equal masses */
/* Newton steps without halving the residual, and with weights of each block's own. */
static const char *const patience = "400", *const most_local = "1200";

bool mass_path_takes(const ccp_operator *op, scree_model model, double ratio) {
  double least, most;
  return model == SCREE_MODEL_COULOMB && ccp_contact_count(op->problem) > 0 &&
         ccp_mass_range(op->problem, &least, &most) && most > ratio * least;
}

static scree_status prepare(mass_path *path, const solve_run *run) {
  scree_context *c = run->context;
  if (memory_grow(c, &path->trial, run->op->row_count, sizeof(double))) return SCREE_ERROR_MEMORY;
  scree_status status = ccp_masses_begin(&path->masses, c, run->op->problem);
  path->masses.problem.reference_speed = run->op->reference_speed;
  if (!status && !path->first) status = scree_solver_create(c, "auto", &path->first);
  if (!status && !path->next) {
    status = scree_solver_create(c, "prox", &path->next);
    if (!status) status = scree_solver_set(path->next, "warmup", "0");
    if (!status) status = scree_solver_set(path->next, "starts", "0");
    if (!status) status = scree_solver_set(path->next, "patience", patience);
    if (!status) status = scree_solver_set(path->next, "local", most_local);
  }
  return status;
}

/* Solves the problem with the masses at hand from and into `trial`. *spent: the run's limits are.
 */
static scree_status solve_one(mass_path *path, solve_run *run, double t, bool *solved,
                              bool *spent) {
  const bool first = t <= 0.0, last = t >= 1.0;
  const scree_solve_settings *s = run->settings;
  scree_solve_settings settings = scree_solve_settings_default();
  scree_solve_info info;
  settings.model = SCREE_MODEL_COULOMB;
  settings.tolerance_error = last ? s->tolerance_error : 0.0;
  settings.tolerance_residual = last ? s->tolerance_residual : on_the_way;
  settings.warm_start = !first;
  settings.iteration_limit = first ? FIRST_ITERATIONS : 0;
  const long left = s->iteration_limit - run->iterations;
  if (s->iteration_limit > 0 && (!first || left < FIRST_ITERATIONS))
    settings.iteration_limit = left > 1 ? left : 1;
  if (s->time_limit > 0.0)
    settings.time_limit = fmax(s->time_limit - (timer_now() - run->start_time), 1e-3);
  const scree_status status = solver_solve(first ? path->first : path->next, &path->masses.problem,
                                           &settings, path->trial, &info);
  if (status) return status;
  run->iterations += info.iterations;
  run->work += info.work;
  run->products += info.products;
  *solved = info.outcome == SCREE_OUTCOME_SOLVED;
  *spent = info.outcome == SCREE_OUTCOME_TIME_LIMIT ||
           (s->iteration_limit > 0 && run->iterations >= s->iteration_limit);
  path->problems += *solved;
  context_log(run->context, SCREE_LOG_DEBUG, "mass path: t %.3f, %s after %ld iterations, R %.1e",
              t, scree_outcome_text(info.outcome), info.iterations, info.residual.scaled);
  return SCREE_OK;
}

scree_status mass_path_solve(mass_path *path, solve_run *run) {
  const scree_ccp *p = run->op->problem;
  const size_t rows = run->op->row_count;
  ccp_masses *masses = &path->masses;
  scree_status status = prepare(path, run);
  if (status) return status;
  const double whole = log(masses->most / masses->least);
  double *at = run->vector[0], t = 0.0, step = log(first_factor) / whole;
  double sum = ccp_masses_set(masses, p, 0.0), sum_at = sum;
  bool solved, spent;
  path->problems = 0;
  memset(path->trial, 0, rows * sizeof *path->trial);
  status = solve_one(path, run, 0.0, &solved, &spent);
  if (status || !solved || spent) return status;
  double ahead = 0.0; /* t of the last problem tried, solved or not */
  int failures = 0;
  while (t < 1.0 && failures <= MOST_FAILURES && step * whole >= log(least_factor)) {
    const double from = fmax(t, ahead), next = from + 1.5 * step > 1.0 ? 1.0 : from + step;
    if (from <= t) memcpy(at, path->trial, rows * sizeof *at);
    const double sum_next = ccp_masses_set(masses, p, next);
    for (size_t k = 0; k < rows; k++) path->trial[k] *= sum_next / sum_at;
    sum_at = sum_next;
    status = solve_one(path, run, next, &solved, &spent);
    if (status || spent) return status;
    failures += !solved;
    if (solved) {
      t = next;
      sum = sum_at;
      step *= regain;
    } else if (from <= t && next < 1.0) {
      ahead = next;
    } else {
      memcpy(path->trial, at, rows * sizeof *at);
      sum_at = sum;
      ahead = 0.0;
      step *= cut;
    }
  }
  if (t < 1.0) return SCREE_OK;
  run->iteration_base = run->iterations;
  const bool ended = solve_check(run, 0, path->trial, NULL);
  run->iteration_base = 0;
  if (!ended) memcpy(run->g, path->trial, rows * sizeof *at);
  return SCREE_OK;
}

void mass_path_clear(scree_context *context, mass_path *path) {
  scree_solver_destroy(path->first);
  scree_solver_destroy(path->next);
  ccp_masses_clear(context, &path->masses);
  memory_free(context, path->trial);
}
