/* One context for all tests of a program; at the end it must hold no memory. */
#ifndef SCREE_TESTS_ONE_CONTEXT_H
#define SCREE_TESTS_ONE_CONTEXT_H

#include "scree/base.h"

static scree_context *context;

static int setup(void **state) {
  (void)state;
  context = scree_context_create(NULL);
  return context ? 0 : -1;
}

static int teardown(void **state) {
  (void)state;
  const size_t left = scree_context_bytes(context);
  scree_context_destroy(context);
  return left == 0 ? 0 : -1;
}

#endif
