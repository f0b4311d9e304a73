/* How a scene is run: its sections `solver`, `stepper` and `recording`. The first lands in the
 * definition that scree_stepper_create takes, member by member of the same name. */
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "base/options.h"
#include "scene/build/build.h"

static scree_status check_solver(scree_scene *scene, const scene_node *at, const char *name,
                                 size_t *index) {
  const char *names[64];
  size_t count = scree_solver_count();
  for (size_t i = 0; i < count && i < 64; i++) {
    names[i] = scree_solver_name(i);
    if (strcmp(names[i], name) != 0) continue;
    *index = i;
    return SCREE_OK;
  }
  char buffer[512];
  return scene_fault(&scene->doc, at, "there is no solver '%s'%s", name,
                     scene_suggest(name, names, count < 64 ? count : 64, buffer, sizeof buffer));
}

/* A map of options by a table; `owner` names it in messages. */
static scree_status read_table(scree_scene *scene, const scene_node *map, const char *owner,
                               const scree_option_def *table, size_t count,
                               scree_option_list *out) {
  if (map->kind != SCENE_MAP)
    return scene_fault(&scene->doc, map, "options: a map of keys is expected");
  const char **keys = scene_alloc(&scene->doc, (map->count + 1) * sizeof *keys);
  const char **values = scene_alloc(&scene->doc, (map->count + 1) * sizeof *values);
  if (!keys || !values) return SCREE_ERROR_MEMORY;
  double scratch[128];
  if (count > 128) count = 128;
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < map->count; i++) {
    keys[i] = map->keys[i]->text;
    scree_status one = scene_text(&scene->doc, &scene->scope, map->items[i], keys[i], &values[i]);
    if (!one && options_set(scene->context, owner, table, count, scratch, keys[i], values[i])) {
      char why[CONTEXT_MESSAGE_SIZE];
      snprintf(why, sizeof why, "%s", scree_context_message(scene->context));
      one = scene_fault(&scene->doc, map->keys[i], "%s", why);
    }
    if (one) status = one;
  }
  *out = (scree_option_list){map->count, keys, values};
  return status;
}

static scree_status read_options(scree_scene *scene, const scene_solver_keys *k, size_t solver) {
  if (!k->def.solver)
    return scene_fault(&scene->doc, k->options,
                       "options: they need the name of a solver beside them");
  size_t count;
  const scree_option_def *table = scree_solver_options(solver, &count);
  return read_table(scene, k->options, k->def.solver, table, count, &scene->settings.options);
}

static scree_status check_tolerances(scree_scene *scene, const scene_solver_keys *k) {
  const scree_stepper_def *d = &k->def;
  if (d->tolerance_residual == 0.0 && d->tolerance_error == 0.0)
    return scene_fault(&scene->doc, scene_place(&k->head, "tolerance_residual"),
                       "tolerance_residual: it is 0 and tolerance_error too; one must be over 0");
  if (d->tolerance_moving > 0.0 && d->tolerance_moving < d->tolerance_residual)
    return scene_fault(&scene->doc, scene_place(&k->head, "tolerance_moving"),
                       "tolerance_moving: %g is below the tolerance of bodies at rest, %g",
                       d->tolerance_moving, d->tolerance_residual);
  return SCREE_OK;
}

static scree_status read_solver(scree_scene *scene) {
  scene_solver_keys k = {.def = scree_stepper_def_default()};
  scree_stepper_def *d = &k.def;
  scree_status status = SCREE_OK;
  size_t solver = 0, retry;
  d->stepper = NULL;
  if (scene->top.solver)
    status = scene_read(&scene->doc, &scene->scope, scene->top.solver, &scene_section_solver, &k);
  if (status) return status;
  if (d->solver) status = check_solver(scene, scene_place(&k.head, "name"), d->solver, &solver);
  if (!status && k.options) status = read_options(scene, &k, solver);
  if (!status && d->retry_solver)
    status = check_solver(scene, scene_place(&k.head, "retry_solver"), d->retry_solver, &retry);
  if (!status) status = check_tolerances(scene, &k);
  scree_scene_settings *s = &scene->settings;
  s->model_given = scene_given(&k.head, &scene_section_solver, "model");
  if (!s->model_given && d->solver && !scree_solver_has_coulomb(solver))
    d->model = SCREE_MODEL_RELAXED;
  s->solver = *d;
  return status;
}

