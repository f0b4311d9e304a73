/* What the steppers of smooth motion share: one system, one linear solver, and for the implicit
 * ones Newton's method on
 *
 *   M a+ = (f + D lambda)+                   psi(q+) + C lambda+ = 0
 *   b+ = (1 + w) a+ - w a + s (a - b)
 *   q+ = q exp(h v + p0 b + p1 b+)           v+ = v + r0 b + r1 b+
 *
 * with the unknowns a+ and lambda+. The methods differ in the six numbers alone. */
#ifndef SCREE_STEP_SMOOTH_SMOOTH_H
#define SCREE_STEP_SMOOTH_SMOOTH_H

#include "step/smooth/contact.h"
#include "step/smooth/system.h"
#include "step/stepper.h"

typedef struct smooth_method {
  int order;
  double blend, spread;  /* w, s */
  double place0, place1; /* p0, p1 */
  double rate0, rate1;
  bool project; /* without damping velocities across joints would ring, and the ringing grow: they
                   are projected after each step, and accelerations found anew */
  double error; /* local error of the places over h^2 (b+ - b); 0: not known */
  double slip;  /* part of the end in the mean velocity of slips, see penalty_law */
  bool places;  /* Newton's method keeps places, and a+ follows from them */
} smooth_method;

typedef enum newton_matrix {                  /* when a new one is made */
                             NEWTON_ADAPTIVE, /* each step, and where corrections fall slowly */
                             NEWTON_FULL,     /* each iteration */
                             NEWTON_MODIFIED  /* each step */
} newton_matrix;

typedef struct smooth_newton {
  newton_matrix matrix;
  long iterations;
  double
      tolerance;   /* on corrections of places, over the body's radius of gyration; of turns, rad */
  double absolute; /* on corrections of places, m, and of turns, rad; 0: none */
} smooth_newton;

typedef struct penalty_work { /* J, by springs of contacts; each part of a step by its ends */
  double normal, tangent;     /* taken by their dampers and by friction */
  double stored, given;       /* more in springs; by bodies with a given motion */
} penalty_work;

typedef struct smooth {
  smooth_system system;
  linear_solver linear;
  uint64_t counted; /* pattern of the matrix for which `redundant` is known */
  bool redundant;   /* rows of joints depend on each other */
  double part;      /* s: that an error-controlled step goes on with; 0: none yet */
  pose *pose;       /* of the start of the whole step, to come back to */
  v3 *twist;
  double *keep;     /* a0, b0, lambda0 */
  double *v, *more; /* room, 6 per body */
  smooth_contacts contacts;
  penalty_law penalty; /* of this step; young 0: none */
  double penalty_step; /* s, of the next evaluation; 0: at what was kept */
  penalty_work work;   /* of the step so far */
  uint64_t prepared;   /* pattern of the matrix that the linear solver has */
  size_t touching;     /* contacts in it */
  char *contact_bytes; /* contacts at the start of the whole step */
  size_t contact_size;
} smooth;

/* Members of stepper_class that all steppers of this family share. */
scree_status smooth_create(scree_stepper *stepper);
void smooth_destroy(scree_stepper *stepper);
size_t smooth_save(const scree_stepper *stepper, void *bytes);
scree_status smooth_restore(scree_stepper *stepper, const void *bytes, size_t size);

/* Opens the step: the system at the world's state, with a0 and lambda0. */
scree_status smooth_begin(scree_stepper *stepper, double h, scree_step_info *info,
                          smooth_power *power);
/* Springs of contacts at the world's state, dt after what was kept, on top of f; and the last of
 * these as the state of the contacts, after a part of dt. */
scree_status smooth_push(scree_stepper *stepper, double dt, double *f);
void smooth_keep_contacts(smooth *m, double dt);
/* Ends it: report and ledger. `power` is that of the start. */
void smooth_end(scree_stepper *stepper, double h, const scree_energy *before,
                const smooth_power *power, scree_step_info *info);
/* The same after a step of one part whose contacts were those of its start. */
scree_status smooth_end_explicit(scree_stepper *stepper, double h, int order,
                                 const scree_energy *before, const smooth_power *power,
                                 scree_step_info *info);
/* Of the end of a step or part of h s, whose velocities are in the world: turning.c. */
void smooth_note_turning(const smooth_system *s, double h, int order, scree_step_info *info);

