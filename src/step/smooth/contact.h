/* Contacts in steppers of smooth motion. They have no hard ones: bodies that touch are refused, not
 * looked at, or pushed apart by springs, the way of the discrete element method:
 *
 *   Hertz      F_n = 4/3 E* sqrt(R*) d^(3/2) + c_n dd/dt,  never a pull
 *   Mindlin    F_t = -k_t x - c_t v_t, |F_t| <= mu F_n;    x: elastic slip, kept from step to step
 *              k_n = 2 E* sqrt(R* d), k_t = 8 G* sqrt(R* d), c = 2 sqrt(5/6) b sqrt(k m*),
 *              b = -ln e / sqrt(ln^2 e + pi^2)             (Tsuji and others, 1992)
 *
 * with the overlap d, E* = E / (2 (1 - nu^2)) and G* = E / (4 (2 - nu)(1 + nu)) of two equal
 * materials, R* of balls of the bodies' volumes, m* the reduced mass; mu and e of the pair. */
#ifndef SCREE_STEP_SMOOTH_CONTACT_H
#define SCREE_STEP_SMOOTH_CONTACT_H

#include "collide/pairs.h"
#include "step/stepper.h"

typedef enum smooth_contact_policy {
  SMOOTH_CONTACT_REFUSE,
  SMOOTH_CONTACT_NONE,
  SMOOTH_CONTACT_PENALTY
} smooth_contact_policy;
#define SMOOTH_CONTACT_NAMES "refuse|none|penalty"

typedef struct smooth_contacts {
  collide *collide;
  v3 *slip, *slip_before; /* of the contacts now and in the step before */
  size_t count, before;
  uint64_t revision;
  bool searched; /* whether any pair can meet has been found out */
  bool any;
  v3 *still;
} smooth_contacts;

typedef struct penalty_law {
  double young, poisson;
} penalty_law;

void smooth_contacts_clear(scree_context *context, smooth_contacts *c);
/* Refuses bodies that overlap. */
scree_status smooth_contacts_refuse(scree_stepper *stepper, smooth_contacts *c);
/* Adds forces of contacts at the world's state, which last for h, to f (6 a body of the ranks). */
scree_status smooth_contacts_push(scree_stepper *stepper, smooth_contacts *c,
                                  const penalty_law *law, double h, const uint32_t *rank, double *f,
                                  scree_step_info *info);

/* The elastic slips, with the names of their contacts, as bytes. */
size_t smooth_contacts_save(const smooth_contacts *c, void *bytes);
scree_status smooth_contacts_restore(scree_stepper *stepper, smooth_contacts *c, const void *bytes,
                                     size_t size);

#endif
