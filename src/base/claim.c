/* See claim.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* F_OFD_SETLK */
#endif
#include "base/claim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef F_OFD_SETLK
enum { LOCK_SET = F_OFD_SETLK, LOCK_GET = F_OFD_GETLK };
#else
enum { LOCK_SET = F_SETLK, LOCK_GET = F_GETLK };
#endif

/* ---- who holds it --------------------------------------------------------------------------- */

/* Does this descriptor of a process hold a lock to write? Linux lists the locks in fdinfo. */
static bool holds_lock(const char *process, const char *descriptor) {
  char path[600], line[256];
  snprintf(path, sizeof path, "/proc/%s/fdinfo/%s", process, descriptor);
  FILE *info = fopen(path, "re");
  bool found = false;
  while (info && !found && fgets(line, sizeof line, info))
    found = strncmp(line, "lock:", 5) == 0 && strstr(line, "WRITE");
  if (info) fclose(info);
  return found;
}

static bool process_holds(const char *process, const struct stat *file) {
  char path[600];
  snprintf(path, sizeof path, "/proc/%s/fd", process);
  DIR *list = opendir(path);
  bool found = false;
  for (struct dirent *d; list && !found && (d = readdir(list));) {
    struct stat s;
    if (d->d_name[0] == '.' || fstatat(dirfd(list), d->d_name, &s, 0) != 0) continue;
    found = s.st_dev == file->st_dev && s.st_ino == file->st_ino && holds_lock(process, d->d_name);
  }
  if (list) closedir(list);
  return found;
}

/* A lock of an open file description does not say whose it is. */
static long find_holder(int file) {
  struct stat s;
  long holder = 0;
  DIR *list = fstat(file, &s) == 0 ? opendir("/proc") : NULL;
  for (struct dirent *d; list && !holder && (d = readdir(list));)
    if (d->d_name[0] >= '1' && d->d_name[0] <= '9' && process_holds(d->d_name, &s))
      holder = strtol(d->d_name, NULL, 10);
  if (list) closedir(list);
  return holder;
}

bool claim_is_held(const char *path, long *holder) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (holder) *holder = 0;
  if (file < 0) return false;
  const bool held = fcntl(file, LOCK_GET, &whole) == 0 && whole.l_type != F_UNLCK;
  if (held && holder) *holder = whole.l_pid > 0 ? (long)whole.l_pid : find_holder(file);
  close(file);
  return held;
}

/* ---- taking --------------------------------------------------------------------------------- */

/* True: locked, or a file system that knows no locks. */
static bool lock(int file) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(file, LOCK_SET, &whole) == 0 || (errno != EACCES && errno != EAGAIN);
}

static claim_answer answer(claim *c, claim_answer a) {
  c->reason = a == CLAIM_FAILED ? errno : 0;
  if (c->file >= 0) close(c->file);
  c->file = -1;
  return c->answer = a;
}

/* PATH.new, locked and under its name: another one may have given or taken that name while we
 * looked. A name that leads elsewhere is not followed. */
static claim_answer take_part(claim *c) {
  for (int i = 0; i < 100; i++) {
    struct stat ours, named;
    c->file = open(c->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (c->file < 0 || fstat(c->file, &ours) != 0) return answer(c, CLAIM_FAILED);
    if (!S_ISREG(ours.st_mode)) return errno = EEXIST, answer(c, CLAIM_FAILED);
    if (!lock(c->file)) {
      c->holder = find_holder(c->file);
      return answer(c, CLAIM_HELD);
    }
    if (lstat(c->part, &named) == 0 && named.st_dev == ours.st_dev && named.st_ino == ours.st_ino)
      return CLAIM_TAKEN;
    close(c->file);
    c->file = -1;
  }
  errno = EBUSY;
  return answer(c, CLAIM_FAILED);
}

static bool set_path(claim *c, const char *path) {
  *c = (claim){.file = -1};
  return (size_t)snprintf(c->path, sizeof c->path, "%s", path) < sizeof c->path;
}

/* What `--out NAME` takes away or writes beside NAME: a result of that name would be lost to it. */
static bool is_beside(const char *path) {
  static const char *const ends[] = {".new", ".part", ".checkpoint", ".checkpoint.old"};
  const size_t length = strlen(path);
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
    const size_t end = strlen(ends[k]);
    if (length >= end && strcmp(path + length - end, ends[k]) == 0) return true;
  }
  return false;
}

