/* Null pointers of a program are refused by the calls that make, load, step or solve something. */
#ifndef SCREE_BASE_ARGUMENT_H
#define SCREE_BASE_ARGUMENT_H

#include "base/context.h"

#define ARGUMENT_CHECK(context, condition)                                                         \
  do {                                                                                             \
    if (!(condition))                                                                              \
      return context_fail(context, SCREE_ERROR_ARGUMENT, "%s: an argument is null; expected: %s",  \
                          __func__, #condition);                                                   \
  } while (0)

#endif
