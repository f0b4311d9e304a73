/* Events: what happens once, at a time or when a condition first holds at the start of a step. They
 * depend on the world, the flow and what was done before, which a checkpoint keeps. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/world.h"
#include "scene/build/build.h"

/* The names of a condition; those of the body come last. */
enum { BODY_NAMES = 7, WORLD_NAMES = 5 };
static const char *const names[WORLD_NAMES + BODY_NAMES] = {
    "t", "bodies", "kinetic", "emitted", "drained", "x", "y", "z", "vx", "vy", "vz", "speed"};

static scree_status for_removed(scree_scene *scene, const scene_action *a, scree_world *world,
                                bool do_it) {
  const scene_node *node = a->keys.remove;
  const size_t count = !node ? 0 : node->kind == SCENE_LIST ? node->count : 1;
  for (size_t i = 0; i < count; i++) {
    const scene_node *item = node->kind == SCENE_LIST ? node->items[i] : node;
    const char *name;
    size_t first = 0, bodies = 0;
    scree_status status = scene_text(&scene->doc, &scene->scope, item, "remove", &name);
    if (!status) status = scene_find_bodies(scene, item, name, false, &first, &bodies);
    for (size_t k = 0; k < bodies && do_it && !status; k++)
      if (scree_body_is_valid(world, scene->bodies[first + k]))
        status = scree_world_remove_body(world, scene->bodies[first + k]);
    if (status) return status;
  }
  return SCREE_OK;
}

static bool changes_rates(const scene_action *a) {
  return scene_given(&a->keys.head, &scene_section_event, "shear_rate") ||
         scene_given(&a->keys.head, &scene_section_event, "stretch_rate");
}

static void take_rates(const scene_action *a, scree_periodic_def *def) {
  if (scene_given(&a->keys.head, &scene_section_event, "shear_rate"))
    def->shear_rate = a->keys.shear_rate;
  if (scene_given(&a->keys.head, &scene_section_event, "stretch_rate"))
    memcpy(def->stretch_rate, a->keys.stretch_rate, sizeof def->stretch_rate);
}

scree_status scene_read_action(scree_scene *scene, scree_world *world, const scene_node *node,
                               size_t i) {
  scene_action *a = &scene->actions[i];
  a->keys = (scene_action_keys){.name = "", .body = "", .joint = "", .coordinate = 1};
  scree_status status =
      scene_read(&scene->doc, &scene->scope, node, &scene_section_event, &a->keys);
  if (status) return status;
  const bool at = scene_given(&a->keys.head, &scene_section_event, "at");
  if (at == (a->keys.when != NULL))
    return scene_fault(&scene->doc, node, "event: one of `at` and `when` is expected");
  if (at && scene_given(&a->keys.head, &scene_section_event, "after"))
    return scene_fault(&scene->doc, scene_place(&a->keys.head, "after"),
                       "after: it is for a condition (`when`)");
  const bool rates = changes_rates(a);
  if (!a->keys.remove && !a->keys.end && !a->keys.motor && !rates &&
      !scene_given(&a->keys.head, &scene_section_event, "gravity"))
    return scene_fault(&scene->doc, node,
                       "event: nothing is to happen; remove, gravity, shear_rate, stretch_rate, "
                       "motor or end is expected");
  if (rates) {
    scree_periodic_def def = scene->periodic;
    take_rates(a, &def);
    periodic box;
    const char *why;
    if (!world_make_box(&def, &box, &why))
      return scene_fault(&scene->doc, node, "event: periodic box: %s", why);
  }
  if (!*a->keys.joint != !a->keys.motor)
    return scene_fault(&scene->doc, node, "event: `joint` and `motor` go together");
  if (a->keys.motor) {
    status = scene_read_started(scene, scene_place(&a->keys.head, "joint"), a->keys.joint,
                                a->keys.coordinate, a->keys.motor, &a->drive);
    if (status) return status;
  }
  if (*a->keys.body) {
    size_t first, count;
    status = scene_find_bodies(scene, scene_place(&a->keys.head, "body"), a->keys.body, true,
                               &first, &count);
    if (status) return status;
    a->body = scene->bodies[first];
    a->has_body = true;
  }
  return for_removed(scene, a, world, false);
}

