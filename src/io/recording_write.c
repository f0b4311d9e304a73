/* The writer of recordings: HDF5 in SWMR mode, which orders its writes so that a reader, or whoever
 * comes after a kill, always finds a whole file. */
#include "io/recording.h"

#ifdef SCREE_WITH_HDF5
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/hdf5_walk.h"
#include "io/place.h"
#include "model/world.h"

const recording_stream recording_streams[STREAM_COUNT] = {
    [STREAM_BODY_LIST] = {"/bodies/list", 5, 4, STREAM_U32},
    [STREAM_BODY_MASS] = {"/bodies/mass", 2, 8, STREAM_F64},
    [STREAM_BODY_ID] = {"/bodies/id", 3, 4, STREAM_U32},
    [STREAM_BODY_POSE] = {"/bodies/pose", 7, 8, STREAM_F64},
    [STREAM_BODY_VELOCITY] = {"/bodies/velocity", 6, 4, STREAM_F32},
    [STREAM_CONTACT_BODIES] = {"/contacts/bodies", 2, 4, STREAM_U32},
    [STREAM_CONTACT_VALUES] = {"/contacts/values", 10, 4, STREAM_F32},
    [STREAM_FRAME_INDEX] = {"/frames/index", 5, 8, STREAM_U64},
    [STREAM_FRAME_TIME] = {"/frames/time", 0, 8, STREAM_F64},
    [STREAM_STEPS] = {"/steps", SCREE_STEP_COLUMNS, 8, STREAM_F64},
};

enum { BUFFER_BYTES = 1 << 20, CHUNK_BYTES = 1 << 17 };

typedef struct stream {
  hid_t id;
  uint64_t rows;   /* in the file, of this run */
  uint64_t extent; /* of the dataset, maybe longer after a kill */
  char *buffer;
  size_t used, room; /* rows */
} stream;

struct recorder {
  scree_context *context;
  char *path;
  hid_t file;
  int lock; /* holds off a second writer; a kill gives it back */
  stream streams[STREAM_COUNT];
  recording_counts counts;
  uint32_t *known; /* generation of the body last listed at each place; 0: none */
  size_t known_room;
  bool failed, quiet;
  H5E_auto2_t old_print;
  void *old_print_data;
};

hid_t recording_type(const recording_stream *s) {
  switch (s->type) {
  case STREAM_U32:
    return H5T_NATIVE_UINT32;
  case STREAM_U64:
    return H5T_NATIVE_UINT64;
  case STREAM_F32:
    return H5T_NATIVE_FLOAT;
  default:
    return H5T_NATIVE_DOUBLE;
  }
}

size_t recording_row_size(const recording_stream *s) {
  return s->size * (size_t)(s->columns ? s->columns : 1);
}

static size_t chunk_rows(const recording_stream *d) {
  return CHUNK_BYTES / recording_row_size(d);
}

/* HDF5 keeps the errno only in its text; a full disk is by far the likeliest. */
static scree_status write_fault(recorder *r, const char *what) {
  int reason = errno;
  r->failed = true;
  return context_fail(r->context, SCREE_ERROR_IO,
                      "%s: %s failed%s%s; what was written before is good: make room and resume",
                      r->path, what, reason ? ": " : "", reason ? strerror(reason) : "");
}

/* ---- creation ------------------------------------------------------------------------------- */

static bool write_attribute(hid_t object, const char *name, const char *text) {
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), id = -1;
  H5Tset_size(type, strlen(text) + 1);
  id = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = id >= 0 && H5Awrite(id, type, text) >= 0;
  if (id >= 0) ok = H5Aclose(id) >= 0 && ok;
  H5Sclose(space);
  H5Tclose(type);
  return ok;
}

static bool write_number(hid_t object, const char *name, uint64_t value) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t id = H5Acreate2(object, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = id >= 0 && H5Awrite(id, H5T_NATIVE_UINT64, &value) >= 0;
  if (id >= 0) ok = H5Aclose(id) >= 0 && ok;
  H5Sclose(space);
  return ok;
}

