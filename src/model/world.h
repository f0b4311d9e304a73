/* The world's data: one array a property (a body is an index), so that passes over all bodies read
 * only what they need. A place whose body was removed is used again; `alive` tells.
 *
 * Velocities of dynamic bodies are those of the middle of the last step (leapfrog): forces at a
 * whole step kick them from half a step before it to half a step after it. What is shown is the
 * velocity at the whole step, by the acceleration of the last step (`linear_rate`, `angular_rate`)
 * where it is steady: much like the one of the step before, so no jolt of a contact. A body that
 * was just made or set (`fresh`) has its velocity at the whole step, and its first kick takes half
 * as long.
 *
 * The state of a dynamic body is that of its centre of mass, with axes along its principal inertia;
 * `place` is its shape's frame seen from there. Fixed and prescribed bodies are their shape's frame
 * and have mass 0. */
#ifndef SCREE_MODEL_WORLD_H
#define SCREE_MODEL_WORLD_H

#include "base/blob.h"
#include "base/memory.h"
#include "math/periodic.h"
#include "math/pose.h"
#include "scree/joint.h"
#include "scree/model.h"

enum { WORLD_NO_BODY = UINT32_MAX };

/* How the last step changed a body's velocity: by much, as an impact does; by little; or by as much
 * as the one before. What presses on another moving body is steady in itself, but is shown as it
 * was at the half step: both sides of a contact alike, so that momentum is kept in what is shown.
 */
enum { PULSE_JOLT, PULSE_CALM, PULSE_SHARED, PULSE_STEADY };

typedef struct body_load {
  v3 force, torque; /* N, N m; world frame, at the centre of mass */
} body_load;

/* Loads that began or ended after the last step act from now on: what they would have given (or
 * took) in the half step before, which the next kick leaves out, N s and N m s. The velocity of
 * that half step stays what it was, as joints allow it. */
typedef enum late_cause { LATE_FORCES, LATE_MOTORS, LATE_CAUSES } late_cause;
typedef struct body_late {
  body_load by[LATE_CAUSES];
} body_late;

/* How much a body's accelerations changed in the last step, m/s^2 and rad/s^2. */
typedef struct body_growth {
  v3 linear, angular;
} body_growth;

/* A prescribed body's motion: which one, and from where and when. */
typedef struct body_drive {
  pose start;
  double since;
  uint32_t motion; /* 0: none */
  uint32_t unused; /* the checkpoint holds no bytes that nobody set */
} body_drive;

/* X(type, name): arrays that every world has. `shape_index` is 1 + the place in the table. */
#define WORLD_BODY_LIST(X)                                                                         \
  X(v3, position)                                                                                  \
  X(quat, rotation)                                                                                \
  X(v3, linear)                                                                                    \
  X(v3, angular)                                                                                   \
  X(v3, linear_rate)                                                                               \
  X(v3, angular_rate)                                                                              \
  X(v3, inertia)                                                                                   \
  X(double, mass)                                                                                  \
  X(double, radius)                                                                                \
  X(double, diameter)                                                                              \
  X(uint32_t, shape_index)                                                                         \
  X(uint32_t, material)                                                                            \
  X(uint32_t, category)                                                                            \
  X(uint32_t, collides_with)                                                                       \
  X(uint32_t, generation)                                                                          \
  X(uint8_t, kind)                                                                                 \
  X(uint8_t, alive)                                                                                \
  X(uint8_t, fresh)                                                                                \
  X(uint8_t, pulse)

/* Arrays that exist from the first body that needs them. `slow_turn`, `slow_way`: the angular and
 * the linear velocity without what is fast, for bodies in joints; `growth`: for contacts of what
 * rolls; `point`: it does not turn; `asleep`: 1 + the lowest body of its island, 0: awake; `still`:
 * s that it has been; `hold`: of one asleep on its own, what those awake around it gave when it was
 * at rest; `pressed`: the sum of what its contacts gave, N, when it began to be still or fell
 * asleep on its own. */
#define WORLD_OPTIONAL_LIST(X)                                                                     \
  X(pose, place)                                                                                   \
  X(body_drive, drive)                                                                             \
  X(body_load, load)                                                                               \
  X(body_load, step_load)                                                                          \
  X(body_late, late)                                                                               \
  X(v3, slow_turn)                                                                                 \
  X(v3, slow_way)                                                                                  \
  X(body_growth, growth)                                                                           \
  X(double, charge)                                                                                \
  X(uint8_t, point)                                                                                \
  X(uint32_t, asleep)                                                                              \
  X(float, still)                                                                                  \
  X(body_load, hold)                                                                               \
  X(float, pressed)

