/* A set in other units, a root for each row: what projections in a diagonal metric are made with.
 * Kernels of devices are made of this too. */
#include "ccp/sets/set.h"

scree_set set_scaled(const scree_set *set, const double *root) {
  scree_set s = *set;
  s.cohesion /= root[0];
  s.cap /= root[0];
  set_scale_kind(&s, root);
  return s;
}
