/* Writing datasets: contiguous, little-endian, without time stamps, so that the same problem gives
 * the same bytes on every machine; see hdf5/file.h. */
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

static scree_status write_dataset(const hdf5_file *file, const char *path, hid_t space,
                                  hid_t stored, hid_t given, size_t count, const void *in) {
  const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(create, false);
  const hid_t set = H5Dcreate2(file->id, path, stored, space, H5P_DEFAULT, create, H5P_DEFAULT);
  const bool done =
      set >= 0 && (!count || H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, in) >= 0);
  scree_status status = SCREE_OK;
  if (!done)
    status = hdf5_fail_library(file, SCREE_ERROR_IO, path, "the dataset cannot be written");
  if (set >= 0) H5Dclose(set);
  H5Pclose(create);
  return status;
}

scree_status hdf5_write_array(const hdf5_file *file, const char *path, size_t rows, size_t columns,
                              hid_t stored, hid_t given, const void *in) {
  const hsize_t size[2] = {rows, columns};
  const hid_t space = H5Screate_simple(columns ? 2 : 1, size, NULL);
  const scree_status status =
      write_dataset(file, path, space, stored, given, rows * (columns ? columns : 1), in);
  if (space >= 0) H5Sclose(space);
  return status;
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
  H5Tset_size(type, strlen(text) + 1);
  const scree_status status = write_dataset(file, path, space, type, type, 1, text);
  H5Sclose(space);
  H5Tclose(type);
  return status;
}
#endif
