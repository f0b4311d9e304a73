/* The reader of recordings. A file is an untrusted thing: extents, ranges and finiteness are
 * checked before anything is handed out. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/recording_store.h"

#define NAME_OF(name, unit) #name,
#define UNIT_OF(name, unit) unit,
static const char *const column_names[] = {SCREE_STEP_COLUMN_LIST(NAME_OF)};
static const char *const column_units[] = {SCREE_STEP_COLUMN_LIST(UNIT_OF)};

const char *scree_step_column_name(size_t column) {
  return column < SCREE_STEP_COLUMNS ? column_names[column] : "";
}

const char *scree_step_column_unit(size_t column) {
  return column < SCREE_STEP_COLUMNS ? column_units[column] : "";
}

#ifdef SCREE_WITH_HDF5

scree_status recording_fault(const scree_recording *r, const char *what) {
  return context_fail(r->context, SCREE_ERROR_INPUT, "%s: %s", r->path, what);
}

bool recording_text(hid_t object, const char *name, char *text, size_t size) {
  text[0] = 0;
  if (H5Aexists(object, name) <= 0) return false;
  hid_t id = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(id);
  hid_t space = H5Aget_space(id);
  bool ok = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
            H5Tget_size(type) < size && H5Sget_simple_extent_npoints(space) == 1 &&
            H5Aread(id, type, text) >= 0;
  text[size - 1] = 0;
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(id);
  return ok;
}

bool recording_number(hid_t object, const char *name, uint64_t *value) {
  if (H5Aexists(object, name) <= 0) return false;
  hid_t id = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(id);
  hid_t space = H5Aget_space(id);
  bool ok = H5Tget_class(type) == H5T_INTEGER && H5Sget_simple_extent_npoints(space) == 1 &&
            H5Aread(id, H5T_NATIVE_UINT64, value) >= 0;
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(id);
  return ok;
}

/* The number of rows of a stream that has the form it should have. */
static bool read_extent(hid_t file, const recording_stream *s, uint64_t *rows) {
  hid_t id = H5Dopen2(file, s->path, H5P_DEFAULT);
  if (id < 0) return false;
  hid_t space = H5Dget_space(id), type = H5Dget_type(id);
  hsize_t dims[2] = {0, 0};
  int rank = H5Sget_simple_extent_ndims(space);
  bool ok = rank == (s->columns ? 2 : 1) && H5Tget_size(type) == s->size &&
            H5Tget_class(type) == H5Tget_class(recording_type(s)) &&
            H5Sget_simple_extent_dims(space, dims, NULL) == rank &&
            (rank == 1 || dims[1] == (hsize_t)s->columns);
  *rows = dims[0];
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(id);
  return ok;
}

/* A writer holds a lock on the whole file as long as it lives. */
static bool is_being_written(const char *path) {
  struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool held = fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  close(file);
  return held;
}

/* At rest; then as its live or killed writer leaves it; then as one leaves it that was killed after
 * it opened the file to go on and before it said that others may read. */
