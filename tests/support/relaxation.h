/* The relaxed scheme against the unrelaxed one as the step shrinks (a table of
 * |y_QP - y_LCP| for h = 0.1 / 2^k, mu = 0.3 and 0.75).
 *
 * A sliding contact of the relaxed scheme rides at a gap of h mu |u_T|, which vanishes with h. The
 * system here: on a slope of 72 degrees a rod (capsule, 1 m long, 0.1 m thick) that leans at 60
 * degrees with its lower end on the ground, and a ball of radius 0.2 m; both are let go at rest,
 * fall, slide and turn for 0.4 s. y: positions and quaternions of both.
 *
 * Velocities must be continuous for that. Where sliding begins at once, at a launch or an impact,
 * the relaxed contact leaves at u_n = mu |u_T| whatever the step is: relaxation_launch. */
#ifndef SCREE_TESTS_RELAXATION_H
#define SCREE_TESTS_RELAXATION_H

#include "scree/scree.h"

enum { RELAXATION_STATE = 14 };

/* y after 0.4 s in steps of 0.1 / 2^halvings s. *unsolved: steps that missed R = 1e-9. */
scree_status relaxation_run(scree_context *context, scree_model model, double mu, int halvings,
                            double y[RELAXATION_STATE], size_t *unsolved);
/* |y_relaxed - y_exact|. */
scree_status relaxation_error(scree_context *context, double mu, int halvings, double *error,
                              size_t *unsolved);

/* Greatest height of a ball launched at `speed` m/s on a level floor, relaxed, with step h. */
scree_status relaxation_launch(scree_context *context, double mu, double speed, double h,
                               double *lift);

#endif
