/* The extensible array that says where the chunks of a growing dataset are; see hdf5/walk.h.
 *
 *   header ─ index block ─┬─ the first chunks
 *                         ├─ data blocks: chunks
 *                         └─ secondary blocks ─ data blocks, large ones in pages
 *
 * Blocks double in size every other level u: level u has 2^(u/2) data blocks (rounded down) of
 * 2^((u+1)/2) * least chunks each. The data blocks of the first levels hang in the index block.
 * Pages that nobody wrote to are not there, which a bit of the secondary block tells. */
#include "io/hdf5/walk.h"

#include <string.h>

#include "base/memory.h"

enum { HEADER = 72, PREFIX = 14, MAX_LEVELS = 64, VISIT_SLACK = 1 << 20, MAX_FAULTS = 1 << 14 };

typedef struct array {
  walk_file *file;
  const char *path;
  walk_chunks *chunks;
  bool broken;      /* a chunk before is not in the file */
  uint64_t index;   /* of the next chunk */
  unsigned faults;  /* blocks that were passed over */
  uint64_t visited; /* bytes; a block may be named twice in a file made to take long */
  unsigned bits, first, least, pointers, page_bits;
  size_t offset_size;
} array;

static scree_status damaged(const array *a) {
  return check_fail(&a->file->source, a->path, "the list of its chunks is damaged");
}

/* With `cut`: chunks that are not in the file leave a hole. One that is has all those before it in
 * front of it, so what lies farther along the list than the file is long is none of ours. */
static scree_status take_what_is_there(array *a, uint64_t address) {
  const check_source *source = &a->file->source;
  walk_chunks *c = a->chunks;
  const uint64_t index = a->index++;
  if (address >= source->size || index > source->size / c->bytes) return SCREE_OK;
  const scree_status status =
      memory_grow(source->context, &c->address, (size_t)index + 1, sizeof *c->address);
  if (status) return status;
  while (c->count < index) c->address[c->count++] = CHECK_UNDEFINED;
  c->address[c->count++] = address;
  return SCREE_OK;
}

/* A block with the places of `elements` chunks cannot be read. */
static scree_status pass_over(array *a, uint64_t elements, scree_status status) {
  if (!a->file->cut || status != SCREE_ERROR_INPUT || ++a->faults > MAX_FAULTS) return status;
  a->index += elements;
  return SCREE_OK;
}

/* Addresses of the next `count` chunks. A killed writer may have named chunks that it never wrote,
 * and some behind the rows that it announced. */
static scree_status take_chunks(array *a, const unsigned char *at, uint64_t count) {
  const check_source *source = &a->file->source;
  a->visited += 8 * count;
  if (a->visited > source->size + VISIT_SLACK) return damaged(a);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t address = check_number(at + 8 * i, 8);
    if (a->file->cut) {
      const scree_status status = take_what_is_there(a, address);
      if (status) return status;
      continue;
    }
    if (address == CHECK_UNDEFINED) {
      a->broken = true;
      continue;
    }
    if (address > source->size + (uint64_t)UINT32_MAX) return damaged(a);
    if (address + a->chunks->bytes > a->file->end) a->file->end = address + a->chunks->bytes;
    if (!check_inside(source, address, a->chunks->bytes)) a->broken = true;
    if (a->broken) continue;
    const scree_status status = memory_grow(source->context, &a->chunks->address,
                                            a->chunks->count + 1, sizeof *a->chunks->address);
    if (status) return status;
    a->chunks->address[a->chunks->count++] = address;
  }
  return SCREE_OK;
}

/* Signature, version 0, class 0 (chunks without filters), address of the header. */
static bool has_prefix(const array *a, const unsigned char *block) {
  return !block[4] && !block[5] && check_number(block + 6, 8) == a->chunks->header;
}

/* `bit`: the first page's, the bits of all data blocks of a secondary block follow each other. */
static scree_status visit_pages(array *a, uint64_t address, uint64_t elements,
                                const unsigned char *used, uint64_t bit) {
  const uint64_t page = (uint64_t)1 << a->page_bits, size = 8 * page + 4;
  const check_source *source = &a->file->source;
  unsigned char *bytes = memory_new(source->context, (size_t)size, 1);
  if (!bytes) return SCREE_ERROR_MEMORY;
  scree_status status = SCREE_OK;
  for (uint64_t i = 0; i < elements / page && !status; i++, bit++, address += size) {
    if (address + size > a->file->end) a->file->end = address + size;
    if (!(used[bit / 8] >> (7 - bit % 8) & 1)) {
      a->broken = true;
      a->index += page;
      continue;
    }
    if (!check_get(source, address, (size_t)size, bytes) ||
        walk_checksum(bytes, (size_t)size - 4) != check_number(bytes + size - 4, 4))
      status = damaged(a);
    else
      status = walk_tell_block(a->file, address, size, bytes);
    status = status ? pass_over(a, page, status) : take_chunks(a, bytes, page);
  }
  memory_free(source->context, bytes);
  return status;
}

