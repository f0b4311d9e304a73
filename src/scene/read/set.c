/* --set a.b.0.c=value: changes the tree before it is read, so that the same checks apply. A first
 * word that is no section of scenes but a parameter of this one means parameters.word. */
#include <stdlib.h>
#include <string.h>

#include "scene/read/keys.h"
#include "scene/read/node.h"

static scene_node *set_node(scene_document *doc, size_t number, uint32_t column) {
  scene_node *node = scene_alloc(doc, sizeof *node);
  if (!node) return NULL;
  node->file = SCENE_FILE_SET + (uint32_t)number;
  node->line = 1;
  node->column = column;
  return node;
}

/* The value's own columns begin after the equal sign. */
static void shift_places(scene_node *node, uint32_t shift, int depth) {
  node->column += shift;
  for (size_t i = 0; i < node->count && depth < 48; i++) {
    if (node->keys) node->keys[i]->column += shift;
    shift_places(node->items[i], shift, depth + 1);
  }
}

static scree_status unknown_start(scene_document *doc, const scene_node *root, const scene_node *at,
                                  const char *word) {
  const char *names[256];
  size_t count = 0;
  const scene_node *parameters = scene_find(root, "parameters");
  if (parameters && parameters->kind == SCENE_MAP)
    for (size_t i = 0; i < parameters->count && count < 128; i++)
      names[count++] = parameters->keys[i]->text;
  for (size_t i = 0; i < scene_section_scene.count && count < 256; i++)
    names[count++] = scene_section_scene.fields[i].key;
  char buffer[512];
  return scene_fault(doc, at, "'%s' is neither a parameter nor a section of the scene%s", word,
                     scene_suggest(word, names, count, buffer, sizeof buffer));
}

/* The child of `node` by one word of the path, made when a map lacks it. */
static scree_status descend(scene_document *doc, size_t number, uint32_t column, scene_node **node,
                            const char *word) {
  scene_node *at = set_node(doc, number, column);
  if (!at) return SCREE_ERROR_MEMORY;
  scene_node *parent = *node;
  if (parent->kind == SCENE_LIST) {
    char *end;
    unsigned long index = strtoul(word, &end, 10);
    if (*end || end == word || index >= parent->count)
      return scene_fault(doc, at, "'%s' is not a place in a list of %zu; they count from 0", word,
                         parent->count);
    *node = parent->items[index];
    return SCREE_OK;
  }
  if (parent->kind == SCENE_SCALAR) {
    parent->kind = SCENE_MAP;
    parent->text = NULL;
    parent->count = 0;
  }
  scene_node *child = scene_find(parent, word);
  if (!child) {
    scene_node *key = set_node(doc, number, column);
    child = set_node(doc, number, column);
    if (!key || !child) return SCREE_ERROR_MEMORY;
    key->text = word;
    child->kind = SCENE_MAP;
    scree_status status = scene_append(doc, parent, key, child);
    if (status) return status;
  }
  *node = child;
  return SCREE_OK;
}

scree_status scene_apply_set(scene_document *doc, scene_node *root, size_t number) {
  const char *text = doc->sets[number];
  const char *equal = strchr(text, '=');
  scene_node *at = set_node(doc, number, 1);
  if (!at) return SCREE_ERROR_MEMORY;
  if (!equal || equal == text)
    return scene_fault(doc, at,
                       "--set needs KEY=VALUE, as in --set solver.tolerance_residual=1e-4");
  if (!equal[1]) return scene_fault(doc, at, "no value after '='");
  uint32_t shift = (uint32_t)(equal - text) + 1;
  scene_node *value = NULL;
  scree_status status =
      scene_parse(doc, equal + 1, strlen(equal + 1), SCENE_FILE_SET + (uint32_t)number, &value);
  if (status) return status;
  shift_places(value, shift, 0);

  char *path = scene_copy_text(doc, text, shift - 1);
  if (!path) return SCREE_ERROR_MEMORY;
  scene_node *node = root;
  const scene_section *section = &scene_section_scene; /* of `node`; null: one of a list, or none */
  bool first = true;
  for (char *word = path; !status && word;) {
    char *dot = strchr(word, '.');
    if (dot) *dot = 0;
    uint32_t column = (uint32_t)(word - path) + 1;
    if (!*word) {
      at->column = column;
      return scene_fault(doc, at, "an empty word in the path before '='");
    }
    if (first && !scene_section_find(&scene_section_scene, word)) {
      scene_node *parameters = scene_find(root, "parameters");
      if (!scene_find(parameters, word)) return unknown_start(doc, root, at, word);
      node = parameters;
      section = NULL;
    }
    first = false;
    const char *key = scene_present_key(section, word);
    const scene_field *field = section ? scene_section_find(section, key) : NULL;
    section = field && field->type == SCENE_SECTION ? field->section : NULL;
    status = descend(doc, number, column, &node, key);
    word = dot ? dot + 1 : NULL;
  }
  if (!status && section) status = scene_rename_former(doc, value, section);
  if (!status) *node = *value;
  return status;
}
