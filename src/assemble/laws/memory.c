/* States of laws, from step to step.
 *
 * Vectors of a state are kept in the world's frame with the normal n of their contact. In the next
 * step they turn with the contact: about n with the mean of the two bodies' turns, when the step is
 * made, and with n, by the shortest turn from the old one to the new. Two bodies that turn as one
 * carry them along; a ball that rolls leaves them in the plane that it rolls on. */
#include "assemble/assembler.h"
#include "ccp/problem.h"

/* Of the speed that gravity gives in a step: what slides slower is taken to stick. Without gravity
 * the speed that R is measured in stands for it. That may be one of other bodies, far above those
 * here, so that nothing is taken to stick that the solve has resolved: a part of it is taken that
 * is as small as twice the R that was reached. It is not 0 either: points that share a load are on
 * their bounds, and move by rounding, long before the load is all that they can bear together. */
static const double slide_part = 2e-3, least_slide_part = 1e-6;

/* A spring that has stretched by more than this part of the smallest diameter is lost, however
 * strong it is: the search would find half of the world for it. */
static const double stretch_part = 0.25;

/* x turned by the shortest turn from unit vector m to unit vector n. */
static v3 turn_along(v3 x, v3 m, v3 n) {
  const v3 axis = v3_cross(m, n);
  const double c = v3_dot(m, n);
  if (!(c > -0.999)) return v3_make(0, 0, 0); /* the other way round: another contact */
  return v3_add(v3_add(v3_scale(c, x), v3_cross(axis, x)),
                v3_scale(v3_dot(axis, x) / (1.0 + c), axis));
}

/* x turned by `angle` about the unit vector n. */
static v3 turn_about(v3 x, v3 n, double angle) {
  const double c = cos(angle), s = sin(angle);
  return v3_add(v3_add(v3_scale(c, x), v3_scale(s, v3_cross(n, x))),
                v3_scale((1.0 - c) * v3_dot(n, x), n));
}

/* The farthest that a law holds, which the search must see: beside its margin that shrinks with the
 * speed, and known before the list of pairs is made. */
void assembler_note_laws(assembler *a) {
  const scree_world *w = a->world;
  const world_bodies *b = &w->bodies;
  double range = 0.0, part = 0.0, radius = 0.0;
  bool cohesive = false;
  a->laws.whole = false;
  for (size_t k = 0; k < w->material_count * w->material_count; k++) {
    a->laws.whole = a->laws.whole || law_keeps_points(&w->pair[k]);
    cohesive = cohesive || law_pulls(&w->pair[k]);
  }
  if (cohesive) {
    part = 1.1 * law_touch_part;
    for (size_t i = 0; i < b->limit; i++)
      if (b->alive[i] && isfinite(b->diameter[i])) radius = fmax(radius, 0.5 * b->diameter[i]);
    for (size_t k = 0; k < w->material_count * w->material_count; k++)
      range =
          fmax(range, 1.1 * law_range(&w->pair[k], radius, stretch_part * a->look.least_diameter));
  }
  if (range > a->laws.held || part > a->laws.held_part) collide_invalidate(a->collide);
  a->laws.held = range;
  a->laws.held_part = part;
}

/* Slip lies across the normal; turning has rows t1, t2, n, as moments have. */
static void split_state(const contact_frame *f, v3 slip, v3 turn, law_state *out) {
  out->slip[0] = v3_dot(f->t1, slip);
  out->slip[1] = v3_dot(f->t2, slip);
  out->turn[0] = v3_dot(f->t1, turn);
  out->turn[1] = v3_dot(f->t2, turn);
  out->turn[2] = v3_dot(f->n, turn);
}

