/* What a set of impulses must supply, and the few helpers that its file may use.
 *
 * A set is a file set_<name>.c with one `set_ops` and a row in set_list.h. Rows are normal first.
 * The metric of a projection is |force|^2 + w |moment|^2: w, in 1/m^2, makes moments comparable.
 *
 * Cohesion c and cap are handled inside the projections. With n the normal and t the rest, the set
 * is {-c <= n <= cap, t in (n + c) B} for a convex B. After minimising over t the squared distance
 * is a convex function of n alone (a partial minimum of a jointly convex function), hence its
 * minimum over an interval is its free minimum clamped to it; t then follows from that n. */
#ifndef SCREE_CCP_SETS_SET_H
#define SCREE_CCP_SETS_SET_H

#include "scree/ccp.h"
#include <math.h>
#include <stdbool.h>

/* Kernels of devices are compiled from these files too, without what calls by address. */
#ifndef SCREE_DEVICE
typedef struct set_ops {
  const char *name;
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
#endif

/* Rows that are forces; those behind them are moments. */
static inline int set_force_rows(const scree_set *set) {
  return set->kind == SCREE_SET_ROLLING ? 3 : set->dim;
}

/* A flow of its own in the exact model (scree/ccp.h): what minimises nothing. */
static inline bool set_has_flow(const scree_set *set) {
  double sum = 0.0;
  for (int k = 0; k < SCREE_MAX_DIM - 1; k++) sum += set->flow[k];
  return sum > 0.0;
}

static inline bool set_is_modified(const scree_set *set) {
  return set->cohesion != 0.0 || set->cap < INFINITY || set_has_flow(set);
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

/* A projection of something that is not finite is no number: never silently zero. */
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
  if (set->kind != SCREE_SET_ROLLING || set->cohesion != 0.0 || set_has_flow(set) || !(u[0] >= 0.0))
    return false;
  for (int k = 0; k < set->dim; k++)
    if (g[k] != 0.0 || !(u[k] * 0.0 == 0.0)) return false;
  return model == SCREE_MODEL_COULOMB || u[0] >= scree_set_shift(set, u);
}

static inline bool set_is_coefficient(double a) {
  return a >= 0.0 && a < INFINITY;
}

#endif
