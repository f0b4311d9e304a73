/* What is intact in a damaged recording, in a new one. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/argument.h"
#include "base/memory.h"
#include "model/world.h"
#include "recording/store.h"

#ifdef SCREE_WITH_HDF5

enum { LIST_COLUMNS = 5, REPORT_LIMIT = 200 };

typedef struct job {
  scree_recording *from;
  scree_context *context;
  const scree_salvage_def *def;
  scree_salvage_info *info;
  recorder *to;
  scree_world *world; /* of the scene */
  uint64_t *known;    /* place and generation of bodies in the list, sorted */
  size_t known_count;
  size_t reported;
} job;

static void tell(job *j, const char *format, ...) SCREE_PRINTF(2, 3);
static void tell(job *j, const char *format, ...) {
  char text[CONTEXT_MESSAGE_SIZE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  char *advice = strstr(text, "; `scree ");
  if (advice) *advice = '\0';
  if (j->def->report && ++j->reported <= REPORT_LIMIT) j->def->report(j->def->report_user, text);
}

static uint64_t key_of(uint32_t place, uint32_t generation) {
  return (uint64_t)place << 32 | generation;
}

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static scree_status note_known(job *j, uint64_t key) {
  const scree_status status =
      memory_grow(j->context, &j->known, j->known_count + 1, sizeof *j->known);
  if (!status) j->known[j->known_count++] = key;
  return status;
}

/* Lost rows that follow each other, reported in one line. */
typedef struct lost_range {
  const char *what; /* "frames" */
  size_t base;      /* number of the first of all */
  size_t first, count;
} lost_range;

static void tell_range(job *j, lost_range *lost) {
  const size_t first = lost->base + lost->first;
  if (lost->count)
    tell(j, "%s: %s %zu to %zu: not whole in the file", j->from->path, lost->what, first,
         first + lost->count - 1);
  lost->count = 0;
}

/* Notes a row that cannot be read. If the file is not cut short, the message of the failed read
 * says why. */
static void lose(job *j, lost_range *lost, size_t i) {
  if (!j->from->cut) {
    tell(j, "%s", j->context->message);
    return;
  }
  if (!lost->count) lost->first = i;
  lost->count = i - lost->first + 1;
}

/* Notes the rows behind the last one that is in the file, and returns their number. */
static size_t lose_end(job *j, lost_range *lost, int stream, size_t have) {
  const uint64_t told = j->from->cut ? j->from->told[stream] : 0;
  if (told <= have) {
    tell_range(j, lost);
    return 0;
  }
  if (!lost->count) lost->first = have;
  lost->count = (size_t)told - lost->first;
  tell_range(j, lost);
  return (size_t)told - have;
}

static scree_status save_list(job *j) {
  scree_recording *r = j->from;
  lost_range lost = {.what = "rows of its list of bodies"};
  uint64_t count = r->rows[STREAM_BODY_LIST];
  if (r->rows[STREAM_BODY_MASS] < count) count = r->rows[STREAM_BODY_MASS];
  if (r->checked && r->rows[STREAM_CHECK_LIST] < count) count = r->rows[STREAM_CHECK_LIST];
  scree_status status = SCREE_OK;
  for (uint64_t i = 0; i < count && !status; i++) {
    uint32_t row[LIST_COLUMNS], check = 0;
    double mass[2];
    status = recording_rows(r, STREAM_BODY_LIST, i, 1, row);
    if (!status) status = recording_rows(r, STREAM_BODY_MASS, i, 1, mass);
    if (!status && r->checked) status = recording_rows(r, STREAM_CHECK_LIST, i, 1, &check);
    if (status == SCREE_ERROR_INPUT && r->cut) {
      j->info->lost_bodies++;
      lose(j, &lost, (size_t)i);
      status = SCREE_OK;
      continue;
    }
    if (status) break;
    tell_range(j, &lost);
    if (r->checked && !recording_is_listed_whole(row, mass, check)) {
      j->info->lost_bodies++;
      tell(j, "%s: row %llu of its list of bodies is damaged", r->path, (unsigned long long)i);
      continue;
    }
    status = recorder_copy_listed(j->to, row, mass);
    if (!status) status = note_known(j, key_of(row[0], row[1]));
    j->info->bodies++;
  }
  if (!status) j->info->lost_bodies += lose_end(j, &lost, STREAM_BODY_LIST, (size_t)count);
  if (j->known_count) qsort(j->known, j->known_count, sizeof *j->known, compare);
  return status;
}

/* Bodies of a frame whose row in the list is lost: the scene's own are known from its world. */
static scree_status save_missing(job *j, const scree_frame *f) {
  const size_t sorted = j->known_count;
  const world_bodies *b = &j->world->bodies;
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < f->body_count && !status; i++) {
    const uint32_t place = f->ids[3 * i];
    const uint64_t key = key_of(place, f->ids[3 * i + 1]);
    if (sorted && bsearch(&key, j->known, sorted, sizeof key, compare)) continue;
    const bool there =
        place < scree_world_body_limit(j->world) && b->generation[place] == f->ids[3 * i + 1];
    const uint32_t row[LIST_COLUMNS] = {place, f->ids[3 * i + 1], f->ids[3 * i + 2],
                                        there ? (uint32_t)b->kind[place] : SCREE_BODY_DYNAMIC,
                                        there ? b->material[place] : 0};
    const double mass[2] = {there ? b->mass[place] : 0.0, there ? b->diameter[place] : INFINITY};
    if (!there)
      tell(
          j,
          "%s: body %u (%u) was emitted and its row in the list is lost: its mass is reported as 0",
          j->from->path, place, row[1]);
    status = recorder_copy_listed(j->to, row, mass);
    if (!status) status = note_known(j, key);
  }
  if (j->known_count > sorted) qsort(j->known, j->known_count, sizeof *j->known, compare);
  return status;
}

