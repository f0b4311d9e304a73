/* Contacts with friction that are not sphere-like, in lanes for sweeps: boxes, hulls, meshes; those
 * with rolling or spinning resistance in groups of their own (bodies/turning.h). They
 * stay among the blocks that are not packed, in the colours of op->order and with their impulses in
 * rows; only an exact sweep without relaxation takes them eight at a time. */
#ifndef SCREE_CCP_BODIES_RIGID_H
#define SCREE_CCP_BODIES_RIGID_H

#include "ccp/kernels/kernel.h"
#include "ccp/operator.h"

typedef struct bodies_rigid {
  rigid_group *group;
  size_t group_count;
  turning_group *turning;
  size_t turning_count;
  /* Colour c: groups start[c] … start[c + 1] - 1, then turning groups likewise, then the blocks
   * order[single[c]] … to its end; the blocks of turning groups are order[first_turning[c]] …
   * before those. */
  uint32_t *start, *turning_start, *first_turning, *single;
} bodies_rigid;

/* Groups the contacts that fit, colour by colour; they come first in their colours in op->order. */
scree_status bodies_rigid_lay_out(bodies_rigid *rigid, ccp_operator *op);
/* Fills the groups, when the diagonal blocks are there. */
void bodies_rigid_fill(bodies_rigid *rigid, ccp_operator *op);
/* A side's line, PACK_FIXED where it does not move. */
uint32_t bodies_rigid_side(const ccp_bodies *bodies, uint32_t body);
/* Can a sweep with these parameters work on groups? */
bool bodies_rigid_serves(const bodies_rigid *rigid, const op_sweep_params *params);
/* The sweep over the blocks that are not packed. Returns as op_sweep does. */
double bodies_rigid_sweep(ccp_operator *op, const op_sweep_params *params, double *g);
void bodies_rigid_free(scree_context *context, bodies_rigid *rigid);

#endif
