/* From a recording to what the renderer draws. */
#ifndef SCREE_CLI_PICTURE_H
#define SCREE_CLI_PICTURE_H

#include "cli/cli.h"

typedef struct picture_style {
  scree_look bodies; /* of the moving ones */
  bool hidden;       /* moving bodies are not drawn at all */
} picture_style;

typedef struct picture {
  scree_context *context;
  scree_recording *recording;
  scree_scene *scene;
  scree_world *world;
  picture_style style;
  scree_render_item *items;
  size_t item_count, item_room;
  double time;
} picture;

/* Exit codes, after a message. */
int picture_open(picture *p, scree_context *context, const char *path);
void picture_close(picture *p);
/* Items of frame i. */
int picture_load(picture *p, size_t frame);

#endif
