/* Bodies that sleep one by one, while others about them move (sleep_load in scree/stepper.h).
 *
 * A wheel on a bed of stones keeps no stone awake but those that it changes something for. A body
 * that has been still falls asleep alone and stands as a fixed one; what its neighbours that are
 * awake give it then is its hold H (N, N m). While it sleeps,
 *
 *     |F - H| + |T - H_T| / r <= part * m g,     F, T: what they give it in a step
 *
 * means that it is nearly in equilibrium and stays asleep, unless a quarter of its weight of what
 * all its contacts gave has gone: `part` may be above 1, where loads that come are to be put up
 * with, but nobody stays where it is without its supports. Otherwise it wakes, and the step is made
 * again with it awake, and once more with those that it then presses on: a load goes through a bed
 * for as far as it is worth a part of a stone. Contacts of two who do not move keep their force f:
 * where one of them falls asleep it leaves the other one's hold, H -= f, and is back in it, H += f,
 * when one wakes, so that the balance of a body is that of its first step asleep, however its
 * neighbours come and go. */
#include "assemble/assembler.h"

#include <string.h>

#include "ccp/problem.h"

static uint32_t generations_of(const world_bodies *b, uint32_t i, uint32_t k) {
  return b->generation[i] + 65537u * b->generation[k];
}

uint32_t assembler_pair_generations(const assembler *a, uint32_t i, uint32_t k) {
  return generations_of(&a->world->bodies, i, k);
}

/* Does it stand where it is: asleep, fixed, or driven and at rest? */
static bool stands(const scree_world *w, uint32_t i) {
  return w->bodies.alive[i] && !world_is_dynamic(w, i);
}

/* One of the two is awake, or no longer there. */
static bool is_over(const scree_world *w, const contact_asleep *c) {
  return !stands(w, c->body_a) || !stands(w, c->body_b) ||
         c->generations != generations_of(&w->bodies, c->body_a, c->body_b);
}

static void add_load(body_load *to, double part, v3 force, v3 torque) {
  to->force = v3_add_scaled(to->force, part, force);
  to->torque = v3_add_scaled(to->torque, part, torque);
}

v3 assembler_kept_torque(const assembler *a, const contact_asleep *c, bool first) {
  const v3 arm = first ? v3_sub(c->position, a->world->bodies.position[c->body_a]) : c->arm_b;
  return v3_scale(first ? -1.0 : 1.0, v3_add(c->torque, v3_cross(arm, c->force)));
}

/* Of a kept contact, to its first body or its second, if that one sleeps. */
static void add_kept(const assembler *a, body_load *to, double part, const contact_asleep *c,
                     bool first) {
  if (world_sleeps(a->world, first ? c->body_a : c->body_b))
    add_load(to, part, v3_scale(first ? -1.0 : 1.0, c->force), assembler_kept_torque(a, c, first));
}

/* What contact k of the problem gives to body i, one of its two. */
static void add_live(const assembler *a, body_load *to, uint32_t i, double part, size_t k) {
  const cache_key key = collide_cache(a->collide)->now.key[k];
  const ccp_contact *c = &a->problem->bodies.contact[k];
  const bool first = key.a == i;
  const double scale = (first ? -part : part) / a->kick;
  const v3 p = assembler_whole_impulse(a, k), arm = v3_load(first ? c->arm_a : c->arm_b);
  add_load(to, scale, p, v3_add(assembler_moment(a, k), v3_cross(arm, p)));
}

/* Since the last look at the kept contacts nobody fell asleep or woke, came or went. */
static bool same_sleepers(const assembler *a) {
  return a->sleep.looked && a->sleep.looked_asleep == a->world->sleep_revision &&
         a->sleep.looked_world == a->world->revision;
}

void assembler_release_contacts(assembler *a) {
  size_t n = 0;
  if (same_sleepers(a)) return;
  body_load *hold = a->world->bodies.hold;
  for (size_t k = 0; k < a->sleep.contact_count; k++) {
    const contact_asleep c = a->sleep.contact[k];
    if (!is_over(a->world, &c)) {
      a->sleep.contact[n++] = c;
    } else if (hold) {
      add_kept(a, &hold[c.body_a], 1.0, &c, true);
      add_kept(a, &hold[c.body_b], 1.0, &c, false);
    }
  }
  a->sleep.contact_count = n;
  a->sleep.looked = true; /* none of them is over */
  a->sleep.looked_asleep = a->world->sleep_revision;
  a->sleep.looked_world = a->world->revision;
}

scree_status assembler_hold_contact(assembler *a, size_t k) {
  scree_world *w = a->world;
  const cache_key key = collide_cache(a->collide)->now.key[k];
  const uint32_t body[2] = {key.a, key.b};
  const bool both = stands(w, key.a) && stands(w, key.b);
  for (int s = 0; s < 2; s++) {
    const bool now = a->sleep.island[body[s]];
    if (!world_sleeps(w, body[s]) || now == both) continue;
    add_live(a, &w->bodies.hold[body[s]], body[s], both ? -1.0 : 1.0, k);
  }
  return both ? assembler_keep_asleep(a, k) : SCREE_OK;
}

