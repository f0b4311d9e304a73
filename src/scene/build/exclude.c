/* `exclude`: lists of bodies that do not touch each other. */
#include <string.h>

#include "scene/build/build.h"

/* The largest number of bodies in one list: n bodies make n^2 / 2 pairs. */
enum { EXCLUDE_LIMIT = 2000 };

static scree_status exclude(scree_scene *scene, scree_world *world, const scene_node *node) {
  scree_body_id *ids = NULL;
  size_t count = 0;
  scene_exclude_keys k = {0};
  scree_status status = scene_read(&scene->doc, &scene->scope, node, &scene_section_exclude, &k);
  if (status) return status;
  const scene_node *list = k.bodies;
  if (list->kind != SCENE_LIST)
    return scene_fault(&scene->doc, list, "bodies: a list of names is expected, as [a, b]");
  for (size_t i = 0; i < list->count && !status; i++) {
    const char *name;
    size_t first, many;
    status = scene_text(&scene->doc, &scene->scope, list->items[i], "bodies", &name);
    if (!status) status = scene_find_bodies(scene, list->items[i], name, false, &first, &many);
    if (status) break;
    if (count + many > EXCLUDE_LIMIT) {
      status = scene_fault(&scene->doc, list,
                           "bodies: more than %d bodies in a list; `category` and "
                           "`collides_with` tell kinds of bodies apart",
                           EXCLUDE_LIMIT);
      break;
    }
    status = memory_grow(scene->context, &ids, count + many, sizeof *ids);
    if (!status) memcpy(ids + count, scene->bodies + first, many * sizeof *ids);
    count += many;
  }
  if (!status && count < 2)
    status = scene_fault(&scene->doc, list, "bodies: two bodies or more are expected");
  if (!status) status = scree_world_exclude(world, count, ids);
  memory_free(scene->context, ids);
  return status;
}

scree_status scene_build_excludes(scree_scene *scene, scree_world *world) {
  const scene_node *lists = scene->top.exclude;
  scree_status status = SCREE_OK;
  for (size_t i = 0; lists && i < lists->count; i++) {
    const scree_status one = scene_build_loop(scene, world, lists->items[i], exclude);
    if (one) status = one;
  }
  return status;
}
