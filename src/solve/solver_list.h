/* Every solver, in the order that lists show. X(symbol of its solver_class). */
#ifndef SCREE_SOLVE_SOLVER_LIST_H
#define SCREE_SOLVE_SOLVER_LIST_H

#define SOLVER_LIST(X)                                                                             \
  X(solver_auto)                                                                                   \
  X(solver_jacobi)                                                                                 \
  X(solver_gs)                                                                                     \
  X(solver_sor)                                                                                    \
  X(solver_ssor)                                                                                   \
  X(solver_ags)                                                                                    \
  X(solver_nncg)                                                                                   \
  X(solver_apgd)                                                                                   \
  X(solver_spg)                                                                                    \
  X(solver_gpminres)                                                                               \
  X(solver_mprgp)                                                                                  \
  X(solver_nsgs)                                                                                   \
  X(solver_fpp)                                                                                    \
  X(solver_admm)                                                                                   \
  X(solver_prox)                                                                                   \
  X(solver_ipm)                                                                                    \
  X(solver_sap)                                                                                    \
  X(solver_lemke)                                                                                  \
  X(solver_fixed_point)                                                                            \
  X(solver_direct)                                                                                 \
  X(solver_condense)

#endif
