/* Small problems of every kind that solvers must take, made by code: box stacks, joints, planar,
 * rolling, compliant, prescribed, elliptic, bounded, cohesive, unsymmetric and infeasible ones.
 * Tests run every solver over the table; the bench uses the makers with larger sizes. */
#ifndef SCREE_TESTS_SCENES_H
#define SCREE_TESTS_SCENES_H

#include "scree/scree.h"

typedef struct scene {
  const char *name;
  scree_status (*create)(scree_context *context, int size, scree_ccp **problem);
  int size;
  bool feasible;
  bool unique; /* velocities (bodies) or u (local) are unique: the problem is well posed */
} scene;

extern const scene scenes[];
extern const size_t scene_count;

/* `size` boxes, four corner contacts an interface: redundant by construction. */
scree_status scene_box_stack(scree_context *context, int size, scree_ccp **problem);
/* A chain of `size` bodies on ball joints, every joint's rows given twice, ending on a floor. */
scree_status scene_redundant_joints(scree_context *context, int size, scree_ccp **problem);
/* A triangle of discs in the plane, `size` in the bottom row; contacts of dimension 2. */
scree_status scene_planar(scree_context *context, int size, scree_ccp **problem);
/* Boxes on a prescribed body that moves sideways and up. */
scree_status scene_conveyor(scree_context *context, int size, scree_ccp **problem);

#endif
