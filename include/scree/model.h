/* Scree, model: the world of bodies, materials, links and forces; no contacts, no solver. Joints
 * have a header of their own, scree/joint.h.
 *
 *   scree_world *world;           scree_world_create(context, NULL, &world);
 *   scree_body_def d = scree_body_def_default();
 *   d.shape = shape;  d.density = 2500.0;  d.position[2] = 1.0;
 *   scree_body_id body;           scree_world_add_body(world, &d, &body);
 *
 * SI units, z up, quaternions (w, x, y, z). The pose of a body is that of its shape's frame; its
 * velocity is that of its centre of mass, and its angular velocity is in the world frame. Ids are
 * small values that stay unique when a place is used again; an id of zeros is null. A call with an
 * id that is not alive fails with SCREE_ERROR_ARGUMENT. */
#ifndef SCREE_MODEL_H
#define SCREE_MODEL_H

#include "scree/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_world scree_world;

typedef struct scree_body_id {
  uint32_t index, generation;
} scree_body_id;
/* Zero is the default material, which every world has. Materials and motions are never removed. */
typedef struct scree_material_id {
  uint32_t index;
} scree_material_id;
/* Zero is null: no motion. */
typedef struct scree_motion_id {
  uint32_t index;
} scree_motion_id;
typedef struct scree_link_id {
  uint32_t index, generation;
} scree_link_id;

/* ---- world ---------------------------------------------------------------------------------- */

/* A box that repeats itself: what leaves it on one side comes in on the other. Bodies keep their
 * own places and velocities, however far they go; two of them meet by their nearest images. */
typedef struct scree_periodic_def {
  double size[3];         /* m; 0: no end in this direction; default 0 0 0: no box */
  double center[3];       /* m: what is shown lies about it; default 0 */
  double shear_rate;      /* 1/s: layers of boxes slide over each other (Lees and Edwards) */
  int flow, gradient;     /* 0, 1, 2 for x, y, z; with a shear rate two that are periodic */
  double stretch_rate[3]; /* 1/s: of the box and its images; < 0: it shrinks */
} scree_periodic_def;

typedef struct scree_world_def {
  uint32_t cookie;               /* set by scree_world_def_default */
  double gravity[3];             /* m/s^2, default 0 0 -9.81 */
  double gravitational_constant; /* pairwise attraction, m^3/(kg s^2); default 0: none */
  double coulomb_constant;       /* pairwise force of charges, N m^2/C^2; default 0: none */
  double pairwise_theta; /* opening angle of the tree code that sums both from 256 bodies on, 0 …
                            0.9; default 0.3; 0: always over all pairs */
  scree_periodic_def periodic;
} scree_world_def;

SCREE_API scree_world_def scree_world_def_default(void);
/* def null: the default. The context must outlive the world. */
SCREE_API scree_status scree_world_create(scree_context *context, const scree_world_def *def,
                                          scree_world **world);
SCREE_API void scree_world_destroy(scree_world *world);
SCREE_API scree_context *scree_world_context(const scree_world *world);
SCREE_API double scree_world_time(const scree_world *world); /* s */
SCREE_API void scree_world_get_gravity(const scree_world *world, double gravity[3]);
SCREE_API scree_status scree_world_set_gravity(scree_world *world, const double gravity[3]);
/* The box as it is now: sizes and centre, and how far the layer of boxes next along the gradient is
 * ahead along the flow, m. Null where it is of no interest. */
SCREE_API void scree_world_get_periodic(const scree_world *world, scree_periodic_def *periodic,
                                        double *offset);
/* Rates from now on; the box stays. SCREE_ERROR_ARGUMENT: it is not one that could be sheared so.
 */
SCREE_API scree_status scree_world_set_periodic_rates(scree_world *world, double shear_rate,
                                                      const double stretch_rate[3]);
/* Is the world's box large enough for its bodies, and are its walls walls of every image? Else
 * SCREE_ERROR_INPUT, with what is wrong. Every step checks it. */
SCREE_API scree_status scree_world_check_periodic(const scree_world *world);
/* Keeps a shape in the world's table before a body uses it; bodies' shapes enter by themselves. A
 * checkpoint names shapes by their place in this table: what an emitter will use later should be
 * added while the world is built, so that a world built anew has the same table. */
