/* The door to steppers: creation, and the step with its report. */
#include "step/stepper.h"

#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "base/definition.h"
#include "base/options.h"
#include "base/timer.h"
#include "step/stepper_list.h"

#define STEPPER_DECLARE(symbol) extern const stepper_class symbol;
STEPPER_LIST(STEPPER_DECLARE)
#undef STEPPER_DECLARE

#define STEPPER_ADDRESS(symbol) &symbol,
static const stepper_class *const steppers[] = {STEPPER_LIST(STEPPER_ADDRESS)};
#undef STEPPER_ADDRESS

enum { STEPPER_COUNT = sizeof steppers / sizeof steppers[0] };

scree_stepper_def scree_stepper_def_default(void) {
  return (scree_stepper_def){
      .cookie = DEFINITION_COOKIE,
      .stepper = "nonsmooth",
      .model = SCREE_MODEL_COULOMB,
      .tolerance_residual = 1e-3,
      .iteration_limit = 1000,
      .check_interval = 0,
      .warm_start = true,
      .warm_start_scale = 1.0,
      .stabilisation = 1.0,
      .margin = 0.1,
      .on_nonconverged = SCREE_ON_NONCONVERGED_RETRY,
      .retry_halvings = 0,
      .retry_share = 0.5,
  };
}

static scree_status check_def(scree_context *context, const scree_stepper_def *d) {
  if (!(d->tolerance_residual >= 0.0) || !(d->tolerance_error >= 0.0) ||
      !(d->tolerance_moving >= 0.0) || !(d->time_budget >= 0.0) || !(d->budget_from >= 0.0) ||
      d->iteration_limit < 0 || d->check_interval < 0 || d->retry_iteration_limit < 0)
    return context_fail(context, SCREE_ERROR_INPUT,
                        "stepper: tolerances and limits must not be negative");
  if (!(d->stabilisation > 0.0 && d->stabilisation <= 1.0))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "stepper: stabilisation is %g; it must lie in (0, 1]", d->stabilisation);
  if (!(d->sleep_after >= 0.0) || !(d->sleep_speed >= 0.0) || !(d->sleep_load >= 0.0))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "stepper: sleep_after, sleep_speed and sleep_load must not be negative");
  if (!(d->recovery_speed >= 0.0) || !(d->margin >= 0.0) || isinf(d->margin))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "stepper: recovery speed and margin must not be negative");
  if (!(d->warm_start_scale >= 0.0 && d->warm_start_scale <= 1.0))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "stepper: warm_start_scale is %g; it must lie in [0, 1]",
                        d->warm_start_scale);
  if (d->retry_halvings < 0 || d->retry_halvings > 10)
    return context_fail(context, SCREE_ERROR_INPUT,
                        "stepper: retry_halvings is %ld; it must lie between 0 and 10",
                        d->retry_halvings);
  if (!(d->retry_share >= 0.0))
    return context_fail(context, SCREE_ERROR_INPUT, "stepper: retry_share must not be negative");
  return SCREE_OK;
}

static scree_status find_class(scree_context *context, const char *name,
                               const stepper_class **class) {
  const char *names[STEPPER_COUNT];
  size_t place = 0;
  for (size_t i = 0; i < STEPPER_COUNT; i++) names[i] = steppers[i]->name;
  scree_status status = SCREE_OK;
  if (name) status = options_find(context, "stepper", name, names, STEPPER_COUNT, &place);
  if (!status) *class = steppers[place];
  return status;
}

