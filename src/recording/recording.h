/* Writing a recording. Rows are gathered in memory and appended; a frame's index goes to the file
 * after its rows, so that a reader never sees an index without them.
 *
 * Data are only ever appended; what HDF5 writes in place is structure: extents, lists of chunks. A
 * checkpoint keeps a copy of all structure (recorder_structure), taken when all that it refers to
 * is on the disk. So the file can always be brought back to its checkpoint, whatever became of the
 * writes behind it, and that is how a run goes on: structure from the checkpoint, then the frames
 * behind it once more, which are equal, as runs are deterministic.
 *
 * Checksums: HDF5 has one in every block of structure, attributes included; rows have theirs in
 * streams of their own, one row of checksums for each frame, step or body of the list; files of the
 * scene have it in an attribute. HDF5's filter (Fletcher-32) would sum up whole chunks, and a chunk
 * that is written again with more rows would put rows at risk that were safe before. */
#ifndef SCREE_RECORDING_RECORDING_H
#define SCREE_RECORDING_RECORDING_H

#include "base/claim.h"
#include "scree/contact.h"
#include "scree/recording.h"

typedef struct recording_counts {
  uint64_t frames, bodies, contacts, steps, listed;
} recording_counts;

typedef struct recorder recorder;

/* A new file: made beside `path`, and there under its name from recorder_publish on. */
scree_status recorder_create(scree_context *context, const char *path, const scree_scene *scene,
                             uint64_t run, bool replace, recorder **out);
/* Brings everything so far to the disk, and gives the file its name. */
scree_status recorder_publish(recorder *r);
/* Goes on with a file whose lock was taken, at the given counts. `structure`: of its checkpoint;
 * null: there is none. The claim is the recorder's from here on, also when this fails. */
scree_status recorder_reopen(scree_context *context, claim *taken, const recording_counts *counts,
                             const char *structure, size_t size, recorder **out);
/* After recorder_sync: hands out all blocks of structure, each as address, size (u64) and bytes. */
scree_status recorder_structure(recorder *r, scree_write_function write, void *user);
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
/* Copies rows of another recording: only the bodies given here are listed. */
scree_status recorder_copy_listed(recorder *r, const uint32_t row[5], const double mass[2]);
scree_status recorder_copy_frame(recorder *r, const scree_frame *frame);
/* Everything so far is in the file, for readers and for a kill. */
scree_status recorder_flush(recorder *r);
/* And for a crash of the machine. */
scree_status recorder_sync(recorder *r);
recording_counts recorder_counts(const recorder *r);
/* Null is allowed. After a failed write nothing more is written. */
scree_status recorder_close(recorder *r);

/* As scree_recording_open. `structure`: takes the place of the file's; null: the file's own, or
 * where that is damaged the one of a checkpoint beside it. `mine`: the caller holds its lock.
 * `cut`: what is left of a damaged file, by this structure alone; rows and datasets may be missing.
 */
typedef struct recording_open_def {
  const char *structure;
  size_t structure_size;
  bool mine, cut;
} recording_open_def;
scree_status recording_open(scree_context *context, const char *path, const recording_open_def *def,
                            scree_recording **recording);
/* Is all there that the counts speak of, and are the last frame and step whole? */
bool recording_reaches(scree_recording *r, const recording_counts *counts);
/* The run's name, which a checkpoint repeats; and the scene, which is the caller's. */
uint64_t recording_run(const scree_recording *r);
scree_status recording_read_scene(scree_recording *r, scree_scene **scene);
/* Of the table of a probe. */
void recording_table_path(const char *recording, const char *probe, char path[CLAIM_PATH]);

#ifdef SCREE_WITH_HDF5
#include <hdf5.h>
/* Streams of rows in a recording. */
enum {
  STREAM_BODY_LIST,
  STREAM_BODY_MASS,
  STREAM_CHECK_LIST,
  STREAM_BODY_ID,
  STREAM_BODY_POSE,
  STREAM_BODY_VELOCITY,
  STREAM_CONTACT_BODIES,
  STREAM_CONTACT_VALUES,
  STREAM_CHECK_FRAMES,
  STREAM_FRAME_INDEX,
  STREAM_FRAME_TIME,
  STREAM_CHECK_STEPS,
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
enum { RECORDING_VERSION = 3, RECORDING_UNCHECKED = 2, RECORDING_PLACES = 1 << 28 };
/* Columns of /checks/frames: CRC-32C of the frame's rows in each stream. */
enum {
  CHECK_INDEX,
  CHECK_TIME,
  CHECK_ID,
  CHECK_POSE,
  CHECK_VELOCITY,
  CHECK_CONTACT_BODIES,
  CHECK_CONTACT_VALUES,
  CHECK_COLUMNS
};
hid_t recording_type(const recording_stream *s);
size_t recording_row_size(const recording_stream *s);
#endif

#endif
