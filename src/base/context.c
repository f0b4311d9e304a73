/* See context.h. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

#ifndef SCREE_VERSION
#define SCREE_VERSION "0.0.0"
#endif

const char *scree_version(void) {
  return SCREE_VERSION;
}

const char *scree_status_text(scree_status status) {
  switch (status) {
#define STATUS_TEXT(name, value, text)                                                             \
  case SCREE_##name:                                                                               \
    return text;
    SCREE_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
  }
  return "unknown status";
}

/* Large blocks ask for huge pages: sweeps over them run a fifth faster, as they miss fewer address
 * translations. */
static void *default_allocate(void *user, size_t size) {
  (void)user;
#ifdef MADV_HUGEPAGE
  const size_t page = (size_t)2 << 20;
  void *block = NULL;
  if (size >= 2 * page && posix_memalign(&block, page, size) == 0) {
    madvise(block, size, MADV_HUGEPAGE);
    return block;
  }
#endif
  return malloc(size);
}

static void default_release(void *user, void *block, size_t size) {
  (void)user;
  (void)size;
  free(block);
}

scree_context_def scree_context_def_default(void) {
  return (scree_context_def){0};
}

scree_context *scree_context_create(const scree_context_def *def) {
  scree_context_def d = def ? *def : scree_context_def_default();
  if (!d.allocator.allocate || !d.allocator.release)
    d.allocator =
        (scree_allocator){.allocate = default_allocate, .release = default_release, .user = NULL};
  scree_context *context = d.allocator.allocate(d.allocator.user, sizeof *context);
  if (!context) return NULL;
  memset(context, 0, sizeof *context);
  context->allocator = d.allocator;
  context->log = d.log;
  context->log_user = d.log_user;
  scree_context_set_threads(context, d.threads);
  return context;
}

void scree_context_destroy(scree_context *context) {
  if (context) context->allocator.release(context->allocator.user, context, sizeof *context);
}

const char *scree_context_message(const scree_context *context) {
  return context ? context->message : "there was no memory for a context";
}

int scree_context_threads(const scree_context *context) {
  return context->threads;
}

void scree_context_set_threads(scree_context *context, int threads) {
  if (threads <= 0) {
#ifdef _OPENMP
    threads = omp_get_max_threads();
#else
    threads = 1;
#endif
  }
  context->threads = threads;
}

size_t scree_context_bytes(const scree_context *context) {
  return context->bytes;
}

size_t scree_context_peak_bytes(const scree_context *context) {
  return context->peak_bytes;
}

size_t scree_context_allocations(const scree_context *context) {
  return context->allocations;
}

scree_status context_fail(scree_context *context, scree_status status, const char *format, ...) {
  if (!context) return status;
  va_list list;
  va_start(list, format);
  vsnprintf(context->message, sizeof context->message, format, list);
  va_end(list);
  return status;
}

void context_log(const scree_context *context, scree_log_level level, const char *format, ...) {
  if (!context->log) return;
  char text[CONTEXT_MESSAGE_SIZE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  context->log(context->log_user, level, text);
}
