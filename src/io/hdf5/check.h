/* A check of the structure of an HDF5 file before the library reads it.
 *
 * HDF5 1.10 trusts what it decodes: damaged metadata make it leak, loop and, at times, crash. So
 * the parts of the file that a problem is read from are walked here first, by the published file
 * format: superblock 0, object headers 1, groups as symbol tables (B-tree 1, local heap), datasets
 * of rank 0 to 2 that are contiguous, compact or chunked (deflate, shuffle, fletcher32), of
 * integers, IEEE reals and strings. That is what libfclib, h5py and ourselves write by default.
 * Every address must lie in the file, every count in its node, every chunk be there. What is stored
 * otherwise (superblock 2 and 3, dense groups, virtual or external data) is refused with the advice
 * to rewrite the file by h5repack. */
#ifndef SCREE_IO_HDF5_CHECK_H
#define SCREE_IO_HDF5_CHECK_H

#include "base/context.h"

/* Bytes that take the place of those in the file. */
typedef struct check_patch {
  uint64_t address, size;
  const unsigned char *bytes;
} check_patch;

/* Bytes of a file: an image in memory, or a descriptor to read from. */
typedef struct check_source {
  scree_context *context;
  const char *name; /* for messages */
  const unsigned char *image;
  int descriptor;
  size_t size;
  const check_patch *patches; /* may be null */
  size_t patch_count;
} check_source;

scree_status check_container(const check_source *source);

/* ---- shared by hdf5/check.c, hdf5/check_dataset.c and hdf5/unpack.c ---- */

/* The messages of an object header that matter here; null where there is none. */
typedef struct check_message {
  const unsigned char *data;
  size_t size;
} check_message;

enum { CHECK_BLOCKS = 16, CHECK_ATTRIBUTES = 8, CHECK_RANK = 2 };

typedef struct check_header {
  check_message space, type, fill, old_fill, layout, filters, symbols;
  check_message attribute[CHECK_ATTRIBUTES]; /* the first ones, not looked into */
  int attribute_count;
  unsigned char *block[CHECK_BLOCKS]; /* own what the messages point to */
} check_header;

#define CHECK_UNDEFINED UINT64_MAX

static inline uint64_t check_number(const unsigned char *p, int bytes) {
  uint64_t x = 0;
  for (int k = bytes; k-- > 0;) x = x << 8 | p[k];
  return x;
}

/* How many bytes from `address` on are known: to the end of the file, or of a patch there. */
uint64_t check_left(const check_source *source, uint64_t address);
/* Copies `length` bytes at `address`; false when they are not all in the file or a patch. */
bool check_get(const check_source *source, uint64_t address, size_t length, unsigned char *out);
static inline bool check_inside(const check_source *source, uint64_t address, uint64_t length) {
  return address <= source->size && length <= source->size - address;
}
scree_status check_fail(const check_source *source, const char *path, const char *what);

/* A datatype: integers, IEEE reals, strings of fixed length; its size. */
bool check_type(const unsigned char *type, size_t size, uint64_t *element);
scree_status check_dataset(const check_source *source, const char *path,
                           const check_header *header);

typedef struct check_shape {
  int rank;
  uint64_t size[CHECK_RANK], count, element;
} check_shape;
/* The extent; `element` is left alone. */
bool check_space(const check_message *space, check_shape *shape);

/* A chunk: the place of its first element, and where it is stored. false: it is refused. */
typedef bool (*check_take)(void *user, const uint64_t offset[CHECK_RANK], uint64_t address,
                           uint64_t stored);
/* All chunks of a dataset, whose shape has its element; `take` may be null. */
bool check_chunks(const check_source *source, const check_header *header, const check_shape *shape,
                  check_take take, void *user);

/* As check_container, of any file: each dataset once it was found sound, each group before its
 * members. */
typedef struct check_visitor {
  scree_status (*object)(void *user, const check_source *source, const char *path,
                         const check_header *header);
  /* One whose header is of the newer kind, which is not looked into. */
  scree_status (*newer)(void *user, const check_source *source, const char *path, int depth,
                        uint64_t address);
  void *user;
} check_visitor;
scree_status check_walk(const check_source *source, const check_visitor *visitor);

#endif
