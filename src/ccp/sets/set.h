/* What a set of impulses must supply, and the few helpers that its file may use.
 *
 * A set is a file <name>.c with one `set_ops` and a row in set_list.h. Rows are normal first.
 * The metric of a projection is |force|^2 + w |moment|^2: w, in 1/m^2, makes moments comparable.
 *
 * Cohesion c and cap are handled inside the projections. With n the normal and t the rest, the set
 * is {-c <= n <= cap, t in (n + c) B} for a convex B. After minimising over t the squared distance
 * is a convex function of n alone (a partial minimum of a jointly convex function), hence its
 * minimum over an interval is its free minimum clamped to it; t then follows from that n. */
#ifndef SCREE_CCP_SETS_SET_H
#define SCREE_CCP_SETS_SET_H

#include "ccp/sets/rows.h"
#include "scree/ccp.h"
#include <math.h>
#include <stdbool.h>

/* The role of a set, for code that need not know its kind. */
typedef enum set_role {
  SET_BILATERAL, /* every impulse is allowed, u = 0 */
  SET_BOUNDED,   /* one row between two bounds */
  SET_CONE,      /* a normal, above an apex and perhaps below a cap, and what it allows across it */
  SET_OPAQUE     /* nothing is known but its functions */
} set_role;

/* Rows that are bounded together: sqrt(sum (x_k / size_k)^2) <= x_0 - lo. */
typedef struct set_disc {
  int first, count; /* 1 or 2 rows */
  double size[2];   /* half axes where x_0 - lo is 1; of one row both are the same */
  bool round;       /* by its nature: one coefficient for all of its rows */
} set_disc;

enum { SET_MAX_DISCS = 3 };

/* A set in the words of those that do not know its kind: lo <= x_0 <= hi, and its discs. Rows of a
 * bilateral set have no bounds; of a cone lo is the apex; of an opaque set there is nothing here.
 */
typedef struct set_outline {
  set_role role;
  double lo, hi;
  int disc_count;
  set_disc disc[SET_MAX_DISCS];
} set_outline;

set_role set_role_of(const scree_set *set);
set_outline set_outline_of(const scree_set *set);

static inline void set_add_disc(set_outline *out, int first, int count, double size) {
  out->disc[out->disc_count++] = (set_disc){first, count, {size, size}, true};
}

/* The set of z = x / root, row by row; rows of a round disc share a root. */
scree_set set_scaled(const scree_set *set, const double *root);

/* Kernels of devices are compiled from these files too, without function pointers. */
#ifndef SCREE_DEVICE
typedef struct set_ops {
  const char *name;
  set_role role;
  /* Adds to lo = -cohesion, hi = cap and no discs, or to no bounds where it takes neither; null:
   * nothing to add. */
  void (*outline)(const scree_set *set, set_outline *out);
  /* Scales the coefficients of the discs, or the bounds, for set_scaled; null: there are none. */
  void (*scale)(scree_set *set, const double *root);
  /* Null, or what is wrong; the kind is already known to be right, modifiers are checked apart. */
  const char *(*fault)(const scree_set *set);
  void (*project)(const scree_set *set, double moment_weight, double *x);
  double (*dual_violation)(const scree_set *set, const double *u);
  /* Null: no friction, the shift is 0. */
  double (*shift)(const scree_set *set, const double *u);
  /* One block alone: set_solve_block of sets/local.h. */
  bool (*solve)(const scree_set *set, scree_model model, const double *nii, const double *q,
                double *g);
  /* Cohesion and cap may be used. */
  bool modifiable;
} set_ops;

/* Null for a kind that is none. */
const set_ops *set_ops_of(scree_set_kind kind);

/* One block alone, by the kind of its set. */
static inline bool set_solve_kind(const scree_set *set, scree_model model, const double *nii,
                                  const double *q, double *g) {
  return set_ops_of(set->kind)->solve(set, model, nii, q, g);
}

static inline void set_scale_kind(scree_set *set, const double *root) {
  const set_ops *ops = set_ops_of(set->kind);
  if (ops->scale) ops->scale(set, root);
}
#endif

/* Moments, of rolling or spinning, behind its forces. */
static inline bool set_has_moments(const scree_set *set) {
  return set->kind == SCREE_SET_ROLLING;
}

/* Rows that are forces; those behind them are moments. */
static inline int set_force_rows(const scree_set *set) {
  return set_has_moments(set) ? ROWS_FORCES : set->dim;
}

