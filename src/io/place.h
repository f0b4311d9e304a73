/* Files that are written beside their place and renamed to it take the place of whatever is there:
 * only a plain file may be lost that way, no device, pipe, directory or link. */
#ifndef SCREE_IO_PLACE_H
#define SCREE_IO_PLACE_H

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>

/* True when the path is free or a plain file. Does not change errno. */
static inline bool place_is_free(const char *path) {
  struct stat at;
  const int before = errno;
  const bool is_free = lstat(path, &at) != 0 || S_ISREG(at.st_mode);
  errno = before;
  return is_free;
}

#endif
