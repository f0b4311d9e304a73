/* What can be asked of a scene. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/argument.h"
#include "base/claim.h"
#include "base/number.h"
#include "base/options.h"
#include "scene/build/build.h"

scree_context *scree_scene_context(const scree_scene *scene) {
  if (!scene) return NULL;
  return scene->context;
}

size_t scree_scene_file_count(const scree_scene *scene) {
  if (!scene) return 0;
  return scene->doc.file_count;
}

const char *scree_scene_file_path(const scree_scene *scene, size_t i) {
  if (!scene) return "";
  return i < scene->doc.file_count ? scene->doc.files[i].path : "";
}

const char *scree_scene_file_bytes(const scree_scene *scene, size_t i, size_t *size) {
  if (!scene) return "";
  if (i >= scene->doc.file_count) return NULL;
  *size = scene->doc.files[i].size;
  return scene->doc.files[i].bytes;
}

void scene_split_from(const char *from, char *path, size_t size, double *time) {
  const char *mark = strrchr(from, '@');
  char *end = NULL;
  *time = NAN;
  snprintf(path, size, "%s", from);
  if (!mark || mark == from) return;
  const double t = number_read(mark + 1, &end);
  if (end == mark + 1 || *end || !isfinite(t)) return;
  *time = t;
  snprintf(path, size, "%.*s", (int)(mark - from), from);
}

bool scene_place_from(const scree_scene *scene, const char *path, char *beside, size_t size) {
  const char *first = scree_scene_file_path(scene, 0), *slash = strrchr(first, '/');
  if (path[0] == '/' || !slash) return false;
  return (size_t)snprintf(beside, size, "%.*s/%s", (int)(slash - first), first, path) < size;
}

static bool begins_from(const scree_scene *scene, const char *path) {
  char from[4096], beside[8300];
  double time;
  if (!*scene->settings.from) return false;
  scene_split_from(scene->settings.from, from, sizeof from, &time);
  if (access(from, F_OK) == 0) return claim_is_same(path, from);
  return scene_place_from(scene, from, beside, sizeof beside) && claim_is_same(path, beside);
}

bool scree_scene_reads(const scree_scene *scene, const char *path) {
  if (!scene || !path) return false;
  for (size_t i = 0; i < scene->doc.file_count; i++)
    if (claim_is_same(path, scene->doc.files[i].path)) return true;
  return begins_from(scene, path);
}

size_t scree_scene_set_count(const scree_scene *scene) {
  if (!scene) return 0;
  return scene->doc.set_count;
}

const char *scree_scene_set_text(const scree_scene *scene, size_t i) {
  if (!scene) return "";
  return i < scene->doc.set_count ? scene->doc.sets[i] : "";
}

const scree_scene_settings *scree_scene_get_settings(const scree_scene *scene) {
  return scene ? &scene->settings : NULL;
}

size_t scree_scene_probe_count(const scree_scene *scene) {
  if (!scene) return 0;
  return scene->probe_count;
}

scree_status scree_scene_get_probe(const scree_scene *scene, size_t i, scree_probe_def *probe) {
  ARGUMENT_CHECK(scene ? scree_scene_context(scene) : NULL, scene);
  if (i >= scene->probe_count)
    return context_fail(scene->context, SCREE_ERROR_ARGUMENT,
                        "scree_scene_get_probe: no probe %zu; there are %zu", i,
                        scene->probe_count);
  const scene_probe_keys *k = &scene->probes[i].keys;
  *probe = (scree_probe_def){.name = k->name,
                             .kind = (scree_probe_kind)k->kind,
                             .body = scene->probes[i].body,
                             .joint = scene->probes[i].joint,
                             .every = k->every,
                             .bodies = scene->probes[i].bodies,
                             .body_count = scene->probes[i].body_count,
                             .form = (scree_probe_form)k->form,
                             .cell = k->cell};
  memcpy(probe->lower, k->lower, sizeof probe->lower);
  memcpy(probe->upper, k->upper, sizeof probe->upper);
  memcpy(probe->point, k->point, sizeof probe->point);
  memcpy(probe->normal, k->normal, sizeof probe->normal);
  return SCREE_OK;
}

const char *scree_scene_material_name(const scree_scene *scene, scree_material_id material) {
  if (!scene) return "";
  for (size_t i = 0; i < scene->material_count; i++)
    if (scene->materials[i].id.index == material.index) return scene->materials[i].name;
  return "default";
}

scree_body_id scree_scene_find_body(const scree_scene *scene, const char *name) {
  if (!scene || !name) return (scree_body_id){0};
  size_t entries, first;
  if (scene_match_bodies(scene, name, &entries, &first)) return scene->bodies[first];
  return (scree_body_id){0, 0};
}

void scree_scene_describe_body(const scree_scene *scene, scree_body_id body, char *buffer,
                               size_t size) {
  if (!scene || !buffer) return;
  snprintf(buffer, size, "body %u", body.index);
  for (size_t i = 0; i < scene->entry_count; i++) {
    const scene_entry *e = &scene->entries[i];
    for (size_t n = 0; n < e->count; n++) {
      scree_body_id id = scene->bodies[e->first + n];
      if (id.index != body.index || id.generation != body.generation) continue;
      const scene_node *at = e->node;
      const char *file =
          at->file < scene->doc.file_count ? scene->doc.files[at->file].path : "--set";
      char order[32] = "";
      if (e->count > 1) snprintf(order, sizeof order, "[%zu]", n);
      snprintf(buffer, size, "%s:%u:%u: '%s%s'", file, at->line, at->column,
               *e->name ? e->name : "body", order);
      return;
    }
  }
}

bool scree_scene_get_fit(const scree_scene *scene, scree_fit *fit) {
  if (!scene || !fit) return false;
  *fit = scene->fit;
  return scene->apart;
}

void scree_scene_describe_joint(const scree_scene *scene, scree_joint_id joint, char *buffer,
                                size_t size) {
  if (!scene || !buffer) return;
  snprintf(buffer, size, "joint %u", joint.index);
  for (size_t i = 0, order = 0; i < scene->joint_count; i++) {
    const scene_joint *j = &scene->joints[i];
    order = i && scene->joints[i - 1].node == j->node ? order + 1 : 0;
    if (j->id.index != joint.index || j->id.generation != joint.generation) continue;
    const scene_node *at = j->node;
    const char *file = at->file < scene->doc.file_count ? scene->doc.files[at->file].path : "--set";
    char place[32] = "";
    const bool many = order || (i + 1 < scene->joint_count && scene->joints[i + 1].node == at);
    if (many) snprintf(place, sizeof place, "[%zu]", order);
    snprintf(buffer, size, "%s:%u:%u: '%s%s'", file, at->line, at->column,
             *j->name ? j->name : scree_joint_kind_name(j->kind), place);
    return;
  }
}

/* ---- gallery -------------------------------------------------------------------------------- */

