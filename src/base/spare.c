/* See spare.h. Linux says what is available, swap space included, in /proc/meminfo, and what a
 * container may have in its control group. */
#include "base/spare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static double of_limit(int resource) {
  struct rlimit now;
  if (getrlimit(resource, &now) != 0 || now.rlim_cur == RLIM_INFINITY) return INFINITY;
  return (double)now.rlim_cur;
}

/* "Name:   123 kB" */
static double of_system(void) {
  FILE *file = fopen("/proc/meminfo", "re");
  if (!file) return INFINITY;
  char line[128];
  double sum = 0.0;
  int found = 0;
  while (fgets(line, sizeof line, file)) {
    const int free = strncmp(line, "MemAvailable:", 13) == 0,
              swap = strncmp(line, "SwapFree:", 9) == 0;
    if (free || swap) sum += 1024.0 * (double)strtoull(strchr(line, ':') + 1, NULL, 10);
    found |= free;
  }
  fclose(file);
  return found ? sum : INFINITY;
}

/* "max" or a number of bytes; infinite where there is no such file. */
static double of_file(const char *path) {
  char line[64];
  FILE *file = fopen(path, "re");
  if (!file) return INFINITY;
  const char *text = fgets(line, sizeof line, file);
  fclose(file);
  return text && *text >= '0' && *text <= '9' ? (double)strtoull(text, NULL, 10) : INFINITY;
}

static double of_container(void) {
  const double most = of_file("/sys/fs/cgroup/memory.max");
  const double used = of_file("/sys/fs/cgroup/memory.current");
  /* Used memory includes caches that the system gives up on demand: half of it is taken for such.
   */
  return isfinite(most) && isfinite(used) ? fmax(0.0, most - 0.5 * used) : most;
}

double spare_memory(void) {
  double spare = fmin(of_system(), of_container());
  spare = fmin(spare, of_limit(RLIMIT_AS));
  return fmin(spare, of_limit(RLIMIT_DATA));
}
