/* Gradient steps of the bodies form (operator_momentum.h): impulses stay in lanes, N y is never
 * stored. Momenta P = D g are kept a body instead:
 *
 *   u(y) = D'(v_free + M^-1 P_y) + b + C y,       P_y = P_c + beta (P_c - P_p)
 *   d'Nd = sum over bodies of q'M^-1 q,           q = P_next - P_y, plus d'C d
 *
 * so that a step is one pass over the contacts and two short ones over the bodies. */
#ifndef SCREE_CCP_BODIES_MOMENTUM_H
#define SCREE_CCP_BODIES_MOMENTUM_H

#include "ccp/bodies_kernel.h"
#include "ccp/operator_momentum.h"

/* current, previous, next: they change places. */
typedef struct bodies_iterate {
  double *lanes;   /* packed impulses */
  double *rows;    /* the others, at their rows */
  body_line *push; /* P, and a line for the world */
  size_t lanes_capacity, rows_capacity, push_capacity;
} bodies_iterate;

typedef struct bodies_momentum {
  bodies_iterate iterate[3];
  body_line *inverse; /* M^-1 a body as a line, zeros where the inertia is not diagonal */
  body_line *v_free;
  size_t inverse_capacity, v_free_capacity;
  sphere_sums *sums; /* a unit, then a block that is not packed */
  size_t sums_capacity;
  body_sums *energy; /* a chunk of bodies */
  size_t energy_capacity;
  bool *full; /* a chunk of bodies: some inertia in it is not diagonal */
  size_t full_capacity;
} bodies_momentum;

extern const op_momentum_class bodies_momentum_class;
void bodies_momentum_free(scree_context *context, bodies_momentum *m);

#endif