SCREE_API scree_status scree_world_add_shape(scree_world *world, scree_shape *shape);

/* ---- materials ------------------------------------------------------------------------------ */

/* Contact laws; docs/laws.md has their formulas. */
typedef enum scree_law {
  SCREE_LAW_USUAL,              /* by the keys that are given: rigid or compliant, with cohesion */
  SCREE_LAW_RIGID,              /* rigid, dry */
  SCREE_LAW_COMPLIANT,          /* spring and damper, dry */
  SCREE_LAW_POWER,              /* stiffness d^exponent, with cohesion */
  SCREE_LAW_RIGID_COHESIVE,     /* rigid, with a pull that comes back on touch */
  SCREE_LAW_COMPLIANT_COHESIVE, /* a spring that yields in tension */
  SCREE_LAW_ELASTOPLASTIC,      /* a spring that yields in tension and in compression */
  SCREE_LAW_BOND,               /* glued where two new bodies touch, until it breaks */
  SCREE_LAW_USER,               /* by scree_world_set_law_function */
  SCREE_LAW_BRIDGE,             /* rigid, and a liquid bridge between surfaces that have touched */
  SCREE_LAW_COUNT
} scree_law;

typedef enum scree_restitution_law {
  SCREE_RESTITUTION_POISSON, /* of the impulse: one impact after the other */
  SCREE_RESTITUTION_NEWTON   /* of the speed, in the problem of the step: all at once */
} scree_restitution_law;

/* What happens where two surfaces meet. As a material: of one surface. The law of a pair is the one
 * set for it, else mixed: coefficients of friction, rolling, spinning and restitution by the
 * geometric mean, the smaller cohesion, bond and yield strength (the other's where one has none),
 * the larger threshold, damping and range, compliances added (springs in series), and of two
 * kinds of law the later one in the list above, or the soft one beside a rigid one. */
typedef struct scree_material_def {
  uint32_t cookie;              /* set by scree_material_def_default */
  double friction;              /* mu, default 0.5 */
  double rolling;               /* m: |rolling moment| <= rolling * normal force; default 0 */
  double spinning;              /* m: the same about the normal; default 0 */
  double restitution;           /* e, 0 … 1; default 0. For bodies with joints Newton's */
  double restitution_threshold; /* m/s: slower impacts do not bounce; default 0: 2 |g| h */
  double cohesion;              /* N: pull that two touching bodies bear; default 0 */
  double compliance;            /* m/N, normal; default 0: rigid */
  double compliance_tangent;    /* m/N; default 0 */
  double damping;               /* s: damper over spring of a compliant contact; default 0 */
  scree_law law;                /* default SCREE_LAW_USUAL */
  scree_restitution_law restitution_law; /* default Poisson's */
  /* Friction; 0: not used. */
  double friction_kinetic; /* mu of what slides; `friction` is then that of what sticks */
  double stribeck_speed; /* m/s: mu falls from the static to the kinetic one as exp(-(v/this)^2) */
  double friction_viscous; /* s/m: mu grows by this times the speed */
  double friction_across;  /* mu across the `direction`, `friction` is then the one along it */
  double dilatancy;        /* psi, at most friction: what slides parts with psi times its speed */
  double flow_across;  /* with friction_across, H of the sideways row over that of the row along: 1,
                        * or 0: slides along the normal of the ellipse of forces */
  double direction[3]; /* on the surface, in the body's frame; any length but 0 */
  double surface_velocity[3]; /* m/s, of the surface in the body's frame: a belt */
  /* Cohesion. */
  double cohesion_energy; /* J/m^2: adds a pull of 3/2 pi w R, 1/R = 1/r1 + 1/r2 */
  double cohesion_range;  /* m: it holds from touch to this gap; 0: a thousandth of the diameter */
  /* The power law. */
  double stiffness; /* N/m^exponent */
  double exponent;  /* 0: 3/2 */
  /* The elastoplastic law. */
  double yield_force; /* N */
  double hardening;   /* N/m */
  /* Bonds; `cohesion` is their strength in tension. */
  double bond_shear;    /* N; 0: friction times cohesion */
  double bond_bending;  /* N m; 0: turns freely */
  double bond_twisting; /* N m; 0: turns freely */
  /* Liquid bridges. */
  double bridge_volume;   /* m^3, of the liquid between two surfaces */
  double surface_tension; /* N/m */
  double contact_angle;   /* rad, below pi/2 */
} scree_material_def;

