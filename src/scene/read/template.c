/* A body as its entry describes it: everything but the place and the size. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/build/build.h"

/* ---- sizes ---------------------------------------------------------------------------------- */

/* The inverse of the normal distribution by bisection on erfc: u -> z with P(Z < z) = u. */
static double normal_quantile(double u) {
  double lo = -3.0, hi = 3.0; /* cut at three deviations */
  double cut = 0.5 * erfc(3.0 / sqrt(2.0));
  u = cut + u * (1.0 - 2.0 * cut);
  for (int i = 0; i < 60; i++) {
    double z = 0.5 * (lo + hi);
    if (0.5 * erfc(-z / sqrt(2.0)) < u)
      lo = z;
    else
      hi = z;
  }
  return 0.5 * (lo + hi);
}

double scene_spread_draw(const scene_spread *spread, double u) {
  switch (spread->kind) {
  case SPREAD_UNIFORM:
    return spread->a + u * (spread->b - spread->a);
  case SPREAD_LOGNORMAL:
    return spread->a * exp(spread->b * normal_quantile(u));
  case SPREAD_CLASSES:
    for (size_t i = 0; i < spread->count; i++)
      if (u < spread->upto[i]) return spread->scale[i];
    return spread->scale[spread->count - 1];
  default:
    return 1.0;
  }
}

static scree_status read_classes(scree_scene *scene, const scene_scope *scope,
                                 const scene_node *list, scene_spread *spread) {
  spread->kind = SPREAD_CLASSES;
  spread->count = list->count;
  spread->scale = scene_alloc(&scene->doc, (list->count + 1) * sizeof(double));
  spread->upto = scene_alloc(&scene->doc, (list->count + 1) * sizeof(double));
  if (!spread->scale || !spread->upto) return SCREE_ERROR_MEMORY;
  double total = 0.0;
  for (size_t i = 0; i < list->count; i++) {
    scene_class_keys keys = {0};
    scree_status status =
        scene_read(&scene->doc, scope, list->items[i], &scene_section_class, &keys);
    if (status) return status;
    spread->scale[i] = keys.scale;
    spread->upto[i] = total += keys.weight;
  }
  if (!(total > 0.0))
    return scene_fault(&scene->doc, list, "classes: one with a weight over 0 is expected");
  for (size_t i = 0; i < list->count; i++) spread->upto[i] /= total;
  return SCREE_OK;
}

static scree_status read_spread(scree_scene *scene, const scene_scope *scope,
                                const scene_node *node, scene_spread *spread) {
  scene_generator_keys keys = {0};
  scree_status status = scene_read(&scene->doc, scope, node, &scene_section_sizes, &keys);
  if (status) return status;
  if (keys.classes) return read_classes(scene, scope, keys.classes, spread);
  bool even = scene_given(&keys.head, &scene_section_sizes, "uniform");
  spread->kind = even ? SPREAD_UNIFORM : SPREAD_LOGNORMAL;
  spread->a = even ? keys.uniform[0] : keys.lognormal[0];
  spread->b = even ? keys.uniform[1] : keys.lognormal[1];
  if (even && spread->b < spread->a)
    return scene_fault(&scene->doc, scene_place(&keys.head, "uniform"),
                       "uniform: %g is larger than %g", spread->a, spread->b);
  return SCREE_OK;
}

/* ---- motion --------------------------------------------------------------------------------- */

static scree_status read_table(scree_scene *scene, const scene_scope *scope,
                               const scene_motion_keys *keys, scree_motion_def *def) {
  double *times, *places, *turns;
  size_t count, places_count;
  scree_status status = scene_read_rows(scene, scope, keys->times, "times", "s", 1, &times, &count);
  if (status) return status;
  status = scene_read_rows(scene, scope, keys->displacements, "displacements", "m", 3, &places,
                           &places_count);
  if (status) return status;
  if (places_count != count)
    return scene_fault(&scene->doc, keys->displacements,
                       "displacements: %zu of them for %zu times; one for each is expected",
                       places_count, count);
  for (size_t i = 0; i < count; i++) scene_turn_vector(scene, places + 3 * i);
  if (keys->rotations) {
    if (keys->rotations->kind != SCENE_LIST || keys->rotations->count != count)
      return scene_fault(&scene->doc, keys->rotations, "rotations: a list of %zu is expected",
                         count);
    turns = scene_alloc(&scene->doc, (4 * count + 1) * sizeof *turns);
    if (!turns) return SCREE_ERROR_MEMORY;
    for (size_t i = 0; i < count && !status; i++) {
      status = scene_rotation(&scene->doc, scope, keys->rotations->items[i], &turns[4 * i], NULL);
      if (!status) scene_turn_displacement(scene, &turns[4 * i]);
    }
    if (status) return status;
    def->rotations = turns;
  }
  def->count = count;
  def->times = times;
  def->displacements = places;
  def->repeat = keys->repeat;
  return SCREE_OK;
}

