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
 * plain projection. Where the normal is capped n' is no more than that cap: what is minimised is
 * convex in n alone (sets/set.h), and the exact normal does not know the tangent.
 *
 * With rolling and spinning resistance there is a moment too, also a world vector, and N_ii has two
 * numbers more: mm, the sum of the inverse inertias, and c, by which a moment across the normal
 * turns into slip: see kernels/roll_solve.inc. Equal spheres have c = 0.
 *
 * Contacts lie in groups of eight lanes; no moving body appears twice in a group. A kernel loads
 * whole body lines and transposes them, which is faster than gathers. The vector kernels use fused
 * multiply-adds and give the same bits as each other; the plain one, which a portable build takes
 * everywhere, differs in the last digits. */
#ifndef SCREE_CCP_KERNELS_KERNEL_H
#define SCREE_CCP_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ccp/problem.h"

/* Doubles of a group's impulses in the world frame: forces [3][PACK_LANES]; of contacts with
 * rolling or spinning resistance moments [3][PACK_LANES] behind them. */
enum { PACK_LANES = 8, PACK_IMPULSES = 3 * PACK_LANES, ROLL_IMPULSES = 6 * PACK_LANES };
/* Bit of a body index: the line is read but never written (fixed, prescribed, the world). */
#define PACK_FIXED 0x80000000u

/* What is prefetched. Near: nothing, caches hold the problem. Beyond them the
 * groups ahead, as prefetchers of the machine stop at pages, and their body lines. */
typedef enum pack_reach { PACK_NEAR, PACK_AHEAD } pack_reach;

/* A body as kernels read it: one cache line of twist and inverse mass. */
typedef struct body_line {
  double linear[3], angular[3];
  double inverse_mass;
  double inverse_inertia; /* of a moving body whose inertia is a multiple of the identity */
} body_line;

/* Eight contacts: what a sweep reads of them. Lanes without a contact have zeros, inverses 1, and
 * the world on both sides. */
typedef struct sphere_group {
  uint32_t a[PACK_LANES], b[PACK_LANES];
  double normal[3][PACK_LANES];
  double reach_a[PACK_LANES], reach_b[PACK_LANES]; /* arm = reach * normal, m */
  double offset[PACK_LANES];                       /* b_n */
} sphere_group;

/* The block, and mu. Large problems are bound by what they read, so that where all contacts are of
 * one set with friction, without compliance, a sweep makes the block of the masses and arms that it
 * has at hand, with the same bits, and this is filled for gradient steps alone. */
typedef struct sphere_scale {
  double mu[PACK_LANES];
  double weight[PACK_LANES]; /* 1 / eta = (N_nn + 2 N_tt) / 3 */
  double inverse_nn[PACK_LANES], inverse_tt[PACK_LANES];
  double beta[PACK_LANES];
} sphere_scale;

/* Offsets of the tangents, a world vector. Contacts of moving spheres have them, others not. */
typedef struct sphere_across {
  double offset[3][PACK_LANES];
} sphere_across;

/* What most problems do not have: compliance and caps. */
typedef struct sphere_extra {
  double compliance_n[PACK_LANES], compliance_t[PACK_LANES];
  double top[PACK_LANES]; /* of the normal impulse; infinity: no cap */
} sphere_extra;

/* What contacts with rolling and spinning resistance have besides. */
typedef struct sphere_roll {
  double rolling[PACK_LANES], spinning[PACK_LANES];
  double inverse_mm[PACK_LANES];
  double rolls[PACK_LANES], spins[PACK_LANES]; /* 1: the block has such rows, 0: not */
} sphere_roll;

typedef struct sphere_sweep {
  const sphere_group *group;
  const sphere_scale *scale; /* null: the blocks are made, of one mu and without extra */
  const sphere_roll *roll;
  const double *mu; /* of group i: PACK_LANES from mu_stride * i on */
  size_t mu_stride;
  double *impulse;             /* PACK_IMPULSES per group */
  const sphere_across *across; /* null: none */
  const sphere_extra *extra;   /* null: none */
  body_line *lines;
  double relaxed; /* 1: relaxed model, 0: exact Coulomb */
  double omega, lambda;
  bool isotropic;
  bool backward;
  /* Where beta is above 0 a block starts from y = impulse + beta (impulse - before) instead, and
   * its new impulse replaces `before`. */
  double *before;
  double beta;
  /* With extrapolation, and not null: s of the exact law, PACK_LANES per group, see
   * operator_glide.h.
   */
  double *shift;
  double follow;
  const uint8_t *joins; /* with extrapolation: see pack_plan of bodies/pack.h */
  pack_reach reach;
} sphere_sweep;

