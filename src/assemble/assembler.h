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

#include "assemble/parts.h"
#include "assemble/ranks.h"
#include "base/blob.h"
#include "ccp/contact_frame.h"
#include "collide/pairs.h"
#include "model/world.h"
#include "scree/ccp.h"

typedef struct assembler_params {
  double h;
  double whole; /* s: of the step that this one is a part of; 0: it is no part */
  double stabilisation, recovery_speed, margin;
  bool warm_start;
  double warm_start_scale;
  bool
      again; /* the same step once more, after assembler_look has found that contacts were missed */
  bool hurried; /* there is no time for contacts/curvature.c */
  bool brief;   /* assembler_sweep follows no pair for long */
  size_t most;  /* contacts of an `again` beyond which it is given up as a swarm; 0: any number */
} assembler_params;

/* The length that speeds are compared with, s: that of the whole step also in a part of it, so that
 * parts have the tolerance and the bounces of the whole. */
static inline double assembler_whole(const assembler_params *params) {
  return params->whole > 0.0 ? params->whole : params->h;
}

typedef struct assembler_report {
  size_t contacts, touching, rows;
  double penetration, penetration_percent;
  double joint_error, joint_error_percent;
  size_t stiff_bodies; /* with added inertia (joints/stiffness.c) */
  double seconds_collide;
  bool swarm; /* more contacts than `most`: nothing was built */
} assembler_report;

typedef struct assembler {
  scree_context *context;
  scree_world *world;
  collide *collide;
  scree_ccp *problem;
  assembler_ranks *ranks; /* null: all contacts are here */
  uint64_t revision;      /* of the world, when last seen */
  bool has_excluded;      /* the world had joints or pairs that never touch then */

  /* The step that is being built or solved. */
  double h;              /* s */
  double kick;           /* s, that impulses last in it; 0: there are none */
  double gravity;        /* m/s^2, its size */
  double *g;             /* impulses, by rows of the problem */
  scree_residual solved; /* of g; finish needs it */
  v3 *linear, *angular;  /* of each body: v_free, after finish v */
  mean_twist *mean;      /* of each body over the step: room for the ledger */
  uint8_t *shared;       /* of each body, after finish: it pressed on another moving one */
  uint8_t *span; /* of each body: bits of the spans whose contacts push it (contacts/impulses.c) */

  body_order order;
  contact_memory memory;
  law_needs laws;
  user_contacts user;
  joint_rows joints;
  step_look look;
  late_look late;
  sweep_look sweep;
  step_impacts impacts;
  contact_curves curve;
  sleepers sleep;
} assembler;

/* Contacts that a world of so many bodies may have: solids side by side have some tens each. More
 * is refused, before it takes the memory. */
static inline size_t assembler_contact_limit(size_t bodies) {
  return 1000000 + 200 * bodies;
}
scree_status assembler_refuse_crowd(const scree_world *world);

scree_status assembler_create(scree_world *world, assembler **out);
void assembler_destroy(assembler *a);
scree_status assembler_build(assembler *a, const assembler_params *params,
                             assembler_report *report);
/* On failure of either the memory is the one before the step. `a->g` holds the solution, and
 * `a->solved` its residual. Fills linear and angular with the new twists. */
scree_status assembler_finish(assembler *a, assembler_report *report);
/* After finish. Sets *again when a body was given a velocity with which it would overlap another
 * one that it has no contact with: undo the step and build it with `again`. Contacts are then seen
 * from farther, those found before included. */
scree_status assembler_look(assembler *a, const assembler_params *params, bool *again);
/* After assembler_look. Sets *again when a pair would overlap at the end of the step although its
 * contacts, which are linear in the velocities, say that it does not (checks/late.c). */
scree_status assembler_look_late(assembler *a, const assembler_params *params, bool *again);
/* After finish: pairs that turn far in the step and overlap too deep at some time of it
 * (checks/sweep.c).
 */
typedef struct assembler_hit {
  size_t pairs;
  size_t advances; /* distances that were computed beyond the few that a pair needs */
  double time;     /* s after the start: the first of them; infinite: none */
  double turn;     /* rad in the step: the most of a body of theirs */
} assembler_hit;
scree_status assembler_sweep(assembler *a, const assembler_params *params, assembler_hit *hit);
/* After finish: joints that would come apart as their bodies turn far
 * (joints/ends.c); they are added to the pairs. */
