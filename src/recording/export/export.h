/* A frame as tables of fields, which every format writes in its own way. */
#ifndef SCREE_RECORDING_EXPORT_EXPORT_H
#define SCREE_RECORDING_EXPORT_EXPORT_H

#include <stdio.h>

#include "base/memory.h"
#include "scree/export.h"

typedef enum field_type { FIELD_U32, FIELD_F32, FIELD_F64 } field_type;

/* `text`: what the values of a u32 field stand for, where text can be written. */
typedef struct export_field {
  const char *name, *unit;
  field_type type;
  int components;
  const void *data;
  const char *(*text)(const scree_scene *scene, uint32_t value);
  bool steady; /* does not change while the body is there */
} export_field;

enum { EXPORT_FIELDS = 16 };

typedef struct export_table {
  size_t count;
  export_field field[EXPORT_FIELDS];
  int field_count;
  const double *points; /* 3 each */
  bool single;          /* recorded as single precision */
} export_table;

/* What all frames share: memory that is used again, and sizes of shapes. */
typedef struct export_store {
  scree_context *context;
  scree_recording *recording;
  scree_scene *scene;
  uint32_t *row_of_place;    /* 1 + row in this frame; 0: not there */
  char *block[2];            /* columns of the bodies, of the contacts */
  double lower[3], upper[3]; /* around the finite bodies of the first frame */
  bool has_bounds;
  /* The last file of shapes that was written: ids of its bodies, and its name beside the frames. */
  uint32_t *shape_ids;
  size_t shape_count, shape_files;
  char shape_name[512];
} export_store;

scree_status export_bodies(export_store *store, const scree_frame *frame, export_table *table);
scree_status export_contacts(export_store *store, const scree_frame *frame, export_table *table);
void export_store_clear(export_store *store);

/* Triangles; `row` is the body's in its table. */
typedef struct export_surface {
  scree_context *context;
  float *point;       /* 3 each */
  uint32_t *triangle; /* 3 each */
  uint32_t *row;      /* of each triangle */
  size_t point_count, triangle_count;
} export_surface;
scree_status export_surfaces(export_store *store, const scree_frame *frame,
                             export_surface *surface);
void export_surface_clear(export_surface *surface);

/* export/csv.c */
void export_csv_header(FILE *file, const export_table *table);
void export_csv_rows(FILE *file, const export_store *store, size_t frame_number, double time,
                     const export_table *table);
void export_csv_steps_header(FILE *file);
void export_csv_step(FILE *file, const double row[SCREE_STEP_COLUMNS]);

/* VTKHDF: points as vertices, or triangles whose cells carry the fields of their body. Where
 * `write` is false only the bytes are added to *bytes, which may be null. */
scree_status export_vtkhdf(export_store *store, const char *path, const scree_frame *frame,
                           const export_table *table, const export_surface *surface, bool write,
                           double *bytes);
/* What the surfaces of frames with the same bodies share; frames refer to it. */
scree_status export_vtkhdf_shapes(export_store *store, const char *path, const export_table *table,
                                  const export_surface *surface, bool write, double *bytes);

#endif