/* As in scenes: rigid-cohesive; null for a number that is none. */
SCREE_API const char *scree_law_name(scree_law law);
SCREE_API scree_material_def scree_material_def_default(void);
SCREE_API scree_status scree_world_add_material(scree_world *world, const scree_material_def *def,
                                                scree_material_id *id);
SCREE_API scree_status scree_world_set_material(scree_world *world, scree_material_id id,
                                                const scree_material_def *def);
SCREE_API size_t scree_world_material_count(const scree_world *world);
/* The law between two materials, in place of the mixing rule. */
SCREE_API scree_status scree_world_set_pair(scree_world *world, scree_material_id a,
                                            scree_material_id b, const scree_material_def *law);
/* The law in force between two materials, set or mixed. */
SCREE_API scree_status scree_world_get_pair(const scree_world *world, scree_material_id a,
                                            scree_material_id b, scree_material_def *law);

/* A contact of a pair whose law is SCREE_LAW_USER, as the law function sees it. Vectors are in the
 * world's frame; velocities are those of b against a. */
typedef struct scree_law_contact {
  uint32_t body_a, body_b;         /* places of the bodies, scree_world_body_at */
  uint32_t material_a, material_b; /* of the two */
  double position[3];              /* m */
  double normal[3];                /* unit, from a to b */
  double gap;                      /* m, at the start of the step; < 0: overlap */
  double approach;                 /* m/s along the normal; < 0: closing */
  double slide[3];                 /* m/s along the surface */
  double force[3];     /* N, on b: of the step before; when the step has ended that of the step */
  double radius;       /* m, r1 r2 / (r1 + r2) */
  double diameter;     /* m, of the smaller body */
  double inverse_mass; /* 1/m1 + 1/m2, 1/kg */
  double state[4];     /* of the law's own: lives with the contact, 0 of a new one */
  /* What the law says. The force along the normal during the step is
   *   n = push - (stiffness h + damping) u      u: velocity along the normal at the end
   * but not less than -pull; with both 0 it is rigid: whatever keeps the two apart, and push must
   * be 0. The force along the surface is at most friction (n + pull). */
  double friction;  /* as the material has it */
  double pull;      /* N, 0 */
  double push;      /* N at the gap as it is, 0 */
  double stiffness; /* N/m: by how much push falls with the gap, 0 */
  double damping;   /* N s/m, 0 */
} scree_law_contact;

/* Is given all contacts of such pairs at once and fills in what the law says, or, when the step has
 * ended, changes their `state`. A step that is tried again calls it again with the states of its
 * start: keep nothing elsewhere. States are part of checkpoints, the functions are not. What is not
 * SCREE_OK ends the step with this status. It must not change the world. */
typedef scree_status (*scree_law_function)(void *user, const scree_world *world, double h,
                                           size_t count, scree_law_contact *contacts);
/* Contacts are found as far away as the material's cohesion_range says. `end` may be null. */
SCREE_API void scree_world_set_law_function(scree_world *world, scree_law_function begin,
                                            scree_law_function end, void *user);

/* ---- prescribed motion ---------------------------------------------------------------------- */

typedef enum scree_motion_kind {
  SCREE_MOTION_CONSTANT, /* velocity and angular velocity */
  SCREE_MOTION_SINE,     /* those, and a swing about them: amplitude sin(2 pi frequency t + phase)
                            - amplitude sin(phase), so that it starts in place */
  SCREE_MOTION_TABLE,    /* places at given times, between them straight and by the shortest turn */
  SCREE_MOTION_FUNCTION  /* a function of time */
} scree_motion_kind;

/* Where a body is t seconds after its motion began: displacement (m) and rotation vector (axis
 * times angle, rad, world frame). It is taken relative to its value at t = 0, so that motions begin
 * in place. Called from one thread at a time; the same t must give the same numbers. */
