/* The linear system of an interior point step in scaled unknowns:  dg = F z,
 *
 *   (J + F'E N F) z = rhs      F F' = (A'W^-2 A)^-1 block by block, J = I
 *
 * E = I + e_n slope' is the derivative of the shift of exact Coulomb friction (relaxed: I). Free
 * blocks have no cone: J = 0 there and F is a mere scaling; held rows have F = 0. In these unknowns
 * all numbers are of the size of lambda, and the smallest eigenvalue is 1.
 *
 * Two ways, chosen by size:
 *   local   J + F'E N F is assembled over the blocks
 *   bodies  N = B'B + C, G = J + F'E C F:
 *           (G + F'E B'B F)^-1 = G^-1 - G^-1 F'E B'(I + B X B')^-1 B F G^-1,  X = F G^-1 F'E,
 *           assembled over the bodies: far smaller when each body has many contacts
 * A little is added to C for the factorisation alone, as redundant joints make N singular; the
 * refinement takes it back. */
#ifndef SCREE_SOLVE_IPM_KKT_H
#define SCREE_SOLVE_IPM_KKT_H

#include "ccp/forms/matrices.h"
#include "solve/ipm/cone.h"

typedef enum ipm_space { IPM_SPACE_AUTO, IPM_SPACE_LOCAL, IPM_SPACE_BODIES } ipm_space;

typedef struct ipm_kkt {
  ccp_operator *op;
  ipm_cones *cones;
  bool bodies, lu;
  formed_matrix n;
  double *scaled; /* local: values of J + F'E N F */
  formed_jacobian b;
  formed_bodies s;
  sparse_factor *factor; /* kept by the solver between solves while the pattern is the same */
  size_t *square;        /* of each block: where its dense block begins in the following */
  double *f, *fe;        /* F, F'E */
  double *g;             /* bodies: G^-1 */
  double *x;             /* bodies: X */
  double *residual, *correction, *direction, *image, *step, *product, *body;
  double regular; /* relative to the block's mean diagonal of N */
  long factorisations, solves;
} ipm_kkt;

/* `keep`: a factor of an earlier problem, whose analysis or at least memory is used again; may be
 * null. */
scree_status ipm_kkt_init(ccp_operator *op, ipm_cones *cones, ipm_space space, sparse_factor *keep,
                          ipm_kkt *kkt);
/* Hands the factor back to be kept. */
sparse_factor *ipm_kkt_clear(ipm_kkt *kkt);

/* F and the factorisation from the cones' scaling; slope: row_count entries, or null. False: no
 * factorisation was possible. */
bool ipm_kkt_factor(ipm_kkt *kkt, const double *slope);
/* z from rhs. Returns what is left of rhs, relative. */
double ipm_kkt_solve(ipm_kkt *kkt, const double *rhs, double *z);
/* dg = F z */
void ipm_kkt_step(const ipm_kkt *kkt, const double *z, double *dg);
/* rhs += F'y: for equations given in the blocks' own rows. */
void ipm_kkt_add_rhs(const ipm_kkt *kkt, double factor, const double *y, double *rhs);
/* Raises the regularisation for the next factorisation, when refinement did not converge. False: it
 * is as high as it may be. */
bool ipm_kkt_regularise(ipm_kkt *kkt);
/* Lowers it again, before a new iteration. */
void ipm_kkt_relax(ipm_kkt *kkt);

#endif
