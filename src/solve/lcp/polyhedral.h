/* A problem as a linear complementarity problem w = M z + q: friction discs become polygons of k
 * corners (Stewart and Trinkle; Anitescu and Potra), bilateral rows are eliminated.
 *
 *   g = g0 + sum_k z_k dir_k         z_n: normal, along s e_n; beta_k: friction, along s mu t_k
 *   normal    u_n        + nu >= 0   complementary to z_n      (relaxed: u_n - lambda + nu)
 *   friction  t_k'u + lambda  >= 0   complementary to beta_k
 *   cone      z_n - sum beta_k >= 0  complementary to lambda   (one for each disc)
 *   cap       bound - z_n      >= 0  complementary to nu
 *
 * with s = sqrt(eta), which brings M near 1, and z in units of `unit`. The polygons lie inside the
 * discs: impulses are always admissible for the round cones, friction is up to 1 - cos(pi / k) too
 * weak. The relaxed form is the convex quadratic program's; the other one is Coulomb's law with
 * the polygon in place of the disc. Segments (planar problems, spinning) are exact. */
#ifndef SCREE_SOLVE_LCP_POLYHEDRAL_H
#define SCREE_SOLVE_LCP_POLYHEDRAL_H

#include "ccp/operator.h"
#include "math/sparse.h"

typedef struct polyhedral_variable {
  uint32_t row; /* of the block */
  int dim;      /* 0: a multiplier */
  double direction[SCREE_MAX_DIM];
} polyhedral_variable;

/* Where the corners of a plane disc are dense: around the angle `centre`, `width` apart. Width 0:
 * corners all around, evenly. */
typedef struct polyhedral_aim {
  double centre, width;
} polyhedral_aim;

typedef struct polyhedral {
  size_t n;
  double *m, *q; /* n x n by rows; n */
  double unit;
  polyhedral_variable *variable;
  polyhedral_aim *aim; /* two for each block */
  double *table;       /* rows x (rows + 1): u = N g + r, eliminated rows exchanged */
  unsigned char *eliminated;
  double *base; /* g0 */
  double *diagonal;
} polyhedral;

/* The size n for k corners; segments and sets without friction count as they are. */
size_t polyhedral_size(const scree_ccp *problem, int corners);
/* Once for a problem: N dense, free rows eliminated, corners even. */
scree_status polyhedral_prepare(polyhedral *p, ccp_operator *op, const sparse_blocks *n);
scree_status polyhedral_build(polyhedral *p, const ccp_operator *op, scree_model model,
                              int corners);
/* g of a solution z; `direction`: of a ray, without the constant parts. */
void polyhedral_impulses(const polyhedral *p, const ccp_operator *op, const double *z,
                         bool direction, double *g);
/* Aims the corners at the friction of g, closer than before. */
void polyhedral_turn(polyhedral *p, const ccp_operator *op, const double *g);
void polyhedral_clear(scree_context *context, polyhedral *p);

#endif
