/* The assembler's part of a checkpoint: names and memory of contacts, and the order of bodies. */
#include "assemble/assembler.h"

#include <string.h>

typedef struct blob_header {
  uint64_t magic;
  uint64_t contact_count, order_count, moving, steps_since_order, extra, states, places, body_limit,
      slept, current; /* the order is one of the world's bodies as they are now */
  double kick;
} blob_header;

static const uint64_t blob_magic = 0x35424D4553534153u; /* "SASSEMB5" */

/* The contacts that the next step starts from, where they lie now. */
static void put_impulses(const assembler *a, blob_out *out) {
  for (size_t k = 0; k < a->memory.contact_count; k++) {
    const v3 impulse = a->memory.solved ? assembler_impulse(a, k) : assembler_get_before(a, k);
    blob_put(out, &impulse, sizeof impulse);
  }
}

static void put_places(const assembler *a, blob_out *out) {
  if (!a->memory.solved)
    blob_put(out, a->memory.place, a->memory.contact_count * sizeof *a->memory.place);
  for (size_t k = 0; a->memory.solved && k < a->memory.contact_count; k++) {
    const contact_place place = assembler_place_of(a, k);
    blob_put(out, &place, sizeof place);
  }
}

void assembler_put(const assembler *a, blob_out *out) {
  const cache *c = collide_cache(a->collide);
  /* Not before the first step, nor after one that failed before contacts were looked for. */
  const bool ordered = c->generation && a->order.limit <= a->memory.generation_count;
  const blob_header head = {.magic = blob_magic,
                            .contact_count = a->memory.contact_count,
                            .order_count = ordered ? a->order.count : 0,
                            .moving = ordered ? a->order.moving : 0,
                            .current = a->revision == a->world->revision &&
                                       a->order.sleep_seen == a->world->sleep_revision,
                            .steps_since_order = a->order.steps,
                            .extra = a->memory.has_moment_now,
                            .states = a->memory.has_state_now,
                            .places =
                                a->memory.solved ? assembler_needs_places(a) : a->memory.has_place,
                            .slept = a->sleep.contact_count,
                            .body_limit = c->generation ? a->memory.generation_count : 0,
                            .kick = a->kick};
  blob_put(out, &head, sizeof head);
  blob_put(out, c->now.key, head.contact_count * sizeof *c->now.key);
  put_impulses(a, out);
  if (head.places) put_places(a, out);
  if (head.extra)
    blob_put(out, a->memory.moment_now, head.contact_count * sizeof *a->memory.moment_now);
  if (head.states)
    blob_put(out, a->memory.state_now, head.contact_count * sizeof *a->memory.state_now);
  blob_put(out, c->generation, head.body_limit * sizeof *c->generation);
  blob_put(out, a->sleep.contact, head.slept * sizeof *a->sleep.contact);
  blob_put(out, a->order.body, head.order_count * sizeof *a->order.body);
}

size_t assembler_save(const assembler *a, void *bytes) {
  blob_out out = {.bytes = bytes};
  assembler_put(a, &out);
  return out.at;
}

static size_t expected_size(const blob_header *h) {
  return sizeof *h +
         h->contact_count *
             (sizeof(cache_key) + sizeof(v3) + (h->places ? sizeof(contact_place) : 0) +
              (h->extra ? sizeof(contact_moment) : 0) + (h->states ? sizeof(contact_state) : 0)) +
         h->slept * sizeof(contact_asleep) + (h->body_limit + h->order_count) * sizeof(uint32_t);
}

/* ---- blobs of ranks -------------------------------------------------------------------------- */

size_t assembler_blob_contacts(const void *blob) {
  blob_header h;
  memcpy(&h, blob, sizeof h);
  return h.contact_count;
}

/* Sizes of what each contact has, in the order of the blob; returns how many kinds there are. */
static int parts_of(const blob_header *h, size_t size[5]) {
  int n = 0;
  size[n++] = sizeof(cache_key);
  size[n++] = sizeof(v3);
  if (h->places) size[n++] = sizeof(contact_place);
  if (h->extra) size[n++] = sizeof(contact_moment);
  if (h->states) size[n++] = sizeof(contact_state);
  return n;
}

/* Where a contact stands: in which blob, and its number there. */
enum { BLOB_SHIFT = 40 };

static cache_key key_of(const char *const *blob, uint64_t place) {
  cache_key key;
  memcpy(&key,
         blob[place >> BLOB_SHIFT] + sizeof(blob_header) +
             (place & (((uint64_t)1 << BLOB_SHIFT) - 1)) * sizeof key,
         sizeof key);
  return key;
}

