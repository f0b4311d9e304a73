/* Every stepper. X(symbol of its stepper_class). */
#ifndef SCREE_STEP_STEPPER_LIST_H
#define SCREE_STEP_STEPPER_LIST_H

#define STEPPER_LIST(X)                                                                            \
  X(stepper_nonsmooth)                                                                             \
  X(stepper_hht)                                                                                   \
  X(stepper_generalized_alpha)                                                                     \
  X(stepper_newmark)                                                                               \
  X(stepper_trapezoidal)                                                                           \
  X(stepper_euler_implicit)                                                                        \
  X(stepper_euler_linearized)                                                                      \
  X(stepper_explicit)

#endif
