/* Assemblies: scenes and robots as parts of a scene.
 *
 * An entry of `assemblies` is read before the rest of the scene: its lists are joined to those of
 * the scene, and each of its entries remembers the assembly that it came with. When such an entry
 * is built, the parameters are those of its assembly, names that it gives begin with the assembly's
 * name and a dot, names that it refers to are looked up in its assembly first and then in those
 * around it, and places and directions are turned and moved to where the assembly stands. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/build/build.h"
#include "scene/import/robot.h"

enum { PART_LIMIT = 1000, PART_DEPTH = 16 };

/* ---- names and places ----------------------------------------------------------------------- */

void scene_enter(scree_scene *scene, size_t part) {
  if (part == scene->part || part >= scene->part_count) return;
  scene->part = part;
  scene->scope = scene->parts[part]->scope;
}

static const char *joined(scree_scene *scene, const char *prefix, size_t length, const char *name) {
  const size_t size = length + strlen(name) + 1;
  char *text = scene_alloc(&scene->doc, size);
  if (!text) return name;
  snprintf(text, size, "%.*s%s", (int)length, prefix, name);
  return text;
}

const char *scene_own_name(scree_scene *scene, const char *name) {
  if (!scene->part || !*name) return name;
  const char *prefix = scene->parts[scene->part]->prefix;
  return *prefix ? joined(scene, prefix, strlen(prefix), name) : name;
}

const char *scene_meant_name(scree_scene *scene, const char *name, scene_name_test *exists) {
  if (!scene->part || !*name) return name;
  const char *prefix = scene->parts[scene->part]->prefix;
  for (size_t length = strlen(prefix); length > 0;) {
    const char *full = joined(scene, prefix, length, name);
    if (exists(scene, full)) return full;
    length--; /* the dot */
    while (length > 0 && prefix[length - 1] != '.') length--;
  }
  return name;
}

static bool has_material(const scree_scene *scene, const char *name) {
  for (size_t i = 0; i < scene->material_count; i++)
    if (strcmp(scene->materials[i].name, name) == 0) return true;
  return false;
}

scree_status scene_find_material(scree_scene *scene, const scene_node *place, const char *name,
                                 scree_material_id *id) {
  const char *names[64], *meant = scene_meant_name(scene, name, has_material);
  size_t count = 0;
  for (size_t i = 0; i < scene->material_count; i++) {
    if (count < 64) names[count++] = scene->materials[i].name;
    if (strcmp(scene->materials[i].name, meant) != 0) continue;
    *id = scene->materials[i].id;
    return SCREE_OK;
  }
  char buffer[256];
  return scene_fault(&scene->doc, place, "there is no material '%s' in `materials`%s", name,
                     scene_suggest(name, names, count, buffer, sizeof buffer));
}

static pose place_of(const scree_scene *scene) {
  return scene->parts[scene->part]->place;
}

void scene_move_point(const scree_scene *scene, double x[3]) {
  if (scene->part) v3_store(x, pose_apply(place_of(scene), v3_load(x)));
}

void scene_turn_vector(const scree_scene *scene, double x[3]) {
  if (scene->part) v3_store(x, quat_rotate(place_of(scene).rotation, v3_load(x)));
}

static void store(double q[4], quat a) {
  q[0] = a.w, q[1] = a.x, q[2] = a.y, q[3] = a.z;
}

void scene_turn_rotation(const scree_scene *scene, double q[4]) {
  if (scene->part) store(q, quat_mul(place_of(scene).rotation, (quat){q[0], q[1], q[2], q[3]}));
}

void scene_turn_displacement(const scree_scene *scene, double q[4]) {
  if (!scene->part) return;
  const quat r = place_of(scene).rotation;
  store(q, quat_mul(quat_mul(r, (quat){q[0], q[1], q[2], q[3]}), quat_conj(r)));
}

/* ---- reading -------------------------------------------------------------------------------- */

static scree_status add_part(scree_scene *scene, const char *prefix, pose place, uint32_t file,
                             scene_part **part) {
  if (scene->part_count == scene->part_room) {
    const size_t room = scene->part_room ? 2 * scene->part_room : 16;
    scene_part **parts = scene_alloc(&scene->doc, room * sizeof(scene_part *));
    if (!parts) return SCREE_ERROR_MEMORY;
    if (scene->part_count) memcpy(parts, scene->parts, scene->part_count * sizeof(scene_part *));
    scene->parts = parts;
    scene->part_room = room;
  }
  *part = scene_alloc(&scene->doc, sizeof **part);
  if (!*part) return SCREE_ERROR_MEMORY;
  (*part)->prefix = prefix;
  (*part)->place = place;
  (*part)->file = file;
  scene->parts[scene->part_count++] = *part;
  return SCREE_OK;
}