static scree_status save_frames(job *j) {
  lost_range lost = {.what = "frames"};
  const size_t count = scree_recording_frame_count(j->from);
  for (size_t i = 0; i < count; i++) {
    scree_frame frame;
    scree_status status = scree_recording_get_frame(j->from, i, &frame);
    if (status == SCREE_ERROR_INPUT) {
      j->info->lost_frames++;
      lose(j, &lost, i);
      continue;
    }
    tell_range(j, &lost);
    if (!status && (j->info->lost_bodies || j->from->cut)) status = save_missing(j, &frame);
    if (!status) status = recorder_copy_frame(j->to, &frame);
    if (status) return status;
    j->info->frames++;
  }
  j->info->lost_frames += lose_end(j, &lost, STREAM_FRAME_TIME, count);
  return SCREE_OK;
}

/* Rows that keep the place of lost ones. */
static scree_status add_empty_steps(job *j, size_t count) {
  double row[SCREE_STEP_COLUMNS];
  scree_status status = SCREE_OK;
  for (int k = 0; k < SCREE_STEP_COLUMNS; k++) row[k] = NAN;
  for (size_t i = 0; i < count && !status; i++) status = recorder_add_step(j->to, row);
  return status;
}

static scree_status save_steps(job *j) {
  const size_t count = scree_recording_step_count(j->from);
  lost_range lost = {.what = "steps", .base = 1};
  size_t empty = 0; /* not written yet: behind the last step of a file that was cut are none */
  for (size_t i = 0; i < count; i++) {
    double row[SCREE_STEP_COLUMNS];
    scree_status status = scree_recording_get_steps(j->from, i, 1, row);
    if (status == SCREE_ERROR_INPUT) {
      j->info->lost_steps++;
      lose(j, &lost, i);
      empty++;
      continue;
    }
    tell_range(j, &lost);
    j->info->steps++;
    if (!status) status = add_empty_steps(j, empty);
    if (!status) status = recorder_add_step(j->to, row);
    if (status) return status;
    empty = 0;
  }
  j->info->lost_steps += lose_end(j, &lost, STREAM_STEPS, count);
  return j->from->cut ? SCREE_OK : add_empty_steps(j, empty);
}

/* What the checkpoint counts and the file does not have. These rows left no trace in the file, so
 * they can only be counted. */
static scree_status count_missing(job *j) {
  recording_reach reach;
  char text[CONTEXT_MESSAGE_SIZE];
  scree_salvage_info *i = j->info;
  if (j->from->cut) return SCREE_OK; /* its structure tells all, see lose_end */
  const scree_status status = recording_find_reach(j->from, &reach);
  if (status) return status == SCREE_ERROR_INPUT ? SCREE_OK : status;
  if (!recording_is_short(&reach)) return SCREE_OK;
  recording_tell_short(&reach, text, sizeof text);
  tell(j, "%s: %s", j->from->path, text);
  if (i->frames + i->lost_frames < reach.told_frames)
    i->lost_frames = (size_t)reach.told_frames - i->frames;
  if (i->steps + i->lost_steps < reach.told_steps)
    i->lost_steps = (size_t)reach.told_steps - i->steps;
  if (i->bodies + i->lost_bodies < reach.told_bodies)
    i->lost_bodies = (size_t)reach.told_bodies - i->bodies;
  return SCREE_OK;
}

static scree_status save_all(job *j, const scree_scene *scene) {
  /* Another run: no checkpoint of the damaged one fits it. */
  const uint64_t run = j->from->run * 0x9e3779b97f4a7c15u + 1;
  scree_status status =
      recorder_create(j->context, j->def->out, scene, run, j->def->replace, &j->to);
  if (!status) status = save_list(j);
  if (!status) status = save_frames(j);
  if (!status) status = save_steps(j);
  if (!status) status = count_missing(j);
  if (!status) {
    checkpoint_forget(j->context, j->def->out);
    status = recorder_publish(j->to);
  }
  const scree_status closed = recorder_close(j->to);
  return status ? status : closed;
}

/* Neither the recording nor a table of its probes nor a scene that is read is written to. */
static bool is_read(const scree_recording *r, const scree_scene *scene, const char *out) {
  char table[CLAIM_PATH];
  bool own = claim_is_same(r->path, out);
  for (size_t i = 0; i < scree_scene_file_count(scene) && !own; i++)
    own = claim_is_same(scree_scene_file_path(scene, i), out);
  for (size_t i = 0; i < scree_scene_probe_count(scene) && !own; i++) {
    scree_probe_def p;
    if (scree_scene_get_probe(scene, i, &p)) continue;
    recording_table_path(r->path, p.name, table);
    own = claim_is_same(table, out);
  }
  return own;
}

scree_status scree_recording_salvage(scree_recording *r, const scree_salvage_def *def,
                                     scree_salvage_info *info) {
  ARGUMENT_CHECK(r ? r->context : NULL, r && def && def->out && info);
  job j = {.from = r, .context = r->context, .def = def, .info = info};
  scree_scene *own = NULL, *scene = def->scene;
  *info = (scree_salvage_info){0};
  scree_status status = SCREE_OK;
  if (!scene) {
    status = recording_read_scene(r, &own);
    scene = own;
  }
  if (!status) status = scree_scene_build(scene, &j.world);
  if (!status && is_read(r, scene, def->out))
    status = context_fail(r->context, SCREE_ERROR_ARGUMENT,
                          "%s: it is read from, so it is not written; give another name", def->out);
  if (!status) status = save_all(&j, scene);
  scree_world_destroy(j.world);
  scree_scene_destroy(own);
  memory_free(r->context, j.known);
  return status;
}
#endif
