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

static const char magic[8] = "SCRCKP02";

typedef struct checkpoint_head {
  char magic[8];
  uint64_t run, size, checksum; /* of what follows the head */
  uint64_t probes, scene_size, stepper_size;
  recording_counts counts;
  sim_totals totals;
} checkpoint_head;

static uint64_t checksum(const char *bytes, size_t size) {
  uint64_t h = 1469598103934665603u;
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

static char *side_path(const scree_sim *sim, const char *end) {
  char *path = memory_new(sim->context, strlen(sim->out) + 32, 1);
  if (path) sprintf(path, "%s.checkpoint%s", sim->out, end);
  return path;
}

static scree_status save_bytes(scree_sim *sim, const char *bytes, size_t size) {
  char *path = side_path(sim, ""), *fresh = side_path(sim, ".new");
  scree_status status = path && fresh ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) {
    int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t done = 0;
    bool ok = file >= 0;
    while (ok && done < size) {
      ssize_t n = write(file, bytes + done, size - done);
      if (n < 0 && errno == EINTR) continue;
      ok = n > 0;
      if (ok) done += (size_t)n;
    }
    ok = ok && fsync(file) == 0;
    int reason = errno;
    if (file >= 0 && close(file) != 0) ok = false;
    if (ok && rename(fresh, path) != 0) ok = false, reason = errno;
    if (!ok) {
      unlink(fresh);
      status = context_fail(sim->context, SCREE_ERROR_IO,
                            "%s: the checkpoint cannot be written: %s; the one before is as it was",
                            path, strerror(reason));
    }
  }
  memory_free(sim->context, path);
  memory_free(sim->context, fresh);
  return status;
}

scree_status sim_checkpoint_write(scree_sim *sim) {
  if (!sim->recorder) return SCREE_OK;
  scree_status status = recorder_flush(sim->recorder);
  if (!status) status = sim_probes_flush(sim);
  if (status) return status;
  checkpoint_head head = {.run = sim->run,
                          .probes = sim->probe_count,
                          .scene_size = scree_scene_save_size(sim->scene),
                          .stepper_size = scree_stepper_save_size(sim->stepper),
                          .counts = recorder_counts(sim->recorder),
                          .totals = sim->totals};
  memcpy(head.magic, magic, sizeof magic);
  size_t probes = sim->probe_count * sizeof sim->probes->sums;
  head.size = probes + head.scene_size + head.stepper_size;
  char *bytes = memory_new(sim->context, sizeof head + head.size, 1);
  if (!bytes) return SCREE_ERROR_MEMORY;
  char *at = bytes + sizeof head;
  for (size_t i = 0; i < sim->probe_count; i++, at += sizeof sim->probes->sums)
    memcpy(at, &sim->probes[i].sums, sizeof sim->probes->sums);
  status = scree_scene_save(sim->scene, at, head.scene_size);
  if (!status) status = scree_stepper_save(sim->stepper, at + head.scene_size, head.stepper_size);
  head.checksum = checksum(bytes + sizeof head, head.size);
  memcpy(bytes, &head, sizeof head);
  if (!status) status = save_bytes(sim, bytes, sizeof head + head.size);
  memory_free(sim->context, bytes);
  sim->last_checkpoint = timer_now();
  return status;
}

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
      head.checksum != checksum(bytes + sizeof head, head.size) ||
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
