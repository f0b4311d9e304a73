/* Nodes of a scene made by a program: maps, lists, numbers and texts at the place of an element. A
 * null from an allocation is noted in the document and stops what follows. */
#ifndef SCREE_SCENE_IMPORT_EMIT_H
#define SCREE_SCENE_IMPORT_EMIT_H

#include "math/pose.h"
#include "scene/import/xml.h"

typedef struct emit_place {
  scene_document *doc;
  uint32_t file, line, column;
} emit_place;

static inline emit_place emit_at(scene_document *doc, const xml_element *e) {
  return (emit_place){doc, e->file, e->line, e->column};
}
scene_node *emit_node(const emit_place *at, scene_kind kind);
void emit_put(const emit_place *at, scene_node *map, const char *key, scene_node *item);
void emit_add(const emit_place *at, scene_node *list, scene_node *item);
/* The map or list under a key, made when there is none. */
scene_node *emit_child(const emit_place *at, scene_node *map, const char *key, scene_kind kind);
scene_node *emit_text_node(const emit_place *at, const char *text);
scene_node *emit_number_node(const emit_place *at, double value);
void emit_text(const emit_place *at, scene_node *map, const char *key, const char *text);
void emit_number(const emit_place *at, scene_node *map, const char *key, double value);
void emit_flag(const emit_place *at, scene_node *map, const char *key, bool value);
void emit_numbers(const emit_place *at, scene_node *map, const char *key, const double *values,
                  size_t count);
void emit_vector(const emit_place *at, scene_node *map, const char *key, v3 value);
/* position and rotation, where they are not those of the origin. */
void emit_pose(const emit_place *at, scene_node *map, pose place);

/* ---- write.c: a tree as YAML ----------------------------------------------------------------- */

typedef struct emit_buffer {
  scree_context *context;
  char *bytes;
  size_t size;
  bool failed; /* no memory */
} emit_buffer;

void emit_bytes(emit_buffer *out, const char *text, size_t size);
void emit_yaml(emit_buffer *out, const scene_node *root);

#endif
