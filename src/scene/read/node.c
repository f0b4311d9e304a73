/* The tree of a scene, from libyaml's events; files, places and messages. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "scene/read/node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/options.h"

#ifdef SCREE_WITH_YAML
#include <yaml.h>
#endif

enum { BLOCK_SIZE = 1 << 16, DEPTH_LIMIT = 48, FAULT_LIMIT = 50 };
/* Keys of a map are compared with each other; values that aliases copy double with every level. */
enum { KEY_LIMIT = 20000, COPY_LIMIT = 1000000 };
#define FILE_SIZE_LIMIT     ((size_t)1 << 30)
#define CONFINED_SIZE_LIMIT ((size_t)1 << 26)

struct scene_block {
  scene_block *next;
};

void scene_document_init(scene_document *doc, scree_context *context) {
  *doc = (scene_document){.context = context};
}

void scene_document_clear(scene_document *doc) {
  while (doc->blocks) {
    scene_block *next = doc->blocks->next;
    memory_free(doc->context, doc->blocks);
    doc->blocks = next;
  }
  for (size_t i = 0; i < doc->file_count; i++) memory_free(doc->context, doc->files[i].bytes);
  memory_free(doc->context, doc->files);
  *doc = (scene_document){.context = doc->context};
}

void *scene_alloc(scene_document *doc, size_t size) {
  size = (size + 15) & ~(size_t)15;
  if (!doc->blocks || doc->used + size > doc->size) {
    size_t room = size + 64 > BLOCK_SIZE ? size + 64 : BLOCK_SIZE;
    scene_block *block = memory_new(doc->context, 1, room);
    if (!block) {
      doc->out_of_memory = true;
      return NULL;
    }
    block->next = doc->blocks;
    doc->blocks = block;
    doc->used = 64;
    doc->size = room;
  }
  void *place = (char *)doc->blocks + doc->used;
  doc->used += size;
  return place;
}

char *scene_copy_text(scene_document *doc, const char *text, size_t length) {
  char *copy = scene_alloc(doc, length + 1);
  if (copy && length) memcpy(copy, text, length);
  return copy;
}

/* ---- messages ------------------------------------------------------------------------------- */

void scene_put_place(const scene_document *doc, const scene_node *node, char *buffer, size_t size) {
  buffer[0] = 0;
  if (!node) return;
  if (node->file >= SCENE_FILE_SET) {
    size_t set = node->file - SCENE_FILE_SET;
    snprintf(buffer, size, "--set %s:%u: ", set < doc->set_count ? doc->sets[set] : "?",
             node->column);
  } else {
    snprintf(buffer, size,
             "%s:%u:%u: ", node->file < doc->file_count ? doc->files[node->file].path : "?",
             node->line, node->column);
  }
}

scree_status scene_fault(scene_document *doc, const scene_node *node, const char *format, ...) {
  if (doc->out_of_memory) return SCREE_ERROR_MEMORY;
  char text[CONTEXT_MESSAGE_SIZE];
  scene_put_place(doc, node, text, sizeof text);
  size_t used = strlen(text);
  va_list list;
  va_start(list, format);
  number_format_list(text + used, sizeof text - used, format, list);
  va_end(list);
  if (doc->fault_count == 0) context_fail(doc->context, SCREE_ERROR_INPUT, "%s", text);
  if (doc->fault_count < FAULT_LIMIT && doc->report) doc->report(doc->report_user, text);
  doc->fault_count++;
  return SCREE_ERROR_INPUT;
}

const char *scene_suggest(const char *word, const char *const *names, size_t count, char *buffer,
                          size_t size) {
  const char *near = options_nearest(word, names, count);
  if (near) {
    snprintf(buffer, size, "; did you mean '%s'?", near);
    return buffer;
  }
  size_t used = (size_t)snprintf(buffer, size, count ? "; allowed: " : "; there are none");
  for (size_t i = 0; i < count && used + 1 < size; i++) {
    int n = snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", names[i]);
    used += n > 0 ? (size_t)n : 0;
  }
  return buffer;
}

/* ---- files ---------------------------------------------------------------------------------- */

scree_status scene_add_file(scene_document *doc, const char *path, const char *bytes, size_t size,
                            uint32_t *file) {
  scree_status status =
      memory_grow(doc->context, &doc->files, doc->file_count + 1, sizeof *doc->files);
  if (status) return status;
  char *copy = memory_new(doc->context, size + 1, 1);
  if (!copy) return SCREE_ERROR_MEMORY;
  if (size) memcpy(copy, bytes, size);
  char *name = scene_copy_text(doc, path, strlen(path));
  if (!name) {
    memory_free(doc->context, copy);
    return SCREE_ERROR_MEMORY;
  }
  *file = (uint32_t)doc->file_count;
  doc->files[doc->file_count++] = (scene_file){name, copy, size};
  return SCREE_OK;
}

