/* Within a parallel region: does the caller want the call to end (context_stopped)? The thread of
 * the region that is the caller's own asks now and then, the others see the answer. What was cut
 * short is not a result: the call fails with SCREE_ERROR_STOPPED. */
#ifndef SCREE_BASE_ASKING_H
#define SCREE_BASE_ASKING_H

#include <stdatomic.h>

#include "base/context.h"
#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct asking {
  scree_context *context;
  atomic_bool ended;
} asking;

static inline void asking_begin(asking *a, scree_context *context) {
  a->context = context;
  atomic_store(&a->ended, false);
}

/* In a parallel region: is this the thread that made the call? */
static inline bool asking_is_mine(void) {
#ifdef _OPENMP
  return omp_get_thread_num() == 0;
#else
  return true;
#endif
}

/* `now`: this is a thread that may ask, and it is time to. */
static inline bool asking_ended(asking *a, bool now) {
  if (now && context_stopped_alone(a->context)) atomic_store(&a->ended, true);
  return atomic_load_explicit(&a->ended, memory_order_relaxed);
}

/* After the region. */
static inline scree_status asking_status(asking *a, const char *what) {
  if (!atomic_load(&a->ended)) return SCREE_OK;
  return context_fail(a->context, SCREE_ERROR_STOPPED, "%s: stopped by the caller", what);
}

#endif
