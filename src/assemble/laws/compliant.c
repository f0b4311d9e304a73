/* Compliant contact: a spring and a damper a = damping in parallel, stepped implicitly:
 *
 *   force = -(gap at the end + a rate) / c   <=>   C = c / (k (h + a)),  b = gap / (h + a)
 *
 * with k the time that the impulse lasts, h but for a first step.
 *
 * Ahead of touch the damper does not act (a = 0 there): it would brake a body in mid-air. Along the
 * tangents the same spring stretches by the slip s that the contact carries from step to step:
 * b_t = s / (h + a). After the step s = -c_t force_t - a rate, which is s + h rate while the
 * contact sticks and stays on the cone when it slides. A direction without compliance is rigid. */
#include "assemble/laws/law.h"

static void rows(const law_input *in, law_state *state, scree_ccp_contact_def *out) {
  law_spring(in, in->material->compliance, in->gap, in->gap <= 0.0, out);
  law_tangents(in, state, out);
}

const law_class law_compliant = {.name = "compliant", .rows = rows};
