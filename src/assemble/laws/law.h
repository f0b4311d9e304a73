/* Contact laws: how a material pair, the geometry of a contact and what it remembers become a set,
 * offsets b and compliances C of a block. A law is one file and one row in the list, which has the
 * order of scree_law.
 *
 *   set, rows   before the solve: set, b and C from the input and the state
 *   update      after it: the state from the impulses and velocities (return mapping)
 *
 * The state is a few numbers that live with the contact from step to step. Those that are vectors
 * are given to the law in the frame of the contact (n, t1, t2), and turn with it. */
#ifndef SCREE_ASSEMBLE_LAWS_LAW_H
#define SCREE_ASSEMBLE_LAWS_LAW_H

#include <stdbool.h>

#include "ccp/sets/set.h"
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
  double slide;                       /* |u_T| at the start of the step, m/s */
  double inverse_mass;                /* of the two bodies, 1/kg */
  double pushed;                      /* the normal impulse of the step before, N s */
  double diameter;                    /* of the smaller body, m */
  double radius;                      /* r1 r2 / (r1 + r2), m */
  bool round;                         /* one of the two is a sphere */
  double stabilisation, recovery_speed;
  double bounce_speed; /* threshold where the material gives none, m/s */
  int sharing;         /* points of the pair that touch, law_touches: they share its cohesion */
  bool
      newton; /* impacts are in the problem, by Newton's law: impacts/impact.c takes no such pair */
  double pull; /* m/s^2 that the two are driven together with by what acts on them; newton only */
  double newton_less; /* part of the restitution that is left out, as all of it gave energy */
  bool aligned;       /* t1 is along the direction of the surface */
  bool first;         /* both bodies are new in this step: what touches now may be bonded */
} law_input;

/* The values that all laws share, and the first of a law's own. */
enum { LAW_FRICTION, LAW_ATTACHED, LAW_OWN, LAW_VALUES = 6 };
/* value[LAW_FRICTION]: what the contact did in the step before. */
enum { LAW_NEW, LAW_STICKS, LAW_SLIDES };

typedef struct law_state {
  double slip[2];           /* elastic displacement along t1, t2, m */
  double turn[3];           /* of b against a about t1, t2, n, rad */
  double value[LAW_VALUES]; /* 0 of a new contact */
} law_state;

/* What a step has led to. */
typedef struct law_result {
  const scree_material_def *material;
  const scree_set *set; /* that it was solved with */
  double h, kick;       /* s */
  double gap;           /* at the start, m */
  double rest;          /* slower than this nothing slides, m/s */
  double reach;         /* radius of the smaller body, m: turning times it is a speed */
  double velocity[3];   /* of b against a along n, t1, t2, m/s */
  double turning[3];    /* about t1, t2, n, rad/s */
  const double *g;      /* impulses, rows as in scree/ccp.h */
} law_result;

typedef struct law_class {
  const char *name;
  /* The set. Called once where law_varies is false, else for every contact. The state may be
   * changed: a contact that is new starts from zeros. Null: law_set. */
  scree_set (*set)(const law_input *in, law_state *state);
  /* Called next: fills offsets and compliances, which are 0 before. For laws without state and
   * cohesion they are equal for all contacts of a pair of materials. */
  void (*rows)(const law_input *in, law_state *state, scree_ccp_contact_def *out);
  /* Null: the state is what all laws share (law_keep). */
  void (*update)(const law_result *r, law_state *state);
  /* How far apart it holds surfaces that have touched, m. Null: as far as cohesion does, by its
   * keys; a law that has one pulls without these keys. */
  double (*reach)(const scree_material_def *material);
  /* Always, whatever the keys, has a state of its own. */
  bool remembers;
  /* Its set or rows differ from contact to contact of a pair, also without a state. */
  bool varies;
  /* A spring stretches before it bears no more: it holds from farther than its cohesion's range. */
  bool stretches;
} law_class;

#define LAW_LIST(X)                                                                                \
  X(law_rigid, SCREE_LAW_RIGID)                                                                    \
  X(law_compliant, SCREE_LAW_COMPLIANT)                                                            \
  X(law_power, SCREE_LAW_POWER)                                                                    \
  X(law_rigid_cohesive, SCREE_LAW_RIGID_COHESIVE)                                                  \
  X(law_compliant_cohesive, SCREE_LAW_COMPLIANT_COHESIVE)                                          \
  X(law_elastoplastic, SCREE_LAW_ELASTOPLASTIC)                                                    \
  X(law_bond, SCREE_LAW_BOND)                                                                      \
  X(law_user, SCREE_LAW_USER)                                                                      \
  X(law_bridge, SCREE_LAW_BRIDGE)

#define LAW_DECLARE(symbol, kind) extern const law_class symbol;
LAW_LIST(LAW_DECLARE)
#undef LAW_DECLARE

/* The law of a material. Where none is named it follows from the keys that are given. */
const law_class *law_for(const scree_material_def *material);
/* Do contacts of this pair keep a state; does their set differ from contact to contact. */
bool law_remembers(const scree_material_def *material);
/* Is it something that a point must not lose: a bond, a dent, the stretch of a spring? */
bool law_keeps_points(const scree_material_def *material);
bool law_varies(const scree_material_def *material);
/* Does it pull: has it cohesion, or a reach of its own? */
bool law_pulls(const scree_material_def *material);
/* How far apart two surfaces may be that are still held, m, beside what law_touches allows; the
 * radius is the largest of all. Springs are followed until they have stretched by `most`. */
double law_range(const scree_material_def *material, double radius, double most);

/* Surfaces nearer than this part of the diameter cohere. */
extern const double law_near_part;
/* Near enough to be held by cohesion that has no range of its own? That is this part of the smaller
 * diameter. */
extern const double law_touch_part;
bool law_touches(double gap, double diameter);
/* Do pairs of this material bounce; and the speed below which they do not. */
bool law_bounces(const scree_material_def *material);
double law_threshold(const scree_material_def *material, double bounce_speed);

/* ---- what laws share ------------------------------------------------------------------------ */

/* The pull of the pair that a point bears, N: cohesion and 3/2 pi w R over the points. */
double law_pull(const law_input *in);
/* The set of the pair without cohesion: rows of rolling and spinning only where they resist. */
scree_set law_dry_set(const law_input *in, const law_state *state);
/* The set of a contact; with cohesion while that holds. */
scree_set law_set(const law_input *in, law_state *state);
/* b_n of a rigid contact: gap/h ahead of touch, overlap removed at the allowed speed, a bounce;
 * within a thousandth of a diameter and at rest a part of the gap only. */
double law_rigid_offset(const law_input *in);
/* Normal row of a spring of compliance c at displacement y, m, with the damper where `damped`. */
void law_spring(const law_input *in, double compliance, double y, bool damped,
                scree_ccp_contact_def *out);
/* The rows of the tangential spring, where there is one. */
void law_tangents(const law_input *in, const law_state *state, scree_ccp_contact_def *out);
/* What a spring is stretched to at the end of a step of h, m, with a damper beside it and something
 * behind both that may yield: `force` is the one they bear times the spring's compliance, m. */
double law_stretch(double force, double damping, double h, double before);
/* After the step: stick or slide, and the elastic slip of a tangential spring. */
void law_keep(const law_result *r, law_state *state);

#endif
