/* See cache.h. */
#include "collide/cache.h"

#include <string.h>

void cache_clear(cache *c) {
  memory_free(c->context, c->now.key);
  memory_free(c->context, c->now.first);
  memory_free(c->context, c->before.key);
  memory_free(c->context, c->before.first);
  memory_free(c->context, c->generation);
}

static void swap(cache *c) {
  const cache_list list = c->now;
  c->now = c->before;
  c->before = list;
}

static scree_status make_room(cache *c, size_t body_count) {
  if (memory_grow(c->context, &c->now.first, body_count, sizeof *c->now.first) ||
      memory_grow(c->context, &c->before.first, body_count, sizeof *c->before.first) ||
      memory_grow(c->context, &c->generation, body_count, sizeof *c->generation))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

scree_status cache_begin(cache *c, size_t body_count, const uint32_t *generation) {
  if (make_room(c, body_count)) return SCREE_ERROR_MEMORY;
  swap(c);
  if (body_count) memset(c->now.first, 0, body_count * sizeof *c->now.first);
  c->now.count = 0;
  const bool same =
      body_count == 0 || memcmp(c->generation, generation, body_count * sizeof *generation) == 0;
  for (size_t k = 0; !same && k < c->before.count; k++) {
    cache_key *key = &c->before.key[k];
    if (key->b == CACHE_NONE) continue;
    if (c->generation[key->a] != generation[key->a] || c->generation[key->b] != generation[key->b])
      key->feature = key->b = CACHE_NONE;
  }
  if (body_count) memcpy(c->generation, generation, body_count * sizeof *generation);
  return SCREE_OK;
}

void cache_undo(cache *c) {
  swap(c);
}

scree_status cache_extend(cache *c, size_t more, size_t *first) {
  cache_list *now = &c->now;
  *first = now->count;
  if (memory_grow(c->context, &now->key, now->count + more, sizeof *now->key))
    return SCREE_ERROR_MEMORY;
  now->count += more;
  return SCREE_OK;
}

static void set_key(cache *c, cache_key key, bool begins, size_t place) {
  c->now.key[place] = key;
  if (begins) c->now.first[key.a] = (uint32_t)place + 1;
}

static bool belongs(const cache_list *list, size_t k, uint32_t a) {
  return k < list->count && list->key[k].a == a;
}

/* Forgotten contacts have CACHE_NONE as b: the walk skips them. */
static bool comes_before(const cache_list *list, size_t k, cache_key key) {
  return belongs(list, k, key.a) && (list->key[k].b < key.b || list->key[k].b == CACHE_NONE);
}

/* The last of those from `k` on that surely come before, by steps that double: a floor has
 * thousands. A step that ends at a forgotten one is not made. */
static size_t skip(const cache_list *list, size_t k, cache_key key) {
  for (size_t step = 1; step > 0;) {
    const size_t next = k + step;
    const bool before = belongs(list, next, key.a) && list->key[next].b < key.b;
    if (before) k = next;
    step = before ? 2 * step : step / 2;
  }
  return k;
}

static size_t group_start(const cache_list *list, uint32_t a) {
  return list->first[a] ? list->first[a] - 1 : list->count;
}

cache_walk cache_walk_from(const cache *c, cache_key key, bool begins) {
  if (begins) return (cache_walk){.group = CACHE_NONE};
  return (cache_walk){.group = key.a, .at = skip(&c->before, group_start(&c->before, key.a), key)};
}

void cache_put(cache *c, cache_walk *walk, cache_key key, size_t place, cache_match *match) {
  const cache_list *before = &c->before;
  const bool begins = walk->group != key.a;
  if (begins) *walk = (cache_walk){.group = key.a, .at = group_start(before, key.a)};
  set_key(c, key, begins, place);
  while (comes_before(before, walk->at, key)) walk->at++;
  *match = (cache_match){.previous = CACHE_NONE, .pair_first = (uint32_t)walk->at};
  for (size_t k = walk->at; belongs(before, k, key.a) && before->key[k].b == key.b; k++) {
    match->pair_count++;
    if (before->key[k].feature == key.feature && match->previous == CACHE_NONE)
      match->previous = (uint32_t)k;
  }
}

scree_status cache_restore(cache *c, size_t body_count, const uint32_t *generation, size_t count,
                           const cache_key *keys) {
  if (make_room(c, body_count) || memory_grow(c->context, &c->now.key, count, sizeof *keys))
    return SCREE_ERROR_MEMORY;
  if (body_count) memset(c->now.first, 0, body_count * sizeof *c->now.first);
  if (body_count) memcpy(c->generation, generation, body_count * sizeof *generation);
  c->now.count = count;
  c->before.count = 0;
  for (size_t k = 0; k < count; k++) set_key(c, keys[k], k == 0 || keys[k].a != keys[k - 1].a, k);
  return SCREE_OK;
}
