/* The sections `materials` and `pairs`: what their table of keys cannot say about them. */
#include <string.h>

#include "model/world.h"
#include "scene/build/build.h"

/* Are contacts springs of a smooth stepper? */
static bool scene_has_springs(const scree_scene *scene) {
  const scree_option_list *o = &scene->settings.stepper_options;
  for (size_t i = 0; i < o->count; i++)
    if (strcmp(o->keys[i], "contact") == 0 && strcmp(o->values[i], "penalty") == 0) return true;
  return false;
}

/* What the table of keys cannot say: keys that do not go together, and zeros that would be taken
 * for a key that is not there. */
static scree_status check_material(scree_scene *scene, const scene_material_keys *k) {
  const char *key;
  char text[512];
  const scene_node *exponent = scene_find(k->head.node, "exponent"),
                   *kinetic = scene_find(k->head.node, "friction_kinetic");
  if (exponent && k->def.exponent == 0.0)
    return scene_fault(&scene->doc, exponent, "exponent is 0; it must be at least 1");
  if (kinetic && k->def.friction_kinetic == 0.0 && k->def.friction > 0.0)
    return scene_fault(&scene->doc, kinetic,
                       "friction_kinetic is 0; it must be above 0: without it the friction of what "
                       "slides is `friction`, with 1e-6 it slides freely");
  if (k->def.law == SCREE_LAW_USER && !scene->user_law)
    scene->user_law = scene_place(&k->head, "law");
  if (material_fault(&k->def, &key, text, sizeof text))
    return scene_fault(&scene->doc, scene_place(&k->head, key), "%s", text);
  key = scene_has_springs(scene) ? material_beyond_springs(&k->def) : NULL;
  if (!key) return SCREE_OK;
  return scene_fault(&scene->doc, scene_place(&k->head, key),
                     "%s: springs at contacts (contact: penalty of stepper %s) know friction and "
                     "restitution alone; take the stepper nonsmooth, or remove the key",
                     key, scene->settings.solver.stepper);
}

/* Would the solver refuse contacts with a flow of their own? One contact alone tells. */
static scree_status ask_solver(const scree_scene *scene, bool turned, const char **refusal) {
  static const size_t start[] = {0, 1, 2, 3};
  static const uint32_t index[] = {0, 1, 2};
  static const double one[] = {1, 1, 1}, zero[] = {0, 0, 0};
  const scree_csc w = {.rows = 3, .columns = 3, .start = start, .index = index, .value = one};
  scree_set set = turned ? scree_set_elliptic(0.5, 0.2) : scree_set_coulomb(3, 0.5);
  set.flow[0] = 0.5;
  set.flow[1] = turned ? 0.2 : 0.5;
  scree_ccp *problem;
  const scree_status status =
      scree_ccp_create_local(scene->context, 1, &set, &w, zero, NULL, &problem);
  if (status) return status;
  for (size_t i = 0; i < scree_solver_count(); i++)
    if (strcmp(scree_solver_name(i), scene->settings.solver.solver) == 0)
      *refusal = scree_solver_refusal(i, problem, SCREE_MODEL_COULOMB);
  scree_ccp_destroy(problem);
  return SCREE_OK;
}

/* Dilatancy, and friction that turns what slides, want the exact model and a solver that has them.
 */
static scree_status check_flow(scree_scene *scene, const scene_material_keys *k) {
  const char *key = k->def.dilatancy > 0.0     ? "dilatancy"
                    : k->def.flow_across > 0.0 ? "flow_across"
                                               : NULL;
  const scree_stepper_def *solver = &scene->settings.solver;
  if (!key) return SCREE_OK;
  const scene_node *at = scene_place(&k->head, key);
  if (solver->model == SCREE_MODEL_RELAXED)
    return scene_fault(&scene->doc, at,
                       "%s: the relaxed model has a flow of its own, with which sliding contacts "
                       "part by friction times their speed; %s, or remove the key",
                       key,
                       scene->settings.model_given ? "take the model coulomb"
                                                   : "take a solver with the exact model, as auto");
  const char *refusal = NULL;
  if (!solver->solver) return SCREE_OK;
  const scree_status status = ask_solver(scene, k->def.flow_across > 0.0, &refusal);
  if (status || !refusal) return status;
  return scene_fault(&scene->doc, at, "%s: solver %s: %s", key, solver->solver, refusal);
}

