/* Reading datasets, with suspicion; see hdf5/file.h. */
#include "io/hdf5/file.h"

#ifdef SCREE_WITH_HDF5
#include <math.h>
#include <string.h>

#include "base/memory.h"

enum {
  MAX_TEXT = 1 << 20,
  /* Deflate shrinks by 1032 at most; what claims more is made to exhaust memory. */
  MAX_RATIO = 1100,
  SMALL = 1 << 16,
};

/* A dataset opened for reading, its extent and type known. */
typedef struct opened {
  hid_t set, space, type;
  size_t count;
} opened;

static void close_opened(opened *o) {
  if (o->type >= 0) H5Tclose(o->type);
  if (o->space >= 0) H5Sclose(o->space);
  if (o->set >= 0) H5Dclose(o->set);
}

/* Only filters that every HDF5 has: others would load code at the file's wish. */
static scree_status check_filters(const hdf5_file *file, const char *path, hid_t create) {
  const int filters = H5Pget_nfilters(create);
  for (int i = 0; i < filters; i++) {
    unsigned flags = 0, config = 0;
    size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(create, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
        filter != H5Z_FILTER_FLETCHER32)
      return hdf5_fail(file, path,
                       "is stored with the filter %d; allowed are deflate, shuffle, fletcher32",
                       (int)filter);
  }
  return filters < 0 ? hdf5_fail_library(file, SCREE_ERROR_INPUT, path, "its storage is damaged")
                     : SCREE_OK;
}

static scree_status check_chunks(const hdf5_file *file, const char *path, hid_t create,
                                 double storage, size_t element) {
  hsize_t chunk[2] = {1, 1};
  const int rank = H5Pget_chunk(create, 2, chunk);
  if (rank < 1 || rank > 2) return hdf5_fail(file, path, "its chunks have %d dimensions", rank);
  const double bytes = (double)chunk[0] * (double)(rank > 1 ? chunk[1] : 1) * (double)element;
  if (bytes > MAX_RATIO * storage + SMALL)
    return hdf5_fail(file, path, "its chunks of %.0f bytes exceed what is stored", bytes);
  return check_filters(file, path, create);
}

/* The bytes of all elements must really be in the file: an extent costs nothing to claim. */
static scree_status check_storage(const hdf5_file *file, const char *path, const opened *o) {
  const hid_t create = H5Dget_create_plist(o->set);
  if (create < 0) return hdf5_fail_library(file, SCREE_ERROR_INPUT, path, "its storage is damaged");
  const size_t element = H5Tget_size(o->type);
  const double storage = (double)H5Dget_storage_size(o->set);
  const double bytes = (double)o->count * (double)element;
  const H5D_layout_t layout = H5Pget_layout(create);
  scree_status status = SCREE_OK;
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    status = hdf5_fail(file, path, "is a virtual dataset; its data must be in this file");
  else if (H5Pget_external_count(create) != 0)
    status = hdf5_fail(file, path, "its data are in another file; they must be in this one");
  else if (storage > (double)file->size)
    status =
        hdf5_fail(file, path, "claims %.0f bytes of storage in a file of %zu", storage, file->size);
  else if (bytes > (layout == H5D_CHUNKED ? MAX_RATIO * storage : storage))
    status = hdf5_fail(file, path, "claims %zu elements, but only %.0f bytes are stored", o->count,
                       storage);
  else if (layout == H5D_CHUNKED && o->count)
    status = check_chunks(file, path, create, storage, element);
  H5Pclose(create);
  return status;
}

static scree_status check_extent(const hdf5_file *file, const char *path, opened *o) {
  hsize_t size[2] = {1, 1};
  const H5S_class_t class = H5Sget_simple_extent_type(o->space);
  const int rank = H5Sget_simple_extent_ndims(o->space);
  if ((class != H5S_SCALAR && class != H5S_SIMPLE) || rank < 0 || rank > 2)
    return hdf5_fail(file, path, "has %d dimensions; 1 or 2 are expected", rank);
  if (rank > 0) H5Sget_simple_extent_dims(o->space, size, NULL);
  if (size[1] && size[0] > SIZE_MAX / 64 / size[1])
    return hdf5_fail(file, path, "claims %llu x %llu elements, more than any memory holds",
                     (unsigned long long)size[0], (unsigned long long)size[1]);
  o->count = (size_t)(size[0] * size[1]);
  return SCREE_OK;
}

