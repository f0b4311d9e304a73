/* Work in a process of its own, with limits that it cannot pass: a solve that factorises for
 * minutes between two looks at the clock, or asks for more memory than there is, ends alone. */
#ifndef SCREE_BENCH_APART_H
#define SCREE_BENCH_APART_H

#include <stddef.h>

typedef enum apart_end {
  APART_DONE,
  APART_LATE,  /* out of processor time */
  APART_BROKEN /* it ended otherwise than by returning, or could not be started */
} apart_end;

/* Memory that such work shares with the caller; null when there is none. */
void *apart_memory(size_t bytes);
void apart_memory_free(void *memory, size_t bytes);

/* Runs work(user). It gets so many bytes beyond what is mapped already: its allocations fail beyond
 * that. */
apart_end apart_run(double cpu_seconds, size_t bytes, void (*work)(void *user), void *user);

#endif
