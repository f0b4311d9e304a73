/* Every linear solver. X(symbol of its linear_class); the first is the default. */
#ifndef SCREE_STEP_SMOOTH_LINEAR_LIST_H
#define SCREE_STEP_SMOOTH_LINEAR_LIST_H

#define LINEAR_LIST(X)                                                                             \
  X(linear_direct)                                                                                 \
  X(linear_minres)                                                                                 \
  X(linear_mumps)
#define LINEAR_NAMES "direct|minres|mumps"

#endif
