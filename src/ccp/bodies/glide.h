/* Sweeps with extrapolation of the bodies form (operator_glide.h): packed contacts extrapolate
 * within the kernel, twists, which are linear in the impulses, in a pass over the bodies before it.
 */
#ifndef SCREE_CCP_BODIES_GLIDE_H
#define SCREE_CCP_BODIES_GLIDE_H

#include "ccp/bodies/pack.h"
#include "ccp/operator_glide.h"

typedef struct glide_pack {
  double *before;     /* impulses in lanes; changes places with those of the sweep */
  double *shift;      /* s_i, PACK_LANES per group */
  sphere_glide *sums; /* one per unit */
} glide_pack;

typedef struct bodies_glide {
  glide_pack of[BODIES_PACKS];
  body_line *state_before;
} bodies_glide;

extern const op_glide_class bodies_glide_class;
void bodies_glide_free(scree_context *context, bodies_glide *glide);

#endif
