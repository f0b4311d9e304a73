/* What the convex relaxation of friction does to a step.
 *
 * In the relaxed model a contact that slides with u_T parts at u_n = mu |u_T|: within a step of h
 * its bodies are pushed apart by h mu |u_T|, however small the normal force is. Where that is small
 * against the bodies it does no harm; a ball that is launched along the floor hops. So the lift is
 * reported in parts of a diameter, and contacts with more than a thousandth are counted. */
#include <math.h>

#include "assemble/assembler.h"
#include "ccp/problem.h"

static const double counted_percent = 0.1;

static v3 velocity_of(const assembler *a, uint32_t body, const double *arm) {
  return v3_add(a->linear[body], v3_cross(a->angular[body], v3_load(arm)));
}

void assembler_find_lift(const assembler *a, double *worst_percent, size_t *lifted) {
  const cache_key *key = collide_cache(a->collide)->now.key;
  const world_bodies *b = &a->world->bodies;
  for (size_t k = 0; k < a->memory.contact_count; k++) {
    const scree_set *set = ccp_set(a->problem, k);
    if (!(a->g[a->problem->row_start[k]] > 0.0) || !(set->mu > 0.0)) continue;
    const ccp_contact *c = &a->problem->bodies.contact[k];
    const v3 n = v3_load(c->normal);
    const v3 u = v3_sub(velocity_of(a, key[k].b, c->arm_b), velocity_of(a, key[k].a, c->arm_a));
    const double slip = v3_norm(v3_add_scaled(u, -v3_dot(n, u), n));
    const double diameter = view_less(b->diameter[key[k].a], b->diameter[key[k].b]);
    const double percent = 100.0 * a->h * set->mu * slip / diameter;
    *worst_percent = fmax(*worst_percent, percent);
    *lifted += percent > counted_percent;
  }
}
