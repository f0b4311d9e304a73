/* What steppers share. A stepper is one file with a stepper_class and one row in stepper_list.h. */
#ifndef SCREE_STEP_STEPPER_H
#define SCREE_STEP_STEPPER_H

#include "assemble/assembler.h"
#include "scree/stepper.h"

typedef struct stepper_class {
  const char *name;
  const char *summary;
  /* One step; info is zeroed. On failure the world is where it was. */
  scree_status (*step)(scree_stepper *stepper, double h, scree_step_info *info);
  const scree_option_def *options;
  size_t option_count; /* at most STEPPER_OPTIONS */
  bool smooth;         /* motion without hard contacts, joints at places */
  bool at_middle;      /* smooth, and the forces of a step alone act in it: not those of its ends */
  /* All four or none: what it keeps besides, in stepper->data. `save` returns the size; bytes null:
   * only that. `restore` comes after the world's part. */
  scree_status (*create)(scree_stepper *stepper);
  void (*destroy)(scree_stepper *stepper);
  size_t (*save)(const scree_stepper *stepper, void *bytes);
  scree_status (*restore)(scree_stepper *stepper, const void *bytes, size_t size);
} stepper_class;

enum { STEPPER_OPTIONS = 24 };

struct scree_stepper {
  scree_context *context;
  scree_world *world;
  const stepper_class *class;
  scree_stepper_def def; /* its texts are not kept */
  scree_solver *solver, *retry_solver;
  scree_solver *whole_solver; /* on several ranks: for what is solved whole on each; or null */
  const char *solver_name;    /* in the list of solvers */
  assembler *assembler;
  double option[STEPPER_OPTIONS]; /* of the class */
  void *data;
  size_t step_count;
  uint64_t first_work, retry_work; /* of first solves, and of those made again */
  /* The time budget of a step: when it began, when solves are to end (0: there is none), what is
   * kept for what follows them, s, and when the last one was to end. */
  double began, deadline, reserve, solve_end;
  bool behind;             /* the budget was too little lately */
  scree_contact *gathered; /* contacts of all ranks, where they were asked for */
  size_t gathered_count;
  size_t advances;       /* of sweeps in this step, beyond what is usual */
  long retry_iterations; /* of solves of this step that were made again */
  char *snapshot;        /* retry: the state at the start of the step */
};

/* whole.c: on several ranks, is the problem of the step solved whole on each? And its solution. */
bool step_is_whole(const scree_stepper *s, bool retry);
scree_status step_solve_whole(scree_stepper *s, const assembler_params *params,
                              const scree_solve_settings *settings, scree_solve_info *out);
/* contacts.c: of several ranks, those of all on each, until the next step. All call it. */
scree_status stepper_gather_contacts(scree_stepper *stepper);

/* integrate.c: bodies move by their new twists; dynamic ones carry their angular momentum. */
void step_integrate(scree_world *world, double h, const v3 *linear, const v3 *angular,
                    const uint8_t *shared);

#endif
