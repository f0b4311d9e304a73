/* A scene as a tree: what libyaml read from YAML or JSON, with the file, line and column of every
 * value, so that any later fault can be reported with its place. Nodes live as long as the
 * document.
 *
 * Files are kept with their bytes: a recording stores them, and a run that goes on later reads
 * those instead of the disk, where they may have changed. */
#ifndef SCREE_SCENE_READ_NODE_H
#define SCREE_SCENE_READ_NODE_H

#include "base/memory.h"
#include "scree/scene.h"

typedef enum scene_kind { SCENE_SCALAR, SCENE_LIST, SCENE_MAP } scene_kind;

typedef struct scene_node scene_node;
struct scene_node {
  scene_kind kind;
  bool quoted;           /* a scalar in quotes is text, whatever it looks like */
  uint32_t file;         /* index in the document's files, or SCENE_FILE_SET + index of a --set */
  uint32_t line, column; /* from 1 */
  uint32_t part;         /* of an entry: the assembly that it came with; 0: the scene itself */
  const char *text;      /* scalar */
  size_t count, room;
  scene_node **items;
  scene_node **keys; /* map: the key of each item, a scalar */
};

enum { SCENE_FILE_SET = 0x40000000 };

typedef struct scene_file {
  char *path;
  char *bytes;
  size_t size;
} scene_file;

typedef struct scene_block scene_block;

typedef struct scene_document {
  scree_context *context;
  scene_block *blocks; /* arena of nodes and texts */
  size_t used, size;   /* of the first block */
  scene_file *files;
  size_t file_count;
  bool confined; /* only files of the first one's folder */
  bool sealed;   /* files come from a recording: nothing is read from the disk */
  char **sets;   /* copies of the --set arguments */
  size_t set_count;
  scree_report_function report;
  void *report_user;
  scree_report_function note; /* remarks on what is read but not taken over */
  void *note_user;
  size_t fault_count;
  size_t copied;   /* nodes that aliases made */
  size_t included; /* files, each time they were */
  bool out_of_memory;
} scene_document;

void scene_document_init(scene_document *doc, scree_context *context);
void scene_document_clear(scene_document *doc);
/* Zeroed memory that lives with the document; null: none left (noted in the document). */
void *scene_alloc(scene_document *doc, size_t size);
char *scene_copy_text(scene_document *doc, const char *text, size_t length);

/* A fault at a node: "file:line:column: …" goes to the report function, the first one to the
 * context. Always returns SCREE_ERROR_INPUT. node may be null: then without place. */
scree_status scene_fault(scene_document *doc, const scene_node *node, const char *format, ...)
    SCREE_PRINTF(3, 4);
/* "file:line:column: ", or nothing for a null node. */
void scene_put_place(const scene_document *doc, const scene_node *node, char *buffer, size_t size);
/* "; did you mean 'x'?" when a name is near, else "; allowed: …". The buffer is the caller's. */
const char *scene_suggest(const char *word, const char *const *names, size_t count, char *buffer,
                          size_t size);

/* The file at `path`, seen from the directory of file `from` (UINT32_MAX: from here). `at` is for
 * messages, may be null. */
scree_status scene_open_file(scene_document *doc, const scene_node *at, uint32_t from,
                             const char *path, uint32_t *file);
/* Adds a file that is already at hand. */
scree_status scene_add_file(scene_document *doc, const char *path, const char *bytes, size_t size,
                            uint32_t *file);
/* The tree of a text that is file number `file`; its root. */
scree_status scene_parse(scene_document *doc, const char *text, size_t size, uint32_t file,
                         scene_node **root);

scene_node *scene_find(const scene_node *map, const char *key); /* null: none, or no map */
scree_status scene_append(scene_document *doc, scene_node *parent, scene_node *key,
                          scene_node *item);
/* Copies `from` over `into`: maps key by key (from wins), lists of maps one after the other (into
 * first), else replaced. */
scree_status scene_merge(scene_document *doc, scene_node *into, const scene_node *from);
/* Applies one --set "a.b.0.c=value"; `number` is its place among them. */
scree_status scene_apply_set(scene_document *doc, scene_node *root, size_t number);

#endif
