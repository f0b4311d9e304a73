/* See timer.h. */
#include "base/timer.h"

static _Thread_local timer_clock used = TIMER_WALL;

timer_clock timer_use(timer_clock clock) {
  const timer_clock before = used;
  used = clock;
  return before;
}

double timer_now(void) {
  struct timespec t;
  clock_gettime(used == TIMER_CPU ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