static scree_status read_motion(scree_scene *scene, const scene_scope *scope, scree_world *world,
                                const scene_node *node, scree_motion_id *id) {
  static const scene_section *const sections[] = {&scene_section_constant, &scene_section_sine,
                                                  &scene_section_table, &scene_section_path};
  scene_motion_keys which = {0}, keys = {0};
  scree_status status = scene_read(&scene->doc, scope, node, &scene_section_motion, &which);
  if (status) return status;
  int kind = which.head.given & 1 ? 0 : which.head.given & 2 ? 1 : which.head.given & 4 ? 2 : 3;
  status = scene_read(&scene->doc, scope, which.times, sections[kind], &keys);
  if (status) return status;
  scree_motion_def def = scree_motion_def_default();
  static const scree_motion_kind kinds[] = {SCREE_MOTION_CONSTANT, SCREE_MOTION_SINE,
                                            SCREE_MOTION_TABLE, SCREE_MOTION_FUNCTION};
  def.kind = kinds[kind];
  for (int i = 0; i < 3; i++) {
    def.velocity[i] = keys.velocity[i];
    def.angular[i] = keys.angular[i];
    def.amplitude[i] = keys.amplitude[i];
    def.swing[i] = keys.swing[i];
  }
  def.frequency = keys.frequency;
  def.phase = keys.phase;
  scene_turn_vector(scene, def.velocity);
  scene_turn_vector(scene, def.angular);
  scene_turn_vector(scene, def.amplitude);
  scene_turn_vector(scene, def.swing);
  if (kind == 2) status = read_table(scene, scope, &keys, &def);
  if (kind == 3) status = scene_read_path(scene, scope, &keys, &def);
  if (status) return status;
  status = scree_world_add_motion(world, &def, id);
  if (status && status != SCREE_ERROR_MEMORY) {
    char why[CONTEXT_MESSAGE_SIZE];
    snprintf(why, sizeof why, "%s", scree_context_message(scene->context));
    return scene_fault(&scene->doc, which.times, "%s", why);
  }
  return status;
}

/* ---- the template --------------------------------------------------------------------------- */

static scree_status check_mass(scree_scene *scene, const scene_body_keys *k) {
  const scene_section *s = &scene_section_body;
  scene_document *doc = &scene->doc;
  bool mass = scene_given(&k->head, s, "mass"), inertia = scene_given(&k->head, s, "inertia");
  if (mass && scene_given(&k->head, s, "density"))
    return scene_fault(doc, scene_place(&k->head, "density"),
                       "density: there is a mass already; give one of them");
  if (inertia && !mass)
    return scene_fault(doc, scene_place(&k->head, "inertia"), "inertia: it needs a mass beside it");
  if (scene_given(&k->head, s, "center") && !inertia)
    return scene_fault(doc, scene_place(&k->head, "center"),
                       "center: it needs an inertia beside it");
  if (k->kind != 0 && (mass || inertia))
    return scene_fault(doc, scene_place(&k->head, mass ? "mass" : "inertia"),
                       "mass: a %s body has none; remove the key",
                       k->kind == 1 ? "fixed" : "prescribed");
  return SCREE_OK;
}

