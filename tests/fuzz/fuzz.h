/* What the fuzz targets share: a context whose memory is bounded, and demands. */
#ifndef SCREE_FUZZ_H
#define SCREE_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "scree/scree.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void check(bool ok) {
  if (!ok) abort();
}

/* A file may ask for much; it is refused as when memory is short. */
enum { FUZZ_MEMORY = 1 << 28 };
static size_t fuzz_bytes;

static inline void *fuzz_allocate(void *user, size_t size) {
  (void)user;
  if (size > FUZZ_MEMORY || fuzz_bytes + size > FUZZ_MEMORY) return NULL;
  void *block = malloc(size);
  if (block) fuzz_bytes += size;
  return block;
}

static inline void fuzz_release(void *user, void *block, size_t size) {
  (void)user;
  if (block) fuzz_bytes -= size;
  free(block);
}

/* What takes long is stopped as by a signal: steps may be made in thousands of parts, and
 * sanitizers make them slow. What does not ask goes on and is a finding. Most inputs take a
 * thousandth of this; with 5 s the few that do not took nearly all of the time. */
static const double fuzz_seconds = 0.5;
static clock_t fuzz_start;

static inline bool fuzz_is_late(void *user) {
  (void)user;
  return (double)(clock() - fuzz_start) >= fuzz_seconds * CLOCKS_PER_SEC;
}

static inline scree_context *fuzz_context(void) {
  scree_context_def def = scree_context_def_default();
  def.stop = fuzz_is_late;
  fuzz_start = clock();
  def.allocator = (scree_allocator){fuzz_allocate, fuzz_release, NULL};
  def.threads = 1;
  scree_context *context = scree_context_create(&def);
  check(context != NULL);
  return context;
}

/* Everything must have been given back. */
static inline void fuzz_end(scree_context *context) {
  check(scree_context_bytes(context) == 0);
  scree_context_destroy(context);
  check(fuzz_bytes == 0);
}

#endif