typedef struct world_bodies {
#define WORLD_ARRAY(type, name) type *name;
  WORLD_BODY_LIST(WORLD_ARRAY)
  WORLD_OPTIONAL_LIST(WORLD_ARRAY)
#undef WORLD_ARRAY
  const scree_shape **shape; /* null: none */
  uint32_t *free_list;
  size_t free_count;
  size_t limit, capacity; /* places in use or once used; room */
  size_t count, dynamic_count;
} world_bodies;

typedef struct world_motion {
  scree_motion_def def; /* its arrays are the world's own */
  double *times, *displacements, *rotations;
} world_motion;

/* What a coordinate has, and what the last step gave it, N m s or N s, along +q on body b. */
typedef struct joint_coordinate {
  double start, limits[2], limit_restitution, limit_compliance;
  double friction, friction_coefficient, damping, stiffness, rest, armature;
  double motor_value, motor_rate, motor_since, motor_limit, motor_stiffness, motor_damping;
  uint32_t motor, unused; /* scree_motor_kind */
  double motor_impulse, friction_impulse, spring_impulse, limit_impulse;
} joint_coordinate;

enum { JOINT_FRAMES = 4, JOINT_SIDES = 3, JOINT_ANGLES = 2 };

/* Frames: of a, of b, and two of c, partners of those where angles and lengths are seen from c. */
typedef struct joint {
  scree_joint_kind kind;
  uint32_t body[JOINT_SIDES]; /* a, b, c; WORLD_NO_BODY: the world */
  uint32_t generation;
  uint8_t alive, collide, broken, apart; /* apart: not yet put together (joints/assemble.c) */
  uint32_t curve, unused2;               /* 1 + its place; 0: none */
  pose frame[JOINT_FRAMES]; /* anchor and axes (z: the joint's axis) seen from each body */
  double ratio, length, compliance, break_force, break_torque;
  double stiffness[6], damping[6]; /* bushing */
  joint_coordinate coordinate[SCREE_JOINT_COORDINATES];
  double angle[JOINT_ANGLES]; /* near which the angles are, to count turns, rad */
  double along;               /* parameter of the curve near which the point is */
  /* What the last step found: of the held rows, N s and N m s, for the warm start; their sum and
   * that of limits on body b at its anchor, world frame. */
  double held[6];
  v3 impulse, moment;
  double step; /* s, that they lasted; 0: none yet */
} joint;

enum {
  LINK_BODIES = 10,
  LINK_ROWS = 48 + 3 * LINK_BODIES, /* of stresses, and of what its own inertia is damped by */
  LINK_STIFF = 6,                   /* numbers of a spring or beam */
  LINK_DIM = 6 * LINK_BODIES,
  LINK_INERTIA = LINK_BODIES * (LINK_BODIES + 1) / 2,
  LINK_FRAMES = 3,
  LINK_FACTOR = 27
};

typedef struct world_link {
  scree_link_kind kind;
  uint32_t body[LINK_BODIES]; /* WORLD_NO_BODY: the world */
  uint32_t body_count;
  uint32_t rows; /* most that it has; 0: the user's own */
  uint32_t generation;
  uint32_t function; /* 1 + its place in the world's list of functions; 0: none */
  uint32_t alive;
  uint32_t elastic;        /* tetrahedron: its law */
  uint32_t heavy;          /* it has inertia of its own */
  pose frame[LINK_FRAMES]; /* spring, beam: the ends seen from each body, x along the beam; shell:
                              its axes at rest, seen from each */
  double rest;             /* m: spring; length of a beam or cable */
  double stiffness[LINK_STIFF], damping[LINK_STIFF];
  double place[LINK_BODIES][3]; /* tetrahedron: of its nodes at rest; shell: slopes of its shape
                                   functions, then strains by turns of nodes */
  double modulus[2];            /* tetrahedron: mu and lambda; cable: E A and E I; shell: E, nu */
  double rayleigh;              /* tetrahedron, cable: s */
  double drag;                  /* 1/s: of its own inertia */
  double handle[2];             /* cable: m, of its ends' slopes */
  union {
    double inertia[LINK_INERTIA]; /* kg: lower half of its own mass matrix over bodies, by rows */
    double factor[LINK_FACTOR];   /* shell, which has no inertia of its own: see shell.h */
  };
} world_link;