static scree_status cannot_read(scene_document *doc, const scene_node *at, const char *path,
                                const char *why) {
  if (at) return scene_fault(doc, at, "cannot read '%s': %s", path, why);
  if (context_stopped(doc->context))
    return context_fail(doc->context, SCREE_ERROR_STOPPED, "%s: not read: stopped by the caller",
                        path);
  context_fail(doc->context, SCREE_ERROR_IO, "%s: cannot be read: %s", path, why);
  return SCREE_ERROR_IO;
}

static const char *too_large(size_t most) {
  return most < FILE_SIZE_LIMIT ? "it is larger than 64 MiB" : "it is larger than 1 GiB";
}

/* What a scene names must be a regular file: a pipe would wait for ever, a device has no end. The
 * scene itself may come through a pipe, for its path is the user's own. */
static FILE *open_to_read(const char *path, bool regular, size_t most, const char **why) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | (regular ? O_NONBLOCK | O_NOCTTY : 0));
  struct stat about;
  *why = NULL;
  if (fd < 0 || fstat(fd, &about) != 0)
    *why = strerror(errno);
  else if (S_ISDIR(about.st_mode))
    *why = "it is a directory";
  else if (regular && !S_ISREG(about.st_mode))
    *why = "it is not a regular file";
  else if (S_ISREG(about.st_mode) && (uint64_t)about.st_size > most)
    *why = too_large(most);
  FILE *in = *why ? NULL : fdopen(fd, "rb");
  if (!*why && !in) *why = strerror(errno);
  if (!in && fd >= 0) close(fd);
  return in;
}

/* What begins so is no text, and may have no end: /dev/zero. Text of two bytes per character says
 * so by its first two. */
static bool is_binary(const char *bytes, size_t size) {
  const bool wide =
      size > 1 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
  return size && !wide && memchr(bytes, 0, size);
}

static scree_status slurp(scene_document *doc, const scene_node *at, const char *path,
                          uint32_t *file) {
  const char *why;
  const size_t most = doc->confined ? CONFINED_SIZE_LIMIT : FILE_SIZE_LIMIT;
  FILE *in = open_to_read(path, at != NULL, most, &why);
  if (!in) return cannot_read(doc, at, path, why);
  struct stat about;
  const bool endless = fstat(fileno(in), &about) == 0 && !S_ISREG(about.st_mode);
  char *bytes = NULL;
  size_t size = 0;
  scree_status status = SCREE_OK;
  for (;;) {
    status = memory_grow(doc->context, &bytes, size + 65536, 1);
    if (status) break;
    errno = 0;
    size_t got = fread(bytes + size, 1, 65536, in);
    size += got;
    if (endless && size == got && is_binary(bytes, size))
      status = context_fail(doc->context, SCREE_ERROR_INPUT, "%s: it is not text", path);
    if (size > most) why = too_large(most);
    if (got == 0 || why || status) break;
  }
  if (!status && ferror(in)) why = strerror(errno);
  if (!status && why) status = cannot_read(doc, at, path, why);
  fclose(in);
  if (!status) status = scene_add_file(doc, path, bytes, size, file);
  memory_free(doc->context, bytes);
  return status;
}

/* Does a file that the scene names lie in the folder of the scene, all links followed? */
static bool is_inside(const scene_document *doc, const char *path) {
  char folder[4096];
  const char *first = doc->files[0].path, *slash = strrchr(first, '/');
  if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - first + 1) : 1,
               slash ? first : ".") >= (int)sizeof folder)
    return false;
  char *home = realpath(folder, NULL), *there = realpath(path, NULL);
  const size_t n = home ? strlen(home) : 0;
  const bool inside =
      home && there && strncmp(home, there, n) == 0 && (there[n] == '/' || home[n - 1] == '/');
  free(home);
  free(there);
  return inside;
}

