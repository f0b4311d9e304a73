/* The frame of a contact, (n, t1, t2): the normal from body a to body b, the first tangent, and
 * t2 = n x t1; and the rows of a contact as vectors. Their order is that of sets/rows.h. */
#ifndef SCREE_CCP_CONTACT_FRAME_H
#define SCREE_CCP_CONTACT_FRAME_H

#include "ccp/problem.h"
#include "ccp/sets/rows.h"
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

/* World vectors of the rows x: of force, and of moment. */
static inline v3 contact_frame_force(const contact_frame *f, int dim, const double *x) {
  v3 force = v3_scale(x[0], f->n);
  if (dim >= 2) force = v3_add_scaled(force, x[1], f->t1);
  if (dim >= 3) force = v3_add_scaled(force, x[2], f->t2);
  return force;
}
static inline v3 contact_frame_moment(const contact_frame *f, int dim, const double *x) {
  v3 moment = {0, 0, 0};
  if (rows_roll(dim))
    moment = v3_add_scaled(v3_scale(x[ROWS_ROLLING], f->t1), x[ROWS_ROLLING + 1], f->t2);
  return rows_spin(dim) ? v3_add_scaled(moment, x[rows_spinning(dim)], f->n) : moment;
}

/* Rows of world vectors: of a force or a velocity, and of a moment or an angular velocity. */
static inline void contact_frame_force_rows(const contact_frame *f, int dim, v3 force, double *x) {
  x[0] = v3_dot(f->n, force);
  if (dim >= 2) x[1] = v3_dot(f->t1, force);
  if (dim >= 3) x[2] = v3_dot(f->t2, force);
}
static inline void contact_frame_moment_rows(const contact_frame *f, int dim, v3 moment,
                                             double *x) {
  if (rows_roll(dim)) {
    x[ROWS_ROLLING] = v3_dot(f->t1, moment);
    x[ROWS_ROLLING + 1] = v3_dot(f->t2, moment);
  }
  if (rows_spin(dim)) x[rows_spinning(dim)] = v3_dot(f->n, moment);
}

/* Directions of the rows. */
typedef struct contact_rows {
  v3 direction[SCREE_MAX_DIM];
  int dim, forces;
} contact_rows;

static inline contact_rows contact_rows_of(const ccp_contact *c, int dim) {
  const contact_frame f = contact_frame_of(c);
  contact_rows rows = {.direction = {f.n, f.t1, f.t2}, .dim = dim, .forces = dim < 3 ? dim : 3};
  for (int k = ROWS_FORCES; k < dim; k++) rows.direction[k] = rows.direction[rows_axis(dim, k)];
  return rows;
}

#endif