scree_status assembler_note_woken(assembler *a) {
  const size_t limit = a->world->bodies.limit, count = a->sleep.contact_count;
  bool any = false;
  a->sleep.any_woken = false;
  if (same_sleepers(a)) return SCREE_OK;
  for (size_t k = 0; k < count && !any; k++) any = is_over(a->world, &a->sleep.contact[k]);
  if (!any) return SCREE_OK;
  if (memory_grow(a->context, &a->sleep.woken, limit, sizeof *a->sleep.woken) ||
      memory_grow(a->context, &a->sleep.woken_next, count, sizeof *a->sleep.woken_next))
    return SCREE_ERROR_MEMORY;
  memset(a->sleep.woken, 0, limit * sizeof *a->sleep.woken);
  for (size_t k = count; k-- > 0;) {
    const contact_asleep *c = &a->sleep.contact[k];
    if (!is_over(a->world, c)) continue;
    a->sleep.woken_next[k] = a->sleep.woken[c->body_a];
    a->sleep.woken[c->body_a] = (uint32_t)(1 + k);
  }
  a->sleep.any_woken = true;
  return SCREE_OK;
}

bool assembler_recall_woken(const assembler *a, const collide_contact *c, v3 place, v3 *force) {
  double least = INFINITY;
  if (!a->sleep.any_woken) return false;
  for (uint32_t m = a->sleep.woken[c->a]; m; m = a->sleep.woken_next[m - 1]) {
    const contact_asleep *kept = &a->sleep.contact[m - 1];
    if (kept->body_b != c->b) continue;
    const double apart = v3_norm2(v3_sub(kept->position, place));
    if (!(apart < least)) continue;
    least = apart;
    *force = kept->force;
  }
  return isfinite(least);
}

/* The load of a body at rest is steady too: where forces still find their way through a bed, who
 * fell asleep would wake at once. */
static const double steady_part = 0.5;

/* Takes what contact k presses with from what its bodies have lost. */
static void take_pressed(assembler *a, size_t k) {
  const cache_key key = collide_cache(a->collide)->now.key[k];
  const double f = v3_norm(assembler_whole_impulse(a, k)) / a->kick;
  a->sleep.change[key.a].lost -= f;
  a->sleep.change[key.b].lost -= f;
}

void assembler_note_steady(assembler *a, double part) {
  const scree_world *w = a->world;
  const world_bodies *b = &w->bodies;
  memset(a->sleep.change, 0, b->limit * sizeof *a->sleep.change);
  for (size_t k = 0; k < a->memory.contact_count; k++)
    if (assembler_presses(a, k)) take_pressed(a, k);
  for (size_t i = 0; i < b->limit; i++) {
    if (!world_is_dynamic(w, i)) continue;
    const double now = -a->sleep.change[i].lost;
    if (fabs(now - (double)b->pressed[i]) <= steady_part * part * b->mass[i] * a->gravity) continue;
    b->pressed[i] = (float)now;
    b->still[i] = 0.0f;
  }
}

/* What may go of the sum of what contacts give, in weights: less than one of three supports. */
static const double lost_part = 0.25;

static void find_changes(assembler *a) {
  const scree_world *w = a->world;
  sleep_change *change = a->sleep.change;
  const cache_key *key = collide_cache(a->collide)->now.key;
  for (size_t i = 0; i < w->bodies.limit; i++) {
    change[i] = (sleep_change){.lost = (double)w->bodies.pressed[i]};
    if (world_sleeps(w, i))
      add_load(&change[i].more, -1.0, w->bodies.hold[i].force, w->bodies.hold[i].torque);
  }
  for (size_t k = 0; k < a->sleep.contact_count; k++) {
    const contact_asleep *c = &a->sleep.contact[k];
    if (is_over(w, c)) {
      add_kept(a, &change[c->body_a].more, -1.0, c, true);
      add_kept(a, &change[c->body_b].more, -1.0, c, false);
    } else {
      change[c->body_a].lost -= v3_norm(c->force);
      change[c->body_b].lost -= v3_norm(c->force);
    }
  }
  for (size_t k = 0; k < a->memory.contact_count; k++) {
    if (!assembler_presses(a, k)) continue;
    take_pressed(a, k);
    if (world_sleeps(w, key[k].a)) add_live(a, &change[key[k].a].more, key[k].a, 1.0, k);
    if (world_sleeps(w, key[k].b)) add_live(a, &change[key[k].b].more, key[k].b, 1.0, k);
  }
}

bool assembler_wake_unheld(assembler *a, double part) {
  scree_world *w = a->world;
  const world_bodies *b = &w->bodies;
  const size_t before = w->asleep_count;
  if (!before) return false;
  /* Of who fell asleep in another way, or without memory, nothing is known. */
  if (!b->hold || !b->pressed ||
      memory_grow(a->context, &a->sleep.change, b->limit, sizeof *a->sleep.change))
    return assembler_wake_pressed(a);
  find_changes(a);
  for (size_t i = 0; i < b->limit; i++) {
    if (!world_sleeps(w, i)) continue;
    const sleep_change *c = &a->sleep.change[i];
    const double weight = b->mass[i] * a->gravity;
    double size = v3_norm(c->more.force);
    if (isfinite(b->radius[i])) size += v3_norm(c->more.torque) / b->radius[i];
    if (size > part * weight || c->lost > lost_part * weight) world_wake_alone(w, i);
  }
  return w->asleep_count < before;
}
