/* Preloaded into the command: keeps a log of what it does to files in the directory
 * SCREE_POWER_DIR, in the file SCREE_POWER_LOG, for replay.py. A record is
 *
 *   "kind id offset size\n" and `size` bytes: data of a write, "a\0b" of a rename or link, a name
 *
 * with kind o (a name for a new file), w, t (truncate), s (sync), d (sync of the directory), r, l,
 * u (rename, link, unlink). Files are distinguished by a number of our own, as inodes are used
 * again.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 65536 };

static int out = -1;
static char home[4096];
static struct {
  ino_t inode;
  int id;
} files[FILES];
static int count, last;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void begin(void) {
  if (out >= 0) return;
  const char *log = getenv("SCREE_POWER_LOG"), *directory = getenv("SCREE_POWER_DIR");
  if (!log || !directory) {
    out = -2;
    return;
  }
  snprintf(home, sizeof home, "%s", directory);
  out = REAL(open)(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
}

static void put(char kind, int id, long long offset, size_t size, const void *data) {
  char head[128];
  if (out < 0) return;
  const int n = snprintf(head, sizeof head, "%c %d %lld %zu\n", kind, id, offset, size);
  (void)!REAL(write)(out, head, (size_t)n);
  if (size) (void)!REAL(write)(out, data, size);
}

static int id_of(int file) {
  struct stat s;
  if (out < 0 || fstat(file, &s) != 0 || !S_ISREG(s.st_mode)) return 0;
  for (int i = count; i-- > 0;)
    if (files[i].inode == s.st_ino) return files[i].id;
  return 0;
}

/* Names are relative to the directory, where the command is run. */
static int is_ours(const char *path) {
  return out >= 0 && path[0] != '/';
}

static int opened(const char *path, int flags, int existed, int file) {
  struct stat s;
  if (file < 0 || !is_ours(path) || fstat(file, &s) != 0 || !S_ISREG(s.st_mode)) return file;
  if (!existed && (flags & O_CREAT) && count < FILES) {
    files[count].inode = s.st_ino;
    files[count++].id = ++last;
    put('o', last, 0, strlen(path), path);
  } else if ((flags & O_TRUNC) && id_of(file)) {
    put('t', id_of(file), 0, 0, NULL);
  }
  return file;
}

#define OPEN(name)                                                                                 \
  int name(const char *path, int flags, ...) {                                                     \
    va_list list;                                                                                  \
    va_start(list, flags);                                                                         \
    const mode_t mode = flags & O_CREAT ? (mode_t)va_arg(list, int) : 0;                           \
    va_end(list);                                                                                  \
    begin();                                                                                       \
    struct stat s;                                                                                 \
    const int existed = lstat(path, &s) == 0;                                                      \
    return opened(path, flags, existed, REAL(name)(path, flags, mode));                            \
  }
OPEN(open)
OPEN(open64)

ssize_t write(int file, const void *data, size_t size) {
  const int id = id_of(file);
  const off_t at = id ? lseek(file, 0, SEEK_CUR) : 0;
  const ssize_t n = REAL(write)(file, data, size);
  if (id && n > 0) put('w', id, at, (size_t)n, data);
  return n;
}

#define PWRITE(name, type)                                                                         \
  ssize_t name(int file, const void *data, size_t size, type at) {                                 \
    const ssize_t n = REAL(name)(file, data, size, at);                                            \
    const int id = id_of(file);                                                                    \
    if (id && n > 0) put('w', id, at, (size_t)n, data);                                            \
    return n;                                                                                      \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, type)                                                                       \
  int name(int file, type size) {                                                                  \
    const int result = REAL(name)(file, size);                                                     \
    if (!result && id_of(file)) put('t', id_of(file), size, 0, NULL);                              \
    return result;                                                                                 \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

/* Nothing is really brought to the disk: the test is about order. */
int fsync(int file) {
  struct stat s;
  if (out < 0) return REAL(fsync)(file);
  if (fstat(file, &s) == 0 && S_ISDIR(s.st_mode))
    put('d', 0, 0, 0, NULL);
  else if (id_of(file))
    put('s', id_of(file), 0, 0, NULL);
  return 0;
}

static void put_two(char kind, const char *a, const char *b) {
  char both[8192];
  const size_t n = strlen(a), m = strlen(b);
  if (n + m + 1 > sizeof both) return;
  memcpy(both, a, n + 1);
  memcpy(both + n + 1, b, m);
  put(kind, 0, 0, n + 1 + m, both);
}

int rename(const char *a, const char *b) {
  const int result = REAL(rename)(a, b);
  if (!result && is_ours(a)) put_two('r', a, b);
  return result;
}

int link(const char *a, const char *b) {
  const int result = REAL(link)(a, b);
  if (!result && is_ours(a)) put_two('l', a, b);
  return result;
}

int unlink(const char *path) {
  const int result = REAL(unlink)(path);
  if (!result && is_ours(path)) put('u', 0, 0, strlen(path), path);
  return result;
}
