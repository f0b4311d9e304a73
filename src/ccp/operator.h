/* The operator: what solvers see of a problem. They never see bodies, matrices or how vectors are
 * stored and summed; a distributed or device backend would plug in here.
 *
 *   u = N g + r          rows of block i: row_start[i] … row_start[i + 1] - 1
 *
 * Verbs: apply N; block diagonal; a sweep over blocks in colour order (Gauss–Seidel) with row
 * access to single blocks; fused vector kernels; reductions in a fixed order, so that any number of
 * threads gives the same bits; forming sparse matrices for direct methods.
 *
 * eta_i = d_i / trace(N_ii), moment rows apart: eta_force, eta_moment (docs/theory/solvers.md).
 */
#ifndef SCREE_CCP_OPERATOR_H
#define SCREE_CCP_OPERATOR_H

#include "ccp/problem.h"

typedef struct ccp_operator ccp_operator;

typedef enum op_metric {
  OP_METRIC_ISOTROPIC, /* g_i <- P(g_i - omega eta_i u_i) */
  OP_METRIC_EXACT,     /* block i solved exactly, the others held */
} op_metric;

typedef struct op_sweep_params {
  op_metric metric;
  scree_model model;
  double omega;  /* over-relaxation of the block step */
  double lambda; /* g_i <- lambda (new) + (1 - lambda) (old) */
  bool backward; /* colours and blocks in reverse order */
  /* Exact friction with a shift that lags behind, see operator_glide.h: a row of each block holds
   * s_i, at its first. Null: none. The model then says only what a block without a shift is. */
  double *shift;
  double follow; /* the part of the way that s_i goes */
} op_sweep_params;

/* What the residuals are made of: sums and maxima over blocks, in a fixed order. */
typedef struct op_judged {
  double natural2; /* sum |g - P(g - û)|^2 */
  double square;   /* sum of the squares of the scaled residuals, m/s */
  double worst;    /* the largest of these */
  double penetration, gap;
  double impulse2, velocity2, product; /* g'g, u'u, g'u */
} op_judged;

/* What a form supplies; what may be null is marked. */
typedef struct op_class {
  const char *name;
  void (*destroy)(ccp_operator *op);
  void (*apply)(ccp_operator *op, const double *x, double *y);
  /* y = N'x; null where N is symmetric by construction. */
  void (*apply_transposed)(ccp_operator *op, const double *x, double *y);
  void (*diagonal_block)(const ccp_operator *op, size_t block, double *nii);
  void (*sweep_begin)(ccp_operator *op, const double *g);
  void (*block_velocity)(const ccp_operator *op, const double *g, size_t block, double *u);
  /* q = the block's velocity without its own impulse; returns its N_ii. Null: made of these two.
   */
  const double *(*block_alone)(const ccp_operator *op, const double *g, size_t block, double *q);
  /* Its N_ii where the form keeps it, else null; may be null. */
  const double *(*block_diagonal)(const ccp_operator *op, size_t block);
  void (*block_push)(ccp_operator *op, size_t block, const double *change);
  /* A sweep of the form's own; null: op_sweep_colours over all blocks. It may keep the impulses of
   * order[0 … head_count - 1] inside until sweep_store, which is null when it never does. */
  double (*sweep)(ccp_operator *op, const op_sweep_params *params, double *g);
  void (*sweep_store)(const ccp_operator *op, double *g);
  /* Keeping aside what a sweep holds inside, as it is: how many doubles, 0 where some of it is in
   * rows; into `kept`; and from there into rows. Null: rows serve. */
  size_t (*sweep_room)(const ccp_operator *op);
  void (*sweep_keep)(const ccp_operator *op, double *kept);
  void (*sweep_take)(const ccp_operator *op, const double *kept, double *g);
  /* Judges g from N g + r of the problem as it is; null: made of a product and a pass over it. A
   * null g stands for the impulses that a sweep keeps inside; `rest` then holds the others. */
  void (*judge)(ccp_operator *op, scree_model model, const double *g, const double *rest,
                op_judged *sum);
  /* The same of the impulses and the state that sweep_begin made of g, or sweeps since; may be
   * null.
   */
  void (*judge_begun)(ccp_operator *op, scree_model model, const double *g, op_judged *sum);
  /* Gradient steps of the form's own, see operator_gradient.h; null: made of products. */
  const struct op_gradient_class *gradient;
  /* Sweeps with extrapolation of the form's own, see operator_glide.h; null: from rows. */
  const struct op_glide_class *glide;
  /* r for other offsets, where nothing else holds them; false: it cannot. Null: never. */
  bool (*renew)(ccp_operator *op);
  /* v = v_free + M^-1 D g; null where the form has no v. */
  void (*velocity)(ccp_operator *op, const double *g, double *v);
  /* |f + H g - M v| / max(|f|, |M v|, |H g|) at v = M^-1 (f + H g); null where v is not solved for.
   */
  double (*balance)(ccp_operator *op, const double *g);
} op_class;

