/* What solvers share: the class each declares, the run each is handed, and the monitor that judges
 * iterates, keeps the best, watches limits and notices stalls. A solver is one file that defines a
 * solver_class and one row in solver_list.h. */
#ifndef SCREE_SOLVE_SOLVER_H
#define SCREE_SOLVE_SOLVER_H

#include "ccp/operator.h"
#include "scree/solver.h"
#include "solve/existence/infeasible.h"

typedef struct solve_run solve_run;

/* What free rows contradict each other by: no impulse changes u in them, as impulses d = u / n
 * along the rows move nothing, n the diagonal of N. Row by row. */
typedef struct solve_contradiction {
  double *u, *d;
  bool found; /* in the last solve, which ended as stalled */
} solve_contradiction;

typedef struct solver_class {
  const char *name;
  const char *summary;
  const scree_option_def *options;
  size_t option_count;
  bool coulomb;        /* offers the exact model */
  bool flows;          /* and sets with a flow of their own in it, which have no potential */
  bool projects;       /* uses only the operations of sets, so it takes a user's own */
  bool patient;        /* progress comes late and at once: the stall rule waits longer */
  bool spreads;        /* over ranks: everything it decides comes from reduced sums */
  bool judges_start;   /* run judges run->g as iterate 0 where nobody has: solve_is_new */
  size_t vector_count; /* row vectors of workspace, allocated before run */
  /* Null when it can take the problem, else why not. May be null: takes everything. */
  const char *(*refuse)(const scree_ccp *problem, scree_model model);
  /* Iterates until solve_check says stop; ends with solve_finish or by returning. */
  scree_status (*run)(solve_run *run);
  /* Frees run->state, which a solver may keep from one solve to the next. May be null. */
  void (*release)(scree_context *context, void *state);
} solver_class;

/* Where the best iterate is. */
typedef enum best_place {
  BEST_IN_ROWS,  /* run->best */
  BEST_IN_G,     /* run->g, which sweeps leave alone as long as all is inside */
  BEST_IN_LANES, /* run->best, as op_sweep_keep put it there */
} best_place;

/* scree_solver_solve as a part of another call: an answer to stop holds for all of that. */
scree_status solver_solve(scree_solver *solver, const scree_ccp *problem,
                          const scree_solve_settings *settings, double *g, scree_solve_info *info);
/* The same for the problem that this solver solved last, of which nothing but offsets have changed:
 * what was made of its matrix is used again. */
scree_status solver_solve_again(scree_solver *solver, const scree_ccp *problem,
                                const scree_solve_settings *settings, double *g,
                                scree_solve_info *info);
/* Of the last solve, where the problem asks for it; null: it found none. */
const solve_contradiction *solver_contradiction(const scree_solver *solver);

struct solve_run {
  scree_context *context;
  ccp_operator *op;
  const solver_class *class;
  const scree_solve_settings *settings;
  scree_model model;
  const double *option; /* values, in the order of the class's table */
  double *g;            /* the start, feasible; on return the monitor's best is used */
  double **vector;      /* class->vector_count of row_count entries each */
  void **state;

  /* The monitor. */
  double *best;
  size_t best_room; /* doubles of best, from which on op_sweep_keep may be used; may be 0 */
  best_place best_place;
  scree_residual best_residual;
  bool adopted;       /* by solve_adopt: better than none whatever R says */
  bool best_balanced; /* it counts the equation of motion of a global problem */
  double merit;       /* of the last check: max of E / tolerance and R / tolerance; <= 1: solved */
  double best_merit;
  long strives; /* iterations that it goes on after meeting the tolerance; 0: none; see monitor.c */
  long met_iteration; /* where the best merit first was at most 1 */
  long iterations, products;
  double work;           /* see scree_solve_info */
  double iteration_work; /* of an iteration of the method at work */
  long iteration_base;   /* iterations of the method that handed the run over */
  long next_check;
  double change, change_ratio; /* of the last sweep, m/s; R over it at the last check */
  long mark_iteration;         /* stall: what the merit was at an earlier iteration */
  double mark_merit, mark_size;
  double start_time;
  infeasible_work *infeasible; /* the solver's, kept between solves */
  solve_contradiction *contradiction;
  long suspect_iteration; /* when to ask next whether impulses grow without end */
  double suspect_size, suspect_peak, suspect_residual;
  bool first_order; /* the named method is one, which another may take over from: hand_over.h */
  bool creeps;      /* it stalled, and another method may not */
  bool ended;
  scree_outcome outcome;
  const char *method; /* what ended it, scree/solver.h */
  char detail[sizeof((scree_solve_info *)0)->detail];
};

double run_option(const solve_run *run, const char *key);
/* All option values at once, in the order of the class's table. */
void solver_take_options(scree_solver *solver, const double *option);

/* Is its time up, or does the caller want it to end? The check that is due then ends it. */
bool solve_is_over(const solve_run *run);
/* Is a residual due at this iteration? Sweeps, for which it costs a product, call this first. */
bool solve_due(const solve_run *run, long iteration);
/* The same where the largest change of a block over its eta, m/s, is at hand: it tells when a check
 * is worth its price. */
bool solve_due_hint(solve_run *run, long iteration, double change);
/* Judges g (u = N g + r if at hand, else null), keeps it if it is the best so far. True: stop now;
 * the outcome is set. */
bool solve_check(solve_run *run, long iteration, const double *g, const double *u);
/* Takes g as the best whatever was better before: where only a part of the blocks was worked at, R,
 * the worst of all, does not tell that it is. */
bool solve_adopt(solve_run *run, long iteration, const double *g);
/* Is it a step with a time budget, which may be over at the first check? */
bool solve_has_little_time(const solve_run *run);
/* Then some sweeps, which are better than the impulses of the step before: a time limit may end the
 * run before anything else does any good. True: stop now. */
bool solve_secure(solve_run *run);
/* Has no iterate been judged yet? */
bool solve_is_new(const solve_run *run);
/* Judges run->g as iterate 0. */
bool solve_check_start(solve_run *run);
/* op_sweep_begin at run->g, which is judged if the run is new. */
bool solve_begin_sweeps(solve_run *run);
/* The same where the residual of g in the run's model is at hand (op_residual_contacts). */
bool solve_check_judged(solve_run *run, long iteration, const double *g,
                        const scree_residual *contacts);
/* The same of the impulses that a sweep keeps inside (op_sweep_inside); they are stored in run->g.
 * vector[0] is scratch. */
bool solve_check_sweep(solve_run *run, long iteration);
/* The same, but the impulses may be in the operator's own layout instead of run->g; call
 * solve_end_sweeps before run->g is used. */
bool solve_check_inside(solve_run *run, long iteration);
/* The best iterate is in rows from here on. */
void solve_end_sweeps(solve_run *run);
/* A direction d along which impulses may grow without end: ends the run as infeasible if it proves
 * that. */
bool solve_prove_infeasible(solve_run *run, const double *d);
/* Plain sweeps, first_order/sweeps.c: what every problem can be given to. */
scree_status sweeps_run(solve_run *run);
/* Ends the run for a reason of the solver's own; the format fills info.detail, null leaves it empty
 * (printing is the most expensive part of a solve of a few microseconds). */
void solve_finish(solve_run *run, scree_outcome outcome, const char *format, ...)
    SCREE_PRINTF(3, 4);

#endif