scree_status assembler_find_strain(assembler *a, const assembler_params *params,
                                   assembler_hit *hit);
/* After finish: energy from nowhere (checks/gain.c), so that the step is better made in parts. */
bool assembler_gains(assembler *a, const assembler_params *params);
scree_status assembler_accept(assembler *a);
/* checks/look.c: `again` will see contacts from no farther than before. */
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
/* To be called after assembler_undo, or after assembler_restore. */
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
/* Restores from a blob that was checked before; call it after the world has been restored. */
scree_status assembler_restore(assembler *a, const void *blob);

/* query.c: every contact with a gap of at most `margin` (m) of bodies as they lie, of the pairs
 * that a step would look at; the visitor ends it by false. */
typedef bool assembler_contact_visitor(void *user, const collide_contact *contact);
scree_status assembler_visit_contacts(const scree_world *world, double margin,
                                      assembler_contact_visitor *visit, void *user);
/* contacts/hole.c: two bodies that may meet and whose shapes cannot touch, as places in the world;
 * false: there are none. */
bool assembler_find_hole(const scree_world *world, uint32_t pair[2]);
/* SCREE_ERROR_INPUT, with both of them in the message, when there are two. */
scree_status assembler_check_holes(const scree_world *world);

/* sleep.c */
typedef struct assembler_sleep {
  double after; /* s that an island is still before it sleeps */
  double speed; /* m/s, of a surface that is still; 0: by gravity and size */
  double load;  /* part of its weight; above 0: bodies sleep one by one (hold.c) */
  double h;     /* s, of the step that was made */
} assembler_sleep;
/* After a step. */
scree_status assembler_put_to_sleep(assembler *a, const assembler_sleep *def);
/* After a solve: wakes islands that somebody presses on, and says whether there are any. */
bool assembler_wake_pressed(assembler *a);
/* hold.c: bodies that sleep one by one. After a solve: wakes those whose hold has changed by more
 * than a part of their weight. */
bool assembler_wake_unheld(assembler *a, double part);
/* Before bodies fall asleep: contacts of those that woke are no longer kept. */
void assembler_release_contacts(assembler *a);
/* The contact k of the problem, of bodies of which one has fallen asleep in this step (in
 * `sleep.island`). */
scree_status assembler_hold_contact(assembler *a, size_t k);
/* Before contacts are found: of which ones bodies that have woken have kept forces. And the force
 * (N) that one of them had, the nearest one to a place; false: none. */
scree_status assembler_note_woken(assembler *a);
bool assembler_recall_woken(const assembler *a, const collide_contact *c, v3 place, v3 *force);
/* After a step: who is not pressed as before is not at rest. */
void assembler_note_steady(assembler *a, double part);
/* Of a kept contact, on its first body or its second. */
v3 assembler_kept_torque(const assembler *a, const contact_asleep *contact, bool first);
/* sleep.c: keeps it, with its force. */
scree_status assembler_keep_asleep(assembler *a, size_t k);
bool assembler_presses(const assembler *a, size_t contact);
uint32_t assembler_pair_generations(const assembler *a, uint32_t i, uint32_t k);
/* Takes note of who sleeps, for a step that is not made after all. */
void assembler_note_sleepers(assembler *a);
/* Before a step is built: wakes what driven bodies come near to. */
scree_status assembler_wake_driven(assembler *a, const assembler_params *params);
/* Inverse mass and inertia of a body, and a velocity of zero. */
void assembler_fill_body(const assembler *a, uint32_t body, scree_ccp_body_def *def);
/* order.c. Before there are velocities: where it sorts (true), it does so in their place. */
bool assembler_order_bodies(assembler *a);
/* contacts/extremes.c: `farthest` and `least_diameter` */
void assembler_note_extremes(assembler *a, double h);
/* contacts/contacts.c, and contacts/impulses.c for what comes out of a solve */
collide_view assembler_view(const assembler *a, const assembler_params *params);
scree_status assembler_add_contacts(assembler *a, const assembler_params *params,
                                    assembler_report *report);
scree_status assembler_keep_contacts(assembler *a, assembler_report *report);
/* contacts/surface.c: the image of body b that contact k of the problem is with (math/periodic.h).
 */
periodic_image assembler_image(const assembler *a, size_t contact);
/* What a material has on its surface: a direction of friction across a normal (false: there is
 * none), and a velocity beside that of the bodies, as belts have. */
