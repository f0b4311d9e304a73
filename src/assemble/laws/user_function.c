/* The user's law function. It is called once per step for all contacts of its pairs, so that a
 * language with slow calls and fast arrays can write laws too. It gives the force along the normal
 * as a function of the velocity u at the end of the step,
 *
 *   n = p - s u,   s = stiffness h + damping,   n >= -pull
 *
 * With the impulse g = k n, k the time that impulses last, that is the row
 *
 *   u + C g + b >= 0  and  g >= -k pull,  one of them with equality:   C = 1 / (k s),  b = -p / s
 *
 * With s = 0 the row stays the rigid one. Friction is the mu of the set, the pull its cohesion. */
#include <string.h>

#include "assemble/assembler.h"
#include "ccp/problem.h"

scree_status assembler_check_user(assembler *a) {
  const scree_world *w = a->world;
  a->user.count = 0;
  if (w->law_begin) return SCREE_OK;
  for (size_t k = 0; k < w->material_count * w->material_count; k++)
    if (w->pair[k].law == SCREE_LAW_USER)
      return context_fail(
          a->context, SCREE_ERROR_INPUT,
          "the law of materials %zu and %zu is `user`, and there is no function for "
          "it: scree_world_set_law_function, or World.set_law_function in Python",
          k / w->material_count, k % w->material_count);
  return SCREE_OK;
}

scree_status assembler_note_user(assembler *a, size_t k, const collide_contact *c,
                                 const law_input *in, const law_state *state, v3 slide, v3 force) {
  const world_bodies *b = &a->world->bodies;
  const size_t n = a->user.count;
  if (memory_grow(a->context, &a->user.contact, n + 1, sizeof *a->user.contact) ||
      memory_grow(a->context, &a->user.place, n + 1, sizeof *a->user.place))
    return SCREE_ERROR_MEMORY;
  scree_law_contact *out = &a->user.contact[n];
  *out = (scree_law_contact){.body_a = c->a,
                             .body_b = c->b,
                             .material_a = b->material[c->a],
                             .material_b = b->material[c->b],
                             .gap = in->gap,
                             .approach = in->approach,
                             .radius = in->radius,
                             .diameter = in->diameter,
                             .inverse_mass = in->inverse_mass,
                             .friction = ccp_set(a->problem, k)->mu};
  v3_store(out->position, v3_scale(0.5, v3_add(c->point.point_a, c->point.point_b)));
  v3_store(out->normal, c->point.normal);
  v3_store(out->slide, slide);
  v3_store(out->force, force);
  memcpy(out->state, state->value + LAW_OWN, sizeof out->state);
  a->user.place[n] = (uint32_t)k;
  a->user.count = n + 1;
  return SCREE_OK;
}

static scree_status ask(assembler *a, scree_law_function function) {
  const scree_status status =
      function(a->world->law_user, a->world, a->h, a->user.count, a->user.contact);
  if (!status) return SCREE_OK;
  return context_fail(a->context, status, "the law function failed at t = %g s", a->world->time);
}

static scree_status refuse(const assembler *a, const scree_law_contact *c, const char *what,
                           double value, const char *allowed) {
  return context_fail(a->context, SCREE_ERROR_INPUT,
                      "the law function at t = %g s: contact of bodies %u and %u: %s is %g; %s",
                      a->world->time, c->body_a, c->body_b, what, value, allowed);
}

static scree_status check(const assembler *a, const scree_law_contact *c) {
  const struct {
    const char *what;
    double value;
  } positive[] = {{"friction", c->friction},
                  {"pull", c->pull},
                  {"stiffness", c->stiffness},
                  {"damping", c->damping}};
  for (size_t i = 0; i < sizeof positive / sizeof positive[0]; i++)
    if (!(positive[i].value >= 0.0) || isinf(positive[i].value))
      return refuse(a, c, positive[i].what, positive[i].value,
                    "it must be finite and not negative");
  if (!isfinite(c->push)) return refuse(a, c, "push", c->push, "it must be finite");
  if (c->push != 0.0 && !(c->stiffness * a->h + c->damping > 0.0))
    return refuse(a, c, "push", c->push,
                  "a rigid contact, without stiffness and damping, has none");
  for (int i = 0; i < 4; i++)
    if (!isfinite(c->state[i])) return refuse(a, c, "state", c->state[i], "it must be finite");
  return SCREE_OK;
}

static void keep_state(assembler *a, size_t i) {
  memcpy(a->memory.state_now[a->user.place[i]].value + LAW_OWN, a->user.contact[i].state,
         sizeof a->user.contact[i].state);
}

static scree_status apply(assembler *a, size_t i) {
  const scree_law_contact *c = &a->user.contact[i];
  const size_t k = a->user.place[i];
  scree_set set = *ccp_set(a->problem, k);
  if (!set_outline_of(&set).disc[0].round && set.mu > 0.0) set.mu2 *= c->friction / set.mu;
  /* Dilatancy psi stays as it is, at most mu. */
  const double top = fmax(set.flow[0], set.flow[1]), psi = fmin(top * set.mu, c->friction);
  for (int t = 0; t < 2 && top > 0.0; t++)
    set.flow[t] *= c->friction > 0.0 ? psi / (c->friction * top) : 0.0;
  set.mu = c->friction;
  set.cohesion = c->pull * a->kick;
  const double s = c->stiffness * a->h + c->damping;
  const size_t row = a->problem->row_start[k];
  return s > 0.0 ? ccp_change_contact(a->problem, k, &set, -c->push / s, 1.0 / (a->kick * s))
                 : ccp_change_contact(a->problem, k, &set, a->problem->offset[row], 0.0);
}

scree_status assembler_ask_user(assembler *a) {
  if (!a->user.count) return SCREE_OK;
  scree_status status = ask(a, a->world->law_begin);
  for (size_t i = 0; !status && i < a->user.count; i++) {
    status = check(a, &a->user.contact[i]);
    if (!status) status = apply(a, i);
    if (!status) keep_state(a, i);
  }
  return status;
}

static v3 end_velocity(const assembler *a, uint32_t body, const double *arm) {
  return v3_add(a->linear[body], v3_cross(a->angular[body], v3_load(arm)));
}

scree_status assembler_tell_user(assembler *a) {
  if (!a->user.count || !a->world->law_end) return SCREE_OK;
  for (size_t i = 0; i < a->user.count; i++) {
    scree_law_contact *c = &a->user.contact[i];
    const size_t k = a->user.place[i];
    const ccp_contact *at = &a->problem->bodies.contact[k];
    const v3 n = v3_load(c->normal);
    v3 u = v3_sub(end_velocity(a, c->body_b, at->arm_b), end_velocity(a, c->body_a, at->arm_a));
    u = v3_add(u, world_image(a->world, c->body_a, c->body_b).velocity);
    if (a->laws.has_surfaces) u = v3_add(u, assembler_belt(a, k, n));
    c->approach = v3_dot(n, u);
    v3_store(c->slide, v3_add_scaled(u, -c->approach, n));
    v3_store(c->force, v3_scale(1.0 / a->kick, assembler_whole_impulse(a, k)));
    memcpy(c->state, a->memory.state_now[k].value + LAW_OWN, sizeof c->state);
  }
  scree_status status = ask(a, a->world->law_end);
  for (size_t i = 0; !status && i < a->user.count; i++) {
    for (int m = 0; !status && m < 4; m++)
      if (!isfinite(a->user.contact[i].state[m]))
        status = refuse(a, &a->user.contact[i], "state", a->user.contact[i].state[m],
                        "it must be finite");
    keep_state(a, i);
  }
  return status;
}
