/* Isotropic elastic laws as functions w(s1, s2, s3) of the principal stretches of the deformation
 * gradient F = U diag(s) V', U and V turns, so that an inverted element has one s below 0. A law is
 * one file with an elastic_law and one row in the list.
 *
 * The derivatives of w over F in the frame of U and V, G = U'dF V (see stretch.c):
 *
 *   diagonal    dw = sum w_i G_ii,   second derivatives w_ij
 *   flip k      (G_ij + G_ji)/sqrt 2:  (w_i - w_j)/(s_i - s_j)        i, j: the two others than k
 *   twist k     (G_ij - G_ji)/sqrt 2:  (w_i + w_j)/(s_i + s_j)        the part of the stresses */
#ifndef SCREE_MODEL_LINK_ELASTIC_H
#define SCREE_MODEL_LINK_ELASTIC_H

#include "model/world.h"

typedef struct elastic_state { /* J/m^3 and Pa */
  double energy, stress[3], stiffness[3][3], flip[3], twist[3];
} elastic_state;

typedef void elastic_law(double mu, double lambda, const double s[3], elastic_state *out);

#define ELASTIC_LIST(X)                                                                            \
  X(LINEAR, elastic_linear)                                                                        \
  X(NEO_HOOKEAN, elastic_neo_hookean)

#define ELASTIC_DECLARE(kind, symbol) elastic_law symbol;
ELASTIC_LIST(ELASTIC_DECLARE)
#undef ELASTIC_DECLARE

#endif