/* The parameters of the file, with what the entry sets in the scope around it. */
static scree_status read_parameters(scree_scene *scene, const scene_node *root,
                                    const scene_node *set, scene_scope *scope) {
  scene_document *doc = &scene->doc;
  const scene_node *map = scene_find(root, "parameters");
  scree_status status = SCREE_OK;
  if (map && map->kind != SCENE_MAP)
    return scene_fault(doc, map, "parameters: a map of names is expected");
  if (set && set->kind != SCENE_MAP)
    return scene_fault(doc, set, "set: a map of parameters is expected, as {radius: 0.3}");
  for (size_t i = 0; set && i < set->count; i++) {
    if (scene_find(map, set->keys[i]->text)) continue;
    const char *names[64];
    size_t count = 0;
    for (; map && count < map->count && count < 64; count++) names[count] = map->keys[count]->text;
    char buffer[256];
    return scene_fault(doc, set->keys[i], "the assembly has no parameter '%s'%s",
                       set->keys[i]->text,
                       scene_suggest(set->keys[i]->text, names, count, buffer, sizeof buffer));
  }
  for (size_t i = 0; map && i < map->count && !status; i++) {
    const char *name = map->keys[i]->text;
    const scene_node *given = scene_find(set, name);
    double value = 0.0;
    status = scene_number(doc, given ? &scene->scope : scope, given ? given : map->items[i], name,
                          SCENE_ANY_UNIT, &value);
    if (!status) status = scene_scope_add(doc, map->keys[i], scope, name, value);
  }
  return status;
}

/* The entries of an assembly join those of the scene. */
static scree_status join(scree_scene *scene, const scene_node *root, size_t part) {
  static const char *const lists[] = {"pairs",    "bodies", "exclude", "joints",
                                      "schedule", "forces", "probes"};
  static const char *const maps[] = {"materials", "shapes"};
  static const char *const refused[] = {"emitters", "drains", "fields",   "fluids",
                                        "flexible", "events", "periodic", "from"};
  scene_document *doc = &scene->doc;
  scree_status status = SCREE_OK;
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
    if (scene_find(root, refused[k]))
      return scene_fault(doc, scene_find(root, refused[k]), "%s: not in an assembly", refused[k]);
  for (size_t k = 0; k < sizeof lists / sizeof *lists + sizeof maps / sizeof *maps; k++) {
    const bool named = k >= sizeof lists / sizeof *lists;
    const char *name = named ? maps[k - sizeof lists / sizeof *lists] : lists[k];
    const scene_node *from = scene_find(root, name);
    if (!from || from->kind == SCENE_SCALAR) continue;
    scene_node *to = scene_find(scene->root, name);
    if (!to) {
      scene_node *key = scene_alloc(doc, sizeof *key);
      to = scene_alloc(doc, sizeof *to);
      if (!key || !to) return SCREE_ERROR_MEMORY;
      *to = *from;
      to->items = to->keys = NULL;
      to->count = to->room = 0;
      *key = (scene_node){.file = to->file, .line = to->line, .column = to->column, .text = name};
      status = scene_append(doc, scene->root, key, to);
    }
    if (!status && to->kind != from->kind) continue; /* reported when the scene is read */
    for (size_t i = 0; i < from->count && !status; i++) {
      scene_node *key = named ? from->keys[i] : NULL;
      if (named && strcmp(key->text, "default") == 0)
        return scene_fault(doc, key, "material 'default': not in an assembly; give it a name");
      if (named) key->text = scene_own_name(scene, key->text);
      from->items[i]->part = (uint32_t)part;
      if (named && scene_find(to, key->text))
        return scene_fault(doc, key, "there is '%s' already; give the assembly a name", key->text);
      status = scene_append(doc, to, key, from->items[i]);
    }
  }
  return status;
}

static scree_status expand_list(scree_scene *scene, const scene_node *root, int depth);

static scree_import_def import_of(scree_scene *scene, const scene_assembly_keys *k, uint32_t file) {
  scree_import_def def = scree_import_def_default();
  def.allow_unsupported = k->allow_unsupported;
  def.fixed_base = k->fixed_base;
  def.self_collide = k->self_collide;
  def.density = k->density;
  def.keyframe = k->keyframe;
  def.meshes = (scree_import_meshes)k->meshes;
  bool known = false; /* what is left out of a file is reported once */
  for (size_t i = 1; i < scene->part_count; i++) known |= scene->parts[i]->file == file;
  def.report = known ? NULL : scene->doc.note;
  def.report_user = scene->doc.note_user;
  return def;
}