static scree_status open_dataset(const hdf5_file *file, const char *path, opened *o) {
  *o = (opened){H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, 0};
  scree_status status = hdf5_expect(file, path, HDF5_DATASET);
  if (status) return status;
  o->set = H5Dopen2(file->id, path, H5P_DEFAULT);
  if (o->set >= 0) o->space = H5Dget_space(o->set);
  if (o->set >= 0) o->type = H5Dget_type(o->set);
  if (o->set < 0 || o->space < 0 || o->type < 0)
    status = hdf5_fail_library(file, SCREE_ERROR_INPUT, path, "the dataset is damaged");
  if (!status) status = check_extent(file, path, o);
  if (status) close_opened(o);
  return status;
}

static bool is_one_of(hid_t type, const hid_t *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (H5Tequal(type, list[i]) > 0) return true;
  return false;
}

static bool is_integer(hid_t type) {
  const hid_t list[] = {H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_U32LE, H5T_STD_U64LE,
                        H5T_STD_I16LE, H5T_STD_U16LE, H5T_STD_I8LE,  H5T_STD_U8LE,
                        H5T_STD_I32BE, H5T_STD_I64BE, H5T_STD_U32BE, H5T_STD_U64BE,
                        H5T_STD_I16BE, H5T_STD_U16BE, H5T_STD_I8BE,  H5T_STD_U8BE};
  return is_one_of(type, list, sizeof list / sizeof *list);
}

static bool is_real(hid_t type) {
  const hid_t list[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE};
  return is_one_of(type, list, sizeof list / sizeof *list);
}

scree_status hdf5_count(const hdf5_file *file, const char *path, size_t *count) {
  opened o;
  *count = 0;
  scree_status status = open_dataset(file, path, &o);
  if (status) return status;
  status = check_storage(file, path, &o);
  if (!status) *count = o.count;
  close_opened(&o);
  return status;
}

static scree_status open_numbers(const hdf5_file *file, const char *path, size_t count, bool real,
                                 opened *o) {
  scree_status status = open_dataset(file, path, o);
  if (status) return status;
  if (o->count != count)
    status = hdf5_fail(file, path, "has %zu elements; %zu are expected", o->count, count);
  else if (real && !is_real(o->type))
    status = hdf5_fail(file, path, "is not of real numbers; 32- or 64-bit IEEE is expected");
  else if (!real && !is_integer(o->type))
    status = hdf5_fail(file, path, "is not of integers; 8 to 64 bits are expected");
  else
    status = check_storage(file, path, o);
  if (status) close_opened(o);
  return status;
}

static scree_status read_numbers(const hdf5_file *file, const char *path, size_t count, bool real,
                                 void *out) {
  opened o;
  scree_status status = open_numbers(file, path, count, real, &o);
  if (status) return status;
  if (count && H5Dread(o.set, real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, H5S_ALL, H5S_ALL,
                       H5P_DEFAULT, out) < 0)
    status = hdf5_fail_library(file, SCREE_ERROR_INPUT, path, "its data cannot be read");
  close_opened(&o);
  return status;
}

static scree_status check_reals(const hdf5_file *file, const char *path, size_t count,
                                bool infinite, const double *x) {
  for (size_t i = 0; i < count; i++)
    if (isnan(x[i]) || (!infinite && isinf(x[i])))
      return hdf5_fail(file, path, "element %zu is %s", i, isnan(x[i]) ? "NaN" : "infinite");
  return SCREE_OK;
}

scree_status hdf5_read_extended(const hdf5_file *file, const char *path, size_t count,
                                double *out) {
  const scree_status status = read_numbers(file, path, count, true, out);
  return status ? status : check_reals(file, path, count, true, out);
}

