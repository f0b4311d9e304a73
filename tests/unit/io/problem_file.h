/* A context and the path of a file of its own for each test of a program; at the end the file is
 * gone and the context holds no memory. */
#ifndef TEST_PROBLEM_FILE_H
#define TEST_PROBLEM_FILE_H

#include <stdio.h>
#include <unistd.h>

#include "scree/base.h"

static scree_context *context;
static char path[64];

static int set_up(void **state) {
  (void)state;
  context = scree_context_create(NULL);
  snprintf(path, sizeof path, "problem-%ld.hdf5", (long)getpid());
  return context ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  unlink(path);
  const size_t left = scree_context_bytes(context);
  scree_context_destroy(context);
  return left == 0 ? 0 : -1;
}

#endif