/* How far a pull reaches that is not there. */
static scree_status check_range(scree_scene *scene, const scene_material_keys *k) {
  const scene_node *range = scene_find(k->head.node, "cohesion_range");
  if (!range || k->def.law == SCREE_LAW_USER || scene_find(k->head.node, "cohesion") ||
      scene_find(k->head.node, "cohesion_energy"))
    return SCREE_OK;
  return scene_fault(&scene->doc, range,
                     "cohesion_range needs a cohesion or a cohesion_energy beside it");
}

static scree_status check_surface(scree_scene *scene, const scene_material_keys *k) {
  const double *d = k->def.direction;
  const bool given = d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0;
  if (given == (k->def.friction_across > 0.0)) return SCREE_OK;
  return scene_fault(&scene->doc, scene_place(&k->head, given ? "direction" : "friction_across"),
                     given ? "direction needs a friction_across"
                           : "friction_across needs a direction that is not 0");
}

scree_status scene_build_materials(scree_scene *scene, scree_world *world) {
  const scene_node *map = scene->top.materials;
  if (!map) return SCREE_OK;
  scene->materials = memory_new(scene->context, map->count + 1, sizeof *scene->materials);
  if (!scene->materials) return SCREE_ERROR_MEMORY;
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < map->count; i++) {
    scene_material_keys k = {.def = scree_material_def_default()};
    scene_enter(scene, map->items[i]->part);
    scree_status one =
        scene_read(&scene->doc, &scene->scope, map->items[i], &scene_section_material, &k);
    scene_named_material *m = &scene->materials[scene->material_count];
    m->name = map->keys[i]->text;
    bool is_default = strcmp(m->name, "default") == 0;
    if (!one) one = check_material(scene, &k);
    if (!one) one = check_flow(scene, &k);
    if (!one) one = check_range(scene, &k);
    if (!one) one = check_surface(scene, &k);
    if (!one)
      one = is_default ? scree_world_set_material(world, m->id, &k.def)
                       : scree_world_add_material(world, &k.def, &m->id);
    scene->material_count++;
    if (one) status = one;
  }
  return status;
}

static scree_status pair_material(scree_scene *scene, const scene_node *node,
                                  scree_material_id *id) {
  const char *name;
  const scree_status status = scene_text(&scene->doc, &scene->scope, node, "between", &name);
  return status ? status : scene_find_material(scene, node, name, id);
}

/* Two entries of one file for the same two materials. Those of an included file may be changed, and
 * one entry may serve several assemblies. */
typedef struct named_pair {
  uint32_t a, b;
  const scene_node *place;
} named_pair;

static scree_status check_twice(scree_scene *scene, named_pair *pairs, size_t i,
                                const scene_node *place, const scree_material_id id[2]) {
  const uint32_t a = id[0].index < id[1].index ? id[0].index : id[1].index,
                 b = id[0].index + id[1].index - a;
  pairs[i] = (named_pair){a, b, place};
  for (size_t k = 0; k < i; k++) {
    const scene_node *other = pairs[k].place;
    if (other && pairs[k].a == a && pairs[k].b == b && other->file == place->file &&
        (other->line != place->line || other->column != place->column))
      return scene_fault(&scene->doc, place,
                         "between: there is a pair of these two materials already, in line %u; "
                         "give it once",
                         other->line);
  }
  return SCREE_OK;
}

scree_status scene_build_pairs(scree_scene *scene, scree_world *world) {
  const scene_node *list = scene->top.pairs;
  scree_status status = SCREE_OK;
  named_pair *pairs = scene_alloc(&scene->doc, ((list ? list->count : 0) + 1) * sizeof *pairs);
  if (!pairs) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; list && i < list->count; i++) {
    scene_material_keys k = {.def = scree_material_def_default()};
    scree_material_id id[2];
    scene_enter(scene, list->items[i]->part);
    scree_status one =
        scene_read(&scene->doc, &scene->scope, list->items[i], &scene_section_pair, &k);
    if (!one && (k.between->kind != SCENE_LIST || k.between->count != 2))
      one = scene_fault(&scene->doc, k.between, "between: a list of two materials is expected");
    for (int n = 0; n < 2 && !one; n++) one = pair_material(scene, k.between->items[n], &id[n]);
    if (!one) one = check_twice(scene, pairs, i, k.between, id);
    if (!one) one = check_material(scene, &k);
    if (!one) one = check_flow(scene, &k);
    if (!one) one = check_range(scene, &k);
    if (!one && scree_world_set_pair(world, id[0], id[1], &k.def))
      one = scene_fault(&scene->doc, scene_place(&k.head, "friction_across"), "%s",
                        scree_context_message(scene->context));
    if (one) status = one;
  }
  return status;
}