scree_status scree_stepper_create(scree_world *world, const scree_stepper_def *def,
                                  scree_stepper **out) {
  ARGUMENT_CHECK(world ? world->context : NULL, world && out);
  scree_context *context = world->context;
  const scree_stepper_def fallback = scree_stepper_def_default();
  const stepper_class *class = NULL;
  *out = NULL;
  if (!def) def = &fallback;
  DEFINITION_CHECK(context, def, stepper_def);
  scree_status status = check_def(context, def);
  if (!status) status = find_class(context, def->stepper, &class);
  if (status) return status;
  scree_stepper *s = memory_new(context, 1, sizeof *s);
  if (!s) return SCREE_ERROR_MEMORY;
  s->context = context;
  s->world = world;
  s->class = class;
  s->def = *def;
  /* Islands, which auto is made of, are not known to a rank that sees a part of the contacts. */
  const char *usual = ranks_are_many(context->ranks) ? "ags" : "auto";
  const bool named = def->solver && strcmp(def->solver, "auto") != 0;
  const char *solver = named ? def->solver : usual;
  status = scree_solver_create(context, solver, &s->solver);
  for (size_t i = 0; i < scree_solver_count() && !status; i++)
    if (strcmp(scree_solver_name(i), solver) == 0) s->solver_name = scree_solver_name(i);
  if (!status && (def->retry_solver || strcmp(solver, "auto") != 0))
    status = scree_solver_create(context, def->retry_solver ? def->retry_solver : usual,
                                 &s->retry_solver);
  if (!status && ranks_are_many(context->ranks) && !named && !def->retry_solver)
    status = scree_solver_create(context, "auto", &s->whole_solver);
  if (!status) status = assembler_create(world, &s->assembler);
  /* Who sleeps since another stepper wakes: what holds it is not known to this one. */
  if (!status) {
    world_wake_all(world);
    world->whole = !class->smooth ? 0.0 : class->at_middle ? 0.5 : 1.0;
  }
  options_reset(class->options, class->option_count, s->option);
  if (!status && class->create) status = class->create(s);
  s->def.stepper = s->def.solver = s->def.retry_solver = NULL;
  if (status) {
    scree_stepper_destroy(s);
    return status;
  }
  *out = s;
  return SCREE_OK;
}

void scree_stepper_destroy(scree_stepper *s) {
  if (!s) return;
  if (s->class->destroy) s->class->destroy(s);
  scree_solver_destroy(s->solver);
  scree_solver_destroy(s->retry_solver);
  scree_solver_destroy(s->whole_solver);
  assembler_destroy(s->assembler);
  memory_free(s->context, s->snapshot);
  memory_free(s->context, s->gathered);
  memory_free(s->context, s);
}

const char *scree_stepper_get_name(const scree_stepper *s) {
  if (!s) return "";
  return s->class->name;
}

const char *scree_stepper_solver_name(const scree_stepper *s) {
  if (!s) return "";
  if (!s->class->smooth) return s->solver_name;
  return scree_linear_solver_name(
      (size_t)options_get(s->class->options, s->class->option_count, s->option, "linear_solver"));
}

scree_status scree_stepper_set_solver(scree_stepper *s, const char *key, const char *value) {
  ARGUMENT_CHECK(s ? s->context : NULL, s && key && value);
  return scree_solver_set(s->solver, key, value);
}

scree_status scree_stepper_set(scree_stepper *s, const char *key, const char *value) {
  ARGUMENT_CHECK(s ? s->context : NULL, s && key && value);
  char owner[64];
  if (!s->class->smooth && strcmp(key, "linear_solver") == 0)
    return context_fail(s->context, SCREE_ERROR_UNSUPPORTED,
                        "stepper %s has no linear solver, as hard contacts state cone problems; "
                        "take one of `scree list solvers`, as auto, or a smooth stepper, as hht",
                        s->class->name);
  snprintf(owner, sizeof owner, "stepper %s", s->class->name);
  return options_set(s->context, owner, s->class->options, s->class->option_count, s->option, key,
                     value);
}

size_t scree_stepper_count(void) {
  return STEPPER_COUNT;
}

const char *scree_stepper_name(size_t i) {
  return i < STEPPER_COUNT ? steppers[i]->name : NULL;
}

const char *scree_stepper_summary(size_t i) {
  return i < STEPPER_COUNT ? steppers[i]->summary : NULL;
}

bool scree_stepper_is_smooth(size_t i) {
  return i < STEPPER_COUNT && steppers[i]->smooth;
}

