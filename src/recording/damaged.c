/* What is left of a recording that was cut short, or whose structure is damaged.
 *
 * Three structures may tell where its rows are: its own, as far as that is in the file, and the
 * copies of its two checkpoints. Each is tried with holes allowed; the one that finds most rows is
 * used. A wrong place is no danger: the rows have checksums of their own. */
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "base/memory.h"
#include "recording/store.h"

#ifdef SCREE_WITH_HDF5

/* Rows whose bytes are in the file, of all streams. */
static uint64_t count_rows(const scree_recording *r) {
  uint64_t sum = 0;
  for (int i = 0; i < STREAM_COUNT; i++) {
    const uint64_t size =
        i == STREAM_STEPS ? 8 * r->step_width : recording_row_size(&recording_streams[i]);
    for (uint64_t first = 0, k = 0; first < r->rows[i]; first += r->chunk_rows[i], k++) {
      const uint64_t at = r->chunk[i][k], left = r->rows[i] - first;
      const uint64_t rows = left < r->chunk_rows[i] ? left : r->chunk_rows[i];
      if (at >= r->size) continue;
      sum += (r->size - at) / size < rows ? (r->size - at) / size : rows;
    }
  }
  return sum;
}

typedef struct choice {
  scree_recording *best;
  uint64_t rows;
  bool named; /* its own structure has told the name of its run */
  uint64_t run;
} choice;

static scree_status try_structure(scree_context *context, const char *path, const char *bytes,
                                  size_t size, choice *c) {
  scree_recording *r = NULL;
  const recording_open_def def = {.structure = bytes, .structure_size = size, .cut = true};
  const scree_status status = recording_open(context, path, &def, &r);
  if (status) return status == SCREE_ERROR_INPUT ? SCREE_OK : status;
  if (!bytes) {
    c->named = true;
    c->run = r->run;
  }
  const uint64_t rows = count_rows(r);
  if (c->best && rows <= c->rows) {
    scree_recording_close(r);
    return SCREE_OK;
  }
  scree_recording_close(c->best);
  c->best = r;
  c->rows = rows;
  /* Patches point into the checkpoint, which is freed; rows are read without them. */
  memory_free(context, r->patches);
  r->patches = NULL;
  r->patch_count = 0;
  return SCREE_OK;
}

static scree_status try_all(scree_context *context, const char *path, choice *c) {
  scree_status status = try_structure(context, path, NULL, 0, c);
  for (int age = 0; age < 2 && !status; age++) {
    checkpoint_in in;
    status = checkpoint_load(context, path, age, &in);
    if (!status && in.state == CHECKPOINT_GOOD && (!c->named || in.run == c->run))
      status = try_structure(context, path, in.part[CHECKPOINT_STRUCTURE],
                             in.part_size[CHECKPOINT_STRUCTURE], c);
    checkpoint_clear(context, &in);
  }
  return status;
}

static void remark(scree_recording *r) {
  uint64_t frames = r->told[STREAM_FRAME_TIME], steps = r->told[STREAM_STEPS];
  snprintf(r->remark, sizeof r->remark,
           "it is cut short or damaged; what is left of its %llu frames and %llu steps is read",
           (unsigned long long)frames, (unsigned long long)steps);
}

/* Is it whole, as far as it and its checkpoint know? */
static scree_status is_whole(scree_recording *r, bool *whole) {
  recording_reach reach = {0};
  *whole = r->live;
  if (r->live || r->rebuilt) return SCREE_OK;
  const scree_status status = recording_find_reach(r, &reach);
  *whole = !status && !recording_is_short(&reach);
  return status == SCREE_ERROR_INPUT ? SCREE_OK : status;
}

scree_status scree_recording_open_damaged(scree_context *context, const char *path,
                                          scree_recording **recording) {
  ARGUMENT_CHECK(context, context && path && recording);
  char message[CONTEXT_MESSAGE_SIZE] = "", real[CLAIM_PATH];
  bool whole = false;
  choice c = {0};
  path = claim_real(path, real);
  const scree_status first = recording_open(context, path, &(recording_open_def){0}, recording);
  if (first && first != SCREE_ERROR_INPUT) return first;
  if (first) memcpy(message, context->message, sizeof message);
  scree_status status = first ? SCREE_OK : is_whole(*recording, &whole);
  if (!status && whole) return SCREE_OK;
  if (!status) status = try_all(context, path, &c);
  scree_recording_close(*recording);
  *recording = NULL;
  if (status) {
    scree_recording_close(c.best);
    return status;
  }
  if (!c.best) return context_fail(context, SCREE_ERROR_INPUT, "%s", message);
  *recording = c.best;
  remark(c.best);
  return SCREE_OK;
}

#endif