/* Contacts of one pair come from one blob, and keep their order. */
static bool comes_before(const char *const *blob, uint64_t x, uint64_t y) {
  const cache_key p = key_of(blob, x), q = key_of(blob, y);
  if (p.a != q.a) return p.a < q.a;
  if (p.b != q.b) return p.b < q.b;
  return x < y;
}

static void sink(const char *const *blob, uint64_t *place, size_t at, size_t count) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && comes_before(blob, place[child], place[child + 1])) child++;
    if (!comes_before(blob, place[at], place[child])) return;
    const uint64_t kept = place[at];
    place[at] = place[child];
    place[child] = kept;
  }
}

/* Heap sort: qsort has no argument for the blobs that are compared. */
static void sort_places(const char *const *blob, uint64_t *place, size_t count) {
  for (size_t k = count / 2; k-- > 0;) sink(blob, place, k, count);
  for (size_t k = count; k-- > 1;) {
    const uint64_t kept = place[0];
    place[0] = place[k];
    place[k] = kept;
    sink(blob, place, 0, k);
  }
}

size_t assembler_join(const char *const *blob, int count, uint64_t *place, void *out) {
  blob_header head, h;
  size_t n = 0, size[5], before = 0;
  memcpy(&head, blob[0], sizeof head);
  for (int k = 0; k < count; k++) {
    memcpy(&h, blob[k], sizeof h);
    for (uint64_t i = 0; out && i < h.contact_count; i++)
      place[n + i] = (uint64_t)k << BLOB_SHIFT | i;
    n += h.contact_count;
  }
  head.contact_count = n;
  head.order_count = head.moving = head.current = 0;
  if (!out) return expected_size(&head);
  sort_places(blob, place, n);
  blob_out to = {.bytes = out};
  blob_put(&to, &head, sizeof head);
  const int parts = parts_of(&head, size);
  for (int m = 0; m < parts; before += size[m++])
    for (size_t k = 0; k < n; k++) {
      const char *from = blob[place[k] >> BLOB_SHIFT];
      const uint64_t i = place[k] & (((uint64_t)1 << BLOB_SHIFT) - 1);
      memcpy(&h, from, sizeof h);
      blob_put(&to, from + sizeof h + h.contact_count * before + i * size[m], size[m]);
    }
  memcpy(&h, blob[0], sizeof h);
  blob_put(&to, blob[0] + sizeof h + h.contact_count * before, h.body_limit * sizeof(uint32_t));
  return to.at;
}

scree_status assembler_check(const assembler *a, const void *blob, size_t size) {
  blob_header h;
  const char *bytes = blob;
  if (size >= sizeof h) memcpy(&h, blob, sizeof h);
  if (size < sizeof h || h.magic != blob_magic || h.contact_count > UINT32_MAX ||
      h.slept > UINT32_MAX || h.extra > 1 || h.states > 1 || h.places > 1 || h.current > 1 ||
      h.body_limit > UINT32_MAX || h.order_count > h.body_limit || h.moving > h.order_count ||
      size != expected_size(&h) || !(h.kick >= 0.0))
    return context_fail(a->context, SCREE_ERROR_INPUT,
                        "checkpoint: its table of contacts does not fit its header");
  for (size_t k = 0; k < h.contact_count; k++) {
    cache_key key;
    memcpy(&key, bytes + sizeof h + k * sizeof key, sizeof key);
    if (key.a >= h.body_limit || key.b >= h.body_limit)
      return context_fail(a->context, SCREE_ERROR_INPUT,
                          "checkpoint: contact %zu is of a body that is not there", k);
  }
  for (size_t k = 0; k < h.order_count; k++) {
    uint32_t body;
    memcpy(&body, bytes + size - (h.order_count - k) * sizeof body, sizeof body);
    if (body >= h.body_limit)
      return context_fail(a->context, SCREE_ERROR_INPUT,
                          "checkpoint: its order names a body that is not there");
  }
  return SCREE_OK;
}

static bool sleepers_exist(const char *slept, size_t count, size_t limit) {
  for (size_t k = 0; k < count; k++) {
    contact_asleep one;
    memcpy(&one, slept + k * sizeof one, sizeof one);
    if (one.body_a >= limit || one.body_b >= limit) return false;
  }
  return true;
}

