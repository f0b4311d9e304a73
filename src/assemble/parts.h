/* The parts of the assembler, one struct for each thing that it keeps: the order of bodies, the
 * memory of contacts, and what the single files of this room need from one step to the next. Arrays
 * are kept, so that a steady step allocates nothing. */
#ifndef SCREE_ASSEMBLE_PARTS_H
#define SCREE_ASSEMBLE_PARTS_H

#include "assemble/laws/law.h"
#include "collide/pairs.h"
#include "model/world.h"
#include "scree/ccp.h"

/* Where a contact was, to find it again when its feature has another name: from the centre of mass
 * of body a, world frame, m. Spheres need none. */
typedef struct contact_place {
  float at[3];
} contact_place;

typedef struct contact_moment {
  v3 moment; /* on body b, N m s */
} contact_moment;

/* What a law remembers of a contact (law_state), in the world's frame. */
typedef struct contact_state {
  v3 normal; /* that the others turn with */
  v3 slip, turn;
  double gap; /* at the start of the step, m */
  double value[LAW_VALUES];
} contact_state;

/* hold.c: of a body asleep, what holds it now less what did; and the sum of what all its contacts
 * gave, N, less that of what they give now. */
typedef struct sleep_change {
  body_load more;
  double lost;
} sleep_change;

/* sleep.c: a contact of bodies asleep. */
typedef struct contact_asleep {
  uint32_t body_a, body_b, feature, generations; /* the last: of both, in one number */
  double gap;
  v3 position, normal, force, torque; /* m; on body b, N and N m */
  v3 arm_b; /* m: from body b's centre, which another image than `position` may be beside */
} contact_asleep;

/* impacts/impact.c: a body of the problem that may be hit. Twists are linear and angular. */
typedef struct impact_body {
  v3 free_linear, free_angular;   /* v_free before the impacts */
  v3 force_linear, force_angular; /* accelerations, m/s^2, rad/s^2 */
  v3 shift_linear, shift_angular; /* m, rad */
  double time;                    /* of its last impact, s after the start */
  double first;                   /* of its next one, by the pair */
  size_t first_pair;
  bool hit, changed;
  bool even; /* one moment of inertia about all axes */
} impact_body;

typedef struct mean_twist {
  v3 linear, angular;
} mean_twist;

/* order.c: bodies in the order of the problem first (`moving` of them), then the others with a
 * shape. */
typedef struct body_order {
  uint32_t *body;
  size_t count, moving;
  uint32_t *rank;      /* of each body: its index in the problem, or SCREE_CCP_WORLD */
  size_t steps;        /* since the order was made */
  size_t limit;        /* places in the world that it is about */
  uint64_t sleep_seen; /* the world's count of changes of who sleeps, when it was made */
  bool sorted;
  /* The order before its first change since the mark (assembler_set_mark), if it changed. */
  uint32_t *old_body;
  size_t old_count, old_limit, old_moving;
} body_order;

/* laws/memory.c, contacts/impulses.c: what lives with contacts. While a step is built and solved
 * `before` has what its contacts start from. After it that lies in the problem, g and `gap`
 * (`solved`), and is written down when the next step begins. */
typedef struct contact_memory {
  void *before;       /* impulse on body b, N s; v3, or three floats where contacts are many */
  bool before_small;  /* three floats */
  double kick_before; /* s, that these impulses lasted; 0: there are none */
  void *kept;         /* v3 each: impulses of the last solve, where contacts are few */
  bool has_kept;      /* since assembler_keep_contacts */
  size_t contact_count;
  size_t generation_count; /* bodies that the contacts' names are about */
  contact_place *place;
  bool has_place;
  float *gap;     /* of the contacts in the problem, m */
  uint8_t *taken; /* of the contacts before: has been found again */
  bool begun;     /* the cache and `moment_before` are of the step before */
  bool solved;    /* accepted: the cache's contacts are those of the problem */
  contact_moment *moment_now, *moment_before; /* null until needed */
  bool has_moment_now, has_moment_before;     /* filled for all contacts, or for none */
  contact_state *state_now, *state_before;    /* the same */
  bool has_state_now, has_state_before;
} contact_memory;

/* What the materials of the world need. */
typedef struct law_needs {
  double held, held_part; /* of collide_view: from how far laws hold */
  bool whole;             /* of collide_view: laws that remember want the same points */
  bool has_cohesion;      /* of some pair of materials */
  bool has_surfaces;      /* some material has a direction or a surface velocity */
} law_needs;

/* laws/user_function.c: contacts that the user's law function decides about. */
typedef struct user_contacts {
  scree_law_contact *contact;
  uint32_t *place; /* of each in the problem */
  size_t count;
} user_contacts;