typedef void (*scree_motion_function)(void *user, double t, double displacement[3],
                                      double rotation[3]);

/* A motion moves the body's frame from the pose that it has when it is added to the world. Time
 * runs from that moment. */
typedef struct scree_motion_def {
  uint32_t cookie; /* set by scree_motion_def_default */
  scree_motion_kind kind;
  double velocity[3];  /* m/s */
  double angular[3];   /* rad/s, world frame, about the body's origin */
  double amplitude[3]; /* m */
  double swing[3];     /* rad: axis times angle amplitude, world frame */
  double frequency;    /* Hz */
  double phase;        /* rad */
  /* Table: count times in ascending order (s), displacements (3 per time, m) and rotations (4 per
   * time, w x y z; null: none) from the first pose; copied. Before the first and after the last
   * time the body rests there, unless `repeat`: then the table starts again after its last time. */
  size_t count;
  const double *times;
  const double *displacements;
  const double *rotations;
  bool repeat;
  scree_motion_function function; /* function */
  void *function_user;
} scree_motion_def;

SCREE_API scree_motion_def scree_motion_def_default(void); /* constant, at rest */
SCREE_API scree_status scree_world_add_motion(scree_world *world, const scree_motion_def *def,
                                              scree_motion_id *id);

/* ---- bodies --------------------------------------------------------------------------------- */

typedef enum scree_body_kind {
  SCREE_BODY_DYNAMIC,
  SCREE_BODY_FIXED,
  SCREE_BODY_PRESCRIBED /* moves by its motion or by the velocity it is given, whatever it meets */
} scree_body_kind;

typedef struct scree_body_def {
  uint32_t cookie;      /* set by scree_body_def_default */
  scree_body_kind kind; /* default dynamic */
  scree_shape *shape;   /* retained by the world; null: collides with nothing */
  double position[3];   /* of the shape's frame, m */
  double rotation[4];   /* w x y z, any length but 0; default 1 0 0 0 */
  double velocity[3];   /* of the centre of mass, m/s */
  double angular[3];    /* rad/s, world frame */
  /* Mass of a dynamic body: from density (default 1000 kg/m^3), or `mass` when it is not 0 (then
   * the inertia is the shape's, scaled), or mass and inertia (xx xy xz yy yz zz about the centre of
   * mass, shape's axes, kg m^2) when the latter is not all 0; then `center` is the centre of mass
   * in the shape's frame. A body without shape needs the third form. */
  double density;
  double mass;
  double inertia[6];
  double center[3];
  scree_material_id material;
  double charge;          /* C */
  uint32_t category;      /* bits that it is; default 1 */
  uint32_t collides_with; /* bits that it meets; each must meet the other; default all */
  scree_motion_id motion; /* prescribed bodies; null: keeps the velocity given here */
  /* A point mass, as a node of a flexible part: contacts and joints do not turn it. It still needs
   * an inertia, of which nothing follows. */
  bool point;
} scree_body_def;

SCREE_API scree_body_def scree_body_def_default(void);
SCREE_API scree_status scree_world_add_body(scree_world *world, const scree_body_def *def,
                                            scree_body_id *id);
/* Removes its joints as well. */
SCREE_API scree_status scree_world_remove_body(scree_world *world, scree_body_id id);
/* No two of these bodies touch each other from now on, as if they were joined. Not a part of a
 * checkpoint: who builds the world anew says it again. */
SCREE_API scree_status scree_world_exclude(scree_world *world, size_t count,
                                           const scree_body_id *bodies);
SCREE_API bool scree_body_is_valid(const scree_world *world, scree_body_id id);

SCREE_API size_t scree_world_body_count(const scree_world *world);
SCREE_API size_t scree_world_dynamic_count(const scree_world *world);
/* Bodies that had come to rest and are left out of the steps (sleep_after in scree/stepper.h). They
 * wake when another body touches them, and when something that acts on them is changed; or by hand.
 */
SCREE_API size_t scree_world_asleep_count(const scree_world *world);
SCREE_API bool scree_body_is_asleep(const scree_world *world, scree_body_id body);
SCREE_API void scree_world_wake(scree_world *world);
/* One more than the largest index of a living body: for loops over scree_world_body_at. */
SCREE_API size_t scree_world_body_limit(const scree_world *world);
/* The body at an index, or null id when that place is free. */
SCREE_API scree_body_id scree_world_body_at(const scree_world *world, size_t index);

