/* A recording that is being read; shared by recording/read.c and recording/scene.c. */
#ifndef SCREE_RECORDING_STORE_H
#define SCREE_RECORDING_STORE_H

#include "recording/checkpoint_file.h"
#include "recording/structure.h"

#ifdef SCREE_WITH_HDF5

/* A file of the scene, or a change. */
typedef struct recording_item {
  char name[32];
  char *path;
  uint64_t address, size, crc;
  bool has_crc;
} recording_item;

struct scree_recording {
  scree_context *context;
  char *path;
  int descriptor;
  size_t size; /* of the file, when it was opened */
  uint64_t rows[STREAM_COUNT];
  uint64_t told[STREAM_COUNT];   /* by the structure: more than rows where the file was cut short */
  uint64_t *chunk[STREAM_COUNT]; /* addresses; of `cut` ones CHECK_UNDEFINED where one is missing */
  uint64_t chunk_rows[STREAM_COUNT];
  bool there[STREAM_COUNT];
  char format[64], version[64];
  uint64_t format_version, run, files, sets;
  unsigned attributes; /* bits of those found */
  recording_item *items;
  size_t item_count;
  bool live, mine;
  bool unpacked;                        /* another program wrote it anew: see hdf5/unpack.c */
  bool marked;                          /* it was not closed: a run writes to it, or was killed */
  bool checked;                         /* it has checksums */
  bool cut;                             /* rows may be missing: see recording/damaged.c */
  bool rebuilt;                         /* its structure is damaged, that of a checkpoint is used */
  size_t dropped_frames, dropped_steps; /* not whole, at the end of a file that was not closed */
  checkpoint_in checkpoint;             /* holds the bytes of the patches, where they are ours */
  check_patch *patches;
  size_t patch_count;
  /* The file's columns of /steps, and where each of ours is among them; -1: it has none. */
  size_t step_width;
  int step_map[SCREE_STEP_COLUMNS];
  char remark[160];
  char *buffer[STREAM_COUNT];
  /* The list of bodies, read when it is first needed: rows, and for each place the row of the
   * body listed last there (1 + row, 0: none) and for each row the one before. */
  uint32_t *list, *last, *before;
  double *mass;
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

/* recording/check.c: all are true for files without checksums. */
/* The checksums of a frame, to compare its rows with. */
scree_status recording_frame_checks(scree_recording *r, uint64_t frame, uint32_t *checks);
bool recording_is_whole(const scree_recording *r, const uint32_t *checks, int column,
                        const void *rows, size_t size);
scree_status recording_frame_fault(const scree_recording *r, uint64_t frame, int column);
/* Rows with their checksums compared; rows of steps as they are in the file. */
scree_status recording_checked_times(scree_recording *r, uint64_t first, uint64_t count,
                                     double *times);
scree_status recording_checked_steps(scree_recording *r, uint64_t first, uint64_t count,
                                     double *rows);
/* Row i of the list of bodies. */
bool recording_is_listed_whole(const uint32_t *row, const double *mass, uint32_t check);
/* What the newest checkpoint of the run says to be in the file, and what of that is there. The file
 * of a run that was killed does not know how long it was: only its checkpoint does. All are 0 where
 * there is none. */
typedef struct recording_reach {
  uint64_t frames, steps, bodies;
  uint64_t told_frames, told_steps, told_bodies;
} recording_reach;
scree_status recording_find_reach(scree_recording *r, recording_reach *reach);
bool recording_is_short(const recording_reach *reach);
/* "it is shorter than its checkpoint says: …". */
void recording_tell_short(const recording_reach *reach, char *text, size_t size);
/* The newest checkpoint of this run that is whole; CHECKPOINT_ABSENT: none. */
scree_status recording_find_checkpoint(scree_recording *r, checkpoint_in *in);
/* Takes frames and steps off the end that a killed run did not finish. */
scree_status recording_drop_unfinished(scree_recording *r);

#endif
#endif
