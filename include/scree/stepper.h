/* Scree, stepper: moves a world through time. A step finds the contacts, states the cone problem,
 * solves it and moves the bodies; what happened is in scree_step_info, and nothing is hidden there.
 *
 *   scree_stepper *stepper;       scree_stepper_create(world, NULL, &stepper);
 *   scree_step_info info;         scree_stepper_step(stepper, 0.005, &info);
 *
 * The same world gives the same bits for any number of threads. */
#ifndef SCREE_STEPPER_H
#define SCREE_STEPPER_H

#include "scree/contact.h"
#include "scree/joint.h"
#include "scree/model.h"
#include "scree/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_stepper scree_stepper;

typedef enum scree_on_nonconverged {
  SCREE_ON_NONCONVERGED_CONTINUE, /* go on with the best iterate, and count the step */
  SCREE_ON_NONCONVERGED_RETRY,    /* the retry solver, then parts of the step, then go on */
  SCREE_ON_NONCONVERGED_STOP      /* leave the world as it was; info.advanced is false */
} scree_on_nonconverged;

typedef enum scree_clock {
  SCREE_CLOCK_WALL, /* wall time */
  SCREE_CLOCK_CPU /* the processor's time of the thread that steps: what a machine of its own would
                     show; other programs do not count */
} scree_clock;

/* How steps are made. A scene's section `solver` has keys of the same names, and lands here. */
typedef struct scree_stepper_def {
  uint32_t cookie;           /* set by scree_stepper_def_default */
  const char *stepper;       /* default "nonsmooth" */
  const char *solver;        /* null: "auto" */
  scree_model model;         /* default coulomb, the exact law; info says which one was
                                solved: relaxed where the named solver has no other */
  double tolerance_residual; /* on R, default 1e-3 */
  /* On R while bodies move, default 0: the same. Then R may reach a fifth of their rms speed over
   * the reference speed, between tolerance_residual and this: what rests is solved well, and
   * impacts are not solved better than they are known. */
  double tolerance_moving;
  double tolerance_error; /* on E; default 0: none */
  long iteration_limit;   /* a step; default 1000 */
  long check_interval; /* iterations between residual checks; default 0: as the solver sees fit */
  double time_budget; /* s per step, all of it: search for contacts, solves, looks; default 0: none.
                         What it has no time for is left out and reported (hurried). Not
                         reproducible */
  scree_clock budget_clock; /* of the budget, and of the seconds in info; default wall */
  double budget_from; /* s of simulated time: steps before it take the time that they need, as what
                         comes to rest before it is driven over; default 0 */
  bool warm_start;    /* default true */
  double warm_start_scale; /* default 1 */
  double stabilisation;    /* factor of overlap removed per step, (0, 1], default 1 */
  double recovery_speed;   /* m/s, most that overlap is removed with; default 0: half of
                              sqrt(|g| diameter of the smaller body); without gravity 1e-4 of the
                              diameter per step and a tenth of the speed of their surfaces */
  double margin;           /* contacts are seen from this fraction of the smaller diameter, plus
                              what the two may approach in a step; default 0.1 */
  double sleep_after;      /* s that bodies that press on each other are still before they are left
                              out of the steps, until another body touches them; default 0: never */
  double sleep_speed; /* m/s, of surfaces that are still; default 0: 0.002 sqrt(|g| diameter) */
  double sleep_load; /* above 0: bodies sleep one by one among others that move, each until its load
                        changes by this part of its weight; default 0: as whole islands */
  scree_on_nonconverged on_nonconverged; /* default retry */
  const char *retry_solver;              /* null: "auto" */
  long retry_iteration_limit;            /* default 3 iteration_limit */
  long retry_halvings;                   /* default 0; 3: a step may become 8 */
  double retry_share; /* default 0.5: retries of a run together take no more work than this part of
                         what its first solves took, and 20 iteration_limit; what is spent in vain
                         counts twice; see scree_solve_info.work */
} scree_stepper_def;

SCREE_API scree_stepper_def scree_stepper_def_default(void);
/* def null: the default. The world must outlive the stepper. */
SCREE_API scree_status scree_stepper_create(scree_world *world, const scree_stepper_def *def,
                                            scree_stepper **stepper);