static double kinetic(const scree_world *world) {
  const scree_energy e = scree_world_get_energy(world);
  return e.linear + e.angular;
}

/* False in *holds also when the body is gone: its state is not known any more. */
static scree_status ask(scree_scene *scene, const scree_world *world, const scene_action *a,
                        bool *holds) {
  scene_scope scope = scene->scope;
  scree_body_state s = {.position = {0}};
  *holds = false;
  if (a->has_body && !scree_body_is_valid(world, a->body)) return SCREE_OK;
  if (a->has_body && scree_body_get_state(world, a->body, &s)) return SCREE_OK;
  const double values[WORLD_NAMES + BODY_NAMES] = {
      scree_world_time(world),
      (double)scree_world_dynamic_count(world),
      scene_uses_name(a->keys.when, "kinetic") ? kinetic(world) : 0.0,
      (double)scene->flow.emitted,
      (double)scene->flow.drained,
      s.position[0],
      s.position[1],
      s.position[2],
      s.velocity[0],
      s.velocity[1],
      s.velocity[2],
      hypot(hypot(s.velocity[0], s.velocity[1]), s.velocity[2])};
  const size_t count = a->has_body ? WORLD_NAMES + BODY_NAMES : WORLD_NAMES;
  for (size_t i = 0; i < count && scope.count < SCENE_VARIABLE_LIMIT; i++)
    scope.variables[scope.count++] = (scene_variable){names[i], values[i]};
  double value;
  const scree_status status = scene_number(&scene->doc, &scope, a->keys.when, "when", "", &value);
  *holds = !status && value != 0.0;
  return status;
}

scree_status scene_check_actions(scree_scene *scene, const scree_world *world) {
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < scene->action_count; i++) {
    bool holds;
    if (!scene->actions[i].keys.when) continue;
    const scree_status one = ask(scene, world, &scene->actions[i], &holds);
    if (one) status = one;
  }
  return status;
}

static scree_status act(scree_scene *scene, scree_world *world, scene_action *a) {
  a->done = true;
  scree_status status = for_removed(scene, a, world, true);
  if (!status && scene_given(&a->keys.head, &scene_section_event, "gravity"))
    status = scree_world_set_gravity(world, a->keys.gravity);
  if (!status && changes_rates(a)) {
    scree_periodic_def def;
    scree_world_get_periodic(world, &def, NULL);
    take_rates(a, &def);
    status = scree_world_set_periodic_rates(world, def.shear_rate, def.stretch_rate);
  }
  if (!status && a->keys.motor) {
    scene_hide_drives(scene);
    if (scree_joint_is_valid(world, a->drive.joint))
      status = scree_joint_set_coordinate_motor(world, a->drive.joint, a->drive.coordinate,
                                                &a->drive.motor);
  }
  if (!status)
    context_log(scene->context, SCREE_LOG_INFO, "event %s at %g s", a->keys.name,
                scree_world_time(world));
  return status;
}

void scene_hide_drives(scree_scene *scene) {
  for (size_t i = 0; i < scene->drive_count; i++) {
    scene_drive *d = &scene->drives[i];
    d->hidden = false;
    for (size_t k = 0; k < scene->action_count; k++) {
      const scene_action *a = &scene->actions[k];
      d->hidden |= a->done && a->keys.motor && a->drive.joint.index == d->joint.index &&
                   a->drive.coordinate == d->coordinate;
    }
  }
}

scree_status scene_act(scree_scene *scene, scree_world *world) {
  /* A time that is a whole number of steps is met in spite of rounding. */
  const double time = scree_world_time(world), slack = 1e-9 * scene->settings.step;
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < scene->action_count && !status; i++) {
    scene_action *a = &scene->actions[i];
    if (a->done || time < (a->keys.when ? a->keys.after : a->keys.at) - slack - 1e-12 * time)
      continue;
    bool holds = true;
    if (a->keys.when) status = ask(scene, world, a, &holds);
    if (!status && holds) status = act(scene, world, a);
  }
  return status;
}

bool scree_scene_has_ended(const scree_scene *scene) {
  if (!scene) return false;
  for (size_t i = 0; i < scene->action_count; i++)
    if (scene->actions[i].done && scene->actions[i].keys.end) return true;
  return false;
}
