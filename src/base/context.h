/* The context: allocator, error message, log and thread count, handed to everything that can fail.
 * It is used from one thread at a time; parallel regions never touch it. */
#ifndef SCREE_BASE_CONTEXT_H
#define SCREE_BASE_CONTEXT_H

#include "scree/base.h"

enum { CONTEXT_MESSAGE_SIZE = 1024 };

struct scree_context {
  scree_allocator allocator;
  scree_log_function log;
  void *log_user;
  int threads;
  size_t bytes, peak_bytes, allocations;
  char message[CONTEXT_MESSAGE_SIZE];
};

/* Stores the message and returns `status`, so that a caller can write `return context_fail(…)`. */
scree_status context_fail(scree_context *context, scree_status status, const char *format, ...)
    SCREE_PRINTF(3, 4);
void context_log(const scree_context *context, scree_log_level level, const char *format, ...)
    SCREE_PRINTF(3, 4);

#endif
