/* Gradient steps of the bodies form (operator_gradient.h): impulses stay in lanes, N y is never
 * stored. Twists V = v_free + M^-1 D g are kept per body instead:
 *
 *   u(y) = D'V_y + b + C y,                       V_y = V_c + beta (V_c - V_p)
 *   d'Nd = sum over bodies of q'M q,              q = V_next - V_y, plus d'C d
 *
 * so that a step is one pass over the contacts and two short ones over the bodies. Bodies whose
 * inertia is no multiple of the identity keep their momenta D g too, and q'M q is the product of
 * both differences: an inertia need not be invertible. */
#ifndef SCREE_CCP_BODIES_GRADIENT_H
#define SCREE_CCP_BODIES_GRADIENT_H

#include "ccp/bodies/pack.h"
#include "ccp/operator_gradient.h"

/* current, previous, next: they change places. */
typedef struct bodies_iterate {
  double *lanes[BODIES_PACKS]; /* packed impulses */
  double *rows;                /* the others, at their rows */
  body_line *twist;            /* V, and a line for the world; momenta D g while they are summed */
  body_line *momentum;         /* of bodies with a full inertia; null when there are none */
} bodies_iterate;

typedef struct bodies_gradient {
  bodies_iterate iterate[3];
  body_line *base;   /* v_free, inverse mass and inertia; zeros for these where it is full */
  double beta;       /* of the y in impl->push */
  bool y_is_made;    /* impl->push has it; else y is still to be made */
  bool has_moved;    /* a step was accepted: before, what sleeps has not been left out yet */
  sphere_sums *sums; /* a unit of each pack, then a block that is not packed */
  body_sums *energy; /* a chunk of bodies */
  bool *full;        /* a chunk of bodies: some inertia in it is full */
} bodies_gradient;

extern const op_gradient_class bodies_gradient_class;
void bodies_gradient_free(scree_context *context, bodies_gradient *m);

#endif