SCREE_API void scree_stepper_destroy(scree_stepper *stepper);
/* The stepper's own name in the list. */
SCREE_API const char *scree_stepper_get_name(const scree_stepper *stepper);
/* The solver in use, by its name in the list; of a smooth stepper its linear solver. */
SCREE_API const char *scree_stepper_solver_name(const scree_stepper *stepper);
/* An option of the solver, by its table. */
SCREE_API scree_status scree_stepper_set_solver(scree_stepper *stepper, const char *key,
                                                const char *value);

/* An option of the stepper, by its table. */
SCREE_API scree_status scree_stepper_set(scree_stepper *stepper, const char *key,
                                         const char *value);
/* The list: i from 0 to scree_stepper_count() - 1. Smooth ones integrate jointed bodies and links
 * with their joints held at places; they have no hard contacts. */
SCREE_API size_t scree_stepper_count(void);
SCREE_API const char *scree_stepper_name(size_t i);
SCREE_API const char *scree_stepper_summary(size_t i);
SCREE_API bool scree_stepper_is_smooth(size_t i);
SCREE_API const scree_option_def *scree_stepper_options(size_t i, size_t *count);

/* The linear solvers of smooth steppers (their option linear_solver). */
SCREE_API size_t scree_linear_solver_count(void);
SCREE_API const char *scree_linear_solver_name(size_t i);
SCREE_API const char *scree_linear_solver_summary(size_t i);

/* The sheet: every stepper with every solver, those of cone problems (scree/solver.h) and the
 * linear ones; i from 0 to scree_pair_count() - 1. `scree list sheet` prints it. */
typedef struct scree_pair {
  const char *stepper, *solver;
  bool linear;         /* a linear solver */
  bool works;          /* else the reason says why not and what does */
  bool contacts;       /* hard contacts with friction */
  bool exact;          /* by the exact law */
  bool joints;         /* machines */
  bool elements;       /* flexible parts */
  bool elements_alone; /* nothing else: it refuses worlds without them */
  bool redundant;      /* rows that depend on each other */
  const char *size;    /* what it is for */
  const char *reason;
} scree_pair;
SCREE_API size_t scree_pair_count(void);
SCREE_API scree_pair scree_pair_at(size_t i);

typedef struct scree_step_info {
  bool advanced;         /* false: the world is where it was (stop) */
  bool converged;        /* every solve of the step met its tolerance */
  scree_outcome outcome; /* of the worst solve */
  scree_model model;     /* the one solved */
  size_t contacts;       /* near ones included */
  size_t touching;       /* contacts with an impulse */
  size_t joints;
  size_t rows;
  long iterations;            /* of all solves of the step */
  int solves;                 /* 1, more after retries and looks */
  int retries;                /* solves that were made because another had not converged */
  const char *method;         /* what ended the last solve (scree_solve_info); "" without one */
  int looks;                  /* times that contacts were searched again, as those found before did
                                 not stand for all that the step led to: impacts handed on, and
                                 bodies that turn far in a step */
  int parts;                  /* 1; more when the step was made in parts: not converged at once, or
                                 a pair would have been through each other on the way */
  size_t impacts;             /* bounces in the step */
  double impact_loss;         /* J of kinetic energy that they took */
  bool impacts_left;          /* more bounces than a step has rounds for: these do not bounce */
  int unresolved;             /* parts accepted although a pair may be through each other: as short
                                 as parts get, or the looks used up */
  bool hurried;               /* the time budget ended a solve, or left out a retry or a look */
  double residual;            /* R, worst over solves */
  double error;               /* E */
  double penetration;         /* worst overlap at the start of the step, m */
  double penetration_percent; /* worst, of the diameter of the smaller body of its contact */
  double penetration_speed;   /* worst approach speed left after the solve, m/s */
  double relaxation_gap;      /* m/s, scree/ccp.h; 0 in the exact model, where it means nothing */
  double lift_percent;        /* relaxed model: how far sliding contacts are pushed apart in the
                                 step, worst, of the diameter of the smaller body */
  size_t lifted;              /* contacts pushed apart by more than 0.1 % */
  double joint_error;         /* worst drift of a joint at the start of the step, m */
  double joint_error_percent; /* worst, of the joint's size: its longest arm, the radius of its
                                 bodies (of gyration at least) or the length of a bar; not of smooth
                                 steppers */
  /* Rows of joints that others imply and that contradict each other, which they do in small terms
   * of the motion: the least of it was left, by which the joint is apart most, m. 0: they agree. */
  double joint_contradiction;
  scree_joint_id contradicted_joint;
  double turning;         /* rad, smooth steppers: how far motion bends in a step or part: by the
                             change of a body's velocity of turning, or the turn of an element */
  double turning_allowed; /* up to which the stepper's order is worth 1 % (order 1) or 0.1 %; 0 of
                             nonsmooth */
  scree_energy energy;    /* after the step */
  scree_ledger ledger;    /* of the step */
  size_t asleep;          /* bodies, after the step (sleep_after) */
  size_t damped_bodies; /* held by joints under a load that the step cannot follow: their fast modes
                           are damped (numerical damping) */
  double seconds_collide, seconds_assemble, seconds_solve, seconds_integrate;
  double seconds; /* all of it */
} scree_step_info;

