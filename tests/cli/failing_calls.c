/* Preloaded into the command by test_failing_calls_slow.py: the call number FAIL_AT, of those that
 * open, write, sync, cut, rename, link or close a file, fails as on a broken disk; with
 * FAIL_BY=kill the process is killed before it. How many there were is written to FAIL_COUNT at the
 * end. Standard streams and files that are read are left alone. With FAIL_NAMELESS there are no
 * files without a name, as on some file systems. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long calls, fail_at = -1;
static unsigned char written[4096]; /* by file number: opened to be written */

static int fails(void) {
  if (fail_at < 0) fail_at = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
  if (++calls != fail_at) return 0;
  if (getenv("FAIL_BY")) kill(getpid(), SIGKILL);
  errno = calls % 2 ? EIO : ENOSPC;
  return 1;
}

static int ours(int fd) {
  return fd > 2 && fd < (int)sizeof written && written[fd];
}

static int note(int fd, int flags) {
  if (fd > 2 && fd < (int)sizeof written) written[fd] = (flags & O_ACCMODE) != O_RDONLY;
  return fd;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                                                 \
  int name(const char *path, int flags, ...) {                                                     \
    va_list list;                                                                                  \
    va_start(list, flags);                                                                         \
    const mode_t mode = (mode_t)va_arg(list, int);                                                 \
    va_end(list);                                                                                  \
    if ((flags & O_TMPFILE) == O_TMPFILE && getenv("FAIL_NAMELESS"))                               \
      return errno = EOPNOTSUPP, -1;                                                               \
    if ((flags & O_ACCMODE) != O_RDONLY && strncmp(path, "/dev/", 5) != 0 && fails()) return -1;   \
    return note(REAL(name)(path, flags, mode), flags);                                             \
  }
OPEN(open)
OPEN(open64)

ssize_t write(int fd, const void *data, size_t size) {
  return ours(fd) && fails() ? -1 : REAL(write)(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  return ours(fd) && fails() ? -1 : REAL(pwrite)(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  return ours(fd) && fails() ? -1 : REAL(pwrite64)(fd, data, size, at);
}
int fsync(int fd) {
  return fails() ? -1 : REAL(fsync)(fd);
}
int fdatasync(int fd) {
  return fails() ? -1 : REAL(fdatasync)(fd);
}
int ftruncate(int fd, off_t size) {
  return ours(fd) && fails() ? -1 : REAL(ftruncate)(fd, size);
}
int ftruncate64(int fd, off64_t size) {
  return ours(fd) && fails() ? -1 : REAL(ftruncate64)(fd, size);
}
int rename(const char *from, const char *to) {
  return fails() ? -1 : REAL(rename)(from, to);
}
int linkat(int from, const char *name, int to, const char *other, int flags) {
  return fails() ? -1 : REAL(linkat)(from, name, to, other, flags);
}
int close(int fd) {
  const int failed = ours(fd) && fails(), why = errno;
  if (fd > 2 && fd < (int)sizeof written) written[fd] = 0;
  const int code = REAL(close)(fd);
  if (!failed) return code;
  errno = why; /* it is closed all the same, as the system does */
  return -1;
}
FILE *fopen(const char *path, const char *mode) {
  if (mode[0] != 'r' || strchr(mode, '+')) {
    if (fails()) return NULL;
  }
  return REAL(fopen)(path, mode);
}
int fflush(FILE *file) {
  return file && fileno(file) > 2 && fails() ? EOF : REAL(fflush)(file);
}
int fclose(FILE *file) {
  const int failed = fileno(file) > 2 && fails(), why = errno;
  const int code = REAL(fclose)(file);
  if (!failed) return code;
  errno = why;
  return EOF;
}

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("FAIL_COUNT");
  char text[32];
  if (!path) return;
  const int fd = REAL(open)(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int n = snprintf(text, sizeof text, "%ld", calls);
  if (fd >= 0) (void)!REAL(write)(fd, text, (size_t)n);
  if (fd >= 0) REAL(close)(fd);
}
