/* Inside a picture: see scree/picture.h. */
#ifndef SCREE_PICTURE_PICTURE_H
#define SCREE_PICTURE_PICTURE_H

#include "base/memory.h"
#include "scree/picture.h"

enum { PICTURE_NAMES = 8 };

/* What is known of an item beside its place. */
typedef struct picture_body {
  scree_body_id id;
  scree_body_kind kind;
  uint32_t material;
  double mass, diameter;
  float velocity[6];
  double force;      /* N, norms of the contact forces on it, summed */
  unsigned contacts; /* with a force */
} picture_body;

typedef struct picture_contact {
  uint32_t place[2];
  float value[10];
} picture_contact;

/* A column of a probe's file against time. */
typedef struct picture_probe {
  scree_probe_def def;
  double *time, *value;
  size_t count;
  char title[96], unit[32];
} picture_probe;

typedef struct picture_group {
  scree_shape_kind kind;
  double diameter;
  char name[64];
} picture_group;

/* An earlier pose. */
typedef struct picture_ghost {
  scree_render_item item;
  scree_body_id body;
  bool hidden;
} picture_ghost;

/* The source of frames: a recording, or a run. */
typedef struct picture_source {
  scree_recording *recording; /* or null, and: */
  const scree_world *world;
  const scree_stepper *stepper;
  /* The world's frame, as a recording would hand it out. */
  uint32_t *ids, *contact_bodies;
  double *poses;
  float *velocities, *contacts;
} picture_source;

/* What has no shape and is no item, but may have rods. */
typedef struct picture_bare {
  bool there;
  uint32_t generation;
  double position[3], rotation[4];
} picture_bare;

struct scree_picture {
  scree_picture_def def; /* its texts and sections are the picture's own */
  char colour[128], follow[128], path[4096];
  scree_picture_section sections[SCREE_CUT_LIMIT];
  double least, most; /* of the colours' values */
  /* What it is drawn from: */
  scree_context *context;
  picture_source source;
  scree_scene *scene; /* may be null */
  /* The moment that is loaded: */
  double time;
  scree_render_item *items;
  picture_body *bodies;
  size_t item_count;
  picture_contact *contacts;
  size_t contact_count;
  scree_render_link *links;
  size_t link_count;
  scree_render_item
      *drawn; /* items with what there is of the past (past.c); none: just the items */
  size_t drawn_count;
  picture_ghost *ghosts;
  size_t ghost_count;
  double fastest;                  /* m/s, of all moments that were surveyed */
  scree_shape *arrow_head, *slope; /* made when they are first needed */
  uint32_t *item_of;               /* 1 + the item of a place, 0: none */
  picture_bare *bare;              /* of a place: a body without a shape, as nodes may be */
  double *values;                  /* one per item, for the range of the colours */
  /* What holds for all moments: */
  scree_box focus;
  bool has_focus;
  int field; /* in the table of fields */
  picture_probe probe;
  double force_reference;  /* N: as thick as a chain gets */
  double link_radius;      /* m, at that force */
  uint32_t first_material; /* the lowest that a moving body has: the first colour */
  picture_group groups[PICTURE_NAMES];
  size_t group_count;
  scree_colour legend_colours[PICTURE_NAMES];
  const char *legend_names[PICTURE_NAMES];
  /* Camera: */
  scree_render *render; /* made when it is first needed */
  scree_camera camera;  /* at the start of a film */
  double offset[3];     /* from the target to the eye */
  double strip;         /* share of the width that the legend takes */
  scree_render_cut cuts[SCREE_CUT_LIMIT];
};

/* source.c: a frame, and what does not change about a body. */
scree_status picture_get_frame(scree_picture *p, size_t i, scree_frame *frame);
const scree_shape *picture_shape(const scree_picture *p, uint32_t shape);
scree_status picture_get_body(scree_picture *p, scree_body_id id, scree_recorded_body *body);
void picture_clear_source(scree_picture *p);

/* The item of a body by its name in the scene; false: it is not there now. */
bool picture_find_body(const scree_picture *p, const char *name, size_t *item);

/* past.c: after the items and links of a frame are made. */
scree_status picture_add_past(scree_picture *p, size_t frame);
/* Keeps the poses of earlier frames; called before a frame is loaded. And the speeds of frames that
 * are surveyed, for the scale of arrows. */
scree_status picture_note_ghosts(scree_picture *p, size_t frame);
void picture_note_speeds(scree_picture *p);
/* ties.c: joints, ropes and springs, where they are asked for. */
scree_status picture_add_ties(scree_picture *p);
/* picture.c: items of a frame, with their looks and colours. */
scree_status picture_load_plain(scree_picture *p, size_t frame);
/* Is gravity not along z? Then which way is up. */
bool picture_is_tilted(const scree_picture *p, double up[3]);

/* colour.c: the field by its name, and the colours of the items that are loaded. */
scree_status picture_choose_field(scree_picture *p);
void picture_add_range(scree_picture *p);
void picture_end_range(scree_picture *p);
void picture_paint(scree_picture *p);
/* What kinds of moving bodies there are, for colours by kind. */
void picture_add_groups(scree_picture *p);

/* probe.c: NAME.COLUMN of the files beside the recording. */
scree_status picture_read_probe(scree_picture *p, const char *name);
double picture_probe_at(const picture_probe *probe, double time);

#endif
