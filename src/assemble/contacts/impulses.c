/* Impulses of contacts out of the problem: on the bodies' twists, and kept for the next step.
 *
 * Twists are sums over a body's contacts in their order, whoever adds them. Several threads take
 * spans of contacts each; bodies that contacts of two spans push are left to a pass at the end,
 * which goes over the contacts in their order. Contacts follow the curve of the bodies, so these
 * are few, and the bits are those of one thread. */
#include "assemble/contacts/impulse.h"

#include <string.h>

enum { MANY_CONTACTS = 32768, PARALLEL_CONTACTS = 4096, MOST_SPANS = 8 };

v3 assembler_impulse(const assembler *a, size_t k) {
  return impulse_of(a, k);
}

v3 assembler_whole_impulse(const assembler *a, size_t k) {
  return impulse_whole(a, k);
}

v3 assembler_moment(const assembler *a, size_t k) {
  return impulse_moment(a, k);
}

contact_place assembler_place_of(const assembler *a, size_t k) {
  const ccp_contact *c = &a->problem->bodies.contact[k];
  const cache_key *key = &collide_cache(a->collide)->now.key[k];
  const double *arm = place_on_second(&a->world->bodies, key->a, key->b) ? c->arm_b : c->arm_a;
  return (contact_place){{(float)arm[0], (float)arm[1], (float)arm[2]}};
}

/* Spheres among themselves and on planes keep the names of their contacts. */
bool assembler_needs_places(const assembler *a) {
  const world_bodies *b = &a->world->bodies;
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i] || !b->shape[i]) continue;
    const scree_shape_kind kind = b->shape[i]->kind;
    if (kind != SCREE_SHAPE_SPHERE && kind != SCREE_SHAPE_HALF_SPACE &&
        kind != SCREE_SHAPE_BOX_CONTAINER)
      return true;
  }
  return false;
}

/* With so many contacts that memory counts, impulses are kept as floats: a start need not be
 * sharper than 1e-7. */
scree_status assembler_reserve_before(assembler *a, size_t count) {
  a->memory.before_small = count >= MANY_CONTACTS;
  return memory_grow(a->context, &a->memory.before,
                     count * (a->memory.before_small ? 3 * sizeof(float) : sizeof(v3)), 1);
}

void assembler_set_before(assembler *a, size_t k, v3 impulse) {
  impulse_set_before(a, k, impulse);
}

v3 assembler_get_before(const assembler *a, size_t k) {
  return impulse_before(a, k);
}

static void remember_one(assembler *a, size_t k, bool impulse, bool place) {
  if (impulse) impulse_set_before(a, k, impulse_of(a, k));
  if (place) a->memory.place[k] = assembler_place_of(a, k);
}

/* Impulses that were kept become those of the step before as they are. */
static void exchange_kept(assembler *a) {
  void *const before = a->memory.before;
  a->memory.before = a->memory.kept;
  a->memory.kept = before;
  a->memory.before_small = a->memory.has_kept = false;
}

scree_status assembler_remember(assembler *a) {
  const size_t n = a->memory.contact_count;
  if (!a->memory.solved) return SCREE_OK;
  const bool places = assembler_needs_places(a), impulses = !a->memory.has_kept;
  if (!impulses)
    exchange_kept(a);
  else if (assembler_reserve_before(a, n))
    return SCREE_ERROR_MEMORY;
  if (places && memory_grow(a->context, &a->memory.place, n, sizeof *a->memory.place))
    return SCREE_ERROR_MEMORY;
  if ((impulses || places) && n < PARALLEL_CONTACTS) {
    for (size_t k = 0; k < n; k++) remember_one(a, k, impulses, places);
  } else if (impulses || places) {
#pragma omp parallel for schedule(static) num_threads(context_team(a->context, true))
    for (size_t k = 0; k < n; k++) remember_one(a, k, impulses, places);
  }
  a->memory.has_place = places;
  a->memory.solved = false;
  return SCREE_OK;
}

/* ---- twists --------------------------------------------------------------------------------- */

static inline void push(assembler *a, uint32_t body, uint32_t rank, double sign, v3 impulse,
                        v3 moment, const double *arm) {
  if (rank == SCREE_CCP_WORLD) return;
  const scree_ccp_body_def *def = &a->problem->bodies.body[rank];
  if (def->inverse_mass == 0.0) return;
  const v3 turn = v3_add(v3_cross(v3_load(arm), impulse), moment);
  a->linear[body] = v3_add_scaled(a->linear[body], sign * def->inverse_mass, impulse);
  a->angular[body] = v3_add_scaled(a->angular[body], sign, sym3_mul_v3(def->inverse_inertia, turn));
}

static bool is_nothing(v3 x) {
  return x.x == 0.0 && x.y == 0.0 && x.z == 0.0;
}

