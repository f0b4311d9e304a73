/* Live views: `scree run --view` and `scree view`. */
#ifndef SCREE_CLI_RUN_LIVE_H
#define SCREE_CLI_RUN_LIVE_H

#include "cli/run/simulate.h"

/* A server, after its address was reported; null after a message, with *code set. */
scree_server *live_server(scree_context *context, const cli_args *args, int *code);
/* Runs a scene under the eyes of readers, until Ctrl-C. An exit code. */
int live_run(scree_context *context, scree_scene *scene, const cli_args *args,
             const scree_sim_def *sim_def, const simulate_def *def);

#endif
