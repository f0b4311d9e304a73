/* Witnesses and certificates of existence, looked at with nothing but the problem's own numbers:
 * see certificate.c. */
#ifndef SCREE_SOLVE_EXISTENCE_CERTIFICATE_H
#define SCREE_SOLVE_EXISTENCE_CERTIFICATE_H

#include "ccp/problem.h"
#include "scree/solver.h"

/* Does the set let the normal impulse grow for ever? Only then its u is bound to a dual cone. */
bool certificate_is_unbounded(const scree_set *set);
/* 1: u >= 0 where impulses grow upwards; -1: u <= 0 for an interval without a lower end. */
double certificate_sign(const scree_set *set);

/* The least u_n - shift(u) of the velocity v (bodies, global) or of the impulses y (local; and
 * everywhere where there is compliance); u: row_count entries, filled. -INFINITY where a free row
 * moves by more than `still`, m/s. */
scree_status certificate_witness(scree_context *context, const scree_ccp *problem, const double *v,
                                 const double *y, double still, double *u, double *margin);

#endif