typedef struct scree_body_state {
  double position[3]; /* of the shape's frame */
  double rotation[4]; /* w x y z */
  double velocity[3]; /* of the centre of mass */
  double angular[3];  /* world frame */
} scree_body_state;

typedef struct scree_body_info {
  scree_body_kind kind;
  scree_shape *shape; /* not retained for the caller */
  scree_material_id material;
  double mass;                 /* kg, 0: not dynamic */
  double principal_inertia[3]; /* kg m^2 */
  double center[3];            /* centre of mass, world frame, m */
  double diameter;             /* of the ball of equal volume, m; infinite where it has none */
  double charge;
  uint32_t category, collides_with;
} scree_body_info;

SCREE_API scree_status scree_body_get_state(const scree_world *world, scree_body_id id,
                                            scree_body_state *state);
/* The same, of the image that is in the periodic box; where there is no box of the body itself. */
SCREE_API scree_status scree_body_get_shown_state(const scree_world *world, scree_body_id body,
                                                  scree_body_state *state);
SCREE_API scree_status scree_body_set_state(scree_world *world, scree_body_id id,
                                            const scree_body_state *state);
SCREE_API scree_status scree_body_get_info(const scree_world *world, scree_body_id id,
                                           scree_body_info *info);
/* A prescribed body follows this motion from now on; the null motion: it stops. */
SCREE_API scree_status scree_body_set_motion(scree_world *world, scree_body_id id,
                                             scree_motion_id motion);
/* All places at once, in the order of index, for recordings: `limit` bodies at most, arrays of
 * 3, 4, 3 and 3 numbers each (any may be null); free places read as NaN. Returns how many. */
SCREE_API size_t scree_world_get_states(const scree_world *world, size_t limit, double *positions,
                                        double *rotations, double *velocities, double *angulars);

/* The world's own arrays, without a copy: `limit` places in the order of index, those of removed
 * bodies among them (`alive` is 0 there). What is in them changes with every step. They are of the
 * centre of mass and its principal axes, which for sphere, ellipsoid, box, capsule, cylinder and
 * cone are the shape's frame; velocities are those of the middle of the last step. (What is shown
 * elsewhere, scree_world_get_states, is of the shape's frame and of the whole step.) Memory that
 * was handed out stays readable until the world is destroyed: when bodies that are added make the
 * arrays move, the old ones are filled with NaN and `alive` with 0. The world remembers that it has
 * views, hence no const. */
typedef struct scree_world_view {
  size_t limit;
  const double *positions;  /* 3 per body, m */
  const double *rotations;  /* 4 per body, w x y z */
  const double *velocities; /* 3 per body, m/s */
  const double *angulars;   /* 3 per body, rad/s */
  const double *masses;     /* kg; 0: not dynamic */
  const uint32_t *generations;
  const uint8_t *alive;
} scree_world_view;
SCREE_API scree_status scree_world_get_view(scree_world *world, scree_world_view *view);
/* Grows with every body or joint that is added or removed. */
SCREE_API uint64_t scree_world_revision(const scree_world *world);

/* ---- forces --------------------------------------------------------------------------------- */

/* A lasting force (N, at the centre of mass) and torque (N m), world frame, until set again. */
SCREE_API scree_status scree_body_set_force(scree_world *world, scree_body_id id,
                                            const double force[3], const double torque[3]);
/* Adds to what acts during the next step only. The force acts at `point` (world frame; null: at the
 * centre of mass). torque may be null. */
SCREE_API scree_status scree_body_add_force(scree_world *world, scree_body_id id,
                                            const double force[3], const double *point,
                                            const double *torque);
/* Called at the start of each step, to call scree_body_add_force. It must not add or remove. */
typedef void (*scree_force_function)(void *user, scree_world *world, double time, double h);
SCREE_API void scree_world_set_force_function(scree_world *world, scree_force_function function,
                                              void *user);

/* ---- links ---------------------------------------------------------------------------------- */

