/* Proof that a problem has no solution; see infeasible.c. */
#ifndef SCREE_SOLVE_EXISTENCE_INFEASIBLE_H
#define SCREE_SOLVE_EXISTENCE_INFEASIBLE_H

#include "ccp/operator.h"

typedef struct infeasible_work {
  double *mark, *d, *nd; /* row vectors, allocated at the first suspicion and then kept */
  size_t rows;
  long marked_at; /* iteration of mark; 0: none yet */
} infeasible_work;

typedef struct infeasible_certificate {
  double drop;  /* -r'd, with d normalised: sum |d|^2/eta = 1 */
  double push;  /* sqrt(sum eta |N d|^2) */
  double bound; /* any solution is that many times larger than the impulses that r requires */
} infeasible_certificate;

/* Looks for a certificate along the change of g since the last call. True: proved. */
bool infeasible_prove(ccp_operator *op, scree_model model, infeasible_work *work, long iteration,
                      const double *g, infeasible_certificate *certificate);
/* The same for a direction that the caller has found. */
bool infeasible_prove_direction(ccp_operator *op, scree_model model, infeasible_work *work,
                                const double *d, infeasible_certificate *certificate);
void infeasible_clear(scree_context *context, infeasible_work *work);

#endif
