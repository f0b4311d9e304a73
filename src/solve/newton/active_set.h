/* One Newton step on the active set: the blocks' projections linearised at z = g - ũ / (D (1 + a)),
 * where ũ = N g + r + a D (g - centre) is the velocity of the proximal problem.
 *
 * A cone block is a normal and up to three discs |x_j| <= k_j (n + c): sliding, rolling, spinning.
 * Each is open, or its discs stick (all rows free) or slip (on the boundary):
 *
 *   g = base + C y      columns C: e_n + sum over slipping discs k_j n_j, the rows of sticking
 * discs, and for a slipping plane disc the direction t_j across n_j R'(N + aD)(base + C y) + beta
 * y_t = R'(a D centre - r) rows R: exact Coulomb: e_n in place of the first column; relaxed: R = C
 *   beta_j = (|z_j| - k_j n) D (1 + a) / (k_j n) bends the boundary
 *
 * D is the block's mean diagonal: 1 / eta, for forces and moments apart. */
#ifndef SCREE_SOLVE_NEWTON_ACTIVE_SET_H
#define SCREE_SOLVE_NEWTON_ACTIVE_SET_H

#include "ccp/operator.h"
#include "math/sparse.h"

typedef struct active_set active_set;

scree_status active_set_create(scree_context *context, active_set **set);
void active_set_destroy(active_set *set);
/* Room for a problem. Joints are eliminated where that pays (condense.h): blocks that the system
 * `drops` have no proximal weight, which the caller is to know; active_set_condense with n null: no
 * block is dropped from now on. */
bool active_set_drops(const active_set *set, size_t block);
scree_status active_set_condense(active_set *set, const ccp_operator *op, const sparse_blocks *n);
/* Sweeps with the joints eliminated, false: they are not. Until no velocity changes by more than
 * `enough`. */
bool active_set_sweep(active_set *set, const ccp_operator *op, scree_model model, int most,
                      double enough, double *g);
/* Room for a problem that is small as a whole, without N (joined.h); *on: false: it is not, and
 * active_set_prepare is to be called. */
scree_status active_set_join(active_set *set, const ccp_operator *op, bool *on);
scree_status active_set_prepare(active_set *set, const ccp_operator *op, const sparse_blocks *n);
/* From g with prox velocity u_prox (both row_count) to the next g. *unknowns: size of the system.
 */
scree_status active_set_step(active_set *set, ccp_operator *op, const sparse_blocks *n,
                             scree_model model, const double *a, const double *centre,
                             const double *g, const double *u_prox, double *next);
/* The two parts of a step, to follow a path of solutions: the system at g and u_prox factored; then
 * the change of g that a push (velocities added to -r) makes while the active set stays. */
scree_status active_set_linearise(active_set *set, const ccp_operator *op, const sparse_blocks *n,
                                  scree_model model, const double *a, const double *g,
                                  const double *u_prox);
/* Sign of the determinant of that system: 1 where the blocks' own diagonals rule (a large). */
int active_set_sign(const active_set *set);
/* From now on plain cones in the exact model have this dilatancy: u_n = dilatancy mu |u_T| where
 * they slide; 0, Coulomb's law, to 1, the relaxation. u_prox is then with u_n less that. */
void active_set_dilate(active_set *set, double dilatancy);
void active_set_direction(active_set *set, const ccp_operator *op, const double *push, double *dg);

#endif
