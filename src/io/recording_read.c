/* The reader of recordings. A file is an untrusted thing: extents, ranges and finiteness are
 * checked before anything is handed out. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/recording.h"
#include "model/world.h"

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

struct scree_recording {
  scree_context *context;
  char *path;
  hid_t file;
  uint64_t rows[STREAM_COUNT];
  char version[64];
  uint64_t run;
  char *buffer[STREAM_COUNT];
  size_t room[STREAM_COUNT];
  scree_scene *scene;
  scree_world *world;
  H5E_auto2_t old_print;
  void *old_print_data;
};

static scree_status fault(const scree_recording *r, const char *what) {
  return context_fail(r->context, SCREE_ERROR_INPUT, "%s: %s", r->path, what);
}

static bool read_text(hid_t object, const char *name, char *text, size_t size) {
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

static bool read_number(hid_t object, const char *name, uint64_t *value) {
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
  r->file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (r->file < 0) r->file = H5Fopen(r->path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
  if (r->file < 0 && !is_being_written(r->path)) {
    const hid_t list = recording_access_list(true);
    r->file = H5Fopen(r->path, H5F_ACC_RDONLY, list);
    H5Pclose(list);
  }
  if (r->file < 0)
    return context_fail(r->context, SCREE_ERROR_IO, "%s: it cannot be opened as HDF5", r->path);
  char text[64];
  uint64_t version = 0;
  if (!read_text(r->file, "format", text, sizeof text) || strcmp(text, "scree recording") != 0)
    return fault(r, "it is not a recording of Scree");
  if (!read_number(r->file, "format_version", &version) || version != 1)
    return fault(r, "its format is of a newer Scree");
  if (!read_text(r->file, "scree_version", r->version, sizeof r->version) ||
      !read_number(r->file, "run", &r->run))
    return fault(r, "attributes are missing");
  /* The index first: what it speaks of was written before it. */
  static const int order[] = {STREAM_FRAME_INDEX,    STREAM_FRAME_TIME,    STREAM_STEPS,
                              STREAM_BODY_ID,        STREAM_BODY_POSE,     STREAM_BODY_VELOCITY,
                              STREAM_CONTACT_BODIES, STREAM_CONTACT_VALUES};
  for (int i = 0; i < STREAM_COUNT; i++)
    if (!read_extent(r->file, &recording_streams[order[i]], &r->rows[order[i]]))
      return fault(r, "a dataset is missing or has another form");
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

const char *scree_recording_version(const scree_recording *r) {
  return r->version;
}

static scree_status read_rows(scree_recording *r, int which, uint64_t first, uint64_t count,
                              void *out) {
  const recording_stream *d = &recording_streams[which];
  if (first > r->rows[which] || count > r->rows[which] - first)
    return fault(r, "a frame speaks of rows that are not there");
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
  return ok ? SCREE_OK : fault(r, "rows cannot be read");
}

/* Rows in the buffer of their stream. */
static scree_status load_rows(scree_recording *r, int which, uint64_t first, uint64_t count,
                              const void *pointer) {
  if (first > r->rows[which] || count > r->rows[which] - first)
    return fault(r, "a frame speaks of rows that are not there");
  size_t bytes = (size_t)count * recording_row_size(&recording_streams[which]);
  scree_status status = memory_grow(r->context, &r->buffer[which], &r->room[which], bytes + 8, 1);
  if (!status) status = read_rows(r, which, first, count, r->buffer[which]);
  memcpy((void *)pointer, &r->buffer[which], sizeof r->buffer[which]);
  return status;
}

scree_status scree_recording_get_frame(scree_recording *r, size_t i, scree_frame *frame) {
  uint64_t index[5];
  *frame = (scree_frame){0};
  if (i >= scree_recording_frame_count(r))
    return context_fail(r->context, SCREE_ERROR_ARGUMENT, "%s: no frame %zu; there are %zu",
                        r->path, i, scree_recording_frame_count(r));
  scree_status status = read_rows(r, STREAM_FRAME_INDEX, i, 1, index);
  if (!status) status = read_rows(r, STREAM_FRAME_TIME, i, 1, &frame->time);
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
    if (!isfinite(frame->poses[k])) return fault(r, "a pose is not finite");
  return SCREE_OK;
}

scree_status scree_recording_get_steps(scree_recording *r, size_t first, size_t count,
                                       double *rows) {
  return read_rows(r, STREAM_STEPS, first, count, rows);
}

/* ---- scene ---------------------------------------------------------------------------------- */

enum { ITEM_LIMIT = 10000 };