scree_status assembler_restore(assembler *a, const void *blob) {
  const size_t limit = a->world->bodies.limit;
  blob_header h;
  memcpy(&h, blob, sizeof h);
  if (h.body_limit > limit)
    return context_fail(a->context, SCREE_ERROR_INPUT,
                        "checkpoint: its contacts are of more bodies than it has");
  const char *key = (const char *)blob + sizeof h;
  const char *memory = key + h.contact_count * sizeof(cache_key);
  const char *place = memory + h.contact_count * sizeof(v3);
  const char *extra = place + (h.places ? h.contact_count * sizeof(contact_place) : 0);
  const char *states = extra + (h.extra ? h.contact_count * sizeof(contact_moment) : 0);
  const char *generation = states + (h.states ? h.contact_count * sizeof(contact_state) : 0);
  const char *slept = generation + h.body_limit * sizeof(uint32_t);
  const char *order = slept + h.slept * sizeof(contact_asleep);
  if (!sleepers_exist(slept, h.slept, limit))
    return context_fail(a->context, SCREE_ERROR_INPUT,
                        "checkpoint: a contact asleep is of a body that is not there");
  if (assembler_reserve_before(a, h.contact_count) ||
      (h.places &&
       memory_grow(a->context, &a->memory.place, h.contact_count, sizeof *a->memory.place)) ||
      (h.extra && memory_grow(a->context, &a->memory.moment_now, h.contact_count,
                              sizeof *a->memory.moment_now)) ||
      (h.states && memory_grow(a->context, &a->memory.state_now, h.contact_count,
                               sizeof *a->memory.state_now)) ||
      memory_grow(a->context, &a->sleep.contact, h.slept, sizeof *a->sleep.contact) ||
      memory_grow(a->context, &a->order.rank, limit, sizeof *a->order.rank) ||
      memory_grow(a->context, &a->order.body, limit, sizeof *a->order.body))
    return SCREE_ERROR_MEMORY;
  /* Copies, because nothing says that a blob's parts are aligned. */
  cache_key *keys = memory_new(a->context, h.contact_count, sizeof *keys);
  uint32_t *generations = memory_new(a->context, h.body_limit, sizeof *generations);
  scree_status status = keys && generations ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) {
    if (h.contact_count) memcpy(keys, key, h.contact_count * sizeof *keys);
    if (h.body_limit) memcpy(generations, generation, h.body_limit * sizeof *generations);
    status =
        cache_restore(collide_cache(a->collide), h.body_limit, generations, h.contact_count, keys);
  }
  memory_free(a->context, keys);
  memory_free(a->context, generations);
  if (status) return status;
  for (size_t k = 0; k < h.contact_count; k++) {
    v3 impulse;
    memcpy(&impulse, memory + k * sizeof impulse, sizeof impulse);
    assembler_set_before(a, k, impulse);
  }
  if (h.places && h.contact_count)
    memcpy(a->memory.place, place, h.contact_count * sizeof *a->memory.place);
  a->memory.has_place = h.places;
  a->memory.solved = a->memory.has_kept = false;
  if (h.extra && h.contact_count)
    memcpy(a->memory.moment_now, extra, h.contact_count * sizeof *a->memory.moment_now);
  if (h.states && h.contact_count)
    memcpy(a->memory.state_now, states, h.contact_count * sizeof *a->memory.state_now);
  if (h.order_count) memcpy(a->order.body, order, h.order_count * sizeof *a->order.body);
  if (h.slept) memcpy(a->sleep.contact, slept, h.slept * sizeof *a->sleep.contact);
  a->sleep.contact_count = h.slept;
  a->sleep.looked = false;
  a->memory.contact_count = h.contact_count;
  a->memory.generation_count = h.body_limit;
  a->memory.has_moment_now = h.extra;
  a->memory.has_state_now = h.states;
  a->kick = h.kick;
  a->order.count = h.order_count;
  a->order.moving = h.moving;
  a->order.limit = h.body_limit;
  a->order.steps = h.steps_since_order;
  for (size_t i = 0; i < limit; i++) a->order.rank[i] = SCREE_CCP_WORLD;
  for (size_t k = 0; k < a->order.moving; k++) a->order.rank[a->order.body[k]] = (uint32_t)k;
  a->has_excluded = true; /* whether it had is not known: pairs are found anew */
  a->order.sleep_seen = h.current ? a->world->sleep_revision : a->world->sleep_revision - 1;
  a->revision = h.order_count && h.current ? a->world->revision : a->world->revision - 1;
  collide_invalidate(a->collide);
  scree_ccp_clear(a->problem);
  return SCREE_OK;
}
