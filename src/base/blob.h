/* Bytes of a state on their way out: into memory, to a function, or just counted.
 *
 *   blob_out out = {.bytes = room};      or {.write = f, .user = u};      or {0}
 *   blob_put(&out, data, size);      out.at: bytes so far; out.status: what the function returned
 */
#ifndef SCREE_BASE_BLOB_H
#define SCREE_BASE_BLOB_H

#include <string.h>

#include "scree/base.h"

typedef struct blob_out {
  char *bytes;
  scree_write_function write;
  void *user;
  size_t at;
  scree_status status;
} blob_out;

static inline void blob_put(blob_out *out, const void *data, size_t size) {
  if (!size) return;
  if (out->bytes) memcpy(out->bytes + out->at, data, size);
  if (out->write && !out->status) out->status = out->write(out->user, data, size);
  out->at += size;
}

#endif
