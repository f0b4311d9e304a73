/* See contact.h. */
#include "step/smooth/contact.h"

#include <string.h>

void smooth_contacts_clear(scree_context *context, smooth_contacts *c) {
  collide_destroy(c->collide);
  memory_free(context, c->slip);
  memory_free(context, c->slip_before);
  memory_free(context, c->still);
}

static bool may_meet(const scree_world *w, size_t i, size_t k) {
  const world_bodies *b = &w->bodies;
  if (!b->alive[i] || !b->alive[k] || !b->shape[i] || !b->shape[k]) return false;
  if (!world_is_dynamic(w, i) && !world_is_dynamic(w, k)) return false;
  if (!(b->category[i] & b->collides_with[k]) || !(b->category[k] & b->collides_with[i]))
    return false;
  const uint64_t pair = (uint64_t)i << 32 | k;
  size_t low = 0, high = w->excluded_count;
  while (low < high) {
    const size_t mid = (low + high) / 2;
    if (w->excluded[mid] < pair)
      low = mid + 1;
    else
      high = mid;
  }
  return low == w->excluded_count || w->excluded[low] != pair;
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
          "bodies %u and %u touch at t = %g s: stepper '%s' has no contacts; take 'nonsmooth', or "
          "'explicit' with contact: penalty, or keep them apart (collides_with), or let them pass "
          "through each other (contact: none)",
          batch[i].a, batch[i].b, st->world->time, st->class->name);
    }
  }
  return status;
}

/* ---- springs -------------------------------------------------------------------------------- */

static double radius_of(const world_bodies *b, uint32_t i) {
  return isfinite(b->diameter[i]) ? 0.5 * b->diameter[i] : INFINITY;
}

static double inverse(double x) {
  return isinf(x) || x == 0.0 ? 0.0 : 1.0 / x;
}

static v3 speed_at(const world_bodies *b, uint32_t i, v3 arm) {
  return v3_add(b->linear[i], v3_cross(b->angular[i], arm));
}

/* The force on body b; *slip is the elastic one before the step, and then after it. */
static v3 force_of(const scree_world *w, const collide_contact *k, const penalty_law *law, double h,
                   v3 *slip) {
  const world_bodies *b = &w->bodies;
  const scree_material_def *pair = world_pair(w, b->material[k->a], b->material[k->b]);
  const v3 point = v3_scale(0.5, v3_add(k->point.point_a, k->point.point_b)), n = k->point.normal;
  const v3 arm_a = v3_sub(point, b->position[k->a]), arm_b = v3_sub(point, b->position[k->b]);
  const v3 u = v3_sub(speed_at(b, k->b, arm_b), speed_at(b, k->a, arm_a));
  const double un = v3_dot(u, n), depth = -k->point.gap;
  const v3 ut = v3_add_scaled(u, -un, n);
  const double curve = inverse(radius_of(b, k->a)) + inverse(radius_of(b, k->b));
  const double reach = curve > 0.0 ? 1.0 / curve : 1.0;
  const double mass = 1.0 / (inverse(b->mass[k->a]) + inverse(b->mass[k->b]));
  const double nu = law->poisson, soft = law->young / (2.0 * (1.0 - nu * nu));
  const double shear = law->young / (4.0 * (2.0 - nu) * (1.0 + nu));
  const double root = sqrt(reach * depth), kn = 2.0 * soft * root, kt = 8.0 * shear * root;
  const double e = fmax(pair->restitution, 1e-6), log_e = log(e);
  const double damp = 2.0 * 0.91287092917527690 * -log_e / sqrt(log_e * log_e + 9.8696044010893586);
  const double normal = fmax(4.0 / 3.0 * soft * root * depth - damp * sqrt(kn * mass) * un, 0.0);
  /* The slip lies in the plane of the contact as it is now. */
  const double length = v3_norm(*slip);
  v3 x = v3_add_scaled(*slip, -v3_dot(*slip, n), n);
  const double flat = v3_norm(x);
  if (flat > 0.0) x = v3_scale(length / flat, x);
  x = v3_add_scaled(x, h, ut);
  const double ct = damp * sqrt(kt * mass);
  v3 t = v3_add_scaled(v3_scale(-kt, x), -ct, ut);
  const double most = pair->friction * normal, size = v3_norm(t);
  if (size > most) {
    t = v3_scale(most / size, t);
    x = v3_scale(-1.0 / kt, v3_add_scaled(t, ct, ut));
  }
  *slip = x;
  return v3_add_scaled(t, normal, n);
}