scree_status scene_open_file(scene_document *doc, const scene_node *at, uint32_t from,
                             const char *path, uint32_t *file) {
  char full[4096];
  const char *base = from < doc->file_count ? doc->files[from].path : "";
  const char *slash = strrchr(base, '/');
  int n = path[0] == '/' || !slash
              ? snprintf(full, sizeof full, "%s", path)
              : snprintf(full, sizeof full, "%.*s%s", (int)(slash - base + 1), base, path);
  if (n < 0 || (size_t)n >= sizeof full)
    return scene_fault(doc, at, "the path of the file is too long");
  for (size_t i = 0; i < doc->file_count; i++) {
    if (strcmp(doc->files[i].path, full) == 0) {
      *file = (uint32_t)i;
      return SCREE_OK;
    }
  }
  if (doc->sealed) return cannot_read(doc, at, full, "the recording does not hold it");
  if (doc->confined && doc->file_count && access(full, F_OK) == 0 && !is_inside(doc, full))
    return cannot_read(doc, at, full, "it is outside the folder of the scene");
  return slurp(doc, at, full, file);
}

/* ---- tree ----------------------------------------------------------------------------------- */

scene_node *scene_find(const scene_node *map, const char *key) {
  if (!map || map->kind != SCENE_MAP) return NULL;
  for (size_t i = 0; i < map->count; i++)
    if (strcmp(map->keys[i]->text, key) == 0) return map->items[i];
  return NULL;
}

scree_status scene_append(scene_document *doc, scene_node *parent, scene_node *key,
                          scene_node *item) {
  if (parent->count == parent->room) {
    size_t room = parent->room ? 2 * parent->room : 4;
    scene_node **items = scene_alloc(doc, room * sizeof *items);
    scene_node **keys = parent->kind == SCENE_MAP ? scene_alloc(doc, room * sizeof *keys) : NULL;
    if (!items || (parent->kind == SCENE_MAP && !keys)) return SCREE_ERROR_MEMORY;
    if (parent->count) {
      memcpy(items, parent->items, parent->count * sizeof *items);
      if (keys) memcpy(keys, parent->keys, parent->count * sizeof *keys);
    }
    parent->items = items;
    parent->keys = keys;
    parent->room = room;
  }
  if (key) parent->keys[parent->count] = key;
  parent->items[parent->count++] = item;
  return SCREE_OK;
}

scree_status scene_merge(scene_document *doc, scene_node *into, const scene_node *from) {
  scree_status status = SCREE_OK;
  bool numbers = from->kind == SCENE_LIST && from->count && from->items[0]->kind != SCENE_MAP;
  if (into->kind != from->kind || into->kind == SCENE_SCALAR || numbers) {
    *into = *from;
    return SCREE_OK;
  }
  for (size_t i = 0; i < from->count && !status; i++) {
    if (into->kind == SCENE_LIST) {
      status = scene_append(doc, into, NULL, from->items[i]);
      continue;
    }
    scene_node *old = scene_find(into, from->keys[i]->text);
    status = old ? scene_merge(doc, old, from->items[i])
                 : scene_append(doc, into, from->keys[i], from->items[i]);
  }
  return status;
}

#ifdef SCREE_WITH_YAML

typedef struct anchor {
  const char *name;
  scene_node *node;
} anchor;

typedef struct tree_parser {
  scene_document *doc;
  yaml_parser_t yaml;
  uint32_t file;
  const char *text; /* of the file, size bytes */
  size_t size;
  anchor anchors[64];
  size_t anchor_count;
} tree_parser;

static scene_node *node_at(tree_parser *p, scene_kind kind, yaml_mark_t mark) {
  scene_node *node = scene_alloc(p->doc, sizeof *node);
  if (!node) return NULL;
  node->kind = kind;
  node->file = p->file;
  node->line = (uint32_t)mark.line + 1;
  node->column = (uint32_t)mark.column + 1;
  return node;
}

/* The first ${ of the line that a fault was met in that no quote precedes, as a column from 1; 0:
 * there is none. In flow style its brace opens a mapping, so the fault shows up behind it. */
static uint32_t unquoted_expression(const tree_parser *p, size_t line) {
  const char *at = p->text, *end = p->text + p->size;
  for (size_t k = 0; k < line && at < end; k++) {
    const char *next = memchr(at, '\n', (size_t)(end - at));
    if (!next) return 0;
    at = next + 1;
  }
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  if (!stop) stop = end;
  for (const char *c = at; c + 1 < stop; c++)
    if (c[0] == '$' && c[1] == '{' && (c == at || !strchr("'\"", c[-1])))
      return (uint32_t)(c - at) + 1;
  return 0;
}

