/* Scree, ccp: the cone complementarity problem, independent of mechanics.
 *
 *   v = v_free + M^-1 D g          g: impulses, the unknown
 *   u = D'v + b + C g = N g + r    u: local velocity;  N = D'M^-1 D + C,  r = D'v_free + b
 *   relaxed:  g in Y,  -u in normal_cone(Y, g)          (for cones: Y ∋ g ⟂ u ∈ Y*)
 *   coulomb:  the same with u_n replaced by u_n + mu |u_T| (+ rho |w_T| + sigma |w_n|)
 *
 * A problem is a list of blocks. Block i has d_i rows (1 to 6) and a set Y_i. Three forms:
 *   bodies   compact rigid contacts and generic rows over bodies; what the simulator uses
 *   local    a sparse Delassus matrix W and q        (FCLIB "local")
 *   global   sparse M, H, f, w: M v = f + H g, u = H'v + w   (FCLIB "global")
 *
 * Rows of a contact, by dimension (n: normal, t: tangent, w: relative angular velocity):
 *   1: n   2: n t1   3: n t1 t2   4: n t1 t2 wn   5: n t1 t2 wt1 wt2   6: n t1 t2 wt1 wt2 wn   */
#ifndef SCREE_CCP_H
#define SCREE_CCP_H

#include "scree/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SCREE_MAX_DIM 6
/* A contact side that is the immovable world; no body needs to be added for it. */
#define SCREE_CCP_WORLD UINT32_MAX

/* ---- sets -------------------------------------------------------------------------------- */

typedef enum scree_set_kind {
  SCREE_SET_FREE,     /* R^d: bilateral rows, u = 0 */
  SCREE_SET_RAY,      /* g >= 0, d = 1: frictionless unilateral */
  SCREE_SET_INTERVAL, /* lo <= g <= hi, d = 1 */
  SCREE_SET_COULOMB,  /* |g_T| <= mu g_n, d = 2 or 3 */
  SCREE_SET_ELLIPTIC, /* sqrt((g_1/mu)^2 + (g_2/mu2)^2) <= g_n, d = 3 */
  SCREE_SET_ROLLING,  /* Coulomb, and |m_T| <= rolling g_n, |m_n| <= spinning g_n; d = 4, 5, 6 */
  SCREE_SET_USER,     /* whatever closed convex set a scree_user_set projects on; d = 1 … 6 */
  SCREE_SET_KIND_COUNT
} scree_set_kind;

/* A closed convex set of the user's own, by what it does. It must outlive the problems that it is
 * in, and its functions may be called by several threads at once. */
typedef struct scree_user_set scree_user_set;
struct scree_user_set {
  const char *name; /* for messages */
  void *data;       /* the functions' own */
  /* x becomes the point of the set that is nearest to it. */
  void (*project)(const scree_user_set *set, int dim, double *x);
  /* How far u is from the dual of the set's recession cone, m/s: what part of u no impulse of the
   * set could balance, however large; 0 for bounded sets. */
  double (*dual_violation)(const scree_user_set *set, int dim, const double *u);
  /* What the exact model adds to u_0, m/s, as mu |u_T| of Coulomb's cone: the flow is then not
   * along the normals of the set. Null: it is, and both models are the same. */
  double (*shift)(const scree_user_set *set, int dim, const double *u);
  /* One block alone: g in the set with -(N g + q), shifted where `exact`, in the normal cone at g.
   * N is dim x dim by rows, symmetric; g is a start. False: not found. Null: projections find it.
   */
  bool (*solve)(const scree_user_set *set, int dim, bool exact, const double *n, const double *q,
                double *g);
};

/* Coulomb, elliptic and rolling sets and the ray may be modified: `cohesion` c >= 0 shifts the
 * apex to g_n = -c, `cap` bounds the normal: g_n <= cap. */
typedef struct scree_set {
  scree_set_kind kind;
  int dim;
  double mu;       /* friction, also of the first tangent of an elliptic set */
  double mu2;      /* friction of the second tangent (elliptic) */
  double rolling;  /* m */
  double spinning; /* m */
  double lo, hi;   /* N s, interval */
  double cohesion; /* N s */
  double cap;      /* N s, INFINITY: none */
  /* The flow of the exact model: the diagonal of H over the rows after the normal, whose own entry
   * is 1, so that -H u lies in the normal cone; 0 … 1. 1 in all rows is the relaxed model; 0, the
   * default, Coulomb's law, the limit in which what slides does not part. psi/mu in both tangents:
   * it parts with psi |u_T| (dilatancy). Two rows of one disc are both 0 or both above 0; their
   * ratio turns the direction of sliding off the normal of the disc. */
  double flow[SCREE_MAX_DIM - 1];
  const scree_user_set *user; /* of a user's set; else null */
} scree_set;

