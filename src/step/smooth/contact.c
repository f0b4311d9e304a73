/* See contact.h. */
#include "step/smooth/contact.h"

#include <string.h>

#include "base/search.h"

void smooth_contacts_clear(scree_context *context, smooth_contacts *c) {
  collide_destroy(c->collide);
  memory_free(context, c->memory);
  memory_free(context, c->memory_before);
  memory_free(context, c->touch);
  memory_free(context, c->still);
}

static bool may_meet(const scree_world *w, size_t i, size_t k) {
  const world_bodies *b = &w->bodies;
  if (!b->alive[i] || !b->alive[k] || !b->shape[i] || !b->shape[k]) return false;
  if (!world_is_dynamic(w, i) && !world_is_dynamic(w, k)) return false;
  if (!(b->category[i] & b->collides_with[k]) || !(b->category[k] & b->collides_with[i]))
    return false;
  const uint64_t pair = (uint64_t)i << 32 | k;
  return !search_u64_finds(w->excluded, w->excluded_count, pair);
}

/* A mechanism whose bodies never meet is not searched at all. */
static bool any_pair(const scree_world *w) {
  for (size_t i = 0; i < w->bodies.limit; i++)
    for (size_t k = i + 1; k < w->bodies.limit; k++)
      if (may_meet(w, i, k)) return true;
  return false;
}

static scree_status prepare(scree_stepper *st, smooth_contacts *c) {
  const scree_world *w = st->world;
  if (!c->searched || c->revision != w->revision) {
    c->any = any_pair(w);
    c->searched = true;
    c->revision = w->revision;
    if (c->collide) collide_invalidate(c->collide);
  }
  if (!c->any) return SCREE_OK;
  if (memory_grow(st->context, &c->still, w->bodies.limit, sizeof *c->still))
    return SCREE_ERROR_MEMORY;
  return c->collide ? SCREE_OK : collide_create(st->context, &c->collide);
}

static scree_status begin(scree_stepper *st, smooth_contacts *c) {
  const scree_world *w = st->world;
  const world_bodies *b = &w->bodies;
  const collide_view view = {.count = b->limit,
                             .shape = b->shape,
                             .position = b->position,
                             .rotation = b->rotation,
                             .place = b->place,
                             .linear = c->still,
                             .angular = c->still,
                             .radius = b->radius,
                             .diameter = b->diameter,
                             .category = b->category,
                             .collides_with = b->collides_with,
                             .kind = b->kind,
                             .excluded = w->excluded,
                             .excluded_count = w->excluded_count};
  return collide_begin(c->collide, &view, b->generation, NULL, 0);
}

scree_status smooth_contacts_refuse(scree_stepper *st, smooth_contacts *c) {
  scree_status status = prepare(st, c);
  if (status || !c->any) return status;
  status = begin(st, c);
  while (!status) {
    const collide_contact *batch;
    size_t count;
    status = collide_next(c->collide, &batch, &count);
    if (status || !count) break;
    for (size_t i = 0; i < count; i++) {
      if (batch[i].point.gap >= 0.0) continue;
      return context_fail(
          st->context, SCREE_ERROR_UNSUPPORTED,
          "bodies %u and %u touch at t = %g s: stepper '%s' has no hard contacts; take "
          "'nonsmooth', "
          "or springs (contact: penalty), or keep them apart (collides_with), or let them pass "
          "through each other (contact: none)",
          batch[i].a, batch[i].b, st->world->time, st->class->name);
    }
  }
  return status;
}

/* ---- springs -------------------------------------------------------------------------------- */

static void push(double *f, const uint32_t *rank, uint32_t i, v3 force, v3 arm) {
  if (rank[i] == UINT32_MAX) return;
  double *to = f + 6 * rank[i];
  v3_store(to, v3_add(v3_load(to), force));
  v3_store(to + 3, v3_add(v3_load(to + 3), v3_cross(arm, force)));
}

