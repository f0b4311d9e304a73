/* Compliant contact: a spring and a damper a = damping in parallel, stepped implicitly:
 *
 *   force = -(gap at the end + a rate) / c   <=>   C = c / (k (h + a)),  b = gap / (h + a)
 *
 * with k the time that the impulse lasts, h but for a first step. *
 * Ahead of touch the damper does not act (a = 0 there): it would brake a body in mid-air. Along the
 * tangents the same spring stretches by the slip s that the contact carries from step to step:
 * b_t = s / (h + a). After the step s = -c_t force_t - a rate, which is s + h rate while the
 * contact sticks and stays on the cone when it slides. A direction without compliance is rigid. */
#include "assemble/law.h"

static bool applies(const scree_material_def *m) {
  return m->compliance > 0.0 || m->compliance_tangent > 0.0;
}

static void fill(const law_input *in, scree_ccp_contact_def *out) {
  const scree_material_def *m = in->material;
  const double h = in->h, a = in->gap > 0.0 ? 0.0 : m->damping;
  out->offset[0] = m->compliance > 0.0 ? in->gap / (h + a) : law_rigid_offset(in);
  out->compliance[0] = m->compliance / (in->kick * (h + a));
  if (out->set.dim < 3 || m->compliance_tangent <= 0.0) return;
  for (int k = 0; k < 2; k++) {
    out->offset[1 + k] = in->slip[k] / (h + a);
    out->compliance[1 + k] = m->compliance_tangent / (in->kick * (h + a));
  }
}

static void slip(const scree_material_def *m, double h, double gap, const double *impulse,
                 const double *velocity, double *s) {
  const double a = gap > 0.0 ? 0.0 : m->damping;
  for (int k = 0; k < 2; k++) s[k] = -m->compliance_tangent * impulse[k] / h - a * velocity[k];
}

const law_class law_compliant = {
    .name = "compliant", .applies = applies, .fill = fill, .slip = slip};
