/* Robots of other formats as scenes: for `include`, assemblies and `scree import`. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "base/definition.h"
#include "base/number.h"
#include "scene/import/emit.h"
#include "scene/import/robot.h"

bool robot_is_file(const char *path) {
  static const char *const ends[] = {".urdf", ".xml", ".mjcf"};
  const size_t n = strlen(path);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const size_t k = strlen(ends[i]);
    size_t same = 0;
    while (same < k && n > k && tolower((unsigned char)path[n - k + same]) == ends[i][same]) same++;
    if (same == k) return true;
  }
  return false;
}

static scree_status read(robot *r, xml_element *root, scene_node **scene) {
  scree_status status;
  r->root = root;
  if (xml_is(root, "robot"))
    status = urdf_read(r, root);
  else if (xml_is(root, "mujoco"))
    status = mjcf_read(r, root);
  else
    status = robot_fault(r, root, NULL, "<%s>: a robot is <robot> (URDF) or <mujoco> (MJCF)",
                         root->name);
  if (!status) status = robot_place(r);
  if (!status) status = robot_scene(r, scene);
  if (!status) status = robot_judge(r);
  return status;
}

scree_import_def scree_import_def_default(void) {
  return (scree_import_def){.cookie = DEFINITION_COOKIE, .meshes = SCREE_IMPORT_MESHES_BY_FORMAT};
}

scree_status robot_import(scene_document *doc, uint32_t file, const scree_import_def *def,
                          scene_node **scene, scree_import_summary *summary, robot_remark **remarks,
                          size_t *remark_count) {
  robot r = {.doc = doc, .def = def, .name = "robot", .gravity = {0, 0, -9.81}};
  xml_element *root;
  *scene = NULL;
  scree_status status = xml_parse(doc, file, &root);
  if (!status) status = read(&r, root, scene);
  for (size_t i = 0; !status && i < r.remark_count; i++)
    if (def->report) def->report(def->report_user, r.remarks[i].text);
  if (summary) *summary = r.summary;
  if (remarks && !status) {
    *remark_count = r.remark_count;
    *remarks = scene_alloc(doc, (r.remark_count + 1) * sizeof **remarks);
    if (!*remarks) status = SCREE_ERROR_MEMORY;
    if (*remarks && r.remark_count) memcpy(*remarks, r.remarks, r.remark_count * sizeof **remarks);
  }
  robot_clear(&r);
  return status;
}

/* ---- as a file ------------------------------------------------------------------------------ */

static void put(emit_buffer *out, const char *format, ...) SCREE_PRINTF(2, 3);
static void put(emit_buffer *out, const char *format, ...) {
  char text[1600];
  va_list list;
  va_start(list, format);
  number_format_list(text, sizeof text, format, list);
  va_end(list);
  for (char *x = text; *x; x++) /* a comment is one line */
    if ((unsigned char)*x < 32 && *(x + 1)) *x = ' ';
  emit_bytes(out, text, strlen(text));
}

static void put_head(emit_buffer *out, const char *path, const scree_import_summary *s,
                     const robot_remark *remarks, size_t count) {
  const char *slash = strrchr(path, '/');
  put(out, "# Imported from %s: %zu bodies, %zu joints, %zu degrees of freedom, %g kg.\n",
      slash ? slash + 1 : path, s->bodies, s->joints, s->degrees_of_freedom, s->mass);
  for (int loss = 1; loss >= 0; loss--) {
    bool first = true;
    for (size_t i = 0; i < count; i++) {
      if (remarks[i].loss != (loss == 1)) continue;
      if (first) put(out, loss ? "# Left out, though it changes the motion:\n" : "# Notes:\n");
      first = false;
      put(out, "#   %s\n", remarks[i].text);
    }
  }
}

/* Paths of meshes are seen from the folder of the robot; the scene may lie in another. */
static void move_paths(scene_document *doc, scene_node *n, const char *folder, int depth) {
  if (depth > 48) return;
  for (size_t i = 0; i < n->count; i++) {
    scene_node *item = n->items[i];
    if (n->keys && strcmp(n->keys[i]->text, "file") == 0 && item->kind == SCENE_SCALAR &&
        item->text[0] != '/') {
      const size_t size = strlen(folder) + strlen(item->text) + 2;
      char *full = scene_alloc(doc, size);
      if (!full) return;
      snprintf(full, size, "%s/%s", folder, item->text);
      item->text = full;
    } else {
      move_paths(doc, item, folder, depth + 1);
    }
  }
}

scree_status scree_scene_import(scree_context *context, const char *path,
                                const scree_import_def *def, const char *folder,
                                scree_write_function write, void *user,
                                scree_import_summary *summary) {
  ARGUMENT_CHECK(context, context && path && write);
  const scree_import_def standard = scree_import_def_default();
  if (!def) def = &standard;
  DEFINITION_CHECK(context, def, import_def);
  scene_document doc;
  scene_document_init(&doc, context);
  doc.report = def->report;
  doc.report_user = def->report_user;
  doc.confined = def->confined;
  uint32_t file;
  scene_node *root = NULL;
  robot_remark *remarks = NULL;
  size_t count = 0;
  scree_import_summary s = {0};
  emit_buffer out = {.context = context};
  scree_status status = scene_open_file(&doc, NULL, UINT32_MAX, path, &file);
  if (!status) status = robot_import(&doc, file, def, &root, &s, &remarks, &count);
  if (!status) {
    if (folder && *folder) move_paths(&doc, root, folder, 0);
    put_head(&out, path, &s, remarks, count);
    emit_yaml(&out, root);
    if (out.failed || doc.out_of_memory) status = SCREE_ERROR_MEMORY;
  }
  if (!status) status = write(user, out.bytes, out.size);
  if (summary) *summary = s;
  memory_free(context, out.bytes);
  scene_document_clear(&doc);
  return status;
}
