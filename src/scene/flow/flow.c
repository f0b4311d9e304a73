/* What a scene does while it runs: forces, emitters and drains. All of it depends on the world, the
 * step and the few numbers that a checkpoint keeps, and on nothing else. */
#include <math.h>
#include <string.h>

#include "base/argument.h"
#include "model/world.h"
#include "scene/build/build.h"
#include "scene/flow/near.h"
#include "shape/shape.h"

enum { EMITTER_ATTEMPTS = 50, STOP_CHECK = 1024 };

static bool active(const scene_event_keys *k, double time) {
  return time >= k->start && time < k->stop;
}

/* The balls around the moving bodies that reach into the region. */
static scree_status find_near(scree_scene *scene, const scree_world *world,
                              const scene_region *region, near_list *list) {
  size_t limit = scree_world_body_limit(world);
  for (size_t i = 0; i < limit; i++) {
    scree_body_id id = scree_world_body_at(world, i);
    scree_body_info info;
    scree_body_state state;
    if (!id.generation || scree_body_get_info(world, id, &info)) continue;
    if (info.kind != SCREE_BODY_DYNAMIC || !info.shape) continue;
    scree_body_get_shown_state(world, id, &state);
    bool out = false;
    for (int k = 0; k < 3; k++)
      out |= state.position[k] + info.shape->size < region->lower[k] ||
             state.position[k] - info.shape->size > region->upper[k];
    if (out) continue;
    const scree_status status = near_add(scene->context, list, state.position, info.shape->size);
    if (status) return status;
  }
  return SCREE_OK;
}

/* Emits one body; *done is false when there was no room for it. */
static scree_status emit_one(scree_scene *scene, scree_world *world, scene_emitter *e,
                             near_list *list, bool *done) {
  size_t n = (size_t)(scene_uniform(&e->random) * EMITTER_PALETTE);
  scree_body_def def = e->body.def;
  def.shape = e->palette[n];
  if (e->body.random_rotation) scene_random_rotation(&e->random, def.rotation);
  *done = false;
  for (int k = 0; k < EMITTER_ATTEMPTS && !*done; k++)
    *done = scene_region_draw(&e->region, &e->random, def.shape->size, def.position) &&
            near_has_room(list, def.position, def.shape->size);
  if (!*done) return SCREE_OK;
  scree_body_id id;
  scree_body_info info;
  scree_status status = scree_world_add_body(world, &def, &id);
  if (!status) status = scree_body_get_info(world, id, &info);
  if (!status) status = near_add(scene->context, list, def.position, def.shape->size);
  if (status) return status;
  e->emitted++;
  e->carry -= 1.0;
  scene->flow.emitted++;
  scene->flow.emitted_mass += info.mass;
  return SCREE_OK;
}

/* A million bodies may be due in one step, so signals are looked for between them. Several ranks
 * stop together, after the step. */
static bool is_stopped(scree_scene *scene, size_t made) {
  return made % STOP_CHECK == STOP_CHECK - 1 && !scene->context->ranks &&
         context_stopped(scene->context);
}

/* `again`: it was stopped in the midst of this, and goes on as if it had not been. */
static scree_status emit(scree_scene *scene, scree_world *world, scene_emitter *e, double h,
                         bool again) {
  if (!active(&e->keys, scree_world_time(world))) return SCREE_OK;
  if (!again) e->carry = fmin(e->carry + e->keys.rate * h, 1e6);
  uint64_t most = e->keys.number < 0 ? UINT64_MAX : (uint64_t)e->keys.number;
  if (e->carry < 1.0 || e->emitted >= most) return SCREE_OK;
  near_list list = {0};
  double largest = 0.0;
  for (int n = 0; n < EMITTER_PALETTE; n++) largest = fmax(largest, e->palette[n]->size);
  scree_status status = find_near(scene, world, &e->region, &list);
  if (!status) status = near_sort(scene->context, &list, largest);
  bool done = true;
  for (size_t made = 0; !status && done && e->carry >= 1.0 && e->emitted < most; made++) {
    status = emit_one(scene, world, e, &list, &done);
    if (!status && is_stopped(scene, made))
      status = context_fail(scene->context, SCREE_ERROR_STOPPED, "emitter: stopped by the caller");
  }
  near_clear(scene->context, &list);
  return status;
}