scree_status scene_read_template(scree_scene *scene, const scene_scope *scope, scree_world *world,
                                 const scene_node *node, scene_template *t) {
  *t = (scene_template){0};
  scree_body_def def = scree_body_def_default();
  scene_body_keys *k = &t->keys;
  k->name = k->material = "";
  k->density = def.density;
  k->category = def.category;
  k->collides_with = def.collides_with;
  scree_status status = scene_read(&scene->doc, scope, node, &scene_section_body, k);
  if (status) return status;
  k->name = scene_own_name(scene, k->name);
  if (k->motion) {
    if (scene_given(&k->head, &scene_section_body, "kind") && k->kind != 2)
      return scene_fault(&scene->doc, scene_place(&k->head, "kind"),
                         "kind: a body with a motion is prescribed");
    k->kind = 2;
  }
  status = check_mass(scene, k);
  if (status) return status;
  static const scree_body_kind kinds[] = {SCREE_BODY_DYNAMIC, SCREE_BODY_FIXED,
                                          SCREE_BODY_PRESCRIBED};
  def.kind = kinds[k->kind];
  memcpy(def.position, k->position, sizeof def.position);
  memcpy(def.velocity, k->velocity, sizeof def.velocity);
  memcpy(def.angular, k->angular, sizeof def.angular);
  memcpy(def.inertia, k->inertia, sizeof def.inertia);
  memcpy(def.center, k->center, sizeof def.center);
  def.density = k->density;
  def.mass = k->mass;
  def.charge = k->charge;
  def.category = (uint32_t)k->category;
  def.collides_with = (uint32_t)k->collides_with;
  if (*k->material)
    status =
        scene_find_material(scene, scene_place(&k->head, "material"), k->material, &def.material);
  if (!status && k->rotation)
    status = scene_rotation(&scene->doc, scope, k->rotation, def.rotation, &t->random_rotation);
  if (!status && k->motion) status = read_motion(scene, scope, world, k->motion, &def.motion);
  if (!status && k->sizes) status = read_spread(scene, scope, k->sizes, &t->spread);
  t->def = def;
  return status;
}

void scene_clear_template(scene_template *t) {
  for (size_t i = 0; i < t->cached; i++) scree_shape_destroy(t->cache[i].shape);
  t->cached = 0;
}

scree_status scene_template_shape(scree_scene *scene, const scene_scope *scope, scene_template *t,
                                  double scale, scree_shape **shape, bool *owned) {
  *owned = false;
  *shape = NULL;
  if (!t->keys.shape) return SCREE_OK;
  for (size_t i = 0; i < t->cached; i++) {
    if (t->cache[i].scale != scale) continue;
    *shape = t->cache[i].shape;
    return SCREE_OK;
  }
  scree_status status = scene_make_shape(scene, scope, t->keys.shape, scale, shape);
  if (status) return status;
  if (t->cached < TEMPLATE_CACHE) {
    t->cache[t->cached].scale = scale;
    t->cache[t->cached++].shape = *shape;
  } else {
    *owned = true;
  }
  return SCREE_OK;
}

scree_status scene_read_region(scree_scene *scene, const scene_scope *scope, const scene_node *node,
                               scene_region *region) {
  scene_generator_keys which = {0}, k = {0};
  scree_status status = scene_read(&scene->doc, scope, node, &scene_section_region, &which);
  if (status) return status;
  *region = (scene_region){.round = which.cylinder != NULL};
  if (!region->round) {
    status = scene_read(&scene->doc, scope, which.box, &scene_section_region_box, &k);
    for (int i = 0; i < 3 && !status; i++) {
      region->lower[i] = k.lower[i];
      region->upper[i] = k.upper[i];
      if (k.upper[i] < k.lower[i])
        status = scene_fault(&scene->doc, scene_place(&k.head, "upper"),
                             "upper: %g is below the lower end %g", k.upper[i], k.lower[i]);
    }
    return status;
  }
  status = scene_read(&scene->doc, scope, which.cylinder, &scene_section_region_cylinder, &k);
  if (status) return status;
  region->radius = k.radius;
  for (int i = 0; i < 2; i++) {
    region->center[i] = k.center[i];
    region->lower[i] = k.center[i] - k.radius;
    region->upper[i] = k.center[i] + k.radius;
  }
  region->lower[2] = k.center[2];
  region->upper[2] = k.center[2] + k.height;
  return SCREE_OK;
}