claim_answer claim_take(claim *c, const char *path, bool replace) {
  struct stat there;
  if (!set_path(c, path)) return errno = ENAMETOOLONG, answer(c, CLAIM_FAILED);
  if (is_beside(path)) return answer(c, CLAIM_BESIDE);
  snprintf(c->part, sizeof c->part, "%s.new", path);
  /* Checked before any file is made, so that a file in the way stays as it is. */
  bool taken = lstat(path, &there) == 0;
  if (taken && S_ISLNK(there.st_mode)) return answer(c, CLAIM_LINK);
  if (taken && !S_ISREG(there.st_mode)) return answer(c, CLAIM_ODD);
  if (claim_is_held(path, &c->holder)) return answer(c, CLAIM_HELD);
  if (taken && !replace) return answer(c, CLAIM_THERE);
  if (take_part(c) != CLAIM_TAKEN) return c->answer;
  /* Another process that had PATH.new before us may have renamed it to PATH by now. */
  taken = lstat(path, &there) == 0;
  const bool held = claim_is_held(path, &c->holder);
  if (held || (taken && !replace)) {
    unlink(c->part);
    return answer(c, held ? CLAIM_HELD : CLAIM_THERE);
  }
  if (ftruncate(c->file, 0) != 0) return answer(c, CLAIM_FAILED);
  return c->answer = CLAIM_TAKEN;
}

claim_answer claim_existing(claim *c, const char *path) {
  struct stat ours;
  if (!set_path(c, path)) return errno = ENAMETOOLONG, answer(c, CLAIM_FAILED);
  c->published = true;
  c->file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (c->file < 0 || fstat(c->file, &ours) != 0) return answer(c, CLAIM_FAILED);
  if (!S_ISREG(ours.st_mode)) return answer(c, CLAIM_ODD);
  if (lock(c->file)) return c->answer = CLAIM_TAKEN;
  c->holder = find_holder(c->file);
  return answer(c, CLAIM_HELD);
}

static bool has_directory(const char *path) {
  const char *slash = strrchr(path, '/');
  char directory[CLAIM_PATH];
  if (!slash || slash == path) return true;
  snprintf(directory, sizeof directory, "%.*s", (int)(slash - path), path);
  return access(directory, F_OK) == 0;
}

void claim_explain(const claim *c, char *text, size_t size) {
  char process[48] = "";
  if (c->holder > 0) snprintf(process, sizeof process, " (process %ld)", c->holder);
  switch (c->answer) {
  case CLAIM_HELD:
    snprintf(text, size, "%s: another run is writing it%s; wait for that one, or stop it", c->path,
             process);
    break;
  case CLAIM_THERE:
    snprintf(text, size, "%s: is there already; give another name, or --force to replace it",
             c->path);
    break;
  case CLAIM_ODD:
    snprintf(text, size, "%s: is there already and not a plain file; give another name", c->path);
    break;
  case CLAIM_LINK:
    snprintf(text, size,
             "%s: is a symbolic link, which is neither followed nor replaced; name the file itself",
             c->path);
    break;
  case CLAIM_BESIDE:
    snprintf(text, size,
             "%s: .new, .part, .checkpoint and .checkpoint.old are the ends of files beside "
             "results; give another name",
             c->path);
    break;
  case CLAIM_FAILED:
    if (c->reason == ENOENT && !has_directory(c->path))
      snprintf(text, size,
               "%s: the directory %.*s is not there; make it first, or give another name", c->path,
               (int)(strrchr(c->path, '/') - c->path), c->path);
    else
      snprintf(text, size, "%s: cannot be written: %s", c->path, strerror(c->reason));
    break;
  default:
    snprintf(text, size, "%s: is being written by this run", c->path);
  }
}

/* ---- ending --------------------------------------------------------------------------------- */

int claim_sync_directory(const char *path) {
  char directory[CLAIM_PATH];
  const char *slash = strrchr(path, '/');
  const size_t length = slash ? (size_t)(slash - path) : 0;
  if (length >= sizeof directory) return ENAMETOOLONG;
  snprintf(directory, sizeof directory, "%.*s", (int)length, path);
  const int file = open(!slash   ? "."
                        : length ? directory
                                 : "/",
                        O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return errno;
  /* Some file systems have nothing to bring to the disk here, and say so. */
  const int reason = fsync(file) != 0 && errno != EINVAL && errno != ENOTSUP ? errno : 0;
  close(file);
  return reason;
}

int claim_name(claim *c) {
  if (c->file < 0) return EBADF;
  if (fsync(c->file) != 0) return errno;
  if (rename(c->part, c->path) != 0) return errno;
  c->published = true;
  return 0;
}

int claim_publish(claim *c) {
  const int reason = claim_name(c);
  return reason ? reason : claim_sync_directory(c->path);
}

void claim_withdraw(claim *c) {
  if (c->file >= 0 && c->published && *c->part) unlink(c->path);
}

void claim_drop(claim *c) {
  if (c->file < 0) return;
  if (!c->published) unlink(c->part);
  close(c->file);
  c->file = -1;
}

int claim_fresh(const char *path) {
  unlink(path);
  return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

const char *claim_real(const char *path, char real[CLAIM_PATH]) {
  struct stat s;
  char *found = lstat(path, &s) == 0 && S_ISLNK(s.st_mode) ? realpath(path, NULL) : NULL;
  const bool fits = found && strlen(found) < CLAIM_PATH;
  if (fits) strcpy(real, found);
  free(found);
  return fits ? real : path;
}

bool claim_is_same(const char *a, const char *b) {
  struct stat s, t;
  return stat(a, &s) == 0 && stat(b, &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}
