/* The reader of recordings, which needs no HDF5 library (see hdf5/walk.h): it knows where the rows
 * are and reads them. A file is an untrusted thing: extents, ranges and finiteness are checked
 * before anything is handed out. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/argument.h"
#include "base/memory.h"
#include "recording/store.h"

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

/* ---- what the walk finds -------------------------------------------------------------------- */

enum { HAS_FORMAT = 1, HAS_FORMAT_VERSION = 2, HAS_VERSION = 4, HAS_RUN = 8, HAS_ALL = 15 };

static bool take_text(const walk_attribute *a, char *text, size_t size) {
  if (a->type.kind != WALK_STRING || a->count != 1 || a->type.size >= size) return false;
  memcpy(text, a->data, a->type.size);
  text[a->type.size] = '\0';
  return true;
}

static bool take_number(const walk_attribute *a, uint64_t *number) {
  if (a->type.kind != WALK_INTEGER || a->count != 1 || !a->type.little) return false;
  *number = check_number(a->data, (int)a->type.size);
  return true;
}

/* Columns by their names: "time [s],bodies,…". A recording of another version may have others. */
static void map_columns(scree_recording *r, const char *text) {
  for (int k = 0; k < SCREE_STEP_COLUMNS; k++) r->step_map[k] = -1;
  int at = 0;
  for (const char *c = text; c; at++) {
    const size_t length = strcspn(c, " ,");
    for (int k = 0; k < SCREE_STEP_COLUMNS; k++)
      if (strlen(column_names[k]) == length && strncmp(column_names[k], c, length) == 0)
        r->step_map[k] = at;
    c = strchr(c, ',');
    if (c) c++;
  }
  r->step_width = (size_t)at;
}

static scree_status note_attribute(void *user, const walk_attribute *a) {
  scree_recording *r = user;
  char text[4096];
  if (strcmp(a->path, "/") == 0) {
    if (strcmp(a->name, "format") == 0 && take_text(a, r->format, sizeof r->format))
      r->attributes |= HAS_FORMAT;
    if (strcmp(a->name, "format_version") == 0 && take_number(a, &r->format_version))
      r->attributes |= HAS_FORMAT_VERSION;
    if (strcmp(a->name, "scree_version") == 0 && take_text(a, r->version, sizeof r->version))
      r->attributes |= HAS_VERSION;
    if (strcmp(a->name, "run") == 0 && take_number(a, &r->run)) r->attributes |= HAS_RUN;
    if (strcmp(a->name, "step_columns") == 0 && take_text(a, text, sizeof text))
      map_columns(r, text);
  } else if (strcmp(a->path, "/scene") == 0) {
    if (strcmp(a->name, "files") == 0) take_number(a, &r->files);
    if (strcmp(a->name, "sets") == 0) take_number(a, &r->sets);
  } else if (strncmp(a->path, "/scene/", 7) == 0 && strcmp(a->name, "crc32c") == 0) {
    recording_item *item = recording_item_of(r, a->path + 7);
    if (!item) return SCREE_ERROR_MEMORY;
    item->has_crc = take_number(a, &item->crc);
  } else if (strncmp(a->path, "/scene/", 7) == 0 && strcmp(a->name, "path") == 0) {
    if (!take_text(a, text, sizeof text)) return recording_fault(r, "a file's name is damaged");
    recording_item *item = recording_item_of(r, a->path + 7);
    if (!item) return SCREE_ERROR_MEMORY;
    memory_free(r->context, item->path);
    item->path = memory_new(r->context, strlen(text) + 1, 1);
    if (!item->path) return SCREE_ERROR_MEMORY;
    strcpy(item->path, text);
  }
  return SCREE_OK;
}

static bool has_form(const scree_recording *r, const walk_dataset *d, const recording_stream *s) {
  const size_t columns = s == &recording_streams[STREAM_STEPS] ? r->step_width : (size_t)s->columns;
  const bool real = s->type == STREAM_F32 || s->type == STREAM_F64;
  return d->type.kind == (real ? WALK_REAL : WALK_INTEGER) && d->type.size == s->size &&
         d->type.little && d->rank == (s->columns ? 2 : 1) &&
         (!s->columns || d->size[1] == (uint64_t)columns) && d->chunk_rows;
}

