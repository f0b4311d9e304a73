/* Scree, base: status codes, the context, the allocator, logging and option tables.
 *
 *   scree_context *context = scree_context_create(NULL);
 *   puts(scree_version());
 *   scree_context_destroy(context);
 *
 * Units are SI, z is up, quaternions are (w, x, y, z) everywhere in Scree.
 * No function of the library prints, exits or aborts. A call that can fail returns a
 * scree_status; the context keeps a message that says what, where and what to do.
 *
 * Versions. Programs and the library must be of the same minor version (0.2.x with 0.2.y): before
 * 1.0 each minor version may change structures and functions, and has a shared object of its own
 * name (libscree.so.0.2); a patch changes neither. From 1.0 on that holds for the major version
 * alone. Definitions carry a cookie: one that was not made by its …_default function, or by a
 * library of another minor version, is refused with SCREE_ERROR_ARGUMENT. CHANGELOG.md names every
 * change of the interface. */
#ifndef SCREE_BASE_H
#define SCREE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SCREE_API          __attribute__((visibility("default")))
#define SCREE_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define SCREE_API
#define SCREE_PRINTF(f, a)
#endif

/* The version of these headers; scree_version() is that of the library. The build reads it here. */
#define SCREE_VERSION_MAJOR 0
#define SCREE_VERSION_MINOR 2
#define SCREE_VERSION_PATCH 0
/* For comparisons: #if SCREE_VERSION >= SCREE_VERSION_OF(0, 2, 0) */
#define SCREE_VERSION_OF(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define SCREE_VERSION                                                                              \
  SCREE_VERSION_OF(SCREE_VERSION_MAJOR, SCREE_VERSION_MINOR, SCREE_VERSION_PATCH)

/* X(name, value, text): 0 is success, negative is failure. */
#define SCREE_STATUS_LIST(X)                                                                       \
  X(OK, 0, "ok")                                                                                   \
  X(ERROR_ARGUMENT, -1, "invalid argument")                                                        \
  X(ERROR_MEMORY, -2, "out of memory")                                                             \
  X(ERROR_INPUT, -3, "bad input")                                                                  \
  X(ERROR_IO, -4, "input or output failed")                                                        \
  X(ERROR_UNSUPPORTED, -5, "not supported")                                                        \
  X(ERROR_NUMERIC, -6, "numerical failure")                                                        \
  X(ERROR_INTERNAL, -7, "internal error")                                                          \
  X(ERROR_STOPPED, -8, "stopped by the caller")

typedef enum scree_status {
#define SCREE_STATUS_ENUM(name, value, text) SCREE_##name = value,
  SCREE_STATUS_LIST(SCREE_STATUS_ENUM)
#undef SCREE_STATUS_ENUM
} scree_status;

SCREE_API const char *scree_status_text(scree_status status);
SCREE_API const char *scree_version(void);
/* SHA-256 over the public headers that the library was built with. Bindings that were made from the
 * headers compare it with their own, so that a library of another build is refused. */
SCREE_API const char *scree_headers_hash(void);

/* Memory comes from here; `release` gets the size that was requested. Blocks are 64-byte aligned by
 * the library itself, so the hooks need no alignment beyond that of malloc. */
typedef struct scree_allocator {
  void *(*allocate)(void *user, size_t size);
  void (*release)(void *user, void *block, size_t size);
  void *user;
} scree_allocator;

/* Takes the next bytes of something that is written piece by piece; a failure ends it. */
typedef scree_status (*scree_write_function)(void *user, const void *data, size_t size);

typedef enum scree_log_level {
  SCREE_LOG_DEBUG,
  SCREE_LOG_INFO,
  SCREE_LOG_WARNING,
} scree_log_level;

typedef void (*scree_log_function)(void *user, scree_log_level level, const char *message);

typedef struct scree_context_def {
  uint32_t cookie;           /* set by scree_context_def_default */
  scree_allocator allocator; /* zeros: malloc, and pages for large blocks */
  scree_log_function log;    /* null: silent */
  void *log_user;
  /* 0: up to what OpenMP offers, at any time no more than there are idle cores, as threads that
   * wait for each other cost CPU time; results do not depend on it */
  int threads;
  /* Asked within long calls, several times per second at least, in the thread that made
   * the call: true ends it. A step then fails with SCREE_ERROR_STOPPED and leaves the world as it
   * was; a solve ends with its best iterate. It may read what a signal handler has set. Null:
   * never.
   */
  bool (*stop)(void *user);
  void *stop_user;
} scree_context_def;

typedef struct scree_context scree_context;

SCREE_API scree_context_def scree_context_def_default(void);
/* Null when there is no memory, or when the definition was not made by the function above. */
SCREE_API scree_context *scree_context_create(const scree_context_def *def);
SCREE_API void scree_context_destroy(scree_context *context);
/* The message of the last failed call on this context; "" when there was none. */
SCREE_API const char *scree_context_message(const scree_context *context);
SCREE_API int scree_context_threads(const scree_context *context);
SCREE_API void scree_context_set_threads(scree_context *context, int threads);
/* Bytes held now, the most ever held, and how many allocations were made. */
SCREE_API size_t scree_context_bytes(const scree_context *context);
SCREE_API size_t scree_context_peak_bytes(const scree_context *context);
SCREE_API size_t scree_context_allocations(const scree_context *context);

/* Option tables: one table serves validation, command-line flags, scene keys and reference pages.
 */
typedef enum scree_option_type {
  SCREE_OPTION_BOOL,
  SCREE_OPTION_INT,
  SCREE_OPTION_REAL,
  SCREE_OPTION_CHOICE,
} scree_option_type;

typedef struct scree_option_def {
  const char *key;
  scree_option_type type;
  double fallback;     /* the default; for a choice: its index */
  double minimum;      /* range of int and real, both ends allowed */
  double maximum;      /* */
  const char *choices; /* "one|two|three" */
  const char *unit;    /* "" when dimensionless */
  const char *help;
} scree_option_def;

#ifdef __cplusplus
}
#endif
#endif
