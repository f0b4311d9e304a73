/* Packed contacts and the kernels over them, chosen by the CPU at run time.
 *
 * A sphere-like contact (3-D Coulomb or ray; both lever arms along the normal, both inertias
 * multiples of the identity) has N_ii = diag(N_nn, N_tt, N_tt) in any tangent frame. So its impulse
 * is kept as a world vector G, no tangent is stored, and its block is solved in closed form:
 *
 *   p = G.n - u_n / N_nn,   T = G_T - u_T / N_tt,   t = |T|
 *   n' = max(0, p + beta max(0, t - mu p)),   T' = T min(1, mu n' / t)
 *
 * beta = mu N_tt / (N_nn + mu^2 N_tt) gives the minimiser over the cone (relaxed model); beta = 0
 * the exact Coulomb solution, normal first and then the tangent clamped; beta = mu / (1 + mu^2) the
 * plain projection.
 *
 * Contacts lie in groups of eight lanes; no moving body appears twice in a group. A kernel loads
 * whole body lines and transposes them, which is faster than gathers. Every kernel does the same
 * IEEE operations in the same order, so all of them give the same bits. */
#ifndef SCREE_CCP_BODIES_KERNEL_H
#define SCREE_CCP_BODIES_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACK_LANES = 8 };
/* Bit of a body index: the line is read but never written (fixed, prescribed, the world). */
#define PACK_FIXED 0x80000000u

/* A body as kernels read it: one cache line of twist and inverse mass. */
typedef struct body_line {
  double linear[3], angular[3];
  double inverse_mass;
  double inverse_inertia; /* of a moving body whose inertia is a multiple of the identity */
} body_line;

/* Eight contacts. Lanes without a contact have zeros, weight 1, and the world on both sides. */
typedef struct sphere_group {
  uint32_t a[PACK_LANES], b[PACK_LANES];
  double normal[3][PACK_LANES];
  double reach_a[PACK_LANES], reach_b[PACK_LANES]; /* arm = reach * normal, m */
  double offset[PACK_LANES];                       /* b_n */
  double inverse_nn[PACK_LANES], inverse_tt[PACK_LANES];
  double mu[PACK_LANES], beta[PACK_LANES];
  double weight[PACK_LANES]; /* 1 / eta */
  double impulse[3][PACK_LANES];
} sphere_group;

/* What most problems do not have: tangential offsets (a world vector) and compliance. */
typedef struct sphere_extra {
  double offset[3][PACK_LANES];
  double compliance_n[PACK_LANES], compliance_t[PACK_LANES];
} sphere_extra;

typedef struct sphere_sweep {
  sphere_group *group;
  size_t group_count;
  const sphere_extra *extra; /* null: none */
  body_line *lines;
  double relaxed; /* 1: relaxed model, 0: exact Coulomb */
  double omega, lambda;
  bool isotropic;
  bool backward;
} sphere_sweep;

/* One step of a gradient method with momentum beta and step length `step`, in units of eta:
 *   y = current + beta (current - previous),  next = P(y - step eta u(y)),  push += D next
 * with u read from `lines`. Impulses are [3][PACK_LANES] a group. */
typedef struct sphere_step {
  const sphere_group *group;
  size_t group_count;
  const sphere_extra *extra;
  const body_line *lines; /* v_free + M^-1 D y */
  body_line *push;        /* momentum: D next */
  const double *current, *previous;
  double *next;
  double beta, step;
} sphere_step;

/* With d = next - y: sums over the groups. */
typedef struct sphere_sums {
  double size;      /* d'd / eta */
  double slope;     /* u'(next - current) */
  double compliant; /* d'C d */
} sphere_sums;

typedef struct body_kernels {
  const char *name;
  /* Groups begin … end - 1; returns the largest |change| / eta squared. */
  double (*sweep)(const sphere_sweep *work, size_t begin, size_t end);
  void (*step)(const sphere_step *work, size_t begin, size_t end, sphere_sums *sums);
} body_kernels;

extern const body_kernels bodies_kernels_plain, bodies_kernels_avx2, bodies_kernels_avx512;

/* The kernels that this machine can run: i = 0 is the best, the plain ones come last; null beyond.
 */
const body_kernels *bodies_kernels(size_t i);

#endif
