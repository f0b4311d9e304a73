/* Curves against time in panels under each other, drawn by gnuplot. */
#ifndef SCREE_CLI_PLOT_PANEL_H
#define SCREE_CLI_PLOT_PANEL_H

#include "cli/cli.h"

typedef struct panel_curve {
  char title[160];
  int colour, dash; /* from 0 */
  bool marks;       /* crosses instead of a line */
  double *x, *y;    /* a y that is not finite is left out */
  size_t count, room;
} panel_curve;

typedef struct panel {
  char label[160];     /* of the y axis, with its unit */
  const char *x_label; /* of the lowest panel; null: the simulated time */
  bool log;            /* values that are not positive are left out */
  bool from_zero;      /* the axis begins at 0 */
  double tolerance;    /* a dashed line; 0: none */
  panel_curve *curves;
  size_t count, room;
} panel;

/* Null: no memory, after a message. A pointer is good until the next curve is added. */
panel_curve *panel_add_curve(panel *p);
bool panel_add_point(panel_curve *c, double x, double y);
void panel_clear(panel *p);
/* 0, or an exit code after a message. */
int panel_draw(const char *path, const char *title, const panel *panels, size_t count);

#endif
