/* Time for limits and reports; nothing numerical may depend on it. It is that of the wall, or,
 * between timer_use(TIMER_CPU) and the next timer_use, the processor's time of the calling thread:
 * what a machine of its own would show. */
#ifndef SCREE_BASE_TIMER_H
#define SCREE_BASE_TIMER_H

#include <time.h>

typedef enum timer_clock { TIMER_WALL, TIMER_CPU } timer_clock;

/* The clock of the calling thread from now on; returns the one before. */
timer_clock timer_use(timer_clock clock);
double timer_now(void); /* s, since some moment of the clock in use */

#endif
