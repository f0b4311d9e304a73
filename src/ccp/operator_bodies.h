/* The bodies form behind the operator: what its kernels share. */
#ifndef SCREE_CCP_OPERATOR_BODIES_H
#define SCREE_CCP_OPERATOR_BODIES_H

#include "ccp/operator.h"
#include "math/vec3.h"

/* A body as kernels read it: one cache line of twist and inverse mass. */
typedef struct body_line {
  double linear[3], angular[3];
  double inverse_mass;
  double inverse_inertia; /* when the inertia is a multiple of the identity, else NaN */
} body_line;

typedef struct op_bodies {
  body_line *state; /* v = v_free + M^-1 D g of the sweep in progress */
  body_line *push;  /* apply: M^-1 D x */
  /* Who touches body k: items body_start[k] …; an item is 2 * block + side for a compact contact,
   * side 0 for a, 1 for b; generic blocks come after and hold the term's index instead. */
  size_t *touch_start;
  uint32_t *touch_block;
} op_bodies;

/* Directions of a contact's rows: forces then moments, in the row order of scree/ccp.h. */
typedef struct contact_rows {
  v3 direction[SCREE_MAX_DIM];
  int dim, forces;
} contact_rows;

static inline contact_rows contact_rows_of(const ccp_contact *c, int dim) {
  const v3 n = v3_load(c->normal), t1 = v3_load(c->tangent), t2 = v3_cross(n, t1);
  contact_rows rows = {
      .direction = {n, t1, t2, t1, t2, n}, .dim = dim, .forces = dim < 3 ? dim : 3};
  if (dim == 4) rows.direction[3] = n;
  return rows;
}

#endif
