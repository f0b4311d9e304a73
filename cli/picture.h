/* From a recording to what the renderer draws: items with colours, force chains, legends.
 *
 *   picture_open ─► picture_survey (over the times that are wanted: focus, ranges of colours)
 *               ─► picture_load (one time) ─► picture_scene, picture_legend
 *
 * Functions that return int give an exit code, after a message. */
#ifndef SCREE_CLI_PICTURE_H
#define SCREE_CLI_PICTURE_H

#include "cli/cli.h"

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

typedef struct picture {
  /* What is asked for: */
  const char *colour; /* "auto", "material", "speed", … or PROBE.COLUMN */
  scree_look look;    /* of moving bodies */
  bool chains;        /* draw contact forces */
  bool ranged;        /* the range below was given */
  double least, most; /* of the colours' values */
  int map;            /* -1: the field's own */
  /* What it is drawn from: */
  scree_context *context;
  const char *path;
  scree_recording *recording;
  scree_scene *scene;
  scree_world *world;
  /* The moment that is loaded: */
  double time;
  scree_render_item *items;
  picture_body *bodies;
  size_t item_count, item_room;
  picture_contact *contacts;
  size_t contact_count, contact_room;
  scree_render_link *links;
  size_t link_count, link_room;
  uint32_t *item_of; /* 1 + the item of a place, 0: none */
  size_t item_of_room;
  double *values; /* one an item, for the range of the colours */
  size_t value_room;
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
} picture;

int picture_open(picture *p, scree_context *context, const char *path);
void picture_close(picture *p);
size_t picture_frame_count(const picture *p);
int picture_frame_time(picture *p, size_t frame, double *time);
/* The frame nearest to a time. */
int picture_find_time(picture *p, double time, size_t *frame);
/* Focus, ranges and thickness over some frames: call it before the first load. */
int picture_survey(picture *p, size_t count, const size_t *frames);
/* The moment `share` of the way from a frame to the next. */
int picture_load(picture *p, size_t frame, double share);
scree_render_scene picture_scene(const picture *p);
/* False when the colours need no legend. */
bool picture_legend(picture *p, scree_legend *legend);
/* The item of a body by its name in the scene; false: it is not there now. */
bool picture_find_body(const picture *p, const char *name, size_t *item);

/* picture_colour.c: the field by its name, and the colours of the items that are loaded. */
int picture_choose_field(picture *p);
/* Whether values are coloured, so that their range must be known. */
bool picture_has_range(const picture *p);
void picture_add_range(picture *p);
void picture_end_range(picture *p);
void picture_paint(picture *p);
/* What kinds of moving bodies there are, for colours by kind. */
void picture_add_groups(picture *p);

/* picture_probe.c: NAME.COLUMN of the files beside the recording. */
int picture_read_probe(picture *p, const char *name);
double picture_probe_at(const picture_probe *probe, double time);

#endif
