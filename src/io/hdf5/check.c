/* The walk from the superblock through groups to datasets; see hdf5/check.h.
 *
 *   superblock ─ root header ─ symbol table ─┬─ local heap: names
 *                                            └─ B-tree ─ … ─ SNOD: (name, header) of each member */
#include "io/hdf5/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum {
  SUPERBLOCK = 96,
  ENTRY = 40,           /* a symbol table entry */
  MAX_DEPTH = 3,        /* "/fclib_local/W/p" */
  MAX_OBJECTS = 100000, /* visited; hard links may form cycles */
  MAX_HEADER = 1 << 20,
  MAX_HEAP = 1 << 22,
  MAX_LEVEL = 8,
  MAX_PATH_BYTES = 200,
};

typedef struct walk {
  const check_source *source;
  const check_visitor *visitor; /* null: a problem's objects alone */
  size_t leaf_k, internal_k;
  size_t objects;
} walk;

/* A group on the way: its heap in memory and its path. */
typedef struct group {
  const char *path;
  int depth;
  unsigned char *heap;
  size_t heap_size;
} group;

static scree_status visit_object(walk *w, const char *path, int depth, uint64_t address,
                                 const unsigned char *entry);

scree_status check_fail(const check_source *source, const char *path, const char *what) {
  return context_fail(source->context, SCREE_ERROR_INPUT, "%s: %s: %s", source->name, path, what);
}

static void lay_over(const check_patch *p, uint64_t address, size_t length, unsigned char *out) {
  const uint64_t begin = p->address > address ? p->address : address;
  const uint64_t a = p->address + p->size, b = address + length, end = a < b ? a : b;
  if (begin < end)
    memcpy(out + (begin - address), p->bytes + (begin - p->address), (size_t)(end - begin));
}

