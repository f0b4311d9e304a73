/* What couples the blocks of a problem of bodies, for solvers, which see blocks and never a body.
 */
#ifndef SCREE_CCP_COUPLING_H
#define SCREE_CCP_COUPLING_H

#include "ccp/problem.h"

typedef struct ccp_coupling {
  size_t contacts;     /* 0 in the other forms */
  bool contacts_alone; /* every block is a contact: no joints. Sweeps carry what a chain of joints
                          bears from link to link only */
  bool stacked; /* a quarter of the contacts share their two bodies with the contact before */
} ccp_coupling;

ccp_coupling ccp_couple(const scree_ccp *problem);

#endif
