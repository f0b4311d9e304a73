/* A point on the path of solutions of the proximal problems of a centre c,
 *
 *   N g + r + a D (g - c) = u,   g and u by Coulomb's law,
 *
 * as the weights a of some blocks fall. Impulses and velocities of a block are held in one vector,
 * z = g - u / D: every z obeys the law (split), and what is left to be met are the equations above.
 *
 * Plain Coulomb cones of three rows only, exact model. Shared by prox_path.c and prox_follow.c. */
#ifndef SCREE_SOLVE_NEWTON_PROX_WALK_H
#define SCREE_SOLVE_NEWTON_PROX_WALK_H

#include "solve/newton/active_set.h"
#include "solve/solver.h"

typedef struct prox_walk {
  solve_run *run;
  ccp_operator *op;
  active_set *set;
  const sparse_blocks *n;
  /* Rows; g is run->g. */
  double *z, *u, *velocity, *centre, *push, *change, *applied, *left, *correction;
  double *tangent;                   /* of z, by the logarithm of the falling weights */
  double *heading, *kept, *foretold; /* the tangent forward; the last point; the step from there */
  double *start, *safe;              /* z to go back to: after a jump, after a region */
  double *weight, *base;             /* blocks: a, and where the walk began */
  double *falls;                     /* blocks: 1 where a falls, else 0 */
  double *mark, *held, *scratch;     /* blocks: where steps fail; left out; to spread marks */
  uint32_t *part, *stack;            /* blocks: number of the failed region; to find them */
  double dilatancy;         /* u_n = dilatancy mu |u_T| where blocks slide; u has u_n less that */
  double dilatancy_base;    /* where the walk began */
  bool dilates;             /* the dilatancy falls, not the weights */
  double least_allowed;     /* share of the reference speed */
  double accuracy, allowed; /* share of the proximal term; the residual it allows, m/s */
  long *iteration, last;
  long patience;    /* iterations without halving the run's best merit */
  long follow_most; /* linearisations to follow one region */
  double mark_merit;
  bool ended; /* the run, or its patience */
} prox_walk;

enum { WALK_OPEN, WALK_STICKS, WALK_SLIPS };
static inline int walk_state(const double *z, double mu) {
  if (!(z[0] > 0.0)) return WALK_OPEN;
  return z[1] * z[1] + z[2] * z[2] <= mu * mu * z[0] * z[0] ? WALK_STICKS : WALK_SLIPS;
}

static inline double walk_mu(const prox_walk *w, size_t block) {
  return ccp_set(w->op->problem, block)->mu;
}

/* g and u of z. */
void walk_split(prox_walk *w);
/* mu |u_T| of a block. */
double walk_slip(const prox_walk *w, size_t block);
/* Back to a point that was left. */
void walk_return(prox_walk *w, const double *z);
/* left = what the equations miss, `allowed` for it; returns the largest. */
double walk_residual(prox_walk *w);
/* The equations linearised at z, and factored; counts as an iteration of the run. */
scree_status walk_linearise(prox_walk *w);
/* The change of z that a push makes. */
void walk_change(prox_walk *w, const double *push, double *dz);
/* Weights after falling by e^-depth from where the walk began; or the dilatancy. */
void walk_weigh(prox_walk *w, double depth);
/* Newton steps at the present weights. *met: the equations are. */
scree_status walk_newton(prox_walk *w, int most, bool *met, double *residual);
/* Is it time to judge? */
static inline bool walk_due(const prox_walk *w) {
  return solve_due(w->run, *w->iteration);
}
/* Judges g as a solution of the problem itself. True: the run is over. */
bool walk_judge(prox_walk *w, double *residual);

/* Follows the path around its turning points (prox_follow.c), until the weights have fallen by
 * e^-goal, for at most so many linearisations. *depth: how far; *there: it got so far. */
scree_status walk_follow(prox_walk *w, double goal, long most, double *depth, bool *there);

/* Depth over dilatancy: a length of the follower that suits weights suits it too. */
static const double walk_dilatancy_depth = 5.0;

#endif
