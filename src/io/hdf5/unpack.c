/* Recordings of HDF5's earliest layout; see hdf5/walk.h.
 *
 * hdf5/check.c walks through the file and finds each object sound before it is handed out here. Its
 * data are copied, row after row, to a file without a name: chunks are put to their places after
 * their filters (deflate, shuffle, fletcher32) were undone, the last one first. */
#include "base/memory.h"
#include "io/hdf5/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SCREE_WITH_ZLIB
#include <zlib.h>
#endif

enum { MAX_FILTERS = 8, PIECE = 1 << 20, MAX_CHUNK = 1 << 27, MAX_RATIO = 1040 /* of deflate */ };
enum { FILTER_DEFLATE = 1, FILTER_SHUFFLE = 2, FILTER_FLETCHER = 3 };

typedef struct unpacker {
  walk_file *file;
  int target;
  uint64_t end; /* of what was written */
  bool full;    /* writing failed */
} unpacker;

static bool put(unpacker *u, uint64_t at, const unsigned char *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = pwrite(u->target, bytes + done, size - done, (off_t)(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) u->full = true;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

/* ---- filters -------------------------------------------------------------------------------- */

/* Of big-endian words of 16 bits, as HDF5 computes it. */
static uint32_t fletcher(const unsigned char *p, size_t size) {
  uint64_t a = 0, b = 0;
  for (size_t i = 0; i < size; i += 2) {
    a = (a + ((unsigned)p[i] << 8 | (i + 1 < size ? p[i + 1] : 0u))) % 65535;
    b = (b + a) % 65535;
  }
  return (uint32_t)(b << 16 | a);
}

/* Sums of 0 and of 65535 are the same. */
static bool is_fletcher_right(const unsigned char *p, size_t size) {
  const uint32_t right = fletcher(p, size), told = (uint32_t)check_number(p + size, 4);
  return (told & 0xffff) % 65535 == (right & 0xffff) && (told >> 16) % 65535 == right >> 16;
}

static void unshuffle(const unsigned char *in, size_t size, size_t element, unsigned char *out) {
  const size_t count = size / element;
  for (size_t k = 0; k < element; k++)
    for (size_t i = 0; i < count; i++) out[i * element + k] = in[k * count + i];
  memcpy(out + count * element, in + count * element, size - count * element);
}

static bool inflate_all(const unsigned char *in, size_t size, unsigned char *out, size_t *room) {
#ifdef SCREE_WITH_ZLIB
  uLongf made = (uLongf)*room;
  if (uncompress(out, &made, in, (uLong)size) != Z_OK) return false;
  *room = (size_t)made;
  return true;
#else
  (void)in, (void)size, (void)out, (void)room;
  return false;
#endif
}

/* The filters' numbers in the order in which they were applied; check_dataset found the message
 * sound. */
static int list_filters(const check_message *m, int filter[MAX_FILTERS]) {
  if (!m->data) return 0;
  const bool old = m->data[0] == 1;
  size_t at = old ? 8 : 2;
  for (int k = 0; k < m->data[1]; k++) {
    const size_t name = old ? (size_t)check_number(m->data + at + 2, 2) : 0;
    const size_t values = (size_t)check_number(m->data + at + (old ? 6 : 4), 2);
    filter[k] = (int)check_number(m->data + at, 2);
    at += (old ? 8 : 6) + name + 4 * values + (old && values % 2 ? 4 : 0);
  }
  return m->data[1];
}

/* ---- a dataset ------------------------------------------------------------------------------ */

typedef struct copy {
  unpacker *u;
  const check_source *source;
  check_shape shape;
  uint64_t chunk_rows, chunk_bytes;
  uint64_t address; /* in the target */
  int filter[MAX_FILTERS], filters;
  unsigned char *a, *b; /* room for a chunk, and what filters add, each */
  size_t room;
  unsigned char *seen; /* of each chunk */
} copy;

static uint64_t row_bytes(const copy *c) {
  return (c->shape.rank > 1 ? c->shape.size[1] : 1) * c->shape.element;
}

/* Undoes the filters of what is in `a`, which has it afterwards. */
static bool undo_filters(copy *c, size_t size) {
  for (int k = c->filters; k-- > 0;) {
    if (c->filter[k] == FILTER_FLETCHER) {
      if (size < 4 || !is_fletcher_right(c->a, size - 4)) return false;
      size -= 4;
      continue;
    }
    size_t made = c->room;
    if (c->filter[k] == FILTER_DEFLATE ? !inflate_all(c->a, size, c->b, &made) : false)
      return false;
    if (c->filter[k] == FILTER_SHUFFLE)
      unshuffle(c->a, made = size, (size_t)c->shape.element, c->b);
    unsigned char *other = c->a;
    c->a = c->b;
    c->b = other;
    size = made;
  }
  return size == c->chunk_bytes;
}

static bool take_chunk(void *user, const uint64_t offset[CHECK_RANK], uint64_t address,
                       uint64_t stored) {
  copy *c = user;
  const uint64_t number = offset[0] / c->chunk_rows;
  if (offset[0] % c->chunk_rows || offset[0] >= c->shape.size[0] ||
      (c->shape.rank > 1 && offset[1]) || c->seen[number]++ || stored > c->room ||
      !check_get(c->source, address, (size_t)stored, c->a) || !undo_filters(c, (size_t)stored))
    return false;
  const uint64_t left = c->shape.size[0] - offset[0];
  const uint64_t rows = left < c->chunk_rows ? left : c->chunk_rows;
  return put(c->u, c->address + offset[0] * row_bytes(c), c->a, (size_t)(rows * row_bytes(c)));
}

/* Chunks of whole rows. */
static bool copy_chunks(copy *c, const check_header *h) {
  scree_context *context = c->source->context;
  c->chunk_rows = check_number(h->layout.data + 11, 4);
  c->chunk_bytes = c->chunk_rows * row_bytes(c);
  if ((c->shape.rank > 1 && check_number(h->layout.data + 15, 4) != c->shape.size[1]) ||
      c->chunk_bytes > MAX_CHUNK)
    return false;
  c->room = (size_t)c->chunk_bytes + 1024 + (size_t)c->chunk_bytes / 16;
  c->a = memory_new(context, c->room, 1);
  c->b = memory_new(context, c->room, 1);
  c->seen = memory_new(context, (size_t)((c->shape.size[0] - 1) / c->chunk_rows + 1), 1);
  const bool done = c->a && c->b && c->seen && check_chunks(c->source, h, &c->shape, take_chunk, c);
  memory_free(context, c->a);
  memory_free(context, c->b);
  memory_free(context, c->seen);
  return done;
}

/* Bytes as they are, from one file to the other. */
static bool copy_bytes(unpacker *u, const check_source *source, uint64_t from, uint64_t to,
                       uint64_t bytes) {
  unsigned char *piece = memory_new(source->context, PIECE, 1);
  bool done = piece;
  for (uint64_t at = 0, n; at < bytes && done; at += n) {
    n = bytes - at < PIECE ? bytes - at : PIECE;
    done = check_get(source, from + at, (size_t)n, piece) && put(u, to + at, piece, (size_t)n);
  }
  memory_free(source->context, piece);
  return done;
}

static bool copy_plain(const copy *c, const check_header *h, uint64_t bytes) {
  const unsigned char *m = h->layout.data;
  return m[1] == 0 ? put(c->u, c->address, m + 4, (size_t)bytes)
                   : copy_bytes(c->u, c->source, check_number(m + 2, 8), c->address, bytes);
}

/* Hands on a dataset whose rows are all in the target from its end on, or tells why they are not.
 */
static scree_status hand_on(unpacker *u, const check_source *source, walk_dataset found,
                            bool copied) {
  const uint64_t address = u->end;
  if (!copied)
    return u->full ? context_fail(source->context, SCREE_ERROR_IO,
                                  "%s: there is no room to unpack it: %s; TMPDIR names another "
                                  "place for that",
                                  source->name, strerror(errno))
                   : check_fail(source, found.path,
                                "its data are damaged, or packed in another "
                                "way than by deflate, shuffle and fletcher32");
  u->end += (found.size[0] * found.size[1] * found.type.size + 7) / 8 * 8;
  const bool is_text = found.rank == 1 && found.type.size == 1;
  found.address = is_text ? address : CHECK_UNDEFINED;
  found.chunk = &address;
  found.chunk_rows = is_text ? 0 : found.size[0] + 1;
  found.stored = found.size[0];
  return u->file->dataset ? u->file->dataset(u->file->user, &found) : SCREE_OK;
}

/* More than this file can hold? Chunks may share their bytes. */
static bool is_too_large(const unpacker *u, uint64_t bytes) {
  const uint64_t most = MAX_RATIO * (uint64_t)u->file->source.size;
  return bytes > most || u->end > most - bytes;
}

static scree_status unpack_dataset(unpacker *u, const check_source *source, const char *path,
                                   const check_header *h) {
  copy c = {.u = u, .source = source, .address = u->end};
  if (!check_type(h->type.data, h->type.size, &c.shape.element) ||
      !check_space(&h->space, &c.shape) || !c.shape.rank)
    return SCREE_OK; /* nothing that recordings have */
  const uint64_t bytes = c.shape.count * c.shape.element;
  if (is_too_large(u, bytes)) return check_fail(source, path, "is larger than its file can hold");
  c.filters = list_filters(&h->filters, c.filter);
  const bool copied =
      !bytes || (h->layout.data[1] == 2 ? copy_chunks(&c, h) : copy_plain(&c, h, bytes));
  const walk_dataset found = {.path = path,
                              .type = walk_type_of(h->type.data, c.shape.element),
                              .rank = c.shape.rank,
                              .size = {c.shape.size[0], c.shape.rank > 1 ? c.shape.size[1] : 1}};
  return hand_on(u, source, found, copied);
}

/* ---- objects of the newer kind -------------------------------------------------------------- */

/* h5repack copies a dataset whose filters stay as it is: its header and the index of its chunks are
 * of the newer kind then. */
static scree_status copy_newer(void *user, const walk_dataset *d) {
  unpacker *u = user;
  const check_source *source = &u->file->source;
  const uint64_t row = d->size[1] * d->type.size;
  if (!d->rank) return SCREE_OK;
  bool copied = d->stored == d->size[0];
  if (is_too_large(u, d->stored * row))
    return check_fail(source, d->path, "is larger than its file can hold");
  if (copied && !d->chunk_rows) copied = copy_bytes(u, source, d->address, u->end, d->stored * row);
  for (uint64_t at = 0; d->chunk_rows && at < d->stored && copied; at += d->chunk_rows) {
    const uint64_t n = d->stored - at < d->chunk_rows ? d->stored - at : d->chunk_rows;
    copied = copy_bytes(u, source, d->chunk[at / d->chunk_rows], u->end + at * row, n * row);
  }
  return hand_on(u, source, *d, copied);
}

static scree_status attribute_newer(void *user, const walk_attribute *a) {
  const walk_file *file = ((unpacker *)user)->file;
  return file->attribute ? file->attribute(file->user, a) : SCREE_OK;
}

static scree_status visit_newer(void *user, const check_source *source, const char *path, int depth,
                                uint64_t address) {
  walk_file inner = {
      .source = *source, .dataset = copy_newer, .attribute = attribute_newer, .user = user};
  return walk_object(&inner, path, depth, address);
}

/* ---- the file ------------------------------------------------------------------------------- */

static scree_status visit(void *user, const check_source *source, const char *path,
                          const check_header *header) {
  unpacker *u = user;
  scree_status status = SCREE_OK;
  for (int k = 0; k < header->attribute_count && !status; k++) {
    walk_attribute found = {.path = path};
    const check_message *m = &header->attribute[k];
    if (walk_read_attribute(m->data, m->size, &found) && u->file->attribute)
      status = u->file->attribute(u->file->user, &found);
  }
  if (!status && !header->symbols.data) status = unpack_dataset(u, source, path, header);
  return status;
}

static int open_nameless(void) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  const int length =
      snprintf(path, sizeof path, "%s/scree-XXXXXX", folder && *folder ? folder : "/tmp");
  const int descriptor = length > 0 && (size_t)length < sizeof path ? mkstemp(path) : -1;
  if (descriptor >= 0) unlink(path);
  return descriptor;
}

scree_status unpack_container(walk_file *file, int *target, uint64_t *size) {
  scree_context *context = file->source.context;
  unpacker u = {.file = file, .target = open_nameless()};
  *target = -1;
  if (u.target < 0)
    return context_fail(context, SCREE_ERROR_IO,
                        "%s: no file to unpack it to can be made: %s; TMPDIR names another place",
                        file->source.name, strerror(errno));
  const scree_status status = check_walk(&file->source, &(check_visitor){visit, visit_newer, &u});
  if (status) {
    char what[CONTEXT_MESSAGE_SIZE];
    memcpy(what, context->message, sizeof what);
    what[sizeof what - 200] = '\0'; /* room for the advice */
    close(u.target);
    return status == SCREE_ERROR_INPUT
               ? context_fail(context, status,
                              "%s; where it is only of a layout that is not read, " WALK_MEND, what)
               : status;
  }
  *target = u.target;
  *size = u.end;
  return SCREE_OK;
}
