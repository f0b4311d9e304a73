/* Flipped bits in a recording and what lies beside it; for test_flips and test_flips_long. */
#ifndef SCREE_TESTS_FLIPS_H
#define SCREE_TESTS_FLIPS_H

#include <stddef.h>

typedef struct flips_result {
  size_t found;  /* flips that scree_recording_verify told of */
  size_t unused; /* flips where nothing refers to: all that is read is as before */
  size_t silent; /* flips that changed something and were not reported: must be none */
} flips_result;

/* `count` flips, spread over recording, checkpoints and tables of probes; files are made in the
 * working directory under `stem`, and removed. False: something else failed. */
int flips_run(const char *stem, size_t count, flips_result *result);

#endif
