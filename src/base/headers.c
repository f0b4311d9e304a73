/* Which public headers this library was built with; the build writes the hash. */
#include <scree_headers_hash.h>

#include "scree/base.h"

const char *scree_headers_hash(void) {
  return SCREE_HEADERS_HASH;
}