static bool write_bytes(hid_t group, const char *name, const char *path, const char *bytes,
                        size_t size) {
  hsize_t dims = size;
  hid_t space = H5Screate_simple(1, &dims, NULL);
  hid_t id = H5Dcreate2(group, name, H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = id >= 0;
  if (ok && size) ok = H5Dwrite(id, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0;
  if (ok && path) ok = write_attribute(id, "path", path);
  if (id >= 0) ok = H5Dclose(id) >= 0 && ok;
  H5Sclose(space);
  return ok;
}

static bool write_scene(hid_t file, const scree_scene *scene) {
  /* All links stay in the header of the group, where the reader looks for them. */
  hid_t create = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_link_phase_change(create, UINT16_MAX, 0);
  hid_t group = H5Gcreate2(file, "/scene", H5P_DEFAULT, create, H5P_DEFAULT);
  H5Pclose(create);
  bool ok = group >= 0;
  char name[32];
  for (size_t i = 0; ok && i < scree_scene_file_count(scene); i++) {
    size_t size;
    const char *bytes = scree_scene_file_bytes(scene, i, &size);
    snprintf(name, sizeof name, "file%zu", i);
    ok = write_bytes(group, name, scree_scene_file_path(scene, i), bytes, size);
  }
  for (size_t i = 0; ok && i < scree_scene_set_count(scene); i++) {
    const char *text = scree_scene_set_text(scene, i);
    snprintf(name, sizeof name, "set%zu", i);
    ok = write_bytes(group, name, NULL, text, strlen(text));
  }
  ok = ok && write_number(group, "files", scree_scene_file_count(scene));
  ok = ok && write_number(group, "sets", scree_scene_set_count(scene));
  if (group >= 0) ok = H5Gclose(group) >= 0 && ok;
  return ok;
}

static bool create_stream(hid_t file, const recording_stream *s) {
  int rank = s->columns ? 2 : 1;
  hsize_t columns = (hsize_t)(s->columns ? s->columns : 1);
  hsize_t dims[2] = {0, columns}, most[2] = {H5S_UNLIMITED, columns};
  hsize_t chunk[2] = {chunk_rows(s), columns};
  hid_t space = H5Screate_simple(rank, dims, most), set = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(set, rank, chunk);
  H5Pset_fill_time(set, H5D_FILL_TIME_NEVER);
  hid_t id = H5Dcreate2(file, s->path, recording_type(s), space, H5P_DEFAULT, set, H5P_DEFAULT);
  bool ok = id >= 0;
  if (ok) ok = H5Dclose(id) >= 0;
  H5Pclose(set);
  H5Sclose(space);
  return ok;
}

static bool create_groups(hid_t file) {
  static const char *const groups[] = {"/frames", "/bodies", "/contacts"};
  for (int i = 0; i < 3; i++) {
    hid_t id = H5Gcreate2(file, groups[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (id < 0 || H5Gclose(id) < 0) return false;
  }
  return true;
}

static bool fill_new_file(hid_t file, const scree_scene *scene, uint64_t run) {
  char columns[2048];
  size_t used = 0;
  for (size_t i = 0; i < SCREE_STEP_COLUMNS; i++)
    used += (size_t)snprintf(columns + used, sizeof columns - used, "%s%s%s%s%s", i ? "," : "",
                             scree_step_column_name(i), *scree_step_column_unit(i) ? " [" : "",
                             scree_step_column_unit(i), *scree_step_column_unit(i) ? "]" : "");
  bool ok = write_attribute(file, "format", "scree recording") &&
            write_number(file, "format_version", RECORDING_VERSION) &&
            write_attribute(file, "scree_version", scree_version()) &&
            write_attribute(file, "step_columns", columns) && write_number(file, "run", run) &&
            write_scene(file, scene) && create_groups(file);
  for (int i = 0; i < STREAM_COUNT && ok; i++) ok = create_stream(file, &recording_streams[i]);
  return ok;
}

hid_t recording_access_list(bool clear) {
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  /* A killed writer leaves its mark in the file; this is how h5clear removes it. */
  if (clear && H5Pexist(list, "clear_status_flags") > 0) {
    hbool_t yes = 1;
    H5Pset(list, "clear_status_flags", &yes);
  }
  return list;
}

static bool open_streams(recorder *r) {
  for (int i = 0; i < STREAM_COUNT; i++) {
    stream *s = &r->streams[i];
    s->id = H5Dopen2(r->file, recording_streams[i].path, H5P_DEFAULT);
    if (s->id < 0) return false;
    hid_t space = H5Dget_space(s->id);
    hsize_t dims[2] = {0, 0};
    H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    s->extent = dims[0];
  }
  return true;
}

static recorder *new_recorder(scree_context *context, const char *path) {
  recorder *r = memory_new(context, 1, sizeof *r);
  if (!r) return NULL;
  r->context = context;
  r->file = -1;
  r->lock = -1;
  for (int i = 0; i < STREAM_COUNT; i++) r->streams[i].id = -1;
  r->path = memory_new(context, strlen(path) + 16, 1);
  if (!r->path) {
    memory_free(context, r);
    return NULL;
  }
  strcpy(r->path, path);
  H5dont_atexit();
  H5Eget_auto2(H5E_DEFAULT, &r->old_print, &r->old_print_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  r->quiet = true;
  return r;
}

static scree_status take_lock(recorder *r, const char *path) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  r->lock = open(path, O_RDWR | O_CLOEXEC);
  if (r->lock < 0) return write_fault(r, "opening the recording");
  if (fcntl(r->lock, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN)) return SCREE_OK;
  r->failed = true;
  return context_fail(r->context, SCREE_ERROR_IO,
                      "%s: another run is writing it; wait for that one, or stop it", path);
}

scree_status recorder_create(scree_context *context, const char *path, const scree_scene *scene,
                             uint64_t run, recorder **out) {
  *out = NULL;
  if (!place_is_free(path))
    return context_fail(context, SCREE_ERROR_IO,
                        "%s: is there already and not a plain file; give another name", path);
  recorder *r = *out = new_recorder(context, path);
  if (!r) return SCREE_ERROR_MEMORY;
  char *fresh = memory_new(context, strlen(path) + 16, 1);
  if (!fresh) return SCREE_ERROR_MEMORY;
  sprintf(fresh, "%s.new", path);
  hid_t list = recording_access_list(false);
  errno = 0;
  r->file = H5Fcreate(fresh, H5F_ACC_TRUNC, H5P_DEFAULT, list);
  H5Pclose(list);
  bool ok = r->file >= 0 && take_lock(r, fresh) == SCREE_OK && fill_new_file(r->file, scene, run) &&
            open_streams(r) && H5Fstart_swmr_write(r->file) >= 0 &&
            H5Fflush(r->file, H5F_SCOPE_GLOBAL) >= 0;
  if (ok && rename(fresh, path) != 0) ok = false;
  scree_status status = ok ? SCREE_OK : write_fault(r, "creating the recording");
  if (!ok) unlink(fresh);
  memory_free(context, fresh);
  if (!ok) {
    recorder_close(r);
    *out = NULL;
  }
  return status;
}

/* Who is in the list already, when a run goes on. */
static scree_status read_known(recorder *r) {
  const hsize_t count[2] = {r->counts.listed, 5}, start[2] = {0, 0};
  if (!r->counts.listed) return SCREE_OK;
  uint32_t *rows = memory_new(r->context, (size_t)count[0], 5 * sizeof *rows);
  if (!rows) return SCREE_ERROR_MEMORY;
  const hid_t id = r->streams[STREAM_BODY_LIST].id;
  const hid_t from = H5Dget_space(id), to = H5Screate_simple(2, count, NULL);
  const bool ok = H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                  H5Dread(id, H5T_NATIVE_UINT32, to, from, H5P_DEFAULT, rows) >= 0;
  H5Sclose(to);
  H5Sclose(from);
  scree_status status = ok ? SCREE_OK : write_fault(r, "reading the list of bodies");
  for (size_t i = 0; i < count[0] && !status; i++) {
    const uint32_t place = rows[5 * i];
    if (place >= RECORDING_PLACES)
      status =
          context_fail(r->context, SCREE_ERROR_INPUT, "%s: its list of bodies is damaged", r->path);
    else
      status =
          memory_grow(r->context, &r->known, &r->known_room, (size_t)place + 1, sizeof *r->known);
    if (!status) r->known[place] = rows[5 * i + 1];
  }
  memory_free(r->context, rows);
  return status;
}

/* A killed writer does not say where its space ends, and may have named chunks that it never wrote:
 * new space begins behind all that the file refers to. */
static scree_status find_end(recorder *r, hsize_t *missing) {
  struct stat info;
  *missing = 0;
  if (fstat(r->lock, &info) != 0) return write_fault(r, "looking at the recording");
  walk_file file = {.source = {.context = r->context,
                               .name = r->path,
                               .descriptor = r->lock,
                               .size = (size_t)info.st_size}};
  const scree_status status = walk_container(&file);
  if (!status && file.end > (uint64_t)info.st_size) *missing = file.end - (uint64_t)info.st_size;
  return status;
}

scree_status recorder_reopen(scree_context *context, const char *path,
                             const recording_counts *counts, recorder **out) {
  recorder *r = *out = new_recorder(context, path);
  if (!r) return SCREE_ERROR_MEMORY;
  scree_status status = take_lock(r, path);
  if (status) {
    recorder_close(r);
    *out = NULL;
    return status;
  }
  hsize_t missing = 0;
  status = find_end(r, &missing);
  if (status) {
    recorder_close(r);
    *out = NULL;
    return status;
  }
  hid_t list = recording_access_list(true);
  errno = 0;
  r->file = H5Fopen(path, H5F_ACC_RDWR, list);
  H5Pclose(list);
  bool ok = r->file >= 0 && H5Fincrement_filesize(r->file, missing) >= 0 && open_streams(r) &&
            H5Fstart_swmr_write(r->file) >= 0;
  if (!ok) status = write_fault(r, "opening the recording to go on");
  r->counts = *counts;
  const uint64_t rows[STREAM_COUNT] = {
      counts->listed,   counts->listed,   counts->bodies, counts->bodies, counts->bodies,
      counts->contacts, counts->contacts, counts->frames, counts->frames, counts->steps};
  for (int i = 0; i < STREAM_COUNT && !status; i++) {
    r->streams[i].rows = rows[i];
    if (r->streams[i].extent < rows[i])
      status =
          context_fail(context, SCREE_ERROR_INPUT,
                       "%s: %s has %llu rows, the checkpoint wants %llu; the two do not belong "
                       "together",
                       path, recording_streams[i].path, (unsigned long long)r->streams[i].extent,
                       (unsigned long long)rows[i]);
  }
  if (!status) status = read_known(r);
  if (status) {
    recorder_close(r);
    *out = NULL;
  }
  return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Rows of the buffer within one chunk of the file; a whole one passes HDF5's cache by. */
static bool write_within_chunk(const stream *s, const recording_stream *d, const char *rows,
                               size_t count) {
  const int rank = d->columns ? 2 : 1;
  const hsize_t columns = (hsize_t)(d->columns ? d->columns : 1);
  const hsize_t start[2] = {s->rows, 0}, size[2] = {count, columns};
  if (count == chunk_rows(d))
    return H5Dwrite_chunk(s->id, H5P_DEFAULT, 0, start, count * recording_row_size(d), rows) >= 0;
  hid_t to = H5Dget_space(s->id), from = H5Screate_simple(rank, size, NULL);
  const bool ok = H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                  H5Dwrite(s->id, recording_type(d), from, to, H5P_DEFAULT, rows) >= 0;
  H5Sclose(to);
  H5Sclose(from);
  return ok;
}

/* All rows, or those that end whole chunks; the rest stays in the buffer. */
static scree_status write_rows(recorder *r, int which, bool all) {
  stream *s = &r->streams[which];
  const recording_stream *d = &recording_streams[which];
  const size_t row = recording_row_size(d), chunk = chunk_rows(d);
  const uint64_t end = s->rows + s->used, stop = all ? end : end - end % chunk;
  size_t done = 0;
  if (stop <= s->rows) return SCREE_OK;
  if (r->failed)
    return context_fail(r->context, SCREE_ERROR_IO, "%s: an earlier write failed", r->path);
  const hsize_t extent[2] = {stop, (hsize_t)(d->columns ? d->columns : 1)};
  errno = 0;
  if (extent[0] > s->extent) {
    if (H5Dset_extent(s->id, extent) < 0) return write_fault(r, "writing");
    s->extent = extent[0];
  }
  while (s->rows < stop) {
    const uint64_t left = stop - s->rows, fits = chunk - s->rows % chunk;
    const size_t count = (size_t)(left < fits ? left : fits);
    if (!write_within_chunk(s, d, s->buffer + done * row, count)) return write_fault(r, "writing");
    s->rows += count;
    done += count;
  }
  s->used -= done;
  memmove(s->buffer, s->buffer + done * row, s->used * row);
  return SCREE_OK;
}

/* Buffers double, as rows come one by one. */
static scree_status widen(recorder *r, stream *s, size_t need) {
  const size_t twice = 2 * s->room < BUFFER_BYTES ? 2 * s->room : BUFFER_BYTES;
  return memory_grow(r->context, &s->buffer, &s->room, need > twice ? need : twice, 1);
}

/* Room for one more row at the end of a stream's buffer; null: failed. A full buffer is written, so
 * that memory does not grow with the number of bodies. */
static void *take_row(recorder *r, int which, scree_status *status) {
  stream *s = &r->streams[which];
  const size_t row = recording_row_size(&recording_streams[which]);
  if (*status) return NULL;
  if ((s->used + 1) * row > BUFFER_BYTES) *status = write_rows(r, which, false);
  if (!*status && (s->used + 1) * row > s->room) *status = widen(r, s, (s->used + 1) * row);
  if (*status) return NULL;
  return s->buffer + row * s->used++;
}

scree_status recorder_add_step(recorder *r, const double row[SCREE_STEP_COLUMNS]) {
  scree_status status = SCREE_OK;
  double *at = take_row(r, STREAM_STEPS, &status);
  if (status) return status;
  memcpy(at, row, SCREE_STEP_COLUMNS * sizeof *row);
  r->counts.steps++;
  return SCREE_OK;
}

static scree_status add_to_list(recorder *r, const scree_world *world, size_t i) {
  const world_bodies *b = &world->bodies;
  if (r->known[i] == b->generation[i]) return SCREE_OK;
  scree_status status = SCREE_OK;
  uint32_t *row = take_row(r, STREAM_BODY_LIST, &status);
  double *mass = take_row(r, STREAM_BODY_MASS, &status);
  if (status) return status;
  row[0] = (uint32_t)i, row[1] = b->generation[i], row[2] = b->shape_index[i];
  row[3] = b->kind[i], row[4] = b->material[i];
  mass[0] = b->mass[i], mass[1] = b->diameter[i];
  r->known[i] = b->generation[i];
  r->counts.listed++;
  return SCREE_OK;
}

static scree_status add_bodies(recorder *r, const scree_world *world, size_t *count) {
  size_t limit = scree_world_body_limit(world);
  *count = scree_world_body_count(world);
  scree_status status = memory_grow(r->context, &r->known, &r->known_room, limit, sizeof *r->known);
  for (size_t i = 0; i < limit && !status; i++) {
    scree_body_id body = scree_world_body_at(world, i);
    scree_body_state s;
    if (!body.generation || scree_body_get_state(world, body, &s)) continue;
    status = add_to_list(r, world, i);
    uint32_t *id = take_row(r, STREAM_BODY_ID, &status);
    double *place = take_row(r, STREAM_BODY_POSE, &status);
    float *velocity = take_row(r, STREAM_BODY_VELOCITY, &status);
    if (status) return status;
    id[0] = body.index, id[1] = body.generation, id[2] = world->bodies.shape_index[i];
    memcpy(place, s.position, 3 * sizeof *place);
    memcpy(place + 3, s.rotation, 4 * sizeof *place);
    for (int k = 0; k < 3; k++) {
      velocity[k] = (float)s.velocity[k];
      velocity[3 + k] = (float)s.angular[k];
    }
  }
  return status;
}

static bool bears(const scree_contact *c) {
  return c->impulse[0] != 0.0 || c->impulse[1] != 0.0 || c->impulse[2] != 0.0;
}

static scree_status add_contacts(recorder *r, const recorder_contacts *contacts, double h,
                                 size_t *kept) {
  scree_status status = SCREE_OK;
  *kept = 0;
  for (size_t i = 0; i < contacts->count; i++) {
    const scree_contact c = contacts->at(contacts->source, i);
    if (!bears(&c)) continue;
    uint32_t *bodies = take_row(r, STREAM_CONTACT_BODIES, &status);
    float *value = take_row(r, STREAM_CONTACT_VALUES, &status);
    if (status) return status;
    bodies[0] = c.body_a, bodies[1] = c.body_b;
    for (int k = 0; k < 3; k++) {
      value[k] = (float)c.position[k];
      value[3 + k] = (float)c.normal[k];
      value[6 + k] = (float)(c.impulse[k] / h);
    }
    value[9] = (float)c.gap;
    ++*kept;
  }
  return SCREE_OK;
}

scree_status recorder_add_frame(recorder *r, const scree_world *world, uint64_t step,
                                const recorder_contacts *contacts, double h) {
  size_t bodies, kept;
  scree_status status = add_bodies(r, world, &bodies);
  if (!status) status = add_contacts(r, contacts, h, &kept);
  if (status) return status;
  uint64_t *index = take_row(r, STREAM_FRAME_INDEX, &status);
  double *time = take_row(r, STREAM_FRAME_TIME, &status);
  if (status) return status;
  index[0] = step;
  index[1] = r->counts.bodies, index[2] = bodies;
  index[3] = r->counts.contacts, index[4] = kept;
  *time = scree_world_time(world);
  r->counts.bodies += bodies;
  r->counts.contacts += kept;
  r->counts.frames++;
  return SCREE_OK;
}

scree_status recorder_flush(recorder *r) {
  for (int i = 0; i < STREAM_COUNT; i++) {
    scree_status status = write_rows(r, i, true);
    if (status) return status;
    errno = 0;
    if (H5Dflush(r->streams[i].id) < 0) return write_fault(r, "writing");
  }
  return SCREE_OK;
}

recording_counts recorder_counts(const recorder *r) {
  return r->counts;
}

scree_status recorder_close(recorder *r) {
  if (!r) return SCREE_OK;
  scree_status status = r->failed || r->file < 0 ? SCREE_OK : recorder_flush(r);
  /* What could not be written cannot be written on closing either: the file stays as it is. */
  if (!r->failed) {
    for (int i = 0; i < STREAM_COUNT; i++)
      if (r->streams[i].id >= 0) H5Dclose(r->streams[i].id);
    errno = 0;
    if (r->file >= 0 && H5Fclose(r->file) < 0) status = write_fault(r, "closing");
  }
  if (r->lock >= 0) close(r->lock);
  if (r->quiet) H5Eset_auto2(H5E_DEFAULT, r->old_print, r->old_print_data);
  for (int i = 0; i < STREAM_COUNT; i++) memory_free(r->context, r->streams[i].buffer);
  memory_free(r->context, r->known);
  memory_free(r->context, r->path);
  memory_free(r->context, r);
  return status;
}

#endif