/* How much of a step a force acts that is given for its start. One that is constant lasts as
 * gravity does. One that changes with time kicks velocities from the middle of the step before to
 * the middle of this one, so half as long at its first moment and, at its end, half a step more:
 * the trapezoidal rule, which is of second order. */
static double part_of(const scene_force *f, double time, double h) {
  const scene_event_keys *k = &f->keys;
  if (!f->timed && !f->timed_torque) return active(k, time) ? 1.0 : 0.0;
  const double slack = 1e-6 * h;
  const bool on = time >= k->start - slack && time < k->stop - slack;
  if (on) return time - h < k->start - slack ? 0.5 : 1.0;
  const bool was = time - h >= k->start - slack && time - h < k->stop - slack;
  return was ? 0.5 : 0.0;
}

static scree_status push(scree_scene *scene, scree_world *world, scene_force *f, double time,
                         double part) {
  scree_status status = SCREE_OK;
  if (f->timed || f->timed_torque) {
    scene_scope scope;
    scene_enter(scene, f->part);
    scene_timed_scope(&scene->scope, time, &scope);
    if (f->timed) {
      status = scene_vector(&scene->doc, &scope, f->timed, "force", "N", 3, f->keys.force);
      scene_turn_vector(scene, f->keys.force);
    }
    if (!status && f->timed_torque) {
      status =
          scene_vector(&scene->doc, &scope, f->timed_torque, "torque", "N m", 3, f->keys.torque);
      scene_turn_vector(scene, f->keys.torque);
    }
  }
  double force[3], torque[3];
  for (int k = 0; k < 3; k++) {
    force[k] = part * f->keys.force[k];
    torque[k] = part * f->keys.torque[k];
  }
  for (size_t n = 0; n < f->count && !status; n++) {
    const scree_body_id id = scene->bodies[f->first + n];
    if (scree_body_is_valid(world, id))
      status = scree_body_add_force(world, id, force, NULL, torque);
  }
  return status;
}

/* A force of a smooth stepper lasts for the whole step. Methods that take accelerations of both
 * ends have the first from the step before, so that this is the one of the end; others want that of
 * the middle. So all are of second order in it. */
static scree_status push_whole(scree_scene *scene, scree_world *world, scene_force *f, double h) {
  const double time = scree_world_time(world);
  if (!active(&f->keys, time + 0.5 * h)) return SCREE_OK;
  return push(scene, world, f, time + world->whole * h, 1.0);
}

/* Forces and motors of the step. */
static scree_status act_on(scree_scene *scene, scree_world *world, double h) {
  const double time = scree_world_time(world);
  scree_status acted = scene_act(scene, world);
  for (size_t i = 0; i < scene->force_count && !acted; i++) {
    scene_force *f = &scene->forces[i];
    if (world->whole > 0.0) {
      acted = push_whole(scene, world, f, h);
      continue;
    }
    const double part = part_of(f, time, h);
    /* A constant one lasts: in the first step of a body it acts as long as gravity does. */
    world->calling = f->timed || f->timed_torque ? 0.0 : h;
    if (part > 0.0) acted = push(scene, world, f, time, part);
  }
  world->calling = h;
  if (!acted) acted = scene_push_fluids(scene, world, h);
  if (!acted) acted = scene_push_fields(scene, world, h);
  world->calling = 0.0;
  return acted ? acted : scene_drive_motors(scene, world, h);
}

scree_status scree_scene_before_step(scree_scene *scene, scree_world *world, double h) {
  ARGUMENT_CHECK(scene ? scree_scene_context(scene) : NULL, scene && world);
  if (scene->user_law && !world->law_begin) {
    scene->doc.report = NULL; /* the status tells it */
    return scene_fault(
        &scene->doc, scene->user_law,
        "the law user needs a function of yours, by World.set_law_function in Python "
        "or scree_world_set_law_function in C; the command has none");
  }
  const size_t again = scene->emitting;
  size_t i = again ? again - 1 : 0;
  scree_status status = again ? SCREE_OK : act_on(scene, world, h);
  context_begin(scene->context);
  scene->emitting = 0;
  for (; i < scene->emitter_count && !status; i++) {
    status = emit(scene, world, &scene->emitters[i], h, i + 1 == again);
    if (status == SCREE_ERROR_STOPPED) scene->emitting = i + 1;
  }
  return status;
}

