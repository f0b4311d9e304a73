/* lo <= g <= hi: limited motors, dry friction of a joint, box friction. Either end may be infinite.
 */
#include "ccp/sets/local.h"
#include "ccp/sets/set.h"

static const char *fault(const scree_set *set) {
  if (set->dim != 1) return "an interval has 1 row";
  if (!(set->lo <= set->hi)) return "an interval needs lo <= hi";
  if (set->lo == INFINITY || set->hi == -INFINITY) return "an interval must hold a finite number";
  return NULL;
}

static void project(const scree_set *set, double moment_weight, double *x) {
  (void)moment_weight;
  if (x[0] < set->lo) x[0] = set->lo;
  if (x[0] > set->hi) x[0] = set->hi;
}

/* Of the dual of the recession cone: an end that is finite can balance any u of its sign. */
static double dual_violation(const scree_set *set, const double *u) {
  if (isnan(u[0])) return u[0];
  if (u[0] < 0.0) return set->hi < INFINITY ? 0.0 : -u[0];
  return set->lo > -INFINITY ? 0.0 : u[0];
}

static bool solve(const scree_set *set, scree_model model, const double *nii, const double *q,
                  double *g) {
  (void)model;
  return set_local_clamp(set->lo, set->hi, nii[0], q[0], g);
}

static void outline(const scree_set *set, set_outline *out) {
  out->lo = set->lo;
  out->hi = set->hi;
}

static void scale(scree_set *set, const double *root) {
  set->lo /= root[0];
  set->hi /= root[0];
}

const set_ops set_interval_ops = {.name = "interval",
                                  .role = SET_BOUNDED,
                                  .outline = outline,
                                  .scale = scale,
                                  .fault = fault,
                                  .project = project,
                                  .dual_violation = dual_violation,
                                  .solve = solve};
