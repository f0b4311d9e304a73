/* Joints, probes, and what acts as time goes by: forces, emitters, drains. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/build/build.h"
#include "shape/shape.h"

size_t scene_match_bodies(const scree_scene *scene, const char *name, size_t *entries,
                          size_t *first) {
  size_t count = 0;
  *entries = 0;
  for (size_t i = 0; i < scene->entry_count; i++) {
    const scene_entry *e = &scene->entries[i];
    if (!*e->name || !e->count || strcmp(e->name, name) != 0) continue;
    if ((*entries)++ == 0) {
      *first = e->first;
      count = e->count;
    }
  }
  const char *bracket = strrchr(name, '[');
  if (*entries || !bracket || bracket == name) return count;
  char *end;
  const unsigned long i = strtoul(bracket + 1, &end, 10);
  if (end == bracket + 1 || strcmp(end, "]") != 0) return 0;
  for (size_t k = 0; k < scene->entry_count; k++) {
    const scene_entry *e = &scene->entries[k];
    const size_t length = (size_t)(bracket - name);
    if (strlen(e->name) != length || strncmp(e->name, name, length) != 0 || i >= e->count) continue;
    if ((*entries)++ == 0) *first = e->first + i;
  }
  return *entries ? 1 : 0;
}

static bool has_bodies(const scree_scene *scene, const char *name) {
  size_t entries, first;
  return scene_match_bodies(scene, name, &entries, &first) > 0 || entries > 0;
}

scree_status scene_find_bodies(scree_scene *scene, const scene_node *at, const char *name, bool one,
                               size_t *first, size_t *count) {
  size_t entries;
  name = scene_meant_name(scene, name, has_bodies);
  *count = scene_match_bodies(scene, name, &entries, first);
  if (entries > 1)
    return scene_fault(&scene->doc, at, "%zu entries of bodies have the name '%s'; rename some",
                       entries, name);
  if (one && *count > 1)
    return scene_fault(&scene->doc, at, "'%s' are %zu bodies; name one, from %s[0] to %s[%zu]",
                       name, *count, name, name, *count - 1);
  if (*count) return SCREE_OK;
  const char *names[64];
  size_t known = 0;
  for (size_t i = 0; i < scene->entry_count && known < 64; i++)
    if (*scene->entries[i].name) names[known++] = scene->entries[i].name;
  char buffer[256];
  return scene_fault(&scene->doc, at, "there is no body '%s'%s", name,
                     scene_suggest(name, names, known, buffer, sizeof buffer));
}

/* ---- reading -------------------------------------------------------------------------------- */

static scree_status read_event(scree_scene *scene, const scene_scope *scope, const scene_node *node,
                               const scene_section *section, scene_event_keys *k) {
  *k = (scene_event_keys){.name = "", .stop = INFINITY, .number = -1, .seed = 1};
  scree_status status = scene_read(&scene->doc, scope, node, section, k);
  if (!status && k->stop < k->start)
    status = scene_fault(&scene->doc, scene_place(&k->head, "stop"),
                         "stop: %g s is before the start at %g s", k->stop, k->start);
  return status;
}

static scree_status read_force(scree_scene *scene, scree_world *world, const scene_node *node,
                               size_t i) {
  (void)world;
  scene_force *f = &scene->forces[i];
  static const char *const plain[] = {"start", "stop"};
  scene_scope scope;
  scene_timed_scope(&scene->scope, 0.0, &scope);
  scree_status status = read_event(scene, &scope, node, &scene_section_force, &f->keys);
  if (status) return status;
  scene_turn_vector(scene, f->keys.force);
  scene_turn_vector(scene, f->keys.torque);
  const scene_node *force = scene_place(&f->keys.head, "force"),
                   *torque = scene_place(&f->keys.head, "torque");
  f->part = scene->part;
  f->timed = force != node && scene_is_timed(&scene->scope, force) ? force : NULL;
  f->timed_torque = torque != node && scene_is_timed(&scene->scope, torque) ? torque : NULL;
  for (int k = 0; k < 2; k++) {
    const scene_node *at = scene_place(&f->keys.head, plain[k]);
    if (at != node && scene_is_timed(&scene->scope, at))
      return scene_fault(&scene->doc, at, "%s: the time t is known in force and torque only",
                         plain[k]);
  }
  return scene_find_bodies(scene, scene_place(&f->keys.head, "body"), f->keys.body_name, false,
                           &f->first, &f->count);
}

