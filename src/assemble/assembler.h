/* The assembler: from a world to a cone problem and back.
 *
 *   assembler_build    v_free, contacts and joints become the problem; g gets the warm start
 *   (someone solves)
 *   assembler_finish   twists from the impulses
 *   assembler_look     would these twists lead to an overlap that no contact stood for?
 *   assembler_accept   the step is made: what lives with contacts and joints is kept
 *
 * What lives with a contact across steps is here: its impulse as a world vector, and, where some
 * contact needs them, its moment and the state of its law. */
#ifndef SCREE_ASSEMBLE_ASSEMBLER_H
#define SCREE_ASSEMBLE_ASSEMBLER_H

#include "assemble/law.h"
#include "assemble/ranks.h"
#include "base/blob.h"
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

/* sleep.c: a contact of bodies asleep. */
typedef struct contact_asleep {
  uint32_t body_a, body_b, feature, unused; /* the checkpoint holds no bytes that nobody set */
  double gap;
  v3 position, normal, force, torque; /* m; on body b, N and N m */
} contact_asleep;

/* impact.c: a body of the problem that may be hit. Twists are linear and angular. */
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

typedef struct assembler_params {
  double h;
  double whole; /* s: of the step that this one is a part of; 0: it is no part */
  double stabilisation, recovery_speed, margin;
  bool warm_start;
  double warm_start_scale;
  bool
      again; /* the same step once more, after assembler_look has found that contacts were missed */
  bool hurried; /* there is no time for curvature.c */
} assembler_params;

/* What speeds are measured by: a part of a step is solved as well as the whole, and bounces as it
 * would. */
static inline double assembler_whole(const assembler_params *params) {
  return params->whole > 0.0 ? params->whole : params->h;
}

typedef struct assembler_report {
  size_t contacts, touching, rows;
  double penetration, penetration_percent;
  double joint_error;
  size_t stiff_bodies; /* with added inertia (stiffness.c) */
  double seconds_collide;
} assembler_report;