static scree_status note_stream(scree_recording *r, int i, const walk_dataset *d) {
  if (!has_form(r, d, &recording_streams[i]) || r->there[i])
    return recording_fault(r, "a dataset has another form than it should");
  const size_t chunks = (size_t)((d->stored + d->chunk_rows - 1) / d->chunk_rows);
  r->chunk[i] = memory_new(r->context, chunks, sizeof **r->chunk);
  if (!r->chunk[i]) return SCREE_ERROR_MEMORY;
  if (chunks) memcpy(r->chunk[i], d->chunk, chunks * sizeof **r->chunk);
  r->chunk_rows[i] = d->chunk_rows;
  r->rows[i] = d->stored;
  r->told[i] = d->size[0];
  r->there[i] = true;
  return SCREE_OK;
}

static scree_status note_dataset(void *user, const walk_dataset *d) {
  scree_recording *r = user;
  for (int i = 0; i < STREAM_COUNT; i++)
    if (strcmp(d->path, recording_streams[i].path) == 0) return note_stream(r, i, d);
  if (strncmp(d->path, "/scene/", 7) != 0) return SCREE_OK;
  if (d->type.size != 1 || d->rank != 1 || d->chunk_rows || d->size[0] > (uint64_t)1 << 30)
    return recording_fault(r, "a file of the scene has another form than it should");
  recording_item *item = recording_item_of(r, d->path + 7);
  if (!item) return SCREE_ERROR_MEMORY;
  item->address = d->address;
  item->size = d->size[0];
  return SCREE_OK;
}

static void forget_all(scree_recording *r) {
  for (int i = 0; i < STREAM_COUNT; i++) {
    memory_free(r->context, r->chunk[i]);
    r->chunk[i] = NULL;
    r->rows[i] = r->told[i] = r->chunk_rows[i] = 0;
    r->there[i] = false;
  }
  for (size_t i = 0; i < r->item_count; i++) memory_free(r->context, r->items[i].path);
  memory_free(r->context, r->items);
  r->items = NULL;
  r->item_count = 0;
  r->files = r->sets = 0;
  r->attributes = 0;
}

static scree_status unpack(scree_recording *r, walk_file *file) {
  int target;
  uint64_t size;
  scree_status status = unpack_container(file, &target, &size);
  if (status) return status;
  close(r->descriptor);
  r->descriptor = target;
  r->size = (size_t)size;
  r->unpacked = true;
  return SCREE_OK;
}

/* While a run writes to it a reader may come in between, or the file may grow under it, so that an
 * index is newer than what was held to be the end: then it is read again. */
