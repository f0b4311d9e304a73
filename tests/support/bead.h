/* A bead in a corner, planar: a point mass between two walls at the angle
 * `half` on either side of the y axis, the corner below, pulled upwards.
 *
 *        \     /      n1 = (cos a, sin a)    t1 = (-sin a, cos a)
 *         \ o /       n2 = (-cos a, sin a)   t2 = (sin a, cos a)
 *          \ /        u = H v, v = v_free + H'g, W = H H' (mass 1; rank 2)
 *
 * With mu > tan(half) the bead can jam: v = 0, both contacts stick, their friction holds it. But
 * v = v_free with no forces is lawful as well: it leaves both walls. Two solutions, and no convex
 * combination of their velocities is one. */
#ifndef SCREE_TESTS_BEAD_H
#define SCREE_TESTS_BEAD_H

#include <math.h>

#include "tests/support/planar.h"

typedef struct bead {
  planar problem;
  double h[4][2], v_free[2];
} bead;

static inline bead bead_in_corner(double half, double mu, double vx, double vy) {
  bead b = {.problem = {.contacts = 2, .mu = {mu, mu}},
            .h = {{cos(half), sin(half)},
                  {-sin(half), cos(half)},
                  {-cos(half), sin(half)},
                  {sin(half), cos(half)}},
            .v_free = {vx, vy}};
  for (int i = 0; i < 4; i++) {
    b.problem.q[i] = b.h[i][0] * vx + b.h[i][1] * vy;
    for (int j = 0; j < 4; j++)
      b.problem.w[4 * i + j] = b.h[i][0] * b.h[j][0] + b.h[i][1] * b.h[j][1];
  }
  return b;
}

#endif
