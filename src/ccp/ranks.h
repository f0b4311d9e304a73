/* One problem whose blocks lie on several ranks (base/ranks.h).
 *
 * Each rank has a problem of its own: the blocks that it owns, and the bodies that these touch. A
 * body that blocks of several ranks touch has a copy on each of them: k copies. There the mass is
 * split, each copy has M/k (its inverse mass and inertia are k times those of the body), and after
 * every sweep the copies' twists become their mean:
 *
 *   copy r:   v_r = v_free + k M^-1 D_r g_r + what others gave
 *   mean:     v   = v_free + M^-1 sum_r D_r g_r          the twist of the whole problem, exactly
 *
 * Inside a rank sweeps are Gauss–Seidel as ever; across ranks they are Jacobi steps on
 * N_r = k D_r'M^-1 D_r, and as |sum_r x_r|^2 <= k sum_r |x_r|^2, sum_r g_r'N_r g_r is no less than
 * g'N g: each sweep lowers the objective of the whole problem, without damping by a guessed factor.
 *
 * The mean of momenta D_r g_r times k M^-1 is the twist as well, so one verb serves all: `average`
 * over lines of twists or momenta. Sums over blocks are reduced; energies of bodies too, as k
 * copies with M/k each add up to the body's own. Scales of the residual (eta) are those of whole
 * masses, so that R is the number that one rank would find. */
#ifndef SCREE_CCP_RANKS_H
#define SCREE_CCP_RANKS_H

#include "base/ranks.h"

typedef struct ccp_ranks {
  rank_team *ranks;
  void *user;
  const uint16_t *copies;  /* of each body of the problem: k, 1 where it is here alone */
  size_t blocks, contacts; /* of all ranks; contacts are some of the blocks */
  /* Linear and angular parts (6 doubles at `lines`, `stride` doubles per body) of all bodies with
   * copies become their mean. */
  void (*average)(void *user, double *lines, size_t stride);
} ccp_ranks;

#endif
