/* The frame of a contact and the order of its rows, in one place.
 *
 * The frame is (n, t1, t2): the normal from body a to body b, the first tangent, and t2 = n x t1.
 * Rows of force come first, then rows of moment:
 *
 *   dim 1   n                 dim 4   n t1 t2, n
 *   dim 2   n t1              dim 5   n t1 t2, t1 t2
 *   dim 3   n t1 t2           dim 6   n t1 t2, t1 t2 n
 */
#ifndef SCREE_CCP_CONTACT_FRAME_H
#define SCREE_CCP_CONTACT_FRAME_H

#include "ccp/problem.h"
#include "math/vec3.h"

typedef struct contact_frame {
  v3 n, t1, t2;
} contact_frame;

static inline contact_frame contact_frame_make(v3 n, v3 t1) {
  return (contact_frame){n, t1, v3_cross(n, t1)};
}

static inline contact_frame contact_frame_of(const ccp_contact *c) {
  return contact_frame_make(v3_load(c->normal), v3_load(c->tangent));
}

/* The last row is a moment about the normal. */
static inline bool contact_frame_spins(int dim) {
  return dim == 4 || dim == 6;
}

/* World vectors of the rows x: of force, and of moment. */
static inline v3 contact_frame_force(const contact_frame *f, int dim, const double *x) {
  v3 force = v3_scale(x[0], f->n);
  if (dim >= 2) force = v3_add_scaled(force, x[1], f->t1);
  if (dim >= 3) force = v3_add_scaled(force, x[2], f->t2);
  return force;
}
static inline v3 contact_frame_moment(const contact_frame *f, int dim, const double *x) {
  v3 moment = {0, 0, 0};
  if (dim >= 5) moment = v3_add_scaled(v3_scale(x[3], f->t1), x[4], f->t2);
  return contact_frame_spins(dim) ? v3_add_scaled(moment, x[dim - 1], f->n) : moment;
}

/* Rows of world vectors: of a force or a velocity, and of a moment or an angular velocity. */
static inline void contact_frame_force_rows(const contact_frame *f, int dim, v3 force, double *x) {
  x[0] = v3_dot(f->n, force);
  if (dim >= 2) x[1] = v3_dot(f->t1, force);
  if (dim >= 3) x[2] = v3_dot(f->t2, force);
}
static inline void contact_frame_moment_rows(const contact_frame *f, int dim, v3 moment,
                                             double *x) {
  if (dim >= 5) {
    x[3] = v3_dot(f->t1, moment);
    x[4] = v3_dot(f->t2, moment);
  }
  if (contact_frame_spins(dim)) x[dim - 1] = v3_dot(f->n, moment);
}

/* Directions of the rows. */
typedef struct contact_rows {
  v3 direction[SCREE_MAX_DIM];
  int dim, forces;
} contact_rows;

static inline contact_rows contact_rows_of(const ccp_contact *c, int dim) {
  const contact_frame f = contact_frame_of(c);
  contact_rows rows = {
      .direction = {f.n, f.t1, f.t2, f.t1, f.t2, f.n}, .dim = dim, .forces = dim < 3 ? dim : 3};
  if (dim == 4) rows.direction[3] = f.n;
  return rows;
}

#endif