struct ccp_operator {
  scree_context *context;
  const scree_ccp *problem; /* the caller's, or `recognised` */
  scree_ccp *recognised;    /* a global problem as one of bodies; null until there was one */
  bool error_is_global;     /* E by the formula of global problems */
  scree_form form;
  const op_class *class;
  void *impl;
  uint64_t matrix; /* the number of N in its context, kept by op_renew; 0: it is not ready */
  size_t block_count, row_count;
  const uint32_t *row_start;
  double *r;          /* row_count */
  double *eta_force;  /* block_count */
  double *eta_moment; /* block_count; null when no block has moment rows */
  double r_norm;      /* |r| of the problem as it was given */
  const double *pull; /* of each row, N s: what cohesion.c took out of it; null: nothing */
  double reference_speed;
  double term_speed;      /* largest terms of a row of r, m/s, where the form tells it; else 0 */
  bool capped;            /* some impulses are bounded: bodies may approach each other */
  const ccp_ranks *ranks; /* of the problem; null: all blocks are here */
  double asymmetry;       /* |W - W'|_F / |W|_F; 0 where N is symmetric by construction */
  /* The order of a sweep. The first head_count blocks are swept by the form itself; colour c is
   * order[colour_start[c]] … order[colour_start[c + 1] - 1], blocks that share no moving body and
   * are not coupled by N; what follows the last colour goes one after the other. */
  uint32_t *order;
  size_t head_count;
  uint32_t *colour_start;
  size_t colour_count;
  double *partial; /* partial sums of the reductions, one per chunk */
  double *root; /* row_count, the metric of gradient steps; null until operator_metric.h made it */
  struct op_gradient *gradient; /* workspace of bodies/gradient.c, made when it is first used */
  struct op_glide *glide;       /* of operator_glide.c */
};

/* Sums and largest values over the blocks of all ranks. */
static inline void op_reduce(const ccp_operator *op, double *sums, int sum_count, double *most,
                             int most_count) {
  if (op->ranks) ranks_reduce(op->ranks->ranks, sums, sum_count, most, most_count);
}

scree_status op_create(scree_context *context, const scree_ccp *problem, ccp_operator **op);
/* The same operator for another problem (or the same, changed): memory is kept, and a problem of
 * bodies no larger than those before needs no new one. After a failure the operator can only be
 * destroyed or prepared again. */
scree_status op_prepare(ccp_operator *op, const scree_ccp *problem);
/* The same problem again, which no longer has the same offsets, and else is as it was: of problems
 * of bodies without contacts only r is made anew. */
scree_status op_renew(ccp_operator *op, const scree_ccp *problem);
void op_destroy(ccp_operator *op);

/* y = N x */
static inline void op_apply(ccp_operator *op, const double *x, double *y) {
  op->class->apply(op, x, y);
}
/* y = N'x */
static inline void op_apply_transposed(ccp_operator *op, const double *x, double *y) {
  (op->class->apply_transposed ? op->class->apply_transposed : op->class->apply)(op, x, y);
}
/* u = N g + r */
void op_local_velocity(ccp_operator *op, const double *g, double *u);
static inline void op_diagonal_block(const ccp_operator *op, size_t block, double *nii) {
  op->class->diagonal_block(op, block, nii);
}
/* Rows of a block that are forces; the rest are moments. */
int op_force_rows(const ccp_operator *op, size_t block);

/* Sweeps keep a state (bodies: twists) in step with g. begin once, then sweep; after changing g by
 * other means, begin again. Returns the largest block change over its eta, m/s: a hint, not R. */
