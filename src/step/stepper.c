/* The door to steppers: creation, the step with its report, and the contacts of the last one. */
#include "step/stepper.h"

#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "base/options.h"
#include "base/timer.h"
#include "ccp/problem.h"
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
  };
}

static scree_status check_def(scree_context *context, const scree_stepper_def *d) {
  if (!(d->tolerance_residual >= 0.0) || !(d->tolerance_error >= 0.0) ||
      !(d->tolerance_moving >= 0.0) || !(d->time_budget >= 0.0) || d->iteration_limit < 0 ||
      d->check_interval < 0 || d->retry_iteration_limit < 0)
    return context_fail(context, SCREE_ERROR_INPUT,
                        "stepper: tolerances and limits must not be negative");
  if (!(d->stabilisation > 0.0 && d->stabilisation <= 1.0))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "stepper: stabilisation is %g; it must lie in (0, 1]", d->stabilisation);
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
  return SCREE_OK;
}

static scree_status find_class(scree_context *context, const char *name,
                               const stepper_class **class) {
  const char *names[STEPPER_COUNT];
  for (size_t i = 0; i < STEPPER_COUNT; i++) {
    names[i] = steppers[i]->name;
    if (!name || strcmp(names[i], name) == 0) {
      *class = steppers[i];
      return SCREE_OK;
    }
  }
  const char *near = options_nearest(name, names, STEPPER_COUNT);
  return context_fail(context, SCREE_ERROR_ARGUMENT, "there is no stepper '%s'%s%s%s", name,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

scree_status scree_stepper_create(scree_world *world, const scree_stepper_def *def,
                                  scree_stepper **out) {
  ARGUMENT_CHECK(world ? world->context : NULL, world && out);
  scree_context *context = world->context;
  const scree_stepper_def fallback = scree_stepper_def_default();
  const stepper_class *class = NULL;
  *out = NULL;
  if (!def) def = &fallback;
  scree_status status = check_def(context, def);
  if (!status) status = find_class(context, def->stepper, &class);
  if (status) return status;
  scree_stepper *s = memory_new(context, 1, sizeof *s);
  if (!s) return SCREE_ERROR_MEMORY;
  s->context = context;
  s->world = world;
  s->class = class;
  s->def = *def;
  const char *solver = def->solver ? def->solver : "auto";
  status = scree_solver_create(context, solver, &s->solver);
  for (size_t i = 0; i < scree_solver_count() && !status; i++)
    if (strcmp(scree_solver_name(i), solver) == 0) s->solver_name = scree_solver_name(i);
  if (!status && (def->retry_solver || strcmp(solver, "auto") != 0))
    status = scree_solver_create(context, def->retry_solver ? def->retry_solver : "auto",
                                 &s->retry_solver);
  if (!status) status = assembly_create(world, &s->assembly);
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
  assembly_destroy(s->assembly);
  memory_free(s->context, s->snapshot);
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
  assembly_mark order;
  size_t world_size, own_size; /* of the snapshot; 0: none */
} step_mark;

/* Steps of smooth motion change world and data as they go; they cost far more than a copy. Others
 * undo what they did. */
static scree_status set_mark(scree_stepper *s, step_mark *mark) {
  *mark = (step_mark){s->first_work, s->retry_work, assembly_set_mark(s->assembly), 0, 0};
  if (!s->class->smooth || !s->context->stop) return SCREE_OK;
  mark->world_size = world_save(s->world, NULL);
  mark->own_size = s->class->save(s, NULL);
  if (memory_grow(s->context, &s->snapshot, &s->snapshot_capacity,
                  mark->world_size + mark->own_size, 1))
    return SCREE_ERROR_MEMORY;
  world_save(s->world, s->snapshot);
  s->class->save(s, s->snapshot + mark->world_size);
  return SCREE_OK;
}

/* With the message of what ended the step. */
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
  assembly_back_to(s->assembly, mark->order);
}

scree_status scree_stepper_step(scree_stepper *s, double h, scree_step_info *info) {
  ARGUMENT_CHECK(s ? s->context : NULL, s);
  scree_step_info local;
  const double start = timer_now();
  if (!info) info = &local;
  memset(info, 0, sizeof *info);
  info->method = "";
  if (!(h > 0.0) || isinf(h))
    return context_fail(s->context, SCREE_ERROR_ARGUMENT,
                        "step: %g s; it must be finite and above 0", h);
  step_mark mark;
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
    s->step_count++;
  }
  info->energy = scree_world_get_energy(s->world);
  info->seconds = timer_now() - start;
  return SCREE_OK;
}

