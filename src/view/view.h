/* What a page is sent about a run, as messages: a byte for the kind, then what belongs to it.
 * The same messages go into a page (html.c) and over a socket (src/serve). docs/viewer.md is the
 * description of the format, and viewer/src/stream.js the reader. */
#ifndef SCREE_VIEW_VIEW_H
#define SCREE_VIEW_VIEW_H

#include "scree/view.h"
#include "view/buffer.h"

enum {
  VIEW_FORMAT = 1,
  VIEW_NONE = -1,
  VIEW_HEADER = 'H', /* JSON: the scene */
  VIEW_SHAPES = 'G', /* JSON: shapes from a place of the table on */
  VIEW_BODIES = 'B', /* what does not change about bodies, from a number on */
  VIEW_FRAME = 'F',
  VIEW_TIMES = 'T',  /* of the frames of a recording */
  VIEW_TABLE = 'S',  /* numbers against time */
  VIEW_PROBE = 'P',  /* JSON: what a probe of a live run measures now */
  VIEW_STATE = 'I',  /* JSON: how a live run stands */
  VIEW_NOTE = 'E',   /* a text for the reader */
  VIEW_NOTHING = 'N' /* nothing new */
};

/* ---- bodies: each has a number, from 0 in the order in which they are met ------------------- */

typedef struct view_body {
  scree_body_id id;
  uint32_t shape; /* 1 + place in the table of shapes, 0: none */
  scree_body_kind kind;
  uint32_t material;
  double mass, diameter;
  bool ball;
} view_body;

typedef struct view_cast {
  scree_context *context;
  view_body *body;
  uint32_t *before; /* 1 + the number of the body that was at the place earlier; 0: none */
  size_t count;
  uint32_t *last; /* by place: 1 + the number of the last body met there */
} view_cast;

void view_cast_clear(view_cast *c);
/* UINT32_MAX: not met yet. */
uint32_t view_cast_find(const view_cast *c, scree_body_id id);
scree_status view_cast_add(view_cast *c, const view_body *body, uint32_t *number);
/* The bodies from number `first` on. */
void view_put_bodies(view_buffer *b, const view_cast *c, size_t first);

/* ---- frames --------------------------------------------------------------------------------- */

typedef struct view_frame {
  uint32_t index; /* of the frame */
  double time, step;
  size_t count;
  const uint32_t *numbers;
  const double *poses;     /* 7 per body */
  const float *velocities; /* 6 per body */
  size_t contact_count;
  const uint32_t *pairs; /* 2 per contact: numbers; UINT32_MAX: that body is not shown */
  const float *contacts; /* 10 per contact, as in a recording */
} view_frame;

enum { VIEW_COLUMNS = 9 }; /* x y z, qw qx qy qz, speed, spin */

/* What the reader knows: frames hold only what differs from it. One for each reader. */
typedef struct view_encoder {
  scree_context *context;
  double quantum;                 /* m */
  int32_t (*known)[VIEW_COLUMNS]; /* by number */
  uint32_t *list;                 /* numbers of the last frame */
  size_t list_count;
  int32_t (*fresh)[VIEW_COLUMNS]; /* of this frame's changed bodies */
  unsigned char *mask;
  size_t contact_bytes; /* of the last frame */
} view_encoder;

void view_encoder_clear(view_encoder *e);
void view_put_frame(view_encoder *e, const view_cast *cast, const view_frame *f, view_buffer *out);

/* ---- the scene ------------------------------------------------------------------------------ */

typedef struct view_header {
  const char *mode; /* "file", "recording" or "live" */
  double quantum;
  bool changeable;    /* a live run that may be changed by hand */
  const char *remark; /* why not, or what else should be known; "" */
} view_header;

/* The world is the scene's, just built: joints are where they are then. */
void view_put_header(view_buffer *b, const scree_scene *scene, const scree_world *world,
                     const view_cast *cast, const view_header *header);
/* Shapes of the world's table from `first` on (from 0). */
void view_put_shapes(view_buffer *b, const scree_world *world, size_t first);
size_t view_shape_count(const scree_world *world);
/* The unit of coordinates: a thousandth of the smallest moving body, or of the extent of all where
 * nothing moves. */
double view_quantum(const scree_world *world);
/* All bodies of a world that are not met yet enter the cast. */
scree_status view_cast_world(view_cast *c, const scree_world *world);
/* Thins a table to so many rows. A row that stands for several has the largest value in the marked
 * columns, and the last one in the others. */
void view_put_table(view_buffer *b, const scree_view_table *table, size_t rows, unsigned largest);
enum { VIEW_ROWS = 2000, VIEW_STEP_COLUMNS = 12 };
/* A row of the log of steps as the columns that are plotted. */
void view_step_row(const double step[SCREE_STEP_COLUMNS], double row[VIEW_STEP_COLUMNS]);
/* The table of such rows. */
scree_view_table view_step_table(const double *values, size_t rows);
enum { VIEW_STEPS_LARGEST = 1U << 3 | 1U << 4 | 1U << 5 };

/* ---- the page (made by viewer/build.mjs) ------------------------------------------ */

typedef struct view_asset {
  const char *name, *type;
  const unsigned char *data; /* gzip */
  size_t size;
} view_asset;
extern const view_asset view_assets[]; /* ends with a null name */
const view_asset *view_find_asset(const char *name);

#endif
