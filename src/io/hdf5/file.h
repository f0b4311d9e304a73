/* HDF5 with checks: a thin layer that trusts nothing a file says. Objects are named by absolute
 * paths ("/fclib_local/W/p"); every component must be a hard link, so that neither soft nor
 * external links lead astray, and cycles of hard links do no harm as no path is walked by the
 * file's own wishes. Data are read only when datatype, extent and storage are plain and agree with
 * each other and with the size of the file, and before memory is allocated.
 *
 * Messages have the form "FILE: PATH: what; what is allowed". HDF5's own printing is off between
 * open and close. */
#ifndef SCREE_IO_HDF5_FILE_H
#define SCREE_IO_HDF5_FILE_H

#include "base/context.h"
#ifdef SCREE_WITH_HDF5
#include <hdf5.h>

typedef struct hdf5_file {
  scree_context *context;
  const char *name; /* for messages; the caller's */
  hid_t id;
  size_t size; /* bytes */
  H5E_auto2_t old_print;
  void *old_print_data;
} hdf5_file;

enum { HDF5_PATH = 256 };

typedef enum hdf5_object { HDF5_ABSENT, HDF5_GROUP, HDF5_DATASET } hdf5_object;

scree_status hdf5_open(scree_context *context, const char *path, hdf5_file *file);
scree_status hdf5_open_image(scree_context *context, const char *name, const void *bytes,
                             size_t size, hdf5_file *file);
/* A new file in memory, and its bytes to a path (base/fresh.h): HDF5 crashes at times when a disk
 * is full, plain writes fail cleanly. */
scree_status hdf5_create(scree_context *context, const char *name, hdf5_file *file);
scree_status hdf5_save(hdf5_file *file, const char *path, bool sync);
void hdf5_close(hdf5_file *file);

/* context_fail with file and path before, and, for `fail_library`, HDF5's innermost reason behind.
 */
scree_status hdf5_fail(const hdf5_file *file, const char *path, const char *format, ...)
    SCREE_PRINTF(3, 4);
scree_status hdf5_fail_library(const hdf5_file *file, scree_status status, const char *path,
                               const char *what);

/* path = "GROUP/NAME" in HDF5_PATH bytes; returned for use in a call. */
const char *hdf5_join(char *path, const char *group, const char *name);

/* What `path` is; a link that is not hard and an object of another type are faults. */
scree_status hdf5_look(const hdf5_file *file, const char *path, hdf5_object *object);
/* Is there a link of that name in the root? Nothing that it leads to is read. */
bool hdf5_has_name(const hdf5_file *file, const char *path);
/* As hdf5_look, but anything else than `wanted` is a fault. */
scree_status hdf5_expect(const hdf5_file *file, const char *path, hdf5_object wanted);

/* ---- reading ---- */

/* Elements of a dataset of rank 0 (1 element), 1 or 2. */
scree_status hdf5_count(const hdf5_file *file, const char *path, size_t *count);
/* Exactly `count` elements, finite. */
scree_status hdf5_read_reals(const hdf5_file *file, const char *path, size_t count, double *out);
/* As above; infinities are let through, NaN is not. */
scree_status hdf5_read_extended(const hdf5_file *file, const char *path, size_t count, double *out);
scree_status hdf5_read_integers(const hdf5_file *file, const char *path, size_t count,
                                int64_t *out);
/* A single integer within [low, high]. */
scree_status hdf5_read_integer(const hdf5_file *file, const char *path, int64_t low, int64_t high,
                               int64_t *out);
/* New memory for exactly `count` elements, of which the first `used` are verified: finite, or from
 * 0 to `high` (at most UINT32_MAX). */
scree_status hdf5_load_reals(const hdf5_file *file, const char *path, size_t count, size_t used,
                             double **out);
scree_status hdf5_load_indices(const hdf5_file *file, const char *path, size_t count, size_t used,
                               int64_t high, uint32_t **out);
/* A string of fixed length in one element, as new memory; control characters are replaced. One of
 * variable length (in a heap that is not checked) comes back empty, with a warning in the log. */
scree_status hdf5_load_string(const hdf5_file *file, const char *path, char **out);

/* ---- writing ---- */

scree_status hdf5_write_group(const hdf5_file *file, const char *path);
/* columns 0: rank 1 of `rows`; else rank 2. Of type `given` in memory, `stored` in the file. */
scree_status hdf5_write_array(const hdf5_file *file, const char *path, size_t rows, size_t columns,
                              hid_t stored, hid_t given, const void *in);
/* The same, compressed where that is worth it (shuffled bytes, deflate). */
scree_status hdf5_write_packed(const hdf5_file *file, const char *path, size_t rows, size_t columns,
                               hid_t stored, hid_t given, const void *in);
/* `path` of this file is `target` of another, which lies beside it. */
scree_status hdf5_write_link(const hdf5_file *file, const char *path, const char *other,
                             const char *target);
/* The bytes that saving would write. */
size_t hdf5_image_size(const hdf5_file *file);
scree_status hdf5_write_reals(const hdf5_file *file, const char *path, size_t rows, size_t columns,
                              const double *in);
scree_status hdf5_write_int32(const hdf5_file *file, const char *path, size_t count,
                              const int32_t *in);
scree_status hdf5_write_uint32(const hdf5_file *file, const char *path, size_t rows, size_t columns,
                               const uint32_t *in);
scree_status hdf5_write_uint64(const hdf5_file *file, const char *path, size_t count,
                               const uint64_t *in);
scree_status hdf5_write_string(const hdf5_file *file, const char *path, const char *text);

#endif
#endif
