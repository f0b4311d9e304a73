/* `--safe`: limits of the process for a scene from a stranger. docs/security.md says what they hold
 * off. */
#ifndef SCREE_CLI_SAFE_H
#define SCREE_CLI_SAFE_H

#include "cli/cli.h"

#define SAFE_FLAG                                                                                  \
  { "safe", NULL, "for a scene from a stranger: no files outside its folder, 4 GiB, 600 s of CPU" }

/* Sets them when --safe was given; an exit code, after a message when it is not 0. */
int safe_begin(const cli_args *args);

#endif
