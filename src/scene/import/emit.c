/* See emit.h. */
#include "scene/import/emit.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

scene_node *emit_node(const emit_place *at, scene_kind kind) {
  scene_node *n = scene_alloc(at->doc, sizeof *n);
  if (!n) return NULL;
  n->kind = kind;
  n->file = at->file;
  n->line = at->line;
  n->column = at->column;
  return n;
}

void emit_put(const emit_place *at, scene_node *map, const char *key, scene_node *item) {
  scene_node *k = emit_text_node(at, key);
  if (!map || !item || !k) return;
  if (scene_append(at->doc, map, k, item)) at->doc->out_of_memory = true;
}

void emit_add(const emit_place *at, scene_node *list, scene_node *item) {
  if (!list || !item) return;
  if (scene_append(at->doc, list, NULL, item)) at->doc->out_of_memory = true;
}

scene_node *emit_child(const emit_place *at, scene_node *map, const char *key, scene_kind kind) {
  scene_node *child = scene_find(map, key);
  if (child || !map) return child;
  child = emit_node(at, kind);
  emit_put(at, map, key, child);
  return child;
}

/* A `${` would be read as an expression. */
scene_node *emit_text_node(const emit_place *at, const char *text) {
  scene_node *n = emit_node(at, SCENE_SCALAR);
  if (!n) return NULL;
  char *copy = scene_copy_text(at->doc, text, strlen(text));
  if (!copy) return NULL;
  for (char *x = copy; *x; x++)
    if (*x == '$') *x = '_';
  n->text = copy;
  n->quoted = true;
  return n;
}

scene_node *emit_number_node(const emit_place *at, double value) {
  scene_node *n = emit_node(at, SCENE_SCALAR);
  char text[40];
  if (!n) return NULL;
  for (int digits = 6; digits <= 17; digits++) { /* the shortest that reads back as the same */
    number_format(text, sizeof text, "%.*g", digits, value);
    if (number_read(text, NULL) == value) break;
  }
  n->text = scene_copy_text(at->doc, text, strlen(text));
  return n->text ? n : NULL;
}

void emit_text(const emit_place *at, scene_node *map, const char *key, const char *text) {
  emit_put(at, map, key, emit_text_node(at, text));
}

void emit_number(const emit_place *at, scene_node *map, const char *key, double value) {
  emit_put(at, map, key, emit_number_node(at, value));
}

void emit_flag(const emit_place *at, scene_node *map, const char *key, bool value) {
  scene_node *n = emit_text_node(at, value ? "true" : "false");
  if (n) n->quoted = false;
  emit_put(at, map, key, n);
}

void emit_numbers(const emit_place *at, scene_node *map, const char *key, const double *values,
                  size_t count) {
  scene_node *list = emit_node(at, SCENE_LIST);
  for (size_t i = 0; i < count; i++) emit_add(at, list, emit_number_node(at, values[i]));
  emit_put(at, map, key, list);
}

/* Rotations leave rounding where there was a 0; it is written as 0. */
static double clean(double x, double size) {
  return fabs(x) < 1e-15 * size ? 0.0 : x;
}

void emit_vector(const emit_place *at, scene_node *map, const char *key, v3 a) {
  const double size = v3_norm(a);
  const double x[3] = {clean(a.x, size), clean(a.y, size), clean(a.z, size)};
  emit_numbers(at, map, key, x, 3);
}

void emit_pose(const emit_place *at, scene_node *map, pose p) {
  const quat q = p.rotation;
  if (v3_norm2(p.position) > 0.0) emit_vector(at, map, "position", p.position);
  const double x[4] = {clean(q.w, 1.0), clean(q.x, 1.0), clean(q.y, 1.0), clean(q.z, 1.0)};
  if (x[1] != 0.0 || x[2] != 0.0 || x[3] != 0.0) emit_numbers(at, map, "rotation", x, 4);
}
