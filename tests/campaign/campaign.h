/* A campaign: random scenes over all shapes, materials, masses, sizes, speeds and joints, and what
 * must hold in each of them. A scene that breaks it is made smaller as long as it does, and printed
 * as a scene file.
 *
 *   finite       every place and velocity is a number
 *   momentum     free bodies keep their linear momentum and its moment
 *   energy       the ledger closes: the error, with what contacts and joints gave where they should
 *                take, is less than `campaign_energy` of the energy exchanged
 *   depth        no overlap is deeper than `campaign_depth` of the smaller diameter
 *   lost         nothing leaves a closed room or falls below the ground
 *   bits         two threads give the bits of one
 *   cost         no step is made in more than `campaign_parts` parts
 *
 * A step that did not converge is reported by the library: such a run may be deep or gain energy,
 * and is counted as told (`campaign_result.told`); the other rules hold for it too. */
#ifndef SCREE_TESTS_CAMPAIGN_H
#define SCREE_TESTS_CAMPAIGN_H

#include <stddef.h>
#include <stdio.h>

#include "scree/scree.h"

enum { CAMPAIGN_BODIES = 160, CAMPAIGN_JOINTS = 16, CAMPAIGN_MATERIALS = 3 };

typedef enum campaign_shape {
  CAMPAIGN_SPHERE,
  CAMPAIGN_ELLIPSOID,
  CAMPAIGN_BOX,
  CAMPAIGN_CAPSULE,
  CAMPAIGN_CYLINDER,
  CAMPAIGN_CONE,
  CAMPAIGN_HULL,
  CAMPAIGN_MESH, /* an L */
  CAMPAIGN_CLUMP,
  CAMPAIGN_SHAPES
} campaign_shape;

typedef enum campaign_room {
  CAMPAIGN_FREE, /* no walls, no gravity */
  CAMPAIGN_BOX_ROOM,
  CAMPAIGN_ROUND_ROOM,
  CAMPAIGN_PLATES, /* six boxes */
  CAMPAIGN_FLOOR,
  CAMPAIGN_GROUND, /* a height field */
  CAMPAIGN_ROOMS
} campaign_room;

typedef struct campaign_body {
  campaign_shape shape;
  double size[3]; /* half sizes, m */
  double mass;
  int material;
  double position[3], rotation[4], velocity[3], angular[3];
  unsigned seed; /* of a hull's points */
} campaign_body;

typedef struct campaign_joint {
  scree_joint_kind kind;
  int body[2]; /* the second one -1: the world */
  double anchor[3], axis[3];
  double motor_speed, motor_limit; /* 0: no motor */
} campaign_joint;

typedef struct campaign_scene {
  unsigned seed;
  campaign_room room;
  double half_room; /* m */
  double gravity;   /* m/s^2, down */
  double h;
  int steps;
  int body_count, joint_count;
  scree_material_def material[CAMPAIGN_MATERIALS];
  campaign_body body[CAMPAIGN_BODIES];
  campaign_joint joint[CAMPAIGN_JOINTS];
} campaign_scene;

typedef enum campaign_rule {
  CAMPAIGN_GOOD,
  CAMPAIGN_BUILD, /* the scene is refused */
  CAMPAIGN_FINITE,
  CAMPAIGN_MOMENTUM,
  CAMPAIGN_ENERGY,
  CAMPAIGN_DEPTH,
  CAMPAIGN_LOST,
  CAMPAIGN_BITS,
  CAMPAIGN_COST,
  CAMPAIGN_RULES
} campaign_rule;

typedef struct campaign_result {
  campaign_rule broken;
  bool told; /* some step did not converge, or a part of one was not resolved */
  double value;
  double depth, energy, momentum, moment; /* percent, parts */
  int parts;
  char text[256];
} campaign_result;

extern const double campaign_energy, campaign_depth, campaign_momentum;
extern const int campaign_parts;

const char *campaign_rule_name(campaign_rule rule);
void campaign_make(unsigned seed, campaign_scene *scene);
/* As a scene file; the files that it names come with it. */
void campaign_print(const campaign_scene *scene, FILE *out);
extern const char campaign_mesh[]; /* campaign-l.obj */
/* `both`: with two threads too. */
campaign_result campaign_run(const campaign_scene *scene, bool both);
/* Leaves out and simplifies what is not needed to break the same rule. */
void campaign_shrink(campaign_scene *scene, campaign_rule rule);

#endif
