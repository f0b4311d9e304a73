/* Kinematics of joints. A kind is one file with its rows, and one row in the list below.
 *
 * A row is a function psi(q, t) of the bodies' places with its derivative, exact on and off the
 * places where psi is 0:
 *
 *   psi' = sum over the sides a, b, c of  linear . v + angular . w
 *
 * Held rows are to stay 0; coordinates are free, and their value is what limits, springs and motors
 * are about. v is the velocity of the centre of mass (of the world: nothing), w that of turning.
 *
 *   a point x of side s, direction d fixed in side a:   d . (x_b - x_a)
 *      on b: d, (x_b - c_b) x d        on a: -d, -(x_b - c_a) x d      (a's arm reaches to b's
 * point) what depends on the turn of b as seen from a: on b d, on a -d, with w = w_b - w_a. */
#ifndef SCREE_MODEL_JOINTS_JOINTS_H
#define SCREE_MODEL_JOINTS_JOINTS_H

#include "model/world.h"

enum { SIDE_A, SIDE_B, SIDE_C };
enum { FRAME_A, FRAME_B, FRAME_CA, FRAME_CB };
enum { JOINT_ROWS = 6 };

typedef struct joint_view {
  const joint *data;
  const world_curve *curve; /* null: none */
  pose frame[JOINT_FRAMES]; /* in the world; z is the axis */
  v3 center[JOINT_SIDES];   /* centres of mass; the world: its origin */
} joint_view;

typedef struct joint_row {
  v3 linear[JOINT_SIDES], angular[JOINT_SIDES];
  double value; /* psi, rad where `turn`, else m */
  bool turn;
} joint_row;

/* Which members of a definition a kind of joint uses. */
enum {
  JOINT_USES_AXIS = 1,
  JOINT_USES_AXIS_B = 2,
  JOINT_USES_ANCHOR_B = 4,
  JOINT_USES_C = 8,
  JOINT_USES_RATIO = 16,
  JOINT_USES_PITCH = 32,
  JOINT_USES_LENGTH = 64,
  JOINT_USES_SHEAVES = 128,
  JOINT_USES_PATH = 256,
  JOINT_USES_LIFT = 512,
  JOINT_USES_STIFFNESS = 1024
};

/* What held rows are made of: see joint_bends. */
typedef enum joint_bend {
  JOINT_BEND_OTHER, /* something else too */
  JOINT_BEND_POINT, /* joint_hold_point alone */
  JOINT_BEND_AXIS,  /* the same, then joint_hold_axis */
  JOINT_BEND_TURN   /* the same, then joint_hold_turn */
} joint_bend;

typedef struct joint_class {
  const char *name;                    /* as in scene files */
  int held;                            /* rows that are always 0 */
  int coordinates;                     /* free ones, that motors, limits and springs act on */
  bool turns[SCREE_JOINT_COORDINATES]; /* such a coordinate is an angle, not a length */
  unsigned uses;                       /* JOINT_USES_…: what of scree_joint_def it reads */
  bool limits_only; /* its first coordinate has no direction at 0: no motor, spring or friction */
  bool pulls;       /* its first coordinate is at most `length` */
  int angles;       /* that are counted */
  joint_bend bend;
  int first_point, points;                                           /* of joint_hold_point */
  void (*rows)(const joint_view *view, joint_row *rows);             /* null: nothing is held */
  void (*coordinate)(const joint_view *view, int k, joint_row *row); /* null: none */
  void (*angle)(const joint_view *view, int k, joint_row *row);      /* within a turn */
} joint_class;

