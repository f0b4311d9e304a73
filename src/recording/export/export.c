/* The loop of an export: frames to tables to files. */
#include "recording/export/export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/definition.h"

scree_export_def scree_export_def_default(void) {
  return (scree_export_def){
      .cookie = DEFINITION_COOKIE, .from = -INFINITY, .to = INFINITY, .every = 1};
}

#ifndef SCREE_WITH_HDF5

scree_status scree_export(scree_recording *recording, const scree_export_def *def,
                          scree_export_info *info) {
  (void)recording, (void)def; /* there are no recordings */
  if (info) *info = (scree_export_info){0};
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status scree_export_estimate(scree_recording *recording, const scree_export_def *def,
                                   scree_export_info *info) {
  return scree_export(recording, def, info);
}

#else

#include "base/argument.h"
#include "base/fresh.h"
#include "base/number.h"
#include "recording/store.h"

enum { PART_COUNT = 4, PATH_SIZE = 4096, STEP_BATCH = 1024 };

static const char *const part_names[PART_COUNT] = {"bodies", "contacts", "steps", "surfaces"};

typedef struct text_file {
  FILE *file;
  fresh place;
} text_file;

typedef struct job {
  scree_context *context;
  const scree_export_def *def;
  unsigned parts;
  export_store store;
  export_surface surface;
  text_file text[PART_COUNT]; /* a CSV table, or a series */
  double *times;
  size_t total;  /* frames in the recording */
  bool estimate; /* count only */
  scree_export_info info;
} job;

static scree_status write_fault(scree_context *context, const char *path) {
  return context_fail(context, SCREE_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
}

static bool name_file(char *path, const job *j, int part, const char *end) {
  return (size_t)snprintf(path, PATH_SIZE, "%s_%s%s", j->def->out, part_names[part], end) <
         PATH_SIZE - 16;
}

static scree_status begin_text(job *j, int part, const char *end) {
  text_file *t = &j->text[part];
  char path[PATH_SIZE];
  if (!name_file(path, j, part, end))
    return context_fail(j->context, SCREE_ERROR_ARGUMENT, "%s: the path is too long", j->def->out);
  errno = fresh_open(&t->place, path);
  t->file = errno ? NULL : fresh_stream(&t->place);
  if (t->file) return SCREE_OK;
  const scree_status status = write_fault(j->context, path);
  fresh_drop(&t->place);
  return status;
}

static scree_status end_text(job *j, int part, bool good) {
  text_file *t = &j->text[part];
  if (!t->file) return SCREE_OK;
  errno = 0;
  bool whole = fflush(t->file) == 0 && !ferror(t->file);
  const long size = ftell(t->file);
  whole = fclose(t->file) == 0 && whole;
  t->file = NULL;
  if (good && whole) whole = !(errno = fresh_place(&t->place, true));
  const scree_status status = good && !whole ? write_fault(j->context, t->place.path) : SCREE_OK;
  fresh_drop(&t->place);
  if (good && whole && size > 0) j->info.bytes += (double)size;
  j->info.files += good && whole;
  return status;
}

static bool wants(const job *j, int part) {
  return (j->parts >> part & 1U) != 0;
}

/* ---- a frame -------------------------------------------------------------------------------- */

/* Names in a series are relative to it. */
static void add_to_series(FILE *series, const char *path, double time, bool first) {
  const char *slash = strrchr(path, '/');
  fprintf(series, "%s\n    {\"name\": \"", first ? "" : ",");
  for (const char *c = slash ? slash + 1 : path; *c; c++) {
    if (*c == '"' || *c == '\\') fputc('\\', series);
    fputc((unsigned char)*c < 0x20 ? '?' : *c, series);
  }
  char text[40];
  number_format(text, sizeof text, "%.17g", time);
  fprintf(series, "\", \"time\": %s}", text);
}

/* The file of shapes for the bodies of this frame; the last one, where they are the same. */
static scree_status write_shapes(job *j, const scree_frame *f, const export_table *table) {
  export_store *s = &j->store;
  char path[PATH_SIZE], end[48];
  const size_t n = 3 * f->body_count;
  if (s->shape_files && s->shape_count == n &&
      (!n || memcmp(s->shape_ids, f->ids, n * sizeof *f->ids) == 0))
    return SCREE_OK;
  snprintf(end, sizeof end, "_shapes_%04zu.hdf", s->shape_files);
  if (!name_file(path, j, 3, end))
    return context_fail(j->context, SCREE_ERROR_ARGUMENT, "%s: the path is too long", j->def->out);
  scree_status status = memory_grow(j->context, &s->shape_ids, n + 1, sizeof *s->shape_ids);
  if (!status)
    status = export_vtkhdf_shapes(s, path, table, &j->surface, !j->estimate, &j->info.bytes);
  if (status) return status;
  const char *slash = strrchr(path, '/');
  if ((size_t)snprintf(s->shape_name, sizeof s->shape_name, "%s", slash ? slash + 1 : path) >=
      sizeof s->shape_name)
    return context_fail(j->context, SCREE_ERROR_ARGUMENT, "%s: the name is too long", path);
  if (n) memcpy(s->shape_ids, f->ids, n * sizeof *f->ids);
  s->shape_count = n;
  s->shape_files++;
  j->info.files++;
  return SCREE_OK;
}

static scree_status write_grid(job *j, int part, size_t i, const scree_frame *frame,
                               const export_table *table, const export_surface *surface) {
  char path[PATH_SIZE], end[32];
  int digits = 4;
  for (size_t n = j->total; n > 10000; n /= 10) digits++;
  snprintf(end, sizeof end, "_%0*zu.hdf", digits, i);
  if (!name_file(path, j, part, end))
    return context_fail(j->context, SCREE_ERROR_ARGUMENT, "%s: the path is too long", j->def->out);
  const scree_status status =
      export_vtkhdf(&j->store, path, frame, table, surface, !j->estimate, &j->info.bytes);
  if (status) return status;
  j->info.files++;
  if (j->estimate) return SCREE_OK;
  add_to_series(j->text[part].file, path, frame->time, j->info.frames == 0);
  return SCREE_OK;
}

static scree_status write_table(job *j, int part, size_t i, const scree_frame *frame,
                                const export_table *table) {
  if (j->def->format == SCREE_EXPORT_VTKHDF) return write_grid(j, part, i, frame, table, NULL);
  FILE *file = j->text[part].file;
  errno = 0;
  if (j->info.frames == 0 && !j->estimate) export_csv_header(file, table);
  export_csv_rows(file, &j->store, i, frame->time, table);
  return ferror(file) ? write_fault(j->context, j->text[part].place.path) : SCREE_OK;
}

static scree_status write_frame(job *j, size_t i) {
  scree_frame frame;
  export_table bodies, contacts;
  scree_status status = scree_recording_get_frame(j->store.recording, i, &frame);
  if (!status && (wants(j, 0) || wants(j, 3))) status = export_bodies(&j->store, &frame, &bodies);
  if (!status && wants(j, 0)) status = write_table(j, 0, i, &frame, &bodies);
  if (!status && wants(j, 1)) {
    status = export_contacts(&j->store, &frame, &contacts);
    if (!status) status = write_table(j, 1, i, &frame, &contacts);
  }
  if (!status && wants(j, 3)) {
    status = export_surfaces(&j->store, &frame, &j->surface);
    if (!status) status = write_shapes(j, &frame, &bodies);
    if (!status) status = write_grid(j, 3, i, &frame, &bodies, &j->surface);
  }
  return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

/* Times are sums of steps: the last digits do not count. */
static bool is_within(const job *j, double time) {
  const double slack = 1e-9 * (1e-3 + fabs(time));
  return time >= j->def->from - slack && time <= j->def->to + slack;
}

static scree_status write_steps(job *j) {
  const size_t count = scree_recording_step_count(j->store.recording);
  double *rows = memory_new(j->context, STEP_BATCH * SCREE_STEP_COLUMNS, sizeof *rows);
  if (!rows) return SCREE_ERROR_MEMORY;
  FILE *file = j->text[2].file;
  scree_status status = SCREE_OK;
  export_csv_steps_header(file);
  for (size_t first = 0; first < count && !status; first += STEP_BATCH) {
    const size_t n = count - first < STEP_BATCH ? count - first : STEP_BATCH;
    status = scree_recording_get_steps(j->store.recording, first, n, rows);
    for (size_t i = 0; i < n && !status; i++) {
      const double *row = &rows[i * SCREE_STEP_COLUMNS];
      if (is_within(j, row[SCREE_STEP_time])) export_csv_step(file, row);
    }
    if (!status && ferror(file)) status = write_fault(j->context, j->text[2].place.path);
  }
  memory_free(j->context, rows);
  return status;
}

/* The frames within the span, every n-th of them. */
static bool is_chosen(const job *j, size_t i, size_t *seen) {
  if (!is_within(j, j->times[i])) return false;
  return (*seen)++ % j->def->every == 0;
}

static scree_status write_frames(job *j) {
  size_t chosen = 0, seen = 0;
  for (size_t i = 0; i < j->total; i++) chosen += is_chosen(j, i, &seen);
  if (!chosen)
    return context_fail(j->context, SCREE_ERROR_INPUT,
                        "%s: no frame lies within %g s to %g s; %zu frames go from %g s to %g s",
                        j->store.recording->path, j->def->from, j->def->to, j->total,
                        j->total ? j->times[0] : 0.0, j->total ? j->times[j->total - 1] : 0.0);
  seen = 0;
  for (size_t i = 0; i < j->total; i++) {
    if (!is_chosen(j, i, &seen)) continue;
    const scree_status status = write_frame(j, i);
    if (status) return status;
    j->info.frames++;
    if (j->def->progress && !j->def->progress(j->def->user, j->info.frames, chosen)) break;
  }
  return SCREE_OK;
}

/* ---- how much ------------------------------------------------------------------------------- */

enum { SAMPLES = 3 };

/* Tables of text are written into memory and counted. */
static scree_status sample_frame(job *j, size_t i, double *bytes) {
  char *text[PART_COUNT] = {NULL};
  size_t size[PART_COUNT] = {0};
  const bool grid = j->def->format == SCREE_EXPORT_VTKHDF;
  scree_status status = SCREE_OK;
  for (int p = 0; p < PART_COUNT && !grid && !status; p++) {
    if (!wants(j, p)) continue;
    j->text[p].file = open_memstream(&text[p], &size[p]);
    if (!j->text[p].file) status = SCREE_ERROR_MEMORY;
  }
  j->info.bytes = 0.0;
  if (!status) status = write_frame(j, i);
  *bytes = j->info.bytes;
  for (int p = 0; p < PART_COUNT && !grid; p++) {
    if (j->text[p].file) fclose(j->text[p].file);
    j->text[p].file = NULL;
    *bytes += (double)size[p];
    free(text[p]);
  }
  return status;
}

/* From the first, middle and last frame; a frame whose bodies are others than those of the one
 * before needs shapes of its own. */
static scree_status estimate(job *j) {
  scree_world *world;
  size_t chosen = 0, seen = 0, *frames = memory_new(j->context, j->total + 1, sizeof *frames);
  scree_status status = frames ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) status = scree_recording_get_scene(j->store.recording, &j->store.scene, &world);
  j->times = memory_new(j->context, j->total + 1, sizeof *j->times);
  if (!status && !j->times) status = SCREE_ERROR_MEMORY;
  if (!status) status = scree_recording_get_times(j->store.recording, 0, j->total, j->times);
  for (size_t i = 0; i < j->total && !status; i++)
    if (is_chosen(j, i, &seen)) frames[chosen++] = i;
  double sum = 0.0, one = 0.0, shapes = 0.0;
  size_t samples = 0;
  for (int k = 0; k < SAMPLES && chosen && !status; k++) {
    if (k && chosen < (size_t)k + 1) break;
    const size_t at = (size_t)k * (chosen - 1) / (SAMPLES - 1), files = j->store.shape_files;
    status = sample_frame(j, frames[at], &one);
    /* Shapes that all frames share count once; else every frame may have its own. */
    double again = one;
    if (!status && j->store.shape_files > files && wants(j, 3)) {
      status = sample_frame(j, frames[at], &again);
      shapes = k ? shapes : one - again;
    }
    const bool changes = j->store.shape_files > 1;
    sum += changes ? one : again;
    samples++;
  }
  const double steps = wants(j, 2) ? 12.0 * SCREE_STEP_COLUMNS *
                                         (double)scree_recording_step_count(j->store.recording)
                                   : 0.0;
  const size_t parts = (size_t)wants(j, 0) + (size_t)wants(j, 1) + (size_t)wants(j, 3);
  const bool grid = j->def->format == SCREE_EXPORT_VTKHDF;
  j->info = (scree_export_info){
      .frames = chosen,
      .files = grid ? parts * (chosen + 1) + (size_t)wants(j, 3) : parts + (size_t)wants(j, 2),
      .bytes = (samples ? sum / (double)samples : 0.0) * (double)chosen + shapes + steps};
  memory_free(j->context, frames);
  return status;
}

static scree_status run(job *j) {
  const bool grid = j->def->format == SCREE_EXPORT_VTKHDF;
  scree_world *world;
  scree_status status = scree_recording_get_scene(j->store.recording, &j->store.scene, &world);
  j->times = memory_new(j->context, j->total, sizeof *j->times);
  if (!j->times) return SCREE_ERROR_MEMORY;
  if (!status) status = scree_recording_get_times(j->store.recording, 0, j->total, j->times);
  for (int p = 0; p < PART_COUNT && !status; p++)
    if (wants(j, p)) {
      status = begin_text(j, p, grid ? ".hdf.series" : ".csv");
      if (!status && grid)
        fputs("{\n  \"file-series-version\": \"1.0\",\n  \"files\": [", j->text[p].file);
    }
  if (!status && (j->parts & ~(unsigned)SCREE_EXPORT_STEPS)) status = write_frames(j);
  if (!status && wants(j, 2)) status = write_steps(j);
  for (int p = 0; p < PART_COUNT; p++) {
    if (grid && j->text[p].file) fputs("\n  ]\n}\n", j->text[p].file);
    const scree_status ended = end_text(j, p, !status);
    if (!status) status = ended;
  }
  return status;
}

static scree_status export_all(scree_recording *recording, const scree_export_def *def,
                               bool only_estimate, scree_export_info *info) {
  scree_context *context = recording->context;
  DEFINITION_CHECK(context, def, export_def);
  const bool grid = def->format == SCREE_EXPORT_VTKHDF;
  const unsigned allowed = SCREE_EXPORT_BODIES | SCREE_EXPORT_CONTACTS |
                           (grid ? (unsigned)SCREE_EXPORT_SURFACES : (unsigned)SCREE_EXPORT_STEPS);
  if (info) *info = (scree_export_info){0};
  if (def->format != SCREE_EXPORT_VTKHDF && def->format != SCREE_EXPORT_CSV)
    return context_fail(context, SCREE_ERROR_ARGUMENT, "scree_export: there is no format %d",
                        (int)def->format);
  if (!def->out || !*def->out || def->every < 1 || isnan(def->from) || isnan(def->to))
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "scree_export: it needs a stem of names, every >= 1, from and to");
  if (def->parts & ~allowed)
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        grid ? "VTKHDF holds bodies, contacts and surfaces; the log of steps is "
                               "written as CSV"
                             : "CSV holds bodies, contacts and steps; surfaces are written as "
                               "VTKHDF");
  job *j = memory_new(context, 1, sizeof *j);
  if (!j) return SCREE_ERROR_MEMORY;
  j->context = j->store.context = j->surface.context = context;
  j->store.recording = recording;
  j->def = def;
  j->parts = def->parts ? def->parts : allowed & ~(unsigned)SCREE_EXPORT_SURFACES;
  j->total = scree_recording_frame_count(recording);
  j->estimate = only_estimate;
  const scree_status status = only_estimate ? estimate(j) : run(j);
  if (info) *info = j->info;
  export_store_clear(&j->store);
  export_surface_clear(&j->surface);
  memory_free(context, j->times);
  memory_free(context, j);
  return status;
}

scree_status scree_export(scree_recording *recording, const scree_export_def *def,
                          scree_export_info *info) {
  ARGUMENT_CHECK(recording ? recording->context : NULL, recording && def);
  return export_all(recording, def, false, info);
}

scree_status scree_export_estimate(scree_recording *recording, const scree_export_def *def,
                                   scree_export_info *info) {
  ARGUMENT_CHECK(recording ? recording->context : NULL, recording && def);
  return export_all(recording, def, true, info);
}
#endif
