/* The flow of the exact model, H: what of a velocity the normal cone of a set is asked for
 * (scree/ccp.h). Kernels of devices are made of this too. */
#include "ccp/sets/set.h"

void set_flow_split(const scree_set *set, set_flow_parts *out) {
  const set_outline o = set_outline_of(set);
  for (int k = 0; k < SCREE_MAX_DIM; k++) {
    out->along[k] = 1.0;
    out->lift[k] = 0.0;
  }
  for (int j = 0; j < o.disc_count; j++) {
    const int first = o.disc[j].first, end = first + o.disc[j].count;
    double top = 0.0;
    for (int k = first; k < end; k++) top = set_larger(top, set->flow[k - 1]);
    for (int k = first; k < end; k++) {
      out->along[k] = top > 0.0 ? set->flow[k - 1] / top : 1.0;
      out->lift[k] = top;
    }
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
