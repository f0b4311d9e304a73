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

/* Rows of one disc: the two tangents, the two of rolling, the one of spinning. */
static int disc_end(int dim, int first) {
  return first + 1 < dim && (first == 1 || dim >= 5) && first < 5 ? first + 2 : first + 1;
}

void set_flow_split(const scree_set *set, set_flow_parts *out) {
  out->along[0] = 1.0;
  out->lift[0] = 0.0;
  for (int first = 1; first < set->dim;) {
    const int end = disc_end(set->dim, first);
    double top = 0.0;
    for (int k = first; k < end; k++) top = set_larger(top, set->flow[k - 1]);
    for (int k = first; k < end; k++) {
      out->along[k] = top > 0.0 ? set->flow[k - 1] / top : 1.0;
      out->lift[k] = top;
    }
    first = end;
  }
}

double set_least_parting(const scree_set *set, scree_model model, const double *u) {
  if (model == SCREE_MODEL_RELAXED) return scree_set_shift(set, u);
  if (!set_has_flow(set)) return 0.0;
  set_flow_parts parts;
  double x[SCREE_MAX_DIM];
  set_flow_split(set, &parts);
  for (int k = 0; k < set->dim; k++) x[k] = parts.lift[k] * parts.along[k] * u[k];
  return scree_set_shift(set, x);
}

static const char *flow_fault(const scree_set *set, const set_ops *ops) {
  for (int k = 0; k < SCREE_MAX_DIM - 1; k++) {
    if (!(set->flow[k] >= 0.0 && set->flow[k] <= 1.0)) return "flow must be between 0 and 1";
    if (set->flow[k] > 0.0 && (!ops->shift || set->kind == SCREE_SET_USER || k + 1 >= set->dim))
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

/* Within a disc of coefficient k let H = top D, top the larger entry. -(u_n, top D u_T) is in the
 * normal cone where u_n = top k |D u_T| and D u_T is along the normal of the disc; just there is
 * -(u_n + (1 - top) k |D u_T|, D u_T) in it, which has a limit as top goes to 0. The shift adds up
 * k |x| over the discs, so that it gives all of them at once. */
void scree_set_flow(const scree_set *set, const double *u, double *w) {
  if (!set || !w) return;
  const int dim = set->dim;
  if (!set_has_flow(set)) {
    const double shift = scree_set_shift(set, u);
    for (int k = 0; k < dim; k++) w[k] = u[k];
    w[0] += shift;
    return;
  }
  set_flow_parts parts;
  double x[SCREE_MAX_DIM] = {0.0};
  set_flow_split(set, &parts);
  for (int k = 1; k < dim; k++) {
    w[k] = parts.along[k] * u[k];
    x[k] = (1.0 - parts.lift[k]) * w[k];
  }
  w[0] = u[0] + scree_set_shift(set, x);
}

double scree_set_shift(const scree_set *set, const double *u) {
  if (!set) return 0.0;
  const set_ops *ops = set_ops_of(set->kind);
  return ops->shift ? ops->shift(set, u) : 0.0;
}
