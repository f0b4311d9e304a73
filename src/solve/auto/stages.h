/* The stages of a plan (plan.h) at work. Each begins from run->g and leaves the run ended, or at
 * its best iterate for the next stage. */
#ifndef SCREE_SOLVE_AUTO_STAGES_H
#define SCREE_SOLVE_AUTO_STAGES_H

#include "solve/auto/plan.h"
#include "solve/core.h"
#include "solve/islands.h"
#include "solve/newton/mass_path.h"

enum { AUTO_VECTORS = 16 };

/* What the methods keep from one solve to the next, and their vectors: made when first needed, for
 * a simulation whose sweeps always suffice pays for none. */
typedef struct auto_state {
  void *kept[AUTO_METHODS];
  double *vector[AUTO_VECTORS];
  islands islands;
  core core;
  mass_path masses;
} auto_state;

typedef struct auto_work {
  solve_run *run;
  auto_state *state;
  auto_facts facts;
  auto_ways way;    /* what sweeps may be left for */
  char reason[100]; /* why they were */
  long turns;       /* of Newton steps and sweeps */
  bool lifted;      /* stalls are not looked for until Newton steps begin */
  long stall;       /* mark_iteration before that */
} auto_work;

scree_status auto_run_sweeps(auto_work *w);
void auto_run_sweeps_again(auto_work *w);
scree_status auto_run_islands(auto_work *w, const auto_stage *stage);
scree_status auto_run_method(auto_work *w, const auto_stage *stage);
scree_status auto_run_turns(auto_work *w);
/* Are there islands, none of them nearly all of it? */
bool auto_falls_apart(auto_work *w);
/* A method that may give up: the run then goes on from the best iterate. */
/* What AUTO_GLIDE stands for. */
const char *auto_glide_name(const auto_facts *f);
void auto_clear(scree_context *context, auto_state *state);

#endif