typedef struct assembler {
  scree_context *context;
  scree_world *world;
  collide *collide;
  scree_ccp *problem;
  uint64_t revision;                /* of the world, when last seen */
  uint64_t sleep_seen, order_sleep; /* of its sleepers, by the pairs and by the order */
  uint8_t *kind;                    /* of each body, as collision sees it: who sleeps is fixed */
  size_t kind_count;
  uint32_t *island;        /* of each body, while some may fall asleep (sleep.c) */
  uint32_t *asleep_before; /* of each body, when the step began; if any did */
  size_t asleep_before_count;
  uint64_t asleep_before_revision;
  contact_asleep *slept; /* contacts of who sleeps */
  size_t slept_count;
  bool has_excluded;      /* it had joints or pairs that never touch then */
  assembler_ranks *ranks; /* null: all contacts are here */

  /* Bodies: in the order of the problem first (`moving` of them), then the others with a shape. */
  uint32_t *order;
  size_t order_count, moving;
  uint32_t *rank; /* of each body: its index in the problem, or SCREE_CCP_WORLD */
  size_t steps_since_order;
  size_t order_limit;  /* places in the world that it is about */
  uint32_t *old_order; /* before the first change of the order since the mark, if there was one */
  size_t old_order_count, old_order_limit, old_moving;
  bool sorted;
  v3 *linear, *angular; /* v_free, after finish v; by body */

  /* The second look: v_free while linear is v, and how far a body's velocity after the solve leads
   * from the expected one, m; the second of them is what the contacts were found with. */
  v3 *free_linear, *free_angular;
  double *extra, *extra_used;
  double farthest, least_diameter; /* m; of the bodies as the contacts were searched */
  collide_given *late;             /* contacts of the step's end that it is solved with again */
  size_t late_count;
  struct late_suspect *suspect; /* room for pairs that may overlap at the end */
  bool late_through;    /* it found a pair through each other: no contact says how to part it */
  double late_depth;    /* the deepest overlap that the last late look found, of the diameter */
  double *width, *turn; /* sweep.c: of each body, m; the most that it turns with, rad/s */
  uint32_t *width_of;   /* the generation that it is of */
  size_t width_count;
  uint64_t width_revision;
  double least_width, most_radius; /* m; of all bodies, of those that can be pushed */
  struct sweep_pair *swept;

  /* Impacts (impact.c): of the step that was built. */
  bool bounces;        /* some materials do; else none of these is filled */
  uint8_t *joined;     /* of each body: has joints */
  uint8_t *given;      /* of the contacts in the problem: one of the end of the step */
  impact_body *impact; /* of the bodies in the problem */
  v3 *impact_given;    /* impulse of each contact on body b, N s */
  struct impact_pair *impact_pair;
  uint32_t *impact_row, *impact_list, *impact_live;
  size_t impact_count; /* impacts in the step; 0: the others do not matter */
  double impact_work;  /* J, on the bodies: what they lost, negative */
  bool jolted;         /* some of these bounce in the step */
  double newton_part;  /* of the restitution that contacts of bodies with joints have in the step */
  bool impact_spread;  /* bodies that were not hit have been moved apart from those that were */
  bool impacts_left;   /* more than there are rounds for: these do not bounce */

  /* While a step is built and solved `before` has what its contacts start from. After it that lies
   * in the problem, g and gap (`solved`), and is written down when the next step begins. */
  void *before; /* impulse on body b, N s; v3, or three floats where contacts are many */
  bool before_small;
  contact_place *place;
  bool has_place;
  float *gap;  /* of the contacts in the problem, m */
  bool begun;  /* the cache and `moment_before` are of the step before */
  bool solved; /* accepted: the cache's contacts are those of the problem */
  contact_moment *moment_now, *moment_before; /* null until needed */
  bool has_moment_now, has_moment_before;     /* filled for all contacts, or for none */
  contact_state *state_now, *state_before;    /* the same */
  bool has_state_now, has_state_before;
  double held, held_part;   /* of collide_view: from how far laws hold */
  uint8_t *taken;           /* of the contacts before: has been found again */
  bool has_cohesion;        /* of some pair of materials */
  bool has_surfaces;        /* some material has a direction or a surface velocity */
  scree_law_contact *asked; /* contacts that the user's law function is asked about (user.c), */
  uint32_t *asked_contact;  /* and their places in the problem */
  size_t asked_count;
  size_t contact_count;
  size_t generation_count;  /* bodies that the contacts' names are about */
  double gravity;           /* m/s^2, its size */
  double h;                 /* of the step */
  double kick, kick_before; /* s, that impulses last in it, and in the one that `before` is of; 0:
                               none */

  double *g;
  struct joint_part *joint_part; /* blocks of joints (joints.h) */
  size_t joint_part_count;
  uint32_t *joint_first,
      *joint_next; /* joints of each body, by joint and side: 1 + 3 joint + side */
  pose *
      end; /* of each body at the end of the step (joint_ends.c), with the twist that leads there */
  struct mean_twist *end_twist;
  uint32_t *link_block;   /* of each link; CACHE_NONE: none */
  double (*stiffness)[6]; /* of each body, xx xy xz yy yz zz, N m s; while `stiff` */
  bool stiff;
  struct mean_twist *mean; /* of each body over the step: room for the ledger */
  uint8_t *shared;         /* of each body, after finish: it pressed on another moving one */
  uint8_t *span;           /* of each body: bits of the spans whose contacts push it (impulses.c) */
  bool curved;             /* some contact may need curvature.c; then `lasting` is filled */
  uint8_t *lasting;        /* of the contacts in the problem: pressed in the step before too */
  struct expected *expected; /* of each body: curvature.c */
} assembler;

scree_status assembler_create(scree_world *world, assembler **out);
void assembler_destroy(assembler *a);
scree_status assembler_build(assembler *a, const assembler_params *params,
                             assembler_report *report);
/* On failure of either the memory is the one before the step. `a->g` holds the solution. Fills
 * linear and angular with the new twists. */
scree_status assembler_finish(assembler *a, assembler_report *report);
/* After finish. Sets *again when a body was given a velocity with which it would overlap another
 * one that it has no contact with: undo the step and build it with `again`. Contacts are then seen
 * from farther, those found before included. */
scree_status assembler_look(assembler *a, const assembler_params *params, bool *again);
/* After assembler_look. Sets *again when a pair would overlap at the end of the step although its
 * contacts, which are linear in the velocities, say that it does not (late.c). */
scree_status assembler_look_late(assembler *a, const assembler_params *params, bool *again);
/* After finish: pairs that turn far in the step and overlap too deep at some time of it (sweep.c).
 */
