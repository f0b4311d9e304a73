/* Contacts of the last step, for callers. On several ranks each has its own; before a caller gets
 * them, all are gathered (stepper_gather_contacts), by bodies. */
#include <stdlib.h>
#include <string.h>

#include "base/argument.h"
#include "ccp/problem.h"
#include "step/stepper.h"

static scree_contact awake_contact(const scree_stepper *s, size_t k) {
  const assembler *a = s->assembler;
  const world_bodies *b = &s->world->bodies;
  const ccp_contact *c = &a->problem->bodies.contact[k];
  const cache_key *key = &collide_cache(a->collide)->now.key[k];
  /* Arms are those of the start of the step, bodies have moved on since. */
  v3 center = v3_add_scaled(b->position[key->a], -a->h, b->linear[key->a]);
  const periodic *box = &s->world->box;
  if (periodic_is_on(box) && world_is_dynamic(s->world, key->a))
    center = v3_add(center, periodic_nearest(box, v3_load(box->center), b->position[key->a]).shift);
  scree_contact out = {
      .body_a = key->a, .body_b = key->b, .feature = key->feature, .gap = (double)a->memory.gap[k]};
  v3_store(out.position, v3_add(center, v3_load(c->arm_a)));
  memcpy(out.normal, c->normal, sizeof out.normal);
  v3_store(out.impulse, assembler_whole_impulse(a, k));
  if (a->memory.has_moment_now) v3_store(out.moment, a->memory.moment_now[k].moment);
  return out;
}

static size_t count_awake(const assembler *a) {
  return a->memory.solved ? a->memory.contact_count : 0;
}

/* Of bodies asleep: forces are kept, impulses last as long as those of the others. */
static scree_contact slept_contact(const assembler *a, size_t k) {
  const contact_asleep *c = &a->sleep.contact[k];
  scree_contact out = {
      .body_a = c->body_a, .body_b = c->body_b, .feature = c->feature, .gap = c->gap};
  v3_store(out.position, c->position);
  v3_store(out.normal, c->normal);
  v3_store(out.impulse, v3_scale(a->kick, c->force));
  v3_store(out.moment, v3_scale(a->kick, c->torque));
  return out;
}

static size_t count_here(const scree_stepper *s) {
  return count_awake(s->assembler) + s->assembler->sleep.contact_count;
}

static scree_contact contact_here(const scree_stepper *s, size_t k) {
  const size_t awake = count_awake(s->assembler);
  return k < awake ? awake_contact(s, k) : slept_contact(s->assembler, k - awake);
}

scree_contact scree_stepper_get_contact(const scree_stepper *s, size_t k) {
  if (!s || k >= scree_stepper_get_contacts(s, 0, NULL)) return (scree_contact){0};
  return s->assembler->ranks ? s->gathered[k] : contact_here(s, k);
}

size_t scree_stepper_get_contacts(const scree_stepper *s, size_t capacity, scree_contact *out) {
  if (!s) return 0;
  if (!out) capacity = 0;
  const size_t n = s->assembler->ranks ? s->gathered_count : count_here(s);
  for (size_t k = 0; k < n && k < capacity; k++) out[k] = scree_stepper_get_contact(s, k);
  return n;
}

/* Of gathered contacts, whose arms are where they touch seen from the start of the step. */
static void sum_gathered(const scree_stepper *s, uint32_t i, v3 *force, v3 *torque) {
  const world_bodies *b = &s->world->bodies;
  const double kick = s->assembler->kick;
  const v3 center = v3_add_scaled(b->position[i], -s->assembler->h, b->linear[i]);
  for (size_t k = 0; k < s->gathered_count; k++) {
    const scree_contact *c = &s->gathered[k];
    if (c->body_a != i && c->body_b != i) continue;
    const double sign = c->body_b == i ? 1.0 : -1.0;
    const v3 p = v3_scale(sign / kick, v3_load(c->impulse));
    *force = v3_add(*force, p);
    *torque = v3_add(*torque, v3_cross(v3_sub(v3_load(c->position), center), p));
    *torque = v3_add_scaled(*torque, sign / kick, v3_load(c->moment));
  }
}

scree_status scree_stepper_get_contact_force(const scree_stepper *s, scree_body_id body,
                                             double force[3], double torque[3]) {
  ARGUMENT_CHECK(s ? s->context : NULL, s);
  const uint32_t i = world_find_body(s->world, body);
  const assembler *a = s->assembler;
  v3 f = {0, 0, 0}, t = {0, 0, 0};
  if (i == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
  const cache_key *key = collide_cache(a->collide)->now.key;
  if (a->ranks) sum_gathered(s, i, &f, &t);
  for (size_t k = 0; !a->ranks && a->memory.solved && k < a->memory.contact_count; k++) {
    if (key[k].a != i && key[k].b != i) continue;
    const ccp_contact *c = &a->problem->bodies.contact[k];
    const double sign = key[k].b == i ? 1.0 : -1.0;
    const v3 p = v3_scale(sign / a->kick, assembler_whole_impulse(a, k));
    f = v3_add(f, p);
    t = v3_add(t, v3_cross(v3_load(key[k].b == i ? c->arm_b : c->arm_a), p));
    if (a->memory.has_moment_now)
      t = v3_add_scaled(t, sign / a->kick, a->memory.moment_now[k].moment);
  }
  for (size_t k = 0; !a->ranks && k < a->sleep.contact_count; k++) {
    const contact_asleep *c = &a->sleep.contact[k];
    if (c->body_a != i && c->body_b != i) continue;
    f = v3_add_scaled(f, c->body_b == i ? 1.0 : -1.0, c->force);
    t = v3_add(t, assembler_kept_torque(a, c, c->body_a == i));
  }
  v3_store(force, f);
  v3_store(torque, t);
  return SCREE_OK;
}

/* ---- of all ranks ---------------------------------------------------------------------------- */

static int compare(const void *x, const void *y) {
  const scree_contact *p = x, *q = y;
  if (p->body_a != q->body_a) return p->body_a < q->body_a ? -1 : 1;
  if (p->body_b != q->body_b) return p->body_b < q->body_b ? -1 : 1;
  return p->feature < q->feature ? -1 : p->feature > q->feature;
}

scree_status stepper_gather_contacts(scree_stepper *s) {
  rank_team *r = s->assembler->ranks ? s->context->ranks : NULL;
  if (!r) return SCREE_OK;
  const size_t mine = count_here(s), n = (size_t)r->count;
  size_t *size = memory_new(s->context, 2 * n, sizeof *size), *offset = size + n, total = 0;
  if (!size) return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < n; k++) {
    offset[k] = k * sizeof mine;
    size[k] = sizeof mine;
  }
  size_t *count = memory_new(s->context, n, sizeof *count);
  scree_contact *own = memory_new(s->context, mine + 1, sizeof *own);
  scree_status status = count && own ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) r->gather(r, &mine, count, offset, size);
  for (size_t k = 0; !status && k < n; k++) {
    offset[k] = total * sizeof *own;
    size[k] = count[k] * sizeof *own;
    total += count[k];
  }
  if (!status) status = memory_grow(s->context, &s->gathered, total + 1, sizeof *s->gathered);
  if (!status) {
    for (size_t k = 0; k < mine; k++) own[k] = contact_here(s, k);
    r->gather(r, own, s->gathered, offset, size);
    qsort(s->gathered, total, sizeof *s->gathered, compare);
    s->gathered_count = total;
  }
  memory_free(s->context, size);
  memory_free(s->context, count);
  memory_free(s->context, own);
  return status;
}
