/* The writer of recordings: HDF5 in SWMR mode, which orders its writes so that a reader, or whoever
 * comes after a kill, always finds a whole file. */
#include "recording/recording.h"

#ifdef SCREE_WITH_HDF5
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc.h"
#include "base/memory.h"
#include "model/world.h"
#include "recording/structure.h"

/* Checksums are few: they get small chunks. */
enum { BUFFER_BYTES = 1 << 20, CHUNK_BYTES = 1 << 17, CHECK_BYTES = 1 << 14 };

typedef struct stream {
  hid_t id;
  uint64_t rows;   /* in the file, of this run */
  uint64_t extent; /* of the dataset, maybe longer after a kill */
  char *buffer;
  size_t used; /* rows */
} stream;

struct recorder {
  scree_context *context;
  char *path;
  hid_t file;
  claim claim;                  /* holds off a second writer; a kill gives it back */
  uint32_t sums[CHECK_COLUMNS]; /* of the frame that is being added */
  stream streams[STREAM_COUNT];
  recording_counts counts;
  uint32_t *known; /* generation of the body last listed at each place; 0: none */
  bool failed, quiet;
  H5E_auto2_t old_print;
  void *old_print_data;
};

static size_t chunk_rows(const recording_stream *d) {
  const bool check = strncmp(d->path, "/checks/", 8) == 0;
  return (check ? CHECK_BYTES : CHUNK_BYTES) / recording_row_size(d);
}

