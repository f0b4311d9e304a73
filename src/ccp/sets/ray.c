/* g >= 0: frictionless unilateral contact; with modifiers -cohesion <= g <= cap. */
#include "ccp/sets/local.h"
#include "ccp/sets/set.h"

static const char *fault(const scree_set *set) {
  return set->dim == 1 ? NULL : "a ray has 1 row";
}

static void project(const scree_set *set, double moment_weight, double *x) {
  (void)moment_weight;
  if (x[0] < -set->cohesion) x[0] = -set->cohesion;
  if (x[0] > set->cap) x[0] = set->cap;
}

static double dual_violation(const scree_set *set, const double *u) {
  (void)set;
  return set_positive(-u[0]);
}

static bool solve(const scree_set *set, scree_model model, const double *nii, const double *q,
                  double *g) {
  (void)model;
  return set_local_clamp(-set->cohesion, set->cap, nii[0], q[0], g);
}

const set_ops set_ray_ops = {.name = "ray",
                             .role = SET_CONE,
                             .fault = fault,
                             .project = project,
                             .dual_violation = dual_violation,
                             .solve = solve,
                             .modifiable = true};
