/* Writing a recording. Rows are gathered in memory and appended; a frame's index goes to the file
 * after its rows, so that a reader never sees an index without them.
 *
 * A run that goes on after a kill writes again from the counts of its checkpoint on: what it writes
 * over is equal, as runs are deterministic. Nothing is ever cut off, so there is no moment at which
 * a kill could hurt. */
#ifndef SCREE_IO_RECORDING_H
#define SCREE_IO_RECORDING_H

#include "scree/contact.h"
#include "scree/recording.h"

typedef struct recording_counts {
  uint64_t frames, bodies, contacts, steps, listed;
} recording_counts;

typedef struct recorder recorder;

/* A new file: made beside `path`, and renamed to it when the scene is safely inside. */
scree_status recorder_create(scree_context *context, const char *path, const scree_scene *scene,
                             uint64_t run, recorder **out);
/* Goes on with a file at the given counts. */
scree_status recorder_reopen(scree_context *context, const char *path,
                             const recording_counts *counts, recorder **out);
scree_status recorder_add_step(recorder *r, const double row[SCREE_STEP_COLUMNS]);
/* Contacts of a frame, read one at a time: a list of all would double what they need. */
typedef struct recorder_contacts {
  size_t count;
  const void *source;
  scree_contact (*at)(const void *source, size_t k);
} recorder_contacts;

/* `h`: the step that the impulses belong to. */
scree_status recorder_add_frame(recorder *r, const scree_world *world, uint64_t step,
                                const recorder_contacts *contacts, double h);
/* Everything so far is in the file, for readers and for a kill. */
scree_status recorder_flush(recorder *r);
recording_counts recorder_counts(const recorder *r);
/* Null is allowed. After a failed write nothing more is written. */
scree_status recorder_close(recorder *r);

/* The run's name, which a checkpoint repeats; and the scene, which is the caller's. */
uint64_t recording_run(const scree_recording *r);
scree_status recording_read_scene(scree_recording *r, scree_scene **scene);

#ifdef SCREE_WITH_HDF5
#include <hdf5.h>
/* Streams of rows in a recording. */
enum {
  STREAM_BODY_LIST,
  STREAM_BODY_MASS,
  STREAM_BODY_ID,
  STREAM_BODY_POSE,
  STREAM_BODY_VELOCITY,
  STREAM_CONTACT_BODIES,
  STREAM_CONTACT_VALUES,
  STREAM_FRAME_INDEX,
  STREAM_FRAME_TIME,
  STREAM_STEPS,
  STREAM_COUNT
};
typedef struct recording_stream {
  const char *path;
  int columns; /* 0: rank 1 */
  size_t size; /* of an element */
  enum { STREAM_U32, STREAM_U64, STREAM_F32, STREAM_F64 } type;
} recording_stream;
extern const recording_stream recording_streams[STREAM_COUNT];
enum { RECORDING_VERSION = 2, RECORDING_PLACES = 1 << 28 };
hid_t recording_type(const recording_stream *s);
/* How files are opened; `clear`: whatever mark a killed writer left in them is ignored. */
hid_t recording_access_list(bool clear);
size_t recording_row_size(const recording_stream *s);
#endif

#endif