/* HDF5 keeps the errno only in its text; a full disk is by far the likeliest. */
static scree_status write_fault(recorder *r, const char *what) {
  const int reason = errno;
  r->failed = true;
  return context_fail(r->context, SCREE_ERROR_IO, "%s: %s failed%s%s; %s", r->path, what,
                      reason ? ": " : "", reason ? strerror(reason) : "",
                      r->claim.published ? "what was written before is good: make room and resume"
                                         : "nothing is left of it: make room and begin again");
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
  if (ok) ok = write_number(id, "crc32c", crc32c(0, bytes, size));
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
  static const char *const groups[] = {"/frames", "/bodies", "/contacts", "/checks"};
  for (int i = 0; i < 4; i++) {
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

/* How files are opened; `clear`: whatever mark a killed writer left in them is ignored. */
static hid_t access_list(bool clear) {
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
  r->claim.file = -1;
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

/* Metadata are written when we say so and not before: between two flushes the file's structure
 * stays as it is, and the superblock tells an end that covers all that is referred to. So a tool
 * that trusts it after a kill (h5clear) cuts off nothing but what was written since. */
static bool hold_structure(hid_t list) {
  H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
  if (H5Pget_mdc_config(list, &config) < 0) return false;
  config.evictions_enabled = 0;
  config.incr_mode = H5C_incr__off;
  config.flash_incr_mode = H5C_flash_incr__off;
  config.decr_mode = H5C_decr__off;
  return H5Pset_mdc_config(list, &config) >= 0;
}

static scree_status claim_fault(recorder *r) {
  char text[CLAIM_PATH + 128];
  claim_explain(&r->claim, text, sizeof text);
  r->failed = true;
  return context_fail(r->context, SCREE_ERROR_IO, "%s", text);
}

static scree_status finish_open(scree_status status, recorder **out) {
  if (!status) return SCREE_OK;
  recorder_close(*out);
  *out = NULL;
  return status;
}

scree_status recorder_create(scree_context *context, const char *path, const scree_scene *scene,
                             uint64_t run, bool replace, recorder **out) {
  recorder *r = *out = new_recorder(context, path);
  if (!r) return SCREE_ERROR_MEMORY;
  if (claim_take(&r->claim, path, replace) != CLAIM_TAKEN) return finish_open(claim_fault(r), out);
  hid_t list = access_list(false);
  errno = 0;
  const bool ok = hold_structure(list) &&
                  (r->file = H5Fcreate(r->claim.part, H5F_ACC_TRUNC, H5P_DEFAULT, list)) >= 0 &&
                  fill_new_file(r->file, scene, run) && open_streams(r) &&
                  H5Fstart_swmr_write(r->file) >= 0 && H5Fflush(r->file, H5F_SCOPE_GLOBAL) >= 0;
  H5Pclose(list);
  return finish_open(ok ? SCREE_OK : write_fault(r, "creating the recording"), out);
}

scree_status recorder_publish(recorder *r) {
  const scree_status status = recorder_sync(r);
  if (status) return status;
  errno = claim_publish(&r->claim);
  return errno ? write_fault(r, "creating the recording") : SCREE_OK;
}

/* Reads which bodies the list of the file has already; for a run that goes on. */
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
      status = memory_grow(r->context, &r->known, (size_t)place + 1, sizeof *r->known);
    if (!status) r->known[place] = rows[5 * i + 1];
  }
  memory_free(r->context, rows);
  return status;
}

scree_status recorder_reopen(scree_context *context, claim *taken, const recording_counts *counts,
                             const char *structure, size_t size, recorder **out) {
  recorder *r = *out = new_recorder(context, taken->path);
  if (!r) {
    claim_drop(taken);
    return SCREE_ERROR_MEMORY;
  }
  r->claim = *taken;
  taken->file = -1;
  uint64_t missing = 0;
  scree_status status = structure
                            ? structure_restore(context, r->path, r->claim.file, structure, size)
                            : structure_find_end(context, r->path, r->claim.file, &missing);
  if (status) return finish_open(status, out);
  hid_t list = access_list(true);
  errno = 0;
  const bool ok = hold_structure(list) && (r->file = H5Fopen(r->path, H5F_ACC_RDWR, list)) >= 0 &&
                  (structure || H5Fincrement_filesize(r->file, missing) >= 0) && open_streams(r) &&
                  H5Fstart_swmr_write(r->file) >= 0;
  H5Pclose(list);
  if (!ok) status = write_fault(r, "opening the recording to go on");
  r->counts = *counts;
  for (int i = 0; i < STREAM_COUNT && !status; i++) {
    r->streams[i].rows = recording_count_of(counts, i);
    if (r->streams[i].extent < r->streams[i].rows)
      status = context_fail(context, SCREE_ERROR_INPUT,
                            "%s: it is shorter than its checkpoint says; put the recording back "
                            "that belongs to it, or remove the checkpoint to start from 0",
                            r->path);
  }
  if (!status) status = read_known(r);
  return finish_open(status, out);
}

scree_status recorder_structure(recorder *r, scree_write_function write, void *user) {
  return structure_collect(r->context, r->path, r->claim.file, write, user);
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

/* Buffers grow by doubling, as rows are appended one at a time. */
static scree_status widen(recorder *r, stream *s, size_t need) {
  const size_t twice =
      2 * memory_room(s->buffer) < BUFFER_BYTES ? 2 * memory_room(s->buffer) : BUFFER_BYTES;
  return memory_grow(r->context, &s->buffer, need > twice ? need : twice, 1);
}

/* Room for one more row at the end of a stream's buffer; null: failed. A full buffer is written, so
 * that memory does not grow with the number of bodies. */
static void *take_row(recorder *r, int which, scree_status *status) {
  stream *s = &r->streams[which];
  const size_t row = recording_row_size(&recording_streams[which]);
  if (*status) return NULL;
  if ((s->used + 1) * row > BUFFER_BYTES) *status = write_rows(r, which, false);
  if (!*status && (s->used + 1) * row > memory_room(s->buffer))
    *status = widen(r, s, (s->used + 1) * row);
  if (*status) return NULL;
  return s->buffer + row * s->used++;
}

scree_status recorder_add_step(recorder *r, const double row[SCREE_STEP_COLUMNS]) {
  scree_status status = SCREE_OK;
  double *at = take_row(r, STREAM_STEPS, &status);
  if (status) return status;
  memcpy(at, row, SCREE_STEP_COLUMNS * sizeof *row);
  uint32_t *check = take_row(r, STREAM_CHECK_STEPS, &status);
  if (status) return status;
  *check = crc32c(0, row, SCREE_STEP_COLUMNS * sizeof *row);
  r->counts.steps++;
  return SCREE_OK;
}

static scree_status add_to_list(recorder *r, const scree_world *world, size_t i) {
  const world_bodies *b = &world->bodies;
  if (r->known[i] == b->generation[i]) return SCREE_OK;
  scree_status status = SCREE_OK;
  uint32_t *row = take_row(r, STREAM_BODY_LIST, &status);
  double *mass = take_row(r, STREAM_BODY_MASS, &status);
  uint32_t *check = take_row(r, STREAM_CHECK_LIST, &status);
  if (status) return status;
  row[0] = (uint32_t)i, row[1] = b->generation[i], row[2] = b->shape_index[i];
  row[3] = b->kind[i], row[4] = b->material[i];
  mass[0] = b->mass[i], mass[1] = b->diameter[i];
  *check = crc32c(crc32c(0, row, 5 * sizeof *row), mass, 2 * sizeof *mass);
  r->known[i] = b->generation[i];
  r->counts.listed++;
  return SCREE_OK;
}

static void add_to_sum(recorder *r, int column, const void *row, size_t size) {
  r->sums[column] = crc32c(r->sums[column], row, size);
}

static scree_status add_bodies(recorder *r, const scree_world *world, size_t *count) {
  size_t limit = scree_world_body_limit(world);
  *count = scree_world_body_count(world);
  scree_status status = memory_grow(r->context, &r->known, limit, sizeof *r->known);
  for (size_t i = 0; i < limit && !status; i++) {
    scree_body_id body = scree_world_body_at(world, i);
    scree_body_state s;
    if (!body.generation || scree_body_get_shown_state(world, body, &s)) continue;
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
    add_to_sum(r, CHECK_ID, id, 3 * sizeof *id);
    add_to_sum(r, CHECK_POSE, place, 7 * sizeof *place);
    add_to_sum(r, CHECK_VELOCITY, velocity, 6 * sizeof *velocity);
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
    add_to_sum(r, CHECK_CONTACT_BODIES, bodies, 2 * sizeof *bodies);
    add_to_sum(r, CHECK_CONTACT_VALUES, value, 10 * sizeof *value);
    ++*kept;
  }
  return SCREE_OK;
}

/* The rows are there: their index, time and checksums. `told`: step, bodies, contacts. */
static scree_status end_frame(recorder *r, const uint64_t told[3], double now) {
  scree_status status = SCREE_OK;
  uint64_t *index = take_row(r, STREAM_FRAME_INDEX, &status);
  double *time = take_row(r, STREAM_FRAME_TIME, &status);
  uint32_t *check = take_row(r, STREAM_CHECK_FRAMES, &status);
  if (status) return status;
  index[0] = told[0];
  index[1] = r->counts.bodies, index[2] = told[1];
  index[3] = r->counts.contacts, index[4] = told[2];
  *time = now;
  add_to_sum(r, CHECK_INDEX, index, 5 * sizeof *index);
  add_to_sum(r, CHECK_TIME, time, sizeof *time);
  memcpy(check, r->sums, sizeof r->sums);
  r->counts.bodies += told[1];
  r->counts.contacts += told[2];
  r->counts.frames++;
  return SCREE_OK;
}

scree_status recorder_add_frame(recorder *r, const scree_world *world, uint64_t step,
                                const recorder_contacts *contacts, double h) {
  size_t bodies, kept;
  memset(r->sums, 0, sizeof r->sums);
  scree_status status = add_bodies(r, world, &bodies);
  if (!status) status = add_contacts(r, contacts, h, &kept);
  if (status) return status;
  return end_frame(r, (const uint64_t[]){step, bodies, kept}, scree_world_time(world));
}

/* ---- copies --------------------------------------------------------------------------------- */

scree_status recorder_copy_listed(recorder *r, const uint32_t from[5], const double mass[2]) {
  scree_status status = SCREE_OK;
  uint32_t *row = take_row(r, STREAM_BODY_LIST, &status);
  double *numbers = take_row(r, STREAM_BODY_MASS, &status);
  uint32_t *check = take_row(r, STREAM_CHECK_LIST, &status);
  if (status) return status;
  memcpy(row, from, 5 * sizeof *row);
  memcpy(numbers, mass, 2 * sizeof *numbers);
  *check = crc32c(crc32c(0, row, 5 * sizeof *row), numbers, 2 * sizeof *numbers);
  r->counts.listed++;
  return SCREE_OK;
}

static scree_status copy_rows(recorder *r, int which, int column, const void *from, size_t count) {
  const size_t size = recording_row_size(&recording_streams[which]);
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < count && !status; i++) {
    void *row = take_row(r, which, &status);
    if (row) memcpy(row, (const char *)from + i * size, size);
  }
  add_to_sum(r, column, from, count * size);
  return status;
}

scree_status recorder_copy_frame(recorder *r, const scree_frame *f) {
  memset(r->sums, 0, sizeof r->sums);
  scree_status status = copy_rows(r, STREAM_BODY_ID, CHECK_ID, f->ids, f->body_count);
  if (!status) status = copy_rows(r, STREAM_BODY_POSE, CHECK_POSE, f->poses, f->body_count);
  if (!status)
    status = copy_rows(r, STREAM_BODY_VELOCITY, CHECK_VELOCITY, f->velocities, f->body_count);
  if (!status)
    status = copy_rows(r, STREAM_CONTACT_BODIES, CHECK_CONTACT_BODIES, f->contact_bodies,
                       f->contact_count);
  if (!status)
    status =
        copy_rows(r, STREAM_CONTACT_VALUES, CHECK_CONTACT_VALUES, f->contacts, f->contact_count);
  if (status) return status;
  return end_frame(r, (const uint64_t[]){f->step, f->body_count, f->contact_count}, f->time);
}

scree_status recorder_flush(recorder *r) {
  for (int i = 0; i < STREAM_COUNT; i++) {
    scree_status status = write_rows(r, i, true);
    if (status) return status;
    errno = 0;
    if (H5Dflush(r->streams[i].id) < 0) return write_fault(r, "writing");
  }
  /* The superblock: where the file ends. */
  errno = 0;
  return H5Fflush(r->file, H5F_SCOPE_GLOBAL) < 0 ? write_fault(r, "writing") : SCREE_OK;
}

scree_status recorder_sync(recorder *r) {
  const scree_status status = recorder_flush(r);
  if (status) return status;
  return fsync(r->claim.file) != 0 ? write_fault(r, "bringing it to the disk") : SCREE_OK;
}

recording_counts recorder_counts(const recorder *r) {
  return r->counts;
}

scree_status recorder_close(recorder *r) {
  if (!r) return SCREE_OK;
  scree_status status = r->failed || r->file < 0 ? SCREE_OK : recorder_sync(r);
  /* What could not be written cannot be written on closing either: the file stays as it is. */
  if (!r->failed) {
    for (int i = 0; i < STREAM_COUNT; i++)
      if (r->streams[i].id >= 0) H5Dclose(r->streams[i].id);
    errno = 0;
    if (r->file >= 0 && H5Fclose(r->file) < 0) status = write_fault(r, "closing");
    if (r->file >= 0 && !status && fsync(r->claim.file) != 0) status = write_fault(r, "closing");
  }
  claim_drop(&r->claim);
  if (r->quiet) H5Eset_auto2(H5E_DEFAULT, r->old_print, r->old_print_data);
  for (int i = 0; i < STREAM_COUNT; i++) memory_free(r->context, r->streams[i].buffer);
  memory_free(r->context, r->known);
  memory_free(r->context, r->path);
  memory_free(r->context, r);
  return status;
}

#endif