typedef smooth_method smooth_method_of(const scree_stepper *stepper, double h);
/* A whole step of an implicit method, in parts where Newton's method fails or the error is too
 * large. */
scree_status smooth_implicit(scree_stepper *stepper, double h, smooth_method_of *method,
                             scree_step_info *info);

/* ---- options that several have --------------------------------------------------------------- */

#define SMOOTH_OPTION_LINEAR                                                                       \
  {                                                                                                \
    .key = "linear_solver", .type = SCREE_OPTION_CHOICE, .choices = LINEAR_NAMES, .unit = "",      \
    .help = "one of `scree list linear-solvers`"                                                   \
  }
#define SMOOTH_OPTIONS_NEWTON                                                                      \
  SMOOTH_OPTION_LINEAR,                                                                            \
      {.key = "newton",                                                                            \
       .type = SCREE_OPTION_CHOICE,                                                                \
       .choices = "adaptive|full|modified",                                                        \
       .unit = "",                                                                                 \
       .help = "a new matrix for each step and where corrections fall slowly, at each "            \
               "iteration, or for each step alone"},                                               \
      {.key = "iterations",                                                                        \
       .type = SCREE_OPTION_INT,                                                                   \
       .fallback = 20,                                                                             \
       .minimum = 1,                                                                               \
       .maximum = 1000,                                                                            \
       .unit = "",                                                                                 \
       .help = "most of Newton's in a step"},                                                      \
      {.key = "tolerance",                                                                         \
       .type = SCREE_OPTION_REAL,                                                                  \
       .fallback = 1e-11,                                                                          \
       .minimum = 1e-15,                                                                           \
       .maximum = 1.0,                                                                             \
       .unit = "",                                                                                 \
       .help = "on the last correction of places, of a body's radius of gyration, and of turns"},  \
      {.key = "absolute",                                                                          \
       .type = SCREE_OPTION_REAL,                                                                  \
       .fallback = 0,                                                                              \
       .minimum = 0,                                                                               \
       .maximum = 1.0,                                                                             \
       .unit = "m, rad",                                                                           \
       .help = "a last correction of all places and turns below this is enough too; 0: off"},      \
      {.key = "error",                                                                             \
       .type = SCREE_OPTION_REAL,                                                                  \
       .fallback = 0,                                                                              \
       .minimum = 0,                                                                               \
       .maximum = 1.0,                                                                             \
       .unit = "",                                                                                 \
       .help = "local error allowed, of a body's radius of gyration: the step is then made in "    \
               "parts of the length that it needs; 0: as it is given"},                            \
      SMOOTH_OPTION_CONTACT
#define SMOOTH_OPTION_CONTACT                                                                      \
  {.key = "contact",                                                                               \
   .type = SCREE_OPTION_CHOICE,                                                                    \
   .choices = SMOOTH_CONTACT_NAMES,                                                                \
   .unit = "",                                                                                     \
   .help = "bodies that touch: an error, let through, or pushed by springs (Hertz and Mindlin)"},  \
      {.key = "young",                                                                             \
       .type = SCREE_OPTION_REAL,                                                                  \
       .fallback = 1e7,                                                                            \
       .minimum = 1.0,                                                                             \
       .maximum = 1e13,                                                                            \
       .unit = "Pa",                                                                               \
       .help = "modulus of these springs' material"},                                              \
  {                                                                                                \
    .key = "poisson", .type = SCREE_OPTION_REAL, .fallback = 0.3, .minimum = 0.0, .maximum = 0.49, \
    .unit = "", .help = "its ratio of Poisson"                                                     \
  }

/* By its key in the stepper's table. */
double smooth_option(const scree_stepper *stepper, const char *key);
/* `more`, with what two rooms give: a stepper_class of the family. */
/* middle: see stepper.h. */
#define SMOOTH_CLASS(title, about, table, function)                                                \
  SMOOTH_CLASS_AT(title, about, table, function, false)
#define SMOOTH_CLASS_AT(title, about, table, function, middle)                                     \
  {                                                                                                \
    .name = title, .summary = about, .options = table,                                             \
    .option_count = sizeof table / sizeof *table, .smooth = true, .at_middle = middle,             \
    .create = smooth_create, .destroy = smooth_destroy, .save = smooth_save,                       \
    .restore = smooth_restore, .step = function                                                    \
  }

#endif
