/* Scree, joints: what ties body b to body a. A joint holds some directions and leaves its
 * coordinates free, which may have limits, friction, a spring, a damper and a motor each.
 *
 *   scree_joint_def hinge = scree_joint_def_default();
 *   hinge.kind = SCREE_JOINT_HINGE;
 *   hinge.body_b = scree_world_body_at(world, 0);   // to the world, as body_a is null
 *   hinge.axis[0] = 1.0;  hinge.axis[2] = 0.0;
 *   scree_joint_id id;
 *   scree_world_add_joint(world, &hinge, &id);
 *
 * Formulas: docs/joints.md. Frames are given in the world at the moment the joint is added, and
 * then move with the bodies. */
#ifndef SCREE_JOINT_H
#define SCREE_JOINT_H

#include "scree/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_joint_id {
  uint32_t index, generation;
} scree_joint_id;

typedef enum scree_joint_kind {
  SCREE_JOINT_FIXED,
  SCREE_JOINT_BALL,           /* free: swing of the axis (limits alone), twist about it */
  SCREE_JOINT_HINGE,          /* free: turn about the axis */
  SCREE_JOINT_SLIDER,         /* free: slide along the axis */
  SCREE_JOINT_CYLINDRICAL,    /* free: slide along the axis, turn about it */
  SCREE_JOINT_UNIVERSAL,      /* free: turn about `axis` of a, turn about `axis_b` of b */
  SCREE_JOINT_PLANAR,         /* free: slides along x and y of the frame, turn about the axis */
  SCREE_JOINT_POINT_ON_LINE,  /* free: slide along the axis; all turns */
  SCREE_JOINT_POINT_ON_PLANE, /* free: slides along x and y of the frame; all turns */
  SCREE_JOINT_PARALLEL,       /* the axes stay parallel; free: turn about the axis; all else */
  SCREE_JOINT_DISTANCE,       /* of the two anchors, constant */
  SCREE_JOINT_ROPE,           /* the same, that pulls alone: `length` at most */
  SCREE_JOINT_STRUT,          /* nothing held; free: the distance of the two anchors */
  SCREE_JOINT_SCREW,          /* free: turn, with a slide of `pitch` m per turn */
  SCREE_JOINT_GEAR,           /* turn of b = ratio times turn of a, both seen from c */
  SCREE_JOINT_RACK_PINION,    /* slide of b along axis_b = ratio (m/rad) times turn of a */
  SCREE_JOINT_DIFFERENTIAL,   /* turns of a and b seen from the carrier c: their sum stays 0 */
  SCREE_JOINT_PULLEY,         /* |anchor - sheave| + ratio |anchor_b - sheave_b| <= length */
  SCREE_JOINT_CAM,            /* slide of b along axis_b = lift(turn of a), by a curve */
  SCREE_JOINT_POINT_ON_CURVE, /* anchor_b stays on a curve that is fixed in a */
  SCREE_JOINT_BUSHING,        /* nothing held; six springs and dampers in the frame of a */
  SCREE_JOINT_LEVER,          /* slide of b along axis_b = ratio times slide of a along axis */
  SCREE_JOINT_KIND_COUNT
} scree_joint_kind;

typedef enum scree_motor_kind {
  SCREE_MOTOR_NONE,
  SCREE_MOTOR_SPEED,   /* holds `value` (rad/s or m/s) with at most `limit` (N m or N) */
  SCREE_MOTOR_TORQUE,  /* applies `value` (N m or N) */
  SCREE_MOTOR_POSITION /* holds the position `value` (rad or m): rigidly, or by stiffness, damping
                        */
} scree_motor_kind;

enum { SCREE_JOINT_COORDINATES = 3 }; /* of a joint, at most */

/* What a free coordinate q (rad or m) has beside its freedom. Positive values turn or push body b
 * relative to body a about or along +axis. */
typedef struct scree_coordinate_def {
  double start;                /* q in the poses in which the joint is added; default 0 */
  double limits[2];            /* low <= q <= high; default none; turns are counted */
  double limit_restitution;    /* 0 … 1, default 0 */
  double limit_compliance;     /* rad/(N m) or m/N, default 0 */
  double friction;             /* dry: holds up to this, N m or N */
  double friction_coefficient; /* dry, over the reaction force of the joint: 1, or m for a turn */
  double damping;              /* N m s or N s/m */
  double stiffness, rest;      /* of a spring: N m or N/m; its rest position */
  double armature;             /* of a rotor that turns with q, kg m^2 or kg; default 0 */
  scree_motor_kind motor;
  double motor_value; /* speed, torque or target */
  double motor_rate;  /* by which that changes, per second, from when it was set; default 0 */
  double motor_limit; /* N m or N, default infinite */
  double motor_stiffness, motor_damping; /* of a position or speed motor; 0 and 0: rigid */
} scree_coordinate_def;

/* Zero is null: no curve. Curves are never removed. */
typedef struct scree_curve_id {
  uint32_t index;
} scree_curve_id;

/* A cubic spline with continuous curvature. Of three numbers per point (m, in the world when the
 * joint is added): a path; of two (angle in rad, ascending, and lift in m): the law of a cam, whose
 * last angle is the first one plus a whole turn when it is closed. */
typedef struct scree_curve_def {
  const double *points;
  size_t count;  /* of points, at least 2, closed: 3 */
  int dimension; /* 3 or 2 */
  bool closed;   /* the last point is joined to the first; of a cam they have the same lift */
} scree_curve_def;
SCREE_API scree_status scree_world_add_curve(scree_world *world, const scree_curve_def *def,
                                             scree_curve_id *id);
