/* The sets of a problem as products of rays and Lorentz cones, for the interior point method.
 *
 *   x = A g + a in K,   u = A's,   s in K        K: rays and cones x_0 >= |(x_1, x_2)|, self-dual
 *
 * A block of friction is one cone (n + c, t1/mu, t2/mu2); rolling resistance adds cones that share
 * n; a cap is the ray cap - n; an interval two rays. Rows that cannot be anything but one value
 * (tangents with mu = 0, an interval of no length) are held there and leave the problem.
 *
 * Nesterov–Todd scaling W of a cone, lambda = W^-1 x = W s: a stretch e, and in the plane of the
 * axis and a direction n a hyperbolic turn:  x_0 + n'x_1 times omega, x_0 - n'x_1 over omega.
 *
 * Sliding contacts have x and s next to the boundary, where x_0 - |x_1| drowns in the rounding of
 * x at last; the determinants x_0^2 - |x_1|^2 and x's then come from the scaled steps instead, be
 * they smaller or larger: else x's has a floor of 1e-16 x_0 s_0, and contacts that neither press
 * nor part end at the square root of it. */
#ifndef SCREE_SOLVE_IPM_CONE_H
#define SCREE_SOLVE_IPM_CONE_H

#include "ccp/operator.h"

typedef struct ipm_cone {
  uint32_t row[3]; /* rows of the problem */
  uint32_t block;
  uint32_t island;
  int dim;
  double sign;     /* of the first row */
  double shift;    /* x_0 = sign g + shift */
  double full;     /* the shift of the set, where ipm_cones_limit has put less there */
  double scale[3]; /* x_k = g_k / scale_k, k > 0 */
  double x[3], s[3];
  double det_x, det_s, product; /* product: x's */
  double e, omega, n[3];        /* n[0] is not used */
  double lambda[3];
  double share[3][3];  /* P: scaled step of x from the block's unknowns z in the cone's rows */
  double dx[3], ds[3]; /* scaled steps: W^-1 dx, W ds */
} ipm_cone;

typedef struct ipm_cones {
  size_t count;
  ipm_cone *cone;
  size_t *of_block; /* block_count + 1 */
  bool *held;       /* row_count */
  double *value;    /* row_count: where a held row is */
} ipm_cones;

scree_status ipm_cones_init(const ccp_operator *op, ipm_cones *cones);
void ipm_cones_clear(scree_context *context, ipm_cones *cones);

/* Bears no more pull than `times` natural impulses: a part of the set. False: none had more. */
bool ipm_cones_limit(const ccp_operator *op, ipm_cones *cones, const double *speed_of_island,
                     double times);
/* The whole sets again. */
void ipm_cones_free(ipm_cones *cones);

/* A point well inside: g with x_0 about `size` impulses per row, s about `speed`. */
void ipm_cones_start(const ccp_operator *op, ipm_cones *cones, const double *speed_of_island,
                     double *g);

/* x, s and their determinants at the start. */
void ipm_cone_begin(ipm_cone *c, const double *g);
/* W and lambda. False: x or s is not inside the cone any more; the old scaling stays. */
bool ipm_cone_scale(ipm_cone *c);

/* F of a block with the cones c[0] … c[count - 1] (dim x dim by rows, zeroed by the caller; first:
 * the block's first row), with F F' = (sum A'W^-2 A)^-1, and the cones' P = W^-1 A F.
 * One cone: F = A^-1 W P with P orthogonal. Several share the normal: each block of tangents is
 * eliminated in closed form, which leaves the sum of 1/(W^2)_00 for the normal, without any
 * cancellation. */
void ipm_cones_factor(ipm_cone *c, size_t count, uint32_t first, size_t dim, double *f);

/* dx = P z */
void ipm_cone_take_step(ipm_cone *c, const double *z);
/* rhs += P'y */
void ipm_cone_add_rhs(const ipm_cone *c, const double *y, double *rhs);
/* lambda \ (centre e - dx o ds), from the predictor's dx and ds. */
void ipm_cone_corrector(const ipm_cone *c, double centre, double *out);
/* out -= A's */
void ipm_cone_subtract_dual(const ipm_cone *c, double *out);

/* The longest step that keeps x and s in the cone, at most `most`. */
double ipm_cone_longest(const ipm_cone *c, double most);
/* x's along the step. */
double ipm_cone_product(const ipm_cone *c, double step);
/* Moves x, s, their determinants and product, all from scaled numbers, and sets g to match:
 * rounding never adds up. */
void ipm_cone_advance(ipm_cone *c, double step, double *g);

#endif