scree_status scree_scene_after_step(scree_scene *scene, scree_world *world) {
  ARGUMENT_CHECK(scene ? scree_scene_context(scene) : NULL, scene && world);
  if (!scene->drain_count) return SCREE_OK;
  double time = scree_world_time(world);
  size_t limit = scree_world_body_limit(world);
  for (size_t i = 0; i < limit; i++) {
    scree_body_id id = scree_world_body_at(world, i);
    scree_body_state state;
    scree_body_info info;
    if (!id.generation || scree_body_get_info(world, id, &info)) continue;
    if (info.kind != SCREE_BODY_DYNAMIC) continue;
    scree_body_get_shown_state(world, id, &state);
    bool taken = false;
    for (size_t d = 0; d < scene->drain_count && !taken; d++) {
      const scene_event_keys *k = &scene->drains[d];
      taken = active(k, time);
      for (int n = 0; n < 3; n++)
        taken = taken && state.position[n] >= k->lower[n] && state.position[n] <= k->upper[n];
    }
    if (!taken) continue;
    scree_status status = scree_world_remove_body(world, id);
    if (status) return status;
    scene->flow.drained++;
    scene->flow.drained_mass += info.mass;
  }
  return SCREE_OK;
}

scree_scene_flow scree_scene_get_flow(const scree_scene *scene) {
  if (!scene) return (scree_scene_flow){0};
  return scene->flow;
}

/* ---- checkpoint ----------------------------------------------------------------------------- */

typedef struct saved_emitter {
  uint64_t state, emitted;
  double carry;
} saved_emitter;

size_t scree_scene_save_size(const scree_scene *scene) {
  if (!scene) return 0;
  return sizeof(scree_scene_flow) + scene->emitter_count * sizeof(saved_emitter) +
         scene->action_count;
}

scree_status scree_scene_save(const scree_scene *scene, void *blob, size_t size) {
  ARGUMENT_CHECK(scene ? scree_scene_context(scene) : NULL, scene);
  if (size != scree_scene_save_size(scene))
    return context_fail(scene->context, SCREE_ERROR_ARGUMENT,
                        "scree_scene_save: %zu bytes; scree_scene_save_size says %zu", size,
                        scree_scene_save_size(scene));
  char *at = blob;
  memcpy(at, &scene->flow, sizeof scene->flow);
  at += sizeof scene->flow;
  for (size_t i = 0; i < scene->emitter_count; i++, at += sizeof(saved_emitter)) {
    const scene_emitter *e = &scene->emitters[i];
    saved_emitter s = {e->random.state, e->emitted, e->carry};
    memcpy(at, &s, sizeof s);
  }
  for (size_t i = 0; i < scene->action_count; i++) *at++ = scene->actions[i].done;
  return SCREE_OK;
}

scree_status scree_scene_restore(scree_scene *scene, const void *blob, size_t size) {
  ARGUMENT_CHECK(scene ? scree_scene_context(scene) : NULL, scene);
  if (size != scree_scene_save_size(scene))
    return context_fail(scene->context, SCREE_ERROR_INPUT,
                        "the checkpoint is of another scene: %zu bytes of emitters, not %zu", size,
                        scree_scene_save_size(scene));
  const char *at = blob;
  scene->emitting = 0;
  memcpy(&scene->flow, at, sizeof scene->flow);
  at += sizeof scene->flow;
  for (size_t i = 0; i < scene->emitter_count; i++, at += sizeof(saved_emitter)) {
    saved_emitter s;
    memcpy(&s, at, sizeof s);
    scene->emitters[i].random.state = s.state;
    scene->emitters[i].emitted = s.emitted;
    scene->emitters[i].carry = s.carry;
  }
  for (size_t i = 0; i < scene->action_count; i++) scene->actions[i].done = *at++ != 0;
  scene_hide_drives(scene);
  return SCREE_OK;
}
