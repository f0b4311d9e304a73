/* See recording/structure.h. */
#include "recording/structure.h"

#ifdef SCREE_WITH_HDF5
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { BLOCK_HEAD = 16 };

uint64_t recording_count_of(const recording_counts *c, int stream) {
  switch (stream) {
  case STREAM_BODY_LIST:
  case STREAM_BODY_MASS:
  case STREAM_CHECK_LIST:
    return c->listed;
  case STREAM_BODY_ID:
  case STREAM_BODY_POSE:
  case STREAM_BODY_VELOCITY:
    return c->bodies;
  case STREAM_CONTACT_BODIES:
  case STREAM_CONTACT_VALUES:
    return c->contacts;
  case STREAM_CHECK_FRAMES:
  case STREAM_FRAME_INDEX:
  case STREAM_FRAME_TIME:
    return c->frames;
  default:
    return c->steps;
  }
}

scree_status structure_patches(scree_context *context, const char *name, const char *bytes,
                               size_t size, check_patch **patches, size_t *count) {
  *patches = NULL;
  *count = 0;
  scree_status status = SCREE_OK;
  for (size_t at = 0; at < size && !status;) {
    uint64_t head[2] = {0, 0};
    if (size - at >= BLOCK_HEAD) memcpy(head, bytes + at, BLOCK_HEAD);
    if (size - at < BLOCK_HEAD || head[0] > (uint64_t)1 << 56 || head[1] > size - at - BLOCK_HEAD) {
      status = context_fail(context, SCREE_ERROR_INPUT, "%s: its copy of the structure is damaged",
                            name);
      break;
    }
    at += BLOCK_HEAD;
    status = memory_grow(context, patches, *count + 1, sizeof **patches);
    if (status) break;
    (*patches)[(*count)++] = (check_patch){head[0], head[1], (const unsigned char *)bytes + at};
    at += (size_t)head[1];
  }
  if (status) {
    memory_free(context, *patches);
    *patches = NULL;
    *count = 0;
  }
  return status;
}

typedef struct collector {
  scree_write_function write;
  void *user;
} collector;

static scree_status put_block(void *user, uint64_t address, uint64_t size,
                              const unsigned char *bytes) {
  const collector *c = user;
  const uint64_t head[2] = {address, size};
  const scree_status status = c->write(c->user, head, sizeof head);
  return status ? status : c->write(c->user, bytes, (size_t)size);
}

static scree_status walk(scree_context *context, const char *name, int file, collector *c,
                         uint64_t *missing) {
  struct stat info;
  if (fstat(file, &info) != 0)
    return context_fail(context, SCREE_ERROR_IO, "%s: cannot be read: %s", name, strerror(errno));
  walk_file w = {.source = {.context = context,
                            .name = name,
                            .descriptor = file,
                            .size = (size_t)info.st_size},
                 .block = c ? put_block : NULL,
                 .user = c};
  const scree_status status = walk_container(&w);
  if (!status && missing)
    *missing = w.end > (uint64_t)info.st_size ? w.end - (uint64_t)info.st_size : 0;
  return status;
}

scree_status structure_collect(scree_context *context, const char *name, int file,
                               scree_write_function write, void *user) {
  return walk(context, name, file, &(collector){write, user}, NULL);
}

scree_status structure_find_end(scree_context *context, const char *name, int file,
                                uint64_t *missing) {
  *missing = 0;
  return walk(context, name, file, NULL, missing);
}

static bool put_all(int file, const check_patch *p) {
  for (uint64_t done = 0; done < p->size;) {
    const ssize_t n =
        pwrite(file, p->bytes + done, (size_t)(p->size - done), (off_t)(p->address + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += (uint64_t)n;
  }
  return true;
}

scree_status structure_restore(scree_context *context, const char *name, int file,
                               const char *bytes, size_t size) {
  check_patch *patches;
  size_t count;
  scree_status status = structure_patches(context, name, bytes, size, &patches, &count);
  bool ok = true;
  for (size_t i = 0; i < count && ok && !status; i++) ok = put_all(file, &patches[i]);
  if (!status && (!ok || fsync(file) != 0))
    status =
        context_fail(context, SCREE_ERROR_IO, "%s: cannot be brought back to its checkpoint: %s",
                     name, strerror(errno));
  memory_free(context, patches);
  return status;
}
#endif
