/* What impulses of contacts are as vectors, inline: passes over all contacts read them several
 * times per step. assembler.h has the same as calls. */
#ifndef SCREE_ASSEMBLE_CONTACTS_IMPULSE_H
#define SCREE_ASSEMBLE_CONTACTS_IMPULSE_H

#include "assemble/assembler.h"
#include "ccp/contact_frame.h"
#include "ccp/problem.h"

/* Contacts are found again from the smaller one of their bodies, as what slides or rolls over a
 * wide floor leaves the floor's places behind in a step. */
static inline bool place_on_second(const world_bodies *b, uint32_t i, uint32_t k) {
  return b->diameter[k] < b->diameter[i];
}

/* Of the last solve, N s. */
static inline v3 impulse_of(const assembler *a, size_t k) {
  const contact_frame f = contact_frame_of(&a->problem->bodies.contact[k]);
  return contact_frame_force(&f, ccp_dim(a->problem, k), a->g + a->problem->row_start[k]);
}

/* The same number, read where assembler_keep_contacts has written it down. */
static inline v3 impulse_kept(const assembler *a, size_t k) {
  return a->memory.has_kept ? ((const v3 *)a->memory.kept)[k] : impulse_of(a, k);
}

/* With those of impacts in the step. */
static inline v3 impulse_whole(const assembler *a, size_t k) {
  const v3 p = impulse_kept(a, k);
  return a->impacts.count ? v3_add(p, a->impacts.impulse[k]) : p;
}

/* N m s */
static inline v3 impulse_moment(const assembler *a, size_t k) {
  const int dim = ccp_dim(a->problem, k);
  if (dim < 4) return v3_make(0, 0, 0);
  const contact_frame f = contact_frame_of(&a->problem->bodies.contact[k]);
  return contact_frame_moment(&f, dim, a->g + a->problem->row_start[k]);
}

/* Of the step before, what contacts start from. */
static inline v3 impulse_before(const assembler *a, size_t k) {
  if (!a->memory.before_small) return ((const v3 *)a->memory.before)[k];
  const float *p = (const float *)a->memory.before + 3 * k;
  return v3_make((double)p[0], (double)p[1], (double)p[2]);
}

static inline void impulse_set_before(assembler *a, size_t k, v3 impulse) {
  if (!a->memory.before_small) {
    ((v3 *)a->memory.before)[k] = impulse;
    return;
  }
  float *p = (float *)a->memory.before + 3 * k;
  p[0] = (float)impulse.x;
  p[1] = (float)impulse.y;
  p[2] = (float)impulse.z;
}

#endif
