/* Cohesion taken out of a problem, and caps that are far: the solver sees a dry one, and is as fast
 * on it. See cohesion.c. */
#ifndef SCREE_CCP_COHESION_H
#define SCREE_CCP_COHESION_H

#include "ccp/problem.h"

typedef struct cohesion_shift {
  bool used;       /* in this solve */
  bool loose;      /* caps were left out */
  scree_ccp dry;   /* the problem without cohesion; what it does not own is that of the other */
  ccp_taken taken; /* what residuals need of the problem as it was given */
  scree_set *set;
  const scree_set *given; /* of the problem */
  double *peak;           /* a set: the largest normal impulse of its contacts, N s */
  double *offset, *pull;  /* a row: b, and c or 0 */
  double *total;          /* a row: pull with that of an earlier shift */
  scree_ccp_body_def *body;
} cohesion_shift;

/* Which caps stay: those that the impulses at the start come near to, or all. */
typedef enum cohesion_caps { COHESION_NEAR_CAPS, COHESION_ALL_CAPS } cohesion_caps;

/* What a solve is asked for, 0: not. */
typedef struct cohesion_goal {
  double residual, error;
} cohesion_goal;

/* Is there cohesion, or are there caps, that can be taken out of a solve from the impulses g (null:
 * none)? Then *problem becomes the dry one. */
scree_status cohesion_take(cohesion_shift *shift, scree_context *context, cohesion_goal goal,
                           cohesion_caps caps, const double *g, const scree_ccp **problem);
/* Do impulses g of the problem as given reach a cap that was left out? Then they are no solution.
 */
bool cohesion_exceeds(const cohesion_shift *shift, const scree_ccp *problem, const double *g);
/* From impulses of the problem to those of the dry one, sign 1, and back, -1. */
void cohesion_add(const cohesion_shift *shift, double sign, double *g);
void cohesion_clear(scree_context *context, cohesion_shift *shift);

#endif
