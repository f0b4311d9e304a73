/* See masses.h. */
#include "ccp/masses.h"

#include <math.h>

#include "base/memory.h"

static bool has_mass(const scree_ccp_body_def *b) {
  return b->inverse_mass > 0.0;
}

bool ccp_mass_range(const scree_ccp *p, double *least, double *most) {
  *least = INFINITY;
  *most = 0.0;
  for (size_t i = 0; i < p->bodies.body_count; i++) {
    if (!has_mass(&p->bodies.body[i])) continue;
    const double mass = 1.0 / p->bodies.body[i].inverse_mass;
    *least = fmin(*least, mass);
    *most = fmax(*most, mass);
  }
  return *most > 0.0;
}

scree_status ccp_masses_begin(ccp_masses *m, scree_context *context, const scree_ccp *p) {
  ccp_mass_range(p, &m->least, &m->most);
  if (memory_grow(context, &m->body, p->bodies.body_count, sizeof *m->body))
    return SCREE_ERROR_MEMORY;
  m->problem = *p;
  m->problem.bodies.body = m->body;
  return SCREE_OK;
}

double ccp_masses_set(ccp_masses *m, const scree_ccp *p, double t) {
  double sum = 0.0;
  for (size_t i = 0; i < p->bodies.body_count; i++) {
    scree_ccp_body_def *b = &m->body[i];
    *b = p->bodies.body[i];
    if (!has_mass(b)) continue;
    const double factor = t < 1.0 ? pow(b->inverse_mass * m->least, t - 1.0) : 1.0;
    b->inverse_mass *= factor;
    for (int k = 0; k < 6; k++) b->inverse_inertia[k] *= factor;
    sum += 1.0 / b->inverse_mass;
  }
  return sum;
}

void ccp_masses_clear(scree_context *context, ccp_masses *m) {
  memory_free(context, m->body);
}