static scree_status expand_one(scree_scene *scene, const scene_node *node, int depth) {
  scene_document *doc = &scene->doc;
  scene_assembly_keys k = {.name = ""};
  double rotation[4] = {1, 0, 0, 0};
  scree_status status = scene_read(doc, &scene->scope, node, &scene_section_assembly, &k);
  if (!status && k.rotation)
    status = scene_rotation(doc, &scene->scope, k.rotation, rotation, NULL);
  if (status) return status;
  const scene_node *at = scene_place(&k.head, "file");
  if (depth >= PART_DEPTH)
    return scene_fault(doc, at, "assemblies: more than %d deep; does a file contain itself?",
                       PART_DEPTH);
  if (scene->part_count > PART_LIMIT)
    return scene_fault(doc, at, "assemblies: more than %d in all", PART_LIMIT);
  uint32_t file;
  scene_node *root;
  status = scene_open_file(doc, at, at->file, k.file, &file);
  if (status) return status;
  const scree_import_def def = import_of(scene, &k, file);
  status = scene_read_root(scene, file, 1, &def, &root);
  if (status) return status;
  const char *prefix = scene->parts[scene->part]->prefix;
  if (*k.name)
    prefix =
        joined(scene, scene_own_name(scene, k.name), strlen(scene_own_name(scene, k.name)), ".");
  const quat turn = {rotation[0], rotation[1], rotation[2], rotation[3]};
  const pose place = pose_mul(place_of(scene), (pose){v3_load(k.position), turn});
  scene_part *part;
  status = add_part(scene, prefix, place, file, &part);
  if (!status) status = read_parameters(scene, root, k.set, &part->scope);
  if (status) return status;
  const size_t number = scene->part_count - 1, outer = scene->part;
  const scene_scope scope = scene->scope; /* with the loop variables around the entry */
  scene->part = number;
  scene->scope = part->scope;
  scene_top top = {0};
  status = scene_read(doc, &scene->scope, root, &scene_section_scene, &top);
  if (!status) status = expand_list(scene, root, depth + 1);
  if (!status) status = join(scene, root, number);
  scene->part = outer;
  scene->scope = scope;
  return status;
}

/* Loops over assemblies work as those over bodies; `depth` counts assemblies within assemblies. */
static scree_status turn(scree_scene *scene, const scene_node *node, const scene_node *loop,
                         size_t level, int depth) {
  if (!loop || level == loop->count) return expand_one(scene, node, depth);
  scene_scope *scope = &scene->scope;
  const scene_node *key = loop->keys[level];
  const size_t outer = scope->count;
  double count;
  scree_status status = scene_number(&scene->doc, scope, loop->items[level], key->text, "", &count);
  if (!status && (!(count >= 0.0 && count <= PART_LIMIT) || count != floor(count)))
    status = scene_fault(&scene->doc, loop->items[level],
                         "%s: %g turns; a whole number from 0 to %d is expected", key->text, count,
                         PART_LIMIT);
  for (double i = 0.0; !status && i < count; i += 1.0) {
    scope->count = outer;
    status = scene_scope_add(&scene->doc, key, scope, key->text, i);
    if (!status) status = turn(scene, node, loop, level + 1, depth);
  }
  scope->count = outer;
  return status;
}

static scree_status expand_list(scree_scene *scene, const scene_node *root, int depth) {
  const scene_node *list = scene_find(root, "assemblies");
  scree_status status = SCREE_OK;
  if (list && list->kind != SCENE_LIST)
    return scene_fault(&scene->doc, list, "assemblies: a list is expected");
  for (size_t i = 0; list && i < list->count && !status; i++) {
    const scene_node *loop = scene_find(list->items[i], "for");
    if (loop && (loop->kind != SCENE_MAP || loop->count == 0))
      return scene_fault(&scene->doc, loop, "for: a map of loop variables is expected, as {i: 4}");
    status = turn(scene, list->items[i], loop, 0, depth);
  }
  return status;
}

scree_status scene_expand(scree_scene *scene) {
  scene_part *part;
  scree_status status = add_part(scene, "", pose_identity(), 0, &part);
  if (status) return status;
  part->scope = scene->scope;
  return expand_list(scene, scene->root, 0);
}