/* Both bodies of a pair are marked by whoever finds one that presses, and by the same value. */
static void mark_shared(assembler *a, const cache_key *key) {
  if (!world_is_dynamic(a->world, key->a) || !world_is_dynamic(a->world, key->b)) return;
  __atomic_store_n(&a->shared[key->a], 1, __ATOMIC_RELAXED);
  __atomic_store_n(&a->shared[key->b], 1, __ATOMIC_RELAXED);
}

/* Contacts of a span; `mine` tells which bodies may be pushed now: by marks that are this one, or
 * by any where it is 0. */
static size_t keep_span(assembler *a, size_t begin, size_t end, uint8_t mine) {
  enum { AHEAD = 12 };
  const cache_key *key = collide_cache(a->collide)->now.key;
  v3 *const kept = a->memory.has_kept ? a->memory.kept : NULL;
  size_t touching = 0;
  for (size_t k = begin; k < end; k++) {
    if (k + AHEAD < end) {
      __builtin_prefetch(&a->linear[key[k + AHEAD].b], 1);
      __builtin_prefetch(&a->angular[key[k + AHEAD].b], 1);
    }
    const ccp_contact *c = &a->problem->bodies.contact[k];
    const v3 p = impulse_of(a, k), m = impulse_moment(a, k);
    const bool presses = a->g[a->problem->row_start[k]] != 0.0;
    if (kept) kept[k] = p;
    touching += presses || (a->impacts.count && v3_norm2(a->impacts.impulse[k]) > 0.0);
    if (presses) mark_shared(a, &key[k]);
    if (a->memory.has_moment_now) a->memory.moment_now[k].moment = m;
    if (!presses && is_nothing(p) && is_nothing(m)) continue; /* a third of a bed's */
    if (!mine || a->span[key[k].a] == mine) push(a, key[k].a, c->body_a, -1.0, p, m, c->arm_a);
    if (!mine || a->span[key[k].b] == mine) push(a, key[k].b, c->body_b, 1.0, p, m, c->arm_b);
  }
  return touching;
}

static void mark_span(assembler *a, uint32_t body, uint8_t bit) {
  if (!(__atomic_load_n(&a->span[body], __ATOMIC_RELAXED) & bit))
    __atomic_fetch_or(&a->span[body], bit, __ATOMIC_RELAXED);
}

static bool is_between(uint8_t mark) {
  return (mark & (uint8_t)(mark - 1u)) != 0;
}

static void keep_between(assembler *a) {
  const cache_key *key = collide_cache(a->collide)->now.key;
  for (size_t k = 0; k < a->memory.contact_count; k++) {
    const bool at_a = is_between(a->span[key[k].a]), at_b = is_between(a->span[key[k].b]);
    if (!at_a && !at_b) continue;
    const ccp_contact *c = &a->problem->bodies.contact[k];
    const v3 p = impulse_of(a, k), m = impulse_moment(a, k);
    if (at_a) push(a, key[k].a, c->body_a, -1.0, p, m, c->arm_a);
    if (at_b) push(a, key[k].b, c->body_b, 1.0, p, m, c->arm_b);
  }
}

static size_t keep_in_spans(assembler *a, size_t spans) {
  const cache_key *key = collide_cache(a->collide)->now.key;
  const size_t n = a->memory.contact_count;
  size_t touching = 0;
  memset(a->span, 0, a->world->bodies.limit);
#pragma omp parallel num_threads((int)spans) reduction(+ : touching)
  {
#pragma omp for schedule(static)
    for (size_t s = 0; s < spans; s++)
      for (size_t k = s * n / spans; k < (s + 1) * n / spans; k++) {
        mark_span(a, key[k].a, (uint8_t)(1u << s));
        mark_span(a, key[k].b, (uint8_t)(1u << s));
      }
#pragma omp for schedule(static)
    for (size_t s = 0; s < spans; s++)
      touching += keep_span(a, s * n / spans, (s + 1) * n / spans, (uint8_t)(1u << s));
  }
  keep_between(a);
  return touching;
}

scree_status assembler_keep_contacts(assembler *a, assembler_report *report) {
  const size_t n = a->memory.contact_count, limit = a->world->bodies.limit;
  if (limit) memset(a->shared, 0, limit);
  size_t spans = (size_t)context_team(a->context, n > PARALLEL_CONTACTS);
  if (spans > MOST_SPANS) spans = MOST_SPANS;
  if (spans > 1 && memory_grow(a->context, &a->span, limit, sizeof *a->span))
    return SCREE_ERROR_MEMORY;
  a->memory.has_kept = n < MANY_CONTACTS;
  if (a->memory.has_kept && memory_grow(a->context, &a->memory.kept, n * sizeof(v3), 1))
    return SCREE_ERROR_MEMORY;
  report->touching = spans > 1 ? keep_in_spans(a, spans) : keep_span(a, 0, n, 0);
  return SCREE_OK;
}