/* A link is a force between bodies that knows its derivatives: springs, elements of flexible parts
 * and the user's own. Its strains e(q) and their rates give stresses s = k e + c de/dt, and the
 * bodies feel -s' de/dq. Steppers for smooth motion take them implicitly with K = -df/dq and
 * R = -df/dv; the nonsmooth stepper takes each strain as a compliant row of the cone problem,
 * implicit too, so that any stiffness is stable. A user's own force acts there as it is at the
 * start of the step. */
typedef enum scree_link_kind {
  SCREE_LINK_SPRING,      /* two points; strain: their distance less `rest` */
  SCREE_LINK_BEAM,        /* two ends of a straight beam; large rotations, small strains */
  SCREE_LINK_TETRAHEDRON, /* four or ten bodies' centres of mass, linear or quadratic */
  SCREE_LINK_CABLE,       /* four bodies: two ends and the handles of their slopes */
  SCREE_LINK_SHELL,       /* three bodies that turn: a flat triangle of a thin shell */
  SCREE_LINK_DRAG,        /* one dynamic body, against the world: damping in proportion to mass */
  SCREE_LINK_USER,        /* one to ten bodies and a function */
  SCREE_LINK_KIND_COUNT
} scree_link_kind;

/* Law of a tetrahedron, of the principal stretches of its deformation. */
typedef enum scree_elastic {
  SCREE_ELASTIC_LINEAR,      /* Hooke's, in the stretch less 1: large rotations, small strains */
  SCREE_ELASTIC_NEO_HOOKEAN, /* rubber: large strains */
  SCREE_ELASTIC_COUNT
} scree_elastic;

enum { SCREE_LINK_BODIES = 10 }; /* of a link, at most */

/* What a user's function gets of each body of its link. */
typedef struct scree_link_body {
  double center[3];   /* of mass, m; world frame, as all of it */
  double rotation[4]; /* of the body's principal axes, w x y z */
  double velocity[3], angular[3];
} scree_link_body;
/* load: force at the centre of mass and torque, 6 per body. k and r, when they are not null: set to
 * -df/dq and -df/dv by rows, (6 count)^2 each (dq: displacement and small turn in the world frame),
 * and return true; or return false, and they are found by differences. Those that are given are
 * compared with differences now and then, and a warning is logged where they differ. Also called
 * for the same time again with other states: it must not depend on earlier calls. */
typedef bool (*scree_link_function)(void *user, double time, const scree_link_body *bodies,
                                    double *load, double *k, double *r);

typedef struct scree_link_def {
  uint32_t cookie; /* set by scree_link_def_default */
  scree_link_kind kind;
  /* Spring, beam: two, one of them may be null: the world. Tetrahedron: four corners, then, with
   * ten, the nodes on the edges 01 12 20 30 32 31; as they lie when it is added it is at rest.
   * Cable: an end, its handle, the other end, its handle. A handle lies at the end plus a length
   * times the slope; as the link is added, on the straight line from the first end to the second,
   * ahead of its end, at any distance from it. */
  scree_body_id body[SCREE_LINK_BODIES];
  size_t body_count;  /* tetrahedron: 4 or 10, 0 means 4; user: of them; the others know it */
  double point[2][3]; /* spring, beam: ends, in the world as the link is added */
  /* Spring: N/m, N s/m, m; rest below 0: the distance of the points as it is added. Drag: damping
   * alone; turns are damped by the same part of the body's inertia as displacements of its mass. */
  double stiffness, damping, rest;
  /* Beam: Young's and shear modulus (Pa), area (m^2), second moments of area about its own y and z
   * axis and the torsion constant (m^4). `up` lies in the plane of its x and z axes; zeros: any.
   * `shear_area` (m^2): of Timoshenko's beam; default 0: no shear (Euler, Bernoulli).
   * Tetrahedron: Young's modulus and Poisson's ratio. Cable: Young's modulus, area, inertia_y.
   * Shell: Young's modulus, Poisson's ratio, `thickness` (m). */
  double young, shear, poisson, area, inertia_y, inertia_z, torsion, shear_area, up[3];
  double thickness;
  double rayleigh; /* s: damping over stiffness of a beam, tetrahedron, cable or shell; default 0 */
  /* 1/s: damping over mass of the inertia that the link has of its own (see `consistent`), against
   * the world; a link of kind drag does the same for its body. Default 0. */
  double drag;
  scree_elastic elastic; /* tetrahedron; default linear */
  /* Tetrahedron, cable, shell: kg/m^3. `consistent`: the link has the consistent mass matrix of its
   * density, less the masses that its bodies must have of it, see scree_world_get_link_masses. A
   * cable always has. */
  double density;
  bool consistent;
  scree_link_function function;
  void *user;
} scree_link_def;