static scree_status yaml_fault(tree_parser *p) {
  scene_node at = {.file = p->file,
                   .line = (uint32_t)p->yaml.problem_mark.line + 1,
                   .column = (uint32_t)p->yaml.problem_mark.column + 1};
  if (p->yaml.error == YAML_MEMORY_ERROR)
    return context_fail(p->doc->context, SCREE_ERROR_MEMORY, "no memory to read a scene");
  const uint32_t expression = unquoted_expression(p, p->yaml.problem_mark.line);
  if (expression) {
    at.column = expression;
    return scene_fault(p->doc, &at,
                       "an expression inside { } or [ ] needs quotes: write '${...}' with them; "
                       "without, YAML takes its brace for a mapping");
  }
  return scene_fault(p->doc, &at, "not YAML or JSON: %s%s%s",
                     p->yaml.problem ? p->yaml.problem : "it cannot be read",
                     p->yaml.context ? " " : "", p->yaml.context ? p->yaml.context : "");
}

static scree_status next_event(tree_parser *p, yaml_event_t *event) {
  return yaml_parser_parse(&p->yaml, event) ? SCREE_OK : yaml_fault(p);
}

static scree_status keep_anchor(tree_parser *p, const yaml_char_t *name, scene_node *node) {
  if (!name) return SCREE_OK;
  if (p->anchor_count == sizeof p->anchors / sizeof *p->anchors)
    return scene_fault(p->doc, node, "more than 64 anchors");
  const char *copy = scene_copy_text(p->doc, (const char *)name, strlen((const char *)name));
  if (!copy) return SCREE_ERROR_MEMORY;
  p->anchors[p->anchor_count++] = (anchor){copy, node};
  return SCREE_OK;
}

static scree_status parse_value(tree_parser *p, yaml_event_t *event, int depth, scene_node **node);

static scree_status parse_map_item(tree_parser *p, yaml_event_t *key_event, int depth,
                                   scene_node *map) {
  scene_node at = {.file = p->file,
                   .line = (uint32_t)key_event->start_mark.line + 1,
                   .column = (uint32_t)key_event->start_mark.column + 1};
  if (key_event->type != YAML_SCALAR_EVENT) {
    yaml_event_delete(key_event);
    return scene_fault(p->doc, &at, "a key must be a plain word");
  }
  scene_node *key = NULL, *item = NULL;
  scree_status status = parse_value(p, key_event, depth, &key);
  if (!status && map->count == KEY_LIMIT)
    status = scene_fault(p->doc, key, "more than %d keys in a map", KEY_LIMIT);
  if (status) return status;
  if (scene_find(map, key->text))
    return scene_fault(p->doc, key, "key '%s' is given twice", key->text);
  yaml_event_t event;
  status = next_event(p, &event);
  if (!status) status = parse_value(p, &event, depth, &item);
  return status ? status : scene_append(p->doc, map, key, item);
}

static scree_status parse_children(tree_parser *p, int depth, scene_node *node) {
  for (;;) {
    yaml_event_t event;
    scree_status status = next_event(p, &event);
    if (status) return status;
    if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT) {
      yaml_event_delete(&event);
      return SCREE_OK;
    }
    if (node->kind == SCENE_MAP) {
      status = parse_map_item(p, &event, depth + 1, node);
    } else {
      scene_node *item = NULL;
      status = parse_value(p, &event, depth + 1, &item);
      if (!status) status = scene_append(p->doc, node, NULL, item);
    }
    if (status) return status;
  }
}

/* A node of its own for every alias, for a change of one place (an include, --set) must not reach
 * another; an anchored key may be a value elsewhere. */
static scree_status copy_node(tree_parser *p, const scene_node *at, const scene_node *from,
                              int depth, scene_node **copy) {
  if (depth > DEPTH_LIMIT) return scene_fault(p->doc, at, "nested more than %d deep", DEPTH_LIMIT);
  if (++p->doc->copied > COPY_LIMIT)
    return scene_fault(p->doc, at, "aliases stand for more than %d values", COPY_LIMIT);
  scene_node *n = scene_alloc(p->doc, sizeof *n);
  if (!n) return SCREE_ERROR_MEMORY;
  *n = *from;
  n->items = n->keys = NULL;
  n->count = n->room = 0;
  *copy = n;
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < from->count && !status; i++) {
    scene_node *key = NULL, *item = NULL;
    if (from->keys) status = copy_node(p, at, from->keys[i], depth + 1, &key);
    if (!status) status = copy_node(p, at, from->items[i], depth + 1, &item);
    if (!status) status = scene_append(p->doc, n, key, item);
  }
  return status;
}

