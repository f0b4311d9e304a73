/* What kind of problem a run has, for the automatic choice: facts that follow from the problem and
 * its tolerances, never from a clock, and the class that they make. plan.h says what is done with
 * each class. */
#ifndef SCREE_SOLVE_AUTO_CLASSIFY_H
#define SCREE_SOLVE_AUTO_CLASSIFY_H

#include "solve/solver.h"

/* X(NAME, "what it is, as the log says it") */
#define AUTO_CLASS_LIST(X)                                                                         \
  X(OPAQUE, "sets of a user's own")                                                                \
  X(DILATANT, "sets with a flow of their own")                                                     \
  X(ELASTIC, "flexible parts")                                                                     \
  X(MACHINE, "joints, motors and stops")                                                           \
  X(STEP_FEW_GRAINS, "some grains, warm")                                                          \
  X(STEP_SMALL, "small, warm")                                                                     \
  X(STEP_JOINED, "joined bodies, small, warm")                                                     \
  X(STEP_GRAINS, "many grains, warm")                                                              \
  X(STEP_STACK, "a large stack, warm")                                                             \
  X(STEP_TUMBLING, "a large stack that tumbles, warm")                                             \
  X(STEP_RESTING, "a large relaxed stack at rest, warm")                                           \
  X(STEP_SWAYING, "a large relaxed stack, warm")                                                   \
  X(STEP_STICKING, "a large exact stack in which hardly anything slides, warm")                    \
  X(STEP_SLIDING, "a large exact stack that slides, warm")                                         \
  X(HUGE_RELAXED, "relaxed, too large for Newton steps")                                           \
  X(HARD, "many contacts of bodies with exact friction")                                           \
  X(GENTLE, "contacts of bodies")                                                                  \
  X(PLAIN, "any other")

typedef enum auto_class {
#define AUTO_CLASS_ENUM(name, text) AUTO_##name,
  AUTO_CLASS_LIST(AUTO_CLASS_ENUM)
#undef AUTO_CLASS_ENUM
      AUTO_CLASS_COUNT
} auto_class;

const char *auto_class_text(auto_class class);

typedef struct auto_facts {
  size_t blocks, contacts; /* contacts of bodies, 0 in other forms */
  bool relaxed;            /* the model */
  bool warm;               /* a step of a simulation, as a rule */
  bool loose;              /* no tolerance is below 1e-5 */
  bool bodies;             /* the form */
  bool stacked;            /* many bodies touch each other in several contacts, as boxes do */
  bool grains;             /* contacts alone, not stacked */
  bool joined;             /* not contacts alone */
  bool elastic;            /* flexible parts, as `condense` takes them */
  bool machine;
  bool opaque;  /* sets that can be projected on and no more: they are swept */
  bool dilates; /* sets with a flow of their own, exact: for sweeps and Newton steps alone */
  bool newton;  /* small enough for Newton steps */
  bool little;  /* AUTO_COARSE blocks at most, AUTO_SMALL of stacks with exact friction */
} auto_facts;

auto_facts auto_look(const solve_run *run);
/* A stack that is warm is STEP_STACK: what it is besides, its start decides. */
auto_class auto_classify(const auto_facts *f);
/* R of the start; `fresh`: there are no impulses to start from; `rests`: it is to be brought to
 * auto_rest_tolerance. */
auto_class auto_classify_stack(const auto_facts *f, double residual, bool fresh, bool rests);

/* A loose tolerance on a large problem: how many Newton steps a packing takes cannot be estimated
 * (the active set may churn), so there they must wait. */
bool auto_is_coarse(const auto_facts *f);
/* Problems of bodies: gradient steps cost little more than sweeps, and easy packings need few of
 * them; exact ones of grains are swept with extrapolation. */
bool auto_is_gentle(const auto_facts *f);
/* Do sweeps with extrapolation need fewer iterations than gradient steps? Bodies that are not
 * stacked.
 */
bool auto_is_swept(const auto_facts *f);
/* Relaxed, with many moments: the active set of Newton steps churns there. */
bool auto_wants_interior(const auto_facts *f, const ccp_operator *op);

/* What sweeps may be left for, and how many more were estimated when they were. */
typedef struct auto_ways {
  bool newton, gradient;
  double left;
} auto_ways;

/* Is it time to leave the sweeps, having made `done`, with an estimate of `left` to come? */
bool auto_should_leave(const solve_run *run, const auto_facts *f, auto_ways way, double done,
                       double left);

#endif
