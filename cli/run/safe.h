/* `--safe`: limits of the process for a scene from a stranger. docs/security.md says what they hold
 * off. */
#ifndef SCREE_CLI_RUN_SAFE_H
#define SCREE_CLI_RUN_SAFE_H

#include "cli/cli.h"

#define SAFE_FLAG                                                                                  \
  { "safe", NULL, "for a scene from a stranger: no files outside its folder, 4 GiB, 600 s of CPU" }

/* No verb takes more memory than the system can give when it begins, so that what needs more fails
 * with a message and not the machine. A limit that is there (`ulimit -d`) is left as it is. */
void safe_limit_memory(void);
/* Sets them when --safe was given; an exit code, after a message when it is not 0. */
int safe_begin(const cli_args *args);

#endif
