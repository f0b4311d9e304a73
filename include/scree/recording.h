/* Scree, recording: what a run keeps, in one HDF5 file.
 *
 *   /                    attributes format, format_version, scree_version, run
 *   /scene/file0 …       bytes of the scene's files (attribute path); /scene/set0 … of its changes
 *   /frames/time         f64 [F], s
 *   /frames/index        u64 [F, 5]: step, first row and number of bodies, of contacts
 *   /bodies/id           u32 [B, 3]: place and generation of the body's id, shape (1 + its place in
 *                        the world's table of shapes, 0: none)
 *   /bodies/pose         f64 [B, 7]: x y z, qw qx qy qz of the shape's frame
 *   /bodies/velocity     f32 [B, 6]: linear, angular
 *   /bodies/list         u32 [L, 5]: every body once, when it first is in a frame: place,
 *                        generation, shape, kind (scree_body_kind), material
 *   /bodies/mass         f64 [L, 2]: its mass (kg, 0: not dynamic), and the diameter of the ball of
 *                        equal volume (m, infinite: none)
 *   /contacts/bodies     u32 [C, 2]: places of a and b
 *   /contacts/values     f32 [C, 10]: position, normal (a to b), force on b (N), gap (m)
 *   /steps               f64 [S, SCREE_STEP_COLUMNS], attribute step_columns of /
 *   /checks/frames       u32 [F, 7]: CRC-32C of the frame's rows of frames/index, frames/time,
 *                        bodies/id, pose, velocity, contacts/bodies, values
 *   /checks/steps        u32 [S]: of each row of /steps
 *   /checks/list         u32 [L]: of each row of bodies/list and of bodies/mass behind it
 *
 * Files of the scene have theirs in an attribute crc32c, and HDF5 has checksums of its own in all
 * that is not data. Whatever is read is compared with its checksum first. Format 2 had none: such
 * files are read, and scree_recording_remark says so.
 *
 * The file is written in HDF5's mode for one writer and many readers (SWMR): it can be read while
 * the run goes on, and after the run was killed. Readers other than this one open such a file with
 * the flag for SWMR reading. */
#ifndef SCREE_RECORDING_H
#define SCREE_RECORDING_H

#include "scree/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Columns of the log of steps: X(name, unit). New ones go to the end: a recording of an older Scree
 * has fewer, and reads as NaN in those it lacks. `method` is the place in the list of solvers, from
 * 1, of the one that ended the last solve of the step; 0: the start met the tolerance.
 * From `motors` to `energy_error`, and `numerical`, the ledger (scree_ledger), summed from the
 * start; `damped`: bodies with numerical damping; `asleep`: bodies left out (sleep_after). */
#define SCREE_STEP_COLUMN_LIST(X)                                                                  \
  X(time, "s")                                                                                     \
  X(bodies, "")                                                                                    \
  X(contacts, "")                                                                                  \
  X(touching, "")                                                                                  \
  X(rows, "")                                                                                      \
  X(iterations, "")                                                                                \
  X(solves, "")                                                                                    \
  X(converged, "")                                                                                 \
  X(outcome, "")                                                                                   \
  X(residual, "")                                                                                  \
  X(error, "")                                                                                     \
  X(penetration, "m")                                                                              \
  X(penetration_percent, "%")                                                                      \
  X(penetration_speed, "m/s")                                                                      \
  X(relaxation_gap, "m/s")                                                                         \
  X(joint_error, "m")                                                                              \
  X(kinetic_linear, "J")                                                                           \
  X(kinetic_angular, "J")                                                                          \
  X(potential, "J")                                                                                \
  X(pairwise, "J")                                                                                 \
  X(seconds_collide, "s")                                                                          \
  X(seconds_assemble, "s")                                                                         \
  X(seconds_solve, "s")                                                                            \
  X(seconds_integrate, "s")                                                                        \
  X(retries, "")                                                                                   \
  X(method, "")                                                                                    \
  X(motors, "J")                                                                                   \
  X(motions, "J")                                                                                  \
  X(forces, "J")                                                                                   \
  X(friction, "J")                                                                                 \
  X(impacts, "J")                                                                                  \
  X(joints, "J")                                                                                   \
  X(energy_error, "J")                                                                             \
  X(damped, "")                                                                                    \
  X(asleep, "")                                                                                    \
  X(numerical, "J")

enum {
#define SCREE_STEP_COLUMN_ENUM(name, unit) SCREE_STEP_##name,
  SCREE_STEP_COLUMN_LIST(SCREE_STEP_COLUMN_ENUM)
#undef SCREE_STEP_COLUMN_ENUM
      SCREE_STEP_COLUMNS
};

/* Reading takes no const recording: a body's list, and what was compared with its checksum, are
 * kept from the first call that needs them. */
typedef struct scree_recording scree_recording;

SCREE_API scree_status scree_recording_open(scree_context *context, const char *path,
                                            scree_recording **recording);
/* The same; and one that was cut short or whose structure is damaged, which is refused else, is
 * opened with what is left of it: then its remark says so, and frames and steps whose rows are not
 * in the file are SCREE_ERROR_INPUT. For scree_recording_salvage. */
SCREE_API scree_status scree_recording_open_damaged(scree_context *context, const char *path,
                                                    scree_recording **recording);
