/* Bounces of bodies with joints, by Newton's law in the cone problem (laws/law.c): do they give
 * energy?
 *
 * Without friction one restitution for all contacts never does. With friction it may (Kane and
 * Levinson's pendulum): what the tangents take in the step with e = 0 is another impulse than the
 * one that goes with e. The work of the contacts is their impulses times the mean of the velocities
 * before and after; where it is above zero, the step is solved again with half of the restitution,
 * a quarter, none. */
#include "assemble/assembler.h"
#include "ccp/problem.h"

static v3 between(const ccp_contact *c, const v3 *linear, const v3 *angular, uint32_t i,
                  uint32_t j) {
  return v3_sub(v3_add(linear[j], v3_cross(angular[j], v3_load(c->arm_b))),
                v3_add(linear[i], v3_cross(angular[i], v3_load(c->arm_a))));
}

/* The energy that a bounce may seem to give, by rounding and by the forces of the step, as a part
 * of the energy that it exchanges. */
static const double given_part = 0.01;
static const double least_newton = 0.2;

/* Does contact k bounce? Without overlap only a bounce makes the offset negative. */
static bool bounces(const assembler *a, const cache_key *key, size_t k) {
  return (a->impacts.joined[key[k].a] || a->impacts.joined[key[k].b]) &&
         (double)a->memory.gap[k] >= 0.0 && a->problem->offset[a->problem->row_start[k]] < 0.0;
}

void assembler_find_jolt(assembler *a) {
  const cache_key *key = collide_cache(a->collide)->now.key;
  a->impacts.jolted = false;
  if (!a->impacts.bounces || !a->world->joint_count) return;
  for (size_t k = 0; k < a->memory.contact_count && !a->impacts.jolted; k++)
    a->impacts.jolted = bounces(a, key, k);
}

bool assembler_bounce_gives(assembler *a) {
  const cache_key *key = collide_cache(a->collide)->now.key;
  const world_bodies *b = &a->world->bodies;
  double work = 0.0, turned = 0.0;
  if (!a->impacts.bounces || !(a->impacts.newton_part > 0.0)) return false;
  for (size_t k = 0; k < a->memory.contact_count; k++) {
    const uint32_t i = key[k].a, j = key[k].b;
    const scree_ccp *p = a->problem;
    if (!bounces(a, key, k) || !(a->g[p->row_start[k]] > 0.0)) continue;
    const ccp_contact *c = &p->bodies.contact[k];
    const v3 before = between(c, b->linear, b->angular, i, j), p_world = assembler_impulse(a, k);
    const v3 after = between(c, a->linear, a->angular, i, j);
    work += 0.5 * v3_dot(p_world, v3_add(before, after));
    turned += fabs(v3_dot(p_world, before));
  }
  if (!(work > given_part * turned)) return false;
  a->impacts.newton_part =
      a->impacts.newton_part > least_newton ? 0.5 * a->impacts.newton_part : 0.0;
  return true;
}

/* Whether anything can bounce, and which bodies have joints or links: theirs are Newton's bounces.
 */
scree_status assembler_find_bounces(assembler *a, bool again) {
  const scree_world *w = a->world;
  a->impacts.bounces = false;
  if (!again) a->impacts.newton_part = 1.0;
  for (size_t k = 0; k < w->material_count * w->material_count && !a->impacts.bounces; k++)
    a->impacts.bounces = law_bounces(&w->pair[k]);
  if (!a->impacts.bounces) return SCREE_OK;
  if (memory_grow(a->context, &a->impacts.joined, w->bodies.limit, sizeof *a->impacts.joined))
    return SCREE_ERROR_MEMORY;
  memset(a->impacts.joined, 0, w->bodies.limit * sizeof *a->impacts.joined);
  for (size_t k = 0; k < w->joint_limit; k++) {
    const joint *j = &w->joint[k];
    for (int s = 0; s < JOINT_SIDES && j->alive && !j->broken; s++)
      if (j->body[s] != WORLD_NO_BODY) a->impacts.joined[j->body[s]] = 1;
  }
  for (size_t k = 0; k < w->link_limit; k++) {
    const world_link *l = &w->link[k];
    for (uint32_t m = 0; l->alive && l->rows && m < l->body_count; m++)
      if (l->body[m] != WORLD_NO_BODY) a->impacts.joined[l->body[m]] = 1;
  }
  return SCREE_OK;
}
