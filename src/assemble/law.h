/* Contact laws: how a material pair and the state of a contact become a set, offsets b and
 * compliances C of a block. A law is one file and one row in the list; the first that applies is
 * used. */
#ifndef SCREE_ASSEMBLE_LAW_H
#define SCREE_ASSEMBLE_LAW_H

#include <stdbool.h>

#include "math/vec3.h"
#include "scree/ccp.h"
#include "scree/model.h"

typedef struct law_input {
  const scree_material_def *material; /* of the pair */
  double h;                           /* s */
  double kick;                        /* s, that impulses last */
  double gap;                         /* m */
  double approach;                    /* u_n at the start of the step, m/s; < 0: closing */
  double speed;                       /* |u| at the start of the step, m/s */
  double diameter;                    /* of the smaller body, m */
  bool round;                         /* one of the two is a sphere */
  double stabilisation, recovery_speed;
  double bounce_speed; /* threshold where the material gives none, m/s */
  double slip[2];      /* elastic slip along the tangents, m */
  int sharing;         /* points of the pair that touch, law_touches: they share its cohesion */
  bool newton; /* impacts are in the problem, by Newton's law: impact.c takes no such pair */
  double pull; /* m/s^2 that the two are driven together with by what acts on them; newton only */
  double newton_less; /* part of the restitution that is left out, as all of it gave energy */
} law_input;

typedef struct law_class {
  const char *name;
  bool (*applies)(const scree_material_def *material);
  /* Offsets and compliances, always the same ones of a material; the set is there, the rest is 0.
   */
  void (*fill)(const law_input *in, scree_ccp_contact_def *out);
  /* The elastic slip after the step, from the tangential impulse and velocity; null: none. */
  void (*slip)(const scree_material_def *material, double h, double gap, const double *impulse,
               const double *velocity, double *slip);
} law_class;

#define LAW_LIST(X)                                                                                \
  X(law_compliant)                                                                                 \
  X(law_rigid)

#define LAW_DECLARE(symbol) extern const law_class symbol;
LAW_LIST(LAW_DECLARE)
#undef LAW_DECLARE

const law_class *law_for(const scree_material_def *material);

/* Near enough to be held by cohesion? */
bool law_touches(double gap, double diameter);
/* Do pairs of this material bounce; and the speed below which they do not. */
bool law_bounces(const scree_material_def *material);
double law_threshold(const scree_material_def *material, double bounce_speed);
/* The set of the pair: rows of rolling and spinning only where they resist. Cohesion holds while
 * the surfaces touch. */
scree_set law_set(const law_input *in);
/* b_n of a rigid contact: gap/h ahead of touch, overlap removed at the allowed speed, a bounce;
 * within a thousandth of a diameter and at rest a part of the gap only. */
double law_rigid_offset(const law_input *in);

#endif