const scree_option_def *scree_stepper_options(size_t i, size_t *count) {
  if (!count) return NULL;
  *count = i < STEPPER_COUNT ? steppers[i]->option_count : 0;
  return i < STEPPER_COUNT ? steppers[i]->options : NULL;
}

/* ---- a step that is not made leaves no mark ---------------------------------------------------
 */

typedef struct step_mark {
  uint64_t first_work, retry_work;
  assembler_mark order;
  size_t world_size, own_size; /* of the snapshot; 0: none */
} step_mark;

/* Steps of smooth motion change world and data as they go; they cost far more than a copy. Others
 * undo what they did. */
static scree_status set_mark(scree_stepper *s, step_mark *mark) {
  *mark = (step_mark){s->first_work, s->retry_work, assembler_set_mark(s->assembler), 0, 0};
  if (!s->class->smooth || !s->context->stop) return SCREE_OK;
  mark->world_size = world_save(s->world, NULL);
  mark->own_size = s->class->save(s, NULL);
  if (memory_grow(s->context, &s->snapshot, mark->world_size + mark->own_size, 1))
    return SCREE_ERROR_MEMORY;
  world_save(s->world, s->snapshot);
  s->class->save(s, s->snapshot + mark->world_size);
  return SCREE_OK;
}

/* Back to the state before the step; the message of the failure is kept. */
static void back_to_mark(scree_stepper *s, const step_mark *mark) {
  s->first_work = mark->first_work;
  s->retry_work = mark->retry_work;
  if (mark->world_size && s->context->stopped) {
    char message[CONTEXT_MESSAGE_SIZE];
    memcpy(message, s->context->message, sizeof message);
    if (!world_restore(s->world, s->snapshot, mark->world_size))
      s->class->restore(s, s->snapshot + mark->world_size, mark->own_size);
    memcpy(s->context->message, message, sizeof message);
  }
  assembler_back_to(s->assembler, mark->order);
}

static scree_status make_step(scree_stepper *s, double h, scree_step_info *info) {
  const double start = timer_now();
  /* In a box that is sheared or stretched nothing is at rest. */
  if (s->class->smooth || !(s->def.sleep_after > 0.0) || periodic_moves(&s->world->box))
    world_wake_all(s->world);
  step_mark mark;
  s->gathered_count = 0;
  context_begin(s->context);
  scree_status status = set_mark(s, &mark);
  if (status) return status;
  status = s->class->step(s, h, info);
  if (status) {
    back_to_mark(s, &mark);
    return status;
  }
  if (info->advanced) {
    world_clear_step_loads(s->world);
    world_forget_late(s->world);
    s->step_count++;
  }
  info->asleep = scree_world_asleep_count(s->world);
  info->energy = scree_world_get_energy(s->world);
  info->seconds = timer_now() - start;
  return SCREE_OK;
}

scree_status scree_stepper_step(scree_stepper *s, double h, scree_step_info *info) {
  ARGUMENT_CHECK(s ? s->context : NULL, s);
  scree_step_info local;
  if (!info) info = &local;
  memset(info, 0, sizeof *info);
  info->method = "";
  if (!(h > 0.0) || isinf(h))
    return context_fail(s->context, SCREE_ERROR_ARGUMENT,
                        "step: %g s; it must be finite and above 0", h);
  const timer_clock clock =
      timer_use(s->def.budget_clock == SCREE_CLOCK_CPU ? TIMER_CPU : TIMER_WALL);
  const scree_status status = make_step(s, h, info);
  timer_use(clock);
  return status;
}

size_t scree_stepper_step_count(const scree_stepper *s) {
  if (!s) return 0;
  return s->step_count;
}

const scree_ccp *scree_stepper_problem(const scree_stepper *s) {
  if (!s) return NULL;
  return s->assembler->problem;
}

const double *scree_stepper_impulses(const scree_stepper *s) {
  if (!s) return NULL;
  return s->assembler->g;
}
