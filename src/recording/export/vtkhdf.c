/* One frame as VTKHDF 1.0, an unstructured grid of vertices or triangles:
 *
 *   /VTKHDF                          attributes Version (1, 0), Type "UnstructuredGrid"
 *   /VTKHDF/NumberOf…                one number each: the grid is one piece
 *   /VTKHDF/Points                   [N, 3]
 *   /VTKHDF/Connectivity, Offsets    cell i has points Connectivity[Offsets[i] … Offsets[i + 1])
 *   /VTKHDF/Types                    1: vertex, 5: triangle
 *   /VTKHDF/PointData or CellData    a dataset per field
 *   /VTKHDF/FieldData                Time (s), Step
 *
 * Surfaces are packed (deflate), and what frames with the same bodies share (Connectivity, Offsets,
 * Types, fields that do not change) stands once in a file of its own, to which the frames have
 * external links: readers follow them by themselves.
 *
 * VTK 9.2 compares Type with its whole length, so that it has no ending zero. Each array carries
 * its unit as an attribute. */
#include "recording/export/export.h"

#ifdef SCREE_WITH_HDF5
#include <stdio.h>
#include <string.h>

#include "io/hdf5/file.h"

enum { CELL_VERTEX = 1, CELL_TRIANGLE = 5 };

static scree_status write_attributes(const hdf5_file *file) {
  static const char type_name[] = "UnstructuredGrid";
  const int64_t version[2] = {1, 0};
  const hsize_t two = 2;
  const hid_t group = H5Gopen2(file->id, "/VTKHDF", H5P_DEFAULT);
  const hid_t pair = H5Screate_simple(1, &two, NULL), one = H5Screate(H5S_SCALAR);
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, sizeof type_name - 1);
  H5Tset_strpad(text, H5T_STR_NULLPAD);
  const hid_t a = H5Acreate2(group, "Version", H5T_STD_I64LE, pair, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t b = H5Acreate2(group, "Type", text, one, H5P_DEFAULT, H5P_DEFAULT);
  const bool ok = H5Awrite(a, H5T_NATIVE_INT64, version) >= 0 && H5Awrite(b, text, type_name) >= 0;
  H5Aclose(a);
  H5Aclose(b);
  H5Tclose(text);
  H5Sclose(one);
  H5Sclose(pair);
  H5Gclose(group);
  return ok ? SCREE_OK
            : hdf5_fail_library(file, SCREE_ERROR_IO, "/VTKHDF", "attributes cannot be written");
}

static scree_status write_unit(const hdf5_file *file, const char *path, const char *unit) {
  if (!*unit) return SCREE_OK;
  const hid_t set = H5Dopen2(file->id, path, H5P_DEFAULT), one = H5Screate(H5S_SCALAR);
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, strlen(unit) + 1);
  const hid_t a = H5Acreate2(set, "unit", text, one, H5P_DEFAULT, H5P_DEFAULT);
  const bool ok = H5Awrite(a, text, unit) >= 0;
  H5Aclose(a);
  H5Tclose(text);
  H5Sclose(one);
  H5Dclose(set);
  return ok ? SCREE_OK : hdf5_fail_library(file, SCREE_ERROR_IO, path, "cannot be written");
}

static scree_status write_field(const hdf5_file *file, const char *group, const export_field *f,
                                size_t count, const void *data, bool packed) {
  char path[HDF5_PATH];
  const hid_t stored[] = {H5T_STD_U32LE, H5T_IEEE_F32LE, H5T_IEEE_F64LE};
  const hid_t given[] = {H5T_NATIVE_UINT32, H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE};
  hdf5_join(path, group, f->name);
  scree_status status = (packed ? hdf5_write_packed : hdf5_write_array)(
      file, path, count, f->components > 1 ? (size_t)f->components : 0, stored[f->type],
      given[f->type], data);
  return status ? status : write_unit(file, path, f->unit);
}

