/* What `run` and `resume` share: the loop with its progress line, and the summary. */
#ifndef SCREE_CLI_RUN_SIMULATE_H
#define SCREE_CLI_RUN_SIMULATE_H

#include "cli/cli.h"

typedef struct simulate_def {
  const char *scene; /* as the user named it */
  const char *out;   /* null: no recording */
  bool json, strict;
  long export_step; /* 0: none */
  const char *export_path;
} simulate_def;

/* Runs to the end, prints the summary, and returns the exit code. Does not destroy the run. */
int simulate(scree_context *context, scree_sim *sim, const simulate_def *def);
/* The second half of it: the summary of a run that is done or was interrupted. */
int simulate_end(scree_context *context, scree_sim *sim, const simulate_def *def);
/* Where --export-problem writes: --export-to, or a name made in `path`. 0, or an exit code. */
int simulate_export_path(const cli_args *args, simulate_def *def, char *path, size_t size);
/* The path of a scene: a file, or one of the gallery. 0, or an exit code after a message. */
int simulate_find(scree_context *context, const char *name, char *path, size_t size);

#endif
