/* Checksums of recordings, compared; see recording.h. */
#include <stdio.h>
#include <string.h>

#include "base/crc.h"
#include "base/memory.h"
#include "recording/store.h"

#ifdef SCREE_WITH_HDF5

static const char *const column_names[CHECK_COLUMNS] = {
    [CHECK_INDEX] = "the index is",
    [CHECK_TIME] = "the time is",
    [CHECK_ID] = "the ids of bodies are",
    [CHECK_POSE] = "the poses are",
    [CHECK_VELOCITY] = "the velocities are",
    [CHECK_CONTACT_BODIES] = "the bodies of contacts are",
    [CHECK_CONTACT_VALUES] = "the contacts are",
};

static const char advice[] =
    "`scree verify` looks through all, `scree salvage` saves what is intact";

scree_status recording_frame_checks(scree_recording *r, uint64_t frame, uint32_t *checks) {
  return r->checked ? recording_rows(r, STREAM_CHECK_FRAMES, frame, 1, checks) : SCREE_OK;
}

bool recording_is_whole(const scree_recording *r, const uint32_t *checks, int column,
                        const void *rows, size_t size) {
  return !r->checked || checks[column] == crc32c(0, rows, size);
}

scree_status recording_frame_fault(const scree_recording *r, uint64_t frame, int column) {
  return context_fail(r->context, SCREE_ERROR_INPUT,
                      "%s: frame %llu: %s damaged: the checksum is wrong; %s", r->path,
                      (unsigned long long)frame, column_names[column], advice);
}

enum { BATCH = 128 };

scree_status recording_checked_times(scree_recording *r, uint64_t first, uint64_t count,
                                     double *times) {
  scree_status status = recording_rows(r, STREAM_FRAME_TIME, first, count, times);
  uint32_t checks[BATCH][CHECK_COLUMNS];
  for (uint64_t done = 0; done < count && !status && r->checked; done += BATCH) {
    const uint64_t n = count - done < BATCH ? count - done : BATCH;
    status = recording_rows(r, STREAM_CHECK_FRAMES, first + done, n, checks);
    for (uint64_t i = 0; i < n && !status; i++)
      if (!recording_is_whole(r, checks[i], CHECK_TIME, &times[done + i], sizeof *times))
        status = recording_frame_fault(r, first + done + i, CHECK_TIME);
  }
  return status;
}

scree_status recording_checked_steps(scree_recording *r, uint64_t first, uint64_t count,
                                     double *rows) {
  scree_status status = recording_rows(r, STREAM_STEPS, first, count, rows);
  uint32_t checks[BATCH];
  for (uint64_t done = 0; done < count && !status && r->checked; done += BATCH) {
    const uint64_t n = count - done < BATCH ? count - done : BATCH;
    status = recording_rows(r, STREAM_CHECK_STEPS, first + done, n, checks);
    for (uint64_t i = 0; i < n && !status; i++) {
      const unsigned long long step = first + done + i + 1;
      if (checks[i] != crc32c(0, rows + (done + i) * r->step_width, 8 * r->step_width))
        status = context_fail(r->context, SCREE_ERROR_INPUT,
                              "%s: step %llu: its row in the log of steps is damaged: the checksum "
                              "is wrong; %s",
                              r->path, step, advice);
    }
  }
  return status;
}

bool recording_is_listed_whole(const uint32_t *row, const double *mass, uint32_t check) {
  return check == crc32c(crc32c(0, row, 5 * sizeof *row), mass, 2 * sizeof *mass);
}

/* ---- the end of a file that was not closed -------------------------------------------------- */

/* Format 2: index rows that were never filled. */
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

scree_status recording_drop_unfinished(scree_recording *r) {
  if (!r->checked) return drop_empty_frames(r);
  scree_frame frame;
  for (size_t n; (n = scree_recording_frame_count(r)) > 0; r->dropped_frames++) {
    const scree_status status = scree_recording_get_frame(r, n - 1, &frame);
    if (status && status != SCREE_ERROR_INPUT) return status;
    if (!status) break;
    r->rows[STREAM_FRAME_INDEX] = n - 1;
  }
  double *row = memory_new(r->context, r->step_width, sizeof *row);
  if (!row) return SCREE_ERROR_MEMORY;
  scree_status status = SCREE_OK;
  for (size_t n; (n = scree_recording_step_count(r)) > 0; r->dropped_steps++) {
    status = recording_checked_steps(r, n - 1, 1, row);
    if (status != SCREE_ERROR_INPUT) break;
    r->rows[STREAM_STEPS] = n - 1;
    status = SCREE_OK;
  }
  memory_free(r->context, row);
  return status;
}

/* ---- what its checkpoint knows of it -------------------------------------------------------- */

scree_status recording_find_checkpoint(scree_recording *r, checkpoint_in *in) {
  for (int age = 0; age < 2; age++) {
    const scree_status status = checkpoint_load(r->context, r->path, age, in);
    if (status || (in->state == CHECKPOINT_GOOD && in->run == r->run)) return status;
    checkpoint_clear(r->context, in);
  }
  return SCREE_OK;
}

scree_status recording_find_reach(scree_recording *r, recording_reach *reach) {
  checkpoint_in in;
  scree_recording *then = NULL;
  *reach = (recording_reach){0};
  scree_status status = recording_find_checkpoint(r, &in);
  if (!status && in.state == CHECKPOINT_GOOD && in.part_size[CHECKPOINT_STRUCTURE])
    status =
        recording_open(r->context, r->path,
                       &(recording_open_def){.structure = in.part[CHECKPOINT_STRUCTURE],
                                             .structure_size = in.part_size[CHECKPOINT_STRUCTURE],
                                             .mine = r->mine},
                       &then);
  if (then)
    *reach = (recording_reach){.frames = scree_recording_frame_count(then),
                               .steps = scree_recording_step_count(then),
                               .bodies = then->rows[STREAM_BODY_LIST],
                               .told_frames = then->told[STREAM_FRAME_TIME],
                               .told_steps = then->told[STREAM_STEPS],
                               .told_bodies = then->told[STREAM_BODY_LIST]};
  scree_recording_close(then);
  checkpoint_clear(r->context, &in);
  return status;
}

bool recording_is_short(const recording_reach *reach) {
  return reach->frames < reach->told_frames || reach->steps < reach->told_steps ||
         reach->bodies < reach->told_bodies;
}

void recording_tell_short(const recording_reach *h, char *text, size_t size) {
  snprintf(text, size,
           "it is shorter than its checkpoint says: %llu of %llu frames, %llu of %llu steps",
           (unsigned long long)h->frames, (unsigned long long)h->told_frames,
           (unsigned long long)h->steps, (unsigned long long)h->told_steps);
}

bool recording_reaches(scree_recording *r, const recording_counts *c) {
  for (int i = 0; i < STREAM_COUNT; i++)
    if (r->there[i] && i != STREAM_FRAME_INDEX && i != STREAM_STEPS &&
        r->rows[i] < recording_count_of(c, i))
      return false;
  return scree_recording_frame_count(r) >= c->frames && scree_recording_step_count(r) >= c->steps;
}

#endif
