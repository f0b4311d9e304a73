/* The messages of a dataset's header; see hdf5/check.h. */
#include <string.h>

#include "io/hdf5/check.h"

enum {
  CHUNK_K = 32, /* of superblock 0: not stored, HDF5's default */
  MAX_CHUNK_LEVEL = 6,
};

/* Version 1: version, rank, flags, 5 reserved; version 2: version, rank, flags, type. Then sizes,
 * and with flag 1 the largest sizes. */
bool check_space(const check_message *m, check_shape *s) {
  if (m->size < 4 || (m->data[0] != 1 && m->data[0] != 2) || m->data[1] > CHECK_RANK ||
      m->data[2] > 1)
    return false;
  const size_t begin = m->data[0] == 1 ? 8 : 4;
  s->rank = m->data[1];
  if (m->data[0] == 2 && m->data[3] != (s->rank ? 1 : 0)) return false;
  if (m->size < begin + 8u * (size_t)s->rank * (m->data[2] ? 2 : 1)) return false;
  s->count = 1;
  for (int k = 0; k < s->rank; k++) {
    s->size[k] = check_number(m->data + begin + 8 * (size_t)k, 8);
    if (s->size[k] > (uint64_t)1 << 40 || (s->count > (uint64_t)1 << 40)) return false;
    if (m->data[2] && check_number(m->data + begin + 8 * (size_t)(s->rank + k), 8) < s->size[k])
      return false;
    s->count *= s->size[k];
  }
  return s->count <= (uint64_t)1 << 44;
}

enum type_class { CLASS_INTEGER = 0, CLASS_REAL = 1, CLASS_STRING = 3, CLASS_VARIABLE = 9 };

/* class | version << 4, 3 bytes of bits, 4 of size, then by class: integers have offset 2 and
 * precision 2, reals these and the places of their parts. */
bool check_type(const unsigned char *t, size_t size, uint64_t *element) {
  const int version = size >= 8 ? t[0] >> 4 : 0;
  if (version < 1 || version > 3) return false;
  *element = check_number(t + 4, 4);
  const uint64_t bits = 8 * *element;
  switch (t[0] & 15) {
  case CLASS_INTEGER:
    return size >= 12 && *element >= 1 && *element <= 8 && check_number(t + 8, 2) == 0 &&
           check_number(t + 10, 2) == bits;
  case CLASS_REAL:
    return size >= 20 && (*element == 4 || *element == 8) && check_number(t + 8, 2) == 0 &&
           check_number(t + 10, 2) == bits && t[12] + t[13] <= bits && t[14] + t[15] <= bits &&
           t[13] && t[15] && check_number(t + 1, 3) >> 8 < bits;
  case CLASS_STRING:
    return *element >= 1 && *element <= (uint64_t)1 << 24;
  default:
    return false;
  }
}

/* A string of variable length, of single bytes: never read, but it may stand in a file. */
static bool is_variable_string(const check_message *m, uint64_t *element) {
  uint64_t byte = 0;
  if (m->size < 16 || (m->data[0] & 15) != CLASS_VARIABLE || (m->data[1] & 15) != 1) return false;
  const int version = m->data[0] >> 4;
  *element = check_number(m->data + 4, 4);
  return version >= 1 && version <= 3 && *element == 16 &&
         check_type(m->data + 8, m->size - 8, &byte) && byte == 1;
}

/* Size 4 and that many bytes, from `at`; as long as an element or empty. */
static bool is_fill_value(const check_message *m, size_t at, uint64_t element) {
  if (m->size < at + 4) return false;
  const uint64_t size = check_number(m->data + at, 4);
  return size == 0 || (size == element && size <= m->size - at - 4);
}

static bool is_fill_sound(const check_header *h, uint64_t element) {
  const check_message *m = &h->fill;
  if (h->old_fill.data && !is_fill_value(&h->old_fill, 0, element)) return false;
  if (!m->data) return true;
  if (m->size < 4) return false;
  switch (m->data[0]) {
  case 1:
    return m->data[1] >= 1 && m->data[1] <= 3 && m->data[2] <= 2 && is_fill_value(m, 4, element);
  case 2:
    return m->data[1] >= 1 && m->data[1] <= 3 && m->data[2] <= 2 && m->data[3] <= 1 &&
           (!m->data[3] || is_fill_value(m, 4, element));
  case 3:
    return (m->data[1] & 3) >= 1 && (m->data[1] & 0xc0) == 0 &&
           (!(m->data[1] & 0x20) || is_fill_value(m, 2, element));
  default:
    return false;
  }
}

/* Version 1: id 2, length of the name 2, flags 2, values 2, the name in eights, values of 4 in
 * pairs. Version 2 has neither name nor padding for the filters of HDF5 itself. */
static bool are_filters_sound(const check_message *m) {
  if (!m->data) return true;
  if (m->size < 8 || m->data[1] > 8 || (m->data[0] != 1 && m->data[0] != 2)) return false;
  const bool old = m->data[0] == 1;
  size_t at = old ? 8 : 2;
  for (int k = 0; k < m->data[1]; k++) {
    if (m->size < at + 8) return false;
    const uint64_t id = check_number(m->data + at, 2);
    const size_t name = old ? (size_t)check_number(m->data + at + 2, 2) : 0;
    const size_t values = (size_t)check_number(m->data + at + (old ? 6 : 4), 2);
    if (id < 1 || id > 3 || name > 64 || name % 8 || values > 16) return false;
    if (name && !memchr(m->data + at + 8, 0, name < m->size - at - 8 ? name : m->size - at - 8))
      return false;
    at += (old ? 8 : 6) + name + 4 * values + (old && values % 2 ? 4 : 0);
    if (at > m->size) return false;
  }
  return true;
}

