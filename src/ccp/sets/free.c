/* R^d: bilateral rows. Every impulse is allowed, and u must vanish. */
#include "ccp/sets/local.h"
#include "ccp/sets/set.h"

static const char *fault(const scree_set *set) {
  return set->dim >= 1 && set->dim <= SCREE_MAX_DIM ? NULL : "a free set has 1 to 6 rows";
}

static void project(const scree_set *set, double moment_weight, double *x) {
  (void)set;
  (void)moment_weight;
  (void)x;
}

static double dual_violation(const scree_set *set, const double *u) {
  double norm = 0.0;
  for (int i = 0; i < set->dim; i++) norm = set_norm2(norm, u[i]);
  return norm;
}

const set_ops set_free_ops = {.name = "free",
                              .role = SET_BILATERAL,
                              .fault = fault,
                              .project = project,
                              .dual_violation = dual_violation,
                              .solve = set_local_free};
