/* See context.h. */
#define _GNU_SOURCE /* mremap */
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
#ifndef MADV_COLLAPSE /* of Linux 6.1; an older one refuses, and pages stay small */
#define MADV_COLLAPSE 25
#endif
#endif

#include "base/definition.h"
#include "base/number.h"
#include "base/pool.h"

#define VERSION_PARTS(major, minor, patch) #major "." #minor "." #patch
#define VERSION_TEXT(major, minor, patch)  VERSION_PARTS(major, minor, patch)

const char *scree_version(void) {
  return VERSION_TEXT(SCREE_VERSION_MAJOR, SCREE_VERSION_MINOR, SCREE_VERSION_PATCH);
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

/* Large blocks are pages of their own: they come zeroed, so that nothing is touched before it is
 * used, they grow without a copy, and they go back at once. Those of a huge page or more ask for
 * huge pages: sweeps over them run a fifth faster, as they miss fewer address translations. A block
 * grows in small steps, and what was touched before the step keeps its small pages; these are put
 * together as far as they are known to be in use, so that no memory is wasted beyond a block's end.
 * Where blocks are watched by a sanitizer all of them come from malloc. */
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CONTEXT_MAPS
static const size_t map_from = (size_t)256 << 10, small_page = (size_t)4 << 10,
                    huge_page = (size_t)2 << 20;

static size_t whole_pages(size_t size) {
  return (size + small_page - 1) & ~(small_page - 1);
}

static void *map(size_t size) {
  const size_t huge = size >= huge_page ? huge_page : 0;
  char *raw = mmap(NULL, size + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return NULL;
  if (!huge) return raw;
  const size_t before = (huge - (uintptr_t)raw % huge) % huge;
  if (before) munmap(raw, before);
  if (huge - before) munmap(raw + before + size, huge - before);
  madvise(raw + before, size, MADV_HUGEPAGE);
  return raw + before;
}
#endif

static void *default_allocate(void *user, size_t size) {
  (void)user;
#ifdef CONTEXT_MAPS
  if (size >= map_from) return size < SIZE_MAX - 2 * huge_page ? map(whole_pages(size)) : NULL;
#endif
  return malloc(size);
}

static void default_release(void *user, void *block, size_t size) {
  (void)user;
  (void)size;
#ifdef CONTEXT_MAPS
  if (size >= map_from) {
    munmap(block, whole_pages(size));
    return;
  }
#endif
  free(block);
}

void *context_remap(void *block, size_t old_size, size_t size) {
#ifdef CONTEXT_MAPS
  const size_t now = whole_pages(old_size), then = whole_pages(size);
  if (size >= SIZE_MAX - 2 * huge_page) return NULL;
  void *place = map(then); /* where huge pages can lie, too */
  if (!place) return NULL;
  void *moved = mremap(block, now, then, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  if (moved == MAP_FAILED) {
    munmap(place, then);
    return NULL;
  }
  if (then >= huge_page) {
    madvise(moved, then, MADV_HUGEPAGE);
    if (now >= huge_page) madvise(moved, now / huge_page * huge_page, MADV_COLLAPSE);
  }
  return moved;
#else
  (void)block, (void)old_size, (void)size;
  return NULL;
#endif
}

scree_context_def scree_context_def_default(void) {
  return (scree_context_def){.cookie = DEFINITION_COOKIE};
}

scree_context *scree_context_create(const scree_context_def *def) {
  if (def && def->cookie != DEFINITION_COOKIE) return NULL;
  scree_context_def d = def ? *def : scree_context_def_default();
  const bool own = !d.allocator.allocate || !d.allocator.release;
  if (own)
    d.allocator =
        (scree_allocator){.allocate = default_allocate, .release = default_release, .user = NULL};
  scree_context *context = d.allocator.allocate(d.allocator.user, sizeof *context + sizeof(pool));
  if (!context) return NULL;
  memset(context, 0, sizeof *context + sizeof(pool));
  context->allocator = d.allocator;
  context->mapped_from = SIZE_MAX;
#ifdef CONTEXT_MAPS
  if (own) context->mapped_from = map_from;
  pool_of(context)->on = own;
#endif
  context->log = d.log;
  context->log_user = d.log_user;
  context->stop = d.stop;
  context->stop_user = d.stop_user;
  scree_context_set_threads(context, d.threads);
  return context;
}

void scree_context_destroy(scree_context *context) {
  if (!context) return;
  if (context->device_close) context->device_close(context->device);
  pool_clear(context);
  context->allocator.release(context->allocator.user, context, sizeof *context + sizeof(pool));
}

const char *scree_context_message(const scree_context *context) {
  return context ? context->message : "there was no memory for a context";
}

int scree_context_threads(const scree_context *context) {
  if (!context) return 0;
  return context->threads;
}

void scree_context_set_threads(scree_context *context, int threads) {
  if (!context) return;
  const bool given = threads > 0;
  if (threads <= 0) {
#ifdef _OPENMP
    threads = omp_get_max_threads();
#else
    threads = 1;
#endif
  }
  context->threads = threads;
  team_reset(&context->team, threads, given);
}

size_t scree_context_bytes(const scree_context *context) {
  if (!context) return 0;
  return context->bytes;
}

size_t scree_context_peak_bytes(const scree_context *context) {
  if (!context) return 0;
  return context->peak_bytes;
}

size_t scree_context_allocations(const scree_context *context) {
  if (!context) return 0;
  return context->allocations;
}

scree_status context_fail(scree_context *context, scree_status status, const char *format, ...) {
  if (!context) return status;
  va_list list;
  va_start(list, format);
  number_format_list(context->message, sizeof context->message, format, list);
  va_end(list);
  return status;
}

scree_status context_go_on(scree_context *context, const char *what) {
  if (!context_stopped_alone(context)) return SCREE_OK;
  return context_fail(context, SCREE_ERROR_STOPPED, "%s: stopped by the caller", what);
}

void context_log(const scree_context *context, scree_log_level level, const char *format, ...) {
  if (!context->log) return;
  char text[CONTEXT_MESSAGE_SIZE];
  va_list list;
  va_start(list, format);
  number_format_list(text, sizeof text, format, list);
  va_end(list);
  context->log(context->log_user, level, text);
}
