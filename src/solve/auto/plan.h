/* The plan of each class of problems: its stages, in order. The run goes on to the next stage where
 * one did not end it. */
#ifndef SCREE_SOLVE_AUTO_PLAN_H
#define SCREE_SOLVE_AUTO_PLAN_H

#include "solve/auto/classify.h"

typedef enum auto_method {
  AUTO_PROX,
  AUTO_APGD,
  AUTO_AGS,
  AUTO_IPM,
  AUTO_DIRECT,
  AUTO_CONDENSE,
  AUTO_LEMKE,
  AUTO_METHODS,
  AUTO_GLIDE = AUTO_METHODS /* AGS or APGD, what needs fewer iterations on the problem */
} auto_method;

typedef enum auto_stage_kind {
  AUTO_END,         /* no more stages */
  AUTO_SWEEP_ALL,   /* plain sweeps to the end */
  AUTO_SWEEP,       /* sweeps until something else is estimated to be cheaper; islands apart */
  AUTO_SWEEP_AGAIN, /* as far as Newton steps of many exact contacts need them */
  AUTO_ISLANDS,     /* each island of a large step by what suits it; `method` is the next one */
  AUTO_METHOD_RUN,  /* `method`, for `budget` */
  AUTO_TURNS        /* Newton steps; in turns with sweeps (exact), or followed by ipm (relaxed) */
} auto_stage_kind;

/* How long a method may go on before the next stage has its turn. */
typedef enum auto_budget {
  AUTO_TO_THE_END,
  AUTO_AS_NEWTON, /* what auto_newton_price Newton steps cost */
  AUTO_AS_REST,   /* what Newton steps, or ipm, are estimated to cost from here on */
  AUTO_FOR_REST,  /* auto_rest_patience iterations */
  AUTO_FOR_STICK  /* auto_stick_patience iterations */
} auto_budget;

typedef struct auto_stage {
  auto_stage_kind kind;
  auto_method method;
  auto_budget budget;
  /* From this stage on the tolerance is the given one; before it a stack at rest is
   * brought further. */
  bool as_asked;
  const char *reason; /* what the solver says of its choice; null: as of the stage before */
} auto_stage;

enum { AUTO_STAGES = 5 };
/* All stages of a class, AUTO_END after the last. */
const auto_stage *auto_plan(auto_class class);
/* What a stage does, in a word or two. */
const char *auto_stage_text(const auto_stage *stage);

#endif