typedef struct link_function {
  scree_link_function call;
  void *user;
  uint64_t asked; /* for blocks that it gave */
} link_function;
/* A spline: `dimension` functions of one parameter, cubic between knots. */
typedef struct world_curve {
  size_t count; /* of knots */
  int dimension;
  bool closed;
  double *knot;  /* ascending; of a path 0, 1, 2 …; of a cam angles */
  double *value; /* count x dimension */
  double *bend;  /* second derivatives, the same */
} world_curve;

struct scree_world {
  scree_context *context;
  scree_world_def def;
  periodic box;           /* as it is now */
  struct tree_code *tree; /* of forces between all pairs */
  double time;
  double step;     /* s, the last one; 0: none */
  v3 late_gravity; /* m/s, as `late` of bodies, of all that are not fresh */
  double calling;  /* s, the step whose forces the function is asked for; 0: it is not called */
  bool called;     /* for the step to come: it was begun and did not end */
  /* Its stepper is a smooth one: velocities are those of whole steps, and forces that change with
   * time are taken after this part of a step; 0: it is not. */
  double whole;
  scree_force_function force_function;
  void *force_user;
  scree_law_function law_begin, law_end;
  void *law_user;
  world_bodies bodies;
  scree_shape **shape;
  size_t shape_count;
  uint32_t *shape_slot; /* hash table of 1 + indices, by pointer */
  size_t shape_slots;
  scree_material_def *material;
  size_t material_count;
  scree_material_def *pair; /* material_count^2; laws in force */
  uint8_t *pair_set;
  world_motion *motion;
  size_t motion_count;
  world_curve *curve;
  size_t curve_count;
  joint *joint;
  size_t joint_limit, joint_count;
  world_link *link;
  size_t link_limit, link_count;
  link_function *link_function; /* no part of a checkpoint */
  size_t link_function_count;
  uint64_t *excluded; /* pairs (low << 32 | high) joined and not colliding, ascending */
  size_t excluded_count;
  scree_body_id (*apart)[2]; /* pairs excluded by the user */
  size_t apart_count;
  uint64_t revision;       /* grows with every change of the set of bodies or joints */
  uint64_t sleep_revision; /* grows when islands fall asleep or wake */
  size_t asleep_count;     /* bodies */
  bool viewed;             /* arrays were handed out: they are not freed when they move */
  void **retired;          /* such arrays */
  size_t retired_count;
};

static inline bool world_finite(v3 x) {
  return isfinite(x.x) && isfinite(x.y) && isfinite(x.z);
}
/* The index of a living body, or WORLD_NO_BODY with the message set. */
uint32_t world_find_body(const scree_world *world, scree_body_id id);
static inline bool world_sleeps(const scree_world *world, size_t i) {
  return world->asleep_count && world->bodies.asleep[i];
}
/* Forces move it: it has a mass, and is awake. */
static inline bool world_is_dynamic(const scree_world *world, size_t i) {
  return world->bodies.mass[i] > 0.0 && !world_sleeps(world, i);
}
/* sleep.c: the island of a body, the body alone, or all; a body that is at rest. */
void world_wake(scree_world *world, size_t body);
void world_wake_alone(scree_world *world, size_t body);
void world_wake_all(scree_world *world);
/* Restores which bodies slept before a step that was not completed. */
void world_restore_sleep(scree_world *world, const uint32_t *asleep, size_t count);
void world_put_to_sleep(scree_world *world, size_t body, uint32_t island);
/* periodic.c: the box of a definition; false: it is none that could be. */
bool world_make_box(const scree_periodic_def *def, periodic *box, const char **why);
/* Is the box of a checkpoint a possible one? */
bool world_box_fits(const periodic *box);
static inline bool world_is_periodic(const scree_world *world) {
  return periodic_is_on(&world->box);
}
/* The image of body k that body i meets. */
static inline periodic_image world_image(const scree_world *world, size_t i, size_t k) {
  if (!world_is_periodic(world)) return (periodic_image){{0, 0, 0}, {0, 0, 0}};
  return periodic_nearest(&world->box, world->bodies.position[i], world->bodies.position[k]);
}
static inline pose world_pose(const scree_world *world, size_t i) {
  return (pose){world->bodies.position[i], world->bodies.rotation[i]};
}
/* body.c: a frame that is seen from the body's principal axes, as seen from its shown state. */
pose world_shown_frame(const scree_world *world, uint32_t body, pose frame);
/* force.c: the first body whose velocity is not finite; SIZE_MAX: none. */
size_t world_first_broken(const scree_world *world, const v3 *linear, const v3 *angular);
/* How long a lasting force kicks a body in a step h: from the middle of the step before. */
static inline double world_kick(const scree_world *world, size_t i, double h) {
  if (world->whole > 0.0) return h;
  return world->bodies.fresh[i] ? 0.5 * h : 0.5 * (world->step + h);
}
/* Velocities at the world's time. */
static inline v3 world_linear(const scree_world *world, size_t i) {
  const world_bodies *b = &world->bodies;
  return b->pulse[i] == PULSE_STEADY
             ? v3_add_scaled(b->linear[i], 0.5 * world->step, b->linear_rate[i])
             : b->linear[i];
}
static inline v3 world_angular(const scree_world *world, size_t i) {
  const world_bodies *b = &world->bodies;
  return b->pulse[i] == PULSE_STEADY
             ? v3_add_scaled(b->angular[i], 0.5 * world->step, b->angular_rate[i])
             : b->angular[i];
}
/* Pose of the shape's frame. */
static inline pose world_shape_pose(const scree_world *world, size_t i) {
  const pose p = world_pose(world, i);
  return world->bodies.place ? pose_mul(p, world->bodies.place[i]) : p;
}
static inline const scree_material_def *world_pair(const scree_world *world, uint32_t a,
                                                   uint32_t b) {
  return &world->pair[a * world->material_count + b];
}
/* Makes an optional array where there is none, all places set to `fill` (size bytes). */
scree_status world_need(scree_world *world, void *array, size_t size, const void *fill);
scree_status world_reserve_bodies(scree_world *world, size_t count);
/* view.c: before the arrays of bodies move. Copies of those that were handed out take their place,
 * and the old ones are kept for their readers. */
