/* Frames of a recording for a page: bodies by number, contacts by numbers. */
#ifndef SCREE_VIEW_READER_H
#define SCREE_VIEW_READER_H

#include "view/view.h"

typedef struct view_reader {
  scree_context *context;
  scree_recording *recording;
  scree_scene *scene; /* the recording's */
  scree_world *world;
  view_cast cast;
  /* The frame that was read last. */
  uint32_t *numbers, *pairs, *number_of; /* number_of: by place, 1 + number; 0: not shown */
  double *poses;
  float *velocities;
  size_t most, moving; /* moving bodies to be shown, 0: all; in the first frame */
} view_reader;

/* The recording must outlive it. `bodies`: so many moving ones at most, 0: all. */
scree_status view_reader_open(view_reader *r, scree_recording *recording, size_t bodies);
void view_reader_close(view_reader *r);
/* The arrays of a frame live until the next call. */
scree_status view_reader_frame(view_reader *r, size_t i, bool contacts, view_frame *frame);
/* All rows of the log of steps, in the columns that are plotted; free the values. */
scree_status view_reader_steps(view_reader *r, double **values, size_t *rows);

#endif
