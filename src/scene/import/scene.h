/* The bodies of the scene that a robot becomes: its own, parts of them, and what stands fixed in
 * the world. */
#ifndef SCREE_SCENE_IMPORT_SCENE_H
#define SCREE_SCENE_IMPORT_SCENE_H

#include "scene/import/robot.h"

typedef struct robot_piece {
  const char *name;
  const xml_element *at;
  size_t body; /* of the robot; SIZE_MAX: the world */
  pose place;
  robot_mass mass; /* of the body, all parts together; of its first piece only */
  size_t surface;  /* SIZE_MAX: none */
  size_t filter;
  bool fixed, shaped;
} robot_piece;

/* One joint of the scene: a joint of the robot, or two or three that it stands for. */
typedef struct robot_unit {
  robot_joint joint;
  const robot_joint *second; /* its second coordinate; null: none of the robot's */
  const char *name;
} robot_unit;

enum { FILTER_LIMIT = 32 };

typedef struct piece_list {
  robot_piece *piece;
  size_t piece_count;
  size_t *first, *count; /* by body: its pieces, itself first, then those between joints */
  size_t *of_geom;       /* by geom; SIZE_MAX: none */
  pose *place;           /* by geom, in its piece */
  robot_unit *unit;      /* joints of the scene, body by body */
  size_t unit_count;
  size_t *unit_first, *units; /* by body */
  uint32_t filter[FILTER_LIMIT][2];
  size_t filter_count;
} piece_list;

/* cut.c */
scree_status robot_cut(robot *r, piece_list *p);
void robot_cut_clear(robot *r, piece_list *p);

#endif