#define JOINT_LIST(X)                                                                              \
  X(FIXED, joint_fixed)                                                                            \
  X(BALL, joint_ball)                                                                              \
  X(HINGE, joint_hinge)                                                                            \
  X(SLIDER, joint_slider)                                                                          \
  X(CYLINDRICAL, joint_cylindrical)                                                                \
  X(UNIVERSAL, joint_universal)                                                                    \
  X(PLANAR, joint_planar)                                                                          \
  X(POINT_ON_LINE, joint_point_on_line)                                                            \
  X(POINT_ON_PLANE, joint_point_on_plane)                                                          \
  X(PARALLEL, joint_parallel)                                                                      \
  X(DISTANCE, joint_distance)                                                                      \
  X(ROPE, joint_rope)                                                                              \
  X(STRUT, joint_strut)                                                                            \
  X(SCREW, joint_screw)                                                                            \
  X(GEAR, joint_gear)                                                                              \
  X(RACK_PINION, joint_rack_pinion)                                                                \
  X(DIFFERENTIAL, joint_differential)                                                              \
  X(PULLEY, joint_pulley)                                                                          \
  X(CAM, joint_cam)                                                                                \
  X(POINT_ON_CURVE, joint_point_on_curve)                                                          \
  X(BUSHING, joint_bushing)                                                                        \
  X(LEVER, joint_lever)

#define JOINT_DECLARE(kind, symbol) extern const joint_class symbol;
JOINT_LIST(JOINT_DECLARE)
#undef JOINT_DECLARE
extern const joint_class *const joint_classes[SCREE_JOINT_KIND_COUNT];

static inline const joint_class *joint_class_of(const joint *j) {
  return joint_classes[j->kind];
}
/* The target of the motor of a coordinate at a time. */
static inline double joint_motor_value(const joint_coordinate *c, double time) {
  return c->motor_value + c->motor_rate * (time - c->motor_since);
}
joint_view joint_view_of(const scree_world *world, const joint *j);
/* begin.c: lengths, and unless it is made `apart` limits, in the poses at hand. */
scree_status joint_begin(const scree_world *world, const scree_joint_def *def, joint *j);
/* The same with bodies in other poses, by body. */
joint_view joint_look_at(const joint *j, const scree_world *world, const pose *poses);
/* The held rows; returns how many. Those of a bushing are its six springs' (joint_springs). */
int joint_held_rows(const joint_view *view, joint_row *rows);
/* A coordinate with its start added, turns counted. */
joint_row joint_coordinate_row(const joint_view *view, int k);
/* psi' of a row for twists of the bodies: arrays by body. */
double joint_row_speed(const joint *j, const joint_row *row, const v3 *linear, const v3 *angular);

/* ---- for the kinds -------------------------------------------------------------------------- */

v3 joint_axis(pose frame, int axis);
/* What b's frame, or side `to`, does as seen from frame `from`: w = w_to - w_from along d. */
joint_row joint_turn_row(int from, int to, v3 d, double value);
/* Origin of frame `to` along a direction that is fixed in frame `from`. */
joint_row joint_point_row(const joint_view *view, int from, int to, v3 d);
/* Origin of frame b on the lines or planes of frame a: axes first … first + count - 1. */
void joint_hold_point(const joint_view *view, int first, int count, joint_row *rows);
/* The two frames stay parallel: 3 rows. Their z axes do: 2 rows. */
void joint_hold_turn(const joint_view *view, joint_row *rows);
void joint_hold_axis(const joint_view *view, joint_row *rows);
/* The turn of frame `to` about z of frame `from`, within (-pi, pi]. */
joint_row joint_twist_row(const joint_view *view, int from, int to);
/* That of b in a, for kinds that have no other angle: an `angle` of joint_class. */
void joint_twist(const joint_view *view, int k, joint_row *out);
/* The distance of two origins. */
joint_row joint_length_row(const joint_view *view, int from, int to);
/* An angle of the kind with turns counted. */
joint_row joint_angle_row(const joint_view *view, int k);
/* bend.c: k = -d(D lambda)/dq of the held rows over the sides a and b, for any places; false: the
 * kind has rows of another make. */
bool joint_bends(const joint_view *view, const double *lambda, double k[12][12]);
/* sum += factor row */
void joint_row_add(joint_row *sum, double factor, const joint_row *row);

#endif
