/* One block on the standard cone |t| <= n of R^3, to which Coulomb (2-D, 3-D) and elliptic blocks
 * are scaled: with t = A tau the cone becomes circular with mu = 1, N becomes A N A, q becomes A q,
 * and the De Saxcé shift |A u_T| is that of the scaled velocity. */
#ifndef SCREE_CCP_SETS_CONE_H
#define SCREE_CCP_SETS_CONE_H

#include <stdbool.h>

/* N = [nn n1 n2; n1 t11 t12; n2 t12 t22], positive semi-definite with a positive diagonal. */
typedef struct set_cone {
  double nn, n1, n2, t11, t12, t22;
  double q[3];
} set_cone;

/* m/s: what is added to q_n before it is compared with others. It changes no q_n that matters, and
 * takes an approach so slow that squares of its impulses vanish for none. */
#define SET_CONE_NOTHING 1e-100

/* min 1/2 g'Ng + q'g over the cone; g in: warm start. False: accuracy not reached. */
bool set_cone_relaxed(const set_cone *block, double *g);
/* g in the cone, across u + |u_T| e_n in the (self-)dual cone, u = N g + q. A solution exists
 * always; where several do (strong coupling of normal and tangents) the one found is a solution. */
bool set_cone_exact(const set_cone *block, double *g);
/* How it slides: u_n = lift |D u_T| with D u_T against t. lift 0 and D = 1 is the exact model, both
 * 1 the relaxed one. 0 < D <= 1, 0 <= lift <= 1. */
typedef struct set_cone_flow {
  double lift, along[2]; /* D */
} set_cone_flow;
#define SET_CONE_COULOMB    ((set_cone_flow){0.0, {1.0, 1.0}})
#define SET_CONE_ASSOCIATED ((set_cone_flow){1.0, {1.0, 1.0}})

/* At a given g[0] = radius >= 0: t in the disc with -D u_T in its normal cone. */
bool set_cone_disc(const set_cone *block, const set_cone_flow *flow, double radius, double *g);
/* set_cone_exact or set_cone_relaxed with g[0] <= top, 0 or more; g[0] is `top` where that holds.
 */
bool set_cone_below(const set_cone *block, bool exact, double top, double *g);
/* g[0] <= top (may be infinite). Slow and certain. */
bool set_cone_search(const set_cone *block, const set_cone_flow *flow, double top, double *g);

#endif
