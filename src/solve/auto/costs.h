/* What sweeps and Newton steps on a problem are estimated to cost: what the
 * automatic choice is made of. All of it follows from the problem alone, never from a clock. */
#ifndef SCREE_SOLVE_AUTO_COSTS_H
#define SCREE_SOLVE_AUTO_COSTS_H

#include "ccp/operator.h"

typedef struct auto_costs {
  double sweep, newton; /* s, of one sweep and one Newton step */
} auto_costs;

auto_costs auto_estimate(const ccp_operator *op);
/* Blocks with moments among those from order[first] on, as a part of all. */
double auto_moment_part(const ccp_operator *op, size_t first);
/* log10 of a positive number, to 0.003. */
double auto_log10(double x);
/* Sweeps until the merit is 1, if the last ones went on as they did. */
double auto_sweeps_left(double merit, double before, double sweeps);

#endif
