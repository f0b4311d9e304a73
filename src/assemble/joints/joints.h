/* Joints as blocks of the cone problem. A joint is any number of parts, each one block: the held
 * rows together, and for each coordinate its spring with damper, its motor, its dry friction and
 * the limits that it may reach in the step.
 *
 *   part       set                     b                            C
 *   held       free                    stabilisation psi / h        compliance / (h kick)
 *   spring     free                    see joint_spring
 *   motor      free, or +-limit kick   speed: -value;  position: (q - target(t+h)) / h; or a spring
 *   friction   +-friction kick         0                            0
 *   limit      g >= 0, rows +-q'       gap / h                      limit_compliance / (h kick)
 *
 * kick: how long forces last in the step. What removes errors is bounded by a speed. */
#ifndef SCREE_ASSEMBLE_JOINTS_JOINTS_H
#define SCREE_ASSEMBLE_JOINTS_JOINTS_H

#include "assemble/assembler.h"
#include "model/joints/joints.h"

typedef enum joint_role {
  JOINT_PART_HELD,
  JOINT_PART_SPRING,
  JOINT_PART_MOTOR,
  JOINT_PART_FRICTION,
  JOINT_PART_LOW, /* limits */
  JOINT_PART_HIGH
} joint_role;

/* The most that errors of a joint are removed with, m/s and rad/s; and the speed that the chord of
 * the step's motion has along the rows. */
typedef struct joint_recovery {
  double size; /* of the joint, m; 0: of points */
  double slide, turn;
  double chord_slide, chord_turn;
} joint_recovery;

typedef struct joint_part {
  uint32_t joint, block;
  uint8_t role, coordinate;
  joint_recovery recovery; /* of held rows */
} joint_part;

/* The springs of a row: force = -(stiffness e + damping e'), e the value less its rest. */
typedef struct joint_spring {
  double stiffness, damping;
  double armature; /* inertia that goes with e */
  double error;    /* e now */
  double before;   /* e' of the step before */
  double drift;    /* how fast the rest moves in this step */
  double mobility; /* what an impulse of 1 along the row changes its speed by */
} joint_spring;
/* b and C of it; false: there is none. */
bool joint_solve_spring(const joint_spring *s, double h, double kick, double *offset,
                        double *compliance);

joint_recovery joint_find_recovery(const assembler *a, const assembler_params *params,
                                   const joint *j, const joint_view *view);

/* What its errors are compared with, m: `size` of joint_recovery, and at least the radius at which
 * the mass of a body would have its inertia, or the length of a bar. */
double joint_size(const assembler *a, const joint *j, double size);

/* Part of errors with this sum of squares that is removed, so that none goes faster than `most`. In
 * a part of a step, what is more than its own motion leaves (`chord`) is removed as fast as in the
 * whole step: else parts as short as they get would throw bodies about to close what a longer one
 * has left. */
double joint_recovered_part(double sum2, double most, double chord, const assembler_params *params);

/* Adds a block of the joint to the problem, with its start in g. */
scree_status joint_add_part(assembler *a, size_t index, joint_role role, int coordinate,
                            const joint_row *rows, int count, const double *offset,
                            const double *compliance, const scree_set *set, const double *g);
/* coordinate.c: all that a coordinate has. */
scree_status joint_add_coordinate(assembler *a, const assembler_params *params, size_t index,
                                  const joint_view *view, int k);
double joint_mobility(const scree_world *world, const joint *j, const joint_row *row);
/* told.c: on several ranks, what each has found in a->world->joint, on all. */
scree_status joint_tell_found(assembler *a);
/* The factor by which impulses of the step before become a start for this one; 0: they are not
 * used. */
double joint_warmth(const assembler *a, const assembler_params *params, const joint *j);

#endif