/* Rows of joints and links: joints/blocks.c, joints/contradiction.c, joints/ends.c, joints/links.c,
 * joints/stiffness.c. */
typedef struct joint_rows {
  struct joint_part *part; /* blocks of joints (joints/joints.h) */
  size_t count, all;       /* all: of all ranks */
  uint32_t *first, *next;  /* joints of each body, by joint and side: 1 + 3 joint + side */
  /* Of each body at the end of the step, with the twist that leads there. */
  pose *end;
  mean_twist *end_twist;
  uint32_t *link_block;   /* the first of each link, and the end: link_limit + 1 */
  uint32_t *link_inertia; /* of each link: where its blocks of inertia begin */
  double *link_damping;   /* of each row of links, from the first one's first: its damper, N s/m */
  /* Of each body while `stiff`: of turns, xx xy xz yy yz zz, N m s, and of places, N s/m, which
   * assembler_stiffen turns into what holds the body to its slow velocity, kg m2 and kg. */
  double (*stiffness)[6], *drag;
  bool stiff;
  /* What bars and ropes pull b with in their first step, N s: it is solved again with that. */
  v3 *first_pull;
  bool tried;
  bool workless; /* held rows would give energy: the step is solved again so that they do not */
  double contradiction;  /* m, by which held rows contradict each other most; 0: they agree */
  uint32_t contradicted; /* the joint with it */
} joint_rows;

/* checks/look.c: the second look at a step that was solved. */
typedef struct step_look {
  v3 *free_linear, *free_angular; /* v_free, while the assembler's linear and angular are v */
  /* How far a body's velocity after the solve leads from the expected one, m; and what the
   * contacts were found with. */
  double *extra, *extra_used;
  double farthest, least_diameter; /* m; of the bodies as the contacts were searched */
} step_look;

/* checks/late.c */
typedef struct late_look {
  collide_given *contact; /* of the step's end, which the step is solved with again */
  size_t count;
  struct late_suspect *suspect; /* room for pairs that may overlap at the end */
  bool through; /* it found a pair through each other: no contact says how to part it */
  double depth; /* the deepest overlap that the last late look found, of the diameter */
} late_look;

/* checks/sweep.c */
typedef struct sweep_look {
  double *width, *turn; /* of each body, m; the most that it turns with, rad/s */
  uint32_t *generation; /* of each body, that its width is of */
  size_t count;
  uint64_t revision;
  double least_width, most_radius; /* m; of all bodies, of those that can be pushed */
  struct sweep_pair *pair;
} sweep_look;

/* impacts/impact.c, impacts/bounce.c: of the step that was built. */
typedef struct step_impacts {
  bool bounces;      /* some materials do; else none of these is filled */
  uint8_t *joined;   /* of each body: has joints */
  uint8_t *given;    /* of the contacts in the problem: one of the end of the step */
  impact_body *body; /* of the bodies in the problem */
  v3 *impulse;       /* of each contact on body b, N s */
  struct impact_pair *pair;
  uint32_t *row, *list, *live;
  struct apart_row *apart; /* of each contact */
  size_t count;            /* impacts in the step; 0: the others do not matter */
  double work;             /* J, on the bodies: what they lost, negative */
  bool jolted;             /* some bodies with joints bounce in the step */
  double newton_part; /* of the restitution that contacts of bodies with joints have in the step */
  bool spread;        /* bodies that were not hit have been moved apart from those that were */
  bool left;          /* more than there are rounds for: these do not bounce */
} step_impacts;

/* contacts/curvature.c */
typedef struct contact_curves {
  bool needed;               /* by some contact; then `lasting` is filled */
  uint8_t *lasting;          /* of the contacts in the problem: pressed in the step before too */
  struct expected *expected; /* of each body */
} contact_curves;

/* sleep.c */
typedef struct sleepers {
  uint32_t *island;     /* of each body, while some may fall asleep; hold.c: has it just done so? */
  sleep_change *change; /* hold.c: of each body */
  /* hold.c: kept contacts of who has woken in this step, 1 + the first of each body (their first
   * one) and 1 + the next; 0: no more */
  uint32_t *woken, *woken_next;
  bool any_woken;
  uint32_t *before; /* of each body: asleep when the step began; if any was */
  size_t before_count;
  uint64_t before_revision;
  contact_asleep *contact; /* of who sleeps */
  size_t contact_count;
  /* None of them was over when the world's counts of changes were these. */
  bool looked;
  uint64_t looked_asleep, looked_world;
} sleepers;

#endif
