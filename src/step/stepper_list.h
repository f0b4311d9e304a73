/* Every stepper. X(symbol of its stepper_class). */
#ifndef SCREE_STEP_STEPPER_LIST_H
#define SCREE_STEP_STEPPER_LIST_H

#define STEPPER_LIST(X) X(stepper_nonsmooth)

#endif