/* Of a set with moments: 0 where it has no such rows. */
static inline double set_rolling_of(const scree_set *set) {
  return rows_roll(set->dim) ? set->rolling : 0.0;
}

static inline double set_spinning_of(const scree_set *set) {
  return rows_spin(set->dim) ? set->spinning : 0.0;
}

/* Does the set have a flow of its own in the exact model (scree/ccp.h)? No function is minimised by
 * such a law. */
static inline bool set_has_flow(const scree_set *set) {
  double sum = 0.0;
  for (int k = 0; k < SCREE_MAX_DIM - 1; k++) sum += set->flow[k];
  return sum > 0.0;
}

static inline bool set_is_modified(const scree_set *set) {
  return set->cohesion != 0.0 || set->cap < INFINITY || set_has_flow(set);
}

/* Kernels have the apex at 0 and Coulomb's flow; caps they take. */
static inline bool set_fits_lanes(const scree_set *set) {
  return set->cohesion == 0.0 && !set_has_flow(set);
}

static inline bool set_has_friction(const scree_set *set) {
  return set->dim > 1 && set_role_of(set) == SET_CONE;
}

/* A set with a normal row and no tangential rows. */
static inline bool set_is_ray(const scree_set *set) {
  return set->kind == SCREE_SET_RAY;
}

/* One round disc of two rows and nothing else: what most kernels are for. `plain`: no modifiers. */
static inline bool set_is_round_cone(const scree_set *set) {
  return set->kind == SCREE_SET_COULOMB && set->dim == 3;
}

static inline bool set_is_plain_cone(const scree_set *set) {
  return set_is_round_cone(set) && !set_is_modified(set);
}

/* H = lift along, row by row: `along` is 1 in the row of each disc that flows most, `lift` the same
 * for all rows of a disc. Coulomb's law: along 1, lift 0; the relaxed model: both 1. */
typedef struct set_flow_parts {
  double along[SCREE_MAX_DIM], lift[SCREE_MAX_DIM];
} set_flow_parts;

void set_flow_split(const scree_set *set, set_flow_parts *out);
/* The least u_n with which a cone at its apex may slide as u does. */
double set_least_parting(const scree_set *set, scree_model model, const double *u);

/* Euclidean norm; hypot only where the squares would leave the range of double. */
static inline double set_norm2(double a, double b) {
  const double s = a * a + b * b;
  if (s > 1e-280 && s < 1e280) return sqrt(s);
  return a == 0.0 && b == 0.0 ? 0.0 : hypot(a, b);
}

static inline bool set_finite(int dim, const double *x) {
  double zero = 0.0;
  for (int i = 0; i < dim; i++) zero += x[i] * 0.0;
  return zero == 0.0;
}

/* The normal row, x[0], between minus the cohesion and the cap; returns it above the apex. */
static inline double set_clamp_normal(const scree_set *set, double s, double *x) {
  if (x[0] <= -set->cohesion) {
    x[0] = -set->cohesion;
    s = 0.0;
  }
  if (x[0] > set->cap) {
    x[0] = set->cap;
    s = set->cap + set->cohesion;
  }
  return s;
}

/* A projection of something that is not finite is no number: never silently zero. */
static inline void set_fill_nan(int dim, double *x) {
  for (int i = 0; i < dim; i++) x[i] = NAN;
}

/* The larger and the smaller; a where b is NaN. fmax and fmin obey NaN on both sides and are calls.
 */
static inline double set_larger(double a, double b) {
  return b > a ? b : a;
}

static inline double set_smaller(double a, double b) {
  return b < a ? b : a;
}

/* max(0, a), but NaN stays. */
static inline double set_positive(double a) {
  return a < 0.0 ? 0.0 : a;
}

/* Does a cone block without impulse, at velocity u, stay so? False may mean: not looked into. */
static inline bool set_stays_open(const scree_set *set, scree_model model, const double *u,
                                  const double *g) {
  if (!set_has_moments(set) || set->cohesion != 0.0 || set_has_flow(set) || !(u[0] >= 0.0))
    return false;
  for (int k = 0; k < set->dim; k++)
    if (g[k] != 0.0 || !(u[k] * 0.0 == 0.0)) return false;
  return model == SCREE_MODEL_COULOMB || u[0] >= scree_set_shift(set, u);
}

static inline bool set_is_coefficient(double a) {
  return a >= 0.0 && a < INFINITY;
}

#endif