/* The bytes of /scene/NAME, zero-ended; its path too when `path` is not null. */
static scree_status read_item(scree_recording *r, const char *name, char **bytes, size_t *size,
                              char **path) {
  char text[4096] = "";
  hid_t id = H5Dopen2(r->file, name, H5P_DEFAULT);
  if (id < 0) return fault(r, "a file of the scene is missing");
  hid_t space = H5Dget_space(id), type = H5Dget_type(id);
  hssize_t count = H5Sget_simple_extent_npoints(space);
  bool ok = count >= 0 && count < (hssize_t)1 << 30 && H5Tget_size(type) == 1 &&
            (hsize_t)count == H5Dget_storage_size(id);
  scree_status status = ok ? SCREE_OK : fault(r, "a file of the scene has another form");
  if (!status) {
    *size = (size_t)count;
    *bytes = memory_new(r->context, *size + 1, 1);
    if (!*bytes)
      status = SCREE_ERROR_MEMORY;
    else if (*size && H5Dread(id, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, *bytes) < 0)
      status = fault(r, "a file of the scene cannot be read");
  }
  if (!status && path) {
    read_text(id, "path", text, sizeof text);
    *path = memory_new(r->context, strlen(text) + 1, 1);
    if (*path)
      strcpy(*path, text);
    else
      status = SCREE_ERROR_MEMORY;
  }
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(id);
  return status;
}

typedef struct scene_items {
  uint64_t files, sets;
  char **paths, **bytes, **texts;
  size_t *sizes;
} scene_items;

static scree_status read_items(scree_recording *r, scene_items *items) {
  hid_t group = H5Gopen2(r->file, "/scene", H5P_DEFAULT);
  bool ok = group >= 0 && read_number(group, "files", &items->files) &&
            read_number(group, "sets", &items->sets) && items->files > 0 &&
            items->files < ITEM_LIMIT && items->sets < ITEM_LIMIT;
  if (group >= 0) H5Gclose(group);
  if (!ok) {
    items->files = items->sets = 0;
    return fault(r, "the scene is missing");
  }
  items->paths = memory_new(r->context, items->files, sizeof *items->paths);
  items->bytes = memory_new(r->context, items->files, sizeof *items->bytes);
  items->sizes = memory_new(r->context, items->files, sizeof *items->sizes);
  items->texts = memory_new(r->context, items->sets, sizeof *items->texts);
  if (!items->paths || !items->bytes || !items->sizes || !items->texts) return SCREE_ERROR_MEMORY;
  scree_status status = SCREE_OK;
  char name[48];
  for (size_t i = 0; i < items->files && !status; i++) {
    snprintf(name, sizeof name, "/scene/file%zu", i);
    status = read_item(r, name, &items->bytes[i], &items->sizes[i], &items->paths[i]);
  }
  for (size_t i = 0; i < items->sets && !status; i++) {
    size_t size;
    snprintf(name, sizeof name, "/scene/set%zu", i);
    status = read_item(r, name, &items->texts[i], &size, NULL);
  }
  return status;
}

static void clear_items(scree_context *context, scene_items *items) {
  for (size_t i = 0; items->paths && i < items->files; i++) memory_free(context, items->paths[i]);
  for (size_t i = 0; items->bytes && i < items->files; i++) memory_free(context, items->bytes[i]);
  for (size_t i = 0; items->texts && i < items->sets; i++) memory_free(context, items->texts[i]);
  memory_free(context, items->paths);
  memory_free(context, items->bytes);
  memory_free(context, items->sizes);
  memory_free(context, items->texts);
}

scree_status recording_read_scene(scree_recording *r, scree_scene **scene) {
  scene_items items = {0};
  *scene = NULL;
  scree_status status = read_items(r, &items);
  if (!status) {
    scree_scene_def def = scree_scene_def_default();
    def.set_count = items.sets;
    def.sets = (const char *const *)items.texts;
    status = scree_scene_load_files(r->context, items.files, (const char *const *)items.paths,
                                    (const char *const *)items.bytes, items.sizes, &def, scene);
  }
  clear_items(r->context, &items);
  return status;
}

uint64_t recording_run(const scree_recording *r) {
  return r->run;
}

scree_status scree_recording_get_scene(scree_recording *r, scree_scene **scene,
                                       scree_world **world) {
  scree_status status = SCREE_OK;
  if (!r->scene) status = recording_read_scene(r, &r->scene);
  if (!status && !r->world) status = scree_scene_build(r->scene, &r->world);
  *scene = r->scene;
  *world = r->world;
  return status;
}

const scree_shape *scree_recording_shape(const scree_recording *r, uint32_t shape) {
  if (!r->world || shape == 0 || shape > r->world->shape_count) return NULL;
  return r->world->shape[shape - 1];
}

#endif
