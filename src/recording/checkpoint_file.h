/* The files of checkpoints: RECORDING.checkpoint and, one older, RECORDING.checkpoint.old. Each is
 *
 *   head    magic, run, sizes of the parts, CRC-32C of each part and of the head itself
 *   parts   structure of the recording; probes; state
 *
 * and is written as RECORDING.checkpoint.new, brought to the disk, and renamed. At any moment there
 * is a whole one. What is in the state, sim decides. */
#ifndef SCREE_RECORDING_CHECKPOINT_FILE_H
#define SCREE_RECORDING_CHECKPOINT_FILE_H

#include "base/context.h"

enum { CHECKPOINT_STRUCTURE, CHECKPOINT_PROBES, CHECKPOINT_STATE, CHECKPOINT_PARTS };

/* What is kept about a probe's table. */
typedef struct checkpoint_probe {
  char name[96];
  uint64_t bytes; /* of the table, from its start */
  uint32_t crc;   /* of these */
  uint32_t reserved;
} checkpoint_probe;

typedef struct checkpoint_out checkpoint_out;
scree_status checkpoint_begin(scree_context *context, const char *recording, uint64_t run,
                              checkpoint_out **out);
/* Parts come in their order. */
void checkpoint_begin_part(checkpoint_out *out, int part);
/* Bytes of the current part; a scree_write_function. */
scree_status checkpoint_put(void *out, const void *data, size_t size);
/* Ends the file; `status`: whether its parts were written. `rotate`: the present checkpoint becomes
 * the older one. */
scree_status checkpoint_end(checkpoint_out *out, scree_status status, bool rotate);

typedef enum checkpoint_state {
  CHECKPOINT_ABSENT,
  CHECKPOINT_GOOD,
  CHECKPOINT_DAMAGED,
  CHECKPOINT_OTHER, /* of another version of Scree */
} checkpoint_state;

typedef struct checkpoint_in {
  checkpoint_state state;
  bool whole; /* its checksums hold; of another version, if that has the same head */
  uint64_t run;
  char *bytes;
  size_t size;
  const char *part[CHECKPOINT_PARTS];
  size_t part_size[CHECKPOINT_PARTS];
} checkpoint_in;

/* age 0: the newest, 1: the one before. A status only when it cannot be read at all. */
scree_status checkpoint_load(scree_context *context, const char *recording, int age,
                             checkpoint_in *in);
void checkpoint_clear(scree_context *context, checkpoint_in *in);
/* Removes both, for good. */
void checkpoint_forget(scree_context *context, const char *recording);

#endif
