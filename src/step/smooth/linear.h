/* Linear solvers of the systems that steppers of smooth motion state:
 *
 *   [ A   D ]     A: blocks over bodies, its symmetric part positive definite (for steps small
 *   [ D' -C ]     enough), C >= 0 diagonal; rows of D' may depend on each other
 *
 * A solver is one file with a linear_class and one row in the list. All give, where rows depend on
 * each other and the system has a solution, the multipliers of least norm to their accuracy, in
 * the norm |l|^2 = sum of l_j'P_j l_j over joints, P_j = D_j'A_bb^-1 D_j: (twice the) energy that a
 * joint's reaction alone would give its bodies, whatever the units and axes of its rows. */
#ifndef SCREE_STEP_SMOOTH_LINEAR_H
#define SCREE_STEP_SMOOTH_LINEAR_H

#include "base/context.h"
#include "base/memory.h"

/* Nodes 0 … bodies - 1 have 6 rows, the others those of a joint. Block k of node i, in
 * start[i] … start[i + 1] - 1 with ascending neighbours, begins at value[offset[k]], by rows. */
typedef struct kkt_matrix {
  size_t nodes, bodies, size; /* size: scalar rows */
  uint32_t *rows;             /* of a node */
  size_t *start;
  uint32_t *neighbour;
  size_t *offset, *first; /* first: scalar row of a node; nodes + 1 */
  double *value;
  size_t value_count;
  uint64_t pattern; /* changes with the pattern */
  bool independent; /* rows of joints are known not to depend on each other */
} kkt_matrix;

/* The block (i, j), or null. */
double *kkt_block(const kkt_matrix *m, uint32_t i, uint32_t j);
/* y = A x */
void kkt_multiply(const kkt_matrix *m, const double *x, double *y);
/* y = (A + A')/2 x */
void kkt_multiply_symmetric(const kkt_matrix *m, const double *x, double *y);

enum { KKT_MOST_ROWS = 12 }; /* of a joint */
/* The block of a positive definite stand-in: A = L D L' with |D|, pivots that vanish replaced by
 * the largest entry of the diagonal; in its lower half L |D|^1/2. Of the symmetric part of A_bb. */
void kkt_factor_block(size_t n, size_t stride, double *a);
void kkt_body_factor(const kkt_matrix *m, uint32_t body, size_t stride, double *l);
void kkt_solve_block(size_t n, size_t stride, const double *l, double *x);
/* P_j of a joint's node, by rows, with that of A_bb; a little is added where its own rows depend on
 * each other. */
void kkt_joint_norm(const kkt_matrix *m, uint32_t node, double *block);
/* rest = b - A x; returns its size over that of the terms that its sums have, the larger of the
 * parts of bodies and of joints. */
double kkt_residual(const kkt_matrix *m, const double *b, const double *x, double *rest);

/* Do all entries have their mirror image, to `tolerance` of the row's diagonal? */
bool kkt_symmetric(const kkt_matrix *m, double tolerance);

/* points.c: bodies whose turns stand alone, and the matrix without these turns. */
typedef struct kkt_points {
  kkt_matrix left;       /* shares nodes and neighbours with the whole matrix */
  size_t count, entries; /* 0: `left` is the whole matrix */
  bool *point, *before;  /* of a body; before: when `left` got its pattern */
  double *turn;          /* 9 per body: inverse of the block of its turns */
  uint32_t *rows;
  size_t *first, *offset;
  double *value;
  uint64_t whole, pattern; /* of the matrix that it was made for, and of `left` */
} kkt_points;
scree_status kkt_points_find(scree_context *context, const kkt_matrix *m, kkt_points *points);
void kkt_points_clear(scree_context *context, kkt_points *points);
/* The rows of a right side that are left; and the solution from theirs, with the right side in x.
 */
void kkt_points_take(const kkt_points *p, const kkt_matrix *m, const double *x, double *left);
void kkt_points_give(const kkt_points *p, const kkt_matrix *m, const double *left, double *x);

/* glue.c: glue[i] is the body that joint i can be eliminated with, or i; of a body i. And whether
 * the values allow it: rows of all joints glued to a body do not depend on each other. */
scree_status kkt_glue(scree_context *context, const kkt_matrix *m, uint32_t *glue);
bool kkt_glue_holds(const kkt_matrix *m, const uint32_t *glue, uint32_t body);

typedef enum linear_sign { LINEAR_UNKNOWN, LINEAR_POSITIVE, LINEAR_INDEFINITE } linear_sign;

typedef struct linear_class {
  const char *name;
  const char *summary;
  bool symmetric; /* sees the symmetric part alone; a Newton method still converges, slower */
  bool large;     /* memory and time about linear in size for chains and trees */
  scree_status (*create)(scree_context *context, void **self);
  void (*destroy)(void *self);
  /* New values, maybe a new pattern. */
  scree_status (*prepare)(void *self, const kkt_matrix *m);
  /* x: right side in, solution out. *residual: |b - A x| / |b|, each part by its own size. */
  scree_status (*solve)(void *self, const kkt_matrix *m, double *x, double *residual);
  /* Of the matrix prepared last; null: it cannot tell. */
  linear_sign (*sign)(const void *self);
} linear_class;

typedef struct linear_solver {
  scree_context *context;
  const linear_class *class;
  void *self;
} linear_solver;

size_t linear_count(void);
const linear_class *linear_at(size_t i);
/* By its place in the list. */
scree_status linear_create(scree_context *context, size_t i, linear_solver *out);
void linear_destroy(linear_solver *linear);

#endif