static scree_status write_number(const hdf5_file *file, const char *path, int64_t value) {
  return hdf5_write_array(file, path, 1, 0, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

/* Cells of `corners` points each; `triangle` null: cell i is point i. */
static scree_status write_cells(const hdf5_file *file, size_t cells, size_t corners,
                                const uint32_t *triangle) {
  const size_t ids = cells * corners;
  int64_t *index = memory_new(file->context, (ids > cells ? ids : cells) + 1, sizeof *index);
  uint8_t *type = memory_new(file->context, cells, 1);
  scree_status status = index && type ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) {
    for (size_t i = 0; i < ids; i++) index[i] = triangle ? triangle[i] : (int64_t)i;
    memset(type, triangle ? CELL_TRIANGLE : CELL_VERTEX, cells);
    status = (triangle ? hdf5_write_packed : hdf5_write_array)(
        file, "/VTKHDF/Connectivity", ids, 0, H5T_STD_I64LE, H5T_NATIVE_INT64, index);
    for (size_t i = 0; i <= cells; i++) index[i] = (int64_t)(corners * i);
  }
  if (!status)
    status = (triangle ? hdf5_write_packed : hdf5_write_array)(
        file, "/VTKHDF/Offsets", cells + 1, 0, H5T_STD_I64LE, H5T_NATIVE_INT64, index);
  if (!status)
    status = (triangle ? hdf5_write_packed : hdf5_write_array)(
        file, "/VTKHDF/Types", cells, 0, H5T_STD_U8LE, H5T_NATIVE_UINT8, type);
  memory_free(file->context, index);
  memory_free(file->context, type);
  return status;
}

static scree_status write_counts(const hdf5_file *file, size_t points, size_t cells,
                                 size_t corners) {
  scree_status status = write_number(file, "/VTKHDF/NumberOfPoints", (int64_t)points);
  if (!status) status = write_number(file, "/VTKHDF/NumberOfCells", (int64_t)cells);
  if (!status)
    status = write_number(file, "/VTKHDF/NumberOfConnectivityIds", (int64_t)(cells * corners));
  return status;
}

static scree_status write_frame_data(const hdf5_file *file, const scree_frame *frame) {
  const uint64_t step = frame->step;
  scree_status status = hdf5_write_group(file, "/VTKHDF/FieldData");
  if (!status) status = hdf5_write_reals(file, "/VTKHDF/FieldData/Time", 1, 0, &frame->time);
  if (!status) status = write_unit(file, "/VTKHDF/FieldData/Time", "s");
  if (!status) status = hdf5_write_uint64(file, "/VTKHDF/FieldData/Step", 1, &step);
  return status;
}

static scree_status write_points(const hdf5_file *file, const export_table *table) {
  scree_status status = hdf5_write_reals(file, "/VTKHDF/Points", table->count, 3, table->points);
  if (!status) status = write_counts(file, table->count, table->count, 1);
  if (!status) status = write_cells(file, table->count, 1, NULL);
  if (!status) status = hdf5_write_group(file, "/VTKHDF/PointData");
  for (int i = 0; i < table->field_count && !status; i++)
    status = write_field(file, "/VTKHDF/PointData", &table->field[i], table->count,
                         table->field[i].data, false);
  return status;
}

/* The fields of the bodies that are steady or not, repeated for each of their triangles; where
 * `shapes` is given, steady ones are links into it. */
static scree_status write_cell_fields(const hdf5_file *file, const export_table *table,
                                      const export_surface *s, const char *shapes) {
  char *data = memory_new(file->context, s->triangle_count, 4 * sizeof(double));
  char path[HDF5_PATH];
  scree_status status = data ? hdf5_write_group(file, "/VTKHDF/CellData") : SCREE_ERROR_MEMORY;
  for (int n = 0; n < table->field_count && !status; n++) {
    const export_field *f = &table->field[n];
    const size_t size = (f->type == FIELD_F64 ? 8 : 4) * (size_t)f->components;
    if (f->steady && shapes) {
      hdf5_join(path, "/VTKHDF/CellData", f->name);
      status = hdf5_write_link(file, path, shapes, path);
    }
    if (f->steady == (shapes != NULL)) continue;
    for (size_t i = 0; i < s->triangle_count; i++)
      memcpy(data + size * i, (const char *)f->data + size * s->row[i], size);
    status = write_field(file, "/VTKHDF/CellData", f, s->triangle_count, data, true);
  }
  memory_free(file->context, data);
  return status;
}

static scree_status write_triangles(const hdf5_file *file, const export_table *table,
                                    const export_surface *s, const char *shapes) {
  static const char *const shared[] = {"/VTKHDF/Connectivity", "/VTKHDF/Offsets", "/VTKHDF/Types"};
  scree_status status = hdf5_write_packed(file, "/VTKHDF/Points", s->point_count, 3, H5T_IEEE_F32LE,
                                          H5T_NATIVE_FLOAT, s->point);
  if (!status) status = write_counts(file, s->point_count, s->triangle_count, 3);
  for (int i = 0; i < 3 && !status; i++)
    status = hdf5_write_link(file, shared[i], shapes, shared[i]);
  if (!status) status = write_cell_fields(file, table, s, shapes);
  return status;
}

/* Whole at its place, or counted only. */
static scree_status put(hdf5_file *file, const char *path, bool write, double *bytes) {
  if (bytes) *bytes += (double)hdf5_image_size(file);
  return write ? hdf5_save(file, path, false) : SCREE_OK;
}

scree_status export_vtkhdf_shapes(export_store *store, const char *path, const export_table *table,
                                  const export_surface *surface, bool write, double *bytes) {
  hdf5_file file;
  scree_status status = hdf5_create(store->context, path, &file);
  if (status) return status;
  status = hdf5_write_group(&file, "/VTKHDF");
  if (!status) status = write_cells(&file, surface->triangle_count, 3, surface->triangle);
  if (!status) status = write_cell_fields(&file, table, surface, NULL);
  if (!status) status = put(&file, path, write, bytes);
  hdf5_close(&file);
  return status;
}

scree_status export_vtkhdf(export_store *store, const char *path, const scree_frame *frame,
                           const export_table *table, const export_surface *surface, bool write,
                           double *bytes) {
  hdf5_file file;
  scree_status status = hdf5_create(store->context, path, &file);
  if (status) return status;
  status = hdf5_write_group(&file, "/VTKHDF");
  if (!status) status = write_attributes(&file);
  if (!status)
    status = surface ? write_triangles(&file, table, surface, store->shape_name)
                     : write_points(&file, table);
  if (!status) status = write_frame_data(&file, frame);
  if (!status) status = put(&file, path, write, bytes);
  hdf5_close(&file);
  return status;
}
#endif
