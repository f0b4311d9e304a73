/* Scree, contact: points of touch as a run reports them. */
#ifndef SCREE_CONTACT_H
#define SCREE_CONTACT_H

#include "scree/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bodies are given by the index of their id. The impulse acts on body b, its opposite on body a.
 * Points of near touch are contacts too: they have a gap > 0 and mostly no impulse. */
typedef struct scree_contact {
  uint32_t body_a, body_b;
  uint32_t feature;   /* with the two bodies: the contact's name, the same from step to step */
  double position[3]; /* midway between the surfaces, world frame, m */
  double normal[3];   /* unit, from a to b */
  double gap;         /* m at the start of the step; negative: overlap */
  double impulse[3];  /* world frame, N s; divide by the step for the mean force */
  double moment[3];   /* of rolling and spinning resistance, N m s */
} scree_contact;

#ifdef __cplusplus
}
#endif
#endif