typedef struct assembler_hit {
  size_t pairs;
  double time; /* s after the start: the first of them; infinite: none */
  double turn; /* rad in the step: the most of a body of theirs */
} assembler_hit;
scree_status assembler_sweep(assembler *a, const assembler_params *params, assembler_hit *hit);
/* After finish: joints that would come apart as their bodies turn far
 * (joint_ends.c); they are added to the pairs. */
scree_status assembler_find_strain(assembler *a, const assembler_params *params,
                                   assembler_hit *hit);
void assembler_accept(assembler *a);
/* look.c: `again` will see contacts from no farther than before. */
scree_status assembler_see_no_farther(assembler *a);
/* Forgets the step that was built: the memory is the one before it. */
void assembler_undo(assembler *a);
/* order.c: the order of bodies, which builds of a step change now and then, as it was before a step
 * that is not made after all. */
typedef struct assembler_mark {
  uint64_t behind; /* revisions of the world that the assembler had not seen */
  size_t steps_since_order;
} assembler_mark;
assembler_mark assembler_set_mark(assembler *a);
/* After assembler_undo, or assembler_restore. */
void assembler_back_to(assembler *a, assembler_mark mark);

/* The memory of contacts and the order of bodies as bytes, as in model/world.h. */
void assembler_put(const assembler *a, blob_out *out);
size_t assembler_save(const assembler *a, void *bytes);
scree_status assembler_check(const assembler *a, const void *blob, size_t size);
/* Several ranks' blobs, of one step, as one: all contacts, sorted; the order of bodies is left out.
 * Returns its size; out null: only that. `place` is room for as many numbers as there are contacts.
 */
size_t assembler_join(const char *const *blob, int count, uint64_t *place, void *out);
size_t assembler_blob_contacts(const void *blob);
/* Of a blob that was checked; after the world's part. */
scree_status assembler_restore(assembler *a, const void *blob);

/* overlap.c: every contact of bodies that overlap as they lie, by places in the world and gap; the
 * visitor ends it by false. */
typedef bool assembler_visit_overlap(void *user, uint32_t a, uint32_t b, double gap);
scree_status assembler_find_overlaps(const scree_world *world, assembler_visit_overlap *visit,
                                     void *user);
/* hole.c: two bodies that may meet and whose shapes cannot touch, as places in the world; false:
 * there are none. */
bool assembler_find_hole(const scree_world *world, uint32_t pair[2]);
/* SCREE_ERROR_INPUT, with both of them in the message, when there are two. */
scree_status assembler_check_holes(const scree_world *world);

/* sleep.c */
typedef struct assembler_sleep {
  double after; /* s that an island is still before it sleeps */
  double speed; /* m/s, of a surface that is still; 0: by gravity and size */
  double h;     /* s, of the step that was made */
} assembler_sleep;
/* After a step. */
scree_status assembler_put_to_sleep(assembler *a, const assembler_sleep *def);
/* After a solve: wakes islands that somebody presses on, and says whether there are any. */
bool assembler_wake_pressed(assembler *a);
/* Takes note of who sleeps, for a step that is not made after all. */
void assembler_note_sleepers(assembler *a);
/* Before a step is built: wakes what driven bodies come near to; and takes note of who sleeps. */
scree_status assembler_wake_driven(assembler *a, const assembler_params *params);
scree_status assembler_see_sleepers(assembler *a);
/* Inverse mass and inertia of a body, and a velocity of zero. */
void assembler_fill_body(const assembler *a, uint32_t body, scree_ccp_body_def *def);
/* order.c. Before there are velocities: where it sorts (true), it does so in their place. */
bool assembler_order_bodies(assembler *a);
/* extremes.c: `farthest` and `least_diameter` */
void assembler_note_extremes(assembler *a, double h);
/* contacts.c, and impulses.c for what comes out of a solve */
collide_view assembler_view(const assembler *a, const assembler_params *params);
scree_status assembler_add_contacts(assembler *a, const assembler_params *params,
                                    assembler_report *report);
scree_status assembler_keep_contacts(assembler *a, assembler_report *report);
/* surface.c: the image of body b that contact k of the problem is with (math/periodic.h). */
periodic_image assembler_image(const assembler *a, size_t contact);
/* What a material has on its surface. The velocity of b's surface against a's beyond
 * that of the bodies; and the direction of friction across a normal, false: there is none. */
