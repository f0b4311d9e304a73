/* A scene: reading the file with its includes and changes, and building the world. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "base/definition.h"
#include "model/world.h"
#include "scene/build/build.h"
#include "scene/import/robot.h"

enum { INCLUDE_DEPTH = 16, INCLUDE_LIMIT = 1000 };

scree_scene_def scree_scene_def_default(void) {
  return (scree_scene_def){.cookie = DEFINITION_COOKIE};
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The includes of `root` become the ground that `root` is laid on. */
static scree_status read_includes(scree_scene *scene, int depth, scene_node **root) {
  scene_document *doc = &scene->doc;
  scene_node *include = scene_find(*root, "include"), *ground = NULL;
  if (!include) return SCREE_OK;
  size_t count = include->kind == SCENE_LIST ? include->count : 1;
  for (size_t i = 0; i < count; i++) {
    scene_node *item = include->kind == SCENE_LIST ? include->items[i] : include;
    const char *path;
    scree_status status = scene_text(doc, &scene->scope, item, "include", &path);
    if (status) return status;
    if (depth >= INCLUDE_DEPTH)
      return scene_fault(doc, item, "include: more than %d deep; does a file include itself?",
                         INCLUDE_DEPTH);
    if (++doc->included > INCLUDE_LIMIT) /* two per level make 2^16 */
      return scene_fault(doc, item, "include: more than %d times in all", INCLUDE_LIMIT);
    uint32_t file;
    scene_node *other;
    status = scene_open_file(doc, item, item->file, path, &file);
    if (!status) status = scene_read_root(scene, file, depth + 1, NULL, &other);
    if (!status && ground) status = scene_merge(doc, ground, other);
    if (status) return status;
    if (!ground) ground = other;
  }
  if (!ground) return SCREE_OK;
  scree_status status = scene_merge(doc, ground, *root);
  *root = ground;
  return status;
}

scree_status scene_read_root(scree_scene *scene, uint32_t file, int depth,
                             const scree_import_def *import, scene_node **root) {
  const scene_file *f = &scene->doc.files[file];
  if (robot_is_file(f->path)) {
    scree_import_def def = import ? *import : scree_import_def_default();
    if (!import) def.report = scene->doc.note;
    if (!import) def.report_user = scene->doc.note_user;
    return robot_import(&scene->doc, file, &def, root, NULL, NULL, NULL);
  }
  scree_status status = scene_parse(&scene->doc, f->bytes, f->size, file, root);
  if (status) return status;
  if ((*root)->kind != SCENE_MAP)
    return scene_fault(&scene->doc, *root, "a scene is a map of keys");
  status = scene_rename_former(&scene->doc, *root, &scene_section_scene);
  if (status) return status;
  return read_includes(scene, depth, root);
}

static scree_status read_parameters(scree_scene *scene) {
  const scene_node *map = scene_find(scene->root, "parameters");
  scree_status status = SCREE_OK;
  if (map && map->kind != SCENE_MAP)
    return scene_fault(&scene->doc, map, "parameters: a map of names is expected");
  for (size_t i = 0; map && i < map->count; i++) {
    const char *name = map->keys[i]->text;
    double value = 0.0;
    scree_status one;
    /* A parameter may have any unit: it is turned into SI. */
    const scene_node *item = map->items[i];
    one = scene_number(&scene->doc, &scene->scope, item, name, SCENE_ANY_UNIT, &value);
    if (one) {
      /* Known all the same: that expressions use it is no further fault. */
      scene_scope_add(&scene->doc, map->keys[i], &scene->scope, name, NAN);
      status = one;
    } else {
      one = scene_scope_add(&scene->doc, map->keys[i], &scene->scope, name, value);
      if (one) status = one;
    }
  }
  return status;
}

static scree_status read_scene(scree_scene *scene) {
  scree_status status = scene_read_root(scene, 0, 0, NULL, &scene->root);
  for (size_t i = 0; i < scene->doc.set_count && !status; i++)
    status = scene_apply_set(&scene->doc, scene->root, i);
  if (!status) status = read_parameters(scene);
  if (!status) status = scene_expand(scene);
  if (!status) status = scene_read_settings(scene);
  return scene->doc.out_of_memory ? SCREE_ERROR_MEMORY : status;
}

static scree_status create(scree_context *context, const scree_scene_def *def,
                           scree_scene **scene) {
  *scene = NULL;
  if (def) DEFINITION_CHECK(context, def, scene_def);
  scree_scene *s = memory_new(context, 1, sizeof *s);
  *scene = s;
  if (!s) return SCREE_ERROR_MEMORY;
  s->context = context;
  scene_document_init(&s->doc, context);
  if (!def) return SCREE_OK;
  s->doc.report = def->report;
  s->doc.report_user = def->report_user;
  s->doc.note = def->note;
  s->doc.note_user = def->note_user;
  s->doc.confined = def->confined;
  s->doc.sets = scene_alloc(&s->doc, (def->set_count + 1) * sizeof *s->doc.sets);
  if (!s->doc.sets) return SCREE_ERROR_MEMORY;
  for (; s->doc.set_count < def->set_count; s->doc.set_count++) {
    const char *text = def->sets[s->doc.set_count];
    s->doc.sets[s->doc.set_count] = scene_copy_text(&s->doc, text, strlen(text));
    if (!s->doc.sets[s->doc.set_count]) return SCREE_ERROR_MEMORY;
  }
  return SCREE_OK;
}

static scree_status finish(scree_status status, scree_scene **scene) {
  if (!status) status = read_scene(*scene);
  if (status) {
    scree_scene_destroy(*scene);
    *scene = NULL;
  }
  return status;
}

