/* The options of `scree render`, read and checked. */
#ifndef SCREE_CLI_PICTURE_RENDER_OPTIONS_H
#define SCREE_CLI_PICTURE_RENDER_OPTIONS_H

#include "cli/cli.h"

typedef enum render_mode { RENDER_STILL, RENDER_SHEET, RENDER_FILM } render_mode;

typedef struct render_options {
  render_mode mode;
  char out[4096];
  int width, height, background, map, bodies;
  long samples, frame, sheet, ghosts;
  double time, start, stop, fps, speed;
  bool has_time, json, ground, grid, legend, shadows, chains, ranged;
  double least, most;
  const char *colour, *caption;
  scree_picture_def view; /* its camera */
  char follow[128];       /* a body's name, "" for none */
  scree_picture_section sections[SCREE_CUT_LIMIT];
  size_t section_count;
} render_options;

extern const cli_flag render_flags[];
/* False after a message. */
bool render_options_read(const cli_args *args, render_options *o);

#endif