/* Sums over the groups of a unit, lane by lane; see operator_glide.h. */
typedef struct sphere_glide {
  double uphill[PACK_LANES], distance2[PACK_LANES];
} sphere_glide;

/* Eight rigid contacts with friction, of any shape: both lever arms, full inertias. The block is in
 * the coordinates of the standard cone (sets/cone.h): tangential rows times mu. */
typedef struct rigid_group {
  uint32_t a[PACK_LANES], b[PACK_LANES];
  uint32_t row[PACK_LANES]; /* of the impulse */
  uint32_t count;           /* lanes in use, from the first on; the rest has unit blocks */
  bool capped;              /* some lane has a finite `top` */
  _Alignas(64) double normal[3][PACK_LANES];
  double tangent[3][PACK_LANES];
  double arm_a[3][PACK_LANES], arm_b[3][PACK_LANES];
  double turn_a[9][PACK_LANES], turn_b[9][PACK_LANES]; /* I^-1 [arm]x: spin that a force gives */
  double offset[3][PACK_LANES], compliance[3][PACK_LANES];
  double nn[PACK_LANES], n1[PACK_LANES], n2[PACK_LANES];
  double t11[PACK_LANES], t12[PACK_LANES], t22[PACK_LANES];
  /* Schur complement of nn, and what a solve with it needs. */
  double inverse_nn[PACK_LANES], s11[PACK_LANES], s12[PACK_LANES], s22[PACK_LANES];
  double inverse_s11[PACK_LANES], inverse_det[PACK_LANES];
  double mu[PACK_LANES], inverse_mu[PACK_LANES];
  double weight[PACK_LANES]; /* 1 / eta */
  double top[PACK_LANES];    /* of the normal impulse */
  double pull[PACK_LANES];   /* as of spheres below */
} rigid_group;

/* Eight contacts of any shape with rolling or spinning resistance. Rows n t1 t2 mt1 mt2 mn; those
 * that a contact does not have are scaled by 0. The block, its upper half by rows, has them scaled
 * by mu, rolling and spinning, with a diagonal that is positive. */
typedef struct turning_group {
  uint32_t a[PACK_LANES], b[PACK_LANES];
  uint32_t row[PACK_LANES], dim[PACK_LANES]; /* of the impulse */
  uint32_t count;                            /* lanes in use, as above */
  bool capped;                               /* as above */
  _Alignas(64) double normal[3][PACK_LANES];
  double tangent[3][PACK_LANES];
  double arm_a[3][PACK_LANES], arm_b[3][PACK_LANES];
  double inertia_a[6][PACK_LANES], inertia_b[6][PACK_LANES]; /* inverse */
  double offset[6][PACK_LANES], compliance[6][PACK_LANES];
  double n[21][PACK_LANES];
  double r[4][PACK_LANES]; /* one over the mean diagonal of each group, the normal first */
  double scale[3][PACK_LANES], inverse_scale[3][PACK_LANES]; /* 0 for 0 */
  double weight[PACK_LANES];                                 /* 1 / eta */
  double top[PACK_LANES];                                    /* of the normal impulse */
} turning_group;

typedef struct rigid_sweep {
  const rigid_group *group;
  const turning_group *turning;
  body_line *lines;
  double *impulse; /* rows */
  bool relaxed;    /* else exact Coulomb */
  bool backward;
  double *shift; /* rows; null: none. As in op_sweep_params */
  double follow;
} rigid_sweep;

/* Residuals of rigid groups, as of spheres below. */
typedef struct rigid_judge {
  const rigid_group *group;
  const body_line *lines; /* v_free + M^-1 D g */
  const double *impulse;  /* rows */
  double shifted;
} rigid_judge;