/* Where scenes may lie, the nearest first; beside the program means an installed tree
 * (bin, share/scree/scenes) or a build inside the source tree (build/release). */
enum { GALLERIES = 5, PATH_SIZE = 4096 };

static bool gallery(int i, char path[PATH_SIZE]) {
  static const char *const beside[] = {"../share/scree/scenes", "../../scenes"};
  static const char *const fixed[] = {"/usr/local/share/scree/scenes", "/usr/share/scree/scenes"};
  const char *given = getenv("SCREE_SCENES");
  if (i == 0) return given && snprintf(path, PATH_SIZE, "%s", given) < PATH_SIZE;
  if (i >= 3) return snprintf(path, PATH_SIZE, "%s", fixed[i - 3]) < PATH_SIZE;
  char program[PATH_SIZE];
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n <= 0) return false;
  program[n] = 0;
  char *slash = strrchr(program, '/');
  if (!slash) return false;
  *slash = 0;
  return snprintf(path, PATH_SIZE, "%s/%s", program, beside[i - 1]) < PATH_SIZE;
}

enum { SCENE_NAME_SIZE = 64, SCENE_LIST_LIMIT = 256 };
typedef char scene_name[SCENE_NAME_SIZE];

static int by_name(const void *a, const void *b) {
  return strcmp((const char *)a, (const char *)b);
}

/* The names of the first gallery that has any, sorted; SCENE_LIST_LIMIT of them at most. */
static size_t list_names(scene_name *names) {
  size_t count = 0;
  for (int i = 0; i < GALLERIES && !count; i++) {
    char path[PATH_SIZE];
    DIR *directory = gallery(i, path) ? opendir(path) : NULL;
    for (struct dirent *e; directory && (e = readdir(directory));) {
      size_t n = strlen(e->d_name);
      if (n < 6 || n >= SCENE_NAME_SIZE || strcmp(e->d_name + n - 5, ".yaml") != 0) continue;
      if (count == SCENE_LIST_LIMIT) continue;
      memcpy(names[count], e->d_name, n - 5);
      names[count++][n - 5] = 0;
    }
    if (directory) closedir(directory);
  }
  qsort(names, count, sizeof *names, by_name);
  return count;
}

static scree_status no_scene(scree_context *context, const char *name) {
  scene_name *names = memory_new(context, SCENE_LIST_LIMIT, sizeof *names);
  const char *word[SCENE_LIST_LIMIT];
  const size_t count = names ? list_names(names) : 0;
  for (size_t i = 0; i < count; i++) word[i] = names[i];
  const char *near = count ? options_nearest(name, word, count) : NULL;
  const scree_status status = context_fail(
      context, SCREE_ERROR_INPUT,
      "there is no file and no scene of the gallery '%s'%s%s%s `scree list scenes` shows them",
      name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : ";");
  memory_free(context, names);
  return status;
}

scree_status scree_scene_find(scree_context *context, const char *name, char *path, size_t size) {
  ARGUMENT_CHECK(context, context && name && path);
  char directory[PATH_SIZE];
  for (int i = 0; i < GALLERIES; i++) {
    if (strchr(name, '/') || !gallery(i, directory)) continue;
    int n = snprintf(path, size, "%s/%s.yaml", directory, name);
    if (n > 0 && (size_t)n < size && access(path, R_OK) == 0) return SCREE_OK;
  }
  path[0] = 0;
  return no_scene(context, name);
}

scree_status scree_scene_list(scree_context *context, scree_scene_visit visit, void *user) {
  ARGUMENT_CHECK(context, context);
  scene_name *names = memory_new(context, SCENE_LIST_LIMIT, sizeof *names);
  if (!names) return SCREE_ERROR_MEMORY;
  const size_t count = list_names(names);
  for (size_t i = 0; i < count; i++) {
    char path[PATH_SIZE];
    scree_scene *scene = NULL;
    if (scree_scene_find(context, names[i], path, sizeof path)) continue;
    scree_status status = scree_scene_load(context, path, NULL, &scene);
    visit(user, names[i], status ? scree_context_message(context) : scene->settings.title);
    scree_scene_destroy(scene);
  }
  memory_free(context, names);
  return SCREE_OK;
}

scree_joint_id scree_scene_find_joint(const scree_scene *scene, const char *name) {
  if (!scene || !name) return (scree_joint_id){0};
  for (size_t i = 0; i < scene->joint_count; i++)
    if (*name && strcmp(scene->joints[i].name, name) == 0) return scene->joints[i].id;
  return (scree_joint_id){0, 0};
}