static void push(double *f, const world_bodies *b, const uint32_t *rank, uint32_t i, v3 force,
                 v3 point) {
  if (rank[i] == UINT32_MAX) return;
  double *to = f + 6 * rank[i];
  v3_store(to, v3_add(v3_load(to), force));
  v3_store(to + 3, v3_add(v3_load(to + 3), v3_cross(v3_sub(point, b->position[i]), force)));
}

static scree_status push_batch(scree_stepper *st, smooth_contacts *c, const penalty_law *law,
                               double h, const collide_contact *batch, size_t count,
                               const uint32_t *rank, double *f, scree_step_info *info) {
  const world_bodies *b = &st->world->bodies;
  if (memory_grow(st->context, &c->slip, c->count + count, sizeof *c->slip))
    return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) {
    const collide_contact *k = &batch[i];
    const uint32_t old = k->match.previous;
    v3 slip = old != CACHE_NONE && old < c->before ? c->slip_before[old] : v3_make(0, 0, 0);
    if (k->point.gap < 0.0) {
      const v3 force = force_of(st->world, k, law, h, &slip);
      const v3 point = v3_scale(0.5, v3_add(k->point.point_a, k->point.point_b));
      push(f, b, rank, k->b, force, point);
      push(f, b, rank, k->a, v3_neg(force), point);
      const double size = fmin(b->diameter[k->a], b->diameter[k->b]);
      info->touching++;
      info->penetration = fmax(info->penetration, -k->point.gap);
      info->penetration_percent = fmax(info->penetration_percent, -100.0 * k->point.gap / size);
    } else {
      slip = v3_make(0, 0, 0);
    }
    c->slip[c->count++] = slip;
  }
  info->contacts = c->count;
  return SCREE_OK;
}

scree_status smooth_contacts_push(scree_stepper *st, smooth_contacts *c, const penalty_law *law,
                                  double h, const uint32_t *rank, double *f,
                                  scree_step_info *info) {
  scree_status status = prepare(st, c);
  if (status || !c->any) return status;
  status = begin(st, c);
  if (status) return status;
  v3 *slip = c->slip_before;
  c->slip_before = c->slip, c->before = c->count;
  c->slip = slip, c->count = 0;
  while (!status) {
    const collide_contact *batch;
    size_t count;
    status = collide_next(c->collide, &batch, &count);
    if (status || !count) break;
    status = push_batch(st, c, law, h, batch, count, rank, f, info);
  }
  return status;
}

/* ---- checkpoint ----------------------------------------------------------------------------- */

size_t smooth_contacts_save(const smooth_contacts *c, void *bytes) {
  const uint64_t count = c->count;
  char *at = bytes;
  if (at) {
    memcpy(at, &count, sizeof count);
    at += sizeof count;
    if (count) {
      memcpy(at, collide_cache(c->collide)->now.key, c->count * sizeof(cache_key));
      memcpy(at + c->count * sizeof(cache_key), c->slip, c->count * sizeof *c->slip);
    }
  }
  return sizeof count + c->count * (sizeof(cache_key) + sizeof *c->slip);
}

scree_status smooth_contacts_restore(scree_stepper *st, smooth_contacts *c, const void *bytes,
                                     size_t size) {
  const world_bodies *b = &st->world->bodies;
  uint64_t count;
  const char *at = bytes;
  const size_t each = sizeof(cache_key) + sizeof *c->slip;
  if (size >= sizeof count) memcpy(&count, at, sizeof count);
  if (size < sizeof count || count > (size - sizeof count) / each ||
      size != sizeof count + count * each)
    return context_fail(st->context, SCREE_ERROR_INPUT, "checkpoint: its contacts are cut short");
  c->count = c->before = 0;
  c->searched = false;
  if (!count) return SCREE_OK;
  at += sizeof count;
  scree_status status = prepare(st, c);
  if (status) return status;
  if (!c->any || memory_grow(st->context, &c->slip, count, sizeof *c->slip))
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
  memcpy(c->slip, at + count * sizeof *keys, count * sizeof *c->slip);
  c->count = count;
  return SCREE_OK;
}