static inline void op_sweep_begin(ccp_operator *op, const double *g) {
  op->class->sweep_begin(op, g);
}
double op_sweep(ccp_operator *op, const op_sweep_params *params, double *g);
/* The same, faster, but g is out of date until op_sweep_store. */
double op_sweep_inside(ccp_operator *op, const op_sweep_params *params, double *g);
void op_sweep_store(const ccp_operator *op, double *g);
/* What op_sweep_keep needs, 0: it is not to be called, impulses are in rows or partly so. */
static inline size_t op_sweep_room(const ccp_operator *op) {
  return op->class->sweep_room ? op->class->sweep_room(op) : 0;
}
/* Keeps the impulses of a sweep as they are inside; op_sweep_take makes rows of them. */
static inline void op_sweep_keep(const ccp_operator *op, double *kept) {
  op->class->sweep_keep(op, kept);
}
static inline void op_sweep_take(const ccp_operator *op, const double *kept, double *g) {
  op->class->sweep_take(op, kept, g);
}
/* The same sweep a block at a time in `order`: the slow reference. Begin again when changing from
 * one kind to the other. */
double op_sweep_reference(ccp_operator *op, const op_sweep_params *params, double *g);
/* One block of a sweep: isotropic projected step or the exact local solve, then relaxation. */
double op_sweep_block(ccp_operator *op, const op_sweep_params *params, double *g, size_t block);
/* The part of a sweep behind head_count, for the forms. */
double op_sweep_colours(ccp_operator *op, const op_sweep_params *params, double *g);

/* Vector verbs over row_count entries. */
double op_dot(ccp_operator *op, const double *x, const double *y);
double op_norm(ccp_operator *op, const double *x);
double op_max_abs(ccp_operator *op, const double *x);
void op_copy(ccp_operator *op, const double *x, double *y);
/* z = a x + b y; z may be x or y. */
void op_combine(ccp_operator *op, double a, const double *x, double b, const double *y, double *z);
/* z_i = P_i(y_i - step eta_i u_i), in the metric of eta; z may be y. */
void op_project_step(ccp_operator *op, const double *y, double step, const double *u, double *z);
/* x_i = P_i(x_i): makes a warm start feasible. */
void op_project(ccp_operator *op, double *x);

/* Impulses at a cap, which frames of lanes have rounded, are at it: laws compare with it. */
void op_fill_caps(const ccp_operator *op, double *g);

/* The one function for residuals. u: N g + r when the caller has it, or null. `scratch` has
 * row_count entries (used when u is null, and not always then). */
void op_residual(ccp_operator *op, scree_model model, const double *g, const double *u,
                 double *scratch, scree_residual *out);
/* The same without a global problem's equation of motion, which costs a solve with M and holds to
 * rounding: for iterates that are not yet to be reported. */
void op_residual_contacts(ccp_operator *op, scree_model model, const double *g, const double *u,
                          double *scratch, scree_residual *out);
/* The same at u = N g + r; each[i] becomes what block i contributes to R, which is their largest.
 */
void op_residual_each(ccp_operator *op, scree_model model, const double *g, const double *u,
                      scree_residual *out, double *each);

/* The same of the impulses of a sweep that are inside (op_sweep_inside): g need not be stored. */
void op_sweep_residual(ccp_operator *op, scree_model model, const double *g, double *scratch,
                       scree_residual *out);
/* The same from the velocities that the sweeps have led along, as a sweep itself reads them: for
 * half the price, and with the rounding of all sweeps since op_sweep_begin. For forms that have
 * judge_begun. */
void op_sweep_residual_led(ccp_operator *op, scree_model model, const double *g,
                           scree_residual *out);
/* op_sweep_begin, and the residuals at g, which then cost half; for forms that have judge_begun. */
void op_sweep_begin_residual(ccp_operator *op, scree_model model, const double *g,
                             scree_residual *out);
/* Adds one block to the sums; g and u start at the block. */
void op_judge_block(const ccp_operator *op, scree_model model, size_t block, const double *g,
                    const double *u, op_judged *sum);
void op_judged_add(op_judged *sum, const op_judged *part);
/* The residuals of sums over all blocks. */
void op_judged_finish(const ccp_operator *op, const op_judged *sum, scree_residual *out);

/* The forms' constructors, called by op_prepare: they set class, impl and asymmetry, fill r, and
 * leave a colouring. They may set eta_force of blocks where they know it; the bodies form, which
 * finds its own impl again when it has one, sets it of all blocks, to 0 where it does not know. */
scree_status op_bodies_init(ccp_operator *op);
scree_status op_local_init(ccp_operator *op);
scree_status op_global_init(ccp_operator *op);

#endif
