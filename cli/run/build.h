/* A scene's world for verbs that look at it without a run: modes, statics. */
#ifndef SCREE_CLI_RUN_BUILD_H
#define SCREE_CLI_RUN_BUILD_H

#include "cli/cli.h"

typedef struct built {
  scree_context *context;
  scree_scene *scene;
  scree_world *world;
} built;

/* Of the first operand, with --set, --safe and --threads; forces that act at the start are set.
 * 0, or the exit code after a message. Close it in any case. */
int build_open(const cli_args *args, built *b);
void build_close(built *b);
/* The name of a body in the scene, as rod[3]; else its number. */
void build_name(const built *b, scree_body_id id, char *text, size_t size);

#endif
