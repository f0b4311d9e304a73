/* See effort.h. */
#include "step/effort.h"

#include "base/timer.h"

/* ---- the time budget ------------------------------------------------------------------------ */

/* A solve gets at least this part of the budget: a few sweeps from the present impulses are better
 * than none. */
static const double least_of_budget = 0.05;
/* The part of the budget that is planned with; the rest is for clocks of a shared machine, which
 * are not exact. */
static const double most_of_budget = 0.7;

/* Of the step at hand; 0: none. */
static double budget_of(const scree_stepper *s) {
  return s->world->time < s->def.budget_from ? 0.0 : s->def.time_budget;
}

void effort_begin(scree_stepper *s) {
  const double budget = budget_of(s);
  s->began = timer_now();
  s->deadline =
      budget > 0.0 ? timer_now() + fmax(most_of_budget * budget - s->reserve, 0.25 * budget) : 0.0;
}

bool effort_is_late(scree_stepper *s, scree_step_info *info) {
  if (s->deadline == 0.0 || timer_now() < s->deadline) return false;
  info->hurried = true;
  return true;
}

/* For a solve that begins now. */
static double time_left(scree_stepper *s) {
  if (s->deadline == 0.0) return 0.0;
  const double now = timer_now();
  const double left = fmax(s->deadline - now, least_of_budget * s->def.time_budget);
  s->solve_end = now + left;
  return left;
}

/* How long a step that was cut short went on after its last solve was to end: the reserve follows
 * quickly when it is more, and slowly when it is less, so that few steps take longer. */
static const double quickly = 1.0, slowly = 0.02;

/* A step that took more than its budget leaves out what can be in the next ones, until one has
 * taken no more than this part of it. */
static const double relaxed_part = 0.6;

void effort_end(scree_stepper *s, const scree_step_info *info) {
  if (s->deadline == 0.0) return;
  const double taken = (timer_now() - s->began) / s->def.time_budget;
  s->behind = s->behind ? taken > relaxed_part : taken > 1.0;
  if (!info->hurried) return;
  const double more = timer_now() - s->solve_end - s->reserve;
  s->reserve = fmax(0.0, s->reserve + (more > 0.0 ? quickly : slowly) * more);
}

/* A step's tolerance on R while bodies move: a part of their rms speed, in the units of R. */
static const double moving_part = 0.2;

static double rms_speed(const scree_world *w) {
  const world_bodies *b = &w->bodies;
  double twice_energy = 0.0, mass = 0.0;
  for (size_t i = 0; i < b->limit; i++) {
    if (!world_is_dynamic(w, (uint32_t)i)) continue;
    twice_energy += b->mass[i] * v3_norm2(b->linear[i]);
    mass += b->mass[i];
  }
  return mass > 0.0 ? sqrt(twice_energy / mass) : 0.0;
}

static double tolerance_of(const scree_stepper *s, double h) {
  const double rest = s->def.tolerance_residual, moving = s->def.tolerance_moving;
  const double reference = h * s->assembler->gravity;
  if (!(moving > rest) || !(reference > 0.0)) return rest;
  return fmin(fmax(rest, moving_part * rms_speed(s->world) / reference), moving);
}

/* RETRY_CREDIT: work, in limits of a solve, that retries of a run may take more than a part of what
 * all first solves did. RETRY_LIMIT: iterations of a retry, in those of a solve. The others: work
 * of a solve, in its iterations; a Newton step of a large problem counts as the sweeps that cost as
 * much, some hundred. First solves of the relaxed model are not limited by it: a few dozen steps
 * arrive there. */
enum { RETRY_CREDIT = 20, RETRY_LIMIT = 3, EXACT_WORK = 2, EXACT_RETRY_WORK = 8, RELAXED_WORK = 4 };

static long retry_limit(const scree_stepper_def *d) {
  return d->retry_iteration_limit > 0 ? d->retry_iteration_limit : RETRY_LIMIT * d->iteration_limit;
}

/* Is the work spent that retries may take? A run in which every step is hard would else cost many
 * times what it does without them; so by default it costs half as much again at most, and a quarter
 * where retries do not help: what they spend in vain counts twice. */
bool effort_is_spent(const scree_stepper *s) {
  const double credit = RETRY_CREDIT * (double)s->def.iteration_limit;
  return s->def.iteration_limit > 0 &&
         (double)s->retry_work >= s->def.retry_share * (double)s->first_work + credit;
}

scree_solve_settings effort_settings(scree_stepper *s, double h, bool retry) {
  const scree_stepper_def *d = &s->def;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = d->model;
  settings.tolerance_residual = tolerance_of(s, h);
  settings.tolerance_error = d->tolerance_error;
  settings.iteration_limit = d->iteration_limit;
  if (retry) settings.iteration_limit = retry_limit(d);
  if (d->model == SCREE_MODEL_COULOMB)
    settings.work_limit =
        (retry ? EXACT_RETRY_WORK : EXACT_WORK) * (double)settings.iteration_limit;
  else if (retry)
    settings.work_limit = RELAXED_WORK * (double)settings.iteration_limit;
  settings.time_limit = time_left(s);
  settings.check_interval = d->check_interval;
  settings.warm_start = true;
  return settings;
}