scree_status hdf5_read_reals(const hdf5_file *file, const char *path, size_t count, double *out) {
  const scree_status status = read_numbers(file, path, count, true, out);
  return status ? status : check_reals(file, path, count, false, out);
}

scree_status hdf5_read_integers(const hdf5_file *file, const char *path, size_t count,
                                int64_t *out) {
  return read_numbers(file, path, count, false, out);
}

scree_status hdf5_read_integer(const hdf5_file *file, const char *path, int64_t low, int64_t high,
                               int64_t *out) {
  const scree_status status = read_numbers(file, path, 1, false, out);
  if (status) return status;
  if (*out < low || *out > high)
    return hdf5_fail(file, path, "is %lld; %lld to %lld is allowed", (long long)*out,
                     (long long)low, (long long)high);
  return SCREE_OK;
}

/* The extent is compared with `count` and with the file before memory is taken. */
static scree_status load_numbers(const hdf5_file *file, const char *path, size_t count, bool real,
                                 void **out) {
  opened o;
  *out = NULL;
  scree_status status = open_numbers(file, path, count, real, &o);
  if (status) return status;
  close_opened(&o);
  void *data = memory_new(file->context, count, 8);
  if (!data) return SCREE_ERROR_MEMORY;
  status = read_numbers(file, path, count, real, data);
  if (status)
    memory_free(file->context, data);
  else
    *out = data;
  return status;
}

scree_status hdf5_load_reals(const hdf5_file *file, const char *path, size_t count, size_t used,
                             double **out) {
  void *data;
  *out = NULL;
  scree_status status = load_numbers(file, path, count, true, &data);
  if (!status) status = check_reals(file, path, used, false, data);
  if (status)
    memory_free(file->context, data);
  else
    *out = data;
  return status;
}

scree_status hdf5_load_indices(const hdf5_file *file, const char *path, size_t count, size_t used,
                               int64_t high, uint32_t **out) {
  void *data;
  *out = NULL;
  scree_status status = load_numbers(file, path, count, false, &data);
  const int64_t *wide = data;
  for (size_t i = 0; !status && i < used; i++)
    if (wide[i] < 0 || wide[i] > high)
      status = hdf5_fail(file, path, "element %zu is %lld; 0 to %lld is allowed", i,
                         (long long)wide[i], (long long)high);
  uint32_t *narrow = status ? NULL : memory_new(file->context, count, sizeof *narrow);
  if (!status && !narrow) status = SCREE_ERROR_MEMORY;
  for (size_t i = 0; !status && i < used; i++) narrow[i] = (uint32_t)wide[i];
  memory_free(file->context, data);
  *out = narrow;
  return status;
}

scree_status hdf5_load_string(const hdf5_file *file, const char *path, char **out) {
  opened o;
  *out = NULL;
  scree_status status = open_dataset(file, path, &o);
  if (status) return status;
  const bool is_variable = H5Tis_variable_str(o.type) > 0;
  const size_t size = is_variable ? 0 : H5Tget_size(o.type);
  if (o.count != 1 || H5Tget_class(o.type) != H5T_STRING)
    status = hdf5_fail(file, path, "is not a string");
  else if (is_variable)
    context_log(file->context, SCREE_LOG_WARNING,
                "%s: %s: is a string of variable length and is not read", file->name, path);
  else if (size > MAX_TEXT)
    status = hdf5_fail(file, path, "is a string of %zu bytes; %d are allowed", size, MAX_TEXT);
  else
    status = check_storage(file, path, &o);
  char *text = NULL;
  if (!status) {
    text = memory_new(file->context, size + 1, 1);
    status = text ? SCREE_OK : SCREE_ERROR_MEMORY;
  }
  if (!status && size && H5Dread(o.set, o.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
    status = hdf5_fail_library(file, SCREE_ERROR_INPUT, path, "its data cannot be read");
  close_opened(&o);
  if (status) {
    memory_free(file->context, text);
    return status;
  }
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') *c = '?';
  *out = text;
  return SCREE_OK;
}
#endif
