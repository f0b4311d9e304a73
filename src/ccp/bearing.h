/* What bears the machines of a problem of bodies: the blocks that are no contacts, and the contacts
 * in the order of a search that begins at their bodies and goes on from a body only where that
 * bears `bears` times its own weight, along the chains of force. */
#ifndef SCREE_CCP_BEARING_H
#define SCREE_CCP_BEARING_H

#include "ccp/operator.h"

/* Zeros to begin with, but for the first two; kept between problems. */
typedef struct op_bearing {
  double bears; /* of a weight: the impulse over mass and reference speed */
  double open;  /* contacts without impulse that part faster are left out; reference speeds */
  bool *inside; /* of each block: was it found? */
  uint32_t *start, *contact; /* the contacts of each body */
  uint32_t *body;            /* in the order of the search */
  bool *met;                 /* bodies in that list */
} op_bearing;

/* At the impulses g and their velocities u; goes no further once there are `most` blocks. *found:
 * is there a contact among them? */
scree_status op_bearing_find(const ccp_operator *op, op_bearing *w, const double *g,
                             const double *u, size_t most, bool *found);
void op_bearing_clear(scree_context *context, op_bearing *w);

#endif