/* Advances by h seconds. info may be null. A failed status leaves the world as it was. */
SCREE_API scree_status scree_stepper_step(scree_stepper *stepper, double h, scree_step_info *info);
SCREE_API size_t scree_stepper_step_count(const scree_stepper *stepper);

/* ---- equilibrium and small swings ------------------------------------------------------------ */

typedef struct scree_equilibrium_def {
  uint32_t cookie;  /* set by scree_equilibrium_def_default */
  long iterations;  /* at most; default 5000 */
  double tolerance; /* of what is left of forces, of the largest; default 1e-10 */
} scree_equilibrium_def;
typedef struct scree_equilibrium_info {
  bool converged;
  long iterations;
  double residual;
} scree_equilibrium_info;
SCREE_API scree_equilibrium_def scree_equilibrium_def_default(void);
/* Moves the bodies to where forces, links and joints balance, at rest; contacts are left out. Not
 * converging is reported in info, with the world where it came to. def and info may be null. */
SCREE_API scree_status scree_world_find_equilibrium(scree_world *world,
                                                    const scree_equilibrium_def *def,
                                                    scree_equilibrium_info *info);
/* The `count` lowest small swings about the world's state, as if it were at rest: frequencies in
 * Hz, ascending; negative: unstable, growing at 2 pi times that. shapes (null: left out): count
 * times 6 per dynamic body in the order of their places (displacement of the centre of mass, turn).
 * Where joints leave fewer, frequencies beyond these are NaN and shapes 0. The world is left as it
 * was. */
SCREE_API scree_status scree_world_find_modes(scree_world *world, size_t count, double *frequencies,
                                              double *shapes, bool *converged);

/* Contacts of the last step: fills at most `capacity` and returns how many there are. */
SCREE_API size_t scree_stepper_get_contacts(const scree_stepper *stepper, size_t capacity,
                                            scree_contact *contacts);
/* One of them, k below what the call above returns. */
SCREE_API scree_contact scree_stepper_get_contact(const scree_stepper *stepper, size_t k);
/* Sum over the contacts of a body in the last step: force (N) on it and torque about its origin. */
SCREE_API scree_status scree_stepper_get_contact_force(const scree_stepper *stepper,
                                                       scree_body_id body, double force[3],
                                                       double torque[3]);
/* The cone problem of the last solve and the impulses found (scree_ccp_row_count of them), to save
 * or to study; they live until the next step. */
SCREE_API const scree_ccp *scree_stepper_problem(const scree_stepper *stepper);
SCREE_API const double *scree_stepper_impulses(const scree_stepper *stepper);

/* Everything that a step depends on, as bytes: restored into a world that was built in the same way
 * (same shapes, materials, motions) the run goes on with the same bits. Bodies and joints that were
 * added or removed since are part of it. */
SCREE_API size_t scree_stepper_save_size(const scree_stepper *stepper);
SCREE_API scree_status scree_stepper_save(const scree_stepper *stepper, void *blob, size_t size);
/* The same bytes piece by piece, so that no copy of the state is held. */
SCREE_API scree_status scree_stepper_write(const scree_stepper *stepper, scree_write_function write,
                                           void *user);
/* Checks everything first; on failure nothing has changed. */
SCREE_API scree_status scree_stepper_restore(scree_stepper *stepper, const void *blob, size_t size);

#ifdef __cplusplus
}
#endif
#endif