scree_status world_retire_views(scree_world *world);
void world_free_views(scree_world *world);
scree_status world_intern_shape(scree_world *world, scree_shape *shape, uint32_t *index);
static inline bool world_joint_has(const joint *j, uint32_t body) {
  return j->body[0] == body || j->body[1] == body || j->body[2] == body;
}
/* Do the indices of a joint from a checkpoint lead nowhere wrong? */
/* joints/assemble.c has put the bodies of joints together that were made `apart`: from now on they
 * are as all others. On failure *which is the joint whose limits exclude that. */
scree_status world_begin_joints(scree_world *world, scree_joint_id *which);
bool world_joint_fits(const scree_world *world, const joint *j, size_t body_limit);
void world_remove_joint_at(scree_world *world, size_t index);
/* Rebuilds the excluded pairs from the joints and from `apart`. */
scree_status world_list_excluded(scree_world *world);
/* One pair more, at its place: parts are made in the order of their nodes, so that it is near the
 * end. */
scree_status world_exclude_also(scree_world *world, uint32_t a, uint32_t b);

/* material.c: is something wrong with it? Then the key that is, and why. */
bool material_fault(const scree_material_def *material, const char **key, char *text, size_t size);
/* The springs at contacts of smooth steppers know friction and restitution: the first key given
 * that they would leave out. Null: there is none. */
const char *material_beyond_springs(const scree_material_def *material);
/* What the two give way or pull by, that the law which they meet by does not have: the key, with a
 * value in the mixture. Null: none is lost, or the pair was set. */
const char *material_lost_key(const scree_world *world, size_t a, size_t b);

/* motion.c: where a driven body's frame is at a time. */
pose world_driven_pose(const scree_world *world, size_t body, double time);
/* turn.c: keeps the accelerations of a dynamic body in a step that has led to this twist at its
 * old rotation; `kick` is how long they lasted, `shared`: it pressed on another moving
 * body. Before the body is moved. */
void world_keep_rates(scree_world *world, size_t body, double kick, v3 linear, v3 angular,
                      bool shared);
/* Where a body is when it has moved with this twist for h; *angular is then the one after, as a
 * dynamic body keeps its angular momentum. A driven one goes its own way. */