size_t scree_stepper_step_count(const scree_stepper *s) {
  if (!s) return 0;
  return s->step_count;
}

/* ---- contacts ------------------------------------------------------------------------------- */

scree_contact scree_stepper_get_contact(const scree_stepper *s, size_t k) {
  if (!s || !s->assembly->solved || k >= s->assembly->contact_count) return (scree_contact){0};
  const assembly *a = s->assembly;
  const world_bodies *b = &s->world->bodies;
  const ccp_contact *c = &a->problem->bodies.contact[k];
  const cache_key *key = &collide_cache(a->collide)->now.key[k];
  /* Arms are those of the start of the step, bodies have moved on since. */
  v3 center = v3_add_scaled(b->position[key->a], -a->h, b->linear[key->a]);
  const periodic *box = &s->world->box;
  if (periodic_is_on(box) && world_is_dynamic(s->world, key->a))
    center = v3_add(center, periodic_nearest(box, v3_load(box->center), b->position[key->a]).shift);
  scree_contact out = {
      .body_a = key->a, .body_b = key->b, .feature = key->feature, .gap = (double)a->gap[k]};
  v3_store(out.position, v3_add(center, v3_load(c->arm_a)));
  memcpy(out.normal, c->normal, sizeof out.normal);
  v3_store(out.impulse, assembly_whole_impulse(a, k));
  if (a->has_extra_now) v3_store(out.moment, a->extra_now[k].moment);
  return out;
}

size_t scree_stepper_get_contacts(const scree_stepper *s, size_t capacity, scree_contact *out) {
  if (!s) return 0;
  if (!out) capacity = 0;
  const size_t n = s->assembly->solved ? s->assembly->contact_count : 0;
  for (size_t k = 0; k < n && k < capacity; k++) out[k] = scree_stepper_get_contact(s, k);
  return n;
}

scree_status scree_stepper_get_contact_force(const scree_stepper *s, scree_body_id body,
                                             double force[3], double torque[3]) {
  ARGUMENT_CHECK(s ? s->context : NULL, s);
  const uint32_t i = world_find_body(s->world, body);
  const assembly *a = s->assembly;
  v3 f = {0, 0, 0}, t = {0, 0, 0};
  if (i == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
  const cache_key *key = collide_cache(a->collide)->now.key;
  for (size_t k = 0; a->solved && k < a->contact_count; k++) {
    if (key[k].a != i && key[k].b != i) continue;
    const ccp_contact *c = &a->problem->bodies.contact[k];
    const double sign = key[k].b == i ? 1.0 : -1.0;
    const v3 p = v3_scale(sign / a->kick, assembly_whole_impulse(a, k));
    f = v3_add(f, p);
    t = v3_add(t, v3_cross(v3_load(key[k].b == i ? c->arm_b : c->arm_a), p));
    if (a->has_extra_now) t = v3_add_scaled(t, sign / a->kick, a->extra_now[k].moment);
  }
  v3_store(force, f);
  v3_store(torque, t);
  return SCREE_OK;
}

const scree_ccp *scree_stepper_problem(const scree_stepper *s) {
  if (!s) return NULL;
  return s->assembly->problem;
}

const double *scree_stepper_impulses(const scree_stepper *s) {
  if (!s) return NULL;
  return s->assembly->g;
}