static scree_status read_through(scree_recording *r) {
  enum { READS = 50 };
  struct stat info;
  if (r->descriptor < 0) r->descriptor = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (r->descriptor < 0)
    return context_fail(r->context, SCREE_ERROR_IO, "%s: cannot be opened: %s", r->path,
                        strerror(errno));
  scree_status status = SCREE_ERROR_INPUT;
  bool grown = false;
  for (int i = 0; i < (r->live ? READS : 1) && (status == SCREE_ERROR_INPUT || grown); i++) {
    if (i) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    if (fstat(r->descriptor, &info) != 0 || !S_ISREG(info.st_mode))
      return context_fail(r->context, SCREE_ERROR_IO, "%s: is not a plain file", r->path);
    r->size = (size_t)info.st_size;
    walk_file file = {.source = {.context = r->context,
                                 .name = r->path,
                                 .descriptor = r->descriptor,
                                 .size = r->size,
                                 .patches = r->patches,
                                 .patch_count = r->patch_count},
                      .dataset = note_dataset,
                      .attribute = note_attribute,
                      .user = r,
                      .cut = r->cut};
    forget_all(r);
    if (!i && !r->cut && walk_is_earliest(&file.source)) return unpack(r, &file);
    status = walk_container(&file);
    r->marked = file.marked;
    grown = fstat(r->descriptor, &info) == 0 && (size_t)info.st_size != r->size;
    if (status && status != SCREE_ERROR_INPUT) break;
  }
  return status;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Its own structure is damaged: the last crash tore it, or something else did. A checkpoint of the
 * run has a copy from when it was written. */
static scree_status read_through_checkpoints(scree_recording *r) {
  char message[CONTEXT_MESSAGE_SIZE];
  memcpy(message, r->context->message, sizeof message);
  /* With the structure of a checkpoint the recording would get that run's name, so the name in its
   * own structure is read first. */
  r->cut = true;
  const bool named = !read_through(r) && r->attributes & HAS_RUN;
  const uint64_t run = r->run;
  r->cut = false;
  for (int age = 0; age < 2; age++) {
    scree_status status = checkpoint_load(r->context, r->path, age, &r->checkpoint);
    if (!status && r->checkpoint.state == CHECKPOINT_GOOD && (!named || r->checkpoint.run == run)) {
      status = structure_patches(r->context, r->path, r->checkpoint.part[CHECKPOINT_STRUCTURE],
                                 r->checkpoint.part_size[CHECKPOINT_STRUCTURE], &r->patches,
                                 &r->patch_count);
      if (!status) status = read_through(r);
      r->rebuilt = !status && r->run == r->checkpoint.run;
      if (r->rebuilt || status == SCREE_ERROR_MEMORY) return status;
    }
    memory_free(r->context, r->patches);
    r->patches = NULL;
    r->patch_count = 0;
    checkpoint_clear(r->context, &r->checkpoint);
  }
  /* Repair failed: the message is that of the first fault. */
  return context_fail(r->context, SCREE_ERROR_INPUT, "%s", message);
}

static scree_status check_head(scree_recording *r) {
  if (!(r->attributes & HAS_FORMAT) || strcmp(r->format, "scree recording") != 0)
    return recording_fault(r, "is an HDF5 file, but not a recording of Scree");
  if (!(r->attributes & HAS_FORMAT_VERSION))
    return recording_fault(r, "it does not say which format it has");
  if (r->format_version < RECORDING_UNCHECKED)
    return recording_fault(r, "its format is of an older Scree; run the scene again");
  if (r->format_version > RECORDING_VERSION)
    return recording_fault(r, "its format is of a newer Scree");
  r->checked = r->format_version > RECORDING_UNCHECKED;
  if (r->attributes != HAS_ALL) return recording_fault(r, "attributes are missing");
  for (int i = 0; i < STREAM_COUNT; i++) {
    const bool check =
        i == STREAM_CHECK_LIST || i == STREAM_CHECK_FRAMES || i == STREAM_CHECK_STEPS;
    if (!r->there[i] && !r->cut && (r->checked || !check))
      return recording_fault(r, "a dataset is missing");
  }
  return SCREE_OK;
}

static scree_status open_file(scree_recording *r, const recording_open_def *def) {
  r->mine = def->mine;
  r->cut = def->cut;
  r->live = !def->mine && claim_is_held(r->path, NULL);
  scree_status status = SCREE_OK;
  if (def->structure)
    status = structure_patches(r->context, r->path, def->structure, def->structure_size,
                               &r->patches, &r->patch_count);
  if (!status) status = read_through(r);
  if (status == SCREE_ERROR_INPUT && !def->structure && !def->cut)
    status = read_through_checkpoints(r);
  if (!status) status = check_head(r);
  if (!status && r->unpacked && (def->mine || def->structure))
    status = recording_fault(r, "another program has written it anew, such as h5repack, so that it "
                                "is read but not gone on with; " WALK_MEND ", from its start");
  if (!status && r->marked && !r->cut) status = recording_drop_unfinished(r);
  if (status) return status;
  recording_reach reach = {0};
  if (r->marked && !r->live && !def->mine && !def->structure && !def->cut &&
      recording_find_reach(r, &reach) == SCREE_ERROR_MEMORY)
    return SCREE_ERROR_MEMORY;
  if (recording_is_short(&reach))
    recording_tell_short(&reach, r->remark, sizeof r->remark);
  else if (r->rebuilt)
    snprintf(r->remark, sizeof r->remark,
             "its structure is damaged; it is read as of its last checkpoint");
  else if (r->unpacked && r->checked)
    snprintf(r->remark, sizeof r->remark,
             "another program has written it anew, such as h5repack: it is read unpacked, and "
             "cannot be gone on with");
  else if (!r->checked)
    snprintf(r->remark, sizeof r->remark,
             "it carries no checksums (format %llu): damage to its numbers is not noticed",
             (unsigned long long)r->format_version);
  return SCREE_OK;
}

scree_status recording_open(scree_context *context, const char *path, const recording_open_def *def,
                            scree_recording **recording) {
  scree_recording *r = *recording = memory_new(context, 1, sizeof *r);
  if (!r) return SCREE_ERROR_MEMORY;
  r->context = context;
  r->descriptor = -1;
  char real[CLAIM_PATH];
  path = claim_real(path, real);
  r->path = memory_new(context, strlen(path) + 1, 1);
  scree_status status = SCREE_ERROR_MEMORY;
  if (r->path) {
    strcpy(r->path, path);
    status = open_file(r, def);
  }
  if (status) {
    scree_recording_close(r);
    *recording = NULL;
  }
  return status;
}

scree_status scree_recording_open(scree_context *context, const char *path,
                                  scree_recording **recording) {
  ARGUMENT_CHECK(context, context && path && recording);
  return recording_open(context, path, &(recording_open_def){0}, recording);
}

scree_status scree_recording_refresh(scree_recording *r) {
  ARGUMENT_CHECK(r ? r->context : NULL, r);
  scree_recording *fresh;
  const scree_status status = scree_recording_open(r->context, r->path, &fresh);
  if (status) return status;
  if (fresh->run != r->run) {
    scree_recording_close(fresh);
    return recording_fault(r, "another run has taken its place; open it again");
  }
  const scree_recording old = *r;
  *r = *fresh;
  r->scene = old.scene;
  r->world = old.world;
  *fresh = old;
  fresh->scene = NULL;
  fresh->world = NULL;
  scree_recording_close(fresh);
  return SCREE_OK;
}

void scree_recording_close(scree_recording *r) {
  if (!r) return;
  scree_world_destroy(r->world);
  scree_scene_destroy(r->scene);
  if (r->descriptor >= 0) close(r->descriptor);
  for (int i = 0; i < STREAM_COUNT; i++) memory_free(r->context, r->buffer[i]);
  forget_all(r);
  recording_forget_list(r);
  memory_free(r->context, r->patches);
  checkpoint_clear(r->context, &r->checkpoint);
  memory_free(r->context, r->path);
  memory_free(r->context, r);
}

size_t scree_recording_frame_count(const scree_recording *r) {
  if (!r) return 0;
  uint64_t a = r->rows[STREAM_FRAME_INDEX], b = r->rows[STREAM_FRAME_TIME];
  if (r->checked && r->rows[STREAM_CHECK_FRAMES] < a) a = r->rows[STREAM_CHECK_FRAMES];
  return (size_t)(a < b ? a : b);
}

size_t scree_recording_step_count(const scree_recording *r) {
  if (!r) return 0;
  const uint64_t a = r->rows[STREAM_STEPS], b = r->rows[STREAM_CHECK_STEPS];
  return (size_t)(r->checked && b < a ? b : a);
}

bool scree_recording_is_live(const scree_recording *r) {
  if (!r) return false;
  return r->live;
}

bool scree_recording_has_checksums(const scree_recording *r) {
  if (!r) return false;
  return r->checked;
}

size_t scree_recording_unfinished(const scree_recording *r) {
  if (!r) return 0;
  return r->dropped_frames;
}

const char *scree_recording_remark(const scree_recording *r) {
  return r ? r->remark : "";
}

const char *scree_recording_version(const scree_recording *r) {
  return r ? r->version : "";
}

scree_status recording_bytes(const scree_recording *r, uint64_t address, size_t size, void *out) {
  const check_source source = {
      .context = r->context, .name = r->path, .descriptor = r->descriptor, .size = r->size};
  if (r->cut && !check_inside(&source, address, size))
    return recording_fault(r, "rows that it speaks of are not in it; it is truncated or damaged");
  return check_get(&source, address, size, out)
             ? SCREE_OK
             : context_fail(r->context, SCREE_ERROR_IO, "%s: cannot be read", r->path);
}

scree_status recording_rows(scree_recording *r, int which, uint64_t first, uint64_t count,
                            void *out) {
  const size_t row =
      which == STREAM_STEPS ? 8 * r->step_width : recording_row_size(&recording_streams[which]);
  const uint64_t chunk_rows = r->chunk_rows[which];
  if (first > r->rows[which] || count > r->rows[which] - first)
    return recording_fault(r, "rows that it speaks of are not in it; it is truncated or damaged");
  for (uint64_t done = 0; done < count;) {
    const uint64_t at = first + done, in_chunk = at % chunk_rows;
    const uint64_t n = count - done < chunk_rows - in_chunk ? count - done : chunk_rows - in_chunk;
    const scree_status status =
        recording_bytes(r, r->chunk[which][at / chunk_rows] + in_chunk * row, (size_t)n * row,
                        (char *)out + done * row);
    if (status) return status;
    done += n;
  }
  return SCREE_OK;
}

/* Rows in the buffer of their stream. */
static scree_status load_rows(scree_recording *r, int which, uint64_t first, uint64_t count,
                              const void *pointer) {
  if (first > r->rows[which] || count > r->rows[which] - first)
    return recording_fault(r, "rows that it speaks of are not in it; it is truncated or damaged");
  size_t bytes = (size_t)count * recording_row_size(&recording_streams[which]);
  scree_status status = memory_grow(r->context, &r->buffer[which], bytes + 8, 1);
  if (!status) status = recording_rows(r, which, first, count, r->buffer[which]);
  memcpy((void *)pointer, &r->buffer[which], sizeof r->buffer[which]);
  return status;
}

/* Numbers that others rely on: finite, quaternions of unit length, places that memory can hold. */
static scree_status check_frame(const scree_recording *r, const scree_frame *f) {
  if (!isfinite(f->time)) return recording_fault(r, "the time of a frame is not finite");
  for (size_t i = 0; i < f->body_count; i++) {
    const double *p = &f->poses[7 * i];
    const double norm = p[3] * p[3] + p[4] * p[4] + p[5] * p[5] + p[6] * p[6];
    if (!isfinite(p[0] + p[1] + p[2]) || !(norm > 0.99 && norm < 1.01))
      return recording_fault(r, "a pose is damaged");
    if (f->ids[3 * i] >= RECORDING_PLACES || !f->ids[3 * i + 1])
      return recording_fault(r, "the id of a body is damaged");
  }
  for (size_t i = 0; i < 6 * f->body_count; i++)
    if (!isfinite(f->velocities[i])) return recording_fault(r, "a velocity is not finite");
  for (size_t i = 0; i < 10 * f->contact_count; i++)
    if (!isfinite(f->contacts[i])) return recording_fault(r, "a contact is not finite");
  return SCREE_OK;
}

scree_status scree_recording_get_frame(scree_recording *r, size_t i, scree_frame *frame) {
  ARGUMENT_CHECK(r ? r->context : NULL, r && frame);
  uint64_t index[5];
  uint32_t checks[CHECK_COLUMNS] = {0};
  *frame = (scree_frame){0};
  if (i >= scree_recording_frame_count(r))
    return context_fail(r->context, SCREE_ERROR_ARGUMENT, "%s: no frame %zu; there are %zu",
                        r->path, i, scree_recording_frame_count(r));
  scree_status status = recording_rows(r, STREAM_FRAME_INDEX, i, 1, index);
  if (!status) status = recording_frame_checks(r, i, checks);
  if (!status) status = recording_rows(r, STREAM_FRAME_TIME, i, 1, &frame->time);
  if (status) return status;
  if (!recording_is_whole(r, checks, CHECK_INDEX, index, sizeof index))
    return recording_frame_fault(r, i, CHECK_INDEX);
  if (!recording_is_whole(r, checks, CHECK_TIME, &frame->time, sizeof frame->time))
    return recording_frame_fault(r, i, CHECK_TIME);
  const struct {
    int stream, column, range; /* range: where the index has first row and number */
    const void *rows;
  } parts[] = {{STREAM_BODY_ID, CHECK_ID, 1, &frame->ids},
               {STREAM_BODY_POSE, CHECK_POSE, 1, &frame->poses},
               {STREAM_BODY_VELOCITY, CHECK_VELOCITY, 1, &frame->velocities},
               {STREAM_CONTACT_BODIES, CHECK_CONTACT_BODIES, 3, &frame->contact_bodies},
               {STREAM_CONTACT_VALUES, CHECK_CONTACT_VALUES, 3, &frame->contacts}};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    const uint64_t count = index[parts[k].range + 1];
    status = load_rows(r, parts[k].stream, index[parts[k].range], count, parts[k].rows);
    if (status) return status;
    const size_t size = (size_t)count * recording_row_size(&recording_streams[parts[k].stream]);
    if (!recording_is_whole(r, checks, parts[k].column, r->buffer[parts[k].stream], size))
      return recording_frame_fault(r, i, parts[k].column);
  }
  frame->step = index[0];
  frame->body_count = (size_t)index[2];
  frame->contact_count = (size_t)index[4];
  return check_frame(r, frame);
}

scree_status scree_recording_get_steps(scree_recording *r, size_t first, size_t count,
                                       double *rows) {
  ARGUMENT_CHECK(r ? r->context : NULL, r && (rows || !count));
  enum { BATCH = 64 };
  double *own = memory_new(r->context, BATCH * r->step_width, sizeof *own);
  if (!own) return SCREE_ERROR_MEMORY;
  scree_status status = SCREE_OK;
  for (size_t done = 0; done < count && !status; done += BATCH) {
    const size_t n = count - done < BATCH ? count - done : BATCH;
    status = recording_checked_steps(r, first + done, n, own);
    for (size_t i = 0; i < n && !status; i++)
      for (int k = 0; k < SCREE_STEP_COLUMNS; k++)
        rows[(done + i) * SCREE_STEP_COLUMNS + (size_t)k] =
            r->step_map[k] < 0 ? NAN : own[i * r->step_width + (size_t)r->step_map[k]];
  }
  memory_free(r->context, own);
  return status;
}

scree_status scree_recording_get_times(scree_recording *r, size_t first, size_t count,
                                       double *times) {
  ARGUMENT_CHECK(r ? r->context : NULL, r);
  return recording_checked_times(r, first, count, times);
}

#endif