/* One step of a gradient method with extrapolation beta and step length `step`, in the metric
 * diag(N_nn, N_tt, N_tt) of operator_metric.h:
 *   y = current + beta (current - previous),  next = P(y - step e u(y)),  push += D next
 * e = 1 / N_nn and 1 / N_tt; P is then the formula above with that beta. u is read from `lines`.
 */
typedef struct sphere_step {
  const sphere_group *group;
  const sphere_scale *scale;
  const sphere_roll *roll;
  const sphere_across *across;
  const sphere_extra *extra;
  const body_line *lines; /* v_free + M^-1 D y */
  body_line *push;        /* momentum: D next */
  const double *current, *previous;
  double *next;
  double beta, step;
  pack_reach reach;
} sphere_step;

/* With d = next - y: sums over groups, still a lane apart so that widths of vectors do not show. */
typedef struct sphere_sums {
  double distance2[PACK_LANES]; /* d'd / e */
  double uphill[PACK_LANES];    /* -d'(next - current) / e */
  double value[PACK_LANES];     /* next'u + 1/2 next'C next - next'C y */
  double compliant[PACK_LANES]; /* d'C d */
} sphere_sums;

/* Products with D and D' over lanes, PACK_IMPULSES or ROLL_IMPULSES per group, those of group
 * `first` at `lanes`. push: lines += D lanes, momentum. read: out = D' lines (+ C lanes), twists.
 */
typedef struct sphere_product {
  const sphere_group *group;
  const sphere_extra *extra;
  const double *lanes;
  double *out; /* read */
  size_t first;
  body_line *lines;
  pack_reach reach;
} sphere_product;

/* The residuals of residual.c over lanes, u read from `lines` = v_free + M^-1 D g. Without `scale`
 * contacts have one set and no compliance, and the lines have inverse masses and inertias. */
typedef struct sphere_judge {
  const sphere_group *group;
  const sphere_scale *scale;
  const double *mu; /* of all contacts; read where there is no scale */
  const sphere_roll *roll;
  const sphere_across *across;
  const sphere_extra *extra;
  const double (*rough)[PACK_LANES]; /* 0: a ray, without tangents; null: there is none */
  const double (*pull)[PACK_LANES];  /* N s, see ccp/cohesion.c; null: there is none */
  const body_line *lines;
  const double *lanes;
  size_t first;
  double shifted; /* 1: exact Coulomb, 0: relaxed model */
  pack_reach reach;
} sphere_judge;

typedef struct sphere_judged {
  double natural2[PACK_LANES];  /* sum |g - P(g - û)|^2 */
  double scaled2[PACK_LANES];   /* sum |g - P(g - eta û)|^2 / eta^2 */
  double worst2[PACK_LANES];    /* the largest of these */
  double impulse2[PACK_LANES];  /* g'g */
  double velocity2[PACK_LANES]; /* u'u */
  double product[PACK_LANES];   /* g'u */
  double penetration[PACK_LANES], gap[PACK_LANES];
} sphere_judged;

/* The bodies' part of such a step, a line at a time. Iterates are kept as twists v_free + M^-1 D g,
 * with mass and inertia where a line of the sweep has their inverses; `next` begins as momentum. A
 * body whose inertia is no multiple of the identity is done elsewhere: here its base has zeros for
 * the inverses. */
typedef struct body_step {
  const body_line *current, *previous;
  body_line *next;
  body_line *twist;      /* start: at y; null: it is there already */
  const body_line *at_y; /* judge */
  const body_line *base; /* v_free, inverse mass and inertia */
  double beta;
} body_step;

/* Sums over bodies, a field of the line apart. */
typedef struct body_sums {
  double curvature[8]; /* q'M^-1 q, q = P_next - P_y */
  double objective[8]; /* P_next'M^-1 (P_next / 2 - P_y) */
} body_sums;

/* A contact's lines; PACK_FIXED as in groups. */
typedef struct contact_pair {
  uint32_t a, b;
} contact_pair;

/* Classes of PACK_LANES contacts that follow each other, of three rows each from `row` on:
 * r = D'v_free + b, and what decides where they go. */
typedef struct contact_classify {
  const ccp_contact *contact;
  const body_line *lines; /* v_free */
  _Alignas(64) uint32_t a[PACK_LANES], b[PACK_LANES];
  _Alignas(64) double mu[PACK_LANES];
  uint32_t row;
  const double *offset;
  double *r;
  double open; /* r_n - mu |r_t| beyond this: wide open, m/s */
} contact_classify;