typedef struct scree_joint_def {
  uint32_t cookie; /* set by scree_joint_def_default */
  scree_joint_kind kind;
  scree_body_id body_a, body_b; /* one of them may be null: the world */
  scree_body_id body_c;         /* carrier of gears, racks, pulleys and cams; null: the world */
  double anchor[3];             /* m */
  double anchor_b[3];           /* m, of body b; not finite (the default): the same */
  double axis[3];               /* any length but 0; default 0 0 1 */
  double axis_b[3];             /* of body b; 0 0 0 (the default): the same; universal: across it */
  double sheave[3], sheave_b[3]; /* m, of a pulley, fixed in c */
  double ratio;                  /* gear, rack, pulley; default 1 */
  double pitch;                  /* of a screw, m per turn */
  double length; /* rope, distance, pulley; not finite (the default): that of the start */
  double stiffness[6], damping[6]; /* of a bushing: N/m, N s/m along x y z; N m/rad, N m s about */
  scree_curve_id curve;            /* cam, point on curve */
  scree_coordinate_def coordinate[SCREE_JOINT_COORDINATES]; /* in the order of the kind's list */
  double compliance;   /* m/N of the held linear rows, default 0 */
  double break_force;  /* N: the joint breaks after a step with more; default infinite */
  double break_torque; /* N m */
  bool collide;        /* do the two bodies touch each other? default no */
  bool apart;          /* b's anchor and axis need not meet a's yet: scree_world_assemble */
} scree_joint_def;

SCREE_API scree_joint_def scree_joint_def_default(void);
SCREE_API scree_status scree_world_add_joint(scree_world *world, const scree_joint_def *def,
                                             scree_joint_id *id);
SCREE_API scree_status scree_world_remove_joint(scree_world *world, scree_joint_id id);
SCREE_API bool scree_joint_is_valid(const scree_world *world, scree_joint_id id);
SCREE_API size_t scree_world_joint_count(const scree_world *world);
SCREE_API size_t scree_world_joint_limit(const scree_world *world);
SCREE_API scree_joint_id scree_world_joint_at(const scree_world *world, size_t index);
/* The name of a kind as scenes have it; null: there is none. How many coordinates it has, and
 * whether one of them is a turn (rad) or a slide (m). */
SCREE_API const char *scree_joint_kind_name(scree_joint_kind kind);
SCREE_API int scree_joint_kind_coordinates(scree_joint_kind kind);
SCREE_API bool scree_joint_kind_turns(scree_joint_kind kind, int coordinate);
/* How many coordinates a joint has; 0 too where there is no such joint. */
SCREE_API int scree_joint_coordinates(const scree_world *world, scree_joint_id id);
/* The motor of the first coordinate; its gains stay. */
SCREE_API scree_status scree_joint_set_motor(scree_world *world, scree_joint_id id,
                                             scree_motor_kind motor, double value, double limit);
/* What the motor of a coordinate is to follow from now on: value + rate (t - now). */
SCREE_API scree_status scree_joint_set_target(scree_world *world, scree_joint_id id, int coordinate,
                                              double value, double rate);
/* The whole motor of a coordinate: kind, value, rate, limit, stiffness, damping of `def`. */
SCREE_API scree_status scree_joint_set_coordinate_motor(scree_world *world, scree_joint_id id,
                                                        int coordinate,
                                                        const scree_coordinate_def *def);
typedef struct scree_joint_state {
  double force[3];  /* on body b at its anchor, of what is held and of limits, mean of the last
                       step, N, world frame */
  double torque[3]; /* on body b, N m */
  double motor;     /* of the first coordinate, as its position and speed */
  double position;
  double speed;
  double error;       /* of the held linear rows, m */
  double angle_error; /* of the held angular ones, rad */
  bool broken;
} scree_joint_state;
SCREE_API scree_status scree_joint_get_state(const scree_world *world, scree_joint_id id,
                                             scree_joint_state *state);
/* Of one coordinate: efforts are means of the last step, N m or N, positive along +q on body b. */
typedef struct scree_coordinate_state {
  double position;                       /* rad, turns counted, or m */
  double speed;                          /* rad/s or m/s */
  double motor, friction, spring, limit; /* spring: with its damper */
  double power;                          /* of the motor, W */
} scree_coordinate_state;
SCREE_API scree_status scree_joint_get_coordinate(const scree_world *world, scree_joint_id id,
                                                  int coordinate, scree_coordinate_state *state);
/* Degrees of freedom in the poses at hand. A redundant row is one that others imply. */
typedef struct scree_freedom {
  size_t joints;
  size_t rows, redundant; /* held ones, and the redundant ones of these */
  size_t freedom;         /* 6 per dynamic body, less the rows that count; contacts are not in it */
  size_t uncounted_joints; /* of machines with so many that they were not counted */
} scree_freedom;
/* `rows` of the `held` ones of a joint follow from joints before it. */
typedef void (*scree_redundant_function)(void *user, scree_joint_id joint, int rows, int held);
SCREE_API scree_status scree_world_count_freedom(const scree_world *world,
                                                 scree_redundant_function visit, void *user,
                                                 scree_freedom *freedom);
/* Moves the dynamic bodies by as little as is needed, weighed by mass, for all joints to hold,
 * those made `apart` too; before the first step. SCREE_ERROR_INPUT: limits of `worst` exclude it.
 */
typedef struct scree_fit {
  double misfit_before, misfit; /* the largest error of a joint, m; of a turn: by the size */
  double moved, turned;         /* the most of a body, m, rad */
  scree_joint_id worst;         /* whose error is the largest */
  bool closed;                  /* false: no place was found, and nothing was moved */
} scree_fit;
SCREE_API scree_status scree_world_assemble(scree_world *world, scree_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
