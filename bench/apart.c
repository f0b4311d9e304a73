/* See apart.h. The parent looks at the child's clock now and then: a timer in the child would make
 * that clock as coarse as the ticks of the kernel. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "bench/apart.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void *apart_memory(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void apart_memory_free(void *memory, size_t bytes) {
  if (memory) munmap(memory, bytes);
}

static size_t mapped_bytes(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%lu", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void limit_memory(size_t bytes) {
  const rlim_t most = (rlim_t)(mapped_bytes() + bytes);
  const struct rlimit memory = {.rlim_cur = most, .rlim_max = most};
  setrlimit(RLIMIT_AS, &memory);
}

static double cpu_of(pid_t child) {
  clockid_t clock;
  struct timespec t;
  if (clock_getcpuclockid(child, &clock) || clock_gettime(clock, &t)) return 0.0;
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

apart_end apart_run(double cpu_seconds, size_t bytes, void (*work)(void *user), void *user) {
  fflush(NULL);
  const pid_t child = fork();
  if (child < 0) return APART_BROKEN;
  if (child == 0) {
    limit_memory(bytes);
    work(user);
    fflush(NULL);
    _exit(0);
  }
  int status = 0;
  bool late = false;
  struct timespec pause = {.tv_nsec = 200000};
  for (;;) {
    const pid_t ended = waitpid(child, &status, late ? 0 : WNOHANG);
    if (ended == child) break;
    if (ended < 0) return APART_BROKEN;
    late = cpu_of(child) > cpu_seconds;
    if (late) kill(child, SIGKILL);
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < 10000000) pause.tv_nsec *= 2;
  }
  if (late && WIFSIGNALED(status)) return APART_LATE;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? APART_DONE : APART_BROKEN;
}
