/* Recordings are read without the HDF5 library. Its trust in what it decodes is one reason (see
 * hdf5/check.h), the other that it cannot read every state that a killed writer leaves.
 *
 * This walks through a file of the newer format and reports what is in it: superblock 2 and 3,
 * object headers 2, groups whose links are in their headers, datasets that are contiguous or in
 * chunks under an extensible array, without filters; attributes in headers. That is what our writer
 * writes. Every block must be in the file and have the checksum that it says.
 *
 * A writer that was killed may leave rows that were announced and never written: a dataset tells
 * how many of its rows are really in the file.
 *
 * `cut` is for whoever saves what is left: objects that are damaged or outside the file are left
 * out, and chunks may be missing between others. */
#ifndef SCREE_IO_HDF5_WALK_H
#define SCREE_IO_HDF5_WALK_H

#include "io/hdf5/check.h"

typedef struct walk_type {
  enum { WALK_INTEGER = 0, WALK_REAL = 1, WALK_STRING = 3 } kind;
  size_t size;
  bool little; /* endian */
} walk_type;

typedef struct walk_dataset {
  const char *path;
  walk_type type;
  int rank;
  uint64_t size[2]; /* extents, 1 beyond the rank */
  uint64_t address; /* contiguous; CHECK_UNDEFINED: in chunks, or nothing is stored */
  /* Addresses of `chunk_rows` rows each, all in the file; with `cut` CHECK_UNDEFINED where one is
   * missing, and some may be in the file in part. */
  const uint64_t *chunk;
  uint64_t chunk_rows; /* 0: contiguous */
  uint64_t stored;     /* rows before the first chunk that is missing, size[0] at most */
} walk_dataset;

typedef struct walk_attribute {
  const char *path, *name; /* of the object, of the attribute */
  walk_type type;
  size_t count; /* of elements */
  const unsigned char *data;
} walk_attribute;

typedef struct walk_file {
  check_source source;
  /* Called for each of them, in the order of the links; a status ends the walk. */
  scree_status (*dataset)(void *user, const walk_dataset *found);
  scree_status (*attribute)(void *user, const walk_attribute *found);
  /* Every block of structure, the superblock first: all but the data. */
  scree_status (*block)(void *user, uint64_t address, uint64_t size, const unsigned char *bytes);
  void *user;
  bool cut;     /* in: take what is there of a file that is damaged */
  bool marked;  /* out: a writer has it open, or was killed */
  uint64_t end; /* out: behind all that is referred to, in the file or not yet */
} walk_file;

scree_status walk_container(walk_file *file);
/* The same of one object and what it holds. */
scree_status walk_object(walk_file *file, const char *path, int depth, uint64_t address);

/* Is it of HDF5's earliest layout? h5repack writes that by default. */
bool walk_is_earliest(const check_source *source);
/* The same walk through such a file, in chunks of whole rows and packed or not. The data are copied
 * to a new file without a name (`target`, the caller closes it; in TMPDIR or /tmp) of that `size`,
 * and the addresses are of that one. */
scree_status unpack_container(walk_file *file, int *target, uint64_t *size);

/* What to do about a recording of a layout that is not read, or not gone on with. */
#define WALK_MEND "`h5repack -L -c 1000 -d 0 FILE NEW` makes one that is (docs/recordings.md)"

/* Hands a block that was read on to the caller. */
static inline scree_status walk_tell_block(const walk_file *file, uint64_t address, uint64_t size,
                                           const unsigned char *bytes) {
  return file->block ? file->block(file->user, address, size, bytes) : SCREE_OK;
}

/* The checksum of HDF5's metadata (lookup3 by Bob Jenkins). */
uint32_t walk_checksum(const unsigned char *bytes, size_t size);

/* ---- shared by hdf5/walk.c, hdf5/walk_chunks.c and hdf5/unpack.c ---- */

/* Of a datatype that check_type found sound. */
walk_type walk_type_of(const unsigned char *type, uint64_t element);
/* All but the path, from its message; false: it is damaged or unusual. */
bool walk_read_attribute(const unsigned char *message, size_t size, walk_attribute *attribute);

/* A whole block with its signature and checksum, as new memory. */
scree_status walk_block(walk_file *file, const char *path, uint64_t address, uint64_t size,
                        const char *signature, unsigned char **block);
typedef struct walk_chunks {
  uint64_t header;        /* address of the extensible array */
  uint64_t bytes;         /* of a chunk */
  unsigned char shape[5]; /* parameters as the layout tells them */
  /* Out: the chunks before the first that is not in the file, or with `cut` to the last that is;
   * the caller frees. */
  uint64_t *address;
  size_t count;
} walk_chunks;
scree_status walk_chunk_array(walk_file *file, const char *path, walk_chunks *chunks);

#endif
