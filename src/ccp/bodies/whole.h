/* The scales of residuals where masses are split among ranks (ccp/ranks.h): those of the bodies as
 * a whole, so that R and E are what one rank would find. */
#ifndef SCREE_CCP_BODIES_WHOLE_H
#define SCREE_CCP_BODIES_WHOLE_H

#include "ccp/bodies/pack.h"
#include "ccp/operator.h"

typedef struct bodies_whole {
  scree_ccp_body_def *body; /* with the masses of the whole */
  sphere_scale *scale[BODIES_PACKS];
  sphere_roll *roll[BODIES_PACKS];
} bodies_whole;

/* To be called after packing and grouping; does nothing on a single rank. */
scree_status bodies_whole_fill(ccp_operator *op);
void bodies_whole_free(scree_context *context, bodies_whole *whole);

#endif
