/* The reader of recordings, which needs no HDF5 library (see hdf5_walk.h): it knows where the rows
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

#include "base/memory.h"
#include "io/hdf5_walk.h"
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

/* A writer holds a lock on the whole file as long as it lives. */
static bool is_being_written(const char *path) {
  struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  const bool held = fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  close(file);
  return held;
}

/* ---- what the walk finds -------------------------------------------------------------------- */

enum { HAS_FORMAT = 1, HAS_FORMAT_VERSION = 2, HAS_VERSION = 4, HAS_RUN = 8, HAS_ALL = 15 };

static bool take_text(const walk_attribute *a, char *text, size_t size) {
  if (a->type.kind != WALK_STRING || a->count != 1 || a->type.size >= size) return false;
  memcpy(text, a->data, a->type.size);
  text[a->type.size] = '\0';
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < ' ') *c = '?';
  return true;
}

static bool take_number(const walk_attribute *a, uint64_t *number) {
  if (a->type.kind != WALK_INTEGER || a->count != 1 || !a->type.little) return false;
  *number = check_number(a->data, (int)a->type.size);
  return true;
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
  } else if (strcmp(a->path, "/scene") == 0) {
    if (strcmp(a->name, "files") == 0) take_number(a, &r->files);
    if (strcmp(a->name, "sets") == 0) take_number(a, &r->sets);
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

/* The log of steps of an older Scree has fewer columns, this many at least. */
enum { LEAST_STEP_COLUMNS = 24 };

static bool has_columns(const walk_dataset *d, const recording_stream *s) {
  if (s == &recording_streams[STREAM_STEPS])
    return d->size[1] >= LEAST_STEP_COLUMNS && d->size[1] <= SCREE_STEP_COLUMNS;
  return !s->columns || d->size[1] == (uint64_t)s->columns;
}

static bool has_form(const walk_dataset *d, const recording_stream *s) {
  const bool real = s->type == STREAM_F32 || s->type == STREAM_F64;
  return d->type.kind == (real ? WALK_REAL : WALK_INTEGER) && d->type.size == s->size &&
         d->type.little && d->rank == (s->columns ? 2 : 1) && has_columns(d, s) && d->chunk_rows;
}

static scree_status note_stream(scree_recording *r, int i, const walk_dataset *d) {
  if (!has_form(d, &recording_streams[i]) || r->there[i])
    return recording_fault(r, "a dataset has another form than it should");
  const size_t chunks = (size_t)((d->stored + d->chunk_rows - 1) / d->chunk_rows);
  r->chunk[i] = memory_new(r->context, chunks, sizeof **r->chunk);
  if (!r->chunk[i]) return SCREE_ERROR_MEMORY;
  if (chunks) memcpy(r->chunk[i], d->chunk, chunks * sizeof **r->chunk);
  r->chunk_rows[i] = d->chunk_rows;
  r->rows[i] = d->stored;
  r->there[i] = true;
  if (i == STREAM_STEPS) r->step_columns = (size_t)d->size[1];
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
    r->rows[i] = r->chunk_rows[i] = 0;
    r->there[i] = false;
  }
  for (size_t i = 0; i < r->item_count; i++) memory_free(r->context, r->items[i].path);
  memory_free(r->context, r->items);
  r->items = NULL;
  r->item_count = r->item_room = 0;
  r->files = r->sets = 0;
  r->attributes = 0;
}

/* While a run writes to it a look may come in between, or the file may grow under it, so that an
 * index is newer than what was held to be the end: then another look follows. */