law_state assembler_recall(const assembler *a, uint32_t previous, const contact_frame *f) {
  law_state out = {.value = {0}};
  if (previous == CACHE_NONE || !a->memory.has_state_before) return out;
  const contact_state *s = &a->memory.state_before[previous];
  const v3 slip = turn_along(s->slip, s->normal, f->n), turn = turn_along(s->turn, s->normal, f->n);
  split_state(f, slip, turn, &out);
  for (int k = 0; k < LAW_VALUES; k++) out.value[k] = s->value[k];
  return out;
}

static void put_state(contact_state *out, const law_state *s, const contact_frame *f) {
  out->normal = f->n;
  out->slip = v3_add_scaled(v3_scale(s->slip[0], f->t1), s->slip[1], f->t2);
  out->turn = v3_add_scaled(v3_add_scaled(v3_scale(s->turn[0], f->t1), s->turn[1], f->t2),
                            s->turn[2], f->n);
  for (int k = 0; k < LAW_VALUES; k++) out->value[k] = s->value[k];
}

void assembler_note_state(assembler *a, size_t k, double gap, const law_state *state) {
  const ccp_contact *c = &a->problem->bodies.contact[k];
  const contact_frame f = contact_frame_of(c);
  put_state(&a->memory.state_now[k], state, &f);
  a->memory.state_now[k].gap = gap;
}

static v3 end_velocity(const assembler *a, uint32_t body, const double *arm) {
  return v3_add(a->linear[body], v3_cross(a->angular[body], v3_load(arm)));
}

static double rest_speed(const assembler *a) {
  if (a->gravity > 0.0) return slide_part * a->h * a->gravity;
  const scree_residual *r = &a->solved;
  return fmin(fmax(2.0 * r->scaled, least_slide_part), slide_part) * r->reference_speed;
}

static void update(assembler *a, size_t k, const scree_material_def *m) {
  const cache_key *key = &collide_cache(a->collide)->now.key[k];
  const ccp_contact *c = &a->problem->bodies.contact[k];
  const law_class *law = law_for(m);
  const contact_frame f = contact_frame_of(c);
  const v3 n = f.n;
  v3 u = v3_sub(end_velocity(a, key->b, c->arm_b), end_velocity(a, key->a, c->arm_a));
  if (a->laws.has_surfaces) u = v3_add(u, assembler_belt(a, k, n));
  if (periodic_moves(&a->world->box)) u = v3_add(u, assembler_image(a, k).velocity);
  const v3 w = v3_sub(a->angular[key->b], a->angular[key->a]);
  const law_result result = {
      .material = m,
      .set = ccp_set(a->problem, k),
      .h = a->h,
      .kick = a->kick,
      .gap = a->memory.state_now[k].gap,
      .rest = rest_speed(a),
      .reach = 0.5 * fmin(a->world->bodies.diameter[key->a], a->world->bodies.diameter[key->b]),
      .velocity = {v3_dot(n, u), v3_dot(f.t1, u), v3_dot(f.t2, u)},
      .turning = {v3_dot(f.t1, w), v3_dot(f.t2, w), v3_dot(n, w)},
      .g = a->g + a->problem->row_start[k]};
  contact_state *kept = &a->memory.state_now[k];
  law_state s = {.value = {0}};
  split_state(&f, kept->slip, kept->turn, &s);
  for (int i = 0; i < LAW_VALUES; i++) s.value[i] = kept->value[i];
  (law->update ? law->update : law_keep)(&result, &s);
  put_state(kept, &s, &f);
  const double spin = 0.5 * a->h * (v3_dot(n, a->angular[key->a]) + v3_dot(n, a->angular[key->b]));
  kept->slip = turn_about(kept->slip, n, spin);
  kept->turn = turn_about(kept->turn, n, spin);
}

void assembler_update_states(assembler *a) {
  const cache_key *key = collide_cache(a->collide)->now.key;
  const world_bodies *b = &a->world->bodies;
  for (size_t k = 0; k < a->memory.contact_count; k++) {
    const scree_material_def *m =
        world_pair(a->world, b->material[key[k].a], b->material[key[k].b]);
    if (law_remembers(m)) update(a, k, m);
  }
}
