/* Joints as generic rows. A joint type is one file that writes its rows, and one row in the list.
 *
 *   linear row    d . (v_b + w_b x arm_b - v_a - w_a x arm_a)
 *   angular row   d . (w_b - w_a)
 *
 * with an error psi (m or rad) that the step is to remove: b = stabilisation psi / h. */
#ifndef SCREE_ASSEMBLE_JOINTS_H
#define SCREE_ASSEMBLE_JOINTS_H

#include "model/world.h"

typedef struct joint_view {
  const joint *data;
  pose a, b;             /* the two frames in the world; z is the axis */
  v3 center_a, center_b; /* centres of mass; the world: its origin */
} joint_view;

typedef struct joint_row {
  bool angular;
  v3 direction;
  v3 arm_a, arm_b;
  double error;
} joint_row;

typedef struct joint_class {
  const char *name;
  int (*rows)(const joint_view *view, joint_row *rows);
  /* The free direction that a motor drives; null: none. */
  joint_row (*motor)(const joint_view *view);
} joint_class;

#define JOINT_LIST(X)                                                                              \
  X(FIXED, joint_fixed)                                                                            \
  X(BALL, joint_ball)                                                                              \
  X(HINGE, joint_hinge)                                                                            \
  X(SLIDER, joint_slider)

#define JOINT_DECLARE(kind, symbol) extern const joint_class symbol;
JOINT_LIST(JOINT_DECLARE)
#undef JOINT_DECLARE
extern const joint_class *const joint_classes[SCREE_JOINT_KIND_COUNT];

joint_view joint_look(const scree_world *world, const joint *j);
/* Writers of rows; each returns how many. Axes 0 1 2 are x y z of frame a. */
v3 joint_axis(pose frame, int axis);
/* Frame b's origin stays on the lines or planes of frame a: axes first … first + count - 1. */
int joint_hold_point(const joint_view *view, int first, int count, joint_row *rows);
/* The two frames stay parallel. */
int joint_hold_turn(const joint_view *view, joint_row *rows);

#endif
