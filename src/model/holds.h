/* Joints for steppers of smooth motion: each as rows psi(q, t) over up to three bodies, with
 * D' = dpsi/dq, and the loads D lambda of their multipliers (N or N m). The one place that knows
 * how such steppers see a joint.
 *
 *   hard     psi = 0
 *   speed    dpsi/dt = 0, psi does not matter                   motors of speed
 *   soft     lambda = -stiffness psi - damping dpsi/dt          compliance, springs, bushings,
 * motors
 *
 * dpsi/dt = sum over the sides c . twist - rate; `rate`: of a target that moves. */
#ifndef SCREE_MODEL_HOLDS_H
#define SCREE_MODEL_HOLDS_H

#include "model/joints/joints.h"

enum { HOLD_ROWS = JOINT_ROWS + 2 * SCREE_JOINT_COORDINATES };

typedef enum hold_kind { HOLD_HARD, HOLD_SPEED, HOLD_SOFT } hold_kind;

typedef struct hold_row {
  double c[JOINT_SIDES][6];
  double error; /* psi, m or rad */
  double rate;
  double stiffness, damping;
  hold_kind kind;
  bool motor, angular;
} hold_row;

/* Why a stepper of smooth motion cannot have this joint, or null. */
const char *hold_refusal(const joint *j);
bool hold_takes_part(const scree_world *world, const joint *j);
/* Rows at the world's places and time; and how many there are. */
int hold_rows(const scree_world *world, const joint *j, hold_row *rows);
int hold_row_count(const joint *j);
/* k = -d(D lambda)/dq over the three sides, 18 x 18 by rows. */
enum { HOLD_DIM = 6 * JOINT_SIDES };
void hold_stiffness(const scree_world *world, const joint *j, const double *lambda, double *k);
/* Keeps what the rows give in the joint, as a mean over h, and counts turns. */
void hold_keep(const scree_world *world, joint *j, const double *lambda, double h);

/* Motors that apply a torque or a force: the load on each side, and its derivative; `part` of it.
 */
bool hold_pushes(const joint *j);
void hold_push(const scree_world *world, const joint *j, double part, double *load, double *k);

#endif
