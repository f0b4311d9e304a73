/* Superblock, object headers, groups and datasets; see hdf5/walk.h.
 *
 *   superblock ─ root header ─ link messages ─ header of a group or a dataset ─ … */
#include "io/hdf5/walk.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum {
  SUPERBLOCK = 48,
  MAX_BLOCK = 1 << 26, /* of metadata */
  MAX_BLOCKS = 64,     /* of one header */
  MAX_DEPTH = 2,       /* "/bodies/pose" */
  MAX_OBJECTS = 30000,
  MAX_PATH = 200,
  MAX_NAME = 100,
};

enum message_type {
  MESSAGE_NIL = 0x00,
  MESSAGE_SPACE = 0x01,
  MESSAGE_LINK_INFO = 0x02,
  MESSAGE_TYPE = 0x03,
  MESSAGE_FILL = 0x05,
  MESSAGE_LINK = 0x06,
  MESSAGE_LAYOUT = 0x08,
  MESSAGE_GROUP_INFO = 0x0a,
  MESSAGE_ATTRIBUTE = 0x0c,
  MESSAGE_CONTINUATION = 0x10,
  MESSAGE_TIME = 0x12,
  MESSAGE_ATTRIBUTE_INFO = 0x15,
};

/* An object on the way. Links are followed after the header was read through. */
typedef struct object {
  walk_file *file;
  const char *path;
  int depth;
  check_message space, type, layout;
  bool is_group;
  unsigned char *block[MAX_BLOCKS]; /* own what the messages point to */
  struct {
    const unsigned char *data;
    size_t size;
  } * links;
  size_t link_count;
  size_t *objects; /* seen so far, all */
} object;

/* ---- checksum ------------------------------------------------------------------------------- */

static uint32_t turn(uint32_t x, int k) {
  return x << k | x >> (32 - k);
}