static scree_status read_fluid(scree_scene *scene, scree_world *world, const scene_node *node,
                               size_t i) {
  (void)world;
  scene_fluid *f = &scene->fluids[i];
  f->keys = (scene_fluid_keys){
      .body_name = "", .drag_coefficient = 0.47, .level = INFINITY, .stop = INFINITY};
  scree_status status =
      scene_read(&scene->doc, &scene->scope, node, &scene_section_fluid, &f->keys);
  if (status) return status;
  if (!(f->keys.density > 0.0) && !(f->keys.viscosity > 0.0))
    return scene_fault(&scene->doc, node, "fluid: it needs a density or a viscosity above 0");
  if (f->keys.stop < f->keys.start)
    return scene_fault(&scene->doc, scene_place(&f->keys.head, "stop"),
                       "stop: %g s is before the start at %g s", f->keys.stop, f->keys.start);
  if (!*f->keys.body_name) return SCREE_OK;
  return scene_find_bodies(scene, scene_place(&f->keys.head, "body"), f->keys.body_name, false,
                           &f->first, &f->count);
}

static scree_status read_drain(scree_scene *scene, scree_world *world, const scene_node *node,
                               size_t i) {
  (void)world;
  return read_event(scene, &scene->scope, node, &scene_section_drain, &scene->drains[i]);
}

/* All shapes are made now and kept by the world, so that a checkpoint can name them. */
static scree_status read_emitter(scree_scene *scene, scree_world *world, const scene_node *node,
                                 size_t i) {
  scene_emitter *e = &scene->emitters[i];
  scree_status status = read_event(scene, &scene->scope, node, &scene_section_emitter, &e->keys);
  if (!status) status = scene_read_region(scene, &scene->scope, e->keys.region, &e->region);
  if (!status) status = scene_read_template(scene, &scene->scope, world, e->keys.body, &e->body);
  if (status) return status;
  const scene_body_keys *b = &e->body.keys;
  if (b->lattice || b->random || b->csv || b->belt || b->loop || b->kind != 0 || !b->shape)
    return scene_fault(&scene->doc, e->keys.body,
                       "body: an emitter needs one dynamic body with a shape");
  e->random.state = (uint64_t)e->keys.seed;
  size_t sizes = e->body.spread.kind ? EMITTER_PALETTE : 1;
  for (size_t n = 0; n < EMITTER_PALETTE && !status; n++) {
    double u = ((double)n + 0.5) / EMITTER_PALETTE;
    bool owned = false;
    if (n >= sizes) {
      e->palette[n] = scree_shape_retain(e->palette[0]);
      continue;
    }
    status = scene_template_shape(scene, &scene->scope, &e->body,
                                  scene_spread_draw(&e->body.spread, u), &e->palette[n], &owned);
    if (status) break;
    if (!owned) scree_shape_retain(e->palette[n]);
    if (!isfinite(e->palette[n]->size))
      return scene_fault(&scene->doc, b->shape, "shape: an emitter needs one that has an end");
    status = scree_world_add_shape(world, e->palette[n]);
  }
  double room = e->region.upper[2] - e->region.lower[2];
  for (int k = 0; k < 2; k++) room = fmin(room, e->region.upper[k] - e->region.lower[k]);
  if (!status && 2.0 * e->palette[EMITTER_PALETTE - 1]->size > room)
    status = scene_fault(&scene->doc, e->keys.region, "region: a body does not fit into it");
  return status;
}

