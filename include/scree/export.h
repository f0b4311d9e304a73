/* Scree, export: recordings for other programs.
 *
 *   scree_export_def def = scree_export_def_default();   def.out = "out/run";
 *   scree_export_info info;                              scree_export(recording, &def, &info);
 *
 * VTKHDF, for ParaView 5.11 and VTK 9.2 or later: a file STEM_bodies_000123.hdf for each frame, and
 * STEM_bodies.hdf.series, which names them with their times and is what one opens. The same for
 * contacts and surfaces; of surfaces, what does not change from frame to frame (triangles, fields)
 * is in STEM_surfaces_shapes_0000.hdf, which the frames refer to. CSV: one table STEM_bodies.csv of
 * all frames, and so on; the first line has names and units. docs/exports.md lists the fields. */
#ifndef SCREE_EXPORT_H
#define SCREE_EXPORT_H

#include "scree/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scree_export_format { SCREE_EXPORT_VTKHDF, SCREE_EXPORT_CSV } scree_export_format;

enum {
  SCREE_EXPORT_BODIES = 1,   /* a point per body, with all fields */
  SCREE_EXPORT_CONTACTS = 2, /* a point per contact, with its force */
  SCREE_EXPORT_STEPS = 4,    /* the log of steps; CSV alone */
  SCREE_EXPORT_SURFACES = 8  /* the bodies' surfaces as triangles; VTKHDF alone */
};

typedef struct scree_export_def {
  uint32_t cookie; /* set by scree_export_def_default */
  scree_export_format format;
  unsigned parts;  /* a sum of the above; 0: bodies, contacts and, in CSV, steps */
  const char *out; /* the stem of all names */
  double from, to; /* s: frames within; default all */
  size_t every;    /* every n-th frame; default 1 */
  /* After each frame; false stops. May be null. */
  bool (*progress)(void *user, size_t done, size_t total);
  void *user;
} scree_export_def;

typedef struct scree_export_info {
  size_t frames, files; /* written */
  double bytes;         /* of them */
} scree_export_info;

SCREE_API scree_export_def scree_export_def_default(void);
/* Every file is whole or not there, and a series is written after all its frames. A stop by
 * `progress` is SCREE_OK with fewer frames. info may be null. */
SCREE_API scree_status scree_export(scree_recording *recording, const scree_export_def *def,
                                    scree_export_info *info);

/* What the export would write: bytes from a few of its frames, nothing is written. */
SCREE_API scree_status scree_export_estimate(scree_recording *recording,
                                             const scree_export_def *def, scree_export_info *info);

#ifdef __cplusplus
}
#endif
#endif
