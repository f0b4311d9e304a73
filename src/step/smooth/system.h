/* A world of jointed bodies as a differential algebraic system of index 3, for steppers of smooth
 * motion:
 *
 *   M(q) a = f(q, v, t) + D(q) lambda        psi(q, t) = 0        dpsi/dt = D'v + …
 *
 * Unknowns: 6 per dynamic body (displacement of the centre of mass and turn, world frame), then the
 * rows of the joints. The state that is tried lies in the world itself; `pose0` and `v0` are that
 * of the start of the step. The matrix of all methods is
 *
 *   [ A   D ] [  x ]      A = m M + r R + k K (with the derivatives of M a and D lambda)
 *   [ D' -C ] [ -l ]      of small blocks: one node per body and per joint */
#ifndef SCREE_STEP_SMOOTH_SYSTEM_H
#define SCREE_STEP_SMOOTH_SYSTEM_H

#include "model/holds.h"
#include "step/smooth/linear.h"

enum { SMOOTH_NONE = UINT32_MAX };

typedef struct smooth_row {
  uint32_t body[JOINT_SIDES]; /* ranks; SMOOTH_NONE: not an unknown */
  double c[JOINT_SIDES][6];
  double error, stiffness, damping;
  double given; /* rate of psi by bodies with a given motion, less that of a target that moves */
  double rate;  /* that of the target */
  hold_kind kind;
  bool motor, angular;
} smooth_row;

typedef struct smooth_system {
  scree_context *context;
  scree_world *world;
  uint64_t revision;
  bool known; /* the pattern has been made */
  bool heavy; /* links have inertia of their own: M is not one block per body */
  size_t bodies, joints, rows;
  uint32_t *body, *rank; /* rank -> place in the world; place -> rank */
  uint32_t *joint;       /* node -> place in the world */
  size_t *joint_row;     /* node -> its first row; joints + 1 */
  smooth_row *row;
  kkt_matrix matrix;
  double *stiff; /* room: the part of the matrix that is K */
  pose *pose0;   /* of all places in the world, at the start of the step */
  v3 *given0;    /* 2 per place: velocities there, of prescribed bodies */
  double time0;
  double *v0, *a0, *a, *b0, *f, *step; /* 6 per body; step: displacement and turn in the step; b0:
                                          the blend of accelerations that a method goes on with */
  double *lambda0, *lambda;            /* a row */
  double *x, *load;                    /* room: all unknowns; bodies.limit loads as doubles */
  double *rates;                       /* room: a row */
  double *seen; /* 13 per body: its state after the last step, to notice that it was set since */
  scree_status (*more_forces)(void *user,
                              double *f); /* more forces for accelerations; null: none */
  void *more_user;
  /* More pairs for the pattern, and blocks of forces for the matrix; null: none. */
  void (*more_pairs)(void *of, world_visit_pair *visit, void *user);
  void (*more_blocks)(void *of, world_visit_block *visit, void *user);
  void *more_of;
  uint64_t made; /* changes with bodies and joints */
  double part;   /* of gravity, loads and motors that acts: 1 */
  bool started;  /* a0 and lambda0 belong to the world's state */
} smooth_system;

/* The inertia that links have of their own, one entry after the other: m couples the places of the
 * bodies of two ranks. Begins with zeros; system_next_mass returns false after the last entry. */
typedef struct smooth_mass {
  double m;             /* kg */
  uint32_t row, column; /* ranks */
  size_t link;          /* of the next entry, as the pair of its bodies */
  uint32_t pair;
} smooth_mass;
bool system_next_mass(const smooth_system *s, smooth_mass *at);

/* Weights of a matrix: A = mass M + rate R + place K. */
typedef struct smooth_weights {
  double mass, rate, place;
  bool geometric; /* with -d(D lambda)/dq and, times mass, d(M a)/dq */
  bool turns;     /* unknowns are turns of the whole step's, see system_matrix */
} smooth_weights;

typedef struct smooth_power { /* W, on the dynamic bodies */
  double forces, motors, motions, dampers;
  double springs; /* J, in soft rows */
} smooth_power;

/* matrix.c: the pattern, at need with new pairs. */
scree_status kkt_make_pattern(smooth_system *s);
void system_init(smooth_system *s, scree_world *world);
void system_clear(smooth_system *s);
/* Brings the pattern up to date and takes the world's state as the start of a step. Refuses what
 * smooth motion cannot have. *again: bodies or joints came or went, or a body was set. */
scree_status system_begin(smooth_system *s, bool *again);
/* The world at time0 + dt: bodies at their start moved by `step` (6 per body), with velocities v.
 */
void system_put(smooth_system *s, double dt, const double *step, const double *v);
/* The world as it was at the start. */
void system_back(smooth_system *s);
/* Keeps what the step has come to: a, lambda, and the state that the next one will look for. */
void system_accept(smooth_system *s, double h);
/* Forces and rows at the world's state. */
void system_forces(smooth_system *s, double *f);
void system_rows(smooth_system *s);
/* y += D x (6 per body from rows); M a; rates D'v + given of a row. */
void system_add_loads(const smooth_system *s, const double *lambda, double *y);
void system_mass(const smooth_system *s, const double *a, double *y);
double system_rate(const smooth_system *s, size_t row, const double *v);
/* A soft row: lambda = -stress(row). */
static inline double row_stress(const smooth_row *row, double rate) {
  return row->stiffness * row->error + row->damping * rate;
}
/* Fills the matrix at the world's state. With `turns` the unknown of a body's turn is the small
 * turn at the end of the step, of which accelerations are T^-1 (math/tangent.h): `step` has the
 * turn. Equations of soft rows are divided by k place + c rate, so that C = 1/(k place + c rate); a
 * row where that is 0 is out. */
void system_matrix(smooth_system *s, const smooth_weights *weights);
/* Velocities that keep to the joints (nearest in M), then accelerations and multipliers. *loss: of
 * kinetic energy by the first, J. */
scree_status system_start(smooth_system *s, linear_solver *linear, double *loss);
/* The same for the state that a step has come to, h its length. */
scree_status system_renew(smooth_system *s, linear_solver *linear, double h);
/* a and lambda that solve M a = f + D lambda, d^2 psi/dt^2 = -2 w dpsi/dt - w^2 psi (w: `pull`,
 * 1/s) with the system put at `dt`, `step` and v; it is there afterwards too. */
scree_status system_accelerations(smooth_system *s, linear_solver *linear, double dt,
                                  const double *step, const double *v, double pull, double *a,
                                  double *lambda);
smooth_power system_power(smooth_system *s, const double *v, const double *lambda);
double system_joint_error(const smooth_system *s);

size_t system_save(const smooth_system *s, void *bytes);
scree_status system_restore(smooth_system *s, const void *bytes, size_t size);

#endif
