/* A periodic box: what leaves it on one side comes in on the other, in one to three directions.
 *
 * Bodies keep their own places, however far they go (so joints, energies and paths need no jumps);
 * two of them meet by the nearest images of each other, which is why nothing may be larger than
 * half of the box. An image of body k is k moved by a vector of the lattice
 *
 *     s = n_x L_x e_x + n_y L_y e_y + n_z L_z e_z + n_g offset e_f,      velocity of the image: v_k
 * + G s
 *
 * where the box is sheared (Lees and Edwards): the layers above and below it along the gradient g
 * slide along the flow f, with d(offset)/dt = rate L_g. G is the gradient of the mean flow,
 * rate at (f, g) and the rates of stretch on its diagonal, with dL/dt = stretch L.
 *
 *        . . . . . . . .
 *          |  o    |  o    -> rate L_g       offset
 *     . . . . . . . . .
 *     |  o    |  o    |
 *     . . . . . . . . . */
#ifndef SCREE_MATH_PERIODIC_H
#define SCREE_MATH_PERIODIC_H

#include <stdbool.h>
#include <stdint.h>

#include "math/vec3.h"

typedef struct periodic {
  double size[3];         /* m; 0: no end in this direction */
  double center[3];       /* m: of what is shown */
  double stretch[3];      /* 1/s */
  double rate, offset;    /* 1/s; m, from 0 to the size along the flow */
  int32_t flow, gradient; /* axes of the shear; -1: none */
} periodic;

/* An image of a body: where it is, and how fast, beyond the body itself. */
typedef struct periodic_image {
  v3 shift, velocity;
} periodic_image;

static inline bool periodic_is_on(const periodic *p) {
  return p->size[0] > 0.0 || p->size[1] > 0.0 || p->size[2] > 0.0;
}

/* Images move against each other. */
static inline bool periodic_moves(const periodic *p) {
  return p->rate != 0.0 || p->stretch[0] != 0.0 || p->stretch[1] != 0.0 || p->stretch[2] != 0.0;
}

/* G x */
static inline v3 periodic_flow(const periodic *p, v3 x) {
  const double at[3] = {x.x, x.y, x.z};
  double v[3];
  for (int k = 0; k < 3; k++) v[k] = p->stretch[k] * at[k];
  if (p->flow >= 0) v[p->flow] += p->rate * at[p->gradient];
  return v3_load(v);
}

/* The velocity of the mean flow at a place. */
static inline v3 periodic_flow_at(const periodic *p, v3 x) {
  return periodic_flow(p, v3_sub(x, v3_load(p->center)));
}

/* By how many boxes d must go to be within half of one. */
static inline double periodic_turns(double d, double size) {
  return -floor(d / size + 0.5);
}

/* The image of what is at `to` that is nearest to `from`. */
static inline periodic_image periodic_nearest(const periodic *p, v3 from, v3 to) {
  const double d[3] = {to.x - from.x, to.y - from.y, to.z - from.z};
  double s[3] = {0.0, 0.0, 0.0};
  if (p->flow >= 0) {
    const double n = periodic_turns(d[p->gradient], p->size[p->gradient]);
    s[p->gradient] = n * p->size[p->gradient];
    s[p->flow] = n * p->offset;
  }
  for (int k = 0; k < 3; k++)
    if (p->size[k] > 0.0 && k != p->gradient)
      s[k] += p->size[k] * periodic_turns(d[k] + s[k], p->size[k]);
  const v3 shift = v3_load(s);
  return (periodic_image){shift, periodic_flow(p, shift)};
}

/* The same in a step of h: images go straight on with their velocity. */
static inline void periodic_advance(periodic *p, double h) {
  if (p->flow >= 0) {
    p->offset += h * (p->rate * p->size[p->gradient] + p->stretch[p->flow] * p->offset);
  }
  for (int k = 0; k < 3; k++) p->size[k] += h * p->stretch[k] * p->size[k];
  if (p->flow >= 0) p->offset -= p->size[p->flow] * floor(p->offset / p->size[p->flow]);
}

#endif