/* A bit per lane. */
typedef struct contact_class {
  unsigned along_a, along_b; /* the arm lies along the normal */
  unsigned massive;          /* a side has an inverse mass */
  unsigned open;
  unsigned across; /* offsets of tangents */
} contact_class;

/* Filling a whole group of contacts of three rows, without compliance. */
typedef struct contact_fill {
  const ccp_contact *contact;
  const contact_pair *pair;
  const body_line *lines, *world; /* the last line */
  const uint32_t *row_start, *set_index;
  const scree_set *set;
  const double *offset;
  double *eta;
} contact_fill;

/* Frames and rows of contacts, for impulses of a whole group of three rows each. */
typedef struct contact_rows_at {
  const ccp_contact *contact;
  const uint32_t *row_start;
} contact_rows_at;

/* Kernels over packed contacts: those without moments, and those with. */
typedef struct sphere_kernels {
  /* Groups begin … end - 1; returns the largest |change| / eta squared. */
  double (*sweep)(const sphere_sweep *work, size_t begin, size_t end);
  /* The same with extrapolation, forward and with exact blocks, over units begin … end - 1; unit i
   * is groups start[i] … start[i + 1] - 1, none is empty. sums[i] becomes what it adds. */
  double (*sweep_glide)(const sphere_sweep *work, const uint32_t *start, size_t begin, size_t end,
                        sphere_glide *sums);
  void (*step)(const sphere_step *work, size_t begin, size_t end, sphere_sums *sums);
  void (*push)(const sphere_product *work, size_t begin, size_t end);
  void (*read)(const sphere_product *work, size_t begin, size_t end);
  void (*judge)(const sphere_judge *work, size_t begin, size_t end, sphere_judged *sums);
} sphere_kernels;

typedef struct body_kernels {
  const char *name;
  sphere_kernels plain, rolling;
  double (*sweep_rigid)(const rigid_sweep *work, size_t begin, size_t end);
  double (*sweep_turning)(const rigid_sweep *work, size_t begin, size_t end);
  void (*judge_rigid)(const rigid_judge *work, size_t begin, size_t end, sphere_judged *sums);
  /* twist = current + beta (current - previous), next = 0 */
  void (*start_bodies)(const body_step *work, size_t begin, size_t end);
  /* Of `count` lines: state + beta (state - before), and `before` becomes what the state was; no
   * fused multiply-add, the same bits on all machines. */
  void (*extrapolate)(body_line *state, body_line *before, double beta, size_t count);
  /* next: from momentum to twist. */
  void (*judge_bodies)(const body_step *work, size_t begin, size_t end, body_sums *sums);
  /* Contacts i … i + PACK_LANES - 1. */
  void (*classify)(const contact_classify *work, size_t i, contact_class *seen);
  /* The scale and the offsets may be null. */
  void (*fill)(const contact_fill *work, const uint32_t *block, sphere_group *group,
               sphere_scale *scale, sphere_across *across);
  /* Of groups, mu and lines of a sweep over contacts of one set, without compliance. */
  void (*scale)(const sphere_sweep *work, size_t begin, size_t end, sphere_scale *scale);
  void (*load)(const contact_rows_at *work, const uint32_t *block, const double *g,
               double (*lanes)[PACK_LANES]);
  void (*store)(const contact_rows_at *work, const uint32_t *block,
                const double (*lanes)[PACK_LANES], double *g);
} body_kernels;

/* A contact with rolling and spinning resistance that its lane did not end: its block and
 * velocities without its own impulse, in the coordinates of kernels/roll_solve.inc (normal,
 * tangents, moment turned, spin); x: the impulse, old and then new. */
typedef struct roll_single {
  double normal[3];
  double nn, tt, mm, c;
  double mu, rolling, spinning;
  double q[8], x[8];
} roll_single;

void bodies_roll_single(roll_single *one, bool relaxed);

extern const body_kernels bodies_kernels_plain, bodies_kernels_avx2, bodies_kernels_avx512;

/* The kernels that this machine can run: i = 0 is the best, the plain ones come last; null beyond.
 */
const body_kernels *bodies_kernels(size_t i);

#endif