SCREE_API void scree_recording_close(scree_recording *recording);
/* Looks again at the file of a run that goes on: what has been written since counts from now on.
 * Frames that were got before are no longer valid; scene and world stay. On failure nothing has
 * changed. Another run that took its place is SCREE_ERROR_INPUT. */
SCREE_API scree_status scree_recording_refresh(scree_recording *recording);
SCREE_API size_t scree_recording_frame_count(const scree_recording *recording);
SCREE_API size_t scree_recording_step_count(const scree_recording *recording);
SCREE_API const char *scree_recording_version(const scree_recording *recording);
/* Was a run writing to it when it was opened, or refreshed? */
SCREE_API bool scree_recording_is_live(const scree_recording *recording);
SCREE_API bool scree_recording_has_checksums(const scree_recording *recording);
/* Frames at the end that a killed run did not finish; they do not count. */
SCREE_API size_t scree_recording_unfinished(const scree_recording *recording);
/* What one should know about it, "" when all is well: it has no checksums, or its structure is
 * damaged and that of a checkpoint is used. */
SCREE_API const char *scree_recording_remark(const scree_recording *recording);
/* Times of frames, s. */
SCREE_API scree_status scree_recording_get_times(scree_recording *recording, size_t first,
                                                 size_t count, double *times);

/* One frame; the arrays live until the next call or close. */
typedef struct scree_frame {
  double time;
  uint64_t step;
  size_t body_count, contact_count;
  const uint32_t *ids;            /* 3 per body: place, generation, shape */
  const double *poses;            /* 7 per body */
  const float *velocities;        /* 6 per body */
  const uint32_t *contact_bodies; /* 2 per contact */
  const float *contacts;          /* 10 per contact */
} scree_frame;
SCREE_API scree_status scree_recording_get_frame(scree_recording *recording, size_t i,
                                                 scree_frame *frame);
/* What does not change about a body of any frame, emitted ones included. */
typedef struct scree_recorded_body {
  scree_body_id id;
  uint32_t shape; /* as in a frame's ids */
  scree_body_kind kind;
  scree_material_id material;
  double mass;     /* kg, 0: not dynamic */
  double diameter; /* of the ball of equal volume, m; infinite where it has none */
} scree_recorded_body;
/* SCREE_ERROR_INPUT: the recording does not know it. */
SCREE_API scree_status scree_recording_get_body(scree_recording *recording, scree_body_id id,
                                                scree_recorded_body *body);
/* Rows of the log of steps, SCREE_STEP_COLUMNS numbers each. */
SCREE_API scree_status scree_recording_get_steps(scree_recording *recording, size_t first,
                                                 size_t count, double *rows);
SCREE_API const char *scree_step_column_name(size_t column);
SCREE_API const char *scree_step_column_unit(size_t column);

/* The scene that was run, and the world as it was built: owned by the recording. world null: it is
 * not built. */
SCREE_API scree_status scree_recording_get_scene(scree_recording *recording, scree_scene **scene,
                                                 scree_world **world);
/* The shape of a frame's ids; null for 0. After scree_recording_get_scene. */
SCREE_API const scree_shape *scree_recording_shape(const scree_recording *recording,
                                                   uint32_t shape);

/* Looks through a recording, its checkpoints and its probes: every checksum, and what must fit
 * together. Each fault is reported as "FILE: where: what". */
typedef struct scree_recording_faults {
  bool checksums;       /* it has them; else only its form was looked at */
  size_t frames, steps; /* that it has */
  size_t bad_frames;    /* of them */
  size_t unfinished;    /* frames that a killed run left at the end */
  size_t probes;        /* tables that were compared */
  size_t checkpoints;   /* whole ones of this run */
  size_t faults;        /* all */
  size_t loose;         /* bytes of tables behind the last checkpoint: no checksum covers them */
  size_t foreign;       /* whole checkpoints of another version of Scree: no fault, but the tables
                           were not compared with them */
} scree_recording_faults;
/* SCREE_ERROR_INPUT: there are faults, or it is no recording. */
SCREE_API scree_status scree_recording_verify(scree_context *context, const char *path,
                                              scree_report_function report, void *user,
                                              scree_recording_faults *faults);
/* A new recording of all that is intact in one that is damaged (see scree_recording_open_damaged),
 * with new checksums. Frames that are
 * damaged are left out, damaged rows of the log of steps become NaN, and bodies whose row in the
 * list is damaged are looked for in the scene. What is lost is reported, line by line. */
typedef struct scree_salvage_def {
  const char *out;    /* must be another file */
  bool replace;       /* as in scree_sim_def */
  scree_scene *scene; /* in place of one that is damaged; null: the recording's own */
  scree_report_function report;
  void *report_user;
} scree_salvage_def;
typedef struct scree_salvage_info {
  size_t frames, steps, bodies;                /* saved */
  size_t lost_frames, lost_steps, lost_bodies; /* bodies: of the list */
} scree_salvage_info;
SCREE_API scree_status scree_recording_salvage(scree_recording *recording,
                                               const scree_salvage_def *def,
                                               scree_salvage_info *info);
/* Is the table of a probe as the run wrote it? Compared is the part that the last checkpoint knows;
 * SCREE_OK also when there is none. */
SCREE_API scree_status scree_recording_verify_probe(scree_recording *recording, const char *name,
                                                    const char *table);

#ifdef __cplusplus
}
#endif
#endif
