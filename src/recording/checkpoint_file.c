/* See checkpoint_file.h. */
#include "recording/checkpoint_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/crc.h"
#include "base/memory.h"

static const char magic[8] = "SCRCKP08";
static const char *const ages[] = {"", ".old"};

typedef struct checkpoint_head {
  char magic[8];
  uint64_t run, size[CHECKPOINT_PARTS];
  uint32_t crc[CHECKPOINT_PARTS];
  uint32_t head; /* CRC of all before */
} checkpoint_head;

/* Bytes pass through a buffer, so that no copy of the state is held. */
struct checkpoint_out {
  scree_context *context;
  char *path, *fresh, *older;
  int file, part;
  int reason; /* errno of what failed; 0: nothing yet */
  checkpoint_head head;
  size_t used;
  char buffer[1 << 16];
};

/* "RECORDING.checkpoint" + end; null: no memory. */
static char *path_with(scree_context *context, const char *recording, const char *end) {
  char *path = memory_new(context, strlen(recording) + strlen(end) + 16, 1);
  if (path) sprintf(path, "%s.checkpoint%s", recording, end);
  return path;
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool put_all(checkpoint_out *f, const char *bytes, size_t size) {
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

static bool flush(checkpoint_out *f) {
  f->head.crc[f->part] = crc32c(f->head.crc[f->part], f->buffer, f->used);
  f->head.size[f->part] += f->used;
  const bool ok = put_all(f, f->buffer, f->used);
  f->used = 0;
  return ok;
}

static void release(checkpoint_out *f) {
  scree_context *context = f->context;
  memory_free(context, f->path);
  memory_free(context, f->fresh);
  memory_free(context, f->older);
  memory_free(context, f);
}

scree_status checkpoint_begin(scree_context *context, const char *recording, uint64_t run,
                              checkpoint_out **out) {
  checkpoint_out *f = *out = memory_new(context, 1, sizeof *f);
  if (!f) return SCREE_ERROR_MEMORY;
  f->context = context;
  f->path = path_with(context, recording, "");
  f->fresh = path_with(context, recording, ".new");
  f->older = path_with(context, recording, ".old");
  if (!f->path || !f->fresh || !f->older) {
    release(f);
    *out = NULL;
    return SCREE_ERROR_MEMORY;
  }
  memcpy(f->head.magic, magic, sizeof magic);
  f->head.run = run;
  /* The lock of the recording is ours, and so is this name; a link in its place is not followed. */
  f->file = claim_fresh(f->fresh);
  if (f->file < 0) f->reason = errno;
  /* The head comes first in the file and is known last: room is left for it. */
  const checkpoint_head none = {0};
  if (f->file >= 0) put_all(f, (const char *)&none, sizeof none);
  return SCREE_OK;
}

void checkpoint_begin_part(checkpoint_out *f, int part) {
  if (f->used) flush(f);
  f->part = part;
}

scree_status checkpoint_put(void *user, const void *data, size_t size) {
  checkpoint_out *f = user;
  const char *bytes = data;
  while (size && !f->reason) {
    const size_t room = sizeof f->buffer - f->used, n = size < room ? size : room;
    memcpy(f->buffer + f->used, bytes, n);
    f->used += n;
    bytes += n;
    size -= n;
    if (f->used == sizeof f->buffer) flush(f);
  }
  return f->reason ? SCREE_ERROR_IO : SCREE_OK;
}

static void note(checkpoint_out *f, bool ok) {
  if (!ok && !f->reason) f->reason = errno ? errno : EIO;
}

/* The one there gets a second name, so that there is always one under the first; where a file
 * system has no links it is renamed. */
static bool keep_as_older(const checkpoint_out *f) {
  unlink(f->older);
  return link(f->path, f->older) == 0 || errno == ENOENT || rename(f->path, f->older) == 0 ||
         errno == ENOENT;
}

scree_status checkpoint_end(checkpoint_out *f, scree_status status, bool rotate) {
  scree_context *context = f->context;
  if (!status && !f->reason && flush(f)) {
    f->head.head = crc32c(0, &f->head, offsetof(checkpoint_head, head));
    note(f, lseek(f->file, 0, SEEK_SET) == 0);
    put_all(f, (const char *)&f->head, sizeof f->head);
    note(f, f->reason || fsync(f->file) == 0);
  }
  if (f->file >= 0) note(f, close(f->file) == 0);
  if (f->reason && (!status || status == SCREE_ERROR_IO)) status = SCREE_ERROR_IO;
  if (!status && rotate) note(f, keep_as_older(f));
  if (!status && !f->reason) note(f, rename(f->fresh, f->path) == 0);
  if (!status && !f->reason) {
    errno = claim_sync_directory(f->path);
    note(f, !errno);
  }
  if (status || f->reason) unlink(f->fresh);
  if (f->reason && (!status || status == SCREE_ERROR_IO))
    status = context_fail(context, SCREE_ERROR_IO,
                          "%s: the checkpoint cannot be written: %s; the one before is as it was",
                          f->path, strerror(f->reason));
  release(f);
  return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

static scree_status load_bytes(scree_context *context, const char *path, checkpoint_in *in) {
  struct stat info;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 && errno == ENOENT) return SCREE_OK;
  scree_status status = SCREE_OK;
  if (file < 0 || fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
    status = context_fail(context, SCREE_ERROR_IO, "%s: cannot be read: %s", path,
                          file < 0 ? strerror(errno) : "it is not a plain file");
  if (!status) {
    in->bytes = memory_new(context, (size_t)info.st_size, 1);
    if (!in->bytes) status = SCREE_ERROR_MEMORY;
  }
  while (!status && in->size < (size_t)info.st_size) {
    const ssize_t n = read(file, in->bytes + in->size, (size_t)info.st_size - in->size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      status =
          context_fail(context, SCREE_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
    if (n <= 0) break;
    in->size += (size_t)n;
  }
  if (!status) in->state = CHECKPOINT_DAMAGED;
  if (file >= 0) close(file);
  return status;
}

/* Head and parts have the checksums that the head tells. */
static bool find_parts(checkpoint_in *in, checkpoint_head *head) {
  if (in->size < sizeof *head) return false;
  memcpy(head, in->bytes, sizeof *head);
  if (head->head != crc32c(0, head, offsetof(checkpoint_head, head))) return false;
  size_t at = sizeof *head;
  for (int k = 0; k < CHECKPOINT_PARTS; k++) {
    if (head->size[k] > in->size - at) return false;
    in->part[k] = in->bytes + at;
    in->part_size[k] = (size_t)head->size[k];
    if (crc32c(0, in->part[k], in->part_size[k]) != head->crc[k]) return false;
    at += in->part_size[k];
  }
  return at == in->size;
}

static void examine(checkpoint_in *in) {
  enum { NAME = 6 }; /* the rest is the version */
  checkpoint_head head;
  const bool ours = in->size >= sizeof magic && memcmp(in->bytes, magic, NAME) == 0;
  const bool other = ours && memcmp(in->bytes, magic, sizeof magic) != 0;
  in->whole = ours && find_parts(in, &head);
  if (other) in->state = CHECKPOINT_OTHER;
  if (other || !in->whole) return;
  in->run = head.run;
  in->state = CHECKPOINT_GOOD;
}

scree_status checkpoint_load(scree_context *context, const char *recording, int age,
                             checkpoint_in *in) {
  *in = (checkpoint_in){0};
  char *path = path_with(context, recording, ages[age]);
  scree_status status = path ? load_bytes(context, path, in) : SCREE_ERROR_MEMORY;
  memory_free(context, path);
  if (!status && in->state) examine(in);
  if (status) checkpoint_clear(context, in);
  return status;
}

void checkpoint_clear(scree_context *context, checkpoint_in *in) {
  memory_free(context, in->bytes);
  *in = (checkpoint_in){0};
}

void checkpoint_forget(scree_context *context, const char *recording) {
  for (int age = 0; age < 2; age++) {
    char *path = path_with(context, recording, ages[age]);
    if (path) unlink(path);
    memory_free(context, path);
  }
  claim_sync_directory(recording);
}