static scree_status read_stepper(scree_scene *scene) {
  const scene_node *node = scene->top.stepper;
  scene_stepper_keys k = {0};
  scree_status status = SCREE_OK;
  if (!node) return SCREE_OK;
  if (scene->settings.solver.stepper)
    return scene_fault(&scene->doc, node, "stepper: `solver` names one too; give it once");
  if (node->kind == SCENE_SCALAR)
    status = scene_text(&scene->doc, &scene->scope, node, "stepper", &k.name);
  else
    status = scene_read(&scene->doc, &scene->scope, node, &scene_section_stepper, &k);
  if (status) return status;
  const char *names[64];
  size_t count = scree_stepper_count(), at = 0;
  for (size_t i = 0; i < count && i < 64; i++) names[i] = scree_stepper_name(i);
  while (at < count && strcmp(names[at], k.name) != 0) at++;
  char buffer[512];
  if (at == count)
    return scene_fault(&scene->doc,
                       node->kind == SCENE_SCALAR ? node : scene_place(&k.head, "name"),
                       "there is no stepper '%s'%s", k.name,
                       scene_suggest(k.name, names, count, buffer, sizeof buffer));
  scene->settings.solver.stepper = k.name;
  if (!k.options) return SCREE_OK;
  for (size_t i = 0; k.options->kind == SCENE_MAP && i < k.options->count; i++)
    if (!scree_stepper_is_smooth(at) && strcmp(k.options->keys[i]->text, "linear_solver") == 0)
      return scene_fault(
          &scene->doc, k.options->keys[i],
          "linear_solver: %s has none, as hard contacts state cone problems; name one "
          "of `scree list solvers` in `solver`, or take a smooth stepper, as hht",
          k.name);
  size_t options;
  const scree_option_def *table = scree_stepper_options(at, &options);
  return read_table(scene, k.options, k.name, table, options, &scene->settings.stepper_options);
}

scree_status scene_read_settings(scree_scene *scene) {
  scene_top *t = &scene->top;
  *t = (scene_top){.title = "", .description = "", .from = "", .gravity = {0, 0, -9.81}};
  t->step = 0.005;
  t->duration = 1.0;
  t->overlap = 0.01;
  t->pairwise_theta = 0.3;
  scree_status status =
      scene_read(&scene->doc, &scene->scope, scene->root, &scene_section_scene, t);
  if (status) return status;
  status = read_solver(scene);
  const scree_status stepper = read_stepper(scene);
  if (stepper) status = stepper;
  if (!scene->settings.solver.stepper)
    scene->settings.solver.stepper = scree_stepper_def_default().stepper;
  scene_recording_keys r = {.def = {.every = 1.0 / 60.0, .contacts = true, .checkpoint = 10.0}};
  if (t->recording) {
    scree_status one =
        scene_read(&scene->doc, &scene->scope, t->recording, &scene_section_recording, &r);
    if (one) status = one;
  }
  scree_scene_settings *s = &scene->settings;
  s->title = t->title;
  s->description = t->description;
  s->step = t->step;
  s->duration = t->duration;
  s->overlap = t->overlap;
  s->from = t->from;
  s->recording = r.def;
  if (!t->bodies && !t->emitters && !t->flexible)
    status = scene_fault(&scene->doc, scene->root, "there are no bodies");
  return status;
}

size_t scree_scene_settings_json(const scree_scene *scene, const char *section, char *buffer,
                                 size_t size) {
  if (!scene || !section) return 0;
  const scene_solver_keys solver = {.def = scene->settings.solver};
  const scene_recording_keys recording = {.def = scene->settings.recording};
  if (strcmp(section, "solver") == 0)
    return scene_section_json(&scene_section_solver, &solver, buffer, size);
  if (strcmp(section, "recording") == 0)
    return scene_section_json(&scene_section_recording, &recording, buffer, size);
  return 0;
}
