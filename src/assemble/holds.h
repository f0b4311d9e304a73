/* Joints for steppers of smooth motion: each as rows psi(q, t) = 0 over two bodies, with D' =
 * dpsi/dq where psi is 0, and the loads D lambda of their multipliers (N or N m). The one place
 * that knows how such steppers see a joint.
 *
 *   rate of psi = c_a . twist_a + c_b . twist_b        psi + compliance lambda = 0
 *
 * A motor of speed is one more row that holds the rate alone. */
#ifndef SCREE_ASSEMBLE_HOLDS_H
#define SCREE_ASSEMBLE_HOLDS_H

#include "assemble/joints.h"
#include "scree/ccp.h"

enum { HOLD_ROWS = 7 };

typedef struct hold_row {
  double c[2][6]; /* of bodies a and b */
  double error;   /* psi, m or rad */
  double compliance;
  double speed; /* of a motor: the rate that it holds */
  bool motor;
  bool angular;
} hold_row;

/* Null, or why such a stepper cannot have this joint. */
const char *hold_refusal(const joint *j);
bool hold_takes_part(const scree_world *world, const joint *j);
/* Rows at the world's places. */
int hold_rows(const scree_world *world, const joint *j, hold_row *rows);
/* k = -d(D lambda)/dq, 12 x 12 by rows over bodies a and b. */
void hold_stiffness(const scree_world *world, const joint *j, const double *lambda, double *k);
/* Keeps what the rows give in the joint, as a mean over h. */
void hold_keep(const scree_world *world, joint *j, const double *lambda, double h);

#endif
