/* Writing datasets: little-endian, without time stamps, so that the same problem gives the same
 * bytes on every machine; contiguous, or packed; see hdf5/file.h. */
#include "io/hdf5/file.h"

#ifdef SCREE_WITH_HDF5
#include <string.h>

scree_status hdf5_write_group(const hdf5_file *file, const char *path) {
  const hid_t create = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(create, false);
  const hid_t group = H5Gcreate2(file->id, path, H5P_DEFAULT, create, H5P_DEFAULT);
  H5Pclose(create);
  if (group < 0)
    return hdf5_fail_library(file, SCREE_ERROR_IO, path, "the group cannot be written");
  H5Gclose(group);
  return SCREE_OK;
}

enum { PACK_FROM = 4096, PACK_BYTES = 1 << 18, PACK_LEVEL = 4 };

/* Chunks of a quarter of a megabyte; small arrays stay as they are. */
static void pack(hid_t create, size_t rows, size_t columns, hid_t stored) {
  const size_t row = H5Tget_size(stored) * (columns ? columns : 1);
  if (rows * row < PACK_FROM) return;
  const size_t fit = PACK_BYTES / row;
  const hsize_t chunk[2] = {fit < 1 ? 1 : fit < rows ? fit : rows, columns};
  H5Pset_chunk(create, columns ? 2 : 1, chunk);
  H5Pset_shuffle(create);
  H5Pset_deflate(create, PACK_LEVEL);
}

static scree_status write_dataset(const hdf5_file *file, const char *path, hid_t space,
                                  hid_t create, hid_t stored, hid_t given, size_t count,
                                  const void *in) {
  H5Pset_obj_track_times(create, false);
  const hid_t set = H5Dcreate2(file->id, path, stored, space, H5P_DEFAULT, create, H5P_DEFAULT);
  const bool done =
      set >= 0 && (!count || H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, in) >= 0);
  scree_status status = SCREE_OK;
  if (!done)
    status = hdf5_fail_library(file, SCREE_ERROR_IO, path, "the dataset cannot be written");
  if (set >= 0) H5Dclose(set);
  return status;
}

static scree_status write_rows(const hdf5_file *file, const char *path, size_t rows, size_t columns,
                               hid_t stored, hid_t given, const void *in, bool packed) {
  const hsize_t size[2] = {rows, columns};
  const hid_t space = H5Screate_simple(columns ? 2 : 1, size, NULL);
  const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
  if (packed) pack(create, rows, columns, stored);
  const scree_status status =
      write_dataset(file, path, space, create, stored, given, rows * (columns ? columns : 1), in);
  H5Pclose(create);
  if (space >= 0) H5Sclose(space);
  return status;
}

scree_status hdf5_write_array(const hdf5_file *file, const char *path, size_t rows, size_t columns,
                              hid_t stored, hid_t given, const void *in) {
  return write_rows(file, path, rows, columns, stored, given, in, false);
}

scree_status hdf5_write_packed(const hdf5_file *file, const char *path, size_t rows, size_t columns,
                               hid_t stored, hid_t given, const void *in) {
  return write_rows(file, path, rows, columns, stored, given, in, true);
}

scree_status hdf5_write_link(const hdf5_file *file, const char *path, const char *other,
                             const char *target) {
  if (H5Lcreate_external(other, target, file->id, path, H5P_DEFAULT, H5P_DEFAULT) < 0)
    return hdf5_fail_library(file, SCREE_ERROR_IO, path, "the link cannot be written");
  return SCREE_OK;
}

size_t hdf5_image_size(const hdf5_file *file) {
  H5Fflush(file->id, H5F_SCOPE_GLOBAL);
  const ssize_t size = H5Fget_file_image(file->id, NULL, 0);
  return size > 0 ? (size_t)size : 0;
}

scree_status hdf5_write_reals(const hdf5_file *file, const char *path, size_t rows, size_t columns,
                              const double *in) {
  return hdf5_write_array(file, path, rows, columns, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, in);
}

scree_status hdf5_write_int32(const hdf5_file *file, const char *path, size_t count,
                              const int32_t *in) {
  return hdf5_write_array(file, path, count, 0, H5T_STD_I32LE, H5T_NATIVE_INT32, in);
}

scree_status hdf5_write_uint32(const hdf5_file *file, const char *path, size_t rows, size_t columns,
                               const uint32_t *in) {
  return hdf5_write_array(file, path, rows, columns, H5T_STD_U32LE, H5T_NATIVE_UINT32, in);
}

scree_status hdf5_write_uint64(const hdf5_file *file, const char *path, size_t count,
                               const uint64_t *in) {
  return hdf5_write_array(file, path, count, 0, H5T_STD_U64LE, H5T_NATIVE_UINT64, in);
}

scree_status hdf5_write_string(const hdf5_file *file, const char *path, const char *text) {
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
  H5Tset_size(type, strlen(text) + 1);
  const scree_status status = write_dataset(file, path, space, create, type, type, 1, text);
  H5Pclose(create);
  H5Sclose(space);
  H5Tclose(type);
  return status;
}
#endif