pose world_pose_after(const scree_world *world, size_t body, double h, v3 linear, v3 *angular);
/* The same way seen at many times, which must not go back: each is found from the one before. */
typedef struct world_way {
  size_t body;
  v3 linear, angular, momentum;
  quat rotation;     /* at the time `done` */
  double part, done; /* s; a part of 0: it turns in one */
} world_way;
world_way world_way_begin(const scree_world *world, size_t body, double h, v3 linear, v3 angular);
pose world_way_at(const scree_world *world, world_way *way, double t);
/* Rotation vector of a unit quaternion, angle in [0, pi]. */
v3 world_rotation_vector(quat q);
void world_free_motion(scree_world *world, world_motion *motion);
/* force.c: by a torque that lasts h. */
void world_add_turn(const scree_world *world, size_t body, double h, v3 torque, v3 *angular);
/* curve.c: values of a spline and their first and second derivatives, `dimension` of each. */
void world_curve_at(const world_curve *curve, double x, double *value, double *slope, double *bend);
/* The parameter of the point of a path that is nearest to p, found from a guess. */
double world_curve_nearest(const world_curve *curve, v3 p, double guess);
void world_free_curve(scree_world *world, world_curve *curve);

/* force.c: calls the force function, once per step. */
void world_call_forces(scree_world *world, double h);
/* v_free of every body for a step h: dynamic ones v + h M^-1 f (without the gyroscopic
 * term, which belongs to the integration), prescribed ones the velocity that takes them to their
 * place at the end of the step, fixed ones 0. Arrays of bodies.limit. */
scree_status world_free_velocities(scree_world *world, double h, v3 *linear, v3 *angular);
/* Forces at the world's time, places and velocities, apart from any step (smooth.c): gravity,
 * pairs, lasting loads and those of this step, motors of torque, links and the gyroscopic term -w x
 * I w, with `part` times gravity, loads and motors: 1, or less for loads that are laid on step by
 * step. At the centre of mass; array of bodies.limit, zero where a body cannot be pushed. */
void world_forces(const scree_world *world, double part, body_load *f);
/* Their derivatives: visits blocks k = -df_i/dq_j and r = -df_i/dv_j (6 x 6 by rows) of dynamic
 * bodies, those of one pair maybe several times. Pairwise attraction is left out. */
typedef void world_visit_block(void *user, uint32_t i, uint32_t j, const double *k,
                               const double *r);
void world_force_blocks(const scree_world *world, world_visit_block *visit, void *user);
/* W: what dampers of links take; what the user's own give to the dynamic bodies. */
double world_link_loss(const scree_world *world);
double world_link_gain(const scree_world *world);
double world_motor_power(const scree_world *world); /* of motors of torque */
/* The pairs i != j that these may be of, in either order, maybe several times. */
typedef void world_visit_pair(void *user, uint32_t i, uint32_t j);
void world_force_pairs(const scree_world *world, world_visit_pair *visit, void *user);
/* The lasting load of a body, or the torque of a joint's motor, is about to change by this much. */
scree_status world_change_load(scree_world *world, size_t body, late_cause cause, v3 force,
                               v3 torque);
/* All that the next kick of a body leaves out, gravity's part with it. */
bool world_is_late(const scree_world *world, size_t body);
body_load world_late_load(const scree_world *world, size_t body);
void world_forget_late(scree_world *world);
/* Acceleration that forces alone give in a step, whose free velocity is given. */
static inline v3 world_force_rate(const scree_world *world, size_t i, double h, v3 free_linear) {
  const world_bodies *b = &world->bodies;
  v3 change = v3_sub(free_linear, b->linear[i]);
  if ((b->late || v3_norm2(world->late_gravity) > 0.0) && !b->fresh[i])
    change = v3_add_scaled(change, 1.0 / b->mass[i], world_late_load(world, i).force);
  return v3_scale(1.0 / world_kick(world, i, h), change);
}
/* The same, with the angular one. */
void world_force_rates(const scree_world *world, size_t body, double h, v3 free_linear,
                       v3 free_angular, v3 *linear, v3 *angular);
/* joint_load.c: motors that apply a torque or a force, into v_free; and what one of them is about
 * to change by. */
void world_add_motors(const scree_world *world, double h, v3 *linear, v3 *angular);
scree_status world_change_motor(scree_world *world, const joint *j, int coordinate, double change);
/* Forgets what acts for one step only. */
void world_clear_step_loads(scree_world *world);
/* pairwise.c: before forces are asked for, wherever bodies have moved since. */
scree_status world_pairwise_begin(const scree_world *world);
double world_pairwise_energy(const scree_world *world);
bool world_has_pairwise(const scree_world *world);
v3 world_pairwise_force(const scree_world *world, size_t body);

/* blob.c: the part of a checkpoint that is the world's. `save` returns the size; blob null: only
 * that. `restore` checks first and changes nothing when it fails. */
void world_put(const scree_world *world, blob_out *out);
size_t world_save(const scree_world *world, void *bytes);
scree_status world_restore(scree_world *world, const void *blob, size_t size);

#endif
