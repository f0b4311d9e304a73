/* Solids thrown at thin things, from both of which they must come back. One world is one throw of
 * `count` solids side by side, each at its own place of one target; they do not meet each other
 * unless the target is `THROW_AT_EACH_OTHER`, where each has a partner at rest. */
#ifndef SCREE_TESTS_SUPPORT_THROWS_H
#define SCREE_TESTS_SUPPORT_THROWS_H

#include "scree/scree.h"

typedef enum throw_shape {
  THROW_SPHERE,
  THROW_BOX,
  THROW_CAPSULE,
  THROW_CYLINDER,
  THROW_CONE,
  THROW_ELLIPSOID,
  THROW_LENTIL, /* an ellipsoid of 10 x 10 x 2 mm */
  THROW_HULL,   /* of 200 points on an ellipsoid */
  THROW_MESH,   /* the triangles of an L of 10 x 8 x 4 mm */
  THROW_SHAPES
} throw_shape;

typedef enum throw_target {
  THROW_AT_SHEET, /* triangles without thickness */
  THROW_AT_PLATE, /* a box of 1 mm */
  THROW_AT_HALF_SPACE,
  THROW_AT_EACH_OTHER, /* between two plates, so that none gets lost */
  THROW_TARGETS
} throw_target;

typedef struct throw_def {
  throw_shape shape, partner;
  throw_target target;
  int count;
  double least_speed, most_speed; /* m/s; between them evenly in the logarithm */
  double most_spin;               /* rad/s, evenly */
  double friction, restitution;
  double h, seconds;
  unsigned seed;
} throw_def;

typedef struct throw_result {
  int through;                /* ended beyond the target, or where nothing can be */
  double penetration_percent; /* worst overlap at the start of a step, of the smaller body */
  double fastest;             /* speed at the end over the speed thrown with, the worst */
  long steps, parts, unresolved, nonconverged;
} throw_result;

const char *throw_shape_name(throw_shape shape);
const char *throw_target_name(throw_target target);
/* Aborts when a call fails. */
throw_result throw_run(const throw_def *def);

#endif
