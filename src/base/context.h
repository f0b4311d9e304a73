/* The context: allocator, error message, log and thread count, handed to everything that can fail.
 * It is used from one thread at a time; parallel regions never touch it. */
#ifndef SCREE_BASE_CONTEXT_H
#define SCREE_BASE_CONTEXT_H

#include "base/ranks.h"
#include "base/team.h"
#include "scree/base.h"

enum { CONTEXT_MESSAGE_SIZE = 1024 };

struct scree_context {
  scree_allocator allocator;
  scree_log_function log;
  void *log_user;
  bool (*stop)(void *user);
  void *stop_user;
  rank_team *ranks; /* null: this process is alone */
  void *device;     /* ccp/device's; null: none */
  void (*device_close)(void *device);
  unsigned device_round; /* of the devices that there have been */
  uint64_t matrices;     /* that operators were prepared for: ccp/operator.h */
  double cpu_start;      /* s, CPU time of the process when counting began */
  bool stopped;          /* it has said so in the call that is being made */
  int threads;
  team_state team; /* how many of them work: see team.h */
  size_t bytes, peak_bytes, allocations;
  size_t mapped_from; /* blocks this large are pages of their own, zeroed; SIZE_MAX: none are */
  char message[CONTEXT_MESSAGE_SIZE];
};

/* Does the caller want the call to end? */
static inline bool context_stopped(scree_context *context) {
  if (context->stop && context->stop(context->stop_user)) context->stopped = true;
  return context->stopped;
}
/* The same for places where ranks cannot agree on the answer: with several ranks it is false, as
 * one that stopped alone would leave the others waiting. */
static inline bool context_stopped_alone(scree_context *context) {
  return !ranks_are_many(context->ranks) && context_stopped(context);
}
/* In long loops: an error where the caller wants the call to end. */
scree_status context_go_on(scree_context *context, const char *what);
/* A call begins that its caller may stop. An answer holds for all of it: what ended early by it
 * must not be taken for a result. */
static inline void context_begin(scree_context *context) {
  context->stopped = false;
}

/* A mapped block at another size, maybe elsewhere, with nothing copied; what is new is zero. Null:
 * not possible, the block is as it was. */
void *context_remap(void *block, size_t old_size, size_t size);

/* Stores the message and returns `status`, so that a caller can write `return context_fail(…)`. */
scree_status context_fail(scree_context *context, scree_status status, const char *format, ...)
    SCREE_PRINTF(3, 4);
void context_log(const scree_context *context, scree_log_level level, const char *format, ...)
    SCREE_PRINTF(3, 4);

#endif
