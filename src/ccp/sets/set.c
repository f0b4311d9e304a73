/* The sets' public face: constructors, validation and dispatch over the list. */
#include "ccp/sets/set.h"

#define SET(kind, ops) extern const set_ops ops;
#include "ccp/sets/set_list.h"
#undef SET

static const set_ops *const set_table[SCREE_SET_KIND_COUNT] = {
#define SET(kind, ops) [kind] = &ops,
#include "ccp/sets/set_list.h"
#undef SET
};

const set_ops *set_ops_of(scree_set_kind kind) {
  return (unsigned)kind < SCREE_SET_KIND_COUNT ? set_table[kind] : NULL;
}

set_role set_role_of(const scree_set *set) {
  return set_ops_of(set->kind)->role;
}

/* 0 - c, as -c would give a negative zero where there is no cohesion. */
set_outline set_outline_of(const scree_set *set) {
  const set_ops *ops = set_ops_of(set->kind);
  set_outline out = {.role = ops->role, .lo = -INFINITY, .hi = INFINITY};
  if (ops->role == SET_CONE) {
    out.lo = 0.0 - set->cohesion;
    out.hi = set->cap;
  }
  if (ops->outline) ops->outline(set, &out);
  return out;
}

static scree_set set_make(scree_set_kind kind, int dim) {
  return (scree_set){.kind = kind, .dim = dim, .cap = INFINITY};
}

scree_set scree_set_free(int dim) {
  return set_make(SCREE_SET_FREE, dim);
}

scree_set scree_set_ray(void) {
  return set_make(SCREE_SET_RAY, 1);
}

scree_set scree_set_interval(double lo, double hi) {
  scree_set set = set_make(SCREE_SET_INTERVAL, 1);
  set.lo = lo;
  set.hi = hi;
  return set;
}

scree_set scree_set_coulomb(int dim, double mu) {
  scree_set set = set_make(SCREE_SET_COULOMB, dim);
  set.mu = mu;
  return set;
}

scree_set scree_set_elliptic(double mu1, double mu2) {
  scree_set set = set_make(SCREE_SET_ELLIPTIC, 3);
  set.mu = mu1;
  set.mu2 = mu2;
  return set;
}

scree_set scree_set_rolling(int dim, double mu, double rolling, double spinning) {
  scree_set set = set_make(SCREE_SET_ROLLING, dim);
  set.mu = mu;
  set.rolling = rolling;
  set.spinning = spinning;
  return set;
}

scree_set scree_set_user(int dim, const scree_user_set *user) {
  scree_set set = set_make(SCREE_SET_USER, dim);
  set.user = user;
  return set;
}

const char *scree_set_name(scree_set_kind kind) {
  const set_ops *ops = set_ops_of(kind);
  return ops ? ops->name : NULL;
}

static const char *modifier_fault(const scree_set *set, bool modifiable) {
  if (!modifiable)
    return set->cohesion != 0.0 || !(set->cap == INFINITY)
               ? "this set takes neither cohesion nor cap"
               : NULL;
  if (!set_is_coefficient(set->cohesion)) return "cohesion must be finite and not negative";
  if (!(set->cap >= -set->cohesion)) return "cap must not be below -cohesion";
  return NULL;
}

static const char *flow_fault(const scree_set *set, const set_ops *ops) {
  for (int k = 0; k < SCREE_MAX_DIM - 1; k++) {
    if (!(set->flow[k] >= 0.0 && set->flow[k] <= 1.0)) return "flow must be between 0 and 1";
    if (set->flow[k] > 0.0 && (ops->role != SET_CONE || !ops->shift || k + 1 >= set->dim))
      return "only rows of friction have a flow";
  }
  if (!set_has_flow(set)) return NULL;
  set_flow_parts parts;
  set_flow_split(set, &parts);
  for (int k = 1; k < set->dim; k++)
    if (!(parts.along[k] >= 1e-6))
      return "flow of two rows of a disc must be 0 in both, or above 0 and not too different";
  return NULL;
}

const char *scree_set_fault(const scree_set *set) {
  if (!set) return "there is no set";
  const set_ops *ops = set_ops_of(set->kind);
  if (!ops) return "unknown kind of set";
  const char *fault = ops->fault(set);
  if (!fault) fault = modifier_fault(set, ops->modifiable);
  return fault ? fault : flow_fault(set, ops);
}

void scree_set_project(const scree_set *set, double moment_weight, double *x) {
  if (!set) return;
  set_ops_of(set->kind)->project(set, moment_weight, x);
}

double scree_set_dual_violation(const scree_set *set, const double *u) {
  if (!set) return 0.0;
  return set_ops_of(set->kind)->dual_violation(set, u);
}

double scree_set_shift(const scree_set *set, const double *u) {
  if (!set) return 0.0;
  const set_ops *ops = set_ops_of(set->kind);
  return ops->shift ? ops->shift(set, u) : 0.0;
}
