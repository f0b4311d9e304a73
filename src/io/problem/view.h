/* A problem as FCLIB would store it: contacts of one dimension first, equality rows after, and for
 * bodies the degrees of freedom that move. Says which rows go where and whether anything is lost by
 * that. */
#ifndef SCREE_IO_PROBLEM_VIEW_H
#define SCREE_IO_PROBLEM_VIEW_H

#include "io/problem/matrix.h"
#include "scree/io.h"

typedef struct problem_view {
  scree_problem_kind kind; /* SCREE_PROBLEM_NATIVE: FCLIB cannot store it */
  bool exact;              /* the FCLIB group alone gives the same problem back */
  int dimension;           /* of every contact; 0: they differ */
  size_t contacts, contact_rows, equalities;
  uint32_t *row; /* row_count: FCLIB's row of a row; equality rows start at contact_rows */
  /* Bodies: FCLIB's v holds the entries velocity[k] of ours; null: all, in order. */
  size_t velocity_count;
  uint32_t *velocity;
} problem_view;

/* A clean view of any problem. One that FCLIB cannot express has kind SCREE_PROBLEM_NATIVE; counts
 * are filled for it too. */
scree_status view_init(scree_context *context, const scree_ccp *problem, problem_view *view);
void view_clear(scree_context *context, problem_view *view);

/* The bodies form as a global problem: M v = f + H g, u = H'v + w over the degrees of freedom of
 * the view. Dropped ones have a given motion, which goes into w. H's columns and w are in the
 * problem's own row order. */
typedef struct view_bodies {
  ccp_matrix m, h;
  double *f, *w;
} view_bodies;
scree_status view_bodies_init(scree_context *context, const scree_ccp *problem,
                              const problem_view *view, view_bodies *out);
void view_bodies_clear(scree_context *context, view_bodies *out);
/* Whether the inertia of every body can be inverted on the axes that it has; fills velocity. */
scree_status view_bodies_freedom(scree_context *context, const scree_ccp *problem,
                                 problem_view *view, bool *invertible);

#endif