scree_status scree_scene_load(scree_context *context, const char *path, const scree_scene_def *def,
                              scree_scene **scene) {
  ARGUMENT_CHECK(context, context && path && scene);
  uint32_t file;
  scree_status status = create(context, def, scene);
  if (!status) status = scene_open_file(&(*scene)->doc, NULL, UINT32_MAX, path, &file);
  return finish(status, scene);
}

scree_status scree_scene_load_text(scree_context *context, const char *name, const char *text,
                                   size_t size, const scree_scene_def *def, scree_scene **scene) {
  ARGUMENT_CHECK(context, context && name && (text || !size) && scene);
  uint32_t file;
  scree_status status = create(context, def, scene);
  if (!status) status = scene_add_file(&(*scene)->doc, name, text, size, &file);
  return finish(status, scene);
}

scree_status scree_scene_load_files(scree_context *context, size_t file_count,
                                    const char *const *paths, const char *const *bytes,
                                    const size_t *sizes, const scree_scene_def *def,
                                    scree_scene **scene) {
  ARGUMENT_CHECK(context, context && scene && (!file_count || (paths && bytes && sizes)));
  uint32_t file;
  *scene = NULL;
  if (!file_count)
    return context_fail(context, SCREE_ERROR_ARGUMENT, "scree_scene_load_files: no files");
  scree_status status = create(context, def, scene);
  for (size_t i = 0; i < file_count && !status; i++)
    status = scene_add_file(&(*scene)->doc, paths[i], bytes[i], sizes[i], &file);
  if (!status) (*scene)->doc.sealed = true;
  return finish(status, scene);
}

static void clear_built(scree_scene *scene) {
  for (size_t i = 0; i < scene->shape_count; i++) scree_shape_destroy(scene->shapes[i].shape);
  memory_free(scene->context, scene->shapes);
  memory_free(scene->context, scene->materials);
  memory_free(scene->context, scene->entries);
  memory_free(scene->context, scene->bodies);
  scene_clear_events(scene);
  scene->shapes = NULL;
  scene->materials = NULL;
  scene->entries = NULL;
  scene->bodies = NULL;
  scene->shape_count = scene->material_count = 0;
  scene->entry_count = scene->body_count = 0;
  scene->turns = 0;
  scene->flow = (scree_scene_flow){0};
}

static void clear_scattered(scree_scene *scene) {
  for (size_t i = 0; i < scene->scattered_count; i++)
    near_clear(scene->context, &scene->scattered[i].list);
  memory_free(scene->context, scene->scattered);
  scene->scattered = NULL;
  scene->scattered_count = 0;
}

void scree_scene_destroy(scree_scene *scene) {
  if (!scene) return;
  clear_built(scene);
  scene_document_clear(&scene->doc);
  memory_free(scene->context, scene);
}

/* ---- building ------------------------------------------------------------------------------- */

static scree_status build_shapes(scree_scene *scene) {
  const scene_node *map = scene->top.shapes;
  if (!map) return SCREE_OK;
  scene->shapes = memory_new(scene->context, map->count + 1, sizeof *scene->shapes);
  if (!scene->shapes) return SCREE_ERROR_MEMORY;
  scene->shape_count = map->count;
  for (size_t i = 0; i < map->count; i++) {
    scene->shapes[i].name = map->keys[i]->text;
    scene->shapes[i].node = map->items[i];
  }
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < map->count; i++) {
    if (scene->shapes[i].shape) continue; /* made for one that came before */
    scene_enter(scene, map->items[i]->part);
    scree_status one =
        scene_make_shape(scene, &scene->scope, map->items[i], 1.0, &scene->shapes[i].shape);
    if (one) status = one;
  }
  return status;
}

static scree_status build(scree_scene *scene, scree_world *world) {
  const scene_node *bodies = scene->top.bodies;
  scree_status status = scene_build_materials(scene, world);
  if (!status) status = scene_build_pairs(scene, world);
  if (!status) status = build_shapes(scene);
  if (status) return status;
  for (size_t i = 0; bodies && i < bodies->count; i++) {
    scree_status one = scene_build_entry(scene, world, bodies->items[i]);
    if (one) status = one;
  }
  if (!status) status = scene_build_excludes(scene, world);
  const scene_node *flexible = scene->top.flexible;
  for (size_t i = 0; flexible && i < flexible->count && !status; i++) {
    scree_status one = scene_build_loop(scene, world, flexible->items[i], scene_build_flexible);
    if (one) status = one;
  }
  if (!status) status = scene_start_periodic(scene, world);
  return status ? status : scene_build_events(scene, world);
}

scree_status scree_scene_build(scree_scene *scene, scree_world **world) {
  ARGUMENT_CHECK(scene ? scene->context : NULL, scene && world);
  context_begin(scene->context);
  clear_built(scene);
  scene->doc.fault_count = 0;
  scree_world_def def = scree_world_def_default();
  memcpy(def.gravity, scene->top.gravity, sizeof def.gravity);
  def.gravitational_constant = scene->top.gravitational_constant;
  def.coulomb_constant = scene->top.coulomb_constant;
  def.pairwise_theta = scene->top.pairwise_theta;
  scree_status status = scene_read_periodic(scene, &def);
  if (status) return status;
  status = scree_world_create(scene->context, &def, world);
  if (status) return status;
  status = build(scene, *world);
  clear_scattered(scene);
  scene_enter(scene, 0);
  if (scene->doc.out_of_memory) status = SCREE_ERROR_MEMORY;
  if (status) {
    scree_world_destroy(*world);
    *world = NULL;
  }
  return status;
}
