/* See fresh.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include "base/fresh.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A descriptor of a file without a name, -1: not here. It can only be given a name through /proc.
 */
static int open_nameless(const char *path) {
#ifdef O_TMPFILE
  char directory[CLAIM_PATH];
  const char *slash = strrchr(path, '/');
  const size_t length = slash ? (size_t)(slash - path) : 0;
  if (access("/proc/self/fd", X_OK) != 0) return -1;
  snprintf(directory, sizeof directory, "%.*s", (int)length, path);
  return open(!slash ? "." : length ? directory : "/", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
#else
  (void)path;
  return -1;
#endif
}

int fresh_open(fresh *f, const char *path) {
  *f = (fresh){.file = -1};
  if ((size_t)snprintf(f->path, sizeof f->path, "%s", path) >= sizeof f->path) return ENAMETOOLONG;
  struct stat there;
  if (lstat(path, &there) == 0 && !S_ISREG(there.st_mode))
    return S_ISLNK(there.st_mode) ? ELOOP : EEXIST;
  snprintf(f->part, sizeof f->part, "%s.part", path);
  f->file = open_nameless(path);
  if (f->file >= 0) {
    unlink(f->part); /* of a writer that was killed where such files are not */
    return 0;
  }
  f->file = claim_fresh(f->part);
  f->named = f->file >= 0;
  return f->named ? 0 : errno;
}

FILE *fresh_stream(const fresh *f) {
  const int copy = fcntl(f->file, F_DUPFD_CLOEXEC, 3);
  FILE *stream = copy >= 0 ? fdopen(copy, "w+") : NULL;
  if (!stream && copy >= 0) close(copy);
  return stream;
}

/* Of a file without a name: to PATH at once where nothing has it, else beside it. 0, or errno. */
static int give_name(fresh *f) {
#ifdef O_TMPFILE
  char own[64];
  snprintf(own, sizeof own, "/proc/self/fd/%d", f->file);
  if (linkat(AT_FDCWD, own, AT_FDCWD, f->path, AT_SYMLINK_FOLLOW) == 0) return 0;
  if (errno != EEXIST) return errno;
  unlink(f->part);
  if (linkat(AT_FDCWD, own, AT_FDCWD, f->part, AT_SYMLINK_FOLLOW) != 0) return errno;
  f->named = true;
  return 0;
#else
  (void)f;
  return EBADF;
#endif
}

int fresh_place(fresh *f, bool sync) {
  if (f->file < 0) return EBADF;
  if (sync && fsync(f->file) != 0) return errno;
  const int fault = f->named ? 0 : give_name(f);
  if (fault) return fault;
  if (f->named && rename(f->part, f->path) != 0) return errno;
  f->named = false;
  return sync ? claim_sync_directory(f->path) : 0;
}

void fresh_drop(fresh *f) {
  if (f->file < 0) return;
  if (f->named) unlink(f->part);
  close(f->file);
  f->file = -1;
}