/* `used` null: without pages. */
static scree_status visit_data_block(array *a, uint64_t address, uint64_t elements,
                                     const unsigned char *used, uint64_t bit) {
  if (address == CHECK_UNDEFINED) {
    a->broken = true;
    a->index += elements;
    return SCREE_OK;
  }
  const uint64_t size = PREFIX + a->offset_size + (used ? 0 : 8 * elements) + 4;
  unsigned char *block;
  scree_status status = walk_block(a->file, a->path, address, size, "EADB", &block);
  if (status) return pass_over(a, elements, status);
  if (!has_prefix(a, block))
    status = damaged(a);
  else if (used)
    status = visit_pages(a, address + size, elements, used, bit);
  else
    status = take_chunks(a, block + PREFIX + a->offset_size, elements);
  memory_free(a->file->source.context, block);
  return status;
}

static scree_status visit_secondary(array *a, uint64_t address, uint64_t blocks,
                                    uint64_t elements) {
  if (address == CHECK_UNDEFINED) {
    a->broken = true;
    a->index += blocks * elements;
    return SCREE_OK;
  }
  const uint64_t page = (uint64_t)1 << a->page_bits;
  const uint64_t mask = elements > page ? (elements / page + 7) / 8 : 0;
  const uint64_t size = PREFIX + a->offset_size + blocks * mask + 8 * blocks + 4;
  unsigned char *block;
  scree_status status = walk_block(a->file, a->path, address, size, "EASB", &block);
  if (status) return pass_over(a, blocks * elements, status);
  const unsigned char *used = block + PREFIX + a->offset_size, *at = used + blocks * mask;
  if (!has_prefix(a, block)) status = damaged(a);
  for (uint64_t i = 0; i < blocks && !status; i++)
    status = visit_data_block(a, check_number(at + 8 * i, 8), elements, mask ? used : NULL,
                              i * (elements / page));
  memory_free(a->file->source.context, block);
  return status;
}

static scree_status visit_index(array *a, uint64_t address) {
  unsigned log_least = 0, log_pointers = 0;
  while (1u << log_least < a->least) log_least++;
  while (1u << log_pointers < a->pointers) log_pointers++;
  const unsigned levels = 1 + a->bits - log_least, direct = 2 * log_pointers;
  if (levels <= direct || levels > MAX_LEVELS) return damaged(a);
  const uint64_t data_blocks = 2 * ((uint64_t)a->pointers - 1), secondary = levels - direct;
  const uint64_t size = PREFIX + 8 * (a->first + data_blocks + secondary) + 4;
  unsigned char *block;
  scree_status status = walk_block(a->file, a->path, address, size, "EAIB", &block);
  if (status) return status;
  const unsigned char *at = block + PREFIX;
  status = has_prefix(a, block) ? take_chunks(a, at, a->first) : damaged(a);
  at += 8 * a->first;
  for (unsigned u = 0; u < levels && !status; u++) {
    const uint64_t blocks = (uint64_t)1 << (u / 2), elements = (uint64_t)a->least << ((u + 1) / 2);
    if (u >= direct) {
      status = visit_secondary(a, check_number(at, 8), blocks, elements);
      at += 8;
      continue;
    }
    for (uint64_t i = 0; i < blocks && !status; i++, at += 8)
      status = visit_data_block(a, check_number(at, 8), elements, NULL, 0);
  }
  memory_free(a->file->source.context, block);
  return status;
}

/* "EAHD", version, class, size of an element, five parameters, six counts, address of the index
 * block. */
scree_status walk_chunk_array(walk_file *file, const char *path, walk_chunks *chunks) {
  array a = {.file = file, .path = path, .chunks = chunks};
  if (chunks->header == CHECK_UNDEFINED) return SCREE_OK; /* nothing was written */
  unsigned char *block;
  scree_status status = walk_block(file, path, chunks->header, HEADER, "EAHD", &block);
  if (status) return status;
  a.bits = block[7];
  a.first = block[8];
  a.least = block[9];
  a.pointers = block[10];
  a.page_bits = block[11];
  a.offset_size = (a.bits + 7) / 8;
  /* The layout has the same numbers in another order. */
  const unsigned char told[5] = {block[7], block[8], block[10], block[9], block[11]};
  if (block[4] || block[5] || block[6] != 8 || memcmp(told, chunks->shape, 5) != 0 || a.bits < 1 ||
      a.bits > 48 || !a.first || !a.least || (a.least & (a.least - 1)) || a.pointers < 2 ||
      (a.pointers & (a.pointers - 1)) || a.page_bits < 1 || a.page_bits > 20 ||
      a.least > 1u << a.page_bits)
    status = damaged(&a);
  const uint64_t index = check_number(block + 60, 8);
  if (!status && index != CHECK_UNDEFINED) status = visit_index(&a, index);
  memory_free(file->source.context, block);
  return status;
}
