/* The cookie of definitions: every structure that a …_default function fills begins with it, so
 * that a definition that was never filled, or was filled by a library of another minor version
 * (whose structures may differ), is refused instead of read. */
#ifndef SCREE_BASE_DEFINITION_H
#define SCREE_BASE_DEFINITION_H

#include "base/context.h"

/* 'S' 'c', then the version; neither 0 nor a pattern that debuggers and allocators fill with. */
#define DEFINITION_COOKIE                                                                          \
  (0x53630000u | (uint32_t)SCREE_VERSION_MAJOR << 8 | (uint32_t)SCREE_VERSION_MINOR)

/* Ends the function with SCREE_ERROR_ARGUMENT. `type` is the name of the structure without scree_.
 */
#define DEFINITION_CHECK(context, def, type)                                                       \
  do {                                                                                             \
    const scree_##type *const checked = (def);                                                     \
    if (checked->cookie != DEFINITION_COOKIE)                                                      \
      return context_fail(context, SCREE_ERROR_ARGUMENT,                                           \
                          "scree_" #type ": it was not made by scree_" #type                       \
                          "_default() of this version; begin with that and change its members");   \
  } while (0)

#endif