SCREE_API scree_link_def scree_link_def_default(void); /* a spring of 1000 N/m */
SCREE_API scree_status scree_world_add_link(scree_world *world, const scree_link_def *def,
                                            scree_link_id *id);
/* Masses that the bodies of a tetrahedron, cable or shell of def->density must have of it, kg, with
 * its bodies at `at` (3 per body): the lumped ones, or with def->consistent those that its own
 * inertia leaves. */
SCREE_API scree_status scree_world_get_link_masses(const scree_world *world,
                                                   const scree_link_def *def, const double *at,
                                                   double *masses);
SCREE_API scree_status scree_world_remove_link(scree_world *world, scree_link_id id);
SCREE_API bool scree_link_is_valid(const scree_world *world, scree_link_id id);
SCREE_API size_t scree_world_link_count(const scree_world *world);
SCREE_API size_t scree_world_link_limit(const scree_world *world);
SCREE_API scree_link_id scree_world_link_at(const scree_world *world, size_t index);
typedef struct scree_link_state {
  scree_link_kind kind;
  int rows; /* numbers below */
  /* Spring: m. Beam: stretch, sway y, sway z (m), twist, bend y, bend z (rad). Tetrahedron: stretch
   * less 1 as xx yy zz yz zx xy, along the axes of the world as it was at rest, mean over the
   * element. Cable: mean stretch less 1, then the curvature (1/m) at three points along it. Shell:
   * xx, yy, 2xy of its middle, x along its first side. */
  double strain[6];
  /* N or N m, with damping. Tetrahedron: Cauchy's, Pa, in the same order along the axes of the
   * world, mean over the element. Cable: tension (N), then bending moments. */
  double stress[6];
  double energy;                     /* J, elastic */
  double load[SCREE_LINK_BODIES][6]; /* on each body: force at the centre of mass, torque */
} scree_link_state;
SCREE_API scree_status scree_link_get_state(const scree_world *world, scree_link_id id,
                                            scree_link_state *state);

/* A hash of time, poses and velocities: equal bits give equal hashes. */
SCREE_API uint64_t scree_world_hash(const scree_world *world);

/* ---- energy --------------------------------------------------------------------------------- */

typedef struct scree_energy {
  double linear;    /* kinetic, of the centres of mass and of links' own inertia, J */
  double angular;   /* kinetic, of rotation */
  double potential; /* in the uniform gravity, zero at the origin */
  double pairwise;  /* gravitational and electrostatic pairs */
  double elastic;   /* of links */
} scree_energy;
/* Who gave energy to the moving bodies and who took it, J. Work of impulses on the mean of the
 * velocities before and after, so that the change of kinetic energy is exact; `error` is what is
 * left over: kinetic + potential - (motors + motions + forces) + (friction + impacts + joints +
 * numerical).
 * What takes is above 0; below 0 it gave, which only springs and numerical errors do. */
typedef struct scree_ledger {
  double kinetic, potential; /* change; potential with the pairwise and elastic one */
  double motors;             /* of joints */
  double motions;            /* prescribed ones */
  double forces;             /* loads set by the user */
  double friction;           /* tangential, rolling and spinning */
  double impacts;            /* normal, with overlap that is pushed apart */
  double joints;             /* held rows, springs of joints, dampers of links */
  double numerical;          /* what implicit steps take from swings of links (nonsmooth) */
  double error;
} scree_ledger;
/* Of the dynamic bodies. The pairwise part costs n^2 when there are such forces. */
SCREE_API scree_energy scree_world_get_energy(const scree_world *world);

#ifdef __cplusplus
}
#endif
#endif