static scree_status read_probe(scree_scene *scene, scree_world *world, const scene_node *node,
                               size_t i) {
  (void)world;
  scene_probe *p = &scene->probes[i];
  p->keys =
      (scene_probe_keys){.name = "", /* one that failed to be read is compared with others too */
                         .body_name = "",
                         .joint = "",
                         .normal = {0, 0, -1},
                         .lower = {-INFINITY, -INFINITY, -INFINITY},
                         .upper = {INFINITY, INFINITY, INFINITY}};
  scree_status status =
      scene_read(&scene->doc, &scene->scope, node, &scene_section_probe, &p->keys);
  if (status) return status;
  const scene_node *at = scene_place(&p->keys.head, "name");
  p->keys.name = scene_own_name(scene, p->keys.name);
  if (scene->part && p->keys.kind != SCREE_PROBE_BODY && p->keys.kind != SCREE_PROBE_FORCE &&
      p->keys.kind != SCREE_PROBE_JOINT)
    return scene_fault(&scene->doc, node,
                       "probe: in an assembly there are the kinds body, force and joint");
  if (!*p->keys.name || strpbrk(p->keys.name, "/\\ \t\n") || p->keys.name[0] == '.')
    return scene_fault(&scene->doc, at, "name: '%s' cannot be a part of a file name", p->keys.name);
  if (strlen(p->keys.name) > SCENE_PROBE_NAME)
    return scene_fault(&scene->doc, at, "name: it has %zu bytes; %d are allowed for a probe",
                       strlen(p->keys.name), SCENE_PROBE_NAME);
  for (size_t k = 0; k < i; k++)
    if (strcmp(scene->probes[k].keys.name, p->keys.name) == 0)
      return scene_fault(&scene->doc, at, "name: there is a probe '%s' already", p->keys.name);
  double n = hypot(hypot(p->keys.normal[0], p->keys.normal[1]), p->keys.normal[2]);
  if (!(n > 0.0))
    return scene_fault(&scene->doc, scene_place(&p->keys.head, "normal"),
                       "normal: its length is zero");
  for (int k = 0; k < 3; k++) p->keys.normal[k] /= n;
  for (int k = 0; k < 3; k++)
    if (!(p->keys.lower[k] < p->keys.upper[k]))
      return scene_fault(&scene->doc, scene_place(&p->keys.head, "upper"),
                         "upper: must lie above lower in x, y and z");
  if (p->keys.kind == SCREE_PROBE_JOINT) {
    const scene_node *place = scene_place(&p->keys.head, "joint");
    if (!*p->keys.joint) return scene_fault(&scene->doc, node, "probe: key 'joint' is missing");
    const scene_joint *joint = scene_find_joint(scene, place, p->keys.joint);
    if (!joint) return SCREE_ERROR_INPUT;
    p->joint = joint->id;
    return SCREE_OK;
  }
  if (p->keys.kind == SCREE_PROBE_REGION)
    for (int k = 0; k < 3; k++)
      if (!isfinite(p->keys.upper[k] - p->keys.lower[k]))
        return scene_fault(&scene->doc, node, "probe: a region needs `lower` and `upper`");
  for (int k = 0; k < 3 && p->keys.kind == SCREE_PROBE_STRESS; k++)
    if (!(scene->periodic.size[k] > 0.0) &&
        (!isfinite(p->keys.lower[k]) || !isfinite(p->keys.upper[k])))
      return scene_fault(&scene->doc, node,
                         "probe: stress is that of a box; give lower and upper (along periodic "
                         "directions it is the whole box)");
  bool one = p->keys.kind == SCREE_PROBE_BODY || p->keys.kind == SCREE_PROBE_FORCE;
  bool many = p->keys.kind == SCREE_PROBE_GROUP || p->keys.kind == SCREE_PROBE_SURFACE;
  if (!one && (!many || !*p->keys.body_name)) return SCREE_OK;
  if (!*p->keys.body_name) return scene_fault(&scene->doc, node, "probe: key 'body' is missing");
  size_t first;
  status = scene_find_bodies(scene, scene_place(&p->keys.head, "body"), p->keys.body_name, one,
                             &first, &p->body_count);
  if (status) return status;
  p->body = scene->bodies[first];
  p->bodies = scene->bodies + first;
  return SCREE_OK;
}

