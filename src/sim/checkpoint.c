/* The checkpoint: a side file RECORDING.checkpoint with everything that the rest of the run depends
 * on. It is written beside its place, brought to the disk, and renamed: at any moment there is the
 * old one or the new one, whole. Before that the recording and the probes are brought up to it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/timer.h"
#include "sim/sim.h"

static const char magic[8] = "SCRCKP04";

typedef struct checkpoint_head {
  char magic[8];
  uint64_t run, size, checksum; /* of what follows the head */
  uint64_t probes, scene_size, stepper_size;
  recording_counts counts;
  sim_totals totals;
} checkpoint_head;

static uint64_t checksum(uint64_t h, const char *bytes, size_t size) {
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
  }
  for (; i < size; i++) h = (h ^ (unsigned char)bytes[i]) * 1099511628211u;
  return h;
}

static const uint64_t checksum_start = 1469598103934665603u;

static char *side_path(const scree_sim *sim, const char *end) {
  char *path = memory_new(sim->context, strlen(sim->out) + 32, 1);
  if (path) sprintf(path, "%s.checkpoint%s", sim->out, end);
  return path;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* The file in progress: bytes pass through a buffer, so that no copy of the state is held. */
typedef struct out_file {
  int file, reason; /* errno of what failed; 0: nothing yet */
  uint64_t size, checksum;
  size_t used;
  char buffer[1 << 16]; /* whole words: the checksum runs over full buffers */
} out_file;

static bool put_all(out_file *f, const char *bytes, size_t size) {
  while (size && !f->reason) {
    const ssize_t n = write(f->file, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      f->reason = n < 0 ? errno : EIO;
      break;
    }
    bytes += n;
    size -= (size_t)n;
  }
  return !f->reason;
}

static bool flush(out_file *f) {
  f->checksum = checksum(f->checksum, f->buffer, f->used);
  const bool ok = put_all(f, f->buffer, f->used);
  f->used = 0;
  return ok;
}

static scree_status put(void *user, const void *data, size_t size) {
  out_file *f = user;
  const char *bytes = data;
  f->size += size;
  while (size) {
    const size_t room = sizeof f->buffer - f->used, n = size < room ? size : room;
    memcpy(f->buffer + f->used, bytes, n);
    f->used += n;
    bytes += n;
    size -= n;
    if (f->used == sizeof f->buffer && !flush(f)) return SCREE_ERROR_IO;
  }
  return SCREE_OK;
}

static scree_status put_scene(const scree_sim *sim, uint64_t size, out_file *f) {
  char *bytes = memory_new(sim->context, size, 1);
  scree_status status = bytes ? scree_scene_save(sim->scene, bytes, size) : SCREE_ERROR_MEMORY;
  if (!status) status = put(f, bytes, size);
  memory_free(sim->context, bytes);
  return status;
}

/* The head is known last and lies first: its place is kept until then. */
static scree_status put_state(scree_sim *sim, out_file *f) {
  checkpoint_head head = {.run = sim->run,
                          .probes = sim->probe_count,
                          .scene_size = scree_scene_save_size(sim->scene),
                          .stepper_size = scree_stepper_save_size(sim->stepper),
                          .counts = recorder_counts(sim->recorder),
                          .totals = sim->totals};
  const checkpoint_head none = {0};
  scree_status status = put_all(f, (const char *)&none, sizeof none) ? SCREE_OK : SCREE_ERROR_IO;
  for (size_t i = 0; i < sim->probe_count && !status; i++)
    status = put(f, &sim->probes[i].sums, sizeof sim->probes->sums);
  if (!status) status = put_scene(sim, head.scene_size, f);
  if (!status) status = scree_stepper_write(sim->stepper, put, f);
  if (!status && !flush(f)) status = SCREE_ERROR_IO;
  if (status) return status;
  memcpy(head.magic, magic, sizeof magic);
  head.size = f->size;
  head.checksum = f->checksum;
  if (lseek(f->file, 0, SEEK_SET) != 0) f->reason = errno;
  if (!f->reason) put_all(f, (const char *)&head, sizeof head);
  if (!f->reason && fsync(f->file) != 0) f->reason = errno;
  return f->reason ? SCREE_ERROR_IO : SCREE_OK;
}

static scree_status write_file(scree_sim *sim, const char *path, const char *fresh, out_file *f) {
  f->checksum = checksum_start;
  f->file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (f->file < 0) f->reason = errno;
  scree_status status = f->reason ? SCREE_ERROR_IO : put_state(sim, f);
  if (f->file >= 0 && close(f->file) != 0 && !status) status = SCREE_ERROR_IO, f->reason = errno;
  if (!status && rename(fresh, path) != 0) status = SCREE_ERROR_IO, f->reason = errno;
  if (status) unlink(fresh);
  if (status == SCREE_ERROR_IO)
    context_fail(sim->context, SCREE_ERROR_IO,
                 "%s: the checkpoint cannot be written: %s; the one before is as it was", path,
                 strerror(f->reason));
  return status;
}

scree_status sim_checkpoint_write(scree_sim *sim) {
  if (!sim->recorder) return SCREE_OK;
  scree_status status = recorder_flush(sim->recorder);
  if (!status) status = sim_probes_flush(sim);
  if (status) return status;
  char *path = side_path(sim, ""), *fresh = side_path(sim, ".new");
  out_file *f = memory_new(sim->context, 1, sizeof *f);
  status = path && fresh && f ? write_file(sim, path, fresh, f) : SCREE_ERROR_MEMORY;
  memory_free(sim->context, f);
  memory_free(sim->context, path);
  memory_free(sim->context, fresh);
  sim->last_checkpoint = timer_now();
  return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

static scree_status load_bytes(scree_sim *sim, const char *path, char **bytes, size_t *size) {
  *bytes = NULL;
  *size = 0;
  FILE *file = fopen(path, "rb");
  if (!file && errno == ENOENT) return SCREE_OK;
  if (!file)
    return context_fail(sim->context, SCREE_ERROR_IO, "%s: cannot be read: %s", path,
                        strerror(errno));
  scree_status status = SCREE_OK;
  size_t room = 0;
  for (size_t got = 1; got && !status;) {
    status = memory_grow(sim->context, bytes, &room, *size + (1 << 20), 1);
    if (status) break;
    got = fread(*bytes + *size, 1, 1 << 20, file);
    *size += got;
  }
  if (!status && ferror(file))
    status = context_fail(sim->context, SCREE_ERROR_IO, "%s: cannot be read", path);
  fclose(file);
  return status;
}

static scree_status apply(scree_sim *sim, const char *path, const char *bytes, size_t size,
                          recording_counts *counts, bool *found) {
  checkpoint_head head;
  if (size < sizeof head || memcmp(bytes, magic, sizeof magic) != 0)
    return context_fail(sim->context, SCREE_ERROR_INPUT,
                        "%s: it is no checkpoint; remove it to start anew", path);
  memcpy(&head, bytes, sizeof head);
  if (head.run != sim->run) return SCREE_OK; /* of a run that was there before */
  size_t probes = sim->probe_count * sizeof sim->probes->sums;
  if (head.size != size - sizeof head ||
      head.checksum != checksum(checksum_start, bytes + sizeof head, head.size) ||
      head.probes != sim->probe_count || head.scene_size > head.size ||
      head.stepper_size != head.size - probes - head.scene_size)
    return context_fail(sim->context, SCREE_ERROR_INPUT,
                        "%s: the checkpoint is damaged; remove it to start anew", path);
  const char *at = bytes + sizeof head;
  for (size_t i = 0; i < sim->probe_count; i++, at += sizeof sim->probes->sums)
    memcpy(&sim->probes[i].sums, at, sizeof sim->probes->sums);
  scree_status status = scree_scene_restore(sim->scene, at, head.scene_size);
  if (!status)
    status = scree_stepper_restore(sim->stepper, at + head.scene_size, head.stepper_size);
  if (status) return status;
  sim->totals = head.totals;
  *counts = head.counts;
  *found = true;
  return SCREE_OK;
}

scree_status sim_checkpoint_read(scree_sim *sim, recording_counts *counts, bool *found) {
  *found = false;
  *counts = (recording_counts){0};
  char *path = side_path(sim, ""), *bytes = NULL;
  size_t size = 0;
  scree_status status = path ? load_bytes(sim, path, &bytes, &size) : SCREE_ERROR_MEMORY;
  if (!status && bytes) status = apply(sim, path, bytes, size, counts, found);
  memory_free(sim->context, bytes);
  memory_free(sim->context, path);
  return status;
}

void sim_checkpoint_forget(scree_sim *sim) {
  char *path = side_path(sim, "");
  if (path) unlink(path);
  memory_free(sim->context, path);
}
