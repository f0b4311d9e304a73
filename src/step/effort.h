/* What a step of the stepper `nonsmooth` may cost: its time budget, its tolerance, and the work of
 * its solves. */
#ifndef SCREE_STEP_EFFORT_H
#define SCREE_STEP_EFFORT_H

#include "step/stepper.h"

/* Around a step. */
void effort_begin(scree_stepper *stepper);
void effort_end(scree_stepper *stepper, const scree_step_info *info);
/* Is the budget spent? Then the step is hurried, which is noted. */
bool effort_is_late(scree_stepper *stepper, scree_step_info *info);
/* Is the work spent that retries of the run may take? */
bool effort_is_spent(const scree_stepper *stepper);
/* Of a solve that begins now, in a step of h seconds. */
scree_solve_settings effort_settings(scree_stepper *stepper, double h, bool retry);

#endif