typedef scree_status read_function(scree_scene *scene, scree_world *world, const scene_node *node,
                                   size_t i);

static scree_status read_list(scree_scene *scene, scree_world *world, const scene_node *list,
                              void *array, size_t *count, size_t size, read_function *read) {
  *count = 0;
  if (!list) return SCREE_OK;
  void *block = memory_new(scene->context, list->count + 1, size);
  if (!block) return SCREE_ERROR_MEMORY;
  memcpy(array, &block, sizeof block);
  *count = list->count;
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < list->count; i++) {
    scene_enter(scene, list->items[i]->part);
    scree_status one = read(scene, world, list->items[i], i);
    if (one) status = one;
  }
  return status;
}

scree_status scene_build_events(scree_scene *scene, scree_world *world) {
  scree_status status = SCREE_OK, one;
  for (size_t i = 0; scene->top.joints && i < scene->top.joints->count; i++) {
    one = scene_build_loop(scene, world, scene->top.joints->items[i], scene_build_joint);
    if (one) status = one;
  }
  const scene_top *t = &scene->top;
  if (!status) status = scene_fit_joints(scene, world);
  if (!status) status = scene_build_schedule(scene, world);
  one = read_list(scene, world, t->forces, &scene->forces, &scene->force_count,
                  sizeof *scene->forces, read_force);
  if (one) status = one;
  one = read_list(scene, world, t->fluids, &scene->fluids, &scene->fluid_count,
                  sizeof *scene->fluids, read_fluid);
  if (one) status = one;
  one = read_list(scene, world, t->fields, &scene->fields, &scene->field_count,
                  sizeof *scene->fields, scene_read_field);
  if (one) status = one;
  one = read_list(scene, world, t->emitters, &scene->emitters, &scene->emitter_count,
                  sizeof *scene->emitters, read_emitter);
  if (one) status = one;
  one = read_list(scene, world, t->drains, &scene->drains, &scene->drain_count,
                  sizeof *scene->drains, read_drain);
  if (one) status = one;
  one = read_list(scene, world, t->events, &scene->actions, &scene->action_count,
                  sizeof *scene->actions, scene_read_action);
  if (!one) one = scene_check_actions(scene, world);
  if (one) status = one;
  one = read_list(scene, world, t->probes, &scene->probes, &scene->probe_count,
                  sizeof *scene->probes, read_probe);
  return one ? one : status;
}

void scene_clear_events(scree_scene *scene) {
  for (size_t i = 0; i < scene->emitter_count; i++) {
    for (size_t n = 0; n < EMITTER_PALETTE; n++) scree_shape_destroy(scene->emitters[i].palette[n]);
    scene_clear_template(&scene->emitters[i].body);
  }
  memory_free(scene->context, scene->forces);
  memory_free(scene->context, scene->fluids);
  memory_free(scene->context, scene->fields);
  scene->fields = NULL;
  scene->field_count = 0;
  memory_free(scene->context, scene->emitters);
  scene->emitting = 0;
  memory_free(scene->context, scene->drains);
  memory_free(scene->context, scene->probes);
  memory_free(scene->context, scene->actions);
  scene->actions = NULL;
  scene->action_count = 0;
  scene_clear_joints(scene);
  scene->forces = NULL;
  scene->fluids = NULL;
  scene->emitters = NULL;
  scene->drains = NULL;
  scene->probes = NULL;
  scene->force_count = scene->fluid_count = scene->emitter_count = scene->drain_count =
      scene->probe_count = 0;
}
