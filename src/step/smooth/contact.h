/* Contacts in steppers of smooth motion. They have no hard ones: bodies that touch are refused, not
 * looked at, or pushed apart by springs, the way of the discrete element method:
 *
 *   Hertz      F_n = 4/3 E* sqrt(R*) d^(3/2) - c_n u_n,  never a pull
 *   Mindlin    F_t = -k_t x - c_t u_t, |F_t| <= mu F_n;    x: elastic slip, kept from step to step
 *              k_n = 2 E* sqrt(R* d), k_t = 8 G* sqrt(R* d), c = 2 sqrt(5/6) b sqrt(k m*),
 *              b = -ln e / sqrt(ln^2 e + pi^2)             (Tsuji and others, 1992)
 *
 * with the overlap d, the velocity u of body b against a at the contact, E* = E / (2 (1 - nu^2))
 * and G* = E / (4 (2 - nu)(1 + nu)) of two equal materials, R* of balls of the bodies' volumes, m*
 * the reduced mass; mu and e of the pair.
 *
 * An evaluation is a trial from what was kept last: steppers make as many as they like and keep
 * one. */
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

typedef struct penalty_law {
  double young, poisson; /* young 0: no springs */
  double end; /* part of the velocity at the end in the mean that slips go on with: 1 or 1/2 */
  bool once;  /* for one linear solve, not for Newton's method: dampers do not change with d, as
                 d^(1/4) has no tangent to go along where a contact begins */
} penalty_law;

typedef struct penalty_memory { /* of a contact, from one state to the next */
  v3 slip, rate;                /* x; u_t there */
} penalty_memory;

typedef struct penalty_touch { /* a contact that pushes b by F and a by -F */
  uint32_t a, b;
  v3 normal, arm_a, arm_b, force;
  v3 by_depth; /* dF/dd */
  m33 by_rate; /* -dF/du */
} penalty_touch;

typedef struct penalty_sums {            /* of all contacts */
  double normal_energy, tangent_energy;  /* J, in springs */
  double normal_loss;                    /* W, that dampers take; spring energy that is let go */
  double tangent_power;                  /* W, on both bodies together */
  double given_power;                    /* W, on bodies with a given motion */
  double penetration, percent, touching; /* the deepest; how many push */
} penalty_sums;

typedef struct smooth_contacts {
  collide *collide;
  penalty_memory *memory, *memory_before; /* of the contacts now, and of those kept before */
  size_t count, before;
  bool tried; /* the ones now are a trial */
  penalty_touch *touch;
  size_t touch_count;
  penalty_sums now, kept;
  uint64_t revision;
  bool searched; /* whether any pair can meet has been found out */
  bool any;
  v3 *still;
} smooth_contacts;

void smooth_contacts_clear(scree_context *context, smooth_contacts *c);
/* Refuses bodies that overlap. */
scree_status smooth_contacts_refuse(scree_stepper *stepper, smooth_contacts *c);
/* Adds forces of contacts at the world's state, h after what was kept, to f (6 per body of the
 * ranks). */
scree_status smooth_contacts_push(scree_stepper *stepper, smooth_contacts *c,
                                  const penalty_law *law, double h, const uint32_t *rank,
                                  double *f);
/* The last trial stays, or is forgotten. */
void smooth_contacts_keep(smooth_contacts *c);
void smooth_contacts_drop(smooth_contacts *c);
/* Blocks -dF/dq and -dF/dv of the last trial, without the turn of normals (smaller by d over the
 * radius); both ways of a pair. */
void smooth_contacts_blocks(const scree_world *world, const smooth_contacts *c,
                            world_visit_block *visit, void *user);
/* Pairs of bodies in the last trial, near ones included. */
void smooth_contacts_pairs(const smooth_contacts *c, world_visit_pair *visit, void *user);
void smooth_contacts_report(const smooth_contacts *c, scree_step_info *info);

/* contact_spring.c: the force of one contact, h after `memory`, which then is that of now. Sums go
 * on. */
void penalty_evaluate(const scree_world *world, const collide_contact *contact,
                      const penalty_law *law, double h, penalty_memory *memory,
                      penalty_touch *touch, penalty_sums *sums);

/* The elastic slips, with the names of their contacts, as bytes. */
size_t smooth_contacts_save(const smooth_contacts *c, void *bytes);
scree_status smooth_contacts_restore(scree_stepper *stepper, smooth_contacts *c, const void *bytes,
                                     size_t size);

#endif