static bool get_bytes(const check_source *source, uint64_t address, size_t length,
                      unsigned char *out) {
  if (source->image) {
    memcpy(out, source->image + address, length);
    return true;
  }
  for (size_t done = 0; done < length;) {
    const ssize_t n = pread(source->descriptor, out + done, length - done, (off_t)(address + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

uint64_t check_left(const check_source *source, uint64_t address) {
  uint64_t left = address < source->size ? source->size - address : 0;
  for (size_t i = 0; i < source->patch_count; i++) {
    const check_patch *p = &source->patches[i];
    if (address >= p->address && address - p->address < p->size &&
        p->size - (address - p->address) > left)
      left = p->size - (address - p->address);
  }
  return left;
}

bool check_get(const check_source *source, uint64_t address, size_t length, unsigned char *out) {
  if (check_left(source, address) < length) return false;
  const uint64_t there = address < source->size ? source->size - address : 0;
  const size_t own = there < length ? (size_t)there : length;
  if (own && !get_bytes(source, address, own, out)) return false;
  for (size_t i = 0; i < source->patch_count; i++)
    lay_over(&source->patches[i], address, length, out);
  return true;
}

/* ---- object headers ---------------------------------------------------------------------------
 */

enum message_type {
  MESSAGE_NIL = 0x00,
  MESSAGE_SPACE = 0x01,
  MESSAGE_TYPE = 0x03,
  MESSAGE_OLD_FILL = 0x04,
  MESSAGE_FILL = 0x05,
  MESSAGE_LAYOUT = 0x08,
  MESSAGE_FILTERS = 0x0b,
  MESSAGE_ATTRIBUTE = 0x0c,
  MESSAGE_COMMENT = 0x0d,
  MESSAGE_OLD_TIME = 0x0e,
  MESSAGE_CONTINUATION = 0x10,
  MESSAGE_SYMBOLS = 0x11,
  MESSAGE_TIME = 0x12,
};

static check_message *slot_of(check_header *header, unsigned type) {
  switch (type) {
  case MESSAGE_SPACE:
    return &header->space;
  case MESSAGE_TYPE:
    return &header->type;
  case MESSAGE_OLD_FILL:
    return &header->old_fill;
  case MESSAGE_FILL:
    return &header->fill;
  case MESSAGE_LAYOUT:
    return &header->layout;
  case MESSAGE_FILTERS:
    return &header->filters;
  case MESSAGE_SYMBOLS:
    return &header->symbols;
  default:
    return NULL;
  }
}

static bool is_passed_over(unsigned type) {
  return type == MESSAGE_NIL || type == MESSAGE_ATTRIBUTE || type == MESSAGE_COMMENT ||
         type == MESSAGE_OLD_TIME || type == MESSAGE_TIME;
}

/* One message; a continuation tells of the block that is read next. */
static scree_status take_message(const check_source *source, const char *path, unsigned type,
                                 unsigned flags, check_message message, check_header *header,
                                 uint64_t *next, uint64_t *next_size) {
  check_message *slot = slot_of(header, type);
  if (type == MESSAGE_CONTINUATION) {
    if (message.size < 16 || *next != CHECK_UNDEFINED)
      return check_fail(source, path, "its header is continued in a wrong way");
    *next = check_number(message.data, 8);
    *next_size = check_number(message.data + 8, 8);
    return SCREE_OK;
  }
  if (!slot && !is_passed_over(type))
    return check_fail(source, path,
                      "is not stored in HDF5's earliest format, the default of libfclib and h5py");
  if (slot && (slot->data || (flags & ~5u)))
    return check_fail(source, path, "its header says something twice or elsewhere");
  if (slot) *slot = message;
  if (type == MESSAGE_ATTRIBUTE && header->attribute_count < CHECK_ATTRIBUTES)
    header->attribute[header->attribute_count++] = message;
  return SCREE_OK;
}

/* Messages of one block: type 2, size 2, flags 1, reserved 3, then the data, a multiple of 8. */
static scree_status take_block(const check_source *source, const char *path,
                               const unsigned char *block, size_t size, check_header *header,
                               size_t *messages, uint64_t *next, uint64_t *next_size) {
  *next = CHECK_UNDEFINED;
  *next_size = 0;
  for (size_t at = 0; at + 8 <= size;) {
    const unsigned type = (unsigned)check_number(block + at, 2);
    const size_t length = (size_t)check_number(block + at + 2, 2);
    if (length % 8 || length > size - at - 8)
      return check_fail(source, path, "its header is damaged");
    const scree_status status =
        take_message(source, path, type, block[at + 4], (check_message){block + at + 8, length},
                     header, next, next_size);
    if (status) return status;
    at += 8 + length;
    (*messages)++;
  }
  return size % 8 ? check_fail(source, path, "its header is damaged") : SCREE_OK;
}

static scree_status read_header(const check_source *source, const char *path, uint64_t address,
                                check_header *header) {
  unsigned char prefix[16];
  *header = (check_header){0};
  if (!check_get(source, address, sizeof prefix, prefix))
    return check_fail(source, path, "its header is outside the file");
  if (prefix[0] != 1)
    return check_fail(source, path,
                      "is not stored in HDF5's earliest format, the default of libfclib and h5py");
  const size_t expected = (size_t)check_number(prefix + 2, 2);
  uint64_t at = address + sizeof prefix, size = check_number(prefix + 8, 4);
  size_t messages = 0;
  for (int k = 0; at != CHECK_UNDEFINED; k++) {
    if (k == CHECK_BLOCKS || size > MAX_HEADER || !size || !check_inside(source, at, size))
      return check_fail(source, path, "its header is too long or outside the file");
    unsigned char *block = header->block[k] = memory_new(source->context, (size_t)size, 1);
    if (!block) return SCREE_ERROR_MEMORY;
    if (!check_get(source, at, (size_t)size, block))
      return check_fail(source, path, "its header cannot be read");
    uint64_t next, next_size;
    const scree_status status =
        take_block(source, path, block, (size_t)size, header, &messages, &next, &next_size);
    if (status) return status;
    at = next;
    size = next_size;
  }
  if (messages != expected)
    return check_fail(source, path, "its header has not as many messages as it says");
  return SCREE_OK;
}

/* ---- groups -----------------------------------------------------------------------------------
 */

/* Free blocks of a heap form a list: offset of the next (1: none) and size. HDF5 follows it. */
static bool is_free_list_sound(const unsigned char *heap, size_t size, uint64_t at) {
  for (size_t steps = 0; at != 1; steps++) {
    if (steps > size / 16 || at % 8 || size < 16 || at > size - 16) return false;
    const uint64_t length = check_number(heap + at + 8, 8);
    if (length < 16 || length > size - at) return false;
    at = check_number(heap + at, 8);
  }
  return true;
}

static scree_status read_heap(const check_source *source, uint64_t address, group *g) {
  unsigned char head[32];
  if (!check_get(source, address, sizeof head, head) || memcmp(head, "HEAP", 4) != 0 || head[4])
    return check_fail(source, g->path, "the names of this group are damaged");
  const uint64_t size = check_number(head + 8, 8), data = check_number(head + 24, 8);
  if (!size || size > MAX_HEAP || !check_inside(source, data, size))
    return check_fail(source, g->path, "the names of this group are outside the file");
  g->heap = memory_new(source->context, (size_t)size, 1);
  if (!g->heap) return SCREE_ERROR_MEMORY;
  g->heap_size = (size_t)size;
  if (!check_get(source, data, g->heap_size, g->heap) ||
      !is_free_list_sound(g->heap, g->heap_size, check_number(head + 16, 8)))
    return check_fail(source, g->path, "the names of this group are damaged");
  return SCREE_OK;
}

/* Null: not a terminated string inside the heap. */
static const char *heap_name(const group *g, uint64_t offset) {
  if (offset >= g->heap_size || !memchr(g->heap + offset, 0, g->heap_size - (size_t)offset))
    return NULL;
  return (const char *)g->heap + offset;
}

/* Of the links in the root only those that a problem is read from are checked. */
static bool is_ours(const group *g, const char *name) {
  static const char *const TOP[] = {
      "fclib_local", "fclib_global", "fclib_local_rolling", "fclib_global_rolling", "solution",
      "guesses",     "scree_ccp"};
  if (g->depth > 0) return true;
  for (size_t k = 0; k < sizeof TOP / sizeof *TOP; k++)
    if (strcmp(name, TOP[k]) == 0) return true;
  return false;
}

static scree_status visit_entry(walk *w, const group *g, const unsigned char *entry) {
  char path[MAX_PATH_BYTES];
  const char *name = heap_name(g, check_number(entry, 8));
  const uint64_t cache = check_number(entry + 16, 4);
  if (!name || !*name || cache > 2)
    return check_fail(w->source, g->path, "a member of this group is damaged");
  if ((!w->visitor && !is_ours(g, name)) || g->depth >= MAX_DEPTH) return SCREE_OK;
  const int length = snprintf(path, sizeof path, "%s/%s", g->depth ? g->path : "", name);
  if (length < 0 || (size_t)length >= sizeof path)
    return check_fail(w->source, g->path, "a member of this group has a name too long");
  if (cache == 2) { /* a soft link: the reader names and refuses it, its target is not followed */
    if (!heap_name(g, check_number(entry + 24, 4)))
      return check_fail(w->source, path, "the link is damaged");
    return SCREE_OK;
  }
  return visit_object(w, path, g->depth + 1, check_number(entry + 8, 8), entry);
}

static scree_status visit_symbols(walk *w, const group *g, uint64_t address) {
  unsigned char head[8], entry[ENTRY];
  if (!check_get(w->source, address, sizeof head, head) || memcmp(head, "SNOD", 4) != 0 ||
      head[4] != 1 || !check_inside(w->source, address, 8 + 2 * w->leaf_k * ENTRY))
    return check_fail(w->source, g->path, "the members of this group are damaged");
  const size_t count = (size_t)check_number(head + 6, 2);
  if (count > 2 * w->leaf_k)
    return check_fail(w->source, g->path, "the members of this group are more than fit");
  for (size_t k = 0; k < count; k++) {
    check_get(w->source, address + 8 + k * ENTRY, ENTRY, entry);
    const scree_status status = visit_entry(w, g, entry);
    if (status) return status;
  }
  return SCREE_OK;
}

/* A node: "TREE", type 0, level, entries, left, right, then key, child, key, child, …, key; keys
 * are names. */
static bool read_node(const walk *w, const group *g, uint64_t address, int level,
                      unsigned char *head) {
  const size_t size = 24 + (2 * w->internal_k + 1) * 8 + 2 * w->internal_k * 8;
  if (!check_get(w->source, address, 24, head) || memcmp(head, "TREE", 4) != 0 || head[4] != 0 ||
      head[5] > MAX_LEVEL || (level >= 0 && head[5] != level) ||
      !check_inside(w->source, address, size))
    return false;
  const size_t count = (size_t)check_number(head + 6, 2);
  if (count > 2 * w->internal_k || (!count && level >= 0)) return false;
  for (int side = 0; side < 2; side++) {
    const uint64_t sibling = check_number(head + 8 + 8 * side, 8);
    if (sibling != CHECK_UNDEFINED && !check_inside(w->source, sibling, size)) return false;
  }
  for (size_t k = 0; count && k <= count; k++) {
    unsigned char key[8];
    if (!check_get(w->source, address + 24 + 16 * k, sizeof key, key) ||
        !heap_name(g, check_number(key, 8)))
      return false;
  }
  return true;
}

/* Level -1: the root of a tree, which may be empty and of any height. */
static scree_status visit_tree(walk *w, const group *g, uint64_t address, int level) {
  unsigned char head[24], child[8];
  if (++w->objects > MAX_OBJECTS)
    return check_fail(w->source, g->path, "holds too many objects or a cycle");
  if (!read_node(w, g, address, level, head))
    return check_fail(w->source, g->path, "the tree of this group is damaged");
  const size_t count = (size_t)check_number(head + 6, 2);
  for (size_t k = 0; k < count; k++) {
    check_get(w->source, address + 24 + 16 * k + 8, sizeof child, child);
    const uint64_t next = check_number(child, 8);
    const scree_status status =
        head[5] ? visit_tree(w, g, next, head[5] - 1) : visit_symbols(w, g, next);
    if (status) return status;
  }
  return SCREE_OK;
}

static scree_status visit_group(walk *w, const char *path, int depth, const check_header *header,
                                const unsigned char *entry) {
  const check_message *symbols = &header->symbols;
  if (symbols->size < 16 || header->layout.data || header->filters.data)
    return check_fail(w->source, path, "is neither a group nor a dataset");
  const uint64_t tree = check_number(symbols->data, 8), heap = check_number(symbols->data + 8, 8);
  /* A parent may keep a copy of both addresses, and HDF5 uses it. */
  if (check_number(entry + 16, 4) == 1 &&
      (check_number(entry + 24, 8) != tree || check_number(entry + 32, 8) != heap))
    return check_fail(w->source, path, "the group is described in two ways");
  group g = {.path = path, .depth = depth};
  scree_status status = read_heap(w->source, heap, &g);
  if (!status) status = visit_tree(w, &g, tree, -1);
  memory_free(w->source->context, g.heap);
  return status;
}

static scree_status visit_object(walk *w, const char *path, int depth, uint64_t address,
                                 const unsigned char *entry) {
  check_header header = {0};
  if (++w->objects > MAX_OBJECTS)
    return check_fail(w->source, path, "the file holds too many objects or a cycle");
  unsigned char mark[4];
  if (w->visitor && check_get(w->source, address, sizeof mark, mark) && !memcmp(mark, "OHDR", 4))
    return w->visitor->newer(w->visitor->user, w->source, path, depth, address);
  scree_status status = read_header(w->source, path, address, &header);
  if (!status && header.symbols.data && w->visitor)
    status = w->visitor->object(w->visitor->user, w->source, path, &header);
  if (!status && header.symbols.data)
    status = visit_group(w, path, depth, &header, entry);
  else if (!status && check_number(entry + 16, 4) == 1)
    status = check_fail(w->source, path, "is listed as a group and is none");
  else if (!status)
    status = check_dataset(w->source, path, &header);
  if (!status && w->visitor && !header.symbols.data)
    status = w->visitor->object(w->visitor->user, w->source, path, &header);
  for (int k = 0; k < CHECK_BLOCKS; k++) memory_free(w->source->context, header.block[k]);
  return status;
}

scree_status check_container(const check_source *source) {
  return check_walk(source, NULL);
}

scree_status check_walk(const check_source *source, const check_visitor *visitor) {
  unsigned char b[SUPERBLOCK];
  char what[160];
  if (!check_get(source, 0, sizeof b, b) || memcmp(b, "\211HDF\r\n\032\n", 8) != 0)
    return context_fail(source->context, SCREE_ERROR_INPUT,
                        "%s: is not an HDF5 file; problem files are HDF5 in the FCLIB layout",
                        source->name);
  if (b[8] != 0)
    return check_fail(
        source, "superblock",
        "is not of HDF5's earliest format, the default of libfclib and h5py, which "
        "problem files have: `h5repack FILE NEW` writes it so; a recording of a run is for "
        "`scree info`");
  const uint64_t end = check_number(b + 40, 8);
  if (end > source->size) {
    snprintf(what, sizeof what, "the file is truncated: its head says %llu bytes, %zu are there",
             (unsigned long long)end, source->size);
    return check_fail(source, "superblock", what);
  }
  walk w = {.source = source,
            .visitor = visitor,
            .leaf_k = (size_t)check_number(b + 16, 2),
            .internal_k = (size_t)check_number(b + 18, 2)};
  const bool sound = !b[9] && !b[10] && !b[12] && b[13] == 8 && b[14] == 8 && w.leaf_k &&
                     w.leaf_k <= 4096 && w.internal_k && w.internal_k <= 4096 &&
                     !check_number(b + 20, 4) && !check_number(b + 24, 8) &&
                     check_number(b + 32, 8) == CHECK_UNDEFINED &&
                     check_number(b + 48, 8) == CHECK_UNDEFINED;
  if (!sound) return check_fail(source, "superblock", "is damaged or of an unusual kind");
  /* Bytes behind the end that the superblock gives do not count. */
  check_source inside = *source;
  inside.size = (size_t)end;
  w.source = &inside;
  return visit_object(&w, "/", 0, check_number(b + 64, 8), b + 56);
}