uint32_t walk_checksum(const unsigned char *bytes, size_t size) {
  uint32_t s[3];
  static const int mixing[6] = {4, 6, 8, 16, 19, 4}, ending[7] = {14, 11, 25, 16, 4, 14, 24};
  s[0] = s[1] = s[2] = 0xdeadbeefU + (uint32_t)size;
  if (!size) return s[2];
  for (;; bytes += 12, size -= 12) {
    unsigned char word[12] = {0};
    memcpy(word, bytes, size < 12 ? size : 12);
    for (int k = 0; k < 3; k++) s[k] += (uint32_t)check_number(word + 4 * k, 4);
    if (size <= 12) break;
    /* a -= c, a ^= c <<< k, c += b, with the letters moving on by one each time */
    for (int i = 0; i < 6; i++) {
      uint32_t *a = &s[i % 3], *b = &s[(i + 1) % 3], *c = &s[(i + 2) % 3];
      *a -= *c;
      *a ^= turn(*c, mixing[i]);
      *c += *b;
    }
  }
  for (int i = 0; i < 7; i++) {
    uint32_t *c = &s[(i + 2) % 3], *b = &s[(i + 1) % 3];
    *c ^= *b;
    *c -= turn(*b, ending[i]);
  }
  return s[2];
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void reach(walk_file *file, uint64_t address, uint64_t size) {
  if (address + size > file->end) file->end = address + size;
}

scree_status walk_block(walk_file *file, const char *path, uint64_t address, uint64_t size,
                        const char *signature, unsigned char **out) {
  const check_source *source = &file->source;
  *out = NULL;
  if (size < 12 || size > MAX_BLOCK || check_left(source, address) < size)
    return check_fail(source, path,
                      "a part of it is outside the file, which is truncated or damaged");
  unsigned char *block = memory_new(source->context, (size_t)size, 1);
  if (!block) return SCREE_ERROR_MEMORY;
  if (!check_get(source, address, (size_t)size, block) || memcmp(block, signature, 4) != 0 ||
      walk_checksum(block, (size_t)size - 4) != check_number(block + size - 4, 4)) {
    memory_free(source->context, block);
    return check_fail(source, path, "a checksum is wrong: the file is damaged");
  }
  reach(file, address, size);
  const scree_status status = walk_tell_block(file, address, size, block);
  if (status)
    memory_free(source->context, block);
  else
    *out = block;
  return status;
}

static scree_status damaged(const object *o, const char *what) {
  return check_fail(&o->file->source, o->path, what);
}

/* ---- messages ------------------------------------------------------------------------------- */

typedef struct extent {
  int rank;
  uint64_t size[2];
} extent;

/* version 2, rank, flags, type, sizes, and with flag 1 the largest sizes. */
static bool read_space(const unsigned char *m, size_t size, extent *e) {
  if (size < 4 || m[0] != 2 || m[1] > 2 || m[2] > 1 || m[3] != (m[1] ? 1 : 0)) return false;
  e->rank = m[1];
  e->size[0] = e->size[1] = 1;
  if (size < 4 + 8 * (size_t)e->rank * (m[2] ? 2 : 1)) return false;
  for (int k = 0; k < e->rank; k++) {
    e->size[k] = check_number(m + 4 + 8 * k, 8);
    if (e->size[k] > (uint64_t)1 << 44) return false;
    if (m[2] && check_number(m + 4 + 8 * (e->rank + k), 8) < e->size[k]) return false;
  }
  return e->size[1] < 1 << 16;
}

walk_type walk_type_of(const unsigned char *t, uint64_t element) {
  return (walk_type){t[0] & 15, (size_t)element, !(t[1] & 1)};
}

/* version 3, flags, sizes of name, type and space, encoding, then these and the data. */
/* Version, reserved, sizes of name, type and extent (2 each), then these and the data; in version 1
 * each is filled up to eights, in version 3 an encoding stands before the name. */
bool walk_read_attribute(const unsigned char *m, size_t size, walk_attribute *a) {
  if (size < 9 || m[0] < 1 || m[0] > 3 || m[1] || (m[0] == 3 && m[8] > 1)) return false;
  const size_t begin = m[0] == 3 ? 9 : 8, fill = m[0] == 1 ? 7 : 0;
  const size_t name = (size_t)check_number(m + 2, 2), type = (size_t)check_number(m + 4, 2);
  const size_t space = (size_t)check_number(m + 6, 2);
  const size_t type_at = begin + ((name + fill) & ~fill);
  const size_t space_at = type_at + ((type + fill) & ~fill);
  const size_t data_at = space_at + ((space + fill) & ~fill);
  check_shape shape = {0};
  uint64_t element;
  if (!name || name > MAX_NAME || data_at > size || m[begin + name - 1] ||
      !check_type(m + type_at, type, &element) ||
      !check_space(&(check_message){m + space_at, space}, &shape))
    return false;
  if (shape.count > size || element > size || shape.count * element > size - data_at) return false;
  a->name = (const char *)m + begin;
  a->type = walk_type_of(m + type_at, element);
  a->count = (size_t)shape.count;
  a->data = m + data_at;
  return true;
}

static scree_status take_attribute(object *o, const unsigned char *m, size_t size) {
  const walk_file *file = o->file;
  walk_attribute found = {.path = o->path};
  if (!walk_read_attribute(m, size, &found)) return damaged(o, "an attribute is damaged");
  return file->attribute ? file->attribute(file->user, &found) : SCREE_OK;
}

/* version 0, flags, largest index (flag 1), heap, tree, tree by order (flag 2): no heap, no trees.
 */
static bool is_info_sound(const unsigned char *m, size_t size, size_t index) {
  if (size < 2 || m[0] || m[1] > 3) return false;
  const size_t at = 2 + (m[1] & 1 ? index : 0), trees = m[1] & 2 ? 3 : 2;
  if (size < at + 8 * trees) return false;
  for (size_t k = 0; k < trees; k++)
    if (check_number(m + at + 8 * k, 8) != CHECK_UNDEFINED) return false;
  return true;
}

static bool is_group_info_sound(const unsigned char *m, size_t size) {
  return size >= 2 && !m[0] && m[1] <= 3 && size >= 2 + (m[1] & 1 ? 4u : 0u) + (m[1] & 2 ? 4u : 0u);
}

static scree_status keep_once(const object *o, check_message *slot, const unsigned char *data,
                              size_t size) {
  if (slot->data) return damaged(o, "its header says something twice");
  *slot = (check_message){data, size};
  return SCREE_OK;
}

static scree_status take_message(object *o, unsigned type, unsigned flags,
                                 const unsigned char *data, size_t size) {
  if (flags & ~5u) return damaged(o, "its header has shared messages, which recordings have not");
  switch (type) {
  case MESSAGE_NIL:
  case MESSAGE_TIME:
  case MESSAGE_FILL:
    return SCREE_OK;
  case MESSAGE_SPACE:
    return keep_once(o, &o->space, data, size);
  case MESSAGE_TYPE:
    return keep_once(o, &o->type, data, size);
  case MESSAGE_LAYOUT:
    return keep_once(o, &o->layout, data, size);
  case MESSAGE_ATTRIBUTE:
    return take_attribute(o, data, size);
  case MESSAGE_ATTRIBUTE_INFO:
    return is_info_sound(data, size, 2) ? SCREE_OK : damaged(o, "its attributes are elsewhere");
  case MESSAGE_GROUP_INFO:
    return is_group_info_sound(data, size) ? SCREE_OK : damaged(o, "its header is damaged");
  case MESSAGE_LINK_INFO:
    o->is_group = true;
    return is_info_sound(data, size, 8) ? SCREE_OK
                                        : damaged(o, "its members are elsewhere; `h5repack -L -c "
                                                     "1000 -d 0 FILE NEW` puts them in place");
  case MESSAGE_LINK: {
    const scree_status status =
        memory_grow(o->file->source.context, &o->links, o->link_count + 1, sizeof *o->links);
    if (status) return status;
    o->links[o->link_count].data = data;
    o->links[o->link_count++].size = size;
    return SCREE_OK;
  }
  default:
    return damaged(o, "its header has a message that recordings have not");
  }
}

/* ---- object headers ------------------------------------------------------------------------- */

/* The parts of a header: address and size of each. One part may tell of several others. */
typedef struct header_parts {
  uint64_t address[MAX_BLOCKS], size[MAX_BLOCKS];
  int count;
} header_parts;

/* Messages from `at` to `end`: type 1, size 2, flags 1, order 2 (where the flags say so), data.
 * What is left at the end and too small for a message is a gap. */
static scree_status take_block(object *o, const unsigned char *block, size_t at, size_t end,
                               bool ordered, header_parts *parts) {
  const size_t head = ordered ? 6 : 4;
  while (at + head <= end) {
    const unsigned type = block[at];
    const size_t size = (size_t)check_number(block + at + 1, 2);
    if (size > end - at - head) return damaged(o, "its header is damaged");
    const unsigned char *data = block + at + head;
    if (type == MESSAGE_CONTINUATION) {
      if (size < 16) return damaged(o, "its header is continued in a wrong way");
      if (parts->count == MAX_BLOCKS) return damaged(o, "its header has too many parts");
      parts->address[parts->count] = check_number(data, 8);
      parts->size[parts->count++] = check_number(data + 8, 8);
    } else {
      const scree_status status = take_message(o, type, block[at + 3], data, size);
      if (status) return status;
    }
    at += head + size;
  }
  return SCREE_OK;
}

/* "OHDR", version 2, flags, times (0x20), phase change (0x10), size (1 << flags & 3), messages. */
static scree_status read_header(object *o, uint64_t address) {
  unsigned char p[6 + 16 + 4 + 8] = {0};
  const check_source *source = &o->file->source;
  const uint64_t left = check_left(source, address);
  if (!left || !check_get(source, address, left < sizeof p ? (size_t)left : sizeof p, p))
    return damaged(o, "its header is outside the file, which is truncated or damaged");
  if (memcmp(p, "OHDR", 4) != 0 || p[4] != 2 || (p[5] & 0xc0))
    return damaged(o, "its header is damaged");
  const size_t before = 6u + (p[5] & 0x20 ? 16u : 0u) + (p[5] & 0x10 ? 4u : 0u);
  const int width = 1 << (p[5] & 3);
  uint64_t size = check_number(p + before, width < 8 ? width : 8);
  size_t at = before + (size_t)width;
  if (size > MAX_BLOCK) return damaged(o, "its header is too long");
  size += at + 4;
  const bool ordered = (p[5] & 4) != 0;
  const char *signature = "OHDR";
  header_parts parts = {.address = {address}, .size = {size}, .count = 1};
  for (int k = 0; k < parts.count; k++) {
    const uint64_t length = parts.size[k];
    scree_status status =
        walk_block(o->file, o->path, parts.address[k], length, signature, &o->block[k]);
    if (!status) status = take_block(o, o->block[k], at, (size_t)length - 4, ordered, &parts);
    if (status) return status;
    signature = "OCHK";
    at = 4;
  }
  return SCREE_OK;
}

/* ---- datasets ------------------------------------------------------------------------------- */

/* version 4, class 2, flags, rank + 1, width, sizes, index 4 (extensible array), its five
 * parameters, address. Rows are along the first dimension, a chunk has whole rows. */
static scree_status read_chunks(const object *o, walk_dataset *d, walk_chunks *c) {
  const unsigned char *m = o->layout.data;
  const size_t ranks = (size_t)d->rank + 1;
  if (d->rank < 1 || o->layout.size < 5 || m[2] || m[3] != ranks || m[4] < 1 || m[4] > 8 ||
      o->layout.size < 5 + m[4] * ranks + 14)
    return damaged(o, "its layout is damaged or unusual");
  uint64_t side[3] = {1, 1, 1};
  for (size_t k = 0; k < ranks; k++) side[k] = check_number(m + 5 + m[4] * k, m[4]);
  const unsigned char *index = m + 5 + m[4] * ranks;
  const uint64_t row = d->type.size * d->size[1];
  if (side[ranks - 1] != d->type.size || (d->rank == 2 && side[1] != d->size[1]) || !side[0] ||
      !row || side[0] > ((uint64_t)1 << 31) / row || index[0] != 4)
    return damaged(o, "its layout is damaged or unusual");
  c->header = check_number(index + 6, 8);
  c->bytes = side[0] * row;
  memcpy(c->shape, index + 1, sizeof c->shape);
  scree_status status = walk_chunk_array(o->file, o->path, c);
  if (o->file->cut && status == SCREE_ERROR_INPUT) status = SCREE_OK;
  d->chunk = c->address;
  d->chunk_rows = side[0];
  d->stored = d->size[0] / side[0] < c->count ? d->size[0] : c->count * side[0];
  if (d->stored > d->size[0]) d->stored = d->size[0];
  return status;
}

/* version 3 or 4, class 1, address, size. */
static scree_status read_contiguous(const object *o, walk_dataset *d) {
  const unsigned char *m = o->layout.data;
  const uint64_t count = d->size[0] * d->size[1];
  if (o->layout.size < 18 || count > (uint64_t)1 << 38 ||
      check_number(m + 10, 8) != count * d->type.size)
    return damaged(o, "its layout is damaged or unusual");
  d->address = check_number(m + 2, 8);
  d->stored = d->size[0];
  if (!count) return SCREE_OK;
  const bool inside = d->address != CHECK_UNDEFINED &&
                      check_inside(&o->file->source, d->address, count * d->type.size);
  if (!inside && o->file->cut) {
    d->address = CHECK_UNDEFINED;
    return SCREE_OK;
  }
  if (!inside) return damaged(o, "its data are not all in the file, which is truncated or damaged");
  reach(o->file, d->address, count * d->type.size);
  return SCREE_OK;
}

static scree_status visit_dataset(const object *o) {
  walk_file *file = o->file;
  extent e;
  uint64_t element = 0;
  const check_message *layout = &o->layout;
  if (!o->space.data || !o->type.data || !layout->data || o->link_count)
    return damaged(o, "is neither a group nor a dataset");
  if (!read_space(o->space.data, o->space.size, &e))
    return damaged(o, "its extent is damaged; 0, 1 or 2 dimensions are expected");
  if (!check_type(o->type.data, o->type.size, &element))
    return damaged(o, "its datatype is damaged; integers, IEEE reals or strings are expected");
  walk_dataset d = {.path = o->path,
                    .type = walk_type_of(o->type.data, element),
                    .rank = e.rank,
                    .size = {e.size[0], e.size[1]},
                    .address = CHECK_UNDEFINED};
  const unsigned char *m = layout->data;
  walk_chunks chunks = {0};
  scree_status status;
  if (layout->size >= 2 && (m[0] == 3 || m[0] == 4) && m[1] == 1)
    status = read_contiguous(o, &d);
  else if (layout->size >= 2 && m[0] == 4 && m[1] == 2)
    status = read_chunks(o, &d, &chunks);
  else
    status = damaged(o, "its layout is damaged or unusual");
  if (!status && file->dataset) status = file->dataset(file->user, &d);
  memory_free(file->source.context, chunks.address);
  return status;
}

/* ---- groups --------------------------------------------------------------------------------- */

static scree_status visit(walk_file *file, const char *path, int depth, uint64_t address,
                          size_t *objects);

/* version 1, flags, type (8), order (4), encoding (0x10), length of the name (1 << flags & 3),
 * name, address. */
static scree_status visit_link(const object *o, const unsigned char *m, size_t size) {
  char path[MAX_PATH];
  size_t at = 2;
  if (size < 3 || m[0] != 1 || (m[1] & 0xe0)) return damaged(o, "a link is damaged");
  if (m[1] & 8) {
    if (m[at]) return damaged(o, "a link leads elsewhere; recordings have hard links alone");
    at++;
  }
  at += (m[1] & 4 ? 8u : 0u) + (m[1] & 0x10 ? 1u : 0u);
  const int width = 1 << (m[1] & 3);
  if (size < at + (size_t)width) return damaged(o, "a link is damaged");
  const uint64_t length = check_number(m + at, width);
  at += (size_t)width;
  if (!length || length > MAX_NAME || size - at < length + 8 || memchr(m + at, 0, (size_t)length) ||
      memchr(m + at, '/', (size_t)length))
    return damaged(o, "the name of a link is damaged");
  snprintf(path, sizeof path, "%s/%.*s", o->depth ? o->path : "", (int)length,
           (const char *)m + at);
  for (char *c = path; *c; c++)
    if ((unsigned char)*c < ' ' || (unsigned char)*c > '~') *c = '?';
  const scree_status status =
      visit(o->file, path, o->depth + 1, check_number(m + at + length, 8), o->objects);
  return o->file->cut && status == SCREE_ERROR_INPUT ? SCREE_OK : status;
}

static scree_status visit(walk_file *file, const char *path, int depth, uint64_t address,
                          size_t *objects) {
  object o = {.file = file, .path = path, .depth = depth, .objects = objects};
  scree_context *context = file->source.context;
  if (++*objects > MAX_OBJECTS || depth > MAX_DEPTH)
    return check_fail(&file->source, path, "the file holds too many objects or a cycle");
  scree_status status = read_header(&o, address);
  if (!status && !o.is_group) status = visit_dataset(&o);
  if (!status && o.is_group && (o.space.data || o.type.data || o.layout.data))
    status = damaged(&o, "is a group and a dataset");
  for (size_t i = 0; o.is_group && i < o.link_count && !status; i++)
    status = visit_link(&o, o.links[i].data, o.links[i].size);
  for (int k = 0; k < MAX_BLOCKS; k++) memory_free(context, o.block[k]);
  memory_free(context, o.links);
  return status;
}

scree_status walk_object(walk_file *file, const char *path, int depth, uint64_t address) {
  size_t objects = 0;
  return visit(file, path, depth, address, &objects);
}

/* h5repack and its like write the older kind of file; the text of the attribute stays. */
static bool is_written_anew(const check_source *source) {
  static const char mark[] = "scree recording";
  enum { LOOK = 65536 };
  const size_t size = source->size < LOOK ? source->size : LOOK;
  unsigned char *b = memory_new(source->context, size, 1);
  bool found = false;
  if (b && check_get(source, 0, size, b))
    for (size_t i = 0; i + sizeof mark <= size && !found; i++)
      found = memcmp(b + i, mark, sizeof mark) == 0;
  memory_free(source->context, b);
  return found;
}

bool walk_is_earliest(const check_source *source) {
  unsigned char b[9];
  return check_get(source, 0, sizeof b, b) && memcmp(b, "\211HDF\r\n\032\n", 8) == 0 && !b[8] &&
         is_written_anew(source);
}

scree_status walk_container(walk_file *file) {
  unsigned char b[SUPERBLOCK];
  const check_source *source = &file->source;
  file->end = SUPERBLOCK;
  if (!check_get(source, 0, 9, b) || memcmp(b, "\211HDF\r\n\032\n", 8) != 0)
    return context_fail(source->context, SCREE_ERROR_INPUT,
                        "%s: is not a recording: recordings are HDF5 files", source->name);
  if (b[8] < 2)
    return context_fail(source->context, SCREE_ERROR_INPUT,
                        is_written_anew(source)
                            ? "%s: is a recording of a layout that is not read; " WALK_MEND
                            : "%s: is an HDF5 file, but not a recording of Scree",
                        source->name);
  if (!check_get(source, 0, sizeof b, b))
    return context_fail(source->context, SCREE_ERROR_INPUT, "%s: the file is truncated",
                        source->name);
  if (b[8] > 3 || b[9] != 8 || b[10] != 8 || check_number(b + 12, 8) ||
      check_number(b + 20, 8) != CHECK_UNDEFINED ||
      walk_checksum(b, SUPERBLOCK - 4) != check_number(b + 44, 4))
    return check_fail(source, "superblock", "is damaged or of an unusual kind");
  file->marked = b[11] != 0;
  const uint64_t told = check_number(b + 28, 8);
  /* While somebody writes, the file may be shorter or longer than it was said to be. */
  if (!file->marked && !file->cut && told > source->size)
    return context_fail(source->context, SCREE_ERROR_INPUT,
                        "%s: the file is truncated: its head says %llu bytes, %zu are there",
                        source->name, (unsigned long long)told, source->size);
  size_t objects = 0;
  const scree_status status = walk_tell_block(file, 0, SUPERBLOCK, b);
  if (status) return status;
  return visit(file, "/", 0, check_number(b + 36, 8), &objects);
}
