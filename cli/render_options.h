/* The options of `scree render`, read and checked. */
#ifndef SCREE_CLI_RENDER_OPTIONS_H
#define SCREE_CLI_RENDER_OPTIONS_H

#include "cli/cli.h"

typedef enum render_mode { RENDER_STILL, RENDER_SHEET, RENDER_FILM } render_mode;

typedef struct render_view {
  double azimuth, elevation, field; /* rad; azimuth and elevation NaN: chosen by the scene */
  double distance;                  /* m, 0: whatever shows everything */
  double zoom;
  double target[3]; /* NaN: the middle of what is seen */
  double turn;      /* rad a second of the film */
  char follow[128]; /* a body's name, "" for none */
} render_view;

/* A side x < value or x > value of an axis; sign 0: the side of the camera. */
typedef struct render_side {
  int axis, sign;
  double value;
} render_side;
typedef struct render_section {
  render_side side[SCREE_CUT_PLANES];
  size_t count;
} render_section;

typedef struct render_options {
  render_mode mode;
  char out[4096];
  int width, height, background, map, bodies;
  long samples, frame, sheet;
  double time, start, stop, fps, speed;
  bool has_time, json, ground, grid, legend, shadows, chains, ranged;
  double least, most;
  const char *colour, *caption;
  render_view view;
  render_section sections[SCREE_CUT_LIMIT];
  size_t section_count;
} render_options;

extern const cli_flag render_flags[];
/* False after a message. */
bool render_options_read(const cli_args *args, render_options *o);

#endif
