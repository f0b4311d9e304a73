/* A tree of scene nodes as YAML: maps and lists that fit in a line are written in one. */
#include <ctype.h>
#include <string.h>

#include "scene/import/emit.h"

enum { LINE = 118, WRITE_DEPTH = 60 };

void emit_bytes(emit_buffer *out, const char *text, size_t size) {
  if (out->failed) return;
  if (memory_grow(out->context, &out->bytes, out->size + size + 1, 1)) {
    out->failed = true;
    return;
  }
  memcpy(out->bytes + out->size, text, size);
  out->size += size;
  out->bytes[out->size] = 0;
}

static void put(emit_buffer *out, const char *text) {
  emit_bytes(out, text, strlen(text));
}

static void indent(emit_buffer *out, int spaces) {
  for (int i = 0; i < spaces; i++) put(out, " ");
}

/* A word that YAML and the scene read as nothing else than text. */
static bool is_plain(const char *text) {
  static const char *const taken[] = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
  if (!isalpha((unsigned char)text[0]) && text[0] != '_') return false;
  for (const char *x = text; *x; x++)
    if (!isalnum((unsigned char)*x) && *x != '_' && *x != '.' && *x != '-' && *x != '/')
      return false;
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    size_t k = 0;
    while (taken[i][k] && tolower((unsigned char)text[k]) == taken[i][k]) k++;
    if (!taken[i][k] && !text[k]) return false;
  }
  return true;
}

static void put_scalar(emit_buffer *out, const scene_node *n) {
  if (!n->quoted || is_plain(n->text)) {
    put(out, n->text);
    return;
  }
  static const char digits[] = "0123456789abcdef";
  put(out, "\"");
  for (const char *x = n->text; *x; x++) {
    const unsigned char c = (unsigned char)*x;
    if (c < 32 || c == 127) {
      const char code[5] = {'\\', 'x', digits[c >> 4], digits[c & 15], 0};
      put(out, code);
    } else {
      if (c == '"' || c == '\\') put(out, "\\");
      emit_bytes(out, x, 1);
    }
  }
  put(out, "\"");
}

static void put_flow(emit_buffer *out, const scene_node *n, int depth) {
  if (n->kind == SCENE_SCALAR || depth > WRITE_DEPTH) {
    put_scalar(out, n);
    return;
  }
  put(out, n->kind == SCENE_MAP ? "{" : "[");
  for (size_t i = 0; i < n->count; i++) {
    if (i) put(out, ", ");
    if (n->kind == SCENE_MAP) {
      put_scalar(out, n->keys[i]);
      put(out, ": ");
    }
    put_flow(out, n->items[i], depth + 1);
  }
  put(out, n->kind == SCENE_MAP ? "}" : "]");
}

/* How long it is in one line; stops when that is too long. */
static int width(const scene_node *n, int room) {
  if (n->kind == SCENE_SCALAR) return (int)strlen(n->text) + 2;
  int used = 2;
  for (size_t i = 0; i < n->count && used <= room; i++) {
    if (n->kind == SCENE_MAP) used += (int)strlen(n->keys[i]->text) + 2;
    used += width(n->items[i], room) + 2;
  }
  return used;
}

static void put_block(emit_buffer *out, const scene_node *n, int column, bool within, int depth);

static void put_value(emit_buffer *out, const scene_node *n, int column, int used, bool in_list,
                      int depth) {
  const bool numbers = n->kind == SCENE_LIST && n->count && n->items[0]->kind == SCENE_SCALAR;
  if (n->kind == SCENE_SCALAR || n->count == 0 || numbers || depth > WRITE_DEPTH ||
      width(n, LINE) + used <= LINE) {
    if (!in_list) put(out, " ");
    put_flow(out, n, depth);
    put(out, "\n");
    return;
  }
  if (!in_list) put(out, "\n");
  put_block(out, n, column, in_list, depth + 1);
}

static void put_block(emit_buffer *out, const scene_node *n, int column, bool within, int depth) {
  for (size_t i = 0; i < n->count; i++) {
    if (i || !within) indent(out, column);
    if (n->kind == SCENE_LIST) {
      put(out, "- ");
      put_value(out, n->items[i], column + 2, column + 2, true, depth);
    } else {
      put_scalar(out, n->keys[i]);
      put(out, ":");
      put_value(out, n->items[i], column + 2, column + (int)strlen(n->keys[i]->text) + 4, false,
                depth);
    }
  }
}

void emit_yaml(emit_buffer *out, const scene_node *root) {
  for (size_t i = 0; i < root->count; i++) {
    const scene_node *n = root->items[i];
    const bool list = n->kind != SCENE_SCALAR && n->count && n->items[0]->kind != SCENE_SCALAR;
    put_scalar(out, root->keys[i]);
    put(out, ":");
    if (list) { /* one per line, even where all would fit in one */
      put(out, "\n");
      put_block(out, n, 2, false, 0);
    } else {
      put_value(out, n, 2, (int)strlen(root->keys[i]->text) + 2, false, 0);
    }
  }
}