static scree_status parse_alias(tree_parser *p, const yaml_event_t *event, int depth,
                                scene_node *at, scene_node **node) {
  const char *name = (const char *)event->data.alias.anchor;
  for (size_t i = p->anchor_count; i-- > 0;) {
    if (strcmp(p->anchors[i].name, name) == 0)
      return copy_node(p, at, p->anchors[i].node, depth, node);
  }
  return scene_fault(p->doc, at, "there is no anchor '%s' above", name);
}

/* Takes over the event. An anchor is known only after its node is whole: no cycles. */
static scree_status parse_value(tree_parser *p, yaml_event_t *event, int depth, scene_node **node) {
  scene_kind kind = event->type == YAML_SEQUENCE_START_EVENT  ? SCENE_LIST
                    : event->type == YAML_MAPPING_START_EVENT ? SCENE_MAP
                                                              : SCENE_SCALAR;
  scene_node *n = node_at(p, kind, event->start_mark);
  scree_status status = n ? SCREE_OK : SCREE_ERROR_MEMORY;
  const yaml_char_t *name = NULL;
  if (status) {
  } else if (depth > DEPTH_LIMIT) {
    status = scene_fault(p->doc, n, "nested more than %d deep", DEPTH_LIMIT);
  } else if (event->type == YAML_ALIAS_EVENT) {
    status = parse_alias(p, event, depth, n, &n);
  } else if (event->type == YAML_SCALAR_EVENT) {
    name = event->data.scalar.anchor;
    n->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    n->text =
        scene_copy_text(p->doc, (const char *)event->data.scalar.value, event->data.scalar.length);
    if (!n->text) status = SCREE_ERROR_MEMORY;
    if (!status && strlen(n->text) != event->data.scalar.length)
      status = scene_fault(p->doc, n, "a text must not hold a zero byte");
  } else if (kind != SCENE_SCALAR) {
    name =
        kind == SCENE_LIST ? event->data.sequence_start.anchor : event->data.mapping_start.anchor;
    status = parse_children(p, depth, n);
  } else {
    status = scene_fault(p->doc, n, "something else than a value");
  }
  if (!status) status = keep_anchor(p, name, n);
  yaml_event_delete(event);
  *node = n;
  return status;
}

scree_status scene_parse(scene_document *doc, const char *text, size_t size, uint32_t file,
                         scene_node **root) {
  tree_parser p = {.doc = doc, .file = file, .text = text, .size = size};
  if (size >= 8 && memcmp(text, "\211HDF\r\n\032\n", 8) == 0) {
    const scene_node start = {.file = file, .line = 1, .column = 1};
    return scene_fault(
        doc, &start,
        "an HDF5 file is no scene; `scree resume` goes on with a recording, `scree solve` "
        "solves a problem, `scree info` tells which it is");
  }
  if (!yaml_parser_initialize(&p.yaml))
    return context_fail(doc->context, SCREE_ERROR_MEMORY, "no memory to read a scene");
  yaml_parser_set_input_string(&p.yaml, (const unsigned char *)text, size);
  scree_status status = SCREE_OK;
  *root = NULL;
  bool done = false;
  while (!status && !done) {
    yaml_event_t event;
    status = next_event(&p, &event);
    if (status) break;
    yaml_event_type_t type = event.type;
    scene_node at = {.file = file,
                     .line = (uint32_t)event.start_mark.line + 1,
                     .column = (uint32_t)event.start_mark.column + 1};
    if (type == YAML_STREAM_START_EVENT || type == YAML_DOCUMENT_END_EVENT) {
      yaml_event_delete(&event);
    } else if (type == YAML_STREAM_END_EVENT) {
      yaml_event_delete(&event);
      done = true;
    } else if (type == YAML_DOCUMENT_START_EVENT) {
      yaml_event_delete(&event);
      if (*root) status = scene_fault(doc, &at, "a second document; a scene is one");
    } else {
      status = parse_value(&p, &event, 0, root);
    }
  }
  if (!status && !*root) {
    scene_node at = {.file = file, .line = 1, .column = 1};
    status = scene_fault(doc, &at, "the scene is empty");
  }
  yaml_parser_delete(&p.yaml);
  return status;
}

#else

scree_status scene_parse(scene_document *doc, const char *text, size_t size, uint32_t file,
                         scene_node **root) {
  (void)text;
  (void)size;
  (void)file;
  *root = NULL;
  return context_fail(doc->context, SCREE_ERROR_UNSUPPORTED,
                      "this build reads no scene files; configure with SCREE_WITH_YAML=ON");
}

#endif