static scree_status look_through(scree_recording *r) {
  enum { LOOKS = 50 };
  struct stat info;
  r->descriptor = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (r->descriptor < 0)
    return context_fail(r->context, SCREE_ERROR_IO, "%s: cannot be opened: %s", r->path,
                        strerror(errno));
  scree_status status = SCREE_ERROR_INPUT;
  bool grown = false;
  for (int i = 0; i < (r->live ? LOOKS : 1) && (status == SCREE_ERROR_INPUT || grown); i++) {
    if (i) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    if (fstat(r->descriptor, &info) != 0 || !S_ISREG(info.st_mode))
      return context_fail(r->context, SCREE_ERROR_IO, "%s: is not a plain file", r->path);
    r->size = (size_t)info.st_size;
    walk_file file = {.source = {.context = r->context,
                                 .name = r->path,
                                 .descriptor = r->descriptor,
                                 .size = r->size},
                      .dataset = note_dataset,
                      .attribute = note_attribute,
                      .user = r};
    forget_all(r);
    status = walk_container(&file);
    grown = fstat(r->descriptor, &info) == 0 && (size_t)info.st_size != r->size;
    if (status && status != SCREE_ERROR_INPUT) break;
  }
  return status;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* The index of a writer that was killed may end in rows that it never filled. */
static scree_status drop_empty_frames(scree_recording *r) {
  static const uint64_t nothing[5];
  uint64_t row[5], *count = &r->rows[STREAM_FRAME_INDEX];
  for (; *count > 1; --*count) {
    const scree_status status = recording_rows(r, STREAM_FRAME_INDEX, *count - 1, 1, row);
    if (status) return status;
    if (memcmp(row, nothing, sizeof row) != 0) break;
  }
  return SCREE_OK;
}

static scree_status open_file(scree_recording *r) {
  r->live = is_being_written(r->path);
  const scree_status status = look_through(r);
  if (status) return status;
  if (!(r->attributes & HAS_FORMAT) || strcmp(r->format, "scree recording") != 0)
    return recording_fault(r, "is an HDF5 file, but not a recording of Scree");
  if (!(r->attributes & HAS_FORMAT_VERSION))
    return recording_fault(r, "it does not say which format it has");
  if (r->format_version != RECORDING_VERSION)
    return recording_fault(r, r->format_version < RECORDING_VERSION
                                  ? "its format is of an older Scree; run the scene again"
                                  : "its format is of a newer Scree");
  if (r->attributes != HAS_ALL) return recording_fault(r, "attributes are missing");
  for (int i = 0; i < STREAM_COUNT; i++)
    if (!r->there[i]) return recording_fault(r, "a dataset is missing");
  return drop_empty_frames(r);
}

scree_status scree_recording_open(scree_context *context, const char *path,
                                  scree_recording **recording) {
  scree_recording *r = *recording = memory_new(context, 1, sizeof *r);
  if (!r) return SCREE_ERROR_MEMORY;
  r->context = context;
  r->descriptor = -1;
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
  if (r->descriptor >= 0) close(r->descriptor);
  for (int i = 0; i < STREAM_COUNT; i++) memory_free(r->context, r->buffer[i]);
  forget_all(r);
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

scree_status recording_bytes(const scree_recording *r, uint64_t address, size_t size, void *out) {
  const check_source source = {
      .context = r->context, .name = r->path, .descriptor = r->descriptor, .size = r->size};
  return check_get(&source, address, size, out)
             ? SCREE_OK
             : context_fail(r->context, SCREE_ERROR_IO, "%s: cannot be read", r->path);
}

scree_status recording_rows(scree_recording *r, int which, uint64_t first, uint64_t count,
                            void *out) {
  const size_t row = which == STREAM_STEPS ? r->step_columns * sizeof(double)
                                           : recording_row_size(&recording_streams[which]);
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
  scree_status status = memory_grow(r->context, &r->buffer[which], &r->room[which], bytes + 8, 1);
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
  return check_frame(r, frame);
}

scree_status scree_recording_get_steps(scree_recording *r, size_t first, size_t count,
                                       double *rows) {
  const size_t have = r->step_columns;
  const scree_status status = recording_rows(r, STREAM_STEPS, first, count, rows);
  if (status || have == SCREE_STEP_COLUMNS) return status;
  for (size_t i = count; i-- > 0;) {
    memmove(rows + i * SCREE_STEP_COLUMNS, rows + i * have, have * sizeof *rows);
    for (size_t k = have; k < SCREE_STEP_COLUMNS; k++) rows[i * SCREE_STEP_COLUMNS + k] = NAN;
  }
  return SCREE_OK;
}

scree_status scree_recording_get_times(scree_recording *r, size_t first, size_t count,
                                       double *times) {
  return recording_rows(r, STREAM_FRAME_TIME, first, count, times);
}

#endif