/* ---- chunks -----------------------------------------------------------------------------------
 */

typedef struct chunks {
  const check_source *source;
  int rank; /* of the dataset */
  uint64_t bytes;
  bool filtered;
  uint64_t limit, found; /* leaves expected and seen */
  check_take take;
  void *user;
} chunks;

/* A node: "TREE", type 1, level, entries, left, right; key: size 4, filter mask 4, rank + 1
 * offsets. */
static bool visit_chunk_tree(chunks *c, uint64_t address, int level) {
  unsigned char head[24], item[8 + 8 * (CHECK_RANK + 1) + 8];
  const size_t key = 8 + 8 * (size_t)(c->rank + 1);
  const size_t size = 24 + 2 * CHUNK_K * (key + 8) + key;
  if (!check_get(c->source, address, sizeof head, head) || memcmp(head, "TREE", 4) != 0 ||
      head[4] != 1 || head[5] > MAX_CHUNK_LEVEL || (level >= 0 && head[5] != level) ||
      !check_inside(c->source, address, size))
    return false;
  const size_t count = (size_t)check_number(head + 6, 2);
  if (!count || count > 2 * CHUNK_K) return false;
  for (int side = 0; side < 2; side++) {
    const uint64_t sibling = check_number(head + 8 + 8 * side, 8);
    if (sibling != CHECK_UNDEFINED && !check_inside(c->source, sibling, size)) return false;
  }
  for (size_t k = 0; k < count; k++) {
    if (!check_get(c->source, address + 24 + k * (key + 8), key + 8, item)) return false;
    const uint64_t child = check_number(item + key, 8), stored = check_number(item, 4);
    if (head[5]) {
      if (c->found > c->limit || !visit_chunk_tree(c, child, head[5] - 1)) return false;
      continue;
    }
    if (!stored || !check_inside(c->source, child, stored) ||
        (!c->filtered && stored != c->bytes) || check_number(item + 4, 4) != 0 ||
        ++c->found > c->limit)
      return false;
    uint64_t offset[CHECK_RANK] = {0};
    for (int r = 0; r < c->rank; r++) offset[r] = check_number(item + 8 + 8 * r, 8);
    if (c->take && !c->take(c->user, offset, child, stored)) return false;
  }
  return true;
}

/* version 3, class 2, rank + 1, address 8, sizes of 4, the last one the element's. */
bool check_chunks(const check_source *source, const check_header *h, const check_shape *s,
                  check_take take, void *user) {
  const check_message *m = &h->layout;
  const size_t ranks = (size_t)s->rank + 1;
  if (s->rank < 1 || m->size < 11 + 4 * ranks || m->data[2] != ranks) return false;
  chunks c = {.source = source,
              .rank = s->rank,
              .bytes = 1,
              .filtered = h->filters.data && h->filters.data[1],
              .limit = 1,
              .take = take,
              .user = user};
  for (size_t k = 0; k < ranks; k++) {
    const uint64_t side = check_number(m->data + 11 + 4 * k, 4);
    if (!side || c.bytes > UINT32_MAX / side) return false;
    c.bytes *= side;
    if (k + 1 < ranks)
      c.limit *= (s->size[k] + side - 1) / side;
    else if (side != s->element)
      return false;
  }
  const uint64_t tree = check_number(m->data + 3, 8);
  if (c.limit == 0) return tree == CHECK_UNDEFINED;
  return tree != CHECK_UNDEFINED && visit_chunk_tree(&c, tree, -1) && c.found == c.limit;
}

/* ---- the dataset ------------------------------------------------------------------------------
 */

static bool is_layout_sound(const check_source *source, const check_header *h,
                            const check_shape *s) {
  const check_message *m = &h->layout;
  const uint64_t bytes = s->count * s->element;
  if (m->size < 8 || m->data[0] != 3) return false;
  if (m->data[1] == 0) return check_number(m->data + 2, 2) == bytes && bytes + 4 <= m->size;
  if (m->data[1] == 2) return check_chunks(source, h, s, NULL, NULL);
  if (m->data[1] != 1 || m->size < 18 || h->filters.data) return false;
  const uint64_t address = check_number(m->data + 2, 8), stored = check_number(m->data + 10, 8);
  if (stored != bytes) return false;
  return bytes == 0 ? address == CHECK_UNDEFINED || check_inside(source, address, 0)
                    : address != CHECK_UNDEFINED && check_inside(source, address, bytes);
}

scree_status check_dataset(const check_source *source, const char *path, const check_header *h) {
  check_shape s = {0};
  if (!h->space.data || !h->type.data || !h->layout.data)
    return check_fail(source, path, "is neither a group nor a dataset");
  if (!check_space(&h->space, &s))
    return check_fail(source, path, "its extent is damaged; 0, 1 or 2 dimensions are expected");
  if (!check_type(h->type.data, h->type.size, &s.element) &&
      !is_variable_string(&h->type, &s.element))
    return check_fail(source, path,
                      "its datatype is damaged; integers, IEEE reals or strings are expected");
  if (!is_fill_sound(h, s.element) || !are_filters_sound(&h->filters))
    return check_fail(source, path,
                      "its header is damaged; filters may be deflate, shuffle and "
                      "fletcher32");
  if (!is_layout_sound(source, h, &s))
    return check_fail(source, path,
                      "its data are not all in the file; they must be stored completely, "
                      "contiguous, compact or in chunks");
  return SCREE_OK;
}