/* What springs do not know is refused, not left out. */
static scree_status check_law(scree_stepper *st, const collide_contact *k,
                              const scree_material_def **known) {
  const world_bodies *b = &st->world->bodies;
  const scree_material_def *pair = world_pair(st->world, b->material[k->a], b->material[k->b]);
  if (pair == *known) return SCREE_OK;
  const uint32_t both[2] = {k->a, k->b};
  const char *key = material_beyond_springs(pair);
  for (int m = 0; m < 2; m++) { /* that is the surface's, not the pair's */
    const double *belt = st->world->material[b->material[both[m]]].surface_velocity;
    if (belt[0] != 0.0 || belt[1] != 0.0 || belt[2] != 0.0) key = "surface_velocity";
  }
  *known = pair;
  if (!key) return SCREE_OK;
  return context_fail(
      st->context, SCREE_ERROR_UNSUPPORTED,
      "bodies %u and %u are near each other, and their materials have %s: springs (contact: "
      "penalty) know friction and restitution alone; take the stepper nonsmooth, or "
      "leave it out",
      k->a, k->b, key);
}

static scree_status push_batch(scree_stepper *st, smooth_contacts *c, const penalty_law *law,
                               double h, const collide_contact *batch, size_t count,
                               const uint32_t *rank, double *f) {
  if (memory_grow(st->context, &c->memory, c->count + count, sizeof *c->memory) ||
      memory_grow(st->context, &c->touch, c->touch_count + count, sizeof *c->touch))
    return SCREE_ERROR_MEMORY;
  const scree_material_def *known = NULL;
  for (size_t i = 0; i < count; i++) {
    const collide_contact *k = &batch[i];
    const uint32_t old = k->match.previous;
    penalty_memory memory = {.slip = v3_make(0, 0, 0)};
    if (check_law(st, k, &known)) return SCREE_ERROR_UNSUPPORTED;
    if (old != CACHE_NONE && old < c->before) memory = c->memory_before[old];
    if (k->point.gap < 0.0) {
      penalty_touch *touch = &c->touch[c->touch_count++];
      penalty_evaluate(st->world, k, law, h, &memory, touch, &c->now);
      push(f, rank, k->b, touch->force, touch->arm_b);
      push(f, rank, k->a, v3_neg(touch->force), touch->arm_a);
    } else {
      memory = (penalty_memory){.slip = v3_make(0, 0, 0)};
    }
    c->memory[c->count++] = memory;
  }
  return SCREE_OK;
}

static void exchange(smooth_contacts *c) {
  penalty_memory *memory = c->memory;
  const size_t count = c->count;
  c->memory = c->memory_before, c->count = c->before;
  c->memory_before = memory, c->before = count;
}

void smooth_contacts_keep(smooth_contacts *c) {
  c->tried = false;
  c->kept = c->now;
}

void smooth_contacts_drop(smooth_contacts *c) {
  if (!c->tried) return;
  cache_undo(collide_cache(c->collide));
  exchange(c);
  c->tried = false;
}

scree_status smooth_contacts_push(scree_stepper *st, smooth_contacts *c, const penalty_law *law,
                                  double h, const uint32_t *rank, double *f) {
  smooth_contacts_drop(c);
  c->touch_count = 0;
  c->now = (penalty_sums){0};
  scree_status status = prepare(st, c);
  if (status || !c->any) return status;
  status = begin(st, c);
  if (status) return status;
  exchange(c);
  c->count = 0;
  c->tried = true;
  while (!status) {
    const collide_contact *batch;
    size_t count;
    status = collide_next(c->collide, &batch, &count);
    if (status || !count) break;
    status = push_batch(st, c, law, h, batch, count, rank, f);
  }
  return status;
}

void smooth_contacts_report(const smooth_contacts *c, scree_step_info *info) {
  info->contacts = c->count;
  info->touching = (size_t)c->kept.touching;
  info->penetration = fmax(info->penetration, c->kept.penetration);
  info->penetration_percent = fmax(info->penetration_percent, c->kept.percent);
}

/* J_x' G J_y with J = [I, -[arm]]: columns and rows of turns by cross products. */
static void arm_block(const m33 *g, v3 arm_x, v3 arm_y, double sign, double *out) {
  double wide[3][6];
  for (int i = 0; i < 3; i++) {
    const v3 row = v3_make(g->m[i][0], g->m[i][1], g->m[i][2]);
    v3_store(wide[i], v3_scale(sign, row));
    v3_store(wide[i] + 3, v3_scale(sign, v3_cross(arm_y, row))); /* row . (w x arm) */
  }
  for (int j = 0; j < 6; j++) {
    const v3 column = v3_make(wide[0][j], wide[1][j], wide[2][j]), turn = v3_cross(arm_x, column);
    out[j] = column.x, out[6 + j] = column.y, out[12 + j] = column.z;
    out[18 + j] = turn.x, out[24 + j] = turn.y, out[30 + j] = turn.z;
  }
}

