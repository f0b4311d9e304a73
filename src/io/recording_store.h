/* A recording that is being read; shared by recording_read.c and recording_scene.c. */
#ifndef SCREE_IO_RECORDING_STORE_H
#define SCREE_IO_RECORDING_STORE_H

#include "io/recording.h"

#ifdef SCREE_WITH_HDF5

/* A file of the scene, or a change. */
typedef struct recording_item {
  char name[32];
  char *path;
  uint64_t address, size;
} recording_item;

struct scree_recording {
  scree_context *context;
  char *path;
  int descriptor;
  size_t size; /* of the file, when it was opened */
  uint64_t rows[STREAM_COUNT];
  uint64_t *chunk[STREAM_COUNT]; /* addresses */
  uint64_t chunk_rows[STREAM_COUNT];
  bool there[STREAM_COUNT];
  size_t step_columns; /* of the log of steps; older files have fewer */
  char format[64], version[64];
  uint64_t format_version, run, files, sets;
  unsigned attributes; /* bits of those found */
  recording_item *items;
  size_t item_count, item_room;
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
};

scree_status recording_fault(const scree_recording *r, const char *what);
/* Bytes of the file. */
scree_status recording_bytes(const scree_recording *r, uint64_t address, size_t size, void *out);
/* The item of that name, a new one when there is none; null: no memory. */
recording_item *recording_item_of(scree_recording *r, const char *name);
scree_status recording_rows(scree_recording *r, int which, uint64_t first, uint64_t count,
                            void *out);
void recording_forget_list(scree_recording *r);

#endif
#endif
