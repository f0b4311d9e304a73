/* Looking through a recording and what lies beside it. Faults do not end the examination: all that
 * can be compared is compared. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/argument.h"
#include "base/crc.h"
#include "base/memory.h"
#include "recording/store.h"

#ifdef SCREE_WITH_HDF5

enum { REPORT_LIMIT = 100 };

typedef struct examination {
  scree_context *context;
  const char *path;
  scree_report_function report;
  void *user;
  scree_recording_faults *found;
} examination;

static void tell(examination *l, const char *format, ...) SCREE_PRINTF(2, 3);
static void tell(examination *l, const char *format, ...) {
  char text[CONTEXT_MESSAGE_SIZE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (++l->found->faults > REPORT_LIMIT || !l->report) return;
  if (l->found->faults == REPORT_LIMIT) snprintf(text, sizeof text, "%s: and more", l->path);
  l->report(l->user, text);
}

/* The message of what failed, without its advice. */
static void tell_last(examination *l) {
  char text[CONTEXT_MESSAGE_SIZE];
  snprintf(text, sizeof text, "%s", l->context->message);
  char *advice = strstr(text, "; `scree ");
  if (advice) *advice = '\0';
  tell(l, "%s", text);
}

/* Examines a file that was cut short: one message for all, as everything behind the cut is missing.
 */
static scree_status examine_rests(examination *l, scree_recording *r) {
  scree_recording_faults *f = l->found;
  scree_frame frame;
  double row[SCREE_STEP_COLUMNS];
  size_t frames = 0, steps = 0;
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < scree_recording_frame_count(r); i++) {
    status = scree_recording_get_frame(r, i, &frame);
    if (status && status != SCREE_ERROR_INPUT) return status;
    frames += !status;
  }
  for (size_t i = 0; i < scree_recording_step_count(r); i++) {
    status = scree_recording_get_steps(r, i, 1, row);
    if (status && status != SCREE_ERROR_INPUT) return status;
    steps += !status;
  }
  f->frames = (size_t)r->told[STREAM_FRAME_TIME];
  f->bad_frames = f->frames - frames;
  f->steps = (size_t)r->told[STREAM_STEPS];
  tell(l, "%s: %zu of %zu frames and %zu of %zu steps are whole", l->path, frames, f->frames, steps,
       f->steps);
  return SCREE_OK;
}

static scree_status examine_frames(examination *l, scree_recording *r) {
  l->found->frames = scree_recording_frame_count(r);
  for (size_t i = 0; i < l->found->frames; i++) {
    scree_frame frame;
    const scree_status status = scree_recording_get_frame(r, i, &frame);
    if (status && status != SCREE_ERROR_INPUT) return status;
    if (!status) continue;
    l->found->bad_frames++;
    tell_last(l);
  }
  return SCREE_OK;
}

static scree_status examine_steps(examination *l, scree_recording *r) {
  double *row = memory_new(r->context, r->step_width, sizeof *row);
  if (!row) return SCREE_ERROR_MEMORY;
  scree_status status = SCREE_OK;
  l->found->steps = scree_recording_step_count(r);
  for (size_t i = 0; i < l->found->steps && !status; i++) {
    status = recording_checked_steps(r, i, 1, row);
    if (status == SCREE_ERROR_INPUT) {
      tell_last(l);
      status = SCREE_OK;
    }
  }
  memory_free(r->context, row);
  return status;
}

/* The scene, and the bodies of all frames in the list. */
static scree_status examine_rest(examination *l, scree_recording *r) {
  scree_scene *scene = NULL;
  scree_status status = recording_read_scene(r, &scene);
  scree_scene_destroy(scene);
  if (status == SCREE_ERROR_INPUT) tell_last(l), status = SCREE_OK;
  scree_recorded_body body;
  /* Asking for any body makes the recording read its list of bodies. */
  if (!status) status = scree_recording_get_body(r, (scree_body_id){0, 1}, &body);
  if (status == SCREE_ERROR_INPUT && !r->before) tell_last(l);
  return status == SCREE_ERROR_INPUT ? SCREE_OK : status;
}

/* ---- beside it ------------------------------------------------------------------------------ */

