/* Contacts of a batch as they are made: what those of one pair of materials share, and what a part
 * of the batch has found. */
#ifndef SCREE_ASSEMBLE_CONTACTS_PART_H
#define SCREE_ASSEMBLE_CONTACTS_PART_H

#include "assemble/assembler.h"
#include "ccp/contact_frame.h"

/* Where every pair of materials makes rigid contacts with a set of its own that no contact changes,
 * and of one dimension, a contact's place in the problem is known before it is made: parts of a
 * batch are made at the same time. */
enum { PLAIN_PAIRS = 64 };

typedef struct plain_sets {
  bool on;
  bool bare; /* and contacts need nothing beyond a start, a gap and a frame: contacts/bare.c */
  int dim;
  scree_set set[PLAIN_PAIRS];
  uint32_t index[PLAIN_PAIRS]; /* in the problem, from the first use on */
  bool same;                   /* those in use are their own index */
} plain_sets;

/* What contacts of one material pair share: most of them are of the pair before. */
typedef struct contact_form {
  scree_ccp_contact_def def;
  const scree_material_def *material;
  const law_class *law;
  bool varies; /* from contact to contact, or after each one */
  bool fresh;  /* its set is not there yet */
} contact_form;

/* Contacts that are made one after the other. */
typedef struct contact_part {
  contact_form form;
  size_t used_count;
  uint8_t used[PLAIN_PAIRS]; /* pairs of materials, in the order of their first use */
  double penetration, penetration_percent;
  bool broken; /* a number is not finite */
} contact_part;

/* contacts.c. The material of the next contact. */
void contacts_take_material(const assembler *a, const plain_sets *plain, contact_part *part,
                            const scree_material_def *material);
/* The start of a contact: impulses of the step before, from world vectors into its frame. */
void contacts_warm_start(const assembler *a, const assembler_params *params,
                         const collide_contact *c, uint32_t previous, int dim,
                         const contact_frame *frame, double *g);

/* bare.c. May all contacts be made by contacts_add_bare, but those that were given? */
bool contacts_are_bare(const assembler *a, const assembler_params *params, const plain_sets *plain);
/* Contacts first … first + count - 1 of the step: the same numbers as add_contact makes. */
void contacts_add_bare(assembler *a, const assembler_params *params, const plain_sets *plain,
                       const collide_contact *batch, size_t count, size_t first,
                       contact_part *part);

/* curvature.c. Two balls that roll on each other: their tangents' offsets, from b[1] on. */
void contacts_curve_balls(const assembler *a, const collide_contact *c, const contact_frame *frame,
                          v3 image_velocity, double h, double *b);

static inline v3 contacts_start_velocity(const assembler *a, uint32_t i, v3 arm) {
  return v3_add(a->mean[i].linear, v3_cross(a->mean[i].angular, arm));
}

static inline bool contacts_is_sphere(const world_bodies *b, uint32_t i) {
  return b->shape[i]->kind == SCREE_SHAPE_SPHERE;
}

/* The speed that overlap is removed with is kept by the bodies. Under gravity half of
 * sqrt(g diameter) lifts them by an eighth of a diameter at most. Without it nothing takes it away
 * again: there it is small against a diameter per step, which is the most that bodies of a well
 * chosen step move, and a part of the speed that they slide, turn or bounce with anyway. */
static inline double contacts_recovery_speed(const assembler *a, const assembler_params *params,
                                             double diameter, double speed) {
  if (params->recovery_speed > 0.0) return params->recovery_speed;
  return a->gravity > 0.0 ? 0.5 * sqrt(a->gravity * diameter)
                          : 1e-4 * diameter / params->h + 0.1 * speed;
}

static inline void contacts_note_depth(contact_part *part, double depth, double diameter) {
  part->penetration = fmax(part->penetration, depth);
  part->penetration_percent = fmax(part->penetration_percent, 100.0 * depth / diameter);
}

#endif