bool assembler_has_surfaces(const scree_world *world);
/* The velocity of b's surface against a's along the tangents of contact k. */
v3 assembler_belt(const assembler *a, size_t contact, v3 normal);
bool assembler_direction(const assembler *a, uint32_t body_a, uint32_t body_b, v3 normal,
                         v3 *tangent);
/* laws/memory.c: states of laws. What the world's materials need, before contacts are looked for.
 */
void assembler_note_laws(assembler *a);
/* Of a contact of the step before, in the frame of what it is now; zeros where it is new. */
law_state assembler_recall(const assembler *a, uint32_t previous, const contact_frame *frame);
/* Of contact k of the problem: as its law has made it before the solve, and after it. */
void assembler_note_state(assembler *a, size_t contact, double gap, const law_state *state);
void assembler_update_states(assembler *a);
/* laws/user_function.c: the law function of the world. Is there one, if it is needed; a contact
 * that it decides on, while it is added; all of them, when all are in the problem, and after the
 * solve. */
scree_status assembler_check_user(assembler *a);
scree_status assembler_note_user(assembler *a, size_t contact, const collide_contact *c,
                                 const law_input *in, const law_state *state, v3 slide, v3 force);
scree_status assembler_ask_user(assembler *a);
scree_status assembler_tell_user(assembler *a);
/* impacts/impact.c. Before contacts are added: whether any bounce. */
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
/* impacts/apart.c: shifts that lead into others are changed. */
scree_status assembler_reserve_apart(assembler *a);
void assembler_move_apart(assembler *a);
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
/* contacts/curvature.c: offsets from the motion that is expected */
scree_status assembler_curve_contacts(assembler *a, double h);
/* checks/ledger.c: what acts in the step, before bodies move; and the error, after. */
void assembler_open_ledger(assembler *a, scree_ledger *out);
void assembler_close_ledger(const assembler *a, scree_ledger *out);
/* The means of the velocities before and after, and with them the work on the bodies of all
 * contacts, and of a block of a joint, J. */
void assembler_find_means(assembler *a);
double assembler_contact_work(const assembler *a);
double assembler_one_work(const assembler *a, size_t contact);
double assembler_block_work(const assembler *a, size_t block);
/* checks/gain.c: would held rows give energy in the step that was solved? Then it is to be built
 * and solved again, without work of theirs. */
bool assembler_joints_give(assembler *a, const assembler_params *params);
/* joints/stiffness.c: of joints under load, in (I + h K). */
scree_status assembler_find_stiffness(assembler *a, const assembler_params *params);
/* Bars and ropes in their first step: *found that they make a body stiff, which is to be solved
 * again with that. True at most once per step. */
scree_status assembler_try_lines(assembler *a, const assembler_params *params, bool *found);
/* Changes the inverse mass and inertia of a body and its free velocity, where it is stiff; says
 * whether. */
bool assembler_stiffen(assembler *a, uint32_t body, double h, scree_ccp_body_def *def);
/* The same of its mass and inertia alone, once more. */
void assembler_keep_stiff(const assembler *a, uint32_t body, scree_ccp_body_def *def);
/* joints/blocks.c */
scree_status assembler_add_joints(assembler *a, const assembler_params *params,
                                  assembler_report *report);
void assembler_push_joints(assembler *a);
/* joints/ends.c, after a solve: changes the offsets of held rows so that they hold where the step
 * ends; *again: by so much that it is worth another solve. */
scree_status assembler_bend_joints(assembler *a, const assembler_params *params, bool *again);
/* joints/contradiction.c, after a solve that found held rows that contradict each other (u and d of
 * solve_contradiction): takes that out of their offsets. False: motors contradict each other, and
 * nothing was changed; it is not asked for any more. */
bool assembler_leave_contradiction(assembler *a, const assembler_params *params, const double *u,
                                   const double *d);
/* The impulses of a block of rows on the bodies' twists. */
void assembler_push_block(assembler *a, size_t block);
/* joints/links.c */
scree_status assembler_add_links(assembler *a, const assembler_params *params);
void assembler_push_links(assembler *a);
scree_status assembler_keep_joints(assembler *a);
void assembler_swap_memory(assembler *a);
scree_status assembler_reserve_g(assembler *a, size_t rows);
/* checks/lift.c, after finish: how far the relaxed model pushes contacts that slide apart in the
 * step. */
void assembler_find_lift(const assembler *a, double *worst_percent, size_t *lifted);

#endif