bool assembler_has_surfaces(const scree_world *world);
v3 assembler_surface_velocity(const assembler *a, uint32_t body_a, uint32_t body_b);
/* The part of it along the tangents of contact k. */
v3 assembler_belt(const assembler *a, size_t contact, v3 normal);
bool assembler_direction(const assembler *a, uint32_t body_a, uint32_t body_b, v3 normal,
                         v3 *tangent);
/* memory.c: states of laws. What the world's materials need, before contacts are looked for. */
void assembler_note_laws(assembler *a);
/* Of a contact of the step before, in the frame of what it is now; zeros where it is new. */
law_state assembler_recall(const assembler *a, uint32_t previous, v3 n, v3 t1, v3 t2);
/* Of contact k of the problem: as its law has made it before the solve, and after it. */
void assembler_note_state(assembler *a, size_t contact, double gap, const law_state *state);
void assembler_update_states(assembler *a);
/* user.c: the law function of the world. Is there one, if it is needed; a contact that it decides
 * on, while it is added; all of them, when all are in the problem, and after the solve. */
scree_status assembler_check_user(assembler *a);
scree_status assembler_note_user(assembler *a, size_t contact, const collide_contact *c,
                                 const law_input *in, const law_state *state, v3 slide, v3 force);
scree_status assembler_ask_user(assembler *a);
scree_status assembler_tell_user(assembler *a);
/* impact.c. Before contacts are added: whether any bounce. */
scree_status assembler_find_bounces(assembler *a, bool again);
/* After them: whether any of bodies with joints does in this step. */
void assembler_find_jolt(assembler *a);
/* After finish: whether bodies with joints were given energy by a bounce; then there is less of it
 * in the next build with `again`. */
bool assembler_bounce_gives(assembler *a);
/* When all contacts are in the problem: jumps of the free velocities. */
scree_status assembler_find_impacts(assembler *a, const assembler_params *params);
/* After the solve `linear` and `angular` become what moves bodies to where they are at the end;
 * after they have moved, bodies get the velocities that they have there. */
void assembler_add_shifts(assembler *a);
void assembler_take_shifts(assembler *a);
/* The world vectors of a contact of the last solve, N s and N m s. */
v3 assembler_impulse(const assembler *a, size_t contact);
/* With those of impacts in the step, which are no start for the next one. */
v3 assembler_whole_impulse(const assembler *a, size_t contact);
v3 assembler_moment(const assembler *a, size_t contact);
contact_place assembler_place_of(const assembler *a, size_t contact);
bool assembler_needs_places(const assembler *a);
/* Writes down what the next step starts from. */
scree_status assembler_remember(assembler *a);
/* Room for that of `count` contacts. */
scree_status assembler_reserve_before(assembler *a, size_t count);
void assembler_set_before(assembler *a, size_t contact, v3 impulse);
v3 assembler_get_before(const assembler *a, size_t contact);
/* curvature.c: offsets from the motion that is expected */
scree_status assembler_curve_contacts(assembler *a, double h);
/* ledger.c: what acts in the step, before bodies move; and the error, after. */
void assembler_open_ledger(assembler *a, scree_ledger *out);
void assembler_close_ledger(const assembler *a, scree_ledger *out);
/* stiffness.c: of joints under load, in (I + h K). */
scree_status assembler_find_stiffness(assembler *a, const assembler_params *params);
/* Changes the inverse inertia of a body and its free angular velocity, where it is stiff; says
 * whether. */
bool assembler_stiffen(assembler *a, uint32_t body, double h, double *inverse_inertia);
/* joint_blocks.c */
scree_status assembler_add_joints(assembler *a, const assembler_params *params,
                                  assembler_report *report);
void assembler_push_joints(assembler *a);
/* joint_ends.c, after a solve: changes the offsets of held rows so that they hold where the step
 * ends; *again: by so much that it is worth another solve. */
scree_status assembler_bend_joints(assembler *a, const assembler_params *params, bool *again);
/* The impulses of a block of rows on the bodies' twists. */
void assembler_push_block(assembler *a, size_t block);
/* links.c */
scree_status assembler_add_links(assembler *a, const assembler_params *params);
void assembler_push_links(assembler *a);
void assembler_keep_joints(assembler *a);
void assembler_swap_memory(assembler *a);
scree_status assembler_reserve_g(assembler *a, size_t rows);
/* lift.c, after finish: how far the relaxed model pushes contacts that slide apart in the step. */
void assembler_find_lift(const assembler *a, double *worst_percent, size_t *lifted);

#endif
