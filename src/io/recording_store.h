/* A recording that is being read; shared by recording_read.c and recording_scene.c. */
#ifndef SCREE_IO_RECORDING_STORE_H
#define SCREE_IO_RECORDING_STORE_H

#include "io/recording.h"

#ifdef SCREE_WITH_HDF5

struct scree_recording {
  scree_context *context;
  char *path;
  hid_t file;
  uint64_t rows[STREAM_COUNT];
  char version[64];
  uint64_t run;
  bool live;
  char *buffer[STREAM_COUNT];
  size_t room[STREAM_COUNT];
  /* The list of bodies, read when it is first asked for: rows, and for each place the row of the
   * body listed last there (1 + row, 0: none) and for each row the one before. */
  uint32_t *list, *last, *before;
  double *mass;
  size_t last_room;
  scree_scene *scene;
  scree_world *world;
  H5E_auto2_t old_print;
  void *old_print_data;
};

scree_status recording_fault(const scree_recording *r, const char *what);
/* Attributes; false when there is none of that name and form. */
bool recording_text(hid_t object, const char *name, char *text, size_t size);
bool recording_number(hid_t object, const char *name, uint64_t *value);
scree_status recording_rows(scree_recording *r, int which, uint64_t first, uint64_t count,
                            void *out);
void recording_forget_list(scree_recording *r);

#endif
#endif