static scree_status open_file(scree_recording *r) {
  r->live = is_being_written(r->path);
  r->file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (r->file < 0) r->file = H5Fopen(r->path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
  if (r->file < 0 && !r->live) {
    const hid_t list = recording_access_list(true);
    r->file = H5Fopen(r->path, H5F_ACC_RDONLY, list);
    H5Pclose(list);
  }
  if (r->file < 0)
    return context_fail(r->context, SCREE_ERROR_IO, "%s: it cannot be opened as HDF5", r->path);
  char text[64];
  uint64_t version = 0;
  if (!recording_text(r->file, "format", text, sizeof text) || strcmp(text, "scree recording") != 0)
    return recording_fault(r, "it is not a recording of Scree");
  if (!recording_number(r->file, "format_version", &version))
    return recording_fault(r, "it does not say which format it has");
  if (version != RECORDING_VERSION)
    return recording_fault(r, version < RECORDING_VERSION
                                  ? "its format is of an older Scree; run the scene again"
                                  : "its format is of a newer Scree");
  if (!recording_text(r->file, "scree_version", r->version, sizeof r->version) ||
      !recording_number(r->file, "run", &r->run))
    return recording_fault(r, "attributes are missing");
  /* The index first: what it speaks of was written before it. */
  static const int order[] = {STREAM_FRAME_INDEX,   STREAM_FRAME_TIME,    STREAM_STEPS,
                              STREAM_BODY_LIST,     STREAM_BODY_MASS,     STREAM_BODY_ID,
                              STREAM_BODY_POSE,     STREAM_BODY_VELOCITY, STREAM_CONTACT_BODIES,
                              STREAM_CONTACT_VALUES};
  for (int i = 0; i < STREAM_COUNT; i++)
    if (!read_extent(r->file, &recording_streams[order[i]], &r->rows[order[i]]))
      return recording_fault(r, "a dataset is missing or has another form");
  return SCREE_OK;
}

scree_status scree_recording_open(scree_context *context, const char *path,
                                  scree_recording **recording) {
  scree_recording *r = *recording = memory_new(context, 1, sizeof *r);
  if (!r) return SCREE_ERROR_MEMORY;
  r->context = context;
  r->file = -1;
  H5Eget_auto2(H5E_DEFAULT, &r->old_print, &r->old_print_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  r->path = memory_new(context, strlen(path) + 1, 1);
  scree_status status = SCREE_ERROR_MEMORY;
  if (r->path) {
    strcpy(r->path, path);
    status = open_file(r);
  }
  if (status) {
    scree_recording_close(r);
    *recording = NULL;
  }
  return status;
}

void scree_recording_close(scree_recording *r) {
  if (!r) return;
  scree_world_destroy(r->world);
  scree_scene_destroy(r->scene);
  if (r->file >= 0) H5Fclose(r->file);
  H5Eset_auto2(H5E_DEFAULT, r->old_print, r->old_print_data);
  for (int i = 0; i < STREAM_COUNT; i++) memory_free(r->context, r->buffer[i]);
  recording_forget_list(r);
  memory_free(r->context, r->path);
  memory_free(r->context, r);
}

size_t scree_recording_frame_count(const scree_recording *r) {
  uint64_t a = r->rows[STREAM_FRAME_INDEX], b = r->rows[STREAM_FRAME_TIME];
  return (size_t)(a < b ? a : b);
}

size_t scree_recording_step_count(const scree_recording *r) {
  return (size_t)r->rows[STREAM_STEPS];
}

bool scree_recording_is_live(const scree_recording *r) {
  return r->live;
}

const char *scree_recording_version(const scree_recording *r) {
  return r->version;
}

scree_status recording_rows(scree_recording *r, int which, uint64_t first, uint64_t count,
                            void *out) {
  const recording_stream *d = &recording_streams[which];
  if (first > r->rows[which] || count > r->rows[which] - first)
    return recording_fault(r, "a frame speaks of rows that are not there");
  if (!count) return SCREE_OK;
  hsize_t columns = (hsize_t)(d->columns ? d->columns : 1);
  hsize_t start[2] = {first, 0}, size[2] = {count, columns};
  hid_t id = H5Dopen2(r->file, d->path, H5P_DEFAULT);
  hid_t from = H5Dget_space(id), to = H5Screate_simple(d->columns ? 2 : 1, size, NULL);
  bool ok = id >= 0 && H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
            H5Dread(id, recording_type(d), to, from, H5P_DEFAULT, out) >= 0;
  H5Sclose(to);
  H5Sclose(from);
  H5Dclose(id);
  return ok ? SCREE_OK : recording_fault(r, "rows cannot be read");
}

/* Rows in the buffer of their stream. */
static scree_status load_rows(scree_recording *r, int which, uint64_t first, uint64_t count,
                              const void *pointer) {
  if (first > r->rows[which] || count > r->rows[which] - first)
    return recording_fault(r, "a frame speaks of rows that are not there");
  size_t bytes = (size_t)count * recording_row_size(&recording_streams[which]);
  scree_status status = memory_grow(r->context, &r->buffer[which], &r->room[which], bytes + 8, 1);
  if (!status) status = recording_rows(r, which, first, count, r->buffer[which]);
  memcpy((void *)pointer, &r->buffer[which], sizeof r->buffer[which]);
  return status;
}

scree_status scree_recording_get_frame(scree_recording *r, size_t i, scree_frame *frame) {
  uint64_t index[5];
  *frame = (scree_frame){0};
  if (i >= scree_recording_frame_count(r))
    return context_fail(r->context, SCREE_ERROR_ARGUMENT, "%s: no frame %zu; there are %zu",
                        r->path, i, scree_recording_frame_count(r));
  scree_status status = recording_rows(r, STREAM_FRAME_INDEX, i, 1, index);
  if (!status) status = recording_rows(r, STREAM_FRAME_TIME, i, 1, &frame->time);
  if (!status) status = load_rows(r, STREAM_BODY_ID, index[1], index[2], &frame->ids);
  if (!status) status = load_rows(r, STREAM_BODY_POSE, index[1], index[2], &frame->poses);
  if (!status) status = load_rows(r, STREAM_BODY_VELOCITY, index[1], index[2], &frame->velocities);
  if (!status)
    status = load_rows(r, STREAM_CONTACT_BODIES, index[3], index[4], &frame->contact_bodies);
  if (!status) status = load_rows(r, STREAM_CONTACT_VALUES, index[3], index[4], &frame->contacts);
  if (status) return status;
  frame->step = index[0];
  frame->body_count = (size_t)index[2];
  frame->contact_count = (size_t)index[4];
  for (size_t k = 0; k < 7 * frame->body_count; k++)
    if (!isfinite(frame->poses[k])) return recording_fault(r, "a pose is not finite");
  return SCREE_OK;
}

scree_status scree_recording_get_steps(scree_recording *r, size_t first, size_t count,
                                       double *rows) {
  return recording_rows(r, STREAM_STEPS, first, count, rows);
}

scree_status scree_recording_get_times(scree_recording *r, size_t first, size_t count,
                                       double *times) {
  return recording_rows(r, STREAM_FRAME_TIME, first, count, times);
}

#endif