SCREE_API scree_set scree_set_free(int dim);
SCREE_API scree_set scree_set_ray(void);
SCREE_API scree_set scree_set_interval(double lo, double hi);
SCREE_API scree_set scree_set_coulomb(int dim, double mu);
SCREE_API scree_set scree_set_elliptic(double mu1, double mu2);
/* dim 4: spinning only, 5: rolling only, 6: both. */
SCREE_API scree_set scree_set_rolling(int dim, double mu, double rolling, double spinning);
/* Solvers that need to know more of a set than its projection refuse it and say what to take. It
 * cannot be written to a file. */
SCREE_API scree_set scree_set_user(int dim, const scree_user_set *user);
SCREE_API const char *scree_set_name(scree_set_kind kind);
/* Null when the set is well formed, else what is wrong with it. */
SCREE_API const char *scree_set_fault(const scree_set *set);

/* Exact projection in the metric |force|^2 + moment_weight |moment|^2 (weight > 0; 1: plain), of
 * the set as modified. In place. Input that is not finite gives NaN for sets with friction. */
SCREE_API void scree_set_project(const scree_set *set, double moment_weight, double *x);
/* How far u is from the dual cone of the set, m/s; 0 inside. Cones: what u_n lacks to
 * mu |u_T| + rolling |w_T| + spinning |w_n|. Free: |u|. Interval: the part of u that no end of it
 * can balance, thus 0 when both are finite. Modified cones: the unmodified cone's. */
SCREE_API double scree_set_dual_violation(const scree_set *set, const double *u);
/* The De Saxcé shift mu |u_T| + rolling |w_T| + spinning |w_n| of u; elliptic:
 * sqrt(mu^2 u_1^2 + mu2^2 u_2^2); 0 for sets without friction. */
SCREE_API double scree_set_shift(const scree_set *set, const double *u);
/* w of which -w lies in the normal cone of the set in the exact model: u with the shift on its
 * normal; with a flow H of the set's own what stands for H u, finite in the limit of Coulomb's law.
 * w may be u. */
SCREE_API void scree_set_flow(const scree_set *set, const double *u, double *w);

/* ---- sparse matrices handed in and out ------------------------------------------------------ */

/* Compressed columns; row indices within a column ascend, no duplicates. */
typedef struct scree_csc {
  size_t rows, columns;
  const size_t *start;   /* columns + 1 */
  const uint32_t *index; /* start[columns] */
  const double *value;   /* start[columns] */
} scree_csc;

/* ---- problems ------------------------------------------------------------------------------- */

typedef enum scree_form { SCREE_FORM_BODIES, SCREE_FORM_LOCAL, SCREE_FORM_GLOBAL } scree_form;
typedef enum scree_model { SCREE_MODEL_RELAXED, SCREE_MODEL_COULOMB } scree_model;

typedef struct scree_ccp scree_ccp;

typedef struct scree_ccp_body_def {
  double inverse_mass;       /* 1/kg; 0 with a zero inverse inertia: fixed or prescribed */
  double inverse_inertia[6]; /* world frame: xx xy xz yy yz zz, 1/(kg m^2) */
  double v_free[6];          /* linear, angular: m/s, rad/s */
} scree_ccp_body_def;

typedef struct scree_ccp_contact_def {
  uint32_t cookie;         /* set by scree_ccp_contact_def_default */
  uint32_t body_a, body_b; /* indices, or SCREE_CCP_WORLD */
  scree_set set;           /* its dim is the contact's */
  double normal[3];        /* unit, from a to b: u_n > 0 separates */
  double tangent[3];       /* unit, across the normal; zeros: chosen from the normal */
  double arm_a[3];         /* from the centre of mass of a to the contact point, world frame */
  double arm_b[3];
  double offset[SCREE_MAX_DIM];     /* b */
  double compliance[SCREE_MAX_DIM]; /* C, diagonal, >= 0 */
} scree_ccp_contact_def;