void smooth_contacts_blocks(const scree_world *w, const smooth_contacts *c,
                            world_visit_block *visit, void *user) {
  for (size_t i = 0; i < c->touch_count; i++) {
    const penalty_touch *t = &c->touch[i];
    const uint32_t body[2] = {t->a, t->b};
    const v3 arm[2] = {t->arm_a, t->arm_b};
    const double a[3] = {t->by_depth.x, t->by_depth.y, t->by_depth.z};
    const double n[3] = {t->normal.x, t->normal.y, t->normal.z};
    m33 stiff; /* -dF/dq = A n'J, as dd = -n'J dq */
    for (int k = 0; k < 9; k++) stiff.m[k / 3][k % 3] = a[k / 3] * n[k % 3];
    for (int x = 0; x < 2; x++)
      for (int y = 0; y < 2; y++) {
        double k[36], r[36];
        if (!world_is_dynamic(w, body[x]) || !world_is_dynamic(w, body[y])) continue;
        arm_block(&stiff, arm[x], arm[y], x == y ? 1.0 : -1.0, k);
        arm_block(&t->by_rate, arm[x], arm[y], x == y ? 1.0 : -1.0, r);
        visit(user, body[x], body[y], k, r);
      }
  }
}

void smooth_contacts_pairs(const smooth_contacts *c, world_visit_pair *visit, void *user) {
  if (!c->any || !c->collide) return;
  const cache_list *now = &collide_cache(c->collide)->now;
  for (size_t k = 0; k < now->count; k++)
    if (now->key[k].b != CACHE_NONE) visit(user, now->key[k].a, now->key[k].b);
}

/* ---- checkpoint ----------------------------------------------------------------------------- */

/* The count and the sums; then keys and memories. */
typedef struct saved_head {
  uint64_t count;
  penalty_sums kept;
} saved_head;

size_t smooth_contacts_save(const smooth_contacts *c, void *bytes) {
  const saved_head head = {c->count, c->kept};
  char *at = bytes;
  if (at) {
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    if (c->count) {
      memcpy(at, collide_cache(c->collide)->now.key, c->count * sizeof(cache_key));
      memcpy(at + c->count * sizeof(cache_key), c->memory, c->count * sizeof *c->memory);
    }
  }
  return sizeof head + c->count * (sizeof(cache_key) + sizeof *c->memory);
}

scree_status smooth_contacts_restore(scree_stepper *st, smooth_contacts *c, const void *bytes,
                                     size_t size) {
  const world_bodies *b = &st->world->bodies;
  saved_head head;
  const char *at = bytes;
  const size_t each = sizeof(cache_key) + sizeof *c->memory;
  if (size >= sizeof head) memcpy(&head, at, sizeof head);
  if (size < sizeof head || head.count > (size - sizeof head) / each ||
      size != sizeof head + head.count * each)
    return context_fail(st->context, SCREE_ERROR_INPUT, "checkpoint: its contacts are cut short");
  const size_t count = head.count;
  c->count = c->before = 0;
  c->searched = c->tried = false;
  c->kept = head.kept;
  if (!count) return SCREE_OK;
  at += sizeof head;
  scree_status status = prepare(st, c);
  if (status) return status;
  if (!c->any || memory_grow(st->context, &c->memory, count, sizeof *c->memory))
    return SCREE_ERROR_MEMORY;
  cache_key *keys = memory_new(st->context, count, sizeof *keys);
  if (!keys) return SCREE_ERROR_MEMORY;
  memcpy(keys, at, count * sizeof *keys);
  for (size_t k = 0; k < count && !status; k++)
    if (keys[k].a >= b->limit || keys[k].b >= b->limit)
      status = context_fail(st->context, SCREE_ERROR_INPUT, "checkpoint: a contact is of no body");
  if (!status)
    status = cache_restore(collide_cache(c->collide), b->limit, b->generation, count, keys);
  memory_free(st->context, keys);
  if (status) return status;
  memcpy(c->memory, at + count * sizeof *keys, count * sizeof *c->memory);
  c->count = count;
  return SCREE_OK;
}