/* `loose`: bytes behind those that the checkpoint knows; a killed run leaves such. */
static scree_status compare_table(scree_context *context, const char *table,
                                  const checkpoint_probe *p, uint64_t *loose) {
  char block[1 << 14];
  const int file = open(table, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return context_fail(context, SCREE_ERROR_INPUT, "%s: cannot be read: %s", table,
                        strerror(errno));
  uint64_t done = 0;
  uint32_t crc = 0;
  while (done < p->bytes) {
    const uint64_t left = p->bytes - done;
    const ssize_t n = read(file, block, left < sizeof block ? (size_t)left : sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    crc = crc32c(crc, block, (size_t)n);
    done += (uint64_t)n;
  }
  struct stat info;
  *loose = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size > p->bytes
               ? (uint64_t)info.st_size - p->bytes
               : 0;
  close(file);
  if (done < p->bytes)
    return context_fail(context, SCREE_ERROR_INPUT,
                        "%s: the table is shorter than its run left it: %llu of %llu bytes", table,
                        (unsigned long long)done, (unsigned long long)p->bytes);
  if (crc != p->crc)
    return context_fail(context, SCREE_ERROR_INPUT,
                        "%s: the table is not as its run left it: the checksum is wrong", table);
  return SCREE_OK;
}

static void entry_of(const checkpoint_in *in, size_t i, checkpoint_probe *p) {
  memcpy(p, in->part[CHECKPOINT_PROBES] + i * sizeof *p, sizeof *p);
  p->name[sizeof p->name - 1] = '\0';
}

static size_t entry_count(const checkpoint_in *in) {
  return in->part_size[CHECKPOINT_PROBES] / sizeof(checkpoint_probe);
}

scree_status scree_recording_verify_probe(scree_recording *r, const char *name, const char *table) {
  ARGUMENT_CHECK(r ? r->context : NULL, r && name);
  checkpoint_in in;
  scree_status status = recording_find_checkpoint(r, &in);
  if (status) return status;
  for (size_t i = 0; i < entry_count(&in) && !status; i++) {
    checkpoint_probe p;
    entry_of(&in, i, &p);
    if (strncmp(p.name, name, sizeof p.name - 1) == 0)
      status = compare_table(r->context, table, &p, &(uint64_t){0});
  }
  checkpoint_clear(r->context, &in);
  return status;
}

void recording_table_path(const char *recording, const char *probe, char path[CLAIM_PATH]) {
  size_t stem = strlen(recording);
  if (stem > 3 && strcmp(recording + stem - 3, ".h5") == 0) stem -= 3;
  snprintf(path, CLAIM_PATH, "%.*s_%s.csv", (int)stem, recording, probe);
}

static scree_status examine_probes(examination *l, const checkpoint_in *in) {
  char table[CLAIM_PATH];
  for (size_t i = 0; i < entry_count(in); i++) {
    checkpoint_probe p;
    entry_of(in, i, &p);
    recording_table_path(l->path, p.name, table);
    uint64_t loose = 0;
    const scree_status status = compare_table(l->context, table, &p, &loose);
    l->found->loose += (size_t)loose;
    if (status == SCREE_ERROR_INPUT) tell_last(l);
    if (status && status != SCREE_ERROR_INPUT) return status;
    l->found->probes++;
  }
  return SCREE_OK;
}

static scree_status examine_reach(examination *l, scree_recording *r) {
  recording_reach reach;
  char text[CONTEXT_MESSAGE_SIZE];
  const scree_status status = recording_find_reach(r, &reach);
  if (status == SCREE_ERROR_INPUT) tell_last(l);
  if (!status && recording_is_short(&reach)) {
    recording_tell_short(&reach, text, sizeof text);
    tell(l, "%s: %s", l->path, text);
  }
  return status == SCREE_ERROR_INPUT ? SCREE_OK : status;
}

static scree_status examine_checkpoints(examination *l, const scree_recording *r) {
  bool compared = false;
  for (int age = 0; age < 2; age++) {
    checkpoint_in in;
    scree_status status = checkpoint_load(l->context, l->path, age, &in);
    const char *end = age ? ".old" : "";
    if (!status && in.state == CHECKPOINT_DAMAGED)
      tell(l, "%s.checkpoint%s: it is damaged: a checksum is wrong", l->path, end);
    else if (!status && in.state == CHECKPOINT_GOOD && in.run != r->run)
      tell(l, "%s.checkpoint%s: it is of another run than the recording", l->path, end);
    else if (!status && in.state == CHECKPOINT_OTHER && r->checked && in.whole)
      l->found->foreign++;
    else if (!status && in.state == CHECKPOINT_OTHER && r->checked)
      tell(l, "%s.checkpoint%s: it is of another version of Scree, or damaged", l->path, end);
    const bool whole = in.state == CHECKPOINT_GOOD && in.run == r->run;
    l->found->checkpoints += whole;
    if (!status && whole && !compared) {
      compared = true;
      status = examine_probes(l, &in);
    }
    checkpoint_clear(l->context, &in);
    if (status) return status;
  }
  return SCREE_OK;
}

scree_status scree_recording_verify(scree_context *context, const char *path,
                                    scree_report_function report, void *user,
                                    scree_recording_faults *found) {
  ARGUMENT_CHECK(context, context && path && found);
  char real[CLAIM_PATH];
  path = claim_real(path, real);
  examination l = {
      .context = context, .path = path, .report = report, .user = user, .found = found};
  *found = (scree_recording_faults){0};
  scree_recording *r = NULL;
  scree_status status = scree_recording_open(context, path, &r);
  if (status == SCREE_ERROR_INPUT) {
    char message[CONTEXT_MESSAGE_SIZE];
    memcpy(message, context->message, sizeof message);
    status = scree_recording_open_damaged(context, path, &r);
    if (status == SCREE_ERROR_INPUT) return context_fail(context, SCREE_ERROR_INPUT, "%s", message);
    if (!status) tell(&l, "%s", message);
  }
  if (status) return status;
  found->checksums = r->checked;
  found->unfinished = r->dropped_frames;
  if (r->rebuilt) tell(&l, "%s: its structure is damaged; that of a checkpoint is used", path);
  status = r->cut ? examine_rests(&l, r) : examine_frames(&l, r);
  if (!status && !r->cut) status = examine_steps(&l, r);
  if (!status && !r->cut) status = examine_rest(&l, r);
  if (!status && !r->cut) status = examine_reach(&l, r);
  if (!status) status = examine_checkpoints(&l, r);
  scree_recording_close(r);
  if (!status && found->faults)
    status =
        context_fail(context, SCREE_ERROR_INPUT, "%s: %zu faults were found", path, found->faults);
  return status;
}
#endif