/* One term of a generic row: coefficients on the linear and angular velocity of a body. */
typedef struct scree_ccp_term {
  uint32_t body;
  double coefficient[6];
} scree_ccp_term;

typedef struct scree_ccp_row_def {
  const scree_ccp_term *terms;
  size_t term_count;
  double offset;
  double compliance;
} scree_ccp_row_def;

SCREE_API scree_ccp_contact_def scree_ccp_contact_def_default(void);

/* Bodies form. Contacts are blocks 0 … n_contacts-1, generic blocks follow in the order added. */
SCREE_API scree_status scree_ccp_create_bodies(scree_context *context, scree_ccp **problem);
/* Forgets bodies and blocks, keeps memory: for the next step. */
SCREE_API void scree_ccp_clear(scree_ccp *problem);
SCREE_API scree_status scree_ccp_add_body(scree_ccp *problem, const scree_ccp_body_def *def,
                                          uint32_t *index);
SCREE_API scree_status scree_ccp_add_contact(scree_ccp *problem, const scree_ccp_contact_def *def);
SCREE_API scree_status scree_ccp_add_block(scree_ccp *problem, const scree_set *set,
                                           const scree_ccp_row_def *rows);

/* Local form: W (rows = columns = sum of the sets' dims), q of that length; optional diagonal
 * compliance (null: none). Everything is copied and checked. */
SCREE_API scree_status scree_ccp_create_local(scree_context *context, size_t block_count,
                                              const scree_set *sets, const scree_csc *w,
                                              const double *q, const double *compliance,
                                              scree_ccp **problem);
/* Global form: M (n x n, positive definite), H (n x rows), f (n), w (rows). */
SCREE_API scree_status scree_ccp_create_global(scree_context *context, size_t block_count,
                                               const scree_set *sets, const scree_csc *m,
                                               const scree_csc *h, const double *f, const double *w,
                                               const double *compliance, scree_ccp **problem);
SCREE_API void scree_ccp_destroy(scree_ccp *problem);

SCREE_API scree_form scree_ccp_form(const scree_ccp *problem);
SCREE_API size_t scree_ccp_block_count(const scree_ccp *problem);
SCREE_API size_t scree_ccp_row_count(const scree_ccp *problem);
/* Length of v: 6 bodies, or the columns of M; 0 in the local form. */
SCREE_API size_t scree_ccp_velocity_count(const scree_ccp *problem);
SCREE_API size_t scree_ccp_block_row(const scree_ccp *problem, size_t block);
SCREE_API scree_set scree_ccp_block_set(const scree_ccp *problem, size_t block);
/* The speed that R is measured in, m/s: gravity times step in a simulation. 0 (the default):
 * |r|_inf, but no less than a millionth of the velocities that r is the sum of. */
SCREE_API void scree_ccp_set_reference_speed(scree_ccp *problem, double speed);

/* What the operator of a problem knows; costs as much as the setup of a solve. */
typedef struct scree_ccp_facts {
  size_t bodies;         /* 0 where the form has none */
  size_t entries;        /* stored numbers of W, or of M and H; 0 in the bodies form */
  double asymmetry;      /* |N - N'|_F / |N|_F */
  double largest_offset; /* |r|_inf, m/s */
} scree_ccp_facts;
SCREE_API scree_status scree_ccp_get_facts(scree_context *context, const scree_ccp *problem,
                                           scree_ccp_facts *facts);

/* N (compliance included) as compressed columns and r, whatever the form: u = N g + r. `start` has
 * row_count + 1 entries and r row_count; index and value have start[row_count] entries, and are
 * left alone when `capacity` is less than that: a first call with 0 tells how many. r may be null.
 */
SCREE_API scree_status scree_ccp_get_delassus(scree_context *context, const scree_ccp *problem,
                                              size_t capacity, size_t *start, uint32_t *index,
                                              double *value, double *r);

/* ---- residuals ------------------------------------------------------------------------------ */

typedef struct scree_residual {
  double error;             /* E: the exchange format's relative error */
  double scaled;            /* R: worst block, scaled, dimensionless */
  double rms;               /* rms over blocks of the unscaled R, m/s */
  double duality_gap;       /* |g'u| relative to |g||u| */
  double penetration_speed; /* worst approach speed left, m/s */
  double relaxation_gap;    /* worst mu |u_T| over closed contacts, m/s */
  double reference_speed;   /* what R was divided by, m/s */
} scree_residual;

#ifdef __cplusplus
}
#endif
#endif
